"""Containers for checkpoints of objects: `tf.contrib.checkpoint`.

state = NumpyState()              arrays in attributes, which a checkpoint makes again
blocks = List([layer, layer])     objects by number
slots = UniqueNameTracker()       objects by name: "x", "x_1", ...
tf.train.Checkpoint(state=state, blocks=blocks)
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from minitf.core.variables.variables import Variable
from minitf.library.saving.object_graph import is_trackable
from minitf.library.saving.python_state import PythonState


def _checked(value: Any) -> Any:
    if not is_trackable(value):
        raise ValueError(
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {value}, which does not inherit from Trackable."
        )
    return value


class _Container:
    """What knows the variables of its values."""

    def _values(self) -> Iterable[Any]:
        raise NotImplementedError

    @property
    def variables(self) -> list[Variable]:
        """Those among the values, and theirs."""
        found: list[Variable] = []
        for value in self._values():
            found += [value] if isinstance(value, Variable) else getattr(value, "variables", ())
        return found

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those that are to be trained."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Those that are not."""
        return [variable for variable in self.variables if not variable.trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


class List(_Container, list):
    """A list that grows, of objects that a checkpoint knows by their places.

    Raises:
      ValueError: when a value can hold no variables.
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(map(_checked, values))

    def _values(self) -> Iterable[Any]:
        return self

    def append(self, value: Any) -> None:
        """Adds a value."""
        super().append(_checked(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Adds values."""
        super().extend(map(_checked, values))

    def __repr__(self) -> str:
        return f"List({super().__repr__()})"


class Mapping(_Container, dict):
    """A dict that grows, of objects that a checkpoint knows by their keys, which are texts.

    Raises:
      ValueError: when a value can hold no variables, or a key has another one.
      TypeError: when a key is no text.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.update(*args, **kwargs)

    def _values(self) -> Iterable[Any]:
        return [value for _, value in sorted(self.items())]

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        current = self.get(key, _checked(value))
        if current is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the key "
                f"'{key}' with value {value}, but it already contains {current}"
            )
        super().__setitem__(key, value)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds values by their keys."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __repr__(self) -> str:
        return f"Mapping({super().__repr__()})"


class UniqueNameTracker(_Container):
    """Objects that a checkpoint knows by names, which are made different.

    Example:
      >>> tracker = tf.contrib.checkpoint.UniqueNameTracker()
      >>> first, second = [tracker.track(tf.Variable(0.0), "x") for _ in range(2)]
      >>> sorted(tracker._checkpoint_children())
      ['x', 'x_1']
    """

    def __init__(self) -> None:
        self._tracked: dict[str, Any] = {}

    def _values(self) -> Iterable[Any]:
        return self._tracked.values()

    def _checkpoint_children(self) -> dict[str, Any]:
        return self._tracked

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds an object under a name, or the name and a number, and returns the object.

        Raises:
          ValueError: when it can hold no variables.
        """
        if not is_trackable(trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from "
                "tf.track.Trackable."
            )
        name, count = base_name, 0
        while name in self._tracked:
            count += 1
            name = f"{base_name}_{count}"
        self._tracked[name] = trackable
        return trackable


class _Array(PythonState):
    """An array."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)


class NumpyState:
    """An object whose attributes are arrays; reading a checkpoint makes those that it has again.

    Raises:
      NotImplementedError: when an attribute is given something else.
    Example:
      >>> arrays = tf.contrib.checkpoint.NumpyState()
      >>> arrays.x = np.zeros([3, 4])
      >>> tf.enable_eager_execution()
      >>> path = tf.train.Checkpoint(arrays=arrays).save("/tmp/arrays/ckpt")
      >>> again = tf.contrib.checkpoint.NumpyState()
      >>> status = tf.train.Checkpoint(arrays=again).restore(path)
      >>> again.x.shape
      (3, 4)
    """

    def _checkpoint_children(self) -> dict[str, Any]:
        return vars(self)

    def _lookup_dependency(self, name: str) -> Any:
        return vars(self).setdefault(name, _Array(np.array([])))

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        return value.array if isinstance(value, _Array) else value

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, (np.ndarray, np.generic)):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. "
                "Currently mixing NumPy arrays and other trackable objects is not supported. File "
                "a feature request if this limitation bothers you."
            )
        self._lookup_dependency(name).array = value
