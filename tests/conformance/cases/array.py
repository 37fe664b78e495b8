"""Shapes changed, pieces taken, tensors made."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[1., 2., 3.], [4., 5., 6.]], name="x"); z = tf.constant([[-1., 0., 1.], [2., -2., .5]], name="z")
    b = tf.reshape(tf.range(24.), [2, 3, 4]); i = tf.constant([1, 0, 1], name="i"); k = tf.constant(1, name="k")
    v = tf.constant([10., 20., 30., 40.], name="v"); c = tf.constant([[True, False, True], [False, False, True]])
    u = tf.placeholder_with_default([[1., 2.], [3., 4.]], None, name="u")
"""

ROWS = """
reshape | tf.reshape(x, [3, 2]) | x
reshape_minus_one | tf.reshape(x, [-1]) | x
reshape_scalar | tf.reshape(tf.constant([5.]), [])
reshape_unknown | tf.reshape(u, [4]) | u
reshape_dynamic | tf.reshape(x, tf.stack([k * 3, 2])) | x
expand_dims | tf.expand_dims(x, 1) | x
expand_dims_last | tf.expand_dims(x, -1) | x
expand_dims_of_old | tf.expand_dims(x, dim=0) | x
squeeze | tf.squeeze(tf.reshape(x, [1, 2, 1, 3])) | x
squeeze_axis | tf.squeeze(tf.reshape(x, [1, 2, 1, 3]), [2]) | x
squeeze_dims_of_old | tf.squeeze(tf.reshape(x, [1, 2, 1, 3]), squeeze_dims=[0]) | x
transpose | tf.transpose(b, [2, 0, 1]) | b
transpose_all | tf.transpose(b) | b
concat | tf.concat([x, z], 0) | x z
concat_axis | tf.concat([x, z, x], 1) | x z
concat_negative | tf.concat([x, z], axis=-1) | x z
concat_one | tf.concat([x], 0) | x
concat_lists | tf.concat([[1], [2, 3]], 0)
stack | tf.stack([x, z]) | x z
stack_last | tf.stack([x, z], axis=-1) | x z
stack_scalars | tf.stack([1, k + 1, 3])
pack_implicit | tf.convert_to_tensor([k, 5])
unstack | tf.unstack(x) | x
unstack_axis | tf.unstack(x, axis=1) | x
split | tf.split(b, 2, 2) | b
split_vector | tf.split(v, 2) | v
split_sizes | tf.split(b, [1, 2], 1) | b
split_remainder | tf.split(v, [1, -1], 0) | v
tile | tf.tile(x, [2, 2]) | x
tile_vector | tf.tile(v, [3]) | v
slice | tf.slice(b, [0, 1, 1], [2, 1, 2]) | b
slice_to_end | tf.slice(x, [0, 1], [-1, -1]) | x
index | x[1] | x
index_negative | x[-1, -2] | x
index_rows | b[:, 1] | b
index_range | v[1:3] | v
index_step | v[::2] | v
index_reverse | v[::-1] | v
index_new_axis | v[tf.newaxis, :, None] | v
index_ellipsis | b[..., 1:] | b
index_both | b[0, ..., tf.newaxis] | b
index_tensor | x[k] | x
index_tensor_range | v[k:] | v
index_empty | v[2:2] | v
index_past_the_end | v[2:100] | v
gather | tf.gather(x, i) | x
gather_scalar | tf.gather(x, 1) | x
gather_matrix | tf.gather(v, [[0, 1], [3, 3]]) | v
gather_axis | tf.gather(x, [2, 0], axis=1) | x
gather_nd | tf.gather_nd(x, [[0, 1], [1, 2]]) | x
embedding_lookup | tf.nn.embedding_lookup(x, [1, 1, 0]) | x
boolean_mask | tf.boolean_mask(x, c) | x
boolean_mask_rows | tf.boolean_mask(x, [False, True]) | x
where | tf.where(c, x, z) | x z
where_indices | tf.where(c)
where_rows | tf.where([True, False], x, z) | x z
pad | tf.pad(x, [[1, 0], [0, 2]]) | x
pad_value | tf.pad(x, [[0, 0], [1, 1]], constant_values=9.) | x
pad_reflect | tf.pad(x, [[1, 1], [1, 1]], "REFLECT") | x
pad_symmetric | tf.pad(x, [[1, 1], [1, 1]], "SYMMETRIC") | x
reverse | tf.reverse(x, [1]) | x
one_hot | tf.one_hot(i, 3)
one_hot_values | tf.one_hot([0, 2, -1, 7], 3, on_value=5., off_value=-1.)
one_hot_axis | tf.one_hot(i, 2, axis=0)
one_hot_int | tf.one_hot(i, 2, dtype=tf.int32)
shape | tf.shape(x)
shape_int64 | tf.shape(x, out_type=tf.int64)
shape_unknown | tf.shape(u)
size | tf.size(x)
rank | tf.rank(x)
rank_unknown | tf.rank(u)
zeros | tf.zeros([2, 3])
zeros_int | tf.zeros((2,), tf.int32)
zeros_scalar | tf.zeros([])
zeros_bool | tf.zeros([2], tf.bool)
zeros_string | tf.zeros([2], tf.string)
ones | tf.ones([2, 1], tf.float64)
zeros_like | tf.zeros_like(x)
zeros_like_dtype | tf.zeros_like(x, dtype=tf.int32)
ones_like | tf.ones_like(x)
zeros_dynamic | tf.zeros(tf.shape(u))
fill | tf.fill([2, 2], 7)
fill_float | tf.fill([3], 2.5)
fill_gradient | tf.fill([2, 2], v[0]) | v
range | tf.range(5)
range_step | tf.range(1, 10, 3)
range_down | tf.range(5, 0, -2)
range_float | tf.range(0., 1., .25)
range_limit | tf.range(k, 4)
linspace | tf.linspace(0., 1., 5)
broadcast_to | tf.broadcast_to(v, [2, 4]) | v
cast_of_shape | tf.cast(tf.shape(x), tf.float32)
identity_of_list | tf.identity([1, 2])
tuple | tf.tuple([x, z]) | x z
sequence_mask | tf.sequence_mask([1, 3], 4)
scatter_nd | tf.scatter_nd([[1], [3]], [5., 6.], [4])
"""

