"""Arrays made ready for a model: classes as rows of ones, and rows of length one."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Turns numbers of classes into rows with a 1 at the class.

    Args:
      y: [...] integers from 0 on; a last axis of length 1 is left out.
      num_classes: how long a row is; the largest number and one more when None.
      dtype: the type of the result.
    Returns: [..., num_classes].
    Raises:
      IndexError: when a number is not below num_classes.
    Example:
      >>> tf.keras.utils.to_categorical([0, 2])
      array([[1., 0., 0.],
             [0., 0., 1.]], dtype=float32)
    """
    classes, shape = _classes(y)
    found = np.zeros((len(classes), num_classes or classes.max() + 1), dtype)
    found[np.arange(len(classes)), classes] = 1
    return found.reshape(*shape, found.shape[1])


def _classes(y: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """The classes in a row, and the shape that they had."""
    classes = np.array(y, dtype="int")
    shape = classes.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return classes.reshape(-1), shape
