"""Names that programs took from within TensorFlow and Keras, and kernels that keep lengths."""

import sys
from collections.abc import Iterator
from importlib import import_module

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


def test_tensorflow_has_a_file() -> None:
    assert import_module("tensorflow").__file__ == tf.__file__
