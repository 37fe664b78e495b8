"""Ragged tensors: made, cut, reduced and combined."""

from ..case import programs

PRELUDE = """
    a = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []]); b = tf.ragged.constant([[10, 20, 30, 40], [], [1, 2, 3], [7], []])
    f = tf.ragged.constant([[1., 2.], [], [3.5]]); deep = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    words = tf.ragged.constant([["so", "long"], ["thanks", "for", "all"]])
    lists = lambda r: run(r).to_list()
"""

TEXTS = {
    "constant": "show(lists(a), lists(deep), lists(words), a.get_shape(), a.dtype, a.ragged_rank, deep.ragged_rank, deep.get_shape())",
    "constant_dtype": "r = tf.ragged.constant([[1], []], dtype=tf.float32); show(lists(r), r.dtype)",
    "constant_inner": "r = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,)); show(lists(r), r.get_shape(), r.ragged_rank)",
    "from_row_splits": "show(lists(tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5, 9], [0, 4, 4, 6])))",
    "from_row_lengths": "show(lists(tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5, 9], [4, 0, 2])))",
    "from_row_starts": "show(lists(tf.RaggedTensor.from_row_starts([3, 1, 4, 1, 5, 9], [0, 4, 4])))",
    "from_row_limits": "show(lists(tf.RaggedTensor.from_row_limits([3, 1, 4, 1, 5, 9], [4, 4, 6])))",
    "from_value_rowids": "show(lists(tf.RaggedTensor.from_value_rowids([3, 1, 4, 1, 5, 9], [0, 0, 0, 0, 2, 2])), lists(tf.RaggedTensor.from_value_rowids([3], [1], nrows=4)))",
    "from_nested": "show(lists(tf.RaggedTensor.from_nested_row_splits([1, 2, 3, 4, 5], [[0, 2, 2, 3], [0, 2, 3, 5]])))",
    "from_tensor": "show(lists(tf.RaggedTensor.from_tensor([[1, 2], [3, 4]])), lists(tf.RaggedTensor.from_tensor([[1, 2, 3], [4, 5, 6]], lengths=[1, 3])), lists(tf.RaggedTensor.from_tensor([[1, 0, 0], [0, 5, 0]], padding=0)))",
    "from_sparse": "show(lists(tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 3]))))",
    "parts": "show(run([a.values, a.row_splits, a.flat_values, a.row_lengths(), a.row_starts(), a.row_limits(), a.value_rowids(), a.nrows(), a.bounding_shape()]))",
    "parts_of_deep": "show(run([deep.flat_values, *deep.nested_row_splits, deep.bounding_shape(), deep.nrows()]), lists(deep.values))",
    "to_tensor": "show(run([a.to_tensor(), a.to_tensor(default_value=-1), f.to_tensor(), deep.to_tensor(), words.to_tensor()]))",
    "to_sparse": "show(run(a.to_sparse()))",
    "row": "show(run([a[0], a[2], a[1], a[-2]]), lists(deep[0]))",
    "rows": "show(lists(a[1:]), lists(a[:2]), lists(a[1:3]), lists(deep[::1]))",
    "columns": "show(lists(a[:, :2]), lists(a[:, -2:]), lists(a[:, 1:]), lists(a[1:, :1]))",
    "element": "show(run([a[0, 2], a[2, 1]]))",
    "add": "show(lists(a + b), lists(a + 3), lists(3 + a), lists(tf.add(a, b)), lists(a * 2 - b))",
    "divide": "show(lists(f / 2.), lists(a // 2), lists(-a), lists(abs(-a)))",
    "compare": "show(lists(a > 3), lists(tf.equal(a, 1)), lists(tf.cast(a, tf.float32)))",
    "unary": "show(lists(tf.square(f)), lists(tf.abs(-f)))",
    "column_of_numbers": "show(lists(a + tf.constant([[100], [200], [300], [400], [500]])))",
    "concat_rows": "show(lists(tf.concat([a, b], axis=0)))",
    "concat_columns": "show(lists(tf.concat([a, b], axis=1)))",
    "map_flat_values": "show(lists(tf.ragged.map_flat_values(lambda x: x * 2 + 1, a)), lists(tf.ragged.map_flat_values(tf.add, a, b)))",
    "with_values": "show(lists(a.with_values(tf.range(8))), lists(deep.with_flat_values(tf.range(6))))",
}

#: Ordinary operations that take ragged tensors: name, expressions that give ragged tensors (or not).
TAKEN = """
tile | tf.tile(a, [2, 2]); tf.tile(deep, [1, 2, 1]); tf.tile(a, [2, 1]); tf.tile(a, [1, 0]); tf.tile(deep, [2, 1, 2])
gather | tf.gather(a, [2, 0]); tf.gather(deep, [0, 2, 0]); tf.gather(tf.range(12) * 10, a); tf.gather(a, tf.ragged.constant([[0], [1, 2]])); tf.gather(a, 2)
concat_deep | tf.concat([a, b], axis=-1); tf.concat([deep, deep], axis=1); tf.concat([deep, deep], axis=2); tf.concat([a, [[1, 2], [3, 4]]], axis=0); tf.concat([a, [[1], [2], [3], [4], [5]]], axis=1)
sizes | tf.size(a); tf.size(deep, out_type=tf.int64); tf.rank(a); tf.rank(deep); a.bounding_shape(); deep.bounding_shape(axis=1)
broadcast | wide + [10, 20]; f + [[1.], [2.], [3.]]; a + tf.ragged.constant([[1, 1, 1, 1], [], [2, 2, 2], [3], []])
steps | a[::2]; a[::-1]; a[:, ::2]; a[:, ::-1]; a[..., :1]; deep[:, :1]; deep[:, :1, :1]; deep[..., -1:]; a[10:]; a[1:-1]; a[:, 1:-1]; a[tf.constant(2)]
reductions | tf.reduce_mean(f, axis=1); tf.reduce_mean(a, axis=1); tf.reduce_sum(a, axis=1); tf.reduce_sum(deep.values, axis=1); tf.reduce_mean(wide, axis=1)
from_tensor_deep | tf.RaggedTensor.from_tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], ragged_rank=2); tf.RaggedTensor.from_tensor([[[1, 0], [3, 4]], [[0, 0], [7, 0]]], padding=[0, 0])
to_sparse_deep | deep.to_sparse(); tf.RaggedTensor.from_sparse(a.to_sparse())
"""
SHOWN = "shown = lambda *ts: show(*[v.to_list() if hasattr(v, 'to_list') else v for v in run(list(ts))])"
WIDE = "wide = tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)"
for row in TAKEN.strip().splitlines():
    title, expressions = row.split(" | ")
    TEXTS[f"taken_{title}"] = f"{WIDE}\n{SHOWN}\nshown({', '.join(expressions.split(';'))})"
FAILING = ("tf.RaggedTensor.from_row_splits([], [])", "tf.RaggedTensor.from_value_rowids([1], [4], nrows=2)", "a[0, 0, 0]", "a[:, 0.5:]",
           "tf.ragged.constant([1, [2]])", "tf.ragged.constant([[1, 2], [3]], ragged_rank=2)",
           "bool(a)", "a[:, 0]")  # fmt: skip
for number, expression in enumerate(FAILING):
    TEXTS[f"refused_{number}"] = f"fails(lambda: {expression})"
CASES = programs(
    "ragged",
    {
        name: "\n".join([*(line.strip() for line in PRELUDE.strip().splitlines()), text])
        for name, text in TEXTS.items()
    },
)
