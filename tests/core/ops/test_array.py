"""Shapes, slices and joins beyond the registry's promises: values, names, static shapes, errors."""

import re
from typing import Any

import numpy as np
import pytest

import minitf as tf

X = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def x(shape: Any = (3, 4)) -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name="x")


# ---- constants and placeholders ----------------------------------------------------------


def test_an_unfed_placeholder_says_which_it_is() -> None:
    placeholder = tf.placeholder(tf.float32, [None, 2], name="images")
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"You must feed a value for placeholder tensor 'images' with dtype float and shape "
        r"\[\?,2\]",
    ):
        run(placeholder * 2.0)


def test_a_default_may_be_fed_over() -> None:
    value = tf.placeholder_with_default([1.0, 2.0], [None])
    assert value.shape.as_list() == [None]
    assert run(value).tolist() == [1.0, 2.0]
    assert run(value, {value: [5.0]}).tolist() == [5.0]
    with pytest.raises(
        ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 3"
    ):
        tf.placeholder_with_default([1.0, 2.0], [3])


def test_gradients_stop_where_they_are_stopped() -> None:
    value = x()
    assert tf.gradients(tf.stop_gradient(value) * 2.0, value) == [None]
    assert run(tf.stop_gradient(value), {value: X}).tolist() == X.tolist()


# ---- shapes ------------------------------------------------------------------------------


def test_known_shapes_become_constants() -> None:
    known, partly = x(), x((None, 4))
    for function, name in ((tf.shape, "Shape"), (tf.size, "Size")):
        assert function(known).op.type == "Const"
        assert function(partly).op.type == name
    assert tf.rank(partly).op.type == "Const"
    assert tf.rank(x(None)).op.type == "Rank"
    assert run(tf.shape(partly, out_type=tf.int64), {partly: X}).dtype == np.int64
    assert run(tf.rank(partly)) == 2


@pytest.mark.parametrize(
    ("given", "wanted", "static"),
    [
        ((3, 4), [-1], (12,)),
        ((3, 4), [2, -1], (2, 6)),
        ((None, 4), [-1, 2, 2], (None, 2, 2)),
        ((3, 4), [4, 3], (4, 3)),
        (None, [-1, 6], (None, 6)),
    ],
)
def test_reshape_infers_what_it_can(given: Any, wanted: list, static: tuple) -> None:
    value = x(given)
    result = tf.reshape(value, wanted)
    assert result.name == "Reshape:0"
    assert tuple(result.shape.as_list()) == static
    assert run(result, {value: X}).tolist() == X.reshape(wanted).tolist()


