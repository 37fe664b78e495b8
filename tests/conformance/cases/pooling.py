"""Pooling: values, ties, gradients of first and second order, names, errors."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(5)
    x = tf.constant(R.randn(2, 7, 6, 3).astype("f"), name="x"); ties = tf.constant(R.randint(0, 3, [2, 6, 6, 2]).astype("f"))
    x1 = tf.constant(R.randn(2, 9, 3).astype("f")); x3 = tf.constant(R.randn(1, 4, 5, 4, 2).astype("f"))
    d = tf.constant(R.randn(3, 2, 3).astype("f"))
    unknown = tf.placeholder_with_default(x, [None, None, None, 3])
"""

ROWS = """
max | tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME") | x
max_valid | tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") | x
max_overlapping | tf.nn.max_pool(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1") | x
max_overlapping_valid | tf.nn.max_pool(x, [1, 3, 3, 1], [1, 1, 1, 1], "VALID") | x
max_uneven | tf.nn.max_pool(x, [1, 3, 2, 1], [1, 1, 3, 1], "SAME") | x
max_apart | tf.nn.max_pool(x, [1, 2, 1, 1], [1, 3, 2, 1], "VALID") | x
max_of_everything | tf.nn.max_pool(x, [1, 7, 6, 1], [1, 1, 1, 1], "VALID") | x
max_one_number | tf.nn.max_pool(x, 2, 2, "SAME") | x
max_two_numbers | tf.nn.max_pool(x, [3, 2], [2, 1], "SAME") | x
max_keywords | tf.nn.max_pool(value=x, ksize=2, strides=2, padding="SAME") | x
max_explicit | tf.nn.max_pool(x, 3, 2, [[0, 0], [1, 0], [2, 1], [0, 0]]) | x
max_channels | tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], "VALID")
fractional_max | tf.nn.fractional_max_pool(x, [1., 1., 2., 1.])[0] | x
fractional_max_overlapping | tf.nn.fractional_max_pool(ties, [1., 2., 3., 1.], overlapping=True, name="p").output
fractional_bounds | tf.nn.fractional_max_pool(x, [1., 1., 2., 1.], True, False, True, 3, 4).col_pooling_sequence[1]
fractional_mean | tf.nn.fractional_avg_pool(x, [1., 1., 2., 1.])[0] | x
fractional_mean_overlapping | tf.nn.fractional_avg_pool(ties, [1., 2., 3., 1.], False, True)[0] | ties
max_ties | tf.nn.max_pool(ties, [1, 2, 2, 1], [1, 2, 2, 1], "SAME") | ties
max_ties_overlapping | tf.nn.max_pool(ties, [1, 3, 3, 1], [1, 1, 1, 1], "SAME") | ties
max_ties_3_by_2 | tf.nn.max_pool(ties, [1, 3, 2, 1], [1, 2, 2, 1], "VALID") | ties
max_after_relu | tf.nn.max_pool(tf.nn.relu(x), 3, 2, "SAME") | x
max_float64 | tf.nn.max_pool(tf.cast(x, tf.float64), 2, 2, "SAME") | x
max_integers | tf.nn.max_pool(tf.cast(ties, tf.int32), 2, 2, "SAME")
max_unknown | tf.nn.max_pool(unknown, 2, 2, "SAME") | x
max_second_order | tf.gradients(tf.gradients(tf.nn.max_pool(x, 2, 2, "SAME") ** 3, x)[0], x)
max_second_order_overlapping | tf.gradients(tf.gradients(tf.nn.max_pool(ties, 3, 2, "VALID") ** 3, ties)[0], ties)
max2d | tf.nn.max_pool2d(x, 2, 2, "SAME") | x
max1d | tf.nn.max_pool1d(x1, 2, 2, "SAME") | x1
max3d | tf.nn.max_pool3d(x3, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME") | x3
max3d_overlapping | tf.nn.max_pool3d(x3, 3, 1, "VALID") | x3
max_v2_of_rank_3 | tf.nn.max_pool_v2(x1, 3, 2, "VALID") | x1
max_v2_of_rank_5 | tf.nn.max_pool_v2(x3, 2, 2, "SAME") | x3
avg | tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME") | x
avg_valid | tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") | x
avg_overlapping | tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 1, 1], "SAME") | x
avg_global | tf.nn.avg_pool(x, ksize=[1, 7, 6, 1], strides=[1, 1, 1, 1], padding="VALID", name="mean") | x
avg_one_number | tf.nn.avg_pool(x, 3, 2, padding="SAME") | x
avg_unknown | tf.nn.avg_pool(unknown, 2, 2, "SAME") | x
avg_float64 | tf.nn.avg_pool2d(tf.cast(x, tf.float64), 2, 2, "SAME") | x
avg_second_order | tf.gradients(tf.reduce_sum(tf.gradients(tf.nn.avg_pool(x, 3, 2, "SAME") ** 3, x)[0]), x)
avg1d | tf.nn.avg_pool1d(x1, 2, 2, "VALID") | x1
avg3d | tf.nn.avg_pool3d(x3, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME") | x3
avg_v2_of_rank_4 | tf.nn.avg_pool_v2(x, 2, 2, "SAME") | x
pool_max | tf.nn.pool(x, [2, 2], "MAX", "SAME") | x
pool_avg | tf.nn.pool(x, [3, 2], "AVG", "VALID", strides=[2, 1], name="p") | x
pool_1d | tf.nn.pool(x1, window_shape=[2], pooling_type="AVG", padding="SAME", strides=[2]) | x1
pool_3d | tf.nn.pool(x3, [2, 2, 2], "MAX", "VALID") | x3
dilation | tf.identity(tf.nn.dilation2d(x, d, [1, 1, 1, 1], [1, 1, 1, 1], "SAME")) | x d
dilation_strided | tf.identity(tf.nn.dilation2d(x, d, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")) | x d
dilation_rates | tf.identity(tf.nn.dilation2d(x, filter=d, strides=[1, 1, 1, 1], rates=[1, 2, 2, 1], padding="SAME")) | x d
erosion | tf.identity(tf.nn.erosion2d(x, d, [1, 1, 1, 1], [1, 1, 1, 1], "SAME")) | x d
argmax | list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")) | x
argmax_valid | list(tf.nn.max_pool_with_argmax(x, [1, 3, 3, 1], [1, 1, 1, 1], "VALID", Targmax=tf.int32))
argmax_with_batch | list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", include_batch_in_index=True)) | x
"""

