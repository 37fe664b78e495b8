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
