"""Eager execution: operations run when they are called.

    call(op_def, a, b) --+-- a graph is current:         Graph.apply            a node, no value
                         +-- executing eagerly: run_op   convert -> check -> kernel -> EagerTensor
                                                                                  |
                                                                        each open tape is told

While operations run at once, an `EagerContext` stands where the default graph would. It answers
what programs ask a graph for (scopes, devices, the seed), and never holds an operation. Entering a
graph (`with tf.Graph().as_default():`) goes back to building one.

`kernels.py` binds kernels as a plan does.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.build import convert_inputs, expected_type
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.device_spec import canonical_name
from minitf.core.graph.dtypes import DType, c_name
from minitf.core.graph.graph import Graph
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.run.resources import rounds_to_bfloat16
from minitf.library.eager.kernels import bind_eagerly, copy_to_device, find_device, forget_states
from minitf.library.eager.tensor import (
    HOST,
    EagerOperation,
    EagerRef,
    EagerTensor,
    EagerUpdate,
    canonical,
    record,
)

_POLICIES = (None, 0, 1, 2, 3)
SYNC = 0
ASYNC = 1

_kernels: dict[tuple, _Kernel] = {}
_MAX_KERNELS = 4096  # bound kernels that are kept; a program that makes more starts over


class EagerContext(Graph):
    """What is current while operations run at once. It has scopes and a seed, and no operations."""

    runs_at_once = True

    def __init__(self) -> None:
        super().__init__()
        self._seed: int | None = None
        self._seeds = random.Random()

    @property
    def seed(self) -> int | None:
        """The seed of `tf.set_random_seed`; setting it starts every random sequence again."""
        return getattr(self, "_seed", None)

    @seed.setter
    def seed(self, value: int | None) -> None:
        self._seed, self._seeds = value, random.Random(value)
        _kernels.clear()
        if value is not None:
            forget_states()

    def op_seed(self) -> int:
        """The seed of the next operation that has none, itself drawn, as in TensorFlow."""
        return self._seeds.randint(0, 2**31 - 1)

    def apply(
        self, op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None
    ) -> Any:
        """Runs an operation, as `op_def.call` asks for it."""
        return run_op(op_def, inputs, attrs, name)

    def constant(self, array: Any, name: str) -> EagerTensor:
        """The value of an array, which nobody else changes, as a tensor."""
        return EagerTensor(array if array.ndim else array[()])

    def add_operation(self, op_def: Any, inputs: Any, attrs: Any, name: str) -> Any:
        """Refuses: nothing is kept here."""
        raise RuntimeError("Nothing is added to a graph while executing eagerly.")

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A context that puts `name/` before the names of variables; it is not made unique."""
        scopes = self._scopes
        before = scopes.name
        if not name:
            scopes.name = ""
        elif name.endswith("/"):
            scopes.name = name[:-1]
        else:
            scopes.name = f"{before}/{name}" if before else name
        try:
            yield scopes.name + "/" if scopes.name else ""
        finally:
            scopes.name = before

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the open scope; under eager execution names may be taken twice."""
        return f"{self._scopes.name}/{name}" if self._scopes.name else name

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        """A context without effect: what runs at once runs where it is told."""
        return contextlib.nullcontext()

    def control_dependencies(self, control_inputs: Any) -> Any:
        """A context without effect: operations run in the order of the program."""
        if callable(control_inputs):
            control_inputs()
        return contextlib.nullcontext()

    @property
    def device_name(self) -> str | None:
        """The device that operations are asked to run on; None when none is."""
        asked = self._scopes.devices
        return self._asked_device(asked) if asked else None

    def _asked_device(self, asked: list) -> str | None:
        named = SimpleNamespace(name="op", device="")  # what a device function sees
        for function in reversed(asked):
            if function is None:
                break
            named.device = canonical_name(function(named))
        return canonical(find_device(named.device)) if named.device else None


_CONTEXT = EagerContext()


def forget_collections() -> None:
    """Forgets what was collected while executing eagerly, the names of variable scopes too."""
    _CONTEXT._collections.clear()


_SCOPES = _CONTEXT._scopes
_TAPES = stacks.tapes


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """`tf.enable_eager_execution`: from here on operations run when they are called.

    Args:
      config: a `ConfigProto`; its device counts apply to what is made later.
      device_policy: how operations whose inputs are on several devices are met: they are copied.
      execution_mode: SYNC or ASYNC; every operation has run when its call returns.
    Raises:
      ValueError: when an argument is not valid, or operations were already added to a graph.
    """
    if device_policy not in _POLICIES:
        raise ValueError(
            "device_policy must be one of None, DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, "
            "DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32"
        )
    if execution_mode not in (None, SYNC, ASYNC):
        raise ValueError("execution_mode must be one of None, SYNC, ASYNC")
    before = stacks.set_global_default(_CONTEXT)
    if before is not None and before is not _CONTEXT:
        stacks.set_global_default(before)
        raise ValueError("tf.enable_eager_execution must be called at program startup.")


def disable_eager_execution() -> None:
    """`tf.disable_eager_execution`: operations are added to graphs again."""
    before = stacks.set_global_default(None)
    if before is not _CONTEXT:
        stacks.set_global_default(before)


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A context in which operations run at once, wherever it is entered."""
    with stacks.graphs.entered(_CONTEXT):
        yield