ERRORS = """
window_too_large | tf.nn.max_pool(x, [1, 9, 9, 1], [1, 2, 2, 1], "VALID")
rank | tf.nn.max_pool(x1, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
ksize_of_three | tf.nn.max_pool(x, [1, 2, 2], [1, 2, 2, 1], "VALID")
unknown_padding | tf.nn.avg_pool(x, 2, 2, "valid")
unknown_type | tf.nn.pool(x, [2, 2], "MIN", "SAME")
integers_have_no_mean | tf.nn.avg_pool(tf.cast(x, tf.int32), 2, 2, "SAME")
both_inputs | tf.nn.max_pool(x, 2, 2, "SAME", input=x)
"""

CASES = [
    *table("pooling", PRELUDE, ROWS),
    *table("pooling_errors", PRELUDE, ERRORS, word="fails"),
    *programs(
        "pooling",
        {
            "fractional_seeds": """
            try:
                run(tf.nn.fractional_max_pool(tf.zeros([1, 4, 4, 1]), [1., 2., 2., 1.], seed=3)[0])
            except tf.errors.InvalidArgumentError as e:
                show("Both seed and seed2 should be 0 if deterministic is false." in str(e))
        """,
            "names": """
            x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
            y, z = tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME")
            show(y, z, tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME", name="mean"))
            show(tf.gradients([y, z], x), y.op.get_attr("ksize"))
        """,
        },
    ),
]
