"""`tf.Module`: what an object is made of."""

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


class Dense(tf.Module):
    def __init__(self, size: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([size]), name="w")
        self.steps = tf.Variable(0, trainable=False, name="steps")

    @tf.Module.with_name_scope
    def named(self) -> tf.Variable:
        return tf.Variable(1.0, name="late")


class NetOfDense(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Dense(2), {"out": Dense(3)}]
        self.scale = tf.Variable(1.0)
        self.again = self.layers[0]


def test_parts_are_found_once() -> None:
    with eager_mode():
        net = NetOfDense()
        assert net.name == "net_of_dense"
        assert len(net.submodules) == 2 and len(net.variables) == 5
        assert net.variables[0] is net.scale
        assert len(net.trainable_variables) == 3
        assert net.layers[0].named().name == "dense/late:0"
        with pytest.raises(ValueError, match="not a valid module name"):
            Dense(1, name="a b")


def test_in_a_graph() -> None:
    with tf.Graph().as_default():
        net = NetOfDense()
        assert [v.name for v in net.variables] == [
            "Variable:0", "steps:0", "w:0", "steps_1:0", "w_1:0"
        ]  # fmt: skip
        with net.name_scope:
            assert tf.constant(1.0, name="c").name == "net_of_dense/c:0"
