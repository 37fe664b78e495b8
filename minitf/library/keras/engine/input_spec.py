"""`InputSpec`: what a layer asks of its inputs, and the check of it."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes, nest
from minitf.core.graph.shapes import as_shape


class InputSpec:
    """What a layer asks of one input; what is None is open.

    Args:
      dtype: the element type.
      shape: the whole shape, with None for open sizes.
      ndim: the rank.
      max_ndim, min_ndim: bounds of the rank.
      axes: the sizes of some axes, as {-1: 784}.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {**vars(self), "dtype": self.dtype and self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Makes what `get_config` described."""
        return cls(**config)

    def __repr__(self) -> str:
        kept = {k: v for k, v in vars(self).items() if v or v == 0}
        if "dtype" in kept:
            kept["dtype"] = self.dtype.name  # type: ignore[union-attr]
        return f"InputSpec({', '.join(f'{k}={v}' for k, v in kept.items())})"


def assert_input_compatibility(spec: Any, inputs: Any, layer_name: str) -> None:
    """Compares the inputs of a layer with its `InputSpec`, or list of them.

    Raises:
      ValueError: when one does not fit.
    """
    if not spec:
        return
    specs, tensors = nest.flatten(spec), nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(tensors)} input "
            f"tensors. Inputs received: {inputs}"
        )
    for index, (wanted, tensor) in enumerate(zip(specs, tensors, strict=True)):
        message = None if wanted is None else _misfit(wanted, tensor)
        if message:
            raise ValueError(
                f"Input {index} of layer {layer_name} is incompatible with the layer: {message}"
            )


def _misfit(spec: InputSpec, x: Any) -> str | None:
    rank = x.shape.ndims
    bounded = (spec.ndim, spec.max_ndim, spec.min_ndim) != (None, None, None)
    if rank is None:
        return "its rank is undefined, but the layer requires a defined rank." if bounded else None
    sizes = x.shape.as_list()
    if spec.ndim is not None and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {sizes}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (
            f": expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {sizes}"
        )
    if spec.dtype is not None and x.dtype.base_dtype != spec.dtype:
        return f"expected dtype={spec.dtype.name}, found dtype={x.dtype}"
    for axis, size in spec.axes.items():
        if size is not None and sizes[axis] not in (size, None):
            return (
                f"expected axis {axis} of input shape to have value {size} but received input with "
                f"shape {sizes}"
            )
    for wanted, found in zip(as_shape(spec.shape).as_list() if spec.shape else [], sizes):
        if wanted is not None and found not in (wanted, None):
            return f"expected shape={spec.shape}, found shape={sizes}"
    return None
