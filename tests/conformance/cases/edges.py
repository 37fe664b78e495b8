"""Elementwise operations, casts and reductions of edge values and of empty tensors, in every type.

Edge values are NaN, infinities, negative zero, the ends of the integers, and empty and wide texts.
"""

from ..case import programs, table

PRELUDE = """
edges = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, 0.5, 2.5, 1e4]
def ends(kind): return np.array([np.iinfo(kind).min, np.iinfo(kind).max, 0, 1, 2, 7]).astype(kind)
def call(name, *given):
    function = tf
    for part in name.split("."): function = getattr(function, part)
    try:
        with tf.Graph().as_default(), tf.Session() as sess: show(sess.run(function(*(tf.constant(each) if isinstance(each, np.ndarray) else each for each in given))))
    except Exception as error: show(error)
def pairs(values): return np.repeat(values, len(values)), np.tile(values, len(values))
"""

PROGRAMS = {
    "unary": """
for name in ("abs negative sign square sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc "
        "floor ceil round sigmoid reciprocal nn.softplus nn.softsign nn.relu nn.relu6 nn.elu nn.selu log_sigmoid is_nan is_inf is_finite").split():
    for kind in (np.float16, np.float32, np.float64): call(name, np.array([e for e in edges if kind != np.float16 or e != 1e4], kind))
""",
    "complex": """
z = np.array([0, 1, -1, 1j, 2 - 3j, -.5 + .25j])
for name in "abs negative square sqrt exp sin cos tanh sigmoid conj real imag".split(): call(name, z.astype(np.complex64)); call(name, z)
for name in "add subtract multiply equal not_equal".split(): call(name, *pairs(z.astype(np.complex64)))
""",
    "pairs": """
for name in "add subtract multiply maximum minimum squared_difference equal not_equal less less_equal greater greater_equal".split():
    for kind in (np.float16, np.float32, np.float64): call(name, *pairs(np.array(edges, kind)))
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64): call(name, *pairs(ends(kind)))
""",
    "quotients": """
for name in "divide floordiv floormod truediv div_no_nan pow atan2".split():
    for kind in (np.float32, np.float64): call(name, *pairs(np.array(edges, kind)))
for name in "floordiv floormod truncatediv truncatemod div truediv".split():
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64): call(name, *pairs(np.array([1, 2, 3, 5, 7, 100], kind)))
""",
    "texts": """
words = np.array(["", "a", "Ab c", "h\\u00e9llo", "\\u65e5\\u672c", " 12 ", "x,y,,z"], object)
for name in "lower strip length".split(): call("strings." + name, words)
for name in ("equal", "not_equal"): call(name, *pairs(words))
for text in ("1", "-2", "1.5", " 7 ", "x", "nan", "inf", "9999999999"):
    for kind in (tf.float32, tf.float64, tf.int32, tf.int64): call("strings.to_number", [text], kind)
""",
    "as_text": """
for kind in (np.float32, np.float64): call("as_string", np.array(edges, kind)); call("as_string", np.array(edges, kind), 2); call("as_string", np.array(edges, kind), -1, True)
for kind in (np.int8, np.int32, np.int64): call("as_string", ends(kind))
call("as_string", [True, False]); call("as_string", np.array([1 - 2j], np.complex64)); show(run(tf.as_string([3, -4], width=7, fill="0")))
""",
    "casts": """
kinds = [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64, np.complex64, np.bool_]
for start in kinds:
    for kind in kinds: call("cast", np.array([0, 1, 2, 5]).astype(start), kind)
for start in (np.int32, np.int64):
    for kind in (np.int8, np.uint8, np.int16, np.int32): call("saturate_cast", ends(start), kind)
""",
    "reductions": """
for name in "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_logsumexp".split():
    for kind in (np.float32, np.float64):
        call(name, np.array([edges, [1.] * 10], kind), 1); call(name, np.array([[np.inf, 1.], [-np.inf, 2.]], kind)); call(name, np.zeros([2, 0], kind), 1)
for name in "reduce_sum reduce_max reduce_min".split():
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64): call(name, np.array([[1, 5, 2], [7, 0, 3]], kind), 1, True); call(name, np.zeros([0, 2], kind), 0)
for name in ("reduce_any", "reduce_all"): call(name, [[True, False], [True, True]], 1); call(name, np.zeros([2, 0], bool), [1])
""",
}  # fmt: skip

#: What is empty, of rank 0, or refused.
ROWS = """
largest_of_nothing | tf.reduce_max(np.zeros([0, 2], np.int64), [-2])
nearest_of_one | tf.image.resize_nearest_neighbor(np.ones([1, 1, 1, 2], "f"), [5, 5])
bicubic_of_bytes | tf.image.resize_bicubic(np.arange(16, dtype=np.uint8).reshape(1, 4, 2, 2), [7, 2])
log_softmax_of_nothing | tf.nn.log_softmax(np.zeros([0]), 0)
softmax_of_nothing | tf.nn.softmax(np.zeros([2, 0], "f"))
gather_nd_of_no_index | tf.gather_nd(np.arange(24, dtype=np.uint8).reshape(4, 3, 2), np.zeros([1, 0], np.int32))
sort_down | tf.sort(np.array([3, 1, 2], np.int32), 0, "DESCENDING")
transpose_of_nothing | tf.transpose(np.zeros([2, 2, 3, 0], "f"), [1, 2, 0, 3])
one_hot_of_a_scalar | tf.one_hot(2, 4, axis=-1, on_value=2.0)
top_none | tf.nn.top_k(np.ones([5, 4]), 0)[0]
norm_of_order_three | tf.norm(np.array([1., -2., .5, 3.], "f"), ord=3, axis=-1)
join_of_one_text | tf.strings.reduce_join("a", None, keepdims=True, separator="-")
unknown_transpose | tf.transpose(tf.placeholder_with_default(np.zeros([2, 3], "f"), None), [1, 0])
"""

REFUSED = """
range_away | tf.range(1, 9, -3)
range_by_nothing | tf.range(-2, 4, 0)
diagonal_of_odd_rank | tf.diag_part(np.ones([3, 3, 2], np.int64))
mask_of_unknown_rank | tf.boolean_mask(np.zeros([4, 1]), tf.placeholder_with_default(np.zeros([4, 1], bool), None))
band_too_wide | run(tf.linalg.band_part(np.ones([3, 2, 2], np.int32), 3, 1))
where_of_a_scalar | run(tf.where(np.complex64(1)))
"""

CASES = [
    *programs("edges", {name: PRELUDE + text for name, text in PROGRAMS.items()}),
    *table("edges", "", ROWS, word="value"),
    *table("edges_fail", "", REFUSED, word="fails"),
]
