"""The names of `tf.train.queue_runner`."""

from minitf.library.input.queues.runner import QueueRunner as QueueRunner
from minitf.library.input.queues.runner import add_queue_runner as add_queue_runner
from minitf.library.input.queues.runner import start_queue_runners as start_queue_runners
