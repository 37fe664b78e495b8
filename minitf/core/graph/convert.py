"""Converts Python values to tensors, and tensors of known value to arrays.

`convert_to_tensor` lets a program write `a + 2`. `constant_value` computes a tensor that depends on
constants only, for shape functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import (
    MOST_DIMENSIONS,
    Dimension,
    TensorShape,
    check_few,
    unknown_shape,
)
from minitf.core.graph.tensor import DTypeLike, ShapeLike, Tensor, TensorLike

_FOLDABLE_SIZE = 1024  # elements: sizes, axes and indices are small; data is not folded here


def as_array(value: Any, dtype: DType | None = None) -> np.ndarray:
    """Converts a Python value to a NumPy array by TensorFlow's rules.

    Python ints become int32 (int64 when too large), floats float32, and so do NumPy's 64-bit
    numbers in a list; arrays keep their dtype. An int may become a float, but a float never
    silently becomes an int.

    Raises:
      TypeError: "Expected int32, got 1.5 of type 'float' instead."
      ValueError: when a list is ragged.
    """
    if not isinstance(value, np.generic) and callable(getattr(value, "__array__", None)):
        value = np.asarray(value)  # an array, or a column of pandas
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    return _from_python(value, dtype)


def _from_numpy(value: Any, dtype: DType | None) -> np.ndarray:
    if dtype is None or dtype == dtypes.string:
        array = np.asarray(value)
        if array.dtype.kind in "US" or any(isinstance(v, str) for v in array.ravel()[:1]):
            return _as_strings(array)
        if dtype is not None and array.dtype.kind != "O" and array.size:
            raise TypeError(f"Expected binary or unicode string, got {array.ravel()[0]}")
        dtypes.as_dtype(array.dtype)  # raises for types a tensor cannot have
        return array
    if value.dtype.kind in "US" or any(isinstance(v, (str, bytes)) for v in value.ravel()[:1]):
        raise TypeError(
            f"Expected {dtype.name}, got {value!r} of type '{type(value).__name__}' instead."
        )
    return np.asarray(value).astype(dtype.as_numpy_dtype, copy=False)


def _as_strings(value: Any) -> np.ndarray:
    array = np.asarray(value, dtype=object)
    flat = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
    if not {bytes, np.bytes_}.issuperset(map(type, flat)):
        if stacks.executing_eagerly():
            raise ValueError(
                f"Attempt to convert a value ({value}) with an unsupported type ({type(value)}) "
                "to a Tensor."
            )
        raise TypeError(
            f"Failed to convert object of type {type(value)} to Tensor. Contents: {value}. "
            "Consider casting elements to a supported type."
        )
    result = np.empty(array.shape, dtype=object)
    result.ravel()[:] = flat if flat else []
    if array.ndim == 0:
        result[()] = flat[0]
    return result


_PLAIN = frozenset((bool, bytes, complex, float, int, str))  # thousands of them are told at once


def _plain(value: Any) -> Any:
    """Dimensions and shapes as ints and lists; everything else as it is."""
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {value}")
        return value.as_list()
    if isinstance(value, (list, tuple)):
        done = _PLAIN.issuperset(map(type, value))
        return list(value) if done else [_plain(v) for v in value]
    if isinstance(value, range):
        return list(value)
    return value


#: What the leaves of a list may be, by the kind of dtype; whole numbers for every other kind.
_LEAVES: dict[str, tuple[type, ...]] = {
    "O": (str, bytes),
    "b": (bool, np.bool_),
    "f": (int, float, np.integer, np.floating),
    "c": (int, float, complex, np.number),
}
_WHOLE_NUMBERS = (int, np.integer)


def _unfit_leaf(value: Any, fits: tuple[type, ...]) -> list[Any]:
    """The first leaf that is of none of the types, in a list; an empty one when all fit."""
    if isinstance(value, list):
        items = [] if set(map(type, value)).issubset(fits) else value
        return next(filter(None, (_unfit_leaf(item, fits) for item in items)), [])
    if isinstance(value, np.ndarray):
        value = value.dtype.type()
    return [] if isinstance(value, fits) else [value]


def _from_python(value: Any, dtype: DType | None) -> np.ndarray:
    sizes = isinstance(value, (TensorShape, Dimension))
    if sizes and dtype is not None and dtype not in dtypes.INDICES:
        raise TypeError(
            f"Cannot convert {type(value).__name__} {value} to dtype {dtype!r}. Allowed dtypes are "
            "tf.int32 and tf.int64."
        )
    value = _plain(value)
    if value is None:
        raise ValueError("None values not supported.")
    if dtype is not None:
        return _from_python_as(value, dtype.base_dtype)
    try:
        array = np.array(value)
    except ValueError:
        raise _ragged(value) from None
    kind = array.dtype.kind
    if kind in "USO":
        return _as_strings(value)
    if kind == "f" and _becomes_float32(value, array):
        return array.astype(np.float32)
    if array.dtype == np.int64 and isinstance(value, (int, list)):
        small = array.astype(np.int32)
        return small if (small == array).all() else array
    if kind == "c" and _has_python_leaves(value):
        return array.astype(np.complex128)
    return array


def _ragged(value: list) -> ValueError:
    """The error for a list whose rows differ in length."""
    wanted: list[int] = []
    first: Any = value
    while isinstance(first, list):
        wanted.append(len(first))
        first = first[0] if first else None
    got = list(np.array(value, dtype=object).shape)
    return ValueError(
        f"Argument must be a dense tensor: {value!r} - got shape {got}, but wanted {wanted}."
    )


def _becomes_float32(value: Any, array: np.ndarray) -> bool:
    """Whether floats become float32: Python's own do, and lists of np.float64 in a graph."""
    if array.dtype == np.float64 and isinstance(value, list) and not stacks.executing_eagerly():
        return True
    return _has_python_leaves(value)


