"""`tf.TensorSpec`: the shape and type that a function's argument, or a dataset's element, has."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape


class TensorSpec:
    """Describes a tensor.

    Args:
      shape: what is known of the shape; None: nothing.
      dtype: the type of the elements.
      name: a name for it, or None.

    Example:
      >>> tf.TensorSpec([None, 2], tf.float32)
      TensorSpec(shape=(?, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A copy of `spec`, perhaps under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Describes a tensor that is there."""
        own = getattr(getattr(tensor, "op", None), "name", None) if name is None else name
        return cls(tensor.shape, tensor.dtype, own)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor, or what another spec describes, may stand here."""
        return self._dtype.is_compatible_with(
            other.dtype.base_dtype
        ) and self._shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and repr(self._shape) == repr(other._shape)
            and self._dtype == other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((repr(self._shape), self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple:
        return TensorSpec, (self._shape, self._dtype, self._name)
