"""The names of `tf.contrib.slim.queues`."""

from minitf.compat.contrib.slim_data import NestedQueueRunnerError as NestedQueueRunnerError
from minitf.compat.contrib.slim_data import QueueRunners as QueueRunners
