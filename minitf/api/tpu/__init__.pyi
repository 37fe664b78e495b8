"""The names of `tf.tpu`."""

from minitf.api.tpu import experimental as experimental
