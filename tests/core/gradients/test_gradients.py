"""`tf.gradients`: values, names, what joins and what stops gradients, errors."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.convert import constant_value
from tests.graphs import run


def test_unknown_ways_to_add() -> None:
    x = tf.constant(2.0, name="x")
    with pytest.raises(ValueError, match="^Invalid aggregation_method specified 7.$"):
        tf.gradients(x * x, x, aggregation_method=7)


def test_gradients_of_several_devices_are_added_on_each_first(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    towers = []
    for device in ("/cpu:0", "/cpu:1"):
        with tf.device(device):
            towers.append(tf.square(x) + tf.exp(x))
    (gradient,) = tf.gradients(towers, x, colocate_gradients_with_ops=True)
    partial = [t.op for t in gradient.op.inputs]
    assert [op.type for op in partial] == ["AddN", "AddN"]
    assert [op.device for op in partial] == ["/device:CPU:0", "/device:CPU:1"]


def test_arguments_that_are_refused() -> None:
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'some'"):
        tf.gradients(y, x, unconnected_gradients="some")
    with pytest.raises(TypeError, match="^Gradient type bool generated for real or integer-valued"):
        tf.gradients(x, x, grad_ys=[[True, True, True]])
    with pytest.raises(TypeError, match="with type bool must be numeric to obtain a default grad"):
        tf.gradients(x > 1.0, x, grad_ys=[x])


def test_an_operation_without_a_gradient() -> None:
    x = tf.constant([0.25, 2.0], name="x")
    y = tf.cast(x, tf.float64, name="y")
    without = tf.get_op_def("Cast") if hasattr(tf, "get_op_def") else y.op.op_def
    declared, without.gradient_function = without.gradient_function, None
    try:
        with pytest.raises(LookupError) as caught:
            tf.gradients(y, x)
    finally:
        without.gradient_function = declared
    assert str(caught.value) == "No gradient defined for operation 'y' (op type: Cast)"


def test_gates_hold_gradients_back(graph: tf.Graph) -> None:
    x, y = tf.constant(2.0, name="x"), tf.constant(3.0, name="y")
    dx, dy = tf.gradients(tf.multiply(x, y, name="z"), [x, y], gate_gradients=True)
    assert dx.name == "gradients/z_grad/tuple/control_dependency:0"
    assert dy.name == "gradients/z_grad/tuple/control_dependency_1:0"
    assert [op.name for op in dx.op.control_inputs] == ["gradients/z_grad/tuple/group_deps"]
    assert run([dx, dy]) == [3.0, 2.0]


def test_a_deep_graph() -> None:
    """Nothing recurses: a thousand operations in a row are no deeper than one."""
    x = tf.constant(1.0)
    y = x
    for _ in range(1500):
        y = y + x
    assert run(tf.gradients(y, x)) == [1501.0]


# ---- rows ----------------------------------------------------------------------------------------


def test_rows_pass_through_identities_and_signs(sess: tf.Session) -> None:
    w = tf.placeholder(tf.float32, [4, 2])
    y = tf.gather(-tf.identity(w), [1, 1, 3])
    (gradient,) = tf.gradients(y, w)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.shape.as_list() == [4, 2]
    value = sess.run(gradient, {w: np.ones((4, 2))})
    assert value.indices.tolist() == [1, 1, 3]
    assert value.values.tolist() == [[-1, -1]] * 3


def test_shapes_known_only_when_it_runs(sess: tf.Session) -> None:
    w, i = tf.placeholder(tf.float32, None), tf.placeholder(tf.int32, None)
    (gradient,) = tf.gradients(tf.gather(w, i), w)
    feed = {w: np.ones((3, 2)), i: [[0, 2], [2, 2]]}
    assert sess.run(gradient, feed).dense_shape.tolist() == [3, 2]
    assert sess.run(tf.convert_to_tensor(gradient), feed).tolist() == [[1, 1], [0, 0], [3, 3]]


def test_a_tape_gives_rows() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.constant([[1.0], [2.0], [3.0]])
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.gather(w, [2, 0]) * 3.0
        gradient = tape.gradient(y, w)
        assert isinstance(gradient, tf.IndexedSlices)
        assert sess.run(gradient).indices.tolist() == [2, 0]


def test_feeding_rows(sess: tf.Session) -> None:
    rows = tf.IndexedSlices(
        tf.placeholder(tf.float32, [None, 1]),
        tf.placeholder(tf.int32, [None]),
        tf.placeholder(tf.int32, [2]),
    )
    whole = tf.convert_to_tensor(rows)
    given = tf.IndexedSlicesValue([[5.0], [6.0]], [1, 1], [3, 1])
    assert sess.run(whole * 1.0, {rows: given}).tolist() == [[0], [11], [0]]


@pytest.mark.parametrize("length", [10, 5000])
def test_constants_are_found_behind_long_chains(length: int) -> None:
    with tf.Graph().as_default():
        x = tf.constant(0)
        for _ in range(length):
            x = x + 1
        assert constant_value(x) == length
