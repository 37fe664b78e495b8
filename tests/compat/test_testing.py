"""`tf.test.TestCase`: assertions pass on what agrees, fail on what differs; sessions, seeds."""

import unittest
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat import testing as test_case
from minitf.library.eager import context as eager


class _Case(tf.test.TestCase):
    def runTest(self) -> None:
        """Not run."""


@pytest.fixture
def case() -> Any:
    with tf.Graph().as_default():
        made = _Case()
        made.setUp()
        yield made
        made.tearDown()
        made.doCleanups()


Pair = namedtuple("Pair", "a b")

PASSES: list[Callable] = [
    lambda t: t.assertAllEqual(type(tf.constant(1)), tf.Tensor),
    lambda t: t.assertTrue(t._GetNdArray(tf.constant([True])).all()),
    lambda t: t.assertAllClose([1.0, 2.0], np.array([1.0, 2.0 + 1e-7])),
    lambda t: t.assertAllClose({"a": [1.0], "b": 2.0}, {"a": [1.0], "b": 2.0}),
    lambda t: t.assertAllClose([[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]]),
    lambda t: t.assertAllClose(Pair(1.0, [2.0]), Pair(1.0, [2.0])),
    lambda t: t.assertAllClose([np.nan, np.inf], [np.nan, np.inf]),
    lambda t: t.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0]),
    lambda t: t.assertAllClose([1.0], [1.05], rtol=0.1),
    lambda t: t.assertAllEqual([[1, 2]], tf.constant([[1, 2]])),
    lambda t: t.assertAllEqual([b"a", b"b"], ["a", "b"]),
    lambda t: t.assertAllEqual([np.nan], [np.nan]),
]

FAILS: list[Callable] = [
    lambda t: t.assertAllClose([1.0, 2.0], [1.0, 2.1]),
    lambda t: t.assertAllClose([1.0, 2.0], [1.0]),
    lambda t: t.assertAllClose({"a": 1.0}, {"b": 1.0}),
    lambda t: t.assertAllClose({"a": [1.0, {"c": 2.0}]}, {"a": [1.0, {"c": 2.5}]}),
    lambda t: t.assertAllClose({"a": 1.0}, [1.0]),
    lambda t: t.assertAllClose([np.nan], [1.0]),
    lambda t: t.assertAllEqual([1, 2], [1, 3]),
    lambda t: t.assertAllEqual([1, 2], [[1, 2]]),
    lambda t: t.assertAllEqual([b"a"], ["b"]),
]


@pytest.mark.parametrize("assertion", PASSES)
def test_what_agrees(case: Any, assertion: Callable) -> None:
    assertion(case)


@pytest.mark.parametrize("assertion", FAILS)
def test_what_differs(case: Any, assertion: Callable) -> None:
    with pytest.raises(AssertionError):
        assertion(case)


def test_sessions(case: Any) -> None:
    x = tf.constant(3)
    with case.session() as first, case.session() as second:
        assert first is not second
        assert tf.get_default_session() is second
        assert x.eval() == 3
        assert tf.constant(1).device == "/device:CPU:0"
    with case.cached_session() as kept:
        pass
    with case.test_session() as again:
        assert again is kept
    with pytest.raises(ValueError, match="The force_gpu used to get the cached session"):
        with case.cached_session(force_gpu=True):
            pass
    other = tf.Graph()
    with case.test_session(graph=other):
        assert tf.get_default_graph() is other
    assert case.evaluate({"x": x, "y": [x + 1, (x + 2,)]}) == {"x": 3, "y": [4, (5,)]}
    with eager.eager_mode():
        assert case.evaluate([tf.constant(1), 2]) == [1, 2]


def test_every_test_has_the_same_random_numbers(case: Any) -> None:
    def draws() -> list:
        case.setUp()
        with tf.Graph().as_default():
            tf.set_random_seed(test_case.RANDOM_SEED)
            drawn = np.random.rand()  # noqa: NPY002
            return [drawn, float(case.evaluate(tf.random_uniform([])))]

    assert draws() == draws()


# ---- gradients ----------------------------------------------------------------------------------


def test_ragged_tensors_compare_as_lists() -> None:
    class Ragged(tf.test.TestCase):
        def runTest(self) -> None:
            rows = tf.ragged.constant([[1, 2], [], [3]])
            self.assertAllEqual(rows, [[1, 2], [], [3]])
            self.assertAllClose(rows * 2, tf.ragged.constant([[2, 4], [], [6]]))
            self.assertAllClose(self.evaluate(rows), rows)
            with self.assertRaises(AssertionError):
                self.assertAllEqual(rows, [[1], [2], [3]])

    result = unittest.TestResult()
    Ragged().run(result)
    assert result.wasSuccessful(), result.errors + result.failures


def test_servers_share_the_variables_of_a_parameter_server() -> None:
    pytest.importorskip("distributed", reason="Dask distributed is not installed")
    workers, ps = tf.test.create_local_cluster(num_workers=2, num_ps=1)
    assert (len(workers), len(ps)) == (2, 1)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            shared = tf.Variable(1, name="shared")
        more = shared.assign_add(1)
        with tf.Session(workers[0].target) as first, tf.Session(workers[1].target) as second:
            first.run(shared.initializer)
            first.run(more)
            assert second.run(shared) == 2
