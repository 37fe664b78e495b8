"""`IndexedSlices`: some rows of a tensor, with their places.

What a lookup of a few rows of a large table changes is those rows. They need not be written out
among all the others:

    values  [[.1, .2],       indices [0, 4]       stands for a tensor that has these rows at 0 and 4
             [.3, .4]]                            and zeros elsewhere; a place named twice gets both
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minitf.core.graph.composites import PlacedValues
from minitf.core.graph.convert import constant_value_as_shape, convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor


class IndexedSlicesValue(NamedTuple):
    """What a run gives for an `IndexedSlices`: arrays."""

    values: Any
    indices: Any
    dense_shape: Any


class IndexedSlices(PlacedValues):
    """Rows of a tensor and where they belong. Converted to a tensor, it becomes the whole.

    Args:
      values: [n, ...] the rows.
      indices: [n] integers, the place of each row along the first axis.
      dense_shape: the shape of the whole, a vector; needed to make the whole of it.

    Example:
      >>> v = tf.Variable(tf.zeros([3, 2]))
      >>> update = v.scatter_add(tf.IndexedSlices(values=tf.constant([[1.0, 1.0]]), indices=[2]))
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values, name="values")
        self._indices = convert_to_tensor(indices, name="indices")
        self._dense_shape = (
            None if dense_shape is None else convert_to_tensor(dense_shape, name="dense_shape")
        )

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole."""
        if self._dense_shape is None:
            return unknown_shape()
        return constant_value_as_shape(self._dense_shape)

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self._values.device

    def _components(self) -> list[Tensor]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    def _fed(self, value: Any) -> list[Any]:
        return [part for part in value if part is not None]

    def _with_components(self, tensors: Sequence[Tensor]) -> IndexedSlices:
        return IndexedSlices(*tensors)

    def _fetched(self, values: Sequence[Any]) -> IndexedSlicesValue:
        return IndexedSlicesValue(*values, *[None] * (3 - len(values)))

    def _as_tensor(self) -> Tensor:
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: " + str(self)
            )
        with name_scope(None, "IndexedSlices", [self._values]):
            rows = self._dense_shape[0]
            whole = call("UnsortedSegmentSum", self._values, self._indices, rows)
        whole.set_shape(self.shape)
        return whole

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"
