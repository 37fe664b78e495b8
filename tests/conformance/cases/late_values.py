"""Sizes and ranks that nobody knows while the graph is built."""

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
count_nonzero_of_booleans | tf.count_nonzero(b, 0)
transpose_unknown | tf.transpose(u) | u
tensordot | tf.tensordot(m, tf.transpose(m), tf.constant([[1], [0]])) | m
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
        "late_values",
        {
            name: _program(*rest)
            for name, *rest in (
                (part.strip() for part in row.split(" | ")) for row in ROWS.strip().splitlines()
            )
        },
    ),
]
