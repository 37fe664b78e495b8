"""Names of `tf.contrib` that few programs call: columns, settings, failures, examples."""

import numpy as np
import pytest

import minitf as tf
from minitf.compat.contrib import failures
from minitf.core.variables.partitioned import PartitionInfo

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


def test_failures_are_forgiven_ever_later(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, now = [], [100.0]

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(failures.time, "sleep", sleep)
    monkeypatch.setattr(failures.time, "time", lambda: now[0])
    aborted = tf.errors.AbortedError(None, None, "gone")
    tolerator = training.FailureTolerator(limit=3, init_delay=1.0, forgive_after_seconds=50)
    for _ in range(2):
        with tolerator.forgive():
            raise aborted
    with pytest.raises(tf.errors.AbortedError), tolerator.forgive():
        raise aborted
    assert pauses == [1.0, 2.0]
    now[0] += 60.0
    with tolerator.forgive():
        raise aborted
    assert pauses == [1.0, 2.0]
    with pytest.raises(KeyError), tolerator.forgive():
        raise KeyError("another")


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


@pytest.fixture
def old_matrix(tmp_path, sess) -> dict:
    """A checkpoint of [3, 3] numbers, and vocabularies of its rows and columns, old and new."""
    old = tf.get_variable("old", initializer=np.arange(9, dtype=np.float32).reshape(3, 3))
    sess.run(old.initializer)
    path = tf.train.Saver([old]).save(sess, str(tmp_path / "model"))
    words = {
        "old_row": "mercury venus mars",
        "new_row": "venus jupiter mercury",
        "old_col": "good better best",
        "new_col": "good best fantastic",
    }
    files = {}
    for name, text in words.items():
        (tmp_path / name).write_text("\n".join(text.split()) + "\n")
        files[f"{name}_vocab_file"] = str(tmp_path / name)
    return {"ckpt_path": [path], "old_tensor_name": "old", **files}


def test_matrices_come_word_by_word(sess, old_matrix) -> None:
    """The example of TensorFlow's documentation: what is missing counts on from 1."""
    count = [0]

    def natural(shape, dtype=None, partition_info=None):
        first, count[0] = count[0] + 1, count[0] + int(np.prod(shape))
        return tf.reshape(tf.range(first, count[0] + 1.0), shape)

    sizes = {"new_row_vocab_size": 3, "new_col_vocab_size": 3}
    make = tf.contrib.framework.load_and_remap_matrix_initializer
    got = make(**old_matrix, **sizes, initializer=natural)([3, 3])
    assert sess.run(got).tolist() == [[3, 5, 1], [2, 3, 4], [0, 2, 5]]
    count[0] = 0
    wider = {"num_row_oov_buckets": 2, "num_col_oov_buckets": 1, "initializer": natural}
    assert sess.run(make(**old_matrix, **sizes, **wider)([5, 4])).tolist() == [
        [3, 5, 1, 12], [2, 3, 4, 13], [0, 2, 5, 14], [6, 7, 8, 15], [9, 10, 11, 16]
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"\(3\) \+ num_col_oov_buckets \(0\) = 3, but received"):
        make(**old_matrix, **sizes)([3, 4])
    with pytest.raises(ValueError, match="Trying to initialize 4 additional rows after 0 rows"):
        make(**old_matrix, **sizes)([4, 3])
    with pytest.raises(TypeError, match="only float32"):
        make(**old_matrix, **sizes)([3, 3], tf.float64)
    with pytest.raises(ValueError, match="new_row_vocab_file must both be specified"):
        make(**{**old_matrix, "new_row_vocab_file": None}, **sizes)([3, 3])
    with pytest.raises(TypeError, match="initializer must be callable"):
        make(**old_matrix, **sizes, initializer=3)


def test_parts_of_an_embedding_come_word_by_word(sess, old_matrix) -> None:
    def given(shape, dtype=None, partition_info=None):
        return tf.fill(shape, 42.0)

    path, new, old = (
        old_matrix[k] for k in ("ckpt_path", "new_row_vocab_file", "old_row_vocab_file")
    )
    make = tf.contrib.framework.load_embedding_initializer(
        path, "old", 3, 3, old, new, num_oov_buckets=2, initializer=given
    )
    whole = tf.get_variable(
        "whole", [5, 3], initializer=make, partitioner=tf.fixed_size_partitioner(2)
    )
    slot = tf.contrib.framework.load_variable_slot_initializer(
        path, "old", PartitionInfo([5, 3], [1, 0]), 3, 3,
        old_row_vocab_file=old, new_row_vocab_file=new, num_row_oov_buckets=2, initializer=given,
    )  # fmt: skip
    drawn = tf.contrib.framework.load_embedding_initializer(path, "old", 3, 3, old, new)([3, 3])
    sess.run(tf.global_variables_initializer())
    wanted = [[3, 4, 5], [42] * 3, [0, 1, 2], [42] * 3, [42] * 3]
    assert sess.run(whole.as_tensor()).tolist() == wanted
    assert sess.run(slot([3, 3])).tolist() == wanted[1:4]
    fresh = sess.run(drawn)
    assert fresh[0].tolist() == [3, 4, 5] and 0 < abs(fresh[1]).max() < 2
