"""`tf.gradients`: values, names, what joins and what stops gradients, errors."""

import pytest

import minitf as tf


def _run(fetches: object, feed_dict: dict | None = None) -> object:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed_dict)


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
    assert _run([dx, dy]) == [3.0, 2.0]


def test_a_deep_graph() -> None:
    """Nothing recurses: a thousand operations in a row are no deeper than one."""
    x = tf.constant(1.0)
    y = x
    for _ in range(1500):
        y = y + x
    assert _run(tf.gradients(y, x)) == [1501.0]