def _has_python_leaves(value: Any) -> bool:
    """Whether the numbers are Python's own (they get 32 bits), not NumPy's (which keep theirs)."""
    if isinstance(value, list):
        return all(_has_python_leaves(v) for v in value[:1]) if value else True
    return not isinstance(value, (np.ndarray, np.generic))


def _from_python_as(value: Any, dtype: DType) -> np.ndarray:
    for leaf in _unfit_leaf(value, _LEAVES.get(dtype._kind, _WHOLE_NUMBERS)):
        raise TypeError(
            f"Expected {dtype.name}, got {leaf!r} of type '{type(leaf).__name__}' instead."
        )
    if dtype == dtypes.string:
        return _as_strings(value)
    try:
        return np.array(value, dtype=dtype.as_numpy_dtype)
    except OverflowError:
        size = np.dtype(dtype.as_numpy_dtype).itemsize
        whole, end = np.array(value, object), 2 ** (8 * size)
        if size == 8 and not stacks.executing_eagerly():
            raise  # the error that NumPy has is TensorFlow's
        # Where int32 or int64 may stand, wider numbers are for the wider one.
        wider = size == 4 and not all(-end <= each < end for each in whole.flat)
        if wider or stacks.executing_eagerly():
            raise ValueError(f"Cannot represent {value!r} as {dtype.name}.") from None
        # In a graph the low bits count, as with NumPy at the time: masks are written so.
        return np.array(whole & (end - 1), f"u{size}").astype(dtype.as_numpy_dtype)
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise  # NumPy's words are TensorFlow's where the type is told
        raise _ragged(value) from None


def _fill_shape(array: np.ndarray, shape: Any) -> np.ndarray:
    """Gives a constant its `shape`; values that are too few repeat the last one."""
    wanted = tuple(int(d) for d in TensorShape(shape).as_list())  # type: ignore[arg-type]
    count = int(np.prod(wanted, dtype=np.int64))
    if array.size == count:
        return array.reshape(wanted)
    if count == 0:  # whatever the values are
        return np.empty(wanted, array.dtype)
    if array.size > count or array.size == 0:
        raise ValueError(
            f"Too many elements provided. Needed at most {count}, but received {array.size}"
        )
    filled = np.empty(count, array.dtype)
    filled[: array.size] = array.ravel()
    filled[array.size :] = array.ravel()[-1]
    return filled.reshape(wanted)


