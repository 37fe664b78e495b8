"""What TensorFlow's own tests call of feature columns, and columns that programs write."""

import importlib
from collections import namedtuple

import pytest

import minitf as tf
from minitf.compat.tensorflow import alias


@pytest.fixture
def columns():
    alias.install()
    yield importlib.import_module("tensorflow.python.feature_column.feature_column")
    alias.uninstall()


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_older_names(columns, sess):
    age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x + 1)
    old = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [2, 4])
    features = {"age": [[1.0], [3.0]]}
    made = columns._transform_features(features, [age, old])
    assert sess.run(made[age]).tolist() == [[2.0], [4.0]]
    builder = columns._LazyBuilder(features)
    assert sess.run(old._get_dense_tensor(builder)).tolist() == [[[1, 0, 0]], [[0, 1, 0]]]
    assert sess.run(old._get_sparse_tensors(builder).id_tensor.values).tolist() == [0, 1]
    assert sorted(["0", old, age, "z"]) == ["0", old, age, "z"]


def test_a_column_of_a_program(columns):
    class Twice(columns._FeatureColumn):
        name = "twice"
        _parse_example_spec = None

        def _transform_feature(self, inputs):
            return inputs.get("age") * 2

    builder = columns._LazyBuilder({"age": [[1.0]]})
    assert builder.get(Twice()) is not None


def test_sparse_values_reach_a_layer(sess):
    ids = tf.feature_column.categorical_column_with_identity("ids", 3)
    layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(ids)])
    value = tf.SparseTensorValue(((0, 0), (1, 0)), (2, 1), (2, 1))
    assert sess.run(layer({"ids": value})).tolist() == [[0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("order", [1, -1])
def test_a_column_of_a_program_has_bases_of_both_names(columns, sess, order):
    newer = importlib.import_module("tensorflow.python.feature_column.feature_column_v2")
    bases = [columns._DenseColumn, newer.DenseColumn][::order]

    class Scaled(*bases, namedtuple("Scaled", ["key", "factor"])):
        name = property(lambda self: f"{self.key}_{self.factor}")
        variable_shape = tf.TensorShape([1])

        def _transform_feature(self, inputs):
            return inputs.get(self.key) * self.factor

    age = tf.feature_column.numeric_column("age")
    ids = tf.feature_column.categorical_column_with_identity("ids", 3)
    assert isinstance(age, columns._DenseColumn) and not isinstance(ids, columns._DenseColumn)
    assert issubclass(Scaled, columns._DenseColumn)
    assert Scaled("age", 2) == Scaled("age", 2) != Scaled("age", 3)
    made = tf.feature_column.input_layer({"age": [[1.0]]}, [Scaled("age", 2), Scaled("age", 3)])
    assert sess.run(made).tolist() == [[2, 3]]


def test_real_valued_columns_take_features_as_wide_as_they_come(sess):
    layers = tf.contrib.layers
    x, y = layers.real_valued_column("x"), layers.real_valued_column("y", dimension=4)
    features = {"x": tf.constant([[1, 2, 3], [4, 5, 6]]), "y": tf.constant([7.0, 8.0])}
    joined = layers.input_from_feature_columns(features, [x, y])
    assert sess.run(joined).tolist() == [[1, 2, 3, 7], [4, 5, 6, 8]]
    sums, variables, _ = layers.weighted_sum_from_feature_columns(features, [x, y], 2)
    assert [variables[column][0].shape.as_list() for column in (x, y)] == [[3, 2], [1, 2]]
    assert sums.shape.as_list() == [2, 2]
    unknown = tf.placeholder(tf.float32)  # then the width is the one of the records
    joined = layers.input_from_feature_columns({"y": unknown}, [y])
    assert sess.run(joined, {unknown: [[1, 2, 3, 4]]}).tolist() == [[1, 2, 3, 4]]


def test_arguments_of_embedding_columns_are_named_as_in_contrib() -> None:
    layers = tf.contrib.layers
    words = layers.sparse_column_with_hash_bucket("words", 7)
    others = layers.sparse_column_with_hash_bucket("others", 7)
    with tf.Graph().as_default(), tf.Session() as sess:
        columns = [
            layers.one_hot_column(sparse_id_column=words),
            layers.embedding_column(sparse_id_column=words, dimension=3),
            *layers.shared_embedding_columns([words, others], 2, "sum", "table"),
        ]
        features = {name: tf.constant([["a"], ["b"]]) for name in ("words", "others")}
        made = layers.input_from_feature_columns(features, columns)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert sess.run(made).shape == (2, 7 + 3 + 2 + 2)


def test_a_shape_stands_before_its_tensor() -> None:
    with_shape = tf.contrib.framework.with_shape
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.placeholder(tf.float32, [None, 2])
        assert with_shape([3, 2], fed).shape.as_list() == [3, 2]
        assert sess.run(with_shape(tf.constant([1, 2]), fed), {fed: [[5, 6]]}).tolist() == [[5, 6]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape for tensor"):
            sess.run(with_shape(tf.constant([1, 2]), fed), {fed: [[5, 6], [7, 8]]})
        with pytest.raises(ValueError, match="Invalid shape for tensor known:0, expected"):
            with_shape([3], tf.constant([1, 2], name="known"))
