"""Reductions over axes, and the searches for an extreme value."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[[1., -2.], [3., .5], [0., 4.]], [[2., 2.], [-1., 5.], [.25, 1.]]], name="x")
    m = tf.constant([[1., 5., 5.], [4., 4., 2.]], name="m"); i = tf.constant([[1, 2], [3, 5]], name="i")
    b = tf.constant([[True, False], [True, True]], name="b"); d = tf.constant([1, 0], name="d")
    u = tf.placeholder_with_default([[1., 2.], [3., 4.]], None, name="u")
"""

ROWS = """
sum | tf.reduce_sum(x) | x
sum_axis | tf.reduce_sum(x, 1) | x
sum_axes | tf.reduce_sum(x, [0, 2]) | x
sum_negative | tf.reduce_sum(x, axis=-1) | x
sum_keepdims | tf.reduce_sum(x, axis=[1, 2], keepdims=True) | x
sum_keep_dims_of_old | tf.reduce_sum(x, 1, keep_dims=True) | x
sum_reduction_indices | tf.reduce_sum(x, reduction_indices=[0]) | x
sum_empty_axis | tf.reduce_sum(x, []) | x
sum_int | tf.reduce_sum(i)
sum_int_axis | tf.reduce_sum(i, 0)
sum_scalar | tf.reduce_sum(3.)
sum_list | tf.reduce_sum([1, 2, 3])
sum_unknown_rank | tf.reduce_sum(u) | u
sum_unknown_rank_axis | tf.reduce_sum(u, 1) | u
sum_of_nothing | tf.reduce_sum(tf.zeros([0, 2]), 0)
mean | tf.reduce_mean(x) | x
mean_axis | tf.reduce_mean(x, 0) | x
mean_int | tf.reduce_mean(i)
mean_keepdims | tf.reduce_mean(x, 2, keepdims=True) | x
mean_unknown_rank | tf.reduce_mean(u) | u
prod | tf.reduce_prod(m) | m
prod_axis | tf.reduce_prod(x, 1) | x
max | tf.reduce_max(x) | x
max_ties | tf.reduce_max(m, 1) | m
min_ties | tf.reduce_min(m, 1) | m
min_axis | tf.reduce_min(x, [0, 1]) | x
max_int | tf.reduce_max(i, 1)
all | tf.reduce_all(b)
all_axis | tf.reduce_all(b, 0)
any | tf.reduce_any(b, axis=1, keepdims=True)
logsumexp | tf.reduce_logsumexp(x, 1) | x
logsumexp_large | tf.reduce_logsumexp(x * 100.) | x
euclidean | tf.norm(m) | m
euclidean_axis | tf.norm(m, axis=1) | m
argmax | tf.argmax(m, 1)
argmax_default | tf.argmax(m)
argmax_of_old | tf.argmax(m, dimension=1)
argmax_int32 | tf.argmax(m, 1, output_type=tf.int32)
argmax_int | tf.argmax(i, 0)
argmin | tf.argmin(m, 1)
arg_max | tf.arg_max(m, 1)
variance | tf.nn.moments(x, [0, 1])[1] | x
moments_mean | tf.nn.moments(x, [0])[0] | x
unsorted_segment_sum | tf.unsorted_segment_sum(m, d, 2) | m
float64_sum | tf.reduce_sum(tf.cast(x, tf.float64), 0) | x
"""

CASES = [
    *table("reductions", PRELUDE, ROWS),
    *programs(
        "reductions",
        {
            "accuracy_idiom": """
            y = tf.constant([[.1, .9], [.8, .2], [.3, .7]]); t = tf.constant([[0., 1.], [0., 1.], [0., 1.]])
            right = tf.equal(tf.argmax(y, 1), tf.argmax(t, 1))
            accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            show(right, accuracy, run([right, accuracy]))
        """,
            "dynamic_axis": """
            x = tf.constant([[1., 2.], [3., 4.]]); axis = tf.constant(1)
            check(tf.reduce_sum(x, axis), x)
        """,
        },
    ),
]