def test_reshape_by_a_computed_shape() -> None:
    value = x((None, 4))
    result = tf.reshape(value, [tf.shape(value)[0], 2, 2])
    assert result.shape.as_list() == [None, 2, 2]
    assert run(result, {value: X}).shape == (3, 2, 2)
    assert run(tf.reshape([[7.0]], [])) == 7.0


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            [5],
            r"Cannot reshape a tensor with 12 elements to shape \[5\] \(5 elements\) for 'Reshape'",
        ),
        ([5, -1], r"Dimension size must be evenly divisible by 5 but is 12 for 'Reshape'"),
    ],
)
def test_reshape_that_cannot_fit(wanted: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.reshape(x(), wanted)


_THREE = np.zeros((2, 3, 4), np.float32)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tf.constant(_THREE)[-7], "slice index -5 of dimension 0 out of bounds."),
        (
            lambda: tf.strided_slice(_THREE, [0], [1], [-1], shrink_axis_mask=1),
            "only stride 1 allowed on non-range indexing.",
        ),
        (lambda: tf.pad([1, 2], [[1]]), "Dimension must be 2 but is 1"),
        (lambda: tf.split(tf.ones([4]), [-1, -1]), "size_splits can only have one -1"),
        (lambda: tf.broadcast_to(np.ones((2, 3)), [3, 2]), "must be equal, but are 3 and 2"),
        (lambda: tf.dynamic_partition([1, 2, 3], [0, 1], 2), "must be equal, but are 3 and 2"),
        (
            lambda: tf.dynamic_stitch([[0, 1], [2]], [[1, 2], [[3]]]),
            "Shapes must be equal rank, but are 0 and 1",
        ),
        (
            lambda: tf.reverse_sequence(np.ones((2, 3)), [2, 2, 1], seq_axis=1),
            "Dimensions must be equal, but are 2 and 3",
        ),
        (
            lambda: tf.edit_distance(
                tf.SparseTensor([[0, 0]], ["a"], [1, 1]),
                tf.SparseTensor([[0, 0, 0]], ["a"], [1, 1, 1]),
            ),
            "does not match truth_shape: 2 vs. 3",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused_while_the_graph_is_built(
    build: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        build()


def test_reshape_that_does_not_fit_when_it_runs() -> None:
    value = x(None)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="Input to reshape is a tensor with 12 values, but the requested shape has 5",
    ):
        run(tf.reshape(value, [5]), {value: X})


def test_expand_and_squeeze() -> None:
    assert tf.expand_dims(x(), -1).shape.as_list() == [3, 4, 1]
    assert tf.expand_dims(x(), dim=0).shape.as_list() == [1, 3, 4]
    assert tf.squeeze(x((1, 3, 1))).shape.as_list() == [3]
    assert tf.squeeze(x((1, None, 1)), [0]).shape.as_list() == [None, 1]
    assert tf.squeeze(x((None, 3, 1))).shape.ndims is None
    assert run(tf.squeeze([[3.0]])) == 3.0
    with pytest.raises(ValueError, match=r"dim 5 not in the interval \[-3, 2\]"):
        tf.expand_dims(x(), 5)
    with pytest.raises(
        ValueError, match=r"Can not squeeze dim\[1\], expected a dimension of 1, got 3"
    ):
        tf.squeeze(x((1, 3)), [1])
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        tf.expand_dims(x(), 1, dim=1)


def test_transpose() -> None:
    value = x((None, 4))
    assert tf.transpose(value).name == "transpose:0"
    assert tf.transpose(value).shape.as_list() == [4, None]
    assert run(tf.transpose(value), {value: X}).tolist() == X.T.tolist()
    assert tf.transpose(x((2, 3, 4)), perm=[2, 0, 1]).shape.as_list() == [4, 2, 3]
    with pytest.raises(ValueError, match="Dimension must be 2 but is 3 for 'transpose"):
        tf.transpose(value, [0, 1, 2])
    with pytest.raises(ValueError, match="rank >= 2"):
        tf.matrix_transpose(x((3,)))


def test_an_argument_that_must_be_known() -> None:
    axis = tf.placeholder(tf.int32, [])
    with pytest.raises(ValueError, match="`axis` must be known when the graph is built"):
        tf.gather(x(), [[0]], axis=axis, batch_dims=1)
    assert tf.expand_dims(x(), tf.constant(1) - 1).shape.as_list() == [1, 3, 4]


def test_broadcast_to() -> None:
    assert run(tf.broadcast_to([1, 2], [2, 2])).tolist() == [[1, 2], [1, 2]]
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 5"):
        tf.broadcast_to(x(), [3, 5])


# ---- made from a rule --------------------------------------------------------------------


def test_small_zeros_are_constants_and_large_ones_are_filled() -> None:
    assert [tf.zeros([2, 3]).op.type, tf.zeros([200, 30]).op.type] == ["Const", "Fill"]
    assert tf.zeros([2]).name == "zeros_2:0"
    assert run(tf.ones([200, 30], tf.bool)).all()
    assert run(tf.zeros([2], tf.string)).tolist() == [b"", b""]
    assert run(tf.zeros([])) == 0.0
    rows = tf.placeholder(tf.int32, [])
    filled = tf.ones([rows, 3])
    assert filled.shape.as_list() == [None, 3]
    assert run(filled, {rows: 2}).tolist() == [[1.0] * 3] * 2


def test_a_size_that_is_not_known_cannot_be_filled() -> None:
    unknown = x([None, 3])
    with pytest.raises(ValueError, match=r"a partially known TensorShape to a Tensor: \(\?, 3\)"):
        tf.ones(unknown.shape)
    with pytest.raises(TypeError, match="Expected int32, got None of type .NoneType. instead"):
        tf.zeros([unknown.shape[0], 4])


def test_likes() -> None:
    partly = x((None, 4))
    assert tf.zeros_like(x()).op.type == "Const"
    assert tf.zeros_like(partly).op.type == "ZerosLike"
    assert tf.zeros_like(x(), False).dtype == tf.float32  # as an older order of arguments had it
    assert tf.ones_like(partly, tf.int32).dtype == tf.int32
    assert run(tf.ones_like(partly), {partly: X}).tolist() == np.ones_like(X).tolist()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((5,), [0, 1, 2, 3, 4]),
        ((3, 18, 3), [3, 6, 9, 12, 15]),
        ((3, 1, -0.5), [3.0, 2.5, 2.0, 1.5]),
    ],
)
def test_range(arguments: tuple, expected: list) -> None:
    result = tf.range(*arguments)
    assert result.shape.as_list() == [len(expected)]
    assert run(result).tolist() == expected


