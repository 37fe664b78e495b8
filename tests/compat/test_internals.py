"""What TensorFlow's own tests import from below `tensorflow.python`."""

import importlib

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensor_util import MakeNdarray, make_tensor_proto
from minitf.compat.tensorflow import alias


@pytest.fixture
def module():
    """Gives modules of the alias."""
    alias.install()
    yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    alias.uninstall()


def test_a_mock_reaches_the_module_behind(module, monkeypatch):
    logging = module("platform.tf_logging")
    said = []
    with monkeypatch.context() as patch:
        patch.setattr(logging, "info", lambda *args: said.append(args))
        tf.logging.info("hello")
    tf.logging.info("not this")
    assert said == [("hello",)]


def test_few_values_fill_a_tensor_proto():
    message = make_tensor_proto(10.0, shape=[1, 3])
    assert (list(message.float_val), message.tensor_content) == ([10.0], b"")
    np.testing.assert_array_equal(MakeNdarray(message), [[10.0] * 3])
    assert list(make_tensor_proto("foo").string_val) == [b"foo"]
    with pytest.raises(ValueError, match="at most 1, but received 2"):
        make_tensor_proto([1, 2], shape=[1])


def test_older_names_of_layers(module):
    layers = module("layers.convolutional")
    assert layers.Convolution2D is tf.layers.Conv2D
    assert layers.Deconv3D is layers.Convolution3DTranspose is tf.layers.Conv3DTranspose
    assert layers.deconvolution2d is tf.layers.conv2d_transpose