def constant(
    value: TensorLike,
    dtype: DTypeLike = None,
    shape: ShapeLike = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """`tf.constant`: an operation that always gives `value`.

    Args:
      value: a number, a string, nested lists of them, or an array.
      dtype: the type of the elements; by default int32, float32 or what the array has.
      shape: the shape; fewer values than it needs repeat the last one.
      name: the operation's name.
      verify_shape: whether the value must have just that shape.
    Raises:
      TypeError: when a value is not of `dtype`, or `verify_shape` and the shape differs.
    Example:
      >>> tf.constant([[1, 2], [3, 4]], tf.float32)
      <tf.Tensor 'Const:0' shape=(2, 2) dtype=float32>
      >>> sess.run(tf.constant(7, shape=[2, 2]))
      array([[7, 7],
             [7, 7]], dtype=int32)
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    array = _as_value(value, wanted)
    if shape is not None:
        if stacks.executing_eagerly() and array.size not in (1, TensorShape(shape).num_elements()):
            raise TypeError(
                "Eager execution of tf.constant with unsupported shape. Tensor "
                f"{array} (converted from {value}) has {array.size} elements, but got `shape` "
                f"{TensorShape(shape)} with {TensorShape(shape).num_elements()} elements)."
            )
        if verify_shape and tuple(TensorShape(shape).as_list()) != array.shape:
            raise TypeError(
                f"Expected Tensor's shape: {tuple(TensorShape(shape).as_list())}, got "
                f"{array.shape}."
            )
        array = _fill_shape(array, shape)
    if array.nbytes >= 2**31 and not stacks.executing_eagerly():
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
    return _const(array, name)


def _as_value(value: Any, dtype: DType | None) -> np.ndarray:
    """As `as_array`, with the error messages of eager execution where that is on."""
    try:
        return as_array(value, dtype)
    except TypeError:
        if dtype is None or not stacks.executing_eagerly():
            raise
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}") from None


def _const(array: np.ndarray, name: str | None) -> Tensor:
    return stacks.get_default_graph().constant(np.array(array, copy=True), name or "Const")


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    as_ref: bool = False,
    dtype_hint: Any = None,
) -> Tensor:
    """Converts a number, list, array, variable or shape to a tensor; a tensor is returned as it is.

    Args:
      value: what to convert; a list may hold tensors, which are packed.
      dtype: the type it must have.
      name: the name of the constant, if one is made.
      preferred_dtype: the type to try first when `dtype` is None.
      as_ref: whether a variable gives its reference.
    Raises:
      TypeError: when `value` cannot be a tensor of that type.
      ValueError: when a tensor has another type than `dtype`.
    Example:
      >>> tf.convert_to_tensor([[1, 2], [3, 4]])
      <tf.Tensor 'Const:0' shape=(2, 2) dtype=int32>
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    if hasattr(value, "_as_tensor"):
        tensor = (
            value._as_ref_tensor()
            if as_ref and hasattr(value, "_as_ref_tensor")
            else (value._as_tensor())
        )
        if wanted is not None and not wanted.is_compatible_with(tensor.dtype.base_dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype "
                f"{tensor.dtype.name}: {str(tensor)!r}"
            )
        return tensor
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _pack(value, wanted, name)
    if isinstance(value, TensorShape) and wanted is None:
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape to a Tensor: {value}")
        sizes = np.array(value.as_list(), np.int64)
        if sizes.max(initial=0) < 2**31:
            sizes = sizes.astype(np.int32)
        return _const(sizes, name or "shape_as_tensor")
    if isinstance(value, Dimension) and value.value is None:
        raise ValueError(f"Cannot convert an unknown Dimension to a Tensor: {value}")
    if wanted is None and preferred is not None:
        try:
            return _const(as_array(value, dtypes.as_dtype(preferred)), name)
        except (TypeError, ValueError):
            pass
    return _const(_as_value(value, wanted), name)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(v) for v in value)
    return hasattr(value, "_as_tensor")


