"""The names of `tf.queue`."""

from minitf.library.input.queues.queues import FIFOQueue as FIFOQueue
from minitf.library.input.queues.queues import PaddingFIFOQueue as PaddingFIFOQueue
from minitf.library.input.queues.queues import QueueBase as QueueBase
from minitf.library.input.queues.queues import RandomShuffleQueue as RandomShuffleQueue
