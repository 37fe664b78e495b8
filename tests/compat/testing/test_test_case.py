"""`tf.test.TestCase`: assertions pass on what agrees, fail on what differs; sessions, seeds."""

import subprocess
import sys
import unittest
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.testing import test_case
from minitf.library.eager import context as eager

PROGRAM = """\
import tensorflow as tf
from tensorflow.python.framework import test_util
from tensorflow.python.platform import test

class FirstTest(test.TestCase):

  @test_util.run_in_graph_and_eager_modes
  def testBoth(self):
    self.assertAllEqual(self.evaluate(tf.square([2, 3])), [4, 9])
    print('eager' if tf.executing_eagerly() else 'graph')

  @test_util.run_v1_only('b/120545219')
  def testSession(self):
    with self.session(use_gpu=True):
      self.assertEqual(tf.constant(3).eval(), 3)

  @test_util.run_v2_only
  def testLater(self):
    self.fail()

  def testWrong(self):
    self.assertAllClose([1., 2.], [1., 3.])

if __name__ == '__main__':
  test.main()
"""


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
    lambda t: t.assertNotAllClose([1.0], [1.1]),
    lambda t: t.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.001])),
    lambda t: t.assertAllEqual([[1, 2]], tf.constant([[1, 2]])),
    lambda t: t.assertAllEqual([b"a", b"b"], ["a", "b"]),
    lambda t: t.assertAllEqual([np.nan], [np.nan]),
    lambda t: t.assertNotAllEqual([1, 2], [1, 3]),
    lambda t: t.assertAllGreater([1, 2], 0),
    lambda t: t.assertAllLessEqual([1, 2], 2),
    lambda t: t.assertAllInRange([1.0, 2.0], 1.0, 2.0),
    lambda t: t.assertAllInSet(tf.constant([1, 2, 1]), {1, 2, 3}),
    lambda t: t.assertNear(1.0, 1.1, 0.2),
    lambda t: t.assertArrayNear([1.0], [1.1], 0.2),
    lambda t: t.assertNDArrayNear(np.ones(2), np.ones(2), 0.1),
    lambda t: t.assertShapeEqual(np.zeros((2, 3)), tf.zeros([2, 3])),
    lambda t: t.assertDTypeEqual(tf.zeros([2]), np.float32),
    lambda t: t.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    lambda t: t.assertStartsWith("abc", "ab"),
    lambda t: t.assertLen([1, 2], 2),
    lambda t: t.assertEmpty([]),
    lambda t: t.assertItemsEqual([1, 2], [2, 1]),
    lambda t: t.assertSameElements([1, 2, 2], [2, 1]),
    lambda t: t.assertBetween(1, 0, 2),
]

FAILS: list[Callable] = [
    lambda t: t.assertAllClose([1.0, 2.0], [1.0, 2.1]),
    lambda t: t.assertAllClose([1.0, 2.0], [1.0]),
    lambda t: t.assertAllClose({"a": 1.0}, {"b": 1.0}),
    lambda t: t.assertAllClose({"a": [1.0, {"c": 2.0}]}, {"a": [1.0, {"c": 2.5}]}),
    lambda t: t.assertAllClose({"a": 1.0}, [1.0]),
    lambda t: t.assertAllClose([np.nan], [1.0]),
    lambda t: t.assertNotAllClose([1.0], [1.0]),
    lambda t: t.assertAllCloseAccordingToType(np.float32([1.0]), np.float32([1.001])),
    lambda t: t.assertAllEqual([1, 2], [1, 3]),
    lambda t: t.assertAllEqual([1, 2], [[1, 2]]),
    lambda t: t.assertAllEqual([b"a"], ["b"]),
    lambda t: t.assertNotAllEqual([1], [1]),
    lambda t: t.assertAllGreater([1, 0], 0),
    lambda t: t.assertAllLess([1, 2], 2),
    lambda t: t.assertAllGreaterEqual([1, 2], 2),
    lambda t: t.assertAllInRange([1.0, 2.0], 1.0, 2.0, open_upper_bound=True),
    lambda t: t.assertAllInSet([1, 4], {1, 2, 3}),
    lambda t: t.assertNear(1.0, 1.3, 0.2),
    lambda t: t.assertNDArrayNear(np.ones(2), np.zeros(2), 0.1),
    lambda t: t.assertShapeEqual(np.zeros((2, 3)), tf.zeros([3, 2])),
    lambda t: t.assertDTypeEqual(tf.zeros([2]), np.float64),
    lambda t: t.assertDeviceEqual("/cpu:0", "/cpu:1"),
    lambda t: t.assertStartsWith("abc", "b"),
    lambda t: t.assertLen([1], 2),
    lambda t: t.assertBetween(3, 0, 2),
]


