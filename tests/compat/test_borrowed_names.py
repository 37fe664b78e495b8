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


def test_tensorflow_has_a_file() -> None:
    assert import_module("tensorflow").__file__ == tf.__file__