# ---- who is told of what -----------------------------------------------------------------


@contextlib.contextmanager
def only_tape(*tapes: Any) -> Iterator[None]:
    """A context whose operations only these tapes are told of, none when none is given."""
    stack = stacks.tapes
    before, stack.items = stack.items, list(tapes)
    try:
        yield
    finally:
        stack.items = before


no_tapes = only_tape

# ---- running one operation ---------------------------------------------------------------


class _Kernel:
    """One op type with its attributes: what a call of it needs beside the inputs."""

    __slots__ = ("attrs", "checked", "differentiable", "grouped", "handles", "run", "single")

    def __init__(self, op_def: OpDef, attrs: dict[str, Any], device: str) -> None:
        self.attrs = attrs
        self.run = bind_eagerly(op_def, attrs, device)
        #: what runs it, by the types of inputs that fit the signature
        self.checked: dict[tuple, Callable] = {}
        self.grouped = op_def._list_index is not None
        self.single = len(op_def.outputs) == 1 and not op_def.outputs[0].is_list
        self.differentiable = op_def.differentiable is not False or bool(op_def.gradient_function)
        #: the dtypes of the outputs, when one of them is no array
        kinds = [out.type for out in op_def.outputs]
        self.handles = kinds if {"resource", "variant"}.intersection(kinds) else []


def _kernel_of(op_def: OpDef, attrs: dict[str, Any], device: str) -> _Kernel:
    """The kernel for these attributes; kept, so that a random sequence goes on."""
    key = (op_def, device, *attrs.items(), *map(type, attrs.values()))
    try:
        found = _kernels.get(key)
    except TypeError:  # an attribute that cannot be a key, as an array
        return _Kernel(op_def, op_def.complete_attrs(attrs), device)
    if found is None:
        found = _Kernel(op_def, op_def.complete_attrs(attrs), device)
        if not found.handles:  # each queue is a queue of its own
            if len(_kernels) >= _MAX_KERNELS:
                _kernels.clear()
            _kernels[key] = found
    return found


