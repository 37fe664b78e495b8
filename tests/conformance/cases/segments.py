"""Segments, scatters, gathers, partitions, sorting and uniqueness."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[1., -2., 3.], [4., .5, -1.], [0., 2., 2.], [7., 1., -3.]], name="x")
    v = tf.constant([3., 1., 2., 3., -1.], name="v"); n = tf.constant([5, 1, 5, 2, 1, 9], name="n")
    c = tf.reshape(tf.cast(tf.range(24), tf.float32), [2, 3, 4], name="c")
    s = tf.constant([0, 0, 2, 2], name="s"); u = tf.constant([2, 0, 2, 1], name="u"); neg = tf.constant([1, -1, 1, 0], name="neg")
    p = tf.constant([0, 1, 0, 2], name="p"); rows = tf.constant([[1, 2, 1], [3, 4, 3], [1, 2, 1]], name="rows"); none = np.zeros(0, "i4")
"""

ROWS = """
segment_sum | tf.segment_sum(x, s) | x
segment_sum_int | tf.segment_sum([1, 2, 3], [0, 0, 1])
segment_sum_int64 | tf.segment_sum(v, tf.constant([0, 1, 1, 1, 3], tf.int64)) | v
unsorted_sum | tf.unsorted_segment_sum(x, u, 4) | x
unsorted_sum_negative | tf.unsorted_segment_sum(x, neg, 3) | x
unsorted_sum_matrix | tf.unsorted_segment_sum(c, [[0, 1, 0], [1, 1, 2]], 3) | c
sparse_sum | tf.sparse_segment_sum(x, [0, 3, 1], [0, 0, 1]) | x
sparse_mean | tf.sparse_segment_mean(x, [0, 3, 1], [0, 0, 1]) | x
sparse_sqrt_n | tf.sparse_segment_sqrt_n(x, [0, 3, 1], [0, 0, 1]) | x
sparse_gap | tf.sparse_segment_sum(x, [0, 3, 1], [0, 2, 2])
gather | tf.gather(x, [3, 0, 3]) | x
gather_matrix | tf.gather(x, [[3, 0], [1, 1]]) | x
gather_scalar | tf.gather(x, 2) | x
gather_axis | tf.gather(x, [2, 0], axis=1) | x
gather_axis_matrix | tf.gather(x, [[2, 0], [1, 1]], axis=1) | x
gather_axis_negative | tf.gather(c, [3, 0], axis=-1) | c
gather_middle | tf.gather(c, [[2, 0]], axis=1) | c
gather_batch | tf.gather(c, [[0, 2], [1, 1]], batch_dims=1) | c
gather_batch_axis | tf.gather(c, [[0, 2], [3, 1]], axis=2, batch_dims=1) | c
gather_batch_two | tf.gather(c, tf.zeros([2, 3, 2], tf.int32), batch_dims=2) | c
gather_nd | tf.gather_nd(x, [[0, 1], [3, 2]]) | x
gather_nd_rows | tf.gather_nd(x, [[3], [3]]) | x
gather_nd_deep | tf.gather_nd(c, [[[0, 1], [1, 2]]]) | c
scatter_nd | tf.scatter_nd([[1], [3]], x[:2], [5, 3]) | x
scatter_nd_twice | tf.scatter_nd([[1], [1]], x[:2], [3, 3]) | x
scatter_nd_elements | tf.scatter_nd([[0, 1], [2, 2]], v[:2], [3, 3]) | v
scatter_nd_strings | tf.scatter_nd([[1]], ["q"], [3])
dynamic_stitch_strings | tf.dynamic_stitch([[3], [0]], [["a"], ["b"]])
scatter_nd_ints | tf.scatter_nd([[4], [3]], [9, 10], [8])
tensor_scatter_update | tf.tensor_scatter_update(x, [[1], [3]], x[:2] * 2.) | x
top_k | tf.nn.top_k(x, 2) | x
top_k_default | tf.nn.top_k(v) | v
top_k_ties | tf.nn.top_k([1, 3, 3, 2, 3], 4)
top_k_values | tf.nn.top_k(x, k=2, sorted=True).values | x
top_k_indices | tf.nn.top_k(x, 2)[1]
in_top_k | tf.nn.in_top_k(x, [0, 1, 2, 0], 2)
sort | tf.sort(v) | v
sort_descending | tf.sort(x, direction="DESCENDING") | x
argsort | tf.argsort(n, stable=True)
argsort_descending | tf.argsort(n, direction="DESCENDING", stable=True)
unique | tf.unique(n)
unique_int64 | tf.unique(n, out_idx=tf.int64)
unique_strings | tf.unique(["b", "a", "b"])
unique_y | tf.unique(n).y
dynamic_partition | tf.dynamic_partition(x, p, 3) | x
dynamic_partition_matrix | tf.dynamic_partition(c, [[0, 1, 0], [1, 1, 0]], 2) | c
dynamic_stitch | tf.dynamic_stitch([[0, 2], [1, 3]], [x[:2], x[2:]]) | x
dynamic_stitch_scalar | tf.dynamic_stitch([1, [0, 2]], [v[0], v[1:3]]) | v
boolean_mask | tf.boolean_mask(x, [True, False, True, False]) | x
boolean_mask_axis | tf.boolean_mask(x, [True, False, True], axis=1) | x
boolean_mask_matrix | tf.boolean_mask(x, x > 0.) | x
where_one | tf.where(x > 0.)
where_three | tf.where(x > 0., x, -x) | x
where_rows | tf.where([True, False, True, False], x, -x) | x
"""