def test_range_names_its_ends_and_refuses_nonsense() -> None:
    result = tf.range(1, 5.0)
    assert [t.name for t in result.op.inputs] == ["range/Cast:0", "range/limit:0", "range/Cast_1:0"]
    with pytest.raises(ValueError, match="Requires start <= limit when delta > 0: 5/1"):
        tf.range(5, 1)
    with pytest.raises(ValueError, match="Requires delta != 0"):
        tf.range(0, 5, 0)


def test_linspace() -> None:
    assert run(tf.linspace(0.0, 1.0, 5)).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    with pytest.raises(ValueError, match="Requires num > 0"):
        tf.linspace(0.0, 1.0, 0)


def test_one_hot() -> None:
    assert run(tf.one_hot([0, 2, -1], 3)).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert run(tf.one_hot([1, 0], 2, on_value=5, off_value=-1, axis=0)).tolist() == [
        [-1, 5],
        [5, -1],
    ]
    assert tf.one_hot([1], 2, dtype=tf.float64).dtype == tf.float64
    labels = tf.placeholder(tf.int32, [None])
    assert tf.one_hot(labels, 10).shape.as_list() == [None, 10]
    with pytest.raises(TypeError, match="int32'> of on_value does not match dtype .*float32"):
        tf.one_hot([1], 2, on_value=1, off_value=2.0)


# ---- joining and splitting ---------------------------------------------------------------


def test_concat_in_both_orders() -> None:
    a, b = tf.constant([[1, 2]]), tf.constant([[3, 4]])
    assert run(tf.concat([a, b], 0)).tolist() == [[1, 2], [3, 4]]
    assert run(tf.concat(1, [a, b])).tolist() == [[1, 2, 3, 4]]
    assert tf.concat([x((None, 4)), x((2, 4))], 0).shape.as_list() == [None, 4]
    assert tf.concat([a], 0).name == "concat_3/concat:0"


def test_concat_errors() -> None:
    with pytest.raises(
        ValueError, match="Dimension 0 in both shapes must be equal, but are 3 and 2"
    ):
        tf.concat([x(), x((2, 4))], 1)
    with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
        tf.concat([x(), x((4,))], 1)
    with pytest.raises(TypeError, match=r"have types \[float32, int32\] that don't all match"):
        tf.concat([x(), tf.zeros([3, 4], tf.int32)], 1)


def test_stack_and_unstack() -> None:
    assert tf.stack([1, 2]).op.type == "Const"
    assert run(tf.stack([[1, 4], [2, 5]], axis=1)).tolist() == [[1, 2], [4, 5]]
    parts = tf.unstack(x((None, 2)), axis=1)
    assert [p.name for p in parts] == ["unstack:0", "unstack:1"]
    assert parts[0].shape.as_list() == [None]
    with pytest.raises(ValueError, match=r"Cannot infer num from shape \(\?, 4\)"):
        tf.unstack(x((None, 4)))
    with pytest.raises(ValueError, match="From merging shape 0 with other shapes"):
        tf.stack([x(), x((4,))])


