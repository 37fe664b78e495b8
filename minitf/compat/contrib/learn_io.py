"""`tf.contrib.learn.io`: `tf.estimator.inputs`, where rows are shuffled unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.library.estimator import inputs


def numpy_input_fn(
    x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1, shuffle: bool = True,
    queue_capacity: int = 1000, num_threads: int = 1,
) -> Callable[[], Any]:  # fmt: skip
    """As `tf.estimator.inputs.numpy_input_fn`."""
    return inputs.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1, shuffle: bool = True,
    queue_capacity: int = 1000, num_threads: int = 1, target_column: str = "target",
) -> Callable[[], Any]:  # fmt: skip
    """As `tf.estimator.inputs.pandas_input_fn`."""
    return inputs.pandas_input_fn(
        x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column
    )
