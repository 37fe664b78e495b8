"""State of the program itself in a checkpoint of objects, beside the variables.

serialize()   -> "state/.ATTRIBUTES/py_state"      when the checkpoint is written
deserialize() <-                                   as soon as it is read, in graphs, too
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class PythonState(ABC):
    """An object that is no tensor, and goes into object-based checkpoints as a string.

    Example:
      >>> class Notes(tf.train.experimental.PythonState):
      ...     text = "a"
      ...     def serialize(self):
      ...         return self.text
      ...     def deserialize(self, string_value):
      ...         self.text = string_value.decode()
      >>> tf.enable_eager_execution()
      >>> notes = Notes()
      >>> checkpoint = tf.train.Checkpoint(notes=notes)
      >>> path = checkpoint.save("/tmp/notes/ckpt")
      >>> notes.text = "b"
      >>> status = checkpoint.restore(path)
      >>> notes.text
      'a'
    """

    @abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state as a string."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes the state from the string."""

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}


def serialized(state: PythonState) -> bytes:
    """The string of a state, as a checkpoint holds it.

    Raises:
      TypeError: when it is none.
    """
    value = state.serialize()
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype string")
    return value.encode() if isinstance(value, str) else value
