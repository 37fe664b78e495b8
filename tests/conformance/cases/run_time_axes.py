"""Axes, permutations and ranks that nobody knows while the graph is built."""

import textwrap

from ..case import programs

PRELUDE = """
    def late(value): return tf.placeholder_with_default(tf.constant(value), None)
    def vector(value): return tf.placeholder_with_default(tf.constant(value), [None])
    x = tf.constant([[[1., -2.], [3., .5], [0., 4.]], [[2., 2.], [-1., 5.], [.25, 1.]]], name="x")
    m = tf.constant([[1., 5., 5.], [4., 4., 2.]], name="m"); b = tf.constant([[True, False], [True, True]])
    u = tf.placeholder_with_default([[1., 2.], [3., 4.]], None, name="u")
    zero, one, two, last = late(0), late(1), late(2), late(-1)
"""
ROWS = """
sum | tf.reduce_sum(x, one) | x
sum_last | tf.reduce_sum(x, last) | x
sum_axes | tf.reduce_sum(x, vector([2, 0])) | x
sum_no_axes | tf.reduce_sum(x, tf.placeholder_with_default(tf.zeros([0], tf.int32), [None])) | x
sum_kept | tf.reduce_sum(x, vector([0, -1]), keepdims=True) | x
sum_listed | tf.reduce_sum(x, [one, 2]) | x
sum_int64 | tf.reduce_sum(x, tf.placeholder_with_default(tf.constant(1, tf.int64), [])) | x
sum_unknown | tf.reduce_sum(u, one) | u
mean | tf.reduce_mean(x, one, keepdims=True) | x
mean_unknown | tf.reduce_mean(u, vector([0])) | u
max | tf.reduce_max(m, one) | m
min | tf.reduce_min(m, zero) | m
prod | tf.reduce_prod(m, vector([1])) | m
all | tf.reduce_all(b, one)
any | tf.reduce_any(b, zero, keepdims=True)
logsumexp | tf.reduce_logsumexp(m, one) | m
argmax | tf.argmax(m, one)
argmin | tf.argmin(m, zero, output_type=tf.int32)
concat | tf.concat([m, m + 1.], one) | m
concat_first | tf.concat([m, m], zero) | m
concat_unknown | tf.concat([u, u], last) | u
expand | tf.expand_dims(m, one) | m
expand_last | tf.expand_dims(m, last) | m
expand_front | tf.expand_dims(u, zero) | u
split | tf.split(m, 3, axis=one)[1] | m
split_sizes | tf.split(m, [1, 2], axis=one)[1] | m
transpose | tf.transpose(m, vector([1, 0])) | m
transpose_3 | tf.transpose(x, vector([2, 0, 1])) | x
transpose_unknown | tf.transpose(u) | u
cumsum | tf.cumsum(m, one) | m
cumsum_backwards | tf.cumsum(m, zero, exclusive=True, reverse=True) | m
cumprod | tf.cumprod(m, last) | m
reverse | tf.reverse(m, vector([1])) | m
reverse_axes | tf.reverse(x, vector([0, -1])) | x
gather | tf.gather(m, [2, 0], axis=one) | m
gather_matrix | tf.gather(x, [[1, 0], [0, 2]], axis=one) | x
gather_scalar | tf.gather(m, 1, axis=last) | m
tensordot | tf.tensordot(m, tf.transpose(m), tf.constant([[1], [0]])) | m
tensordot_late | tf.tensordot(m, x, tf.placeholder_with_default(tf.constant([[0], [0]]), [2, None])) | m x
tensordot_unknown | tf.tensordot(u, u, 1) | u
tensordot_unknown_axes | tf.tensordot(u, u, [[0], [1]]) | u
boolean_mask | tf.boolean_mask(m, [True, False, True], axis=one) | m
l2_normalize | tf.nn.l2_normalize(m, one) | m
eye | tf.eye(late(2), late(3))
eye_batch | tf.eye(2, batch_shape=vector([2]))
eye_batch_known | tf.eye(2, 3, batch_shape=tf.constant([2]))
norm_2 | tf.norm(m, ord=2, axis=[0, 1])
norm_2_batch | tf.norm(x, ord=2, axis=[1, 2], keepdims=True)
norm_2_first | tf.norm(x, ord=2, axis=(-1, 0))
nextafter | tf.math.nextafter(tf.constant([1., 2., 0.]), tf.constant([2., 1., -1.]))
"""


def _program(expression: str, inputs: str = "") -> str:
    """Shows the value and the gradients: TensorFlow has one node for each, with a name of its own."""
    gradients = f"tf.gradients(y, [{', '.join(inputs.split())}])" if inputs else "y"
    return f"{textwrap.dedent(PRELUDE)}\ny = {expression}\nshow(run(y), run({gradients}))"


CASES = [
    *programs(
        "run_time_axes",
        {
            name: _program(*rest)
            for name, *rest in (
                (part.strip() for part in row.split(" | ")) for row in ROWS.strip().splitlines()
            )
        },
    ),
    *programs(
        "run_time_axes",
        {
            "outside": """
            x = tf.constant([[1., 2.], [3., 4.]]); axis = tf.placeholder(tf.int32)
            total = tf.reduce_sum(x, axis)
            show([run(total, {axis: a}) for a in (0, -1, [0, 1])])
        """,
            "one_graph_many_axes": """
            x = tf.placeholder(tf.float32); axis = tf.placeholder(tf.int32, [])
            y = tf.reduce_max(x, axis) + tf.reduce_min(x, axis)
            show(run(y, {x: [[1., 2.], [3., 5.]], axis: 0}), run(y, {x: [[[1., 2.], [3., 5.]]], axis: 2}))
        """,
            "second_gradients": """
            x = tf.constant([[1., 2.], [3., 4.]]); axis = tf.placeholder_with_default(1, [])
            y = tf.reduce_sum(tf.reduce_sum(x * x, axis) ** 2.)
            first = tf.gradients(y, x)[0]
            show(run([first, tf.gradients(first, x)[0]]))
        """,
        },
    ),
]
