"""The names of `tf.contrib.checkpoint`."""

from minitf.library.saving.load_objects import AutoTrackable as Checkpointable
from minitf.library.saving.load_objects import AutoTrackable as CheckpointableBase
from minitf.library.saving.object_checkpoint import CheckpointManager as CheckpointManager
from minitf.library.saving.python_state import PythonState as PythonStateWrapper

__all__ = [
    "CheckpointManager", "Checkpointable", "CheckpointableBase", "PythonStateWrapper"
]
