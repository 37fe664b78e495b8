"""Names of TensorFlow's insides that libraries of 2019 are built on."""

import importlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensorflow import alias


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


def test_jacobians_of_tensors_in_a_graph() -> None:
    jacobians = _module("python.ops.parallel_for.gradients")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0]], 1)
        of_batch = jacobians.batch_jacobian(y, x)
        whole = jacobians.jacobian(y, {"x": x, "other": tf.constant(1.0)})
        assert of_batch.shape.as_list() == [None, 2, 2] and whole["other"] is None
        found, all_of_it = sess.run([of_batch, whole["x"]], {x: [[1.0, 2.0], [3.0, 4.0]]})
        assert found.tolist() == [[[2.0, 1.0], [1.0, 0.0]], [[4.0, 3.0], [1.0, 0.0]]]
        assert all_of_it.shape == (2, 2, 2, 2)
        np.testing.assert_array_equal(all_of_it[[0, 1], :, [0, 1]], found)
        assert not all_of_it[0, :, 1].any()
        many = tf.ones([3, 40])  # more than stand in the graph one by one
        cubes = sess.run(jacobians.batch_jacobian(many * many * many, many))
        np.testing.assert_array_equal(cubes, np.broadcast_to(3 * np.eye(40), (3, 40, 40)))
        assert jacobians.batch_jacobian(tf.ones([3, 2]), tf.ones([3, 2])) is None
        with pytest.raises(ValueError, match="Need first dimension of `output` shape"):
            jacobians.batch_jacobian(tf.ones([3, 2]), tf.ones([4, 2]))


def test_convolutions_that_are_made_before_their_inputs() -> None:
    utils, nn_ops = _module("python.layers.utils"), _module("python.ops.nn_ops")
    assert utils.convert_data_format("channels_first", 4) == "NCHW"
    with pytest.raises(ValueError, match="Input rank: 2 not supported"):
        utils.convert_data_format("channels_last", 2)
    with pytest.raises(ValueError, match="Invalid data_format: x"):
        utils.convert_data_format("x", 4)
    with tf.Graph().as_default(), tf.Session() as sess:
        made = nn_ops.Convolution(
            tf.TensorShape([2, 5, 5, 3]), tf.TensorShape([3, 3, 3, 4]), "VALID"
        )
        y = sess.run(made(tf.ones([2, 5, 5, 3]), tf.ones([3, 3, 3, 4])))
        np.testing.assert_array_equal(y, np.full((2, 3, 3, 4), 27))
        with pytest.raises(ValueError, match="not divisible by the corresponding number of output"):
            nn_ops.Convolution(tf.TensorShape([2, 5, 5, 3]), tf.TensorShape([3, 3, 4, 4]), "SAME")


def test_gradients_that_are_refused() -> None:
    prevent_gradient = _module("python.ops.array_ops").prevent_gradient
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([1.0, 2.0])
        y = prevent_gradient(x, message="no way")
        assert sess.run(y).tolist() == [1.0, 2.0]
        with pytest.raises(LookupError, match="Gradient explicitly disabled. Reason: b'no way'"):
            tf.gradients(y, x)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("rows", [False, True])
def test_optimizers_below_add_to_each_kind_of_update_once(resource: bool, rows: bool) -> None:
    class Halved(tf.train.AdamOptimizer):
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return super()._apply_dense(count(grad), var)

        def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
            return super()._resource_apply_dense(count(grad), var)

        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            return super()._apply_sparse(count(grad), var)

        def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
            return super()._resource_apply_sparse(count(grad), var, indices)

    def count(grad: Any) -> Any:
        calls.append(grad)
        return grad

    calls: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)
        loss = tf.reduce_sum(tf.gather(v, [1]) if rows else v)
        step = Halved(0.5).minimize(loss)
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        np.testing.assert_allclose(sess.run(v), [1.0 if rows else 0.5, 1.5], rtol=1e-5)
    assert len(calls) == 1


def test_masks_are_cut_to_their_type_in_a_graph() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        mask = tf.constant(~(1 << 31), tf.int32)  # all bits but the sign
        assert sess.run([mask, tf.constant([-1, 256], tf.uint8)[0]]) == [2**31 - 1, 255]
        assert sess.run(tf.constant(1) + 2**31) == 1 - 2**31
        with pytest.raises(OverflowError):
            tf.constant(2**70, tf.int64)


def test_layers_below_those_of_keras_tell_their_arguments() -> None:
    layers = importlib.import_module("keras").layers

    class Returning(layers.Embedding):
        pass

    with tf.Graph().as_default():
        config = Returning(3, 4, name="r").get_config()
        assert (config["input_dim"], config["output_dim"]) == (3, 4)
        assert Returning.from_config(config).output_dim == 4


def test_files_of_hdf5_are_written_without_a_mode(tmp_path: Any) -> None:
    program = (
        "import h5py, PIL, sys\n"
        "for n in 1, 2:\n"
        "    with h5py.File(sys.argv[1]) as f: f[f'a{n}'] = n\n"
        "with h5py.File(sys.argv[1], 'r') as f: print(sorted(f), f.mode)\n"
        "print(PIL.Image.ANTIALIAS == PIL.Image.LANCZOS)\n"
    )
    command = [sys.executable, "-m", "minitf", "-c", program, str(tmp_path / "x.h5")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['a1', 'a2'] r\nTrue\n"
