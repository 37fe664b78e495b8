"""The names of `tf.examples`."""

from minitf.api.examples import tutorials as tutorials
