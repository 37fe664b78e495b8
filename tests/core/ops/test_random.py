"""Random ops: their distributions, and what the seeds promise."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.random import get_seed

COUNT = 100_000


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


# ---- distributions -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64], ids=str)
def test_normal(dtype: Any) -> None:
    drawn = run(tf.random_normal([COUNT], mean=3.0, stddev=2.0, dtype=dtype, seed=1))
    assert drawn.dtype == dtype.as_numpy_dtype
    wide = drawn.astype(np.float64)
    assert abs(wide.mean() - 3.0) < 0.03
    assert abs(wide.std() - 2.0) < 0.03
    assert (np.abs(wide - 3.0) > 4.0).mean() == pytest.approx(0.0455, abs=0.005)


def test_truncated_normal() -> None:
    drawn = run(tf.truncated_normal([COUNT], stddev=0.5, seed=1))
    assert np.abs(drawn).max() <= 1.0
    assert drawn.std() == pytest.approx(0.5 * 0.8796, abs=0.01)


def test_uniform() -> None:
    drawn = run(tf.random_uniform([COUNT], -1.0, 3.0, seed=1))
    assert (drawn >= -1.0).all() and (drawn < 3.0).all()
    assert drawn.mean() == pytest.approx(1.0, abs=0.02)
    assert drawn.std() == pytest.approx(4 / 12**0.5, abs=0.02)


def test_uniform_integers() -> None:
    drawn = run(tf.random_uniform([COUNT], 2, 7, dtype=tf.int64, seed=1))
    assert drawn.dtype == np.int64
    assert np.bincount(drawn)[2:] == pytest.approx([COUNT / 5] * 5, rel=0.05)


def test_shuffle() -> None:
    rows = np.arange(40).reshape(20, 2)
    drawn = run(tf.random_shuffle(rows, seed=1))
    assert drawn.tolist() != rows.tolist()
    assert sorted(drawn.tolist()) == rows.tolist()


def test_multinomial() -> None:
    logits = np.log([[0.1, 0.2, 0.7], [1.0, 1e-30, 1e-30]]).astype(np.float32)
    drawn = run(tf.multinomial(logits, COUNT, seed=1))
    assert (drawn.shape, drawn.dtype) == ((2, COUNT), np.int64)
    assert np.bincount(drawn[0]) / COUNT == pytest.approx([0.1, 0.2, 0.7], abs=0.01)
    assert not drawn[1].any()


def test_shapes_and_names() -> None:
    rows = tf.placeholder(tf.int32, [])
    drawn = tf.random_normal([rows, 2])
    assert drawn.shape.as_list() == [None, 2]
    assert drawn.name == "random_normal:0"
    assert drawn.op.inputs[0].op.inputs[0].op.type == "RandomStandardNormal"
    assert tf.random_uniform(tf.TensorShape([2])).name == "random_uniform:0"
    assert tf.truncated_normal([2], name="w").name == "w:0"
    assert run(tf.random_normal([])).shape == ()
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0 for 'random_normal_"):
        tf.random_normal(5)
    with pytest.raises(ValueError, match="Must specify maxval for integer dtype"):
        tf.random_uniform([2], dtype=tf.int32)


# ---- seeds -------------------------------------------------------------------------------


def test_seeds_follow_tensorflows_rule() -> None:
    assert get_seed(None) == (None, None)
    assert get_seed(7) == (87654321, 7)
    tf.set_random_seed(42)
    assert get_seed(7) == (42, 7)
    first = get_seed(None)
    tf.constant(1)
    second = get_seed(None)
    assert (first[0], second) == (42, (42, first[1] + 1))
    tf.set_random_seed(0)
    assert get_seed(0) == (0, 2**31 - 1)


@pytest.mark.parametrize(
    ("graph_seed", "op_seed", "repeats"),
    [(None, None, False), (None, 5, True), (42, None, True), (42, 5, True)],
)
def test_a_new_session_begins_again(graph_seed: Any, op_seed: Any, repeats: bool) -> None:
    if graph_seed is not None:
        tf.set_random_seed(graph_seed)
    drawn = tf.random_uniform([8], seed=op_seed)
    runs = []
    for _ in range(2):
        with tf.Session() as sess:
            runs.append([sess.run(drawn).tolist() for _ in range(2)])
    assert runs[0][0] != runs[0][1]
    assert (runs[0] == runs[1]) is repeats


def test_two_operations_draw_their_own_numbers() -> None:
    tf.set_random_seed(1)
    first, second = tf.random_normal([4]), tf.random_normal([4])
    a, b = run([first, second])
    assert a.tolist() != b.tolist()


def test_the_same_program_draws_the_same() -> None:
    drawn = []
    for _ in range(2):
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            tf.constant(1.0)
            drawn.append(run(tf.truncated_normal([4])).tolist())
    assert drawn[0] == drawn[1]


def test_threads_share_one_sequence() -> None:
    drawn = tf.random_uniform([], seed=1)
    with tf.Session() as sess:
        alone = {float(sess.run(drawn)) for _ in range(400)}
    with tf.Session() as sess, ThreadPoolExecutor(8) as pool:
        together = set(pool.map(lambda _: float(sess.run(drawn)), range(400)))
    assert together == alone


def test_an_empty_range_of_integers() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 5 >= 2"):
        run(tf.random_uniform([2], 5, 2, tf.int32))
