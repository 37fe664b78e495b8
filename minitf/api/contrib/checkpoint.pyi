"""The names of `tf.contrib.checkpoint`."""

from minitf.compat.contrib.checkpoint import List as List
from minitf.compat.contrib.checkpoint import Mapping as Mapping
from minitf.compat.contrib.checkpoint import NumpyState as NumpyState
from minitf.compat.contrib.checkpoint import UniqueNameTracker as UniqueNameTracker
from minitf.compat.internals.identity import list_objects as list_objects
from minitf.library.saving.load_objects import AutoTrackable as Checkpointable
from minitf.library.saving.load_objects import AutoTrackable as CheckpointableBase
from minitf.library.saving.object_checkpoint import CheckpointManager as CheckpointManager
from minitf.library.saving.python_state import PythonState as PythonStateWrapper

__all__ = [
    "CheckpointManager", "Checkpointable", "CheckpointableBase", "List", "Mapping",
    "NumpyState", "PythonStateWrapper", "UniqueNameTracker", "list_objects"
]