CASES = [
    *table("array", PRELUDE, ROWS),
    *programs(
        "array",
        {
            "split_argument_orders": """
            x = tf.constant([[1., 2., 3., 4.]])
            show([t for t in tf.split(x, 2, 1)], run(tf.split(value=x, num_or_size_splits=2, axis=1)))
        """,
            "iterate_static_shape": """
            x = tf.zeros([2, 3])
            show([int(d) for d in x.shape], x.shape[0] * x.shape[1], x.shape.as_list() + [1])
            rows, columns = x.shape
            show(rows, columns, tf.zeros([rows, 2]), tf.zeros(x.shape), tf.reshape(x, [columns, rows]))
        """,
            "gather_out_of_range": """
            x = tf.placeholder(tf.int32, [], name="x")
            fails(run, tf.gather([1., 2.], x, name="g"), {x: 5})
        """,
            "reshape_at_run_time": """
            x = tf.placeholder(tf.float32, name="x")
            fails(run, tf.reshape(x, [4], name="r"), {x: [1., 2.]})
            fails(run, tf.reshape(x, [-1, 3], name="r"), {x: [1., 2.]})
        """,
            "concat_at_run_time": """
            x = tf.placeholder(tf.float32, name="x"); y = tf.placeholder(tf.float32, name="y")
            fails(run, tf.concat([x, y], 0, name="c"), {x: [[1., 2.]], y: [[1.]]})
        """,
            "strides_left_out": """
            x = tf.placeholder(tf.float32, [None, 3]); i = tf.placeholder(tf.int32, [None])
            show(run(tf.strided_slice(x, i, i + 1), {x: [[1., 2., 3.]] * 2, i: [1, 2]}), tf.strided_slice(x, [0, 1], [1, 2]))
            """,
            "slice_at_run_time": """
            x = tf.placeholder(tf.float32, [None], name="x")
            fails(run, tf.slice(x, [1], [5], name="s"), {x: [1., 2.]})
            fails(run, tf.identity(x[3], name="t"), {x: [1., 2.]})
        """,
        },
    ),
]
