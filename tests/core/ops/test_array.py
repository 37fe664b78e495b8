"""Shapes, slices and joins beyond the registry's promises: plans, waiting, errors."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import run

X = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def x(shape: Any = (3, 4)) -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name="x")


def test_known_shapes_become_constants() -> None:
    known, partly = x(), x((None, 4))
    for function, name in ((tf.shape, "Shape"), (tf.size, "Size")):
        assert function(known).op.type == "Const"
        assert function(partly).op.type == name
    assert tf.rank(partly).op.type == "Const"
    assert tf.rank(x(None)).op.type == "Rank"
    assert run(tf.shape(partly, out_type=tf.int64), {partly: X}).dtype == np.int64
    assert run(tf.rank(partly)) == 2


def test_an_argument_that_must_be_known() -> None:
    axis = tf.placeholder(tf.int32, [])
    with pytest.raises(ValueError, match="`axis` must be known when the graph is built"):
        tf.gather(x(), [[0]], axis=axis, batch_dims=1)
    assert tf.expand_dims(x(), tf.constant(1) - 1).shape.as_list() == [1, 3, 4]


def test_small_zeros_are_constants_and_large_ones_are_filled() -> None:
    assert [tf.zeros([2, 3]).op.type, tf.zeros([200, 30]).op.type] == ["Const", "Fill"]
    assert tf.ones([tf.placeholder(tf.int32, []), 3]).shape.as_list() == [None, 3]


def test_a_size_that_is_not_known_cannot_be_filled() -> None:
    unknown = x([None, 3])
    with pytest.raises(ValueError, match=r"a partially known TensorShape to a Tensor: \(\?, 3\)"):
        tf.ones(unknown.shape)
    with pytest.raises(TypeError, match="Expected int32, got None of type .NoneType. instead"):
        tf.zeros([unknown.shape[0], 4])


def test_group_gathers_device_by_device() -> None:
    with tf.device("/cpu:0"):
        first = tf.no_op("first")
    with tf.device("/cpu:1"):
        second = tf.no_op("second")
    both = tf.group(first, [second])
    assert both.name == "group_deps"
    assert [c.name for c in both.control_inputs] == ["group_deps/NoOp", "group_deps/NoOp_1"]
    assert [c.name for c in tf.group(first, name="done").control_inputs] == ["first"]
    with pytest.raises(TypeError, match="Received '3' with type"):
        tf.group(3)


def test_tuple_waits_for_all() -> None:
    counter = tf.Variable(0, name="counter")
    value = tf.constant(7)
    gated, nothing = tf.tuple([value, None], control_inputs=[counter.assign_add(1).op])
    assert (gated.name, nothing) == ("tuple/control_dependency:0", None)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(gated) == 7
        assert sess.run(counter) == 1
    with pytest.raises(ValueError, match="Must have at least one Tensor"):
        tf.tuple([None])


def test_axes_are_named_once_and_alone() -> None:
    with pytest.raises(ValueError, match="axis 0 specified more than once"):
        tf.reverse(X, [0, -2])
    with pytest.raises(ValueError, match="must be a tensor with a single value"):
        tf.expand_dims(X, [0, 1])
    with pytest.raises(ValueError, match="must be rank 1 but is rank 2"):
        tf.transpose(X, [[0, 1], [1, 0]])
    assert tf.expand_dims(X, [0]).shape.as_list() == [1, 3, 4]


def test_constants_have_a_limit() -> None:
    huge = np.broadcast_to(np.float32(0), (512, 1024, 1024))
    with pytest.raises(ValueError, match="larger than 2GB"):
        tf.constant(huge)
    with pytest.raises(ValueError, match="setting an array element with a sequence"):
        tf.constant([[1, 2], [3]], dtype=tf.int32)


def test_parts_of_a_variable_are_assigned_as_a_variable_is() -> None:
    whole, scalar = tf.Variable([1, 2, 3]), tf.Variable(1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(tf.assign(whole[:2], [7, 8])).tolist() == [7, 8, 3]
        assert sess.run(whole[5:].assign([])).tolist() == [7, 8, 3]
        assert sess.run(scalar[...].assign(6)) == 6


@pytest.mark.parametrize(
    ("perm", "text"),
    [
        ([0, 2], "2 is out of range [0 .. 2)"),
        ([-1, 0], "-1 is out of range [0 .. 2)"),
        ([0, 0], "1 is missing from {0,0}."),
        ([0], "transpose expects a vector of size 2. But input(1) is a vector of size 1"),
        ([0, 1, 2], "transpose expects a vector of size 2. But input(1) is a vector of size 3"),
        ([[1, 0]], "perm must be a vector, not [1,2]"),
    ],
)
def test_a_permutation_that_is_none(perm: list, text: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, places = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        turned = tf.transpose(x, places)
        given = np.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(session.run(turned, {x: given, places: [1, 0]}), given.T)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(turned, {x: given, places: perm})
    assert str(caught.value).startswith(text)


# ---- ragged tensors ------------------------------------------------------------------------------


def test_what_does_not_take_ragged_tensors_says_so() -> None:
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    with pytest.raises(TypeError, match="RaggedTensor"):
        tf.matmul(rows, np.eye(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("maker", "values", "parts"),
    [
        ("from_row_splits", [1, 2, 3], [[0, 2, 1, 3]]),
        ("from_row_splits", [1, 2, 3], [[0, 2, 4]]),
        ("from_row_lengths", [1, 2, 3], [[1, 1]]),
        ("from_row_starts", [1, 2, 3], [[1, 2]]),
        ("from_row_limits", [1, 2, 3], [[2, 1]]),
        ("from_value_rowids", [1, 2], [[1, 0], 2]),
        ("from_value_rowids", [1, 2], [[0, 1, 1], 2]),
    ],
)
def test_parts_that_cut_no_rows(maker: str, values: list, parts: list) -> None:
    fed = [tf.placeholder_with_default(tf.constant(each, tf.int64), None) for each in parts]
    make = getattr(tf.RaggedTensor, maker)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{maker} do not form a valid"):
            sess.run(make(values, *fed).row_splits)
        sess.run(make(values, *fed, validate=False).row_splits)


def test_elementwise_functions_of_sparse_tensors() -> None:
    a = tf.SparseTensor([[0, 1], [2, 0]], [-4.0, 9.0], [3, 4])
    with tf.Session() as sess:
        assert sess.run(tf.sqrt(tf.abs(a))).values.tolist() == [2.0, 3.0]
        with pytest.raises(TypeError, match="Failed to convert"):
            tf.exp(a)


def test_operands_of_other_shapes(sess):
    rows = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="size mismatch in dimension"):
        sess.run(rows + tf.ragged.constant([[1], [2, 3]]))
    with pytest.raises(ValueError, match="Unable to broadcast"):
        rows + tf.ragged.constant([[[1]], [[2]]])
    with pytest.raises(ValueError, match="Unable to broadcast"):
        rows + tf.constant([[10, 20]])


def test_a_shape_that_is_fed_counts_where_the_static_shape_stays() -> None:
    x, sizes = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int32, [1])
    y = tf.reshape(x, sizes)
    assert y.shape.as_list() == [2]
    with tf.Session() as session:
        assert session.run(y, {x: [1, 2], sizes: [-1]}).tolist() == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 values, but the .* has 3"):
            session.run(y, {x: [1, 2], sizes: [3]})
