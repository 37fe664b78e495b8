"""`tf.wrap_function`: what it refuses, and what is not a matter of TensorFlow's words."""

from collections.abc import Iterator

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.eager.copying import UnliftableError
from minitf.library.eager.wrap_function import WrappedGraph, function_from_graph_def


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


def test_what_it_refuses() -> None:
    for wrong in (tf.no_op, object):
        with pytest.raises(TypeError, match="must return zero or more Tensors"):
            tf.wrap_function(lambda made=wrong: made(), [])
    double = tf.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="a float tensor but is a int32"):
        double(tf.constant(1))
    with pytest.raises(ValueError, match="specifies 1 arguments, got: 2"):
        double(1.0, 2.0)
    other = tf.wrap_function(lambda: tf.constant(1.0), [])
    with pytest.raises(ValueError, match="from a different graph"):
        double.prune(double.inputs, other.outputs)
    with pytest.raises(ValueError, match="must be tensors"):
        double.prune(double.outputs[0].op, double.outputs)
    with pytest.raises(UnliftableError, match=r"mul \(Mul\) <- Placeholder"):
        double.prune([], double.outputs)


def test_names_of_a_part() -> None:
    def build() -> None:
        x, y = (tf.placeholder(tf.float32, [], name=name) for name in "xy")
        tf.subtract(x, y, name="z")

    part = tf.wrap_function(build, []).prune(["x:0", "y:0"], "z:0")
    assert part(tf.constant(5.0), y=tf.constant(3.0)).numpy() == 2.0
    with pytest.raises(TypeError, match="missing 'y'"):
        part(tf.constant(5.0))
    with pytest.raises(TypeError, match="Unexpected arguments"):
        part(tf.constant(5.0), tf.constant(5.0), w=1.0)


def test_branches_and_loops_of_a_part_keep_their_variables() -> None:
    v = tf.Variable(2.0)

    def build(x: tf.Tensor) -> tf.Tensor:
        y = tf.cond(x > 0.0, lambda: x * v, lambda: x - v)
        turns = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, y])
        return tf.identity(turns[1], name="last")

    whole = tf.wrap_function(build, [tf.TensorSpec([], tf.float32)])
    part = whole.prune(whole.inputs[0], "last:0")
    assert (part(tf.constant(1.0)).numpy(), part(tf.constant(-1.0)).numpy()) == (16.0, -24.0)
    v.assign(1.0)
    with tf.GradientTape() as tape:
        result = part(tf.constant(3.0))
    assert (result.numpy(), tape.gradient(result, v).numpy()) == (3.0, 12.0)


def test_functions_that_share_variables() -> None:
    shared = WrappedGraph()

    def step(by: float) -> tf.Tensor:
        return tf.Variable(10.0, name="total").assign_add(by)

    up = shared.wrap_function(lambda: step(1.0), [], "up")
    down = shared.wrap_function(lambda: step(-1.0), [], "down")
    assert [f().numpy() for f in (up, up, down)] == [11.0, 12.0, 11.0]
    assert len(shared.variables) == 1 and sorted(shared.functions) == ["down", "up"]


def test_a_frozen_graph_of_a_trained_model() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.layers.dense(x, 2, tf.nn.relu)
        tf.identity(y, name="y")
        session.run(tf.global_variables_initializer())
        given = np.random.RandomState(0).rand(4, 3)
        wanted = session.run("y:0", {"x:0": given})
        frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    model = function_from_graph_def(frozen, "x:0", "y:0")
    np.testing.assert_allclose(model(tf.constant(given, tf.float32)), wanted, rtol=1e-6)


def test_concrete_functions_inside_of_graphs() -> None:
    square = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([], tf.float32))

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return square(x) + square(x + 1.0)

    assert outer(tf.constant(2.0)).numpy() == 13.0
