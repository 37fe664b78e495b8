"""Named objects of Keras: found, written, made again, refused."""

from __future__ import annotations

import numpy as np
import pytest

import minitf as tf

keras = tf.keras


def test_a_scope_makes_names_known_while_it_is_open():
    def mine(x):
        return x

    with keras.utils.custom_object_scope({"mine": mine}):
        assert keras.activations.get("mine") is mine
        with keras.utils.CustomObjectScope({"relu": mine}):
            assert keras.activations.get("relu") is mine
        assert keras.activations.get("relu") is keras.activations.relu
    with pytest.raises(ValueError, match="Unknown activation function:mine"):
        keras.activations.get("mine")


def test_identifiers_that_stand_for_nothing_are_refused():
    for family, noun in (
        (keras.initializers, "initializer"),
        (keras.regularizers, "regularizer"),
        (keras.constraints, "constraint"),
    ):
        with pytest.raises(ValueError, match=f"Could not interpret {noun} identifier: 3"):
            family.get(3)
        with pytest.raises(ValueError, match=f"Unknown {noun}: Nobody"):
            family.get({"class_name": "Nobody", "config": {}})
        with pytest.raises(ValueError, match="Improper config format"):
            family.get({"name": "x"})
        assert family.get(None) is None
    with pytest.raises(TypeError, match="Could not interpret activation function identifier"):
        keras.activations.get(3)


def test_classes_functions_and_configurations_stand_for_initializers():
    assert isinstance(keras.initializers.get(tf.ones_initializer), tf.ones_initializer)
    assert keras.initializers.get("he_normal").scale == 2.0
    made = keras.initializers.get({"class_name": "RandomNormal", "config": {"stddev": 2.0}})
    assert (made.mean, made.stddev) == (0.0, 2.0)
    assert keras.initializers.get(np.zeros) is np.zeros


def test_an_object_inside_another_is_written_and_made_again():
    class Holder:
        def __init__(self, inner):
            self.inner = inner

        def get_config(self):
            return {"inner": self.inner}

        @classmethod
        def from_config(cls, config):
            return cls(**config)

    written = keras.utils.serialize_keras_object(Holder(keras.regularizers.l2(0.5)))
    known = {"Holder": Holder, "L1L2": keras.regularizers.L1L2}
    again = keras.utils.deserialize_keras_object(written, known)
    assert again.inner.l2 == 0.5


def test_arguments_of_made_constructors_are_checked_as_those_of_others():
    for make, message in (
        (lambda: keras.losses.Huber(alpha=1), "got an unexpected keyword argument 'alpha'"),
        (lambda: keras.metrics.Accuracy("a", None, 3), "too many positional arguments"),
        (lambda: keras.layers.SeparableConv2D(4), "missing a required argument: 'kernel_size'"),
    ):
        with pytest.raises(TypeError, match=rf"^__init__\(\) {message}"):
            make()
