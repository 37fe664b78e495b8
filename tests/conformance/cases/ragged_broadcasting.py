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
SHAPES = {}
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