def test_split_in_both_orders() -> None:
    value = tf.constant(X)
    old, new = tf.split(1, 2, value), tf.split(value, 2, 1)
    keywords = tf.split(split_dim=1, num_split=2, value=value)
    for parts in (old, new, keywords):
        assert [p.tolist() for p in run(parts)] == [X[:, :2].tolist(), X[:, 2:].tolist()]
    assert [p.shape.as_list() for p in tf.split(value, [1, -1], 1)] == [[3, 1], [3, 3]]
    assert tf.split(value, 3)[2].name == "split_4:2"


def test_split_errors() -> None:
    with pytest.raises(ValueError, match="Dimension size must be evenly divisible by 3 but is 4"):
        tf.split(x(), 3, 1)
    with pytest.raises(ValueError, match=r"can't split axis of size 4 into pieces of size \[1,2\]"):
        tf.split(x(), [1, 2], 1)


# ---- x[...] ------------------------------------------------------------------------------


INDICES: list = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -1),
    (slice(None), 1),
    (Ellipsis, 1),
    (slice(None), np.newaxis),
    (slice(0, 3, 2), slice(-2, None)),
    (0, Ellipsis, np.newaxis),
    (np.newaxis, slice(None, -1), 2),
    (slice(None), slice(3, 0, -2)),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("shape", [(3, 4), (None, 4), (None, None), None], ids=str)
def test_indexing_is_numpys(index: Any, shape: Any) -> None:
    value = x(shape)
    result = value[index]
    expected = X[index]
    assert result.name == "strided_slice:0"
    assert result.shape.is_compatible_with(expected.shape)
    if shape == (3, 4):
        assert result.shape.as_list() == list(expected.shape)
    assert run(result, {value: X}).tolist() == expected.tolist()


def test_indexing_by_tensors() -> None:
    value, i = x((None, 4)), tf.placeholder(tf.int32, [])
    element, rows = value[i, 1], value[i:, 0]
    assert (element.shape.as_list(), rows.shape.as_list()) == ([], [None])
    assert run(element, {value: X, i: 2}) == X[2, 1]
    assert run(rows, {value: X, i: 1}).tolist() == X[1:, 0].tolist()
    assert run(value[tf.constant(1, tf.int64)], {value: X}).tolist() == X[1].tolist()


def test_a_mask_as_an_index() -> None:
    value = x()
    assert run(value[value > 9.0], {value: X}).tolist() == [10.0, 11.0]


@pytest.mark.parametrize(
    ("index", "kind", "message"),
    [
        (5, ValueError, "slice index 5 of dimension 0 out of bounds."),
        ((0, 0, 0), ValueError, "Index out of range using input dim 2; input has only 2 dims"),
        ((Ellipsis, Ellipsis), ValueError, "Multiple ellipses in slice spec not allowed"),
        (slice(None, None, 0), ValueError, "strides[0] must be non-zero"),
        (1.5, TypeError, "scalar tf.int32/tf.int64 tensors are valid indices, got 1.5"),
        ("a", TypeError, "are valid indices, got 'a'"),
        (True, ValueError, "mask cannot be scalar."),
    ],
)
def test_indices_that_make_no_sense(index: Any, kind: type, message: str) -> None:
    with pytest.raises(kind) as caught:
        x()[index]
    assert message in str(caught.value)


def test_an_index_outside_when_it_runs() -> None:
    value = x(None)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="slice index 5 of dimension 0 out of bounds"
    ):
        run(value[5], {value: X})


def test_slice() -> None:
    value = x((None, 4))
    result = tf.slice(value, [1, 0], [-1, 2])
    assert result.shape.as_list() == [None, 2]
    assert run(result, {value: X}).tolist() == X[1:, :2].tolist()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Expected size\[0\] in \[0, 2\], but got 7"
    ):
        run(tf.slice(value, [1, 0], [7, 2]), {value: X})
    with pytest.raises(ValueError, match="Negative dimension size caused by subtracting 2 from 1"):
        tf.slice(tf.zeros([1]), [2], [-1])
    assert tf.slice(tf.zeros([3]), [3], [-1]).shape == [0]


# ---- gathering and masks -----------------------------------------------------------------


