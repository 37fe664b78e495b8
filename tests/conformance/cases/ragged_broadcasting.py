"""Ragged operands of other shapes: what is repeated and what is refused."""

import textwrap

from ..case import programs

#: two operands, which the sum and a comparison are asked of
PAIRS = """
outer_one | R([[5, 6, 7]]) | R([[1, 2, 3], [3, 4, 5]])
outer_one_right | R([[1, 2], [3, 4]]) | R([[10, 20]])
outer_one_deep | R([[[1], [2, 3]]]) | R([[[1], [2, 3]], [[3], [5, 6]]])
outer_one_unlike | R([[1, 2, 3]]) | R([[1, 2, 3], [3]])
rows_of_one | R([[1], [2]]) | R([[1, 2], [3]])
other_lengths | R([[1, 2], [3, 4]]) | R([[1, 2, 3], [3]])
column | R([[1, 2], [3]]) | tf.constant([[10], [20]])
row_of_one | R([[1, 2], [3]]) | tf.constant([10])
row_of_two | R([[1, 2], [3]]) | tf.constant([10, 11])
matrix_unlike | R([[1], [3]]) | tf.constant([[10, 5], [6, 7]])
matrix_alike | R([[1, 2], [3, 4]]) | tf.constant([[10, 5], [6, 7]])
scalar | R([[1, 2], [], [3]]) | tf.constant(3)
deep_column | R([[[1, 2], [3]], [[4]]]) | tf.constant([[[1]], [[2]]])
deep_one | R([[[1, 2], [3]], [[4]]]) | tf.constant([[7]])
inner_axes | R([[[1, 2]], [[3, 4], [5, 6]]], 1) | tf.constant([10, 20])
inner_column | R([[[1, 2]], [[3, 4], [5, 6]]], 1) | tf.constant([[[1]], [[2]]])
inner_repeated | R([[[1]], [[3], [5]]], 1) | tf.constant([[[1, 2]], [[3, 4]]])
more_axes | R([[1, 2], [3]]) | tf.constant([[[10]], [[20]]])
empty_rows | R([[], [1, 2], []]) | tf.constant([[1], [2], [3]])
three_rows | R([[1, 2], [3]]) | tf.constant([[10], [20], [30]])
unknown_rows | tf.RaggedTensor.from_row_splits([1, 2, 3], tf.placeholder_with_default([0, 3], [None])) | R([[1, 2, 3], [3, 4, 5]], None, tf.int32)
"""
START = """
def R(value, rank=None, kind=tf.int64):
    return tf.ragged.constant(value, dtype=tf.int32, ragged_rank=rank, row_splits_dtype=kind)
"""
TEXTS = {}
for line in PAIRS.strip().splitlines():
    title, one, other = line.split(" | ")
    TEXTS[title] = f"""{START}
def kind(make):
    try:
        x = run(make())
        return x.to_list() if hasattr(x, "to_list") else x
    except Exception as error:
        return type(error).__name__
x, y = {one}, {other}
show(kind(lambda: x + y), kind(lambda: tf.maximum(y, x)), kind(lambda: tf.less(x, y)))
"""
TEXTS["joined"] = f"""{START}
r, d = tf.ragged.constant([["a", "b"], [], ["c"]]), tf.ragged.constant([[["a", "b"], []], [["c"]]])
join = tf.strings.reduce_join
show(run([join(r, axis=1), join(r, axis=-1, separator="-"), join(r, axis=0), join(r)]))
show(run([join(r, axis=1, keep_dims=True), join(d, axis=[1, 2])]), run(join(d, axis=2)).to_list(), run(join(d, axis=1)).to_list())
"""
TEXTS["segments_joined"] = """
join = tf.strings.unsorted_segment_join
check(join(["a", "b", "c"], [0, 1, 0], 2))
check(join([["a", "b"], ["c", "d"], ["e", "f"]], [1, 0, 1], 3, separator="+"))
check(join([["a", "b"], ["c", "d"]], [[1, 0], [1, 1]], 2, ":"))
for ids in ([0, 1, 5], [0, -1, 1]):
    try:
        run(join(["a", "b", "c"], ids, 2))
    except tf.errors.InvalidArgumentError:
        show(str(ids))
"""
SHAPES = {
    "of_tensors": """
        from_tensor, from_sizes = S.from_tensor, S.from_dim_sizes
        for x in (R([[1, 2], [], [3]]), R([[[1, 2]], [[3, 4], [5, 6]]], 1), R([[[1], []], [[2, 3]]]), tf.zeros([2, 3])):
            s = from_tensor(x)
            show(s.rank, s.num_partitioned_dimensions, s.num_inner_dimensions, s.dim_size_dtype)
            show([s.is_ragged(i) for i in range(s.rank)], run([s.dimension_size(i) for i in range(s.rank)]))
        s = from_sizes([2, [1, 2], 3])
        show(s.rank, s.num_inner_dimensions, run(s.inner_dim_sizes), run(list(s.partitioned_dim_sizes)))
        fails(lambda: S([[1, 2], 3], [])); fails(lambda: S([2, 3], [])); fails(lambda: s.is_ragged(-1)); fails(lambda: s.is_ragged(3))
        fails(lambda: s.broadcast_to_rank(2)); show(run(list(s.broadcast_to_rank(4).partitioned_dim_sizes)))
    """,
    "met": """
        def sizes(s):
            return run([s.dimension_size(i) for i in range(s.rank)])
        for one, other in (([2, [1, 3]], [1, 1]), ([1], [2, [1, 3]]), ([1, 3], [4, 1]), ([2, [2, 1], 1], [2, 1, [3, 4, 5]]), ([1, [2]], [3, [2, 2, 2], 1]), ([2, [1, 2], [3, 4, 5]], [1, 1, 1])):
            try:
                show(sizes(ragged_tensor_shape.broadcast_dynamic_shape(S.from_dim_sizes(one), S.from_dim_sizes(other))))
            except tf.errors.InvalidArgumentError:
                show("refused")
        show(sizes(S.from_dim_sizes([2, 1]).broadcast_dimension(1, [2, 3])), sizes(S.from_dim_sizes([1, [3]]).broadcast_dimension(0, 4)))
        fails(lambda: ragged_tensor_shape.broadcast_dynamic_shape(3, S.from_dim_sizes([1])))
    """,
    "broadcast_to": """
        to = ragged_tensor_shape.broadcast_to
        for x, sizes in ((tf.constant(7), [2, [1, 2]]), (tf.constant([[1], [2]]), [2, [3, 2]]), (R([[1, 2]]), [3, [2, 2, 2]]), (tf.constant([[[1], [2]]]), [2, 2, [1, 0, 2, 3]]),
                         (tf.constant([5, 6]), [2, [1, 2], 2]), (R([[[1, 2]], [[3, 4], [5, 6]]], 1), [2, [1, 2], 2]), (tf.constant([1, 2, 3]), [2, 3]), (tf.constant([[1]]), [2, [1, 2], 2])):
            found = run(to(x, S.from_dim_sizes(sizes)))
            show(found.to_list() if hasattr(found, "to_list") else found)
        fails(lambda: to(R([[1]]), S.from_dim_sizes([2, 2]))); fails(lambda: to(tf.zeros([1, 1, 1]), S.from_dim_sizes([2, [1, 2]]))); fails(lambda: to(1, [2]))
    """,
}
LINES = (
    "from importlib import import_module",
    "if tf.__name__.startswith('tensorflow'):",
    "    from tensorflow.python.ops.ragged import ragged_tensor_shape",
    "else:",
    "    ragged_tensor_shape = import_module('minitf.library.sparse.ragged_shapes')",
    "    ragged_tensor_shape.broadcast_to = import_module('minitf.library.sparse.ragged_functions').broadcast_to",
    "S = ragged_tensor_shape.RaggedTensorDynamicShape",
)
BEFORE = "\n".join(LINES) + START

TEXTS |= {name: BEFORE + textwrap.dedent(text) for name, text in SHAPES.items()}
CASES = programs("ragged_broadcasting", TEXTS)
