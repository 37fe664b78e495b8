"""`tf.gradients`: values, names, what joins and what stops gradients, errors."""

import numpy as np
import pytest

import minitf as tf


def _run(fetches: object, feed_dict: dict | None = None) -> object:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed_dict)


def test_values() -> None:
    x, y = tf.constant(3.0), tf.constant(2.0)
    assert _run(tf.gradients(x * x, x)) == [6.0]
    assert _run(tf.gradients([x * y, x * x], [x, y])) == [8.0, 3.0]
    assert _run(tf.gradients(x, x)) == [1.0]


def test_names(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    (first,) = tf.gradients(tf.exp(x), x)
    (second,) = tf.gradients(tf.exp(x), x, name="mine")
    (third,) = tf.gradients(tf.exp(x), x)
    names = [op.name for op in graph.get_operations()]
    assert names[2:5] == ["gradients/Shape", "gradients/grad_ys_0", "gradients/Fill"]
    assert [graph.get_operation_by_name(n).type for n in names[2:5]] == ["Const", "Const", "Fill"]
    assert first.name.startswith("gradients/Exp_grad/")
    assert second.name.startswith("mine/Exp_1_grad/")
    assert third.name.startswith("gradients_1/Exp_2_grad/")


def test_an_unknown_shape_is_computed_at_run_time(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, name="x")
    (gradient,) = tf.gradients(tf.square(x), x)
    assert graph.get_operation_by_name("gradients/Shape").type == "Shape"
    assert gradient.shape.ndims is None
    result = _run(gradient, {x: [[1.0, 2.0]]})
    assert result.tolist() == [[2.0, 4.0]]


def test_several_gradients_of_one_tensor_are_added(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    (gradient,) = tf.gradients(tf.square(x) + tf.exp(x) + x, x)
    assert gradient.name == "gradients/AddN:0"
    assert gradient.op.type == "AddN"
    assert len(gradient.op.inputs) == 3
    np.testing.assert_allclose(_run(gradient, {x: [0.0, 1.0]}), [2.0, 3.0 + np.e], rtol=1e-6)


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


def test_nothing_reaches_what_is_not_connected() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant(2.0)
    assert tf.gradients(y * 2.0, [x]) == [None]
    assert tf.gradients(tf.stop_gradient(x), [x]) == [None]
    assert tf.gradients(tf.cast(tf.argmax(x, 0), tf.float32), x) == [None]
    zero = tf.UnconnectedGradients.ZERO
    assert _run(tf.gradients(y * 2.0, x, unconnected_gradients=zero))[0].tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'some'"):
        tf.gradients(y, x, unconnected_gradients="some")


def test_the_gradient_that_reaches_a_result_can_be_given() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    (given,) = tf.gradients(x * x, x, grad_ys=[tf.constant([1.0, 0.0, 2.0])])
    assert _run(given).tolist() == [2.0, 0.0, 12.0]
    (mixed,) = tf.gradients([x * x, x], x, grad_ys=[[1.0, 1.0, 1.0], None])
    assert _run(mixed).tolist() == [3.0, 5.0, 7.0]
    with pytest.raises(ValueError, match="2 grad_ys for 1 ys$"):
        tf.gradients(x, x, grad_ys=[None, None])
    with pytest.raises(TypeError, match="^Gradient type bool generated for real or integer-valued"):
        tf.gradients(x, x, grad_ys=[[True, True, True]])
    with pytest.raises(TypeError, match="with type bool must be numeric to obtain a default grad"):
        tf.gradients(x > 1.0, x, grad_ys=[x])


def test_stop_gradients() -> None:
    x = tf.constant(2.0)
    y = x * 3.0
    z = x * y
    assert _run(tf.gradients(z, [x, y])) == [12.0, 2.0]
    assert _run(tf.gradients(z, [x, y], stop_gradients=[x, y])) == [6.0, 2.0]
    assert _run(tf.gradients(z, x, stop_gradients=y)) == [6.0]


def test_an_inner_x_does_not_stop_the_way_to_an_outer_one() -> None:
    x = tf.constant(3.0)
    y = x * x
    assert _run(tf.gradients(y * y, [x, y])) == [108.0, 18.0]


def test_variables() -> None:
    v, w = tf.Variable(2.0, name="v"), tf.Variable([1.0, 2.0], name="w")
    loss = tf.reduce_sum(v * w * w)
    dv, dw = _run(tf.gradients(loss, [v, w]))
    assert dv == 5.0
    assert dw.tolist() == [4.0, 8.0]
    assert _run(tf.gradients(loss, v.value())) == [5.0]
    assert tf.gradients(loss, tf.trainable_variables())[1].shape.as_list() == [2]


def test_gradients_can_be_differentiated() -> None:
    x = tf.constant(2.0)
    y = x**4.0
    values = []
    for _ in range(3):
        (y,) = tf.gradients(y, x)
        values.append(_run(y))
    assert values == [32.0, 48.0, 48.0]


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


def test_gradients_go_where_their_operations_are_when_asked() -> None:
    x = tf.constant([1.0, 2.0], name="x")
    with tf.device("/cpu:0"):
        y = tf.exp(x)
    assert tf.gradients(y, x)[0].device == ""
    assert tf.gradients(y, x, colocate_gradients_with_ops=True)[0].device == "/device:CPU:0"


def test_a_deep_graph() -> None:
    """Nothing recurses: a thousand operations in a row are no deeper than one."""
    x = tf.constant(1.0)
    y = x
    for _ in range(1500):
        y = y + x
    assert _run(tf.gradients(y, x)) == [1501.0]
