"""The names of `tf.contrib.slim.queues`."""

from minitf.compat.slim.data import NestedQueueRunnerError as NestedQueueRunnerError
from minitf.compat.slim.data import QueueRunners as QueueRunners
