"""The namespace `tf.queue`: names only."""

from minitf.ops.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
