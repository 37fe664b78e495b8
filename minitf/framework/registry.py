"""The registry: every operation type, declared in one place.

    @op("MatMul", "a: T, b: T -> product: T", T=NUMBERS, samples=[...])
    def matmul(xp, a, b, *, transpose_a=False, transpose_b=False):
        return xp.matmul(...)

One declaration holds the kernel, and beside it the shape function, the gradient and the batch rule.
It serves the graph, the plan, the gradients, serialization, the tests and the widgets.

The signature gives names and types of inputs and outputs. A type is a variable (`T`, bound by the
first tensor and shared by all that name it), a dtype (`bool`), the name of a dtype attribute
(`dtype`), a list (`N*T`; as an output the list's length is the attribute before the star; `N*?` is
a list of tensors of any types, and `N*types` one whose dtypes are the attribute `types`), a handle
of a queue or another resource (`resource`), or a reference to a variable (`T&`). Dtypes follow from
the signature alone, so a shape function speaks of shapes only.

A kernel that may wait for other steps, as one of a queue does, has the keyword `step`: the
`Rendezvous` of its step, or None.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.framework import dtypes, stacks
from minitf.framework.dtypes import DType
from minitf.framework.shapes import TensorShape, as_shape, brackets, unknown_shape
from minitf.framework.tensor import Tensor

_OP_DEFS: dict[str, OpDef] = {}

#: What an operation may reach beside its inputs and its state: the files that the process may open,
#: or the Python functions of the program. A server can be started without (see `OpDef.reaches`).
REACHES = ("files", "python")

#: What an attribute may hold, in TensorFlow's words, by how a kernel declares it.
_KINDS_DECLARED: dict[str, tuple[str, ...]] = {
    "int": ("int",),
    "bool": ("bool",),
    "str": ("string",),
    "float": ("float", "int"),
    "tuple": ("list",),
    "tuple | None": ("list", "none"),
    "Axes": ("list", "none"),
    "DType": ("type",),
    "dtypes.DType": ("type",),
    "FuncGraph": ("func",),
}
_ANY = ("Any", "None")
_KINDS_BY_NAME: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("dtype", "DstT", "Tout", "out_type", "T", "out_idx"), ("type",)),
    **dict.fromkeys(("shape", "element_shape"), ("shape", "none", "list")),
    **dict.fromkeys(
        ("ksize", "ksizes", "strides", "rates", "dilations", "explicit_paddings"), ("list",)
    ),
}


class Arg(NamedTuple):
    """One input or output of a signature."""

    name: str
    type: str
    is_list: bool = False
    is_ref: bool = False
    length: str = ""  # an output list's length attribute

    @staticmethod
    def parse(text: str) -> Arg:
        """Reads `name: N*T&`; the name may be left out."""
        name, _, kind = text.rpartition(":")
        kind = kind.strip()
        length, star, kind = kind.rpartition("*")
        return Arg(name.strip(), kind.rstrip("&"), bool(star), kind.endswith("&"), length)


def _kinds(name: str, declared: Any) -> tuple[str, ...]:
    """What an attribute may hold, from its annotation or its name; () when neither tells."""
    found = _KINDS_DECLARED.get(str(declared))
    if found is None and str(declared) in _ANY:
        found = _KINDS_BY_NAME.get(name)
    return found or ()


def _parse_signature(signature: str) -> tuple[tuple[Arg, ...], tuple[Arg, ...]]:
    sides = signature.split("->")
    if len(sides) != 2:
        raise ValueError(f"A signature reads 'inputs -> outputs', not {signature!r}.")
    inputs, outputs = (
        tuple(Arg.parse(part) for part in side.split(",") if part.strip()) for side in sides
    )
    return inputs, outputs


#: Inputs that are sizes, axes, seeds: by these names they are in host memory, as in TensorFlow.
_NUMBERS = frozenset(
    "Range.delta a_shape axis begin block_shape crop_size crops depth dims end filter_sizes "
    "gradient_shape image_size index input_sizes k lengths limit max_output_size maxval minval "
    "multiples nbins num num_samples num_segments num_to_sample orig_input_shape output_shape "
    "paddings seed shape shift size size_splits sp_shape start stop strides".split()
)


class TensorSpec:
    """What a shape function knows of one input: shape, dtype and, when constant, the value."""

    __slots__ = ("_tensor", "_value_of", "asked_value", "dtype", "shape")

    def __init__(self, tensor: Tensor, value_of: Callable[[Tensor], Any]) -> None:
        self._tensor = tensor
        self._value_of = value_of
        self.shape = tensor._shape
        self.dtype = tensor._dtype.base_dtype
        self.asked_value = False

    @property
    def value(self) -> Any:
        """The constant value as an array, or None when it is only known at run time."""
        self.asked_value = True
        return self._value_of(self._tensor)

    @property
    def partial_shape(self) -> TensorShape:
        """The shape that this vector of sizes describes, as far as its elements are constant.

        Raises:
          ValueError: when it is no vector, or a size is less than -1.
        """
        if self.shape.ndims not in (None, 1):
            raise ValueError(f"Shape must be rank 1 but is rank {self.shape.ndims}")
        for size in () if self.value is None else self.value.tolist():
            if size < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {size}")
        return partial_shape_of(self._tensor)  # noqa: F821


#: Set by convert.py, which stands above this file: the constant value of a tensor, or None; and the
#: shape that a vector of sizes describes.
constant_value_of: Callable[[Tensor], Any]
partial_shape_of: Callable[[Tensor], TensorShape]
convert_input: Callable[..., Tensor]

#: Set by the face: imports every file in which ops are declared.
load_all_ops: Callable[[], None]
#: Set by eager.py: what runs an operation at once, with the arguments of `call`.
run_eagerly: Callable[[OpDef, Sequence[Any], dict[str, Any], str | None], Any]


class OpDef:
    """The declaration of one operation type. Calling it adds an operation to the current graph.

    Args:
      type: the CamelCase type, as "MatMul".
      signature: see the module's docstring.
      kernel: computes the outputs from the inputs; its first parameter is `xp` (pure: NumPy or
        CuPy) or `ctx` (stateful: an OpKernelContext); its keyword-only parameters are the
        attributes.
      samples: functions from a random generator to `(*inputs, attrs)`, by which the op is tested.
      no_samples: why there are none.
      differentiable: False stops gradients here in silence.
      alias: whether an output may share memory with an input.
      host_only: whether there is no kernel for cards: it runs on a CPU.
      expr: the op as a Python expression of its inputs, "{0} + {1}", for scalars and arrays alike.
      ufunc: the name of the NumPy and CuPy ufunc that computes it.
      reaches: what it reaches beside its inputs and its state, one of `REACHES`; "" for nothing. A
        function of the attributes where they decide.
      arithmetic: what it computes of each element, as a formula of the inputs and attributes that
        kernels/program.py can read; such operations can be put together into one.
      constraints: for a type variable, the dtypes it may take.
    """

    def __init__(
        self,
        type: str,  # noqa: A002
        signature: str,
        kernel: Callable,
        *,
        samples: Sequence[Callable] = (),
        no_samples: str = "",
        differentiable: bool = True,
        alias: bool = False,
        stateful: bool | None = None,
        elementwise: bool = False,
        host_only: bool = False,
        reaches: str | Callable[[dict[str, Any]], str] = "",
        expr: str | None = None,
        ufunc: str | None = None,
        arithmetic: str | None = None,
        constraints: dict[str, tuple[DType, ...]] | None = None,
    ) -> None:
        code = kernel.__code__
        first = code.co_varnames[0] if code.co_argcount else ""
        if first not in ("xp", "ctx"):
            raise ValueError(f"The kernel of {type} must take xp or ctx first.")
        keyword_only = code.co_varnames[
            code.co_argcount : code.co_argcount + code.co_kwonlyargcount
        ]
        self.type = type
        self.signature = signature
        self.kernel = kernel
        self.inputs, self.outputs = _parse_signature(signature)
        #: the places of the inputs that are always in host memory
        self.host_inputs = frozenset(
            i for i, a in enumerate(self.inputs) if {a.name, f"{type}.{a.name}"} & _NUMBERS
        )
        self.ref_inputs = tuple(i for i, arg in enumerate(self.inputs) if arg.is_ref)
        self.takes_context = first == "ctx"
        self.stateful = self.takes_context if stateful is None else stateful
        self.takes_out = "out" in keyword_only
        self.takes_step = "step" in keyword_only
        self.attr_names = tuple(k for k in keyword_only if k not in ("out", "step"))
        defaults = kernel.__kwdefaults__ or {}
        hints = kernel.__annotations__
        self._int_attrs = frozenset(k for k in self.attr_names if hints.get(k) in (int, "int"))
        self.attr_defaults = {k: v for k, v in defaults.items() if k in self.attr_names}
        self.attr_kinds = {k: _kinds(k, kernel.__annotations__.get(k)) for k in self.attr_names}
        self.samples = tuple(samples)
        self.no_samples = no_samples
        self.differentiable = differentiable
        self.alias = alias
        self.elementwise = elementwise
        self.host_only = host_only
        self.reaches = reaches
        self.expr = expr
        self.ufunc = ufunc
        self.arithmetic = arithmetic
        self.constraints = constraints or {}
        self.shape_function: Callable | None = None
        self.gradient_function: Callable | None = None
        self.batch_function: Callable | None = None
        self.bind_function: Callable | None = None
        self.__doc__ = kernel.__doc__
        self.__name__ = kernel.__name__
        self.__module__ = kernel.__module__
        self._list_index = next((i for i, a in enumerate(self.inputs) if a.is_list), None)
        self._output_types = [self._plan_output(a) for a in self.outputs]

    @property
    def name(self) -> str:
        """The type, by the name that TensorFlow's OpDef gives it."""
        return self.type

    def _plan_output(self, arg: Arg) -> tuple[str, Any]:
        """Where an output's dtype comes from: ('dtype', d), ('attr', name) or ('input', index)."""
        for index, source in enumerate(self.inputs):
            if source.type == arg.type:
                return "input", index
        if arg.type in self.attr_names:
            return "attr", arg.type
        return "dtype", dtypes.as_dtype(arg.type)

    def reach(self, attrs: dict[str, Any]) -> str:
        """What an operation with these attributes reaches, one of `REACHES`; "" for nothing."""
        return self.reaches(attrs) if callable(self.reaches) else self.reaches

    def shape(self, function: Callable) -> Callable:
        """Declares the shape function: input specs and attributes -> one shape, or a list."""
        self.shape_function = function
        return function

    def gradient(self, function: Callable) -> Callable:
        """Declares the gradient: `(op, *dy) -> dx`, or a list with one item an input."""
        self.gradient_function = function
        return function

    def batch(self, function: Callable) -> Callable:
        """Declares how the op runs over one more leading axis."""
        self.batch_function = function
        return function

    def bind(self, function: Callable) -> Callable:
        """Declares `(xp, attrs, input_shapes) -> kernel(*inputs)` for one node; None: as usual."""
        self.bind_function = function
        return function

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        return call(self, *inputs, name=name, **attrs)

    def __repr__(self) -> str:
        return f"<OpDef {self.type}: {self.signature}>"

    def group(self, flat: Sequence[Any]) -> list[Any]:
        """Arranges flat inputs as the kernel's parameters; a list parameter gets a list.

        Several lists, as those of `DynamicStitch`, are of one length.
        """
        if self._list_index is None:
            return list(flat)
        length, rest = self._list_length(flat), list(flat)
        groups: list[Any] = []
        for arg in self.inputs:
            taken = length if arg.is_list else 1
            groups.append(rest[:taken] if arg.is_list else rest[0])
            del rest[:taken]
        return groups

    def _list_length(self, flat: Sequence[Any]) -> int:
        lists = sum(arg.is_list for arg in self.inputs)
        return (len(flat) - len(self.inputs) + lists) // lists

    def check_types(self, flat: Sequence[Any], attrs: dict[str, Any]) -> None:
        """Looks at the types of inputs that come as data.

        Args:
          flat: what has a `dtype`.
          attrs: a value for each attribute.
        Raises:
          TypeError, ValueError: when a type does not fit the signature.
        """
        _check_types(self, self.group(flat), attrs)

    # ---- what the graph asks for ---------------------------------------------------------

    def complete_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Returns a value for every attribute, with the defaults filled in.

        Raises:
          TypeError: when one is missing or unknown.
        """
        complete = {**self.attr_defaults, **attrs}
        for name in self.attr_names:
            if name not in complete:
                raise TypeError(f"Missing attr '{name}' of op '{self.type}'.")
        for name in attrs:
            if name not in self.attr_names and not name.startswith("_"):
                raise TypeError(f"Op '{self.type}' has no attr '{name}'.")
        for name, value in complete.items():
            if name in ("dtype", "DstT", "out_type", "Tout") and value is not None:
                complete[name] = dtypes.as_dtype(value)
            elif name in self._int_attrs and type(value) is not int:
                complete[name] = _as_int(value, name)
        return complete

    def output_dtypes(self, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> list[DType]:
        """The dtype of each output, from the signature."""
        found: list[DType] = []
        for arg, (source, which) in zip(self.outputs, self._output_types, strict=True):
            if source == "attr":
                dtype = attrs[which]
            elif source == "input":
                dtype = self._input_dtype(inputs, which)
            else:
                dtype = which
            if arg.is_list and arg.type == "?":
                found += [t.dtype.base_dtype for t in self.group(inputs)[which]]
                continue
            if arg.is_list and isinstance(dtype, (list, tuple)):
                found += [dtypes.as_dtype(each).base_dtype for each in dtype]
                continue
            dtype = dtype._as_ref if arg.is_ref else dtype.base_dtype
            found += [dtype] * (self._length(arg, inputs, attrs) if arg.is_list else 1)
        return found

    def _length(self, arg: Arg, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> int:
        """How many tensors an output list holds: an attribute says, or the list of inputs."""
        return attrs[arg.length] if arg.length in attrs else self._list_length(inputs)

    def _input_dtype(self, inputs: Sequence[Tensor], which: int) -> DType:
        group = self.group(inputs)[which]
        return (group[0] if isinstance(group, list) else group).dtype

    def infer_outputs(self, op: Any) -> list[tuple[DType, TensorShape]]:
        """The dtype and static shape of each output of a new operation.

        Raises:
          ValueError: "... for 'MatMul' (op: 'MatMul') with input shapes: [10,512,1], [512,2]."
        """
        types = self.output_dtypes(op.inputs, op.attrs)
        if not types:
            if self.shape_function is not None:
                self._infer_shapes(op)
            return []
        shapes = self._infer_shapes(op)
        if len(types) == 1 and not (
            isinstance(shapes, list) and len(self.outputs) == 1 and self.outputs[0].is_list
        ):
            shapes = [shapes]
        elif shapes is None:
            shapes = [None] * len(types)
        shapes = [unknown_shape() if s is None else as_shape(s) for s in shapes]
        return list(zip(types, shapes, strict=True))

    def _infer_shapes(self, op: Any) -> Any:
        if self.shape_function is None:
            return None
        specs = [TensorSpec(t, constant_value_of) for t in op.inputs]  # noqa: F821
        attrs = {k: op.attrs[k] for k in self.attr_names}
        try:
            return self.shape_function(*self.group(specs), **attrs)
        except ValueError as error:
            raise ValueError(self._locate(str(error), op, specs)) from None

    def _locate(self, message: str, op: Any, specs: list[TensorSpec]) -> str:
        shapes = ", ".join(brackets(s.shape) for s in specs)
        text = f"{message} for '{op.name}' (op: '{self.type}') with input shapes: {shapes}"
        known = [
            f"input[{i}] = <{' '.join(str(v) for v in spec.value.ravel())}>"
            for i, spec in enumerate(specs)
            if spec.asked_value and spec.value is not None
        ]
        return (
            text + (" and with computed input tensors: " + ", ".join(known) if known else "") + "."
        )


def _as_int(value: Any, name: str) -> int:
    """The number that an attribute holds; a text is none, whatever it says.

    Raises:
      TypeError: "Expected int for argument 'axis' not 'a'."
    """
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def op(
    type: str,  # noqa: A002
    signature: str,
    *,
    samples: Sequence[Callable] = (),
    **options: Any,
) -> Callable[[Callable], OpDef]:
    """Declares an operation type by decorating its kernel; see `OpDef` for the arguments.

    Keyword arguments that are tuples of dtypes restrict the type variable they are named after.
    """
    constraints = {k: options.pop(k) for k in list(options) if isinstance(options[k], tuple)}

    def declare(kernel: Callable) -> OpDef:
        if type in _OP_DEFS:
            raise ValueError(f"The op {type!r} is declared twice.")
        op_def = OpDef(type, signature, kernel, samples=samples, constraints=constraints, **options)
        _OP_DEFS[type] = op_def
        return op_def

    return declare


def get_op_def(type: str) -> OpDef:  # noqa: A002
    """The declaration of an op type.

    A type that is not known yet makes all declarations load: ops come with the names that a
    program uses, and a graph that comes as data may use others.

    Raises:
      KeyError: when no op of that type is declared.
    """
    if type not in _OP_DEFS:
        load_all_ops()  # noqa: F821
        if type not in _OP_DEFS:
            raise KeyError(f"Op type not registered '{type}'")
    return _OP_DEFS[type]


def all_op_defs() -> list[OpDef]:
    """Every declaration, sorted by type."""
    return [_OP_DEFS[name] for name in sorted(_OP_DEFS)]


# ---- making an operation -----------------------------------------------------------------


def call(op_def: OpDef | str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """Adds an operation to the graph of its inputs, or to the default graph.

    This is the one place where every op passes by.

    Args:
      op_def: the declaration, or its type.
      inputs: tensors, or what can be converted to them; a list where the signature has a list.
      name: the operation's name; the type when None.
    Returns: the output tensor, the list of outputs, or the `Operation` when it has no outputs.
    Raises:
      TypeError: when dtypes do not fit the signature.
      ValueError: when shapes do not fit.
    """
    if isinstance(op_def, str):
        op_def = get_op_def(op_def)
    if len(inputs) != len(op_def.inputs):
        raise TypeError(
            f"Op '{op_def.type}' takes {len(op_def.inputs)} inputs, but {len(inputs)} were given."
        )
    if stacks.executing_eagerly():
        return run_eagerly(op_def, inputs, attrs, name)  # noqa: F821
    graph = _graph_of(inputs, op_def.type)
    if graph is not stacks.get_default_graph():
        with graph.as_default():
            return call(op_def, *inputs, name=name, **attrs)
    complete = op_def.complete_attrs(attrs)
    name = name or op_def.type
    if _all_tensors(op_def, inputs):
        try:
            flat = _check_types(op_def, inputs, complete)
        except TypeError:
            graph.unique_name(name)  # a name is spent even by an operation that fails
            raise
    else:
        ragged = _ragged_among(inputs)
        if ragged is not None:
            return ragged._map_elements(op_def, inputs, attrs, name)
        with graph.name_scope(name) as scope:
            flat = convert_inputs(op_def, inputs, complete)
        name = scope
    with contextlib.ExitStack() as scopes:
        for index in op_def.ref_inputs:  # what changes a variable runs where the variable is
            scopes.enter_context(graph.colocate_with(flat[index].op))
        return _result(op_def, graph.add_operation(op_def, flat, complete, name))


def _ragged_among(inputs: Sequence[Any]) -> Any:
    """The first input that is no tensor but knows itself how an operation takes it."""
    for value in inputs:
        for item in value if _is_list(value) else (value,):
            if hasattr(item, "_map_elements"):
                return item
    return None


def _result(op_def: OpDef, operation: Any) -> Any:
    if not operation.outputs:
        return operation
    if len(op_def.outputs) == 1 and not op_def.outputs[0].is_list:
        return operation.outputs[0]
    return list(operation.outputs)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _all_tensors(op_def: OpDef, inputs: Sequence[Any]) -> bool:
    """Whether nothing has to be converted; a list of tensors fits where the signature has one."""
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if type(value) is not Tensor and not (
            arg.is_list and _is_list(value) and all(type(v) is Tensor for v in value)
        ):
            return False
    return True


def _graph_of(inputs: Sequence[Any], op_type: str) -> Any:
    """The graph of the first tensor among the inputs, or the default graph."""
    default = stacks.get_default_graph()
    if default.captures_from_outside:
        return default
    found: Tensor | None = None
    for value in inputs:
        for item in value if _is_list(value) else (value,):
            if not hasattr(item, "_as_tensor") or not hasattr(item, "graph"):
                continue
            if found is None:
                found = item
            if getattr(item.graph, "sealed", False):
                kind = "a while loop" if item.graph.name in ("body", "cond") else "a function"
                raise ValueError(
                    f"Cannot use '{item.op.name}' as input to '{op_type}' because "
                    f"'{item.op.name}' is in {kind}. See info log for more details."
                )
            if found.graph is not item.graph:
                raise ValueError(f"{item} must be from the same graph as {found}.")
    return default if found is None else found.graph


def _check_types(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Tensor]:
    bound: dict[str, tuple[DType, str]] = {}
    flat: list[Tensor] = []
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if arg.is_list:
            _check_list(op_def, arg, value, attrs, bound)
        for tensor in value if arg.is_list else (value,):
            _bind_type(op_def, arg, tensor, attrs, bound)
            flat.append(tensor)
    return flat


def _check_list(
    op_def: OpDef, arg: Arg, values: Sequence[Any], attrs: dict[str, Any], bound: dict
) -> None:
    """Refuses a list that is empty, or whose tensors are not of one type where they must be."""
    if arg.type == "?":
        return
    if not values:
        raise ValueError(
            f"List argument '{arg.name}' to '{op_def.type}' Op with length 0 shorter than minimum "
            "length 1."
        )
    wanted = expected_type(arg, attrs) or bound.get(arg.type, (None,))[0]
    if any(each.dtype.base_dtype != (wanted or values[0].dtype.base_dtype) for each in values):
        raise _unlike_types(op_def, arg, values, attrs, bound)


def _unlike_types(
    op_def: OpDef, arg: Arg, values: Sequence[Any], attrs: dict[str, Any], bound: dict
) -> TypeError:
    """The error of a list whose values are not of one type, with the types they would have."""
    types = []
    for value in values:
        try:
            tensor = value if hasattr(value, "dtype") else convert_input(value)  # noqa: F821
            types.append(dtypes.as_dtype(tensor.dtype).base_dtype.name)
        except (TypeError, ValueError):
            types.append("<NOT CONVERTIBLE TO TENSOR>")
    expected, earlier = expected_type(arg, attrs), bound.get(arg.type)
    why = "that don't all match."
    if expected is not None:
        why = f"that do not match expected type {expected.name}."
    elif earlier is not None:
        why = f"that do not match type {earlier[0].name} inferred from earlier arguments."
    return TypeError(
        f"Tensors in list passed to '{arg.name}' of '{op_def.type}' Op have types "
        f"[{', '.join(types)}] {why}"
    )


def _bind_type(
    op_def: OpDef,
    arg: Arg,
    tensor: Tensor,
    attrs: dict[str, Any],
    bound: dict[str, tuple[DType, str]],
) -> None:
    """Checks one input against its type, and binds a type variable at its first tensor."""
    dtype = tensor.dtype.base_dtype
    where = f"Input '{arg.name}' of '{op_def.type}' Op has type {dtype.name} that does not match "
    if arg.is_ref and not tensor.dtype._is_ref_dtype:
        raise TypeError(
            f"'{op_def.type}' Op requires that input '{arg.name}' be a mutable tensor "
            "(e.g.: a tf.Variable)"
        )
    if arg.type == "?":
        return
    expected = expected_type(arg, attrs)
    if expected is not None:
        if dtype != expected:
            raise TypeError(f"{where}expected type of {expected.name}.")
        return
    if arg.type in bound:
        first, first_name = bound[arg.type]
        if dtype == first:
            return
        raise TypeError(f"{where}type {first.name} of argument '{first_name}'.")
    allowed = op_def.constraints.get(arg.type)
    if allowed is not None and dtype not in allowed:
        raise TypeError(
            f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of "
            "allowed "
            f"values: {', '.join(t.name for t in allowed)}"
        )
    bound[arg.type] = (dtype, arg.name)


def expected_type(arg: Arg, attrs: dict[str, Any]) -> DType | None:
    """The dtype an input must have: a literal one, or an attribute's; None for a type variable."""
    if arg.type in attrs:
        return attrs[arg.type]
    return dtypes.as_dtype(arg.type) if arg.type[:1].islower() else None


