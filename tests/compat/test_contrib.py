"""What `tf.contrib` has of its own: settings, vocabularies, k-means, structures, Inception."""

import collections
import pickle
from pathlib import Path

import numpy as np
import pytest

import minitf as tf

contrib = tf.contrib


# ---- HParams ------------------------------------------------------------------------------------


def _hparams() -> contrib.training.HParams:
    return contrib.training.HParams(rate=0.1, steps=5, units=[64, 32], name="mlp", bias=True)


def test_hparams_read_a_text() -> None:
    hparams = _hparams().parse("rate=0.3,units=[128, 16,8],name=a b,bias=false,steps=9")
    assert hparams.values() == {
        "rate": 0.3,
        "steps": 9,
        "units": [128, 16, 8],
        "name": "a b",
        "bias": False,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rates=1", "Unknown hyperparameter type for rates"),
        ("steps=1.5", 'Could not parse hparam "steps" of type "int" with value "1.5"'),
        ("rate", "Malformed hyperparameter value: rate"),
        ("rate=1,rate=2", "Multiple assignments to variable 'rate'"),
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
    processor.save(str(tmp_path / "vocabulary"))
    again = type(processor).restore(str(tmp_path / "vocabulary"))
    np.testing.assert_array_equal(list(again.transform(["dog sat"])), [[5, 3, 0, 0]])
    assert pickle.loads(pickle.dumps(processor)).vocabulary_.get("cat") == 2


def test_rare_words_are_left_out() -> None:
    processor = contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    processor.fit(["b a a", "b b c"])
    assert processor.vocabulary_._mapping == {"<UNK>": 0, "b": 1, "a": 2}


# ---- k-means ------------------------------------------------------------------------------------

CENTERS = np.float32([[0, 0], [10, 0], [0, 10], [10, 10]])


def _points() -> np.ndarray:
    rng = np.random.RandomState(0)
    return np.concatenate([c + rng.normal(size=(50, 2)) for c in CENTERS]).astype(np.float32)


@pytest.mark.parametrize("use_mini_batch", [False, True])
def test_kmeans_finds_the_clusters(use_mini_batch: bool) -> None:
    points = tf.placeholder(tf.float32, [None, 2])
    kmeans = contrib.factorization.KMeans(
        points, 4, initial_clusters=CENTERS + 1, use_mini_batch=use_mini_batch
    )
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


nest = contrib.framework.nest
Pair = collections.namedtuple("Pair", "a b")


def test_namedtuples_declared_alike_are_of_one_kind():
    nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Pair", "a b")(3, 4))
    with pytest.raises(TypeError, match="have the same sequence type"):
        nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Other", "a b")(3, 4))
    with pytest.raises(ValueError, match='Substructure "type=tuple str=.1, 2." is a sequence'):
        nest.assert_same_structure(((1, 2), 3, 4), ("x", "y"))


def test_bytes_reach_python_whole() -> None:
    with tf.Session() as sess:
        back = tf.py_func(lambda text: text, [tf.constant(b"ab\0")], tf.string)
        assert sess.run(back) == b"ab\0"


def test_averages_follow_the_step_that_they_wait_for() -> None:
    weight = tf.Variable(1.0)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(2 * weight)
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([step]):
        follow = average.apply([weight])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(follow)
        assert sess.run([weight, average.average(weight)]) == [0.0, 0.5]


# ---- Inception --------------------------------------------------------------------------------

slim = contrib.slim


def test_inception() -> None:
    nets = slim.nets.inception_v3
    with slim.arg_scope(nets.inception_v3_arg_scope()):
        _, end_points = nets.inception_v3(tf.placeholder(tf.float32, [1, 299, 299, 3]))
    variables = [v for v in slim.get_model_variables() if "Logits" not in v.name]
    parameters = sum(v.shape.num_elements() for v in variables)
    assert (parameters, len(end_points)) == (21802784, 22)  # as TensorFlow's own test says
    assert end_points["Mixed_7c"].shape.as_list()[1:3] == [8, 8]


def test_inception_small_images() -> None:
    images = tf.zeros([2, 150, 150, 3])
    with slim.arg_scope(slim.nets.inception_v3.inception_v3_arg_scope()):
        logits, points = slim.nets.inception_v3.inception_v3(images, 7)
    assert logits.shape == [2, 7] and points["Mixed_7c"].shape == [2, 3, 3, 2048]
