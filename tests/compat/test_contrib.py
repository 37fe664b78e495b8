"""What `tf.contrib` has of its own: settings, vocabularies, argument scopes, k-means."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import minitf as tf

contrib = tf.contrib


# ---- HParams ------------------------------------------------------------------------------------


def _hparams() -> contrib.training.HParams:
    return contrib.training.HParams(rate=0.1, steps=5, units=[64, 32], name="mlp", bias=True)


def test_hparams_are_attributes_that_keep_their_type() -> None:
    hparams = _hparams()
    assert (hparams.rate, hparams.units, hparams.get("none", 3)) == (0.1, [64, 32], 3)
    assert "rate" in hparams and "none" not in hparams
    hparams.set_hparam("rate", 1)
    assert hparams.rate == 1.0 and isinstance(hparams.rate, float)
    hparams.override_from_dict({"steps": 7, "units": [1]})
    hparams.parse_json('{"name": "cnn"}')
    assert json.loads(hparams.to_json()) == hparams.values()
    assert hparams.values() == {"rate": 1.0, "steps": 7, "units": [1], "name": "cnn", "bias": True}


def test_hparams_read_a_text() -> None:
    hparams = _hparams().parse("rate=0.3,units=[128, 16,8],name=a b,bias=false,steps=9")
    assert hparams.values() == {
        "rate": 0.3,
        "steps": 9,
        "units": [128, 16, 8],
        "name": "a b",
        "bias": False,
    }
    assert hparams.parse("units[1]=5").units == [128, 5, 8]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rates=1", "Unknown hyperparameter type for rates"),
        ("steps=1.5", 'Could not parse hparam "steps" of type "int" with value "1.5"'),
        ("rate", "Malformed hyperparameter value: rate"),
        ("units=3", "Must pass a list for multi-valued parameter: units."),
        ("rate=[1,2]", "Must not pass a list for single-valued parameter: rate"),
    ],
)
def test_hparams_refuse(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        _hparams().parse(text)
    assert message in str(caught.value)


def test_hparams_refuse_a_value_of_another_type() -> None:
    for name, value in (("steps", 1.5), ("steps", "1"), ("bias", 1), ("name", 3), ("steps", True)):
        with pytest.raises(ValueError, match="Could not cast hparam"):
            _hparams().set_hparam(name, value)
    with pytest.raises(ValueError, match="Hyperparameter name is reserved: parse"):
        contrib.training.HParams(parse=1)


# ---- vocabularies -------------------------------------------------------------------------------


def test_a_vocabulary_numbers_words_as_they_come(tmp_path: Path) -> None:
    processor = contrib.learn.preprocessing.VocabularyProcessor(4)
    rows = np.array(list(processor.fit_transform(["the cat sat", "a dog, the dog saw it's me"])))
    np.testing.assert_array_equal(rows, [[1, 2, 3, 0], [4, 5, 1, 5]])
    assert rows.dtype == np.int64
    assert len(processor.vocabulary_) == 9
    np.testing.assert_array_equal(list(processor.transform(["the bird"])), [[1, 0, 0, 0]])
    assert list(processor.reverse([[1, 2, 0]])) == ["the cat <UNK>"]
    processor.save(str(tmp_path / "vocabulary"))
    again = type(processor).restore(str(tmp_path / "vocabulary"))
    np.testing.assert_array_equal(list(again.transform(["dog sat"])), [[5, 3, 0, 0]])
    assert pickle.loads(pickle.dumps(processor)).vocabulary_.get("cat") == 2


def test_rare_words_are_left_out() -> None:
    processor = contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    processor.fit(["b a a", "b b c"])
    assert processor.vocabulary_._mapping == {"<UNK>": 0, "b": 1, "a": 2}


# ---- argument scopes ----------------------------------------------------------------------------


def test_argument_scopes_nest_and_can_be_opened_again() -> None:
    framework = contrib.framework

    @framework.add_arg_scope
    def f(x: int, a: int = 1, b: int = 2) -> tuple:
        """A function."""
        return x, a, b

    assert f.__doc__ == "A function." and framework.arg_scoped_arguments(f) == ("a", "b")
    with framework.arg_scope([f], a=10) as scope:
        with framework.arg_scope([f], b=20):
            assert f(0) == (0, 10, 20)
            assert f(0, b=3) == (0, 10, 3)
        assert f(0) == (0, 10, 2)
    assert f(0) == (0, 1, 2)
    with framework.arg_scope(scope):
        assert f(0) == (0, 10, 2)
    with pytest.raises(ValueError, match="not decorated"), framework.arg_scope([len], a=1):
        pass
    with pytest.raises(TypeError, match="list/tuple or reused scope"), framework.arg_scope(f, a=1):
        pass


# ---- variables ----------------------------------------------------------------------------------


def test_variables_are_found_and_filled() -> None:
    framework = contrib.framework
    with tf.variable_scope("net"):
        weights = framework.model_variable("weights", [2], initializer=tf.zeros_initializer())
        bias = framework.variable("bias", [1], initializer=tf.zeros_initializer(), trainable=False)
    local = framework.local_variable(1.0, name="local")
    assert framework.get_model_variables() == [weights]
    assert framework.get_variables("net") == [weights, bias]
    assert framework.get_variables(suffix="bias") == [bias]
    assert framework.get_variables_by_name("weights") == [weights]
    assert framework.get_trainable_variables() == [weights]
    assert framework.get_local_variables() == [local]
    assert framework.get_variables_to_restore(exclude=["net/bias"]) == [weights]
    assert framework.filter_variables([weights, bias], exclude_patterns=["b.as"]) == [weights]
    assert framework.get_unique_variable("net/bias") is bias
    with tf.Session() as sess:
        framework.assign_from_values_fn({"net/weights": [1, 2], "net/bias": [3]})(sess)
        np.testing.assert_array_equal(sess.run(weights), [1, 2])
        np.testing.assert_array_equal(sess.run(bias), [3])


def test_variables_come_from_a_checkpoint(tmp_path: Path) -> None:
    framework = contrib.framework
    first = tf.Variable([1.0, 2.0], name="first")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    second = tf.Variable([0.0, 0.0], name="second")
    with pytest.raises(ValueError, match=r"Checkpoint is missing variable \[second\]"):
        framework.assign_from_checkpoint(path, [second])
    with tf.Session() as sess:
        sess.run(*framework.assign_from_checkpoint(path, {"first": second}))
        np.testing.assert_array_equal(sess.run(second), [1, 2])
        restore = framework.assign_from_checkpoint_fn(path, [first, second], True)
        restore(sess)
        np.testing.assert_array_equal(sess.run(first), [1, 2])


# ---- k-means ------------------------------------------------------------------------------------

CENTERS = np.float32([[0, 0], [10, 0], [0, 10], [10, 10]])


def _points() -> np.ndarray:
    rng = np.random.RandomState(0)
    return np.concatenate([c + rng.normal(size=(50, 2)) for c in CENTERS]).astype(np.float32)


@pytest.mark.parametrize("start", ["kmeans_plus_plus", "kmc2", CENTERS + 1])
@pytest.mark.parametrize(
    "options",
    [{}, {"use_mini_batch": True}, {"use_mini_batch": True, "mini_batch_steps_per_iteration": 2}],
)
def test_kmeans_finds_the_clusters(start: object, options: dict) -> None:
    points = tf.placeholder(tf.float32, [None, 2])
    kmeans = contrib.factorization.KMeans(points, 4, initial_clusters=start, **options)
    all_scores, index, scores, initialized, init_op, train_op = kmeans.training_graph()
    feed = {points: _points()}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert not sess.run(initialized)
        sess.run(init_op, feed)
        assert sess.run(initialized)
        for _ in range(10):
            sess.run(train_op, feed)
        found, distances, nearest, centers = sess.run(
            [index[0], all_scores[0], scores[0], tf.global_variables()[0]], feed
        )
    assert sorted(np.bincount(found)) == [50] * 4
    by_hand = np.square(_points()[:, None] - centers[None]).sum(axis=2)
    np.testing.assert_allclose(distances, by_hand, atol=1e-3)
    np.testing.assert_allclose(nearest, by_hand.min(axis=1), atol=1e-3)
    means = np.sort([_points()[found == k].mean(axis=0) for k in range(4)], axis=0)
    np.testing.assert_allclose(np.sort(centers, axis=0), means, atol=0.2)


def test_cosine_distance_looks_at_directions_only() -> None:
    points = tf.constant([[1.0, 0.1], [9.0, 1.0], [0.0, 5.0], [0.1, 1.0]])
    kmeans = contrib.factorization.KMeans(
        points, 2, initial_clusters=[[1.0, 0.0], [0.0, 1.0]], distance_metric="cosine"
    )
    _, index, scores, _, init_op, train_op = kmeans.training_graph()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(init_op)
        sess.run(train_op)
        np.testing.assert_array_equal(sess.run(index[0]), [0, 0, 1, 1])
        assert sess.run(scores[0]).max() < 0.01


def test_iris() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    iris = contrib.learn.datasets.load_dataset("iris")
    assert iris.data.shape == (150, 4) and set(iris.target) == {0, 1, 2}
    with pytest.raises(ValueError, match="not found: nowhere"):
        contrib.learn.datasets.load_dataset("nowhere")


def test_csv_files(tmp_path: Path) -> None:
    base = contrib.learn.datasets.base
    (tmp_path / "with").write_text("2,2,a,b\n1.5,2,0\n3,4,1\n")
    (tmp_path / "without").write_text("1.5,2,0\n3,4,1\n")
    for data in (
        base.load_csv_with_header(str(tmp_path / "with"), np.int64, np.float32),
        base.load_csv_without_header(str(tmp_path / "without"), np.int64, np.float32),
    ):
        np.testing.assert_array_equal(data.data, [[1.5, 2], [3, 4]])
        np.testing.assert_array_equal(data.target, [0, 1])
        assert (data.data.dtype, data.target.dtype) == (np.float32, np.int64)


def test_operations_between_two_nodes_become_one() -> None:
    with tf.Graph().as_default() as graph:
        x, y = tf.placeholder(tf.float32, [2], "x"), tf.placeholder(tf.float32, [2], "y")
        product = tf.multiply(tf.add(x, y, "sum"), x, "product")
        tf.exp(tf.negative(product, "out"), "after")
    before = graph.as_graph_def()
    fused = contrib.framework.fuse_op(
        before, ["x", "y"], ["out"], [tf.float32.as_datatype_enum], False, "both", "SumTimes"
    )
    assert [(n.name, n.op, list(n.input)) for n in fused.node] == [
        ("x", "Placeholder", []),
        ("y", "Placeholder", []),
        ("both", "SumTimes", ["x", "y"]),
        ("out", "Neg", ["both"]),
        ("after", "Exp", ["out"]),
    ]
    assert list(fused.node[2].attr["_output_types"].list.type) == [1]
    assert before == graph.as_graph_def()
    with pytest.raises(TypeError, match="Node product uses input x not in input_nodes"):
        contrib.framework.fuse_op(before, ["sum"], ["out"], [1], False, "f", "F")
    with pytest.raises(AssertionError, match="z is not in graph"):
        contrib.framework.fuse_op(before, ["z"], ["out"], [1], False, "f", "F")
    with pytest.raises(TypeError, match="input_nodes must be a list"):
        contrib.framework.fuse_op(before, "x", ["out"], [1], False, "f", "F")
