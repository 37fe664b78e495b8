"""Iterators in checkpoints: where one stands is saved, and restored, as a variable is."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.dtypes import string
from minitf.core.graph.tensor import Tensor
from minitf.library.input.data.iterator_ops import (
    deserialize_iterator_op,
    on_host,
    serialize_iterator_op,
)
from minitf.library.saving.saver_builder import SaveableObject, SaveSpec


class IteratorSaveable(SaveableObject):
    """An iterator.

    Args:
      iterator_resource: its handle.
      name: its name in the checkpoint.
    """

    def __init__(self, iterator_resource: Tensor, name: str) -> None:
        state = on_host(serialize_iterator_op, iterator_resource)
        super().__init__(
            iterator_resource, [SaveSpec(state, "", f"{name}-state", dtype=string)], name
        )

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Any:
        return on_host(deserialize_iterator_op, self.op, restored_tensors[0])


def make_saveable_from_iterator(iterator: Any, external_state_policy: Any = None) -> Any:
    """What a `tf.train.Saver` needs to save where an iterator stands.

    An initializable iterator must have been initialized before it is restored.

    Args:
      iterator: an iterator of a graph.
      external_state_policy: accepted.
    Example:
      >>> iterator = tf.data.Dataset.range(9).make_one_shot_iterator()
      >>> saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    """
    handle = iterator._iterator_resource
    return IteratorSaveable(handle, handle.name)
