"""The registry: every operation type, declared in one place.

    @op("MatMul", "a: T, b: T -> product: T", T=NUMBERS, samples=[...])
    def matmul(xp, a, b, *, transpose_a=False, transpose_b=False):
        return xp.matmul(...)

A declaration has the kernel, the shape function, the gradient and the batch rule. The graph, the
plan, the gradients, serialization, the tests and the widgets read it.

The signature gives names and types of inputs and outputs. A type is a variable (`T`, bound by the
first tensor and shared by all that name it), a dtype (`bool`), the name of a dtype attribute
(`dtype`), a list (`N*T`; as an output the list's length is the attribute before the star; `N*?` is
a list of tensors of any types, and `N*types` one whose dtypes are the attribute `types`), a handle
of a queue or another resource (`resource`), or a reference to a variable (`T&`). Dtypes follow from
the signature alone, so a shape function speaks of shapes only.

A kernel that may wait for other steps, as that of a queue, has the keyword `step`: the `Rendezvous`
of its step, or None.
"""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import TensorShape, check_few
from minitf.core.graph.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])
_OP_DEFS: dict[str, OpDef] = {}
_sources: list[Callable[[], None]] = []

#: The resources that an operation may reach beside its inputs and its state: files of the process,
#: and Python functions of the program. A server can refuse both (see `Traits.reaches`).
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
    """The kinds of values of an attribute, by its annotation or its name; () if unknown."""
    found = _KINDS_DECLARED.get(str(declared))
    if found is None and str(declared) in _ANY:
        found = _KINDS_BY_NAME.get(name)
    return found or ()


def _shared_attrs(attrs: Any) -> list[tuple[str, Any, Any]]:
    """Name, type and default of the attributes in `attrs`, beside the kernel's own keywords."""
    if isinstance(attrs, dict):
        return [(name, type(value).__name__, value) for name, value in attrs.items()]
    return [(each.name, each.type, each.default) for each in fields(attrs)] if attrs else []


def _parse_signature(signature: str) -> tuple[tuple[Arg, ...], tuple[Arg, ...]]:
    sides = signature.split("->")
    if len(sides) != 2:
        raise ValueError(f"A signature reads 'inputs -> outputs', not {signature!r}.")
    inputs, outputs = (
        tuple(Arg.parse(part) for part in side.split(",") if part.strip()) for side in sides
    )
    return inputs, outputs


@dataclass(kw_only=True, eq=False, repr=False)
class Traits:
    """Properties of an op that the runtime, the passes and the tests need.

    Args:
      samples: functions from a random generator to `(*inputs, attrs)`, by which the op is tested.
      program: for an op that acts on state, in place of samples: a function that adds a small
        program to the current graph and returns its steps, pairs of what to run and what that
        gives (None: it is only run). It is given a folder for files.
      no_samples: why there is neither.
      differentiable: False stops gradients here without an error; None says that its gradient is
        not known, and that asking for it is an error.
      alias: whether an output may share memory with an input.
      host_only: whether there is no kernel for GPUs: it runs on a CPU.
      elementwise: whether each element of the output depends on one element of each input.
      forwards: whether its output is its one input, unchanged.
      cannot_fail: whether it succeeds for every input that its shape function takes.
      moves_elements: whether its output holds elements of its inputs, in other places.
      sized_by_values: whether the shape of the output depends on the values of the inputs, so that
        it is not known before the kernel has run.
      broadcasts: whether it takes inputs of several shapes that broadcast to that of the output.
      takes_slices: whether its gradient function takes `IndexedSlices` as they are.
      recordable: whether a GPU may record it and start the record again, though it takes `ctx`.
      expr: the op as a Python expression of its inputs, "{0} + {1}", for scalars and arrays alike.
      ufunc: the name of the NumPy and CuPy ufunc that computes it.
      reaches: what it reaches beside its inputs and its state, one of `REACHES`; "" for nothing. A
        function of the attributes where they decide.
      meets: names of attributes: nodes that have the same values in them wait for each other, each
        on a device of its own. They stand together in the order in which nodes run.
      arithmetic: what it computes of each element, as a formula of the inputs and attributes that
        fast/kernels/program.py can read; such operations can be put together into one. With a
        list of inputs, the formula of two takes one after the other.
      arithmetic_types: the dtypes for which `arithmetic` is as exact as the kernel.
      constraints: for a type variable, the dtypes it may take.
    """

    samples: Sequence[Callable] = ()
    program: Callable[[str], list] | None = None
    no_samples: str = ""
    differentiable: bool | None = True
    alias: bool = False
    elementwise: bool = False
    host_only: bool = False
    forwards: bool = False
    cannot_fail: bool = False
    moves_elements: bool = False
    sized_by_values: bool = False
    broadcasts: bool = False
    takes_slices: bool = False
    recordable: bool = False
    reaches: str | Callable[[dict[str, Any]], str] = ""
    meets: Sequence[str] = ()
    expr: str | None = None
    ufunc: str | None = None
    arithmetic: str | None = None
    arithmetic_types: Sequence[DType] = (dtypes.float32, dtypes.float64)
    constraints: dict[str, tuple[DType, ...]] = field(default_factory=dict)


