"""What programs give to datasets, as the inputs of operations: numbers, seeds, shapes, elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import as_array, constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.random import get_seed
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data import structure
from minitf.library.input.data.iterator_ops import on_host
from minitf.library.input.data.parallel import AUTOTUNE

#: the arguments of `Dataset.range`
RANGE = ("start", "stop", "step")


def made(make: OpDef, spec: Any, *inputs: Any, **attrs: Any) -> Tensor:
    """A dataset's tensor, on the processor of its task."""
    return on_host(make, *inputs, **structure.types_and_shapes(spec), **attrs)


def seeds_of(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a random transformation; both zero for an order that nobody can tell."""
    if isinstance(seed, Tensor):
        return int64(seed, "seed"), int64(0, "seed2")
    one, two = get_seed(seed)
    given = one is not None or two is not None
    one, two = one or 0, two or 0
    if given and not (one or two):
        two = 2**31 - 1
    return int64(one, "seed"), int64(two, "seed2")


def int64(value: Any, name: str) -> Tensor:
    """A number as a tensor."""
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


def truth(value: Any) -> Tensor:
    """A bool as a tensor."""
    return convert_to_tensor(value, dtype=dtypes.bool, name="drop_remainder")


def known_size(size: Tensor, drop: Tensor) -> int | None:
    """The size of all batches, where it is known: when none is smaller."""
    known, dropped = constant_value(size), constant_value(drop)
    return int(known) if known is not None and dropped is not None and bool(dropped) else None


def cycle_of(length: Any) -> Any:
    """How many datasets take turns; two where that is left open."""
    automatic = length is None or (isinstance(length, int) and length == AUTOTUNE)
    return 2 if automatic else length


# ---- padding -----------------------------------------------------------------------------


def padded_shape(padded: Any, shape: TensorShape) -> Tensor:
    """A shape to fill up to, as a vector with -1 for what is unknown.

    Raises:
      ValueError: when it does not fit the shape of the elements.
    """
    tensor = _sizes_of(padded)
    wanted = shape_of_sizes(tensor)
    if None not in (wanted.ndims, shape.ndims):
        pairs = zip(wanted.as_list(), shape.as_list(), strict=False)
        known = [pair for pair in pairs if None not in pair]
        if wanted.ndims != shape.ndims or any(size < least for size, least in known):
            raise ValueError(
                f"The padded shape {wanted} is not compatible with the corresponding input "
                f"component shape {shape}."
            )
    return tensor


def _sizes_of(padded: Any) -> Tensor:
    """A shape, or a vector with -1 for what is unknown, as that vector."""
    try:
        sizes = padded if isinstance(padded, Tensor) else np.array(_sizes(as_shape(padded)))
    except (TypeError, ValueError):
        sizes = padded
    tensor = convert_to_tensor(sizes, preferred_dtype=dtypes.int64, name="padded_shape")
    if tensor.shape.ndims not in (None, 1):
        raise ValueError(
            f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its shape was "
            f"{tensor.shape}."
        )
    if tensor.dtype.base_dtype != dtypes.int64:
        raise TypeError(
            f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its element type "
            f"was {tensor.dtype.name}."
        )
    return tensor


def _sizes(shape: TensorShape) -> list[int]:
    return [-1 if size is None else size for size in shape.as_list()]


def shape_of_sizes(sizes: Tensor) -> TensorShape:
    """The shape of which a vector holds the sizes, -1 for what is unknown."""
    known = constant_value(sizes)
    if known is None:
        return TensorShape(
            None if sizes.shape.num_elements() is None else [None] * sizes.shape[0].value
        )
    return TensorShape([None if size < 0 else int(size) for size in known])


def zero_of(dtype: Any) -> Tensor:
    """What is filled up with by default."""
    return convert_to_tensor("" if dtype == dtypes.string else np.zeros((), dtype.numpy_dtype))


def padding_of(value: Any, spec: TensorSpec) -> Tensor:
    """What is filled up with, as a tensor.

    Raises:
      TypeError, ValueError: when it is no scalar of the component's type.
    """
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype.base_dtype != spec.dtype:
        raise TypeError(
            "Invalid `padding_values`. `padding_values` values type "
            f"{tensor.dtype.base_dtype} does not match type {spec.dtype} of the corresponding "
            "input component."
        )
    return tensor


# ---- what generators yield ------------------------------------------------------------------


def checked_element(value: Any, types: Any, shapes: Any) -> list[Any]:
    """What a generator yielded, as the flat components of an element.

    Raises:
      TypeError, ValueError: when it does not fit.
    """
    try:
        flat = structure.flatten(structure.map_up_to(types, _Whole, value))
    except (TypeError, ValueError, KeyError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {types}, but the yielded element was {value}."
        ) from None
    parts = zip(flat, structure.flatten(types), structure.flatten(shapes), strict=True)
    return [_checked(part.value, dtype, shape) for part, dtype, shape in parts]


class _Whole:
    """A leaf, whatever it is: a list is no structure, nor is a tuple where a leaf must be."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _as_array(value: Any, dtype: dtypes.DType) -> np.ndarray:
    if dtype == dtypes.string:
        value = value.tolist() if isinstance(value, np.ndarray) else value
        return as_array(value, dtype)
    return np.array(value, dtype.numpy_dtype)


def _checked(component: Any, dtype: Any, shape: TensorShape) -> Any:
    """A component that a generator yielded, as an array of the declared type and shape.

    Raises:
      TypeError, ValueError: when it does not fit.
    """
    try:
        array = _as_array(component, dtype)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {dtype.name}, but the yielded element was {component}."
        ) from None
    if not shape.is_compatible_with(array.shape):
        raise ValueError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{TensorShape(shape)} was expected."
        )
    return array if array.ndim else array[()]
