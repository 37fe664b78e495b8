"""Feature columns: plain data, one tensor each, and variables by name."""

import pytest

import minitf as tf

fc = tf.feature_column


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feeds)


def test_columns_are_plain_data_and_equal_by_what_they_say() -> None:
    assert repr(fc.categorical_column_with_identity("w", 3)) == (
        "IdentityCategoricalColumn(key='w', number_buckets=3, default_value=None)"
    )
    assert fc.numeric_column("a") == fc.numeric_column("a")
    ids = fc.categorical_column_with_identity("w", 3)
    assert fc.indicator_column(ids) != ids
    assert len({fc.indicator_column(ids), fc.indicator_column(ids)}) == 1


def test_a_feature_of_two_columns_is_transformed_once() -> None:
    calls = []

    def scaled(x):
        calls.append(x)
        return x / 2.0

    price = fc.numeric_column("price", normalizer_fn=scaled)
    with tf.Graph().as_default():
        y = fc.input_layer({"price": [1.0, 8.0]}, [price, fc.bucketized_column(price, [2.0])])
        assert run(y).tolist() == [[0.5, 1, 0], [4.0, 0, 1]]
    assert len(calls) == 1


def test_an_id_that_is_none_stops_the_step() -> None:
    with tf.Graph().as_default():
        ids = fc.categorical_column_with_identity("w", 3)
        y = fc.linear_model({"w": [[5]]}, [ids])
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(y)
