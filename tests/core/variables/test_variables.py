"""`tf.Variable`: scopes, errors, rows, initial values, creators, reads of resource variables."""

import numpy as np
import pytest

import minitf as tf


def _nodes(graph: tf.Graph) -> list[tuple[str, str]]:
    return [(op.name, op.type) for op in graph.get_operations()]


def test_a_callable_goes_under_the_initializer_scope(graph: tf.Graph) -> None:
    with tf.device("/cpu:0"):
        W = tf.Variable(lambda: tf.constant([1.0]), name="W")
    assert _nodes(graph)[0] == ("W/Initializer/Const", "Const")
    value = graph.get_operation_by_name("W/Initializer/Const")
    assert value.device == ""
    assert value.colocation_groups() == [b"loc:@W"]
    assert W.device == "/device:CPU:0"


def test_errors(graph: tf.Graph) -> None:
    with pytest.raises(ValueError, match="must be a list, tuple, or set. Got x of type"):
        tf.Variable(1.0, collections="x")
    with pytest.raises(ValueError, match="^The `constraint` argument must be a callable.$"):
        tf.Variable(1.0, constraint=3)
    with pytest.raises(ValueError, match="default session should be established"):
        tf.Variable(1.0).load(2.0)


def test_numpy_leaves_the_operator_to_it() -> None:
    product = np.array([1.0, 2.0], np.float32) * tf.Variable([3.0, 4.0])
    assert isinstance(product, tf.Tensor)
    assert product.name == "mul:0"


def test_variables_are_equal_only_to_themselves() -> None:
    v = tf.Variable(1.0)
    assert v == v  # noqa: PLR0124
    assert v != tf.Variable(1.0)
    assert {v: 1}[v] == 1


def test_rows_can_be_changed_alone() -> None:
    v = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    rows = tf.IndexedSlices([[1.0, 2.0], [1.0, 2.0]], [2, 2], [3, 2])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(v.scatter_add(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [5.0, 7.0]]
        assert sess.run(v.scatter_sub(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
        assert sess.run(v.scatter_update(rows)).tolist() == [[1.0, 1.0], [2.0, 2.0], [1.0, 2.0]]
        assert sess.run(tf.convert_to_tensor(rows)).tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 4.0]]
        one = tf.IndexedSlices([[4.0, 0.5]], [1])
        assert sess.run(v.scatter_mul(one))[1].tolist() == [8.0, 1.0]
        assert sess.run(v.scatter_div(one))[1].tolist() == [2.0, 2.0]
        assert sess.run(v.scatter_max(one))[1].tolist() == [4.0, 2.0]
        assert sess.run(v.scatter_min(one))[1].tolist() == [4.0, 0.5]
    assert tf.Variable.scatter_max.__name__ == "scatter_max"
    with pytest.raises(TypeError, match="^sparse_delta is not IndexedSlices: 3$"):
        v.scatter_add(3)


def test_counting_up_to_a_limit() -> None:
    v = tf.Variable(0)
    counter = v.count_up_to(2)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert [sess.run(counter), sess.run(counter)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            sess.run(counter)


def test_one_variable_initialized_from_another() -> None:
    """All initializers run in one step; each sees initial values, not half-made variables."""
    v = tf.Variable([1.0, 2.0], name="v")
    doubled = tf.Variable(v.initialized_value() * 2.0)
    guarded = tf.Variable(v * 3.0 + 1.0)
    chained = tf.Variable(guarded + v)
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(tf.global_variables_initializer())
            assert sess.run(doubled).tolist() == [2.0, 4.0]
            assert sess.run(guarded).tolist() == [4.0, 7.0]
            assert sess.run(chained).tolist() == [5.0, 9.0]
        sess.run(v.assign([10.0, 10.0]))
        sess.run(doubled.initializer)
        assert sess.run(doubled).tolist() == [20.0, 20.0]


def test_open_control_dependencies_do_not_hold_up_initializing() -> None:
    trap = tf.placeholder(tf.float32)
    with tf.control_dependencies([trap]):
        v = tf.Variable(1.0)
    assert v.initializer.control_inputs == []


def test_the_nodes_can_be_found_again(graph: tf.Graph) -> None:
    v = tf.Variable(3.0, name="v", trainable=False)
    found = tf.Variable.from_proto(v.to_proto())
    assert found.name == v.name
    assert found.initializer is v.initializer
    assert found.value() is v.value()
    assert not found.trainable
    assert v.to_proto(export_scope="elsewhere") is None


def test_creators_stand_before_new_variables():
    names = []

    def note(next_creator, **kwargs):
        names.append((kwargs["name"], kwargs["trainable"]))
        return next_creator(**kwargs)

    def rename(next_creator, **kwargs):
        return next_creator(**{**kwargs, "name": "forced"})

    with tf.variable_creator_scope(note):
        with tf.variable_creator_scope(rename):
            assert tf.Variable(1.0, name="mine").name == "forced:0"
        tf.get_variable("got", [2], trainable=False)
    tf.Variable(2.0, name="after")
    assert names == [("forced", None), ("got", False)]


def test_an_initialized_value_is_a_branch_by_name() -> None:
    v = tf.Variable(1.0)
    assert v.initialized_value().op.name == "cond/Merge"
    assert tf.cond(v > 0.0, lambda: 1.0, lambda: 2.0).op.name == "cond_1/Merge"


def test_a_fetch_is_its_first_read() -> None:
    v = tf.Variable(1.0, use_resource=True, name="v")
    read = tf.get_default_graph().as_graph_element(v)
    assert (read.name, read.op.type) == ("v/Read/ReadVariableOp:0", "ReadVariableOp")


def test_a_caching_device_means_one_read_for_all() -> None:
    v = tf.get_variable("v", initializer=1.0, use_resource=True, caching_device="/cpu:0")
    assert v.value() is v.value()
    with tf.control_dependencies([tf.assign_add(v, 1.0).op, v.value()]):
        assert v.read_value() is not v.value()