def _first_tensor_dtype(value: Any) -> DType | None:
    if isinstance(value, (list, tuple)):
        found = (_first_tensor_dtype(v) for v in value)
        return next((f for f in found if f is not None), None)
    return value._as_tensor().dtype.base_dtype if hasattr(value, "_as_tensor") else None


def _pack(values: Any, dtype: DType | None, name: str | None) -> Tensor:
    """Packs a list with tensors in it along a new first axis: `[batch, tf.shape(x)[1]]`.

    If the first tensor has another type than `dtype`, all of them are cast.
    """
    first = _first_tensor_dtype(values)
    element = dtype or first

    def packed(items: Any, name: str | None) -> Tensor:
        return call("Pack", [part(item) for item in items], axis=0, name=name or "packed")

    def part(item: Any) -> Any:
        if not _holds_tensor(item):
            return item
        if isinstance(item, (list, tuple)):
            return packed(item, None)
        tensor = item._as_tensor()
        if tensor.dtype.base_dtype == element:
            return tensor
        if element == first:
            raise TypeError(
                f"Cannot convert a list containing a tensor of dtype {tensor.dtype} to "
                f"{element} (Tensor is: {item})"
            )
        return call("Cast", tensor, DstT=element)

    return packed(values, name)


# ---- values known while the graph is built -----------------------------------------------


def constant_value(tensor: Any) -> np.ndarray | None:
    """The value of a tensor that depends on constants and known shapes only; None otherwise.

    Kernels compute tensors of up to 1024 elements. A larger one is known only if it is a `Const`.
    """
    if not isinstance(tensor, Tensor):
        return None if tensor is None else np.asarray(tensor)
    if tensor._known_value is not None:
        return tensor._known_value
    found: dict[Tensor, np.ndarray | None] = {}
    pending = [tensor]  # a stack of our own: a chain may be longer than Python's
    while pending:
        last = pending[-1]
        if last._known_value is not None:
            found[pending.pop()] = last._known_value
            continue
        sources = _sources_of_value(last)
        unknown = sources is None or any(found.get(s, s) is None for s in sources)
        missing = None if unknown else next((s for s in sources or () if s not in found), None)
        if missing is not None:
            pending.append(missing)
            continue
        value = found[pending.pop()] = _size_from(last) if unknown else _value_from(last, found)
        if not getattr(last.graph, "captures_from_outside", False):  # arguments are bound anew
            last._known_value = value
    return found[tensor]


def _sources_of_value(tensor: Tensor) -> list[Tensor] | None:
    """The tensors from which the value of `tensor` follows; None if it cannot be known."""
    op: Any = tensor.op
    kind = op.type
    if kind in ("Const", "Shape", "ShapeN", "Size", "Rank"):
        return []
    if kind == "Argument":  # of a function: known when it stands for something known outside
        outside = op.graph.outside_of(tensor)
        return None if outside is None else [outside]
    if op.op_def.stateful or not op.inputs or kind.startswith("Placeholder"):
        return None
    size = tensor.shape.num_elements()
    if tensor.dtype == dtypes.string or (size is not None and size > _FOLDABLE_SIZE):
        return None
    for source in op.inputs:
        if (source.shape.num_elements() or 0) > _FOLDABLE_SIZE or source.dtype._is_ref_dtype:
            return None
        if size is None and source.dtype == dtypes.string:  # a picture may hold any number
            return None
    return list(op.inputs)


def _value_from(tensor: Tensor, found: dict[Tensor, Any]) -> np.ndarray | None:
    """Computes the value of `tensor` from those of its sources."""
    op: Any = tensor.op
    if op.type == "Const":
        return op.attrs["value"]
    if op.type in ("Shape", "ShapeN", "Size", "Rank"):
        return _from_static_shape(tensor)
    if op.type == "Argument":
        return found[op.graph.outside_of(tensor)]
    definition = op.op_def
    values = [found[source][()] for source in op.inputs]  # scalars, as in a step
    attrs = {name: op.attrs[name] for name in definition.attr_names}
    with np.errstate(all="ignore"):
        try:
            result = definition.kernel(np, *definition.group(values), **attrs)
        except Exception:  # whatever is wrong shows again, with a place, when the step runs
            return None
    if len(op.outputs) > 1 or definition.outputs[0].is_list:
        result = result[tensor.value_index]
    return np.asarray(result)


