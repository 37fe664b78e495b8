"""From a call of an op to its node: converts inputs, checks dtypes, infers shapes.

    add(x, 2)   convert_inputs   2 becomes a Const of x's dtype          TypeError
                check_types      every tensor fits the signature         TypeError
                infer_outputs    the shape function, with known values   ValueError

`Graph.apply` and eager execution call these functions. They add nothing to a graph but the
constants of converted values.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, constant_value_as_shape, convert_to_tensor
from minitf.core.graph.dtypes import DType, c_name
from minitf.core.graph.op_def import Arg, OpDef
from minitf.core.graph.shapes import TensorShape, as_shape, brackets, check_few, unknown_shape
from minitf.core.graph.tensor import Tensor

# ---- inputs ------------------------------------------------------------------------------


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def check_input_count(op_def: OpDef, name: str, types: Sequence[DType]) -> None:
    """Checks the number of inputs of a node.

    Args:
      op_def: the declaration of the type.
      name: the node's name.
      types: the dtypes of its inputs, control inputs aside.
    Raises:
      ValueError: "NodeDef expected inputs 'float, float' do not match 1 inputs specified; ...".
    """
    lists = sum(arg.is_list for arg in op_def.inputs)
    left = len(types) - (len(op_def.inputs) - lists)  # for the lists, which are of one length
    if left == 0 or (lists and left > 0 and left % lists == 0):
        return
    bound: dict[str, str] = {}
    for arg, dtype in zip(op_def.inputs, types, strict=False):
        bound.setdefault(arg.type, c_name(dtype.base_dtype))
    expected = ", ".join(
        "N*" * arg.is_list + bound.get(arg.type, arg.type) + "_ref" * arg.is_ref
        for arg in op_def.inputs
    )
    raise ValueError(
        f"NodeDef expected inputs '{expected}' do not match {len(types)} inputs specified; "
        f"Op<name={op_def.type}; signature={op_def.signature}>; NodeDef: {{{{node {name}}}}}"
    )


def are_tensors(op_def: OpDef, inputs: Sequence[Any]) -> bool:
    """Whether all inputs are tensors, or lists of them where the signature has lists."""
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if type(value) is not Tensor and not (
            arg.is_list and _is_list(value) and all(type(v) is Tensor for v in value)
        ):
            return False
    return True


def graph_of(inputs: Sequence[Any], op_type: str) -> Any:
    """The graph of the first tensor among the inputs, or the default graph."""
    default = stacks.get_default_graph()
    if default.captures_from_outside:
        return default
    items = [
        item.graph.give_out(item, default)
        for value in inputs
        for item in (value if _is_list(value) else (value,))
        if hasattr(item, "_as_tensor") and hasattr(item, "graph")
    ]
    for item in items:
        if getattr(item.graph, "sealed", False):
            kind = "a while loop" if item.graph.name in ("body", "cond") else "a function"
            raise ValueError(
                f"Cannot use '{item.op.name}' as input to '{op_type}' because "
                f"'{item.op.name}' is in {kind}. See info log for more details."
            )
    return stacks.owner_of(items) or default


def check_types(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Tensor]:
    """Checks the types of tensors; returns them in one flat list.

    Raises:
      TypeError: when their types do not fit the signature.
    """
    return _Typing(op_def, inputs, attrs).flat(converts=False)


def convert_inputs(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Tensor]:
    """Converts inputs to tensors, in one flat list, and checks their types."""
    return _Typing(op_def, inputs, attrs).flat(converts=True)


def expected_type(arg: Arg, attrs: dict[str, Any]) -> DType | None:
    """The dtype that the signature or an attribute sets; None for a type variable."""
    if arg.type in attrs:
        return attrs[arg.type]
    return dtypes.as_dtype(arg.type) if arg.type[:1].islower() else None


class _Typing:
    """The inputs of one call, and the dtypes bound to its type variables so far."""

    def __init__(self, op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> None:
        self._op_def, self._inputs, self._attrs = op_def, inputs, attrs
        self._bound: dict[str, tuple[DType, str]] = {}  # with the argument of the first tensor

    def flat(self, converts: bool) -> list[Tensor]:
        """The inputs in one list; with `converts`, Python values become constants."""
        flat: list[Tensor] = []
        for arg, value in zip(self._op_def.inputs, self._inputs, strict=True):
            if arg.is_list:
                values = self._converted_list(arg, value) if converts else value
                self._check_list(arg, values)
            else:
                values = [self._converted(arg, value, arg.name) if converts else value]
            for tensor in values:
                self._bind(arg, tensor)
                flat.append(tensor)
        return flat

    def _check_list(self, arg: Arg, values: Sequence[Any]) -> None:
        """Raises for an empty list, and for a list of several types where one is needed."""
        if arg.type == "?":
            return
        if not values:
            raise ValueError(
                f"List argument '{arg.name}' to '{self._op_def.type}' Op with length 0 shorter "
                "than minimum length 1."
            )
        wanted = self._expected(arg) or values[0].dtype.base_dtype
        if any(each.dtype.base_dtype != wanted for each in values):
            raise self._unlike_types(arg, values)

    def _expected(self, arg: Arg) -> DType | None:
        """The dtype of an input, if attributes or earlier inputs determine it."""
        return expected_type(arg, self._attrs) or self._bound.get(arg.type, (None,))[0]

    def _unlike_types(self, arg: Arg, values: Sequence[Any]) -> TypeError:
        """The error for a list of several types; it names all of them."""
        types = []
        for value in values:
            try:
                tensor = value if hasattr(value, "dtype") else convert_to_tensor(value)
                types.append(dtypes.as_dtype(tensor.dtype).base_dtype.name)
            except (TypeError, ValueError):
                types.append("<NOT CONVERTIBLE TO TENSOR>")
        expected, earlier = expected_type(arg, self._attrs), self._bound.get(arg.type)
        why = "that don't all match."
        if expected is not None:
            why = f"that do not match expected type {expected.name}."
        elif earlier is not None:
            why = f"that do not match type {earlier[0].name} inferred from earlier arguments."
        return TypeError(
            f"Tensors in list passed to '{arg.name}' of '{self._op_def.type}' Op have types "
            f"[{', '.join(types)}] {why}"
        )

    def _bind(self, arg: Arg, tensor: Tensor) -> None:
        """Checks the type of one input; the first tensor of a type variable binds it."""
        dtype, op_type = tensor.dtype.base_dtype, self._op_def.type
        where = f"Input '{arg.name}' of '{op_type}' Op has type {dtype.name} that does not match "
        if arg.is_ref and not tensor.dtype._is_ref_dtype:
            raise TypeError(
                f"'{op_type}' Op requires that input '{arg.name}' be a mutable tensor "
                "(e.g.: a tf.Variable)"
            )
        if arg.type == "?":
            return
        expected = expected_type(arg, self._attrs)
        if expected is not None:
            if dtype != expected:
                raise TypeError(f"{where}expected type of {expected.name}.")
            return
        if arg.type in self._bound:
            first, first_name = self._bound[arg.type]
            if dtype == first:
                return
            raise TypeError(f"{where}type {first.name} of argument '{first_name}'.")
        allowed = self._op_def.constraints.get(arg.type)
        if allowed is not None and dtype not in allowed:
            raise TypeError(
                f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of "
                f"allowed values: {', '.join(t.name for t in allowed)}"
            )
        self._bound[arg.type] = (dtype, arg.name)

    def _converted_list(self, arg: Arg, values: Any) -> list[Tensor]:
        """Converts the values of a list; they have one type unless the signature has `?`."""
        if not _is_list(values):
            raise TypeError(
                f"Expected list for '{arg.name}' argument to '{self._op_def.type}' Op, not "
                f"{values!r}."
            )
        try:
            return [self._converted(arg, x, f"{arg.name}_{i}") for i, x in enumerate(values)]
        except (TypeError, ValueError):
            if arg.type == "?":
                raise
            raise self._unlike_types(arg, values) from None

    def _converted(self, arg: Arg, item: Any, name: str) -> Tensor:
        if type(item) is Tensor:
            return item
        if hasattr(item, "_as_tensor"):  # a variable
            return item._as_ref_tensor() if arg.is_ref else item._as_tensor()
        wanted = self._expected(arg) or self._hints.get(arg.type)
        allowed = self._op_def.constraints.get(arg.type)
        preferred = dtypes.int32 if allowed == dtypes.INDICES else None  # of an empty list
        try:
            return convert_to_tensor(item, dtype=wanted, name=name, preferred_dtype=preferred)
        except ValueError as error:
            if wanted is not None:  # it may be a tensor of another type, which `_bind` tells
                with contextlib.suppress(ValueError, TypeError):
                    return convert_to_tensor(item, name=name, preferred_dtype=preferred)
            raise ValueError(
                f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}"
            ) from None
        except TypeError as error:
            if wanted is None:
                raise
            kind = re.sub(r"^tf\.", "", repr(wanted))
            raise TypeError(
                f"Expected {kind} passed to parameter '{arg.name}' of op '{self._op_def.type}', "
                f"got {item!r} of type '{type(item).__name__}' instead. Error: {error}"
            ) from None

    @cached_property
    def _hints(self) -> dict[str, DType]:
        """For each type variable the dtype of its first tensor, which may come later."""
        found: dict[str, DType] = {}
        for arg, value in zip(self._op_def.inputs, self._inputs, strict=True):
            for item in value if arg.is_list and _is_list(value) else (value,):
                if arg.type != "?" and hasattr(item, "_as_tensor") and hasattr(item, "dtype"):
                    found.setdefault(arg.type, item.dtype.base_dtype)
        return found


def ragged_among(inputs: Sequence[Any]) -> Any:
    """The first input that maps operations itself, as a `RaggedTensor` does; or None."""
    for value in inputs:
        for item in value if _is_list(value) else (value,):
            if hasattr(item, "_map_elements"):
                return item
    return None


# ---- outputs -----------------------------------------------------------------------------


class TensorSpec:
    """One input of a shape function: its shape, its dtype and its value if that is constant."""

    __slots__ = ("_tensor", "asked_value", "dtype", "shape")

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self.shape = tensor._shape
        self.dtype = tensor._dtype.base_dtype
        self.asked_value = False

    @property
    def value(self) -> Any:
        """The constant value as an array, or None when it is only known at run time."""
        value = constant_value(self._tensor)
        check_few(0 if value is None else value.size, "An input")
        self.asked_value = True
        return value

    @property
    def partial_shape(self) -> TensorShape:
        """The shape that this vector of sizes describes, with None where an element varies.

        Raises:
          ValueError: when it is no vector, or a size is less than -1.
        """
        self.shape.assert_has_rank(1)
        found = constant_value_as_shape(self._tensor)
        for size in () if self.value is None else self.value.tolist():
            if size < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {size}")
        return found

    @property
    def partial_rows(self) -> list[list[int | None]] | None:
        """The rows of this matrix, with None where an element varies; None if all do."""
        op: Any = self._tensor.op
        if op.type != "Pack" or op.attrs["axis"] != 0:
            return None
        return [constant_value_as_shape(row).as_list() for row in op.inputs]


def infer_outputs(op: Any) -> list[tuple[DType, TensorShape]]:
    """The dtype and static shape of each output of a new operation.

    Raises:
      ValueError: "... for 'MatMul' (op: 'MatMul') with input shapes: [10,512,1], [512,2]."
    """
    op_def = op.op_def
    types = op_def.output_dtypes(op.inputs, op.attrs)
    if not types:
        if op_def.shape_function is not None:
            _infer_shapes(op)
        return []
    shapes = _infer_shapes(op)
    if len(types) == 1 and not (
        isinstance(shapes, list) and len(op_def.outputs) == 1 and op_def.outputs[0].is_list
    ):
        shapes = [shapes]
    elif shapes is None:
        shapes = [None] * len(types)
    shapes = [unknown_shape() if s is None else as_shape(s) for s in shapes]
    return list(zip(types, shapes, strict=True))


def _infer_shapes(op: Any) -> Any:
    op_def: OpDef = op.op_def
    if op_def.shape_function is None:
        return None
    specs = [TensorSpec(t) for t in op.inputs]
    attrs = {k: op.attrs[k] for k in op_def.attr_names}
    try:
        given = op_def.group(specs)
        for place in op_def.host_inputs:  # sizes, axes and the like
            check_few(given[place].shape.num_elements() or 0, f"Input {place}")
        return op_def.shape_function(*given, **attrs)
    except ValueError as error:
        text = getattr(error, "in_inference", str(error))
        raise ValueError(_locate(text, op, specs)) from None


def _locate(message: str, op: Any, specs: list[TensorSpec]) -> str:
    shapes = ", ".join(brackets(s.shape) for s in specs)
    text = f"{message} for '{op.name}' (op: '{op.type}') with input shapes: {shapes}"
    known = [
        f"input[{i}] = <{' '.join(str(v) for v in spec.value.ravel())}>"
        for i, spec in enumerate(specs)
        if spec.asked_value and spec.value is not None
    ]
    return text + (" and with computed input tensors: " + ", ".join(known) if known else "") + "."
