"""Pooling: values, ties, gradients of first and second order, names, errors."""

from ..case import programs, table

PRELUDE = """
    R = np.random.RandomState(5)
    x = tf.constant(R.randn(2, 7, 6, 3).astype("f"), name="x"); ties = tf.constant(R.randint(0, 3, [2, 6, 6, 2]).astype("f"))
    x1 = tf.constant(R.randn(2, 9, 3).astype("f"))
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
max_ties | tf.nn.max_pool(ties, [1, 2, 2, 1], [1, 2, 2, 1], "SAME") | ties
max_ties_overlapping | tf.nn.max_pool(ties, [1, 3, 3, 1], [1, 1, 1, 1], "SAME") | ties
max_ties_3_by_2 | tf.nn.max_pool(ties, [1, 3, 2, 1], [1, 2, 2, 1], "VALID") | ties
max_after_relu | tf.nn.max_pool(tf.nn.relu(x), 3, 2, "SAME") | x
max_float64 | tf.nn.max_pool(tf.cast(x, tf.float64), 2, 2, "SAME") | x
max_integers | tf.nn.max_pool(tf.cast(ties, tf.int32), 2, 2, "SAME")
max_unknown | tf.nn.max_pool(unknown, 2, 2, "SAME") | x
max_second_order | tf.gradients(tf.gradients(tf.nn.max_pool(x, 2, 2, "SAME") ** 3, x)[0], x)
max_second_order_overlapping | tf.gradients(tf.gradients(tf.nn.max_pool(ties, 3, 2, "VALID") ** 3, ties)[0], ties)
avg | tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME") | x
avg_valid | tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") | x
avg_overlapping | tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 1, 1], "SAME") | x
avg_global | tf.nn.avg_pool(x, ksize=[1, 7, 6, 1], strides=[1, 1, 1, 1], padding="VALID", name="mean") | x
avg_one_number | tf.nn.avg_pool(x, 3, 2, padding="SAME") | x
avg_unknown | tf.nn.avg_pool(unknown, 2, 2, "SAME") | x
avg_float64 | tf.nn.avg_pool2d(tf.cast(x, tf.float64), 2, 2, "SAME") | x
avg_second_order | tf.gradients(tf.reduce_sum(tf.gradients(tf.nn.avg_pool(x, 3, 2, "SAME") ** 3, x)[0]), x)
"""

ERRORS = """
window_too_large | tf.nn.max_pool(x, [1, 9, 9, 1], [1, 2, 2, 1], "VALID")
rank | tf.nn.max_pool(x1, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
ksize_of_three | tf.nn.max_pool(x, [1, 2, 2], [1, 2, 2, 1], "VALID")
unknown_padding | tf.nn.avg_pool(x, 2, 2, "valid")
integers_have_no_mean | tf.nn.avg_pool(tf.cast(x, tf.int32), 2, 2, "SAME")
both_inputs | tf.nn.max_pool(x, 2, 2, "SAME", input=x)
"""

CASES = [
    *table("pooling", PRELUDE, ROWS),
    *table("pooling_errors", PRELUDE, ERRORS, word="fails"),
    *programs(
        "pooling",
        {
            "names": """
            x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
            y, z = tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME")
            show(y, z, tf.nn.max_pool(x, 2, 2, "SAME"), tf.nn.avg_pool(x, 2, 2, "SAME", name="mean"))
            show(tf.gradients([y, z], x), y.op.get_attr("ksize"))
        """,
        },
    ),
]