def _size_from(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it is a known size of a partly known shape."""
    op: Any = tensor.op
    if op.type != "StridedSlice" or op.attrs.get("shrink_axis_mask", 0) != 1:
        return None
    size = _element_of(op)
    return None if size is None else np.asarray(size, tensor.dtype.as_numpy_dtype)


def _from_static_shape(tensor: Tensor) -> np.ndarray | None:
    shape = tensor.op.inputs[tensor.value_index].shape
    if tensor.op.type == "Rank":
        return None if shape.ndims is None else np.asarray(shape.ndims, np.int32)
    if not shape.is_fully_defined():
        return None
    known = shape.num_elements() if tensor.op.type == "Size" else shape.as_list()
    return np.asarray(known, tensor.dtype.as_numpy_dtype)


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """The shape that a vector of sizes describes, with None where an element varies."""
    check_few(tensor.shape.num_elements() or 0, "A shape", MOST_DIMENSIONS)
    value = constant_value(tensor)
    if value is not None:
        return TensorShape([None if d < 0 else int(d) for d in value.ravel()])
    op: Any = tensor.op
    if op.type == "Argument" and op.graph.outside_of(tensor) is not None:
        return constant_value_as_shape(op.graph.outside_of(tensor))
    if op.type == "Shape":
        return op.inputs[0].shape
    if op.type == "Pack" and op.attrs["axis"] == 0:
        sizes = [_constant_element(t) for t in op.inputs]
        return TensorShape([None if s is None or s < 0 else s for s in sizes])
    if op.type == "ConcatV2":
        whole = TensorShape(())
        for part in op.inputs:
            whole = whole.concatenate(constant_value_as_shape(part))
        return whole
    if op.type == "StridedSlice" and _takes_of_few(op):
        return _sliced_shape(op)
    if op.type in ("Cast", "Identity"):
        return constant_value_as_shape(op.inputs[0])
    length = tensor.shape.as_list()[0] if tensor.shape.ndims == 1 else None
    return unknown_shape(length)


def _constant_element(tensor: Tensor) -> int | None:
    """One element of a packed shape, where it is constant."""
    value = constant_value(tensor)
    return None if value is None else int(value)


def _element_of(op: Any) -> int | None:
    """The element of a vector of sizes that a `StridedSlice` takes, where it is known."""
    begin = constant_value(op.inputs[1])
    few = op.inputs[0].shape.ndims == 1 and _takes_of_few(op)
    if not few or begin is None or begin.size != 1:
        return None
    whole, at = constant_value_as_shape(op.inputs[0]), int(begin.ravel()[0])
    if whole.ndims is None or not -whole.ndims <= at < whole.ndims:
        return None
    return whole.as_list()[at]


def _takes_of_few(op: Any) -> bool:
    """Whether a `StridedSlice` takes of no more elements than a shape may have."""
    return (op.inputs[0].shape.num_elements() or 0) <= MOST_DIMENSIONS


def _sliced_shape(op: Any) -> TensorShape:
    begin, end, step = (constant_value(t) for t in op.inputs[1:4])
    whole = constant_value_as_shape(op.inputs[0])
    if whole.ndims is None or begin is None or end is None or step is None or begin.size != 1:
        return unknown_shape()
    first = None if op.attrs.get("begin_mask", 0) & 1 else int(begin.ravel()[0])
    last = None if op.attrs.get("end_mask", 0) & 1 else int(end.ravel()[0])
    if op.attrs.get("shrink_axis_mask", 0) & 1 or op.attrs.get("new_axis_mask", 0) & 1:
        return unknown_shape()
    return TensorShape(whole.as_list()[slice(first, last, int(step.ravel()[0]))])
