"""Names that programs took from within TensorFlow and Keras, and kernels that keep lengths."""

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensorflow import alias


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


def test_keras_as_its_modules_import_it() -> None:
    keras_backend = import_module("keras.layers.core").K
    assert keras_backend.tf is sys.modules["tensorflow"]
    assert import_module("tensorflow").keras.backend.tf.constant is tf.constant


def test_names_of_modules_that_are_elsewhere() -> None:
    scopes = import_module("tensorflow.python.ops.variable_scope")
    with tf.Graph().as_default():
        x = tf.get_variable("x", [])
        assert tf.get_collection(scopes._VARSTORE_KEY)[0]._vars == {"x": x}
        assert tf.get_collection(scopes._VARSCOPE_KEY)
    summaries = import_module("tensorflow.python.ops.summary_op_util")
    assert summaries.clean_tag("a b") == "a_b" and not summaries.skip_summary()
    assert import_module("tensorflow.python.ops.seq2seq").sequence_loss
    assert tf.losses.Reduction.AUTO == tf.keras.losses.Reduction.AUTO == "auto"


def test_bounds_of_a_spec() -> None:
    spec = tf.contrib.framework.BoundedTensorSpec([2, 3], tf.int32, 0, [1, 2, 3], "x")
    assert repr(spec) == (
        "BoundedTensorSpec(shape=(2, 3), dtype=tf.int32, name='x', "
        "minimum=array(0, dtype=int32), maximum=array([1, 2, 3], dtype=int32))"
    )
    free = type(spec).from_spec(tf.TensorSpec([8], tf.uint8))
    assert (free.minimum, free.maximum) == (0, 255) and free == type(spec).from_spec(free)
    with pytest.raises(ValueError, match=r"`maximum` \[1, 2\] is not compatible with shape"):
        type(spec)([2, 3], tf.int32, 0, [1, 2])


def test_an_optimizer_as_keras_had_them() -> None:
    keras = import_module("keras")
    backend = keras.backend

    class Plain(keras.optimizers.Optimizer):
        def __init__(self, lr: float = 0.1, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.iterations = backend.variable(0, "int64", "iterations")
            self.lr = backend.variable(lr, name="lr")

        def get_updates(self, loss: Any, params: Any) -> list:
            self.updates = [backend.update_add(self.iterations, 1)]
            for param, gradient in zip(params, self.get_gradients(loss, params), strict=True):
                self.updates.append(backend.update_sub(param, self.lr * gradient))
            self.weights = [self.iterations]
            return self.updates

        def get_config(self) -> dict:
            return {"lr": float(backend.get_value(self.lr)), **super().get_config()}

    with tf.Graph().as_default(), tf.Session().as_default():
        dense = keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones", use_bias=False)
        model = keras.models.Sequential([dense])
        model.compile(Plain(0.25, clipvalue=9.0), "mse")
        model.fit(np.ones([4, 1]), np.zeros(4), epochs=2, verbose=0)
        np.testing.assert_allclose(dense.get_weights()[0], [[0.25]])  # 1 - 0.25 * 2 = 0.5, 0.25
        assert model.optimizer.get_config() == {"lr": 0.25, "clipvalue": 9.0}
        assert model.optimizer.get_weights() == [2]
        assert isinstance(keras.optimizers.Adam(), keras.optimizers.Optimizer)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_kernel_that_keeps_lengths_in_a_circle(rank: int) -> None:
    make = getattr(tf.contrib.framework, f"convolutional_orthogonal_{rank}d")
    with tf.Graph().as_default(), tf.Session() as sess:
        kernel = sess.run(make(gain=2.0, seed=3)([3] * rank + [2, 4]))
    waves = np.fft.fftn(kernel, [5] * rank, range(rank)).reshape(-1, 2, 4)
    turned = waves @ waves.conj().transpose(0, 2, 1)
    np.testing.assert_allclose(turned, [4 * np.eye(2)] * 5**rank, atol=1e-5)


def test_branches_and_loops_of_functions() -> None:
    functional = import_module("tensorflow.python.ops.functional_ops")
    function = import_module("tensorflow.python.framework.function")

    @function.Defun(tf.float32, tf.float32)
    def double(n: Any, x: Any) -> tuple:
        return n - 1.0, x * 2.0

    @function.Defun(tf.float32, tf.float32)
    def left(n: Any, x: Any) -> Any:
        return n > 0.0

    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        n, y = functional.While([3.0, x], left, double)
        assert sess.run([n, y, tf.gradients(y, x)[0]], {x: 5.0}) == [0.0, 40.0, 8.0]
        chosen = functional.If(x, [1.0, x], double, lambda n, x: (x, n))
        assert sess.run(chosen, {x: 4.0}) == [0.0, 8.0] and sess.run(chosen, {x: 0.0}) == [0.0, 1.0]
        text = tf.placeholder(tf.string, [])
        (said,) = functional.If(text, [x], lambda x: x, lambda x: -x)
        assert sess.run([said], {x: 1.0, text: "a"}) == [1.0]
        assert sess.run([said], {x: 1.0, text: ""}) == [-1.0]
        (total,) = functional.For(0, 5, 1, [x], lambda i, x: x + tf.cast(i, tf.float32))
        (down,) = functional.For(4, 0, -2, [x], lambda i, x: x * tf.cast(i, tf.float32))
        assert sess.run([total, down], {x: 1.0}) == [11.0, 8.0]
        with pytest.raises(ValueError, match="must have a single output"):
            functional.While([1.0, x], double, double)


def test_rows_in_place() -> None:
    ops = import_module("tensorflow.python.ops.inplace_ops")
    with tf.Graph().as_default(), tf.Session() as sess:
        assert sess.run(ops.alias_inplace_update([1, 2, 3], [0, -1], [7, 8])).tolist() == [7, 2, 8]


def test_tensorflow_has_a_file() -> None:
    assert import_module("tensorflow").__file__ == tf.__file__


@pytest.mark.parametrize("version", [1, 2])
def test_residual_networks_carry_their_size_and_their_tools(version: int) -> None:
    nets = import_module(f"tensorflow.contrib.slim.nets.resnet_v{version}".rpartition(".")[0])
    module = getattr(nets, f"resnet_v{version}")
    assert getattr(module, f"resnet_v{version}").default_image_size == 224
    assert module.resnet_utils.Block is nets.resnet_utils.Block