class OpDef(Traits):
    """The declaration of one operation type. Calling it adds an operation to the current graph.

    Args:
      type: the CamelCase type, as "MatMul".
      signature: see the module's docstring.
      kernel: computes the outputs from the inputs; its first parameter is `xp` (pure: NumPy or
        CuPy) or `ctx` (stateful: an OpKernelContext); its keyword-only parameters are the
        attributes.
      attrs: further attributes, which the kernel takes by name or as `**attrs`: a dataclass where
        ops of a family share them, a dict of defaults where a formula has them.
      doc: one sentence, what it computes; that of the kernel when left out.
      host: the names of the inputs and outputs that are in host memory wherever it runs: sizes,
        axes, seeds.
      shape_of: the name of an input of which it reads only the shape.
      batch: how it runs over one more leading axis, a kind of library/graph_tools/vectorize.py;
        elementwise ops need not say it.
      stateful: whether it acts on state or waits; by default, whether the kernel takes `ctx`.
      **traits: see `Traits`.
    """

    def __init__(
        self,
        type: str,
        signature: str,
        kernel: Callable,
        *,
        attrs: Any = None,
        doc: str = "",
        host: Sequence[str] = (),
        shape_of: str = "",
        batch: str = "",
        stateful: bool | None = None,
        **traits: Any,
    ) -> None:
        super().__init__(**traits)
        code = kernel.__code__
        first = code.co_varnames[0] if code.co_argcount else ""
        if first not in ("xp", "ctx"):
            raise ValueError(f"The kernel of {type} must take xp or ctx first.")
        own = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        shared = _shared_attrs(attrs)
        keyword_only = tuple(dict.fromkeys((*own, *(name for name, _, _ in shared))))
        self.type = type
        self.signature = signature
        self.kernel = kernel
        self.inputs, self.outputs = _parse_signature(signature)
        inputs, outputs = [a.name for a in self.inputs], [a.name for a in self.outputs]
        for name in (*host, shape_of) if shape_of else host:
            if name not in inputs and name not in outputs:
                raise ValueError(f"The op {type} has no input or output {name!r}.")
        #: the places of the inputs, and of the outputs, that are always in host memory
        self.host_inputs = frozenset(inputs.index(n) for n in host if n in inputs)
        self.host_outputs = frozenset(outputs.index(n) for n in host if n in outputs)
        #: the place of the input of which only the shape is looked at
        self.shape_input = inputs.index(shape_of) if shape_of else None
        self.ref_inputs = tuple(i for i, arg in enumerate(self.inputs) if arg.is_ref)
        self.takes_context = first == "ctx"
        self.stateful = self.takes_context if stateful is None else stateful
        self.takes_out = "out" in keyword_only
        self.takes_step = "step" in keyword_only
        self.attr_names = tuple(k for k in keyword_only if k not in ("out", "step"))
        defaults = {name: default for name, _, default in shared if default is not MISSING}
        defaults.update(kernel.__kwdefaults__ or {})
        hints = {**{name: hint for name, hint, _ in shared}, **kernel.__annotations__}
        #: what TensorFlow writes beside them, and here follows from the inputs
        self.type_names = frozenset(
            name
            for arg in self.inputs
            for name in ((arg.type, arg.length) if arg.type != "?" else ())
            if name[:1].isupper()
        ).difference(self.attr_names)
        self._int_attrs = frozenset(k for k in self.attr_names if hints.get(k) in (int, "int"))
        self.attr_defaults = {k: v for k, v in defaults.items() if k in self.attr_names}
        self.attr_kinds = {k: _kinds(k, hints.get(k)) for k in self.attr_names}
        self.batch_kind = batch
        self.shape_function: Callable | None = None
        self.gradient_function: Callable | None = None
        self.batch_function: Callable | None = None
        self.bind_function: Callable | None = None
        self.__doc__ = doc or kernel.__doc__
        self.__name__ = kernel.__name__
        self.__module__ = kernel.__module__
        self.gives_one = len(self.outputs) == 1 and not self.outputs[0].is_list
        self._list_index = next((i for i, a in enumerate(self.inputs) if a.is_list), None)
        self._output_types = [self._plan_output(a) for a in self.outputs]
        #: the attributes that are types of inputs, each with the first input that has it
        from_last = reversed([*enumerate(self.inputs)])
        self._tells_type = {arg.type: i for i, arg in from_last if arg.type in self.type_names}

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
        """The resource that an operation with these attributes reaches; see `REACHES`."""
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
        """Declares how the op runs over one more leading axis, where no kind of `batch` fits.

        Args:
          function: `(op, inputs, stacked) -> outputs`; see core/ops/batching.py.
        """
        self.batch_function = function
        return function

    def bind(self, function: Callable) -> Callable:
        """Declares how a node gets a kernel of its own, made for its attributes and shapes.

        Args:
          function: `(xp, attrs, input_shapes) -> kernel(*inputs)`, or None for the usual kernel.
        """
        self.bind_function = function
        return function

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        return call(self, *inputs, name=name, **attrs)

    def __repr__(self) -> str:
        return f"<OpDef {self.type}: {self.signature}>"

    def named(self, outputs: Sequence[Any]) -> Any:
        """The outputs of one call as a tuple with their names: `unique(x).idx`."""
        return self._row(*outputs)

    @functools.cached_property
    def _row(self) -> Any:
        return collections.namedtuple(self.type, [arg.name for arg in self.outputs])

    def group(self, flat: Sequence[Any]) -> list[Any]:
        """Groups flat inputs by the kernel's parameters; a list parameter gets a list.

        Several lists, as those of `DynamicStitch`, have one length.
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

    # ---- for the graph -------------------------------------------------------------------

    def complete_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Returns a value for every attribute, with the defaults filled in, also for None.

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
            if value is None:
                complete[name] = value = self.attr_defaults.get(name)
            if name in ("dtype", "DstT", "out_type", "out_idx", "Tout") and value is not None:
                if type(value) is not tuple:  # as of an operation that nobody here knows
                    complete[name] = dtypes.as_dtype(value)
            elif name in self._int_attrs and type(value) is not int:
                complete[name] = _as_int(value, name)
            elif type(value) is bytes:  # as `Operation.get_attr` gives a text
                complete[name] = value.decode()
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
            count = self._length(arg, inputs, attrs) if arg.is_list else 1
            check_few(count, f"The outputs of '{self.type}'")
            found += [dtype] * count
        return found

    def type_attrs(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """The attributes that TensorFlow adds: types of inputs and lengths of lists."""
        if self._list_index is None:
            return {
                name: inputs[place].dtype.base_dtype for name, place in self._tells_type.items()
            }
        found: dict[str, Any] = {}
        for arg, given in zip(self.inputs, self.group(inputs), strict=True):
            if arg.is_list and arg.length:
                found[arg.length] = len(given)
            for tensor in given[:1] if arg.is_list else [given]:
                found.setdefault(arg.type, tensor.dtype.base_dtype)
        return {key: value for key, value in found.items() if key in self.type_names}

    def _length(self, arg: Arg, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> int:
        """The length of an output list, by an attribute or by the list of inputs."""
        return attrs[arg.length] if arg.length in attrs else self._list_length(inputs)

    def _input_dtype(self, inputs: Sequence[Tensor], which: int) -> DType:
        group = self.group(inputs)[which]
        return (group[0] if isinstance(group, list) else group).dtype


def _as_int(value: Any, name: str) -> int:
    """Converts an attribute to an int; raises for a text, even "3".

    Raises:
      TypeError: "Expected int for argument 'axis' not 'a'."
    """
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def op(type: str, signature: str, **options: Any) -> Callable[[Callable], OpDef]:
    """Declares an operation type by decorating its kernel; see `OpDef` for the arguments.

    A type variable begins with a capital letter; an argument of its name restricts it to dtypes.
    """
    constraints = {k: options.pop(k) for k in list(options) if k[0].isupper()}

    def declare(kernel: Callable) -> OpDef:
        if type in _OP_DEFS:
            raise ValueError(f"The op {type!r} is declared twice.")
        op_def = OpDef(type, signature, kernel, constraints=constraints, **options)
        _OP_DEFS[type] = op_def
        return op_def

    return declare


def scalar_shape(*inputs: Any, **attrs: Any) -> TensorShape:
    """The shape function of an op that gives one number, text or handle."""
    return TensorShape(())


def unchanged_shape(first: Any, /, *others: Any, **attrs: Any) -> TensorShape:
    """The shape function of an op whose output has the shape of its first input."""
    return first.shape


def unchanged_gradient(op: Any, dy: Any) -> list[Any]:
    """The gradient of an op that passes its first input on; the others have none."""
    others = [None] * (len(op.inputs) - 1)
    return [dy, *others]


def get_op_def(type: str) -> OpDef:
    """The declaration of an op type.

    An unknown type loads declarations, package by package until it is there: ops are imported with
    the names that a program uses, and a GraphDef may have others.

    Raises:
      KeyError: when no op of that type is declared.
    """
    if type not in _OP_DEFS:
        for load in _sources:
            load()
            if type in _OP_DEFS:
                break
        else:
            raise KeyError(f"Op type not registered '{type}'")
    return _OP_DEFS[type]


def load_all_ops() -> None:
    """Imports every declaration."""
    for load in _sources:
        load()


def all_op_defs() -> list[OpDef]:
    """Every declaration, sorted by type."""
    return [_OP_DEFS[name] for name in sorted(_OP_DEFS)]


def call(op_def: OpDef | str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """Applies an operation in the current context; every op is made or run through here.

    A graph adds a node (`Graph.apply`), the graph of a function also captures outer tensors, and
    eager execution runs the kernel.

    Args:
      op_def: the declaration, or its type.
      inputs: tensors, or what can be converted to them; a list where the signature has a list.
      name: the operation's name; the type when None.
      attrs: its attributes.
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
    return stacks.get_default_graph().apply(op_def, inputs, attrs, name)


def none_is_default(function: Function) -> Function:
    """Decorates a function so that None stands for the default of each argument."""
    signature = inspect.signature(function)
    defaults = {k: p.default for k, p in signature.parameters.items() if p.default is not p.empty}

    @functools.wraps(function)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return function(**{k: defaults.get(k) if v is None else v for k, v in given.items()})

    return with_defaults  # type: ignore[return-value]


def add_source(load: Callable[[], None]) -> None:
    """Registers a function that imports files with ops; `get_op_def` calls it for unknown types."""
    _sources.append(load)
