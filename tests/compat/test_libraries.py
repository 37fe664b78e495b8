"""Names of TensorFlow's insides that libraries of 2019 are built on."""

import importlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensorflow import alias
from tests.graphs import graph as graph


@pytest.fixture(autouse=True)
def _tensorflow(monkeypatch: Any) -> Any:
    alias.install()
    yield
    alias.uninstall()


def _module(name: str) -> Any:
    return importlib.import_module(f"tensorflow.{name}")


def test_compat_v2_has_the_arguments_of_version_2() -> None:
    v2 = _module("compat.v2")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        shown = sess.run(
            [v2.shape(x, tf.int64), v2.zeros_like(input=x), v2.reduce_sum(x, -1, True, "s")]
            + [v2.where([True, False], x, 0.0), v2.pad([1], [[0, 1]], "CONSTANT", 7)]
        )
    assert shown[0].dtype == np.int64 and shown[2].tolist() == [[3.0], [7.0]]
    assert shown[3].tolist() == [[1.0, 0.0], [3.0, 0.0]] and shown[4].tolist() == [1, 7]
    assert v2.optimizers.Adam is tf.keras.optimizers.Adam


def test_solving_where_batches_differ() -> None:
    util = _module("python.ops.linalg.linear_operator_util")
    matrices = np.stack([np.eye(2), 2 * np.eye(2)])[:, None]
    rhs = np.ones((3, 2, 1))
    with tf.Graph().as_default(), tf.Session() as sess:
        for solve in (
            util.matrix_solve_with_broadcast,
            util.matrix_triangular_solve_with_broadcast,
            util.cholesky_solve_with_broadcast,
        ):
            value = sess.run(solve(matrices, rhs))
            assert value.shape == (2, 3, 2, 1)
            factor = 0.25 if solve is util.cholesky_solve_with_broadcast else 0.5
            np.testing.assert_allclose(value[1], np.full((3, 2, 1), factor))


def test_operations_that_one_depends_on() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        c = tf.add(a, b, name="c")
        d = tf.negative(c, name="d")
        walk = _module("python.ops.op_selector").get_backward_walk_ops
        assert [op.name for op in walk([d])] == ["d", "c", "a", "b"]
        assert [op.name for op in walk(d.op, inclusive=False, stop_at_ts=[c])] == []


def test_numbers_that_a_library_counts_and_modules_that_wait(monkeypatch: Any) -> None:
    gauge = _module("python.eager.monitoring").BoolGauge("/a", "What.", "label")
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True
    space: dict[str, Any] = {}
    loader = _module("python.util.lazy_loader").LazyLoader
    space["json"] = loader("json", space, "json")
    assert space["json"].dumps(1) == "1"
    assert space["json"] is importlib.import_module("json")


def test_a_module_of_contrib_is_not_one_of_the_same_name_elsewhere() -> None:
    layers = _module("contrib.layers.python.layers").layers
    assert layers.fully_connected is tf.contrib.layers.fully_connected
    training = _module("contrib.training.python.training").training
    assert training.create_train_op is tf.contrib.training.create_train_op
    _module("contrib.framework.python.ops.arg_scope")
    ops = _module("contrib.framework.python.ops")
    assert ops.arg_scope is tf.contrib.framework.arg_scope


def test_normal_numbers_between_bounds() -> None:
    draw = _module("python.ops.random_ops").parameterized_truncated_normal
    with tf.Graph().as_default(), tf.Session() as sess:
        value = sess.run(draw([20000], 1.0, 2.0, 0.5, 4.0, seed=1))
    assert 0.5 <= value.min() < 0.6 and 3.8 < value.max() <= 4.0
    mean = 1.967  # 1 + 2 (pdf(-0.25) - pdf(1.5)) / (cdf(1.5) - cdf(-0.25))
    assert abs(value.mean() - mean) < 0.03


def test_texts_of_hdf5_decode_as_before_h5py_3(tmp_path: Any) -> None:
    script = (
        f"import h5py; f = h5py.File({str(tmp_path / 'a.h5')!r}, 'w'); f.attrs['a'] = b'{{}}'; "
        "f.attrs['n'] = ['x', 'y']; "
        "print(f.attrs['a'].decode('utf8'), [n.decode('utf8') for n in f.attrs['n']])"
    )
    pytest.importorskip("h5py")
    command = [sys.executable, "-m", "minitf", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{} ['x', 'y']"