def test_gather() -> None:
    value = x((None, 4))
    assert tf.gather(value, [0, 1]).name == "GatherV2:0"
    assert tf.gather(value, [[0, 2]], axis=1).shape.as_list() == [None, 1, 2]
    assert run(tf.gather(value, 2), {value: X}).tolist() == X[2].tolist()
    for bad in ([5], [-1]):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=rf"indices\[0\] = {bad[0]} is not in \[0, 3\)"
        ):
            run(tf.gather(value, bad), {value: X})


def test_the_gradient_of_a_gather_adds_up() -> None:
    table = tf.constant(X)
    (gradient,) = tf.gradients(tf.gather(table, [1, 1, 0]), table)
    assert isinstance(gradient, tf.IndexedSlices)
    whole = run(tf.convert_to_tensor(gradient))
    assert whole.tolist() == [[1.0] * 4, [2.0] * 4, [0.0] * 4]


def test_gather_nd_and_scatter_nd() -> None:
    assert run(tf.gather_nd(X, [[0, 1], [2, 3]])).tolist() == [1.0, 11.0]
    assert run(tf.scatter_nd([[1], [1]], [[1, 2], [3, 4]], [2, 2])).tolist() == [[0, 0], [4, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 7\] does not index into param"):
        run(tf.gather_nd(X, [[0, 7]]))


def test_segments_may_be_dropped() -> None:
    assert run(tf.unsorted_segment_sum([1, 2, 4], [0, -1, 0], 2)).tolist() == [5, 0]


def test_masks() -> None:
    assert run(tf.boolean_mask(X, [True, False, True])).tolist() == X[[0, 2]].tolist()
    assert run(tf.boolean_mask(X, [True, False, False, True], axis=1)).shape == (3, 2)
    assert tf.boolean_mask(x(), tf.placeholder(tf.bool, [None])).shape.as_list() == [None, 4]
    assert run(tf.sequence_mask([1, 3], 4, dtype=tf.int32)).tolist() == [[1, 0, 0, 0], [1, 1, 1, 0]]
    assert run(tf.sequence_mask([1, 3])).shape == (2, 3)
    with pytest.raises(ValueError, match="Number of mask dimensions must be specified"):
        tf.boolean_mask(x(), tf.placeholder(tf.bool))


# ---- control -----------------------------------------------------------------------------


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


# ---- what TensorFlow refuses ----------------------------------------------------------------


def test_sizes_below_minus_one() -> None:
    sizes = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Size 1 must be non-negative, not -2"):
        run(tf.reshape(tf.zeros([5, 5]), sizes), {sizes: [5, -2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimension -1 must be >= 0"):
        run(tf.fill(sizes, 7), {sizes: [-1]})


@pytest.mark.parametrize(
    ("mode", "paddings", "text"),
    [
        ("REFLECT", [[2, 0], [0, 2]], "must be less than the dimension size: 2, 0 not less than 2"),
        ("SYMMETRIC", [[0, 3], [0, 2]], "must be no greater than the dimension size: 0, 3 greater"),
    ],
)
def test_mirrors_reach_no_further_than_the_tensor(mode: str, paddings: list, text: str) -> None:
    given = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.pad([[1, 2, 3], [4, 5, 6]], given, mode), {given: paddings})


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


def test_the_form_of_a_sparse_tensor() -> None:
    value = tf.SparseTensorValue([[0, 1], [1, 0]], [42, 24], [2, 3])
    for sparse in (value, tf.SparseTensor.from_value(value)):
        assert run(tf.shape(sparse)).tolist() == [2, 3]
        assert run(tf.size(sparse)) == 6
        assert run(tf.rank(sparse)) == 2


def test_parts_of_a_variable_are_assigned_as_a_variable_is() -> None:
    whole, scalar = tf.Variable([1, 2, 3]), tf.Variable(1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(tf.assign(whole[:2], [7, 8])).tolist() == [7, 8, 3]
        assert sess.run(whole[5:].assign([])).tolist() == [7, 8, 3]
        assert sess.run(scalar[...].assign(6)) == 6
    with pytest.raises(TypeError, match="has type int8 that does not match type int32"):
        whole[:].assign(tf.constant([1, 2, 3], tf.int8))
