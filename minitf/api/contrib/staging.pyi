"""The names of `tf.contrib.staging`, and `Barrier`, which TensorFlow has beside them in `data_flow_ops`."""

from minitf.library.input.queues.queues import StagingArea as StagingArea
