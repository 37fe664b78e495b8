"""The names of `tf.tpu.experimental`."""

from minitf.library.distribute.tpu import initialize_tpu_system as initialize_tpu_system