def convert_inputs(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Tensor]:
    """The inputs as tensors, flat, their types checked; Python values become constants."""
    hints: dict[str, DType] = {}  # what the tensors among the inputs say about the type variables
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        for item in value if arg.is_list and _is_list(value) else (value,):
            if hasattr(item, "_as_tensor") and hasattr(item, "dtype"):
                hints.setdefault(arg.type, item.dtype.base_dtype)
    bound: dict[str, tuple[DType, str]] = {}
    flat: list[Tensor] = []
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if arg.is_list and not _is_list(value):
            raise TypeError(
                f"Expected list for '{arg.name}' argument to '{op_def.type}' Op, not {value!r}."
            )
        if arg.is_list:
            converted = _convert_list(op_def, arg, value, attrs, hints, bound)
        else:
            converted = [_convert_one(op_def, arg, value, attrs, hints, bound, arg.name)]
        for tensor in converted:
            _bind_type(op_def, arg, tensor, attrs, bound)
            flat.append(tensor)
    return flat


def _convert_list(
    op_def: OpDef, arg: Arg, values: Sequence[Any], attrs: dict, hints: dict, bound: dict
) -> list[Tensor]:
    """The values of a list as tensors; one type for all of them, unless the signature says `?`."""
    try:
        tensors = [
            _convert_one(op_def, arg, item, attrs, hints, bound, f"{arg.name}_{index}")
            for index, item in enumerate(values)
        ]
    except (TypeError, ValueError):
        if arg.type == "?":
            raise
        raise _unlike_types(op_def, arg, values, attrs, bound) from None
    _check_list(op_def, arg, tensors, attrs, bound)
    return tensors


def _convert_one(
    op_def: OpDef, arg: Arg, item: Any, attrs: dict, hints: dict, bound: dict, name: str
) -> Tensor:
    if type(item) is Tensor:
        return item
    if hasattr(item, "_as_tensor"):  # a variable
        return item._as_ref_tensor() if arg.is_ref else item._as_tensor()
    wanted = expected_type(arg, attrs)
    if wanted is None and arg.type in bound:
        wanted = bound[arg.type][0]
    if wanted is None and arg.type != "?":
        wanted = hints.get(arg.type)
    allowed = op_def.constraints.get(arg.type)
    preferred = dtypes.int32 if allowed == dtypes.INDICES else None  # an empty list says nothing
    try:
        return convert_input(  # noqa: F821
            item, dtype=wanted, name=name, preferred_dtype=preferred
        )
    except ValueError as error:
        raise ValueError(
            f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}"
        ) from None
    except TypeError as error:
        if wanted is None:
            raise
        kind = re.sub(r"^tf\.", "", repr(wanted))
        raise TypeError(
            f"Expected {kind} passed to parameter '{arg.name}' of op '{op_def.type}', got {item!r} "
            "of "
            f"type '{type(item).__name__}' instead. Error: {error}"
        ) from None