def run_op(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Any:
    """Runs an operation now; the arguments are those of `op_def.call`.

    Returns: the output, the list of outputs, or None when it has no outputs.
    Raises:
      OpError: what the kernel raised.
      InvalidArgumentError: when dtypes do not fit the signature.
    """
    flat: Any = inputs
    if op_def._list_index is not None:
        flat = []
        for value in inputs:
            flat.extend(value) if type(value) in (list, tuple) else flat.append(value)
    for tensor in flat:
        if type(tensor) is not EagerTensor:
            for each in flat:
                if hasattr(each, "_map_elements"):  # a RaggedTensor
                    return each._map_elements(op_def, inputs, attrs, name)
                if type(each) is Tensor and each.graph.stays_open:
                    # The name of a scope is exact in a graph, and no scope is unique out here.
                    own = name.rstrip("/") if name else name
                    with each.graph.as_default():
                        return call(op_def, *inputs, name=own, **attrs)
            flat = _converted(op_def, inputs, attrs)
            break
    device = device_for(flat)
    kernel = _kernel_of(op_def, attrs, device)
    values = values_on(flat, device)
    signature = tuple([getattr(v, "dtype", None) or type(v) for v in values])
    run = kernel.checked.get(signature)
    if run is None:
        _check(op_def, flat, kernel.attrs)
        run = kernel.checked[signature] = _run_of(op_def, flat, kernel, device)
    result = run(*(op_def.group(values) if kernel.grouped else values))
    if not op_def.outputs:
        return None
    if kernel.handles:
        kinds = zip((result,) if kernel.single else result, kernel.handles, strict=True)
        made_by = name or op_def.type
        outputs = [_handle_or_tensor(value, kind, device, made_by) for value, kind in kinds]
    elif kernel.single:  # most of them, and to be quick
        outputs = [_wrap(result, device)]
    else:
        outputs = [_wrap(value, device) for value in result]
    if _TAPES.items and kernel.differentiable:
        record(EagerOperation(op_def, kernel.attrs, tuple(flat), outputs))
    return outputs[0] if kernel.single else outputs or None


def _run_of(op_def: OpDef, flat: Sequence[Any], kernel: _Kernel, device: str) -> Callable:
    given = [tensor.dtype.base_dtype for tensor in flat]
    outputs = op_def.output_dtypes(flat, kernel.attrs)
    rounds = rounds_to_bfloat16(op_def, given, outputs, kernel.attrs)
    return bind_eagerly(op_def, kernel.attrs, device, rounds) if rounds else kernel.run


def device_for(inputs: Sequence[EagerTensor]) -> str:
    """The device to compute on: the one asked for, or where an input is, or the processor."""
    if _SCOPES.devices:
        asked = _CONTEXT.device_name
        if asked is not None:
            return asked
    for tensor in inputs:
        if tensor._device is not HOST:
            return tensor._device
    return HOST


def values_on(inputs: Sequence[EagerTensor], device: str) -> list[Any]:
    """The values of the inputs, those of other devices copied."""
    return [
        tensor._value if tensor._device is device else _moved(tensor, device) for tensor in inputs
    ]


def _wrap(value: Any, device: str) -> EagerTensor:
    if type(value) is np.ndarray:
        return EagerTensor(value if value.ndim else value[()], device)
    if hasattr(value, "lock"):  # an update gives the variable: what it holds now
        return EagerUpdate(value.value, device)
    if hasattr(value, "dtype") or type(value) is bytes:
        return EagerTensor(value, device)
    return EagerTensor(np.asarray(value)[()], device)


def wrap(value: Any, dtype: DType, device: str = HOST) -> EagerTensor:
    """A tensor of a value that a kernel or a compiled graph gave."""
    return _handle_or_tensor(value, dtype.name, device)


def _handle_or_tensor(value: Any, kind: str, device: str, made_by: str = "") -> EagerTensor:
    if kind in ("resource", "variant"):
        return Handle(value, device, kind, made_by)
    return _wrap(value, device)


def as_tensor(value: Any, dtype: DType | None = None) -> EagerTensor:
    """A number, array, variable or structure of rows as an eager tensor, perhaps of a type."""
    return convert_to_tensor(value, preferred_dtype=dtype)  # type: ignore[return-value]


def _moved(tensor: EagerTensor, device: str) -> Any:
    if tensor._device == device or isinstance(tensor, EagerRef):
        return tensor._value
    return copy_to_device(tensor._value, device)


class Handle(EagerTensor):
    """A handle of something that is no array: a queue, a table.

    Args:
      value: what it stands for.
      device: where it lives.
      kind: the name of its dtype.
      made_by: the name of the operation that made it.
    """

    def __init__(self, value: Any, device: str, kind: str, made_by: str = "") -> None:
        super().__init__(value, device)
        self._kind = kind
        self._made_by = made_by

    @property
    def op(self) -> Any:
        """What made it: programs ask for its name."""
        return EagerOperation(None, {}, (), [self], self._made_by or self._kind)

    @property
    def _dtype(self) -> DType:  # type: ignore[override]
        return dtypes.as_dtype(self._kind)

    def _text(self, is_repr: bool) -> str:
        return "<unprintable>"


# ---- inputs ------------------------------------------------------------------------------


def _converted(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> list[Any]:
    """The inputs as eager tensors, flat."""
    complete = op_def.complete_attrs(attrs)
    try:
        flat: list[Any] = convert_inputs(op_def, inputs, complete)
    except TypeError as error:
        raise error.__context__ or error from None
    for tensor in flat:
        if not isinstance(tensor, EagerTensor):
            raise TypeError(
                f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit "
                "Python locals or TensorFlow collections to access it."
            )
    return flat


def _check(op_def: OpDef, flat: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Checks the types of the inputs against the signature.

    Raises:
      InvalidArgumentError: with the words of eager execution.
    """
    bound: dict[str, DType] = {}
    given = zip(op_def.inputs, op_def.group(flat), strict=True)
    tensors = [(arg, t) for arg, value in given for t in (value if arg.is_list else (value,))]
    for place, (arg, tensor) in enumerate(tensors):
        _check_one(op_def, arg, tensor._dtype.base_dtype, attrs, bound, place)


def _check_one(
    op_def: OpDef, arg: Any, dtype: DType, attrs: dict, bound: dict[str, DType], place: int
) -> None:
    if arg.type == "?":
        return
    wanted = expected_type(arg, attrs) or bound.get(arg.type)
    if isinstance(wanted, (list, tuple)):
        return
    if wanted is None:
        allowed = op_def.constraints.get(arg.type)
        if allowed is not None and dtype not in allowed:
            names = ", ".join(c_name(t) for t in allowed)
            raise _misfit(
                f"Value for attr '{arg.type}' of {c_name(dtype)} is not in the list of allowed "
                f"values: {names} [Op:{op_def.type}]"
            )
        bound[arg.type] = dtype
    elif wanted.base_dtype != dtype:
        raise _misfit(
            f"cannot compute {op_def.type} as input #{place}(zero-based) was expected to be a "
            f"{c_name(wanted.base_dtype)} tensor but is a {c_name(dtype)} tensor "
            f"[Op:{op_def.type}] name: "
        )


def _misfit(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)
