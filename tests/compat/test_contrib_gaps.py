"""Names of `tf.contrib` that few programs call: columns, settings, failures, examples."""

import numpy as np
import pytest

import minitf as tf

layers, training, util = tf.contrib.layers, tf.contrib.training, tf.contrib.util


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_columns_are_checked_and_transform_features(sess) -> None:
    age = layers.real_valued_column("age")
    bucket = layers.bucketized_column(age, [2.0, 4.0])
    word = layers.sparse_column_with_keys("word", ["a", "b"])
    made = layers.transform_features(
        {"age": tf.constant([[1.0], [5.0]]), "word": tf.constant([["b"], ["a"]])},
        [word, bucket, age],
    )
    assert set(made) == {word, bucket, age}
    sess.run(tf.tables_initializer())
    assert sess.run(made[bucket]).tolist() == [[0], [2]]
    assert sess.run(made[age]).tolist() == [[1.0], [5.0]]
    assert sess.run(made[word]).values.tolist() == [1, 0]
    with pytest.raises(ValueError, match="Duplicate feature column key found for column: age"):
        layers.check_feature_columns([age, bucket, layers.real_valued_column("age")])
    with pytest.raises(ValueError, match="found dict"):
        layers.check_feature_columns({"age": age})


def test_columns_that_features_tell(sess) -> None:
    matrix, ids = tf.placeholder(tf.float64, [None, 2, 3]), tf.constant([[1], [2]])
    [column] = layers.infer_real_valued_columns(matrix)
    assert column.shape == (6,) and column.dtype == tf.float64
    found = layers.infer_real_valued_columns({"z": matrix, "ids": ids})
    assert [(each.key, each.dtype) for each in found] == [("z", tf.float64), ("ids", tf.int32)]
    with pytest.raises(ValueError, match="Non integer or non floating types are not supported"):
        layers.infer_real_valued_columns(tf.constant(["a"]))
    with pytest.raises(ValueError, match="SparseTensor is not supported"):
        layers.infer_real_valued_columns({"s": tf.SparseTensor([[0]], [1.0], [1])})


def test_placeholders_of_columns(sess) -> None:
    columns = [
        layers.real_valued_column("age", 2),
        layers.sparse_column_with_hash_bucket("word", 10),
    ]
    made = layers.make_place_holder_tensors_for_base_features(columns)
    assert made["age"].shape.as_list() == [None, 2] and made["age"].op.name == "Placeholder_age"
    assert isinstance(made["word"], tf.SparseTensor) and made["word"].dtype == tf.string


def test_columns_read_sequences(sess) -> None:
    example = tf.train.SequenceExample()
    example.context.feature["age"].float_list.value.append(3.0)
    for step in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        example.feature_lists.feature_list["x"].feature.add().float_list.value.extend(step)
    context, steps = layers.parse_feature_columns_from_sequence_examples(
        example.SerializeToString(),
        [layers.real_valued_column("age")],
        [layers.real_valued_column("x", 2)],
    )
    assert sess.run(context["age"]).tolist() == [3.0]
    assert sess.run(steps["x"]).tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert (
        layers.parse_feature_columns_from_sequence_examples(
            example.SerializeToString(), [layers.real_valued_column("age")], None
        )[1]
        == {}
    )


def test_settings_are_read_without_an_object() -> None:
    kinds = {"rate": float, "units": int, "on": bool}
    got = training.parse_values("rate=.5, units=[8,4],on=true", kinds)
    assert got == {"rate": 0.5, "units": [8, 4], "on": True}
    assert training.parse_values("units[2]=7,units[0]=1", kinds) == {"units": {2: 7, 0: 1}}
    assert training.parse_values("x=1,rate=2", kinds, ignore_unknown=True) == {"rate": 2.0}
    for text, message in [
        ("x=1", "Unknown hyperparameter type for x"),
        ("rate=1,rate=2", "Multiple assignments to variable 'rate'"),
        ("rate=1,rate[0]=2", "Multiple assignments to variable 'rate'"),
        ("units[1]=1,units[1]=2", r"Multiple assignments to variable 'units\[1\]'"),
        ("rate=fast", "Could not parse hparam"),
        ("=1", "Malformed hyperparameter value: =1"),
    ]:
        with pytest.raises(ValueError, match=message):
            training.parse_values(text, kinds)
    settings = training.HParams(units=[1, 2], rate=0.1).parse("units[3]=9,rate=1")
    assert settings.units == [1, 2, None, 9] and settings.rate == 1.0


def test_examples_of_arrays() -> None:
    made = util.create_example(
        ids=np.array([[1, 2], [3, 4]]), rate=0.5, words=["a", "\u00e9"], raw=np.array([b"\xff"])
    ).features.feature
    assert made["ids"].int64_list.value == [1, 2, 3, 4]
    assert made["rate"].float_list.value == [0.5]
    assert made["words"].bytes_list.value == [b"a", "\u00e9".encode()]
    assert made["raw"].bytes_list.value == [b"\xff"]
    with pytest.raises(ValueError, match='Feature "x" has unexpected dtype: bool'):
        util.create_example(x=True)


def test_types_of_operations_of_a_graph() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        tf.while_loop(lambda y: y < 3.0, lambda y: tf.sqrt(y) * 2.0, [x])
    used = util.ops_used_by_graph_def(graph.as_graph_def())
    assert {"Placeholder", "Const", "Sqrt", "Mul", "Less"} <= set(used)
    assert len(used) == len(set(used)) and "Tanh" not in used