VALUES = """
gather_nd_batch | tf.gather_nd(c, [[[1], [2]], [[0], [0]]], batch_dims=1) | c
sort_axis | tf.sort(x, axis=0) | x
sort_int | tf.sort(n)
argsort_axis | tf.argsort(x, axis=0)
"""

FAILS = """
segment_unsorted | run(tf.segment_sum(v, [1, 0, 1, 1, 2]))
unsorted_out_of_range | run(tf.unsorted_segment_sum(x, u, tf.placeholder_with_default(1, [])))
gather_out_of_range | run(tf.gather(x, [1, 7]))
gather_axis_out_of_range | tf.gather(x, [0], axis=2)
scatter_nd_shapes | tf.scatter_nd([[1], [3]], tf.zeros([2, 2]), [5, 3])
scatter_nd_out_of_range | run(tf.scatter_nd([[1], [7]], x[:2], [5, 3]))
top_k_large | tf.nn.top_k(x, 4)
top_k_scalar | tf.nn.top_k(1.)
mask_scalar | tf.boolean_mask(x, True)
mask_shape | tf.boolean_mask(x, [True, False])
partition_out_of_range | run(tf.dynamic_partition(v, [0, 1, 2, 3, 4], 3))
unique_matrix | tf.unique(x)
"""

CASES = [
    *table("segments", PRELUDE, ROWS),
    *table("segments", PRELUDE, VALUES, word="value"),
    *table("segments/fails", PRELUDE, FAILS, word="fails"),
    *programs(
        "segments",
        {
            "scatter_variable": """
            v = tf.get_variable("v", initializer=np.ones((3, 2), np.float32), use_resource=False)
            i = tf.placeholder(tf.int32, None); u = tf.placeholder(tf.float32, None)
            for name in ["update", "add", "sub", "mul", "div", "min", "max"]:
                o = getattr(tf, "scatter_" + name)(v, i, u)
                show(o, run(o, {i: [0, 2, 0], u: [[1., 2.], [3., 4.], [5., 6.]]}), run(o, {i: 1, u: [.5, 3.]}), run(o, {i: [2], u: 3.}))
                fails(run, o, {i: [0, 1], u: np.zeros((2, 3))}); fails(run, o, {i: [0, 7], u: np.ones((2, 2))})
                run(v.initializer)
            fails(tf.scatter_add, v, [0, 1], np.zeros((2, 3), np.float32))
        """,
            "slices_of_a_variable": """
            v = tf.get_variable("v", initializer=np.arange(12, dtype=np.float32).reshape(3, 4), use_resource=False)
            show(run(v[1:, 0].assign([7., 8.])), run(v[..., -1].assign([1., 2., 3.])), run(v[::2, 1:3].assign([[5., 5.], [6., 6.]])))
            show(run(v[1].assign([0., 0., 0., 0.])), run(v))
        """,
            "stitch_after_partition": """
            x = tf.constant([[1., 2.], [3., 4.], [5., 6.]]); p = tf.constant([1, 0, 1])
            parts = tf.dynamic_partition(x, p, 2); places = tf.dynamic_partition(tf.range(3), p, 2)
            back = tf.dynamic_stitch(places, [parts[0] * 10., parts[1]])
            check(back, x)
        """,
            "negative_segments_when_run": """
            d = tf.placeholder(tf.float32, [None, 2]); i = tf.placeholder(tf.int32, [None])
            feeds = {d: [[1., 2.], [3., 4.], [5., 6.]], i: [1, -1, 1]}
            y = tf.unsorted_segment_sum(d, i, 2); g = tf.gradients(y * y, d)[0]
            show(run([y, g], feeds))
        """,
        },
    ),
]