@pytest.mark.parametrize("assertion", PASSES)
def test_what_agrees(case: Any, assertion: Callable) -> None:
    assertion(case)


@pytest.mark.parametrize("assertion", FAILS)
def test_what_differs(case: Any, assertion: Callable) -> None:
    with pytest.raises(AssertionError):
        assertion(case)


def test_errors_are_matched(case: Any) -> None:
    def fail() -> None:
        with case.session() as sess:
            sess.run(tf.gather([1.0, 2.0], tf.constant([5])))

    with case.assertRaisesOpError(r"indices\[0\] = 5 is not in \[0, 2\)"):
        fail()
    with case.assertRaisesWithPredicateMatch(tf.errors.OpError, lambda e: e.error_code == 3):
        fail()
    with pytest.raises(AssertionError), case.assertRaisesOpError("something else"):
        fail()
    with pytest.raises(AssertionError, match="OpError not raised"), case.assertRaisesOpError(""):
        pass
    with case.assertRaisesRegexp(ValueError, "Dimensions must be equal"):
        tf.matmul([[1.0]], [[1.0], [2.0]])


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


def test_threads_tell_their_failures(case: Any) -> None:
    thread = case.checkedThread(target=lambda: 1 / 0)
    thread.start()
    with pytest.raises(AssertionError, match="division by zero"):
        thread.join()
    thread = case.checkedThread(target=lambda x: x, args=(1,))
    thread.start()
    thread.join()


def test_folders_and_streams(case: Any) -> None:
    folder = Path(case.get_temp_dir())
    assert folder.is_dir() and case.get_temp_dir() == str(folder)
    case.doCleanups()
    assert not folder.exists()
    assert Path(tf.test.get_temp_dir()).is_dir()
    with case.captureWritesToStream(sys.stderr) as stream:
        print("a line", file=sys.stderr)
    assert stream.contents() == "a line\n"


def test_a_program_of_tests(tmp_path: Path) -> None:
    (tmp_path / "first_test.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "minitf", "first_test.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stdout == "graph\neager\n"
    assert "FAIL: testWrong" in done.stderr
    assert "Ran 5 tests" in done.stderr
    assert "FAILED (failures=1, skipped=2)" in done.stderr


def test_parameters_of_abseil(tmp_path: Path) -> None:
    pytest.importorskip("absl.testing", reason="absl-py is not installed")
    (tmp_path / "parameters_test.py").write_text(
        "import tensorflow as tf\n"
        "from absl.testing import parameterized\n"
        "class FirstTest(parameterized.TestCase, tf.test.TestCase):\n"
        "  def setUp(self):\n"
        "    self.one = 1\n"
        "  @parameterized.parameters(1, 2)\n"
        "  def testError(self, n):\n"
        "    with self.assertRaisesOpError('is not in'):\n"
        "      self.evaluate(tf.gather([1.], tf.constant([n])))\n"
        "if __name__ == '__main__':\n"
        "  tf.test.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "minitf", "parameters_test.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Ran 3 tests" in done.stderr and "OK (skipped=1)" in done.stderr, done.stderr


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
