"""`tf.raw_ops`: every operation as it is declared, without the comfort of the public functions.

tf.raw_ops.MatMul(a=x, b=y, transpose_a=True)          inputs and attributes by their names
gen_math_ops.mat_mul(x, y)                             the same in `tensorflow.python.ops.gen_*`

An operation that is another one here, or several, as graphs that TensorFlow wrote become when they
are read, takes what TensorFlow declares.
"""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph import op_def as declarations
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import DType, as_dtype
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import OpDef, call
from minitf.core.graph.stacks import name_scope
from minitf.library.optimizers.dual_ascent import sdca_optimizer as SdcaOptimizer  # noqa: F401, N812
from minitf.library.saving.tensorflow_composed import COMPOSED
from minitf.library.saving.tensorflow_graph import RENAMED, renamed
from minitf.library.saving.tensorflow_ops import their_op


@functools.cache
def _function(op_def: OpDef) -> Callable:
    """The function that adds an operation of a type."""
    names = [arg.name for arg in op_def.inputs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    defaults = op_def.attr_defaults
    for name in sorted(op_def.attr_names, key=lambda name: name in defaults):
        default = defaults.get(name, inspect.Parameter.empty)
        parameters.append(inspect.Parameter(name, kind, default=default))
    parameters.append(inspect.Parameter("name", kind, default=None))

    def raw(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        made = call(op_def, *[bound.pop(name) for name in names], **bound)
        several = isinstance(made, list) and not any(arg.is_list for arg in op_def.outputs)
        return op_def.named(made) if several else made

    signature = inspect.Signature(parameters)
    raw.__name__ = raw.__qualname__ = op_def.type
    raw.__doc__ = op_def.__doc__
    raw.__signature__ = signature  # type: ignore[attr-defined]
    return raw


@functools.cache
def _of_resource(op_def: OpDef) -> Callable:
    """The function that updates resource variables, whose handles are references here.

    TensorFlow has operations of their own for them, which give nothing; those of rows call the
    handle `resource`.
    """
    update, handle = _function(op_def), op_def.inputs[op_def.ref_inputs[0]].name

    @functools.wraps(update)
    def raw(*args: Any, **kwargs: Any) -> Any:
        named = {handle if name == "resource" else name: each for name, each in kwargs.items()}
        return getattr(update(*args, **named), "op", None)

    return raw


def _renamed(name: str, op_def: OpDef, attrs: dict[str, Any]) -> Callable:
    """The function of an operation that has another name here, and perhaps other inputs."""
    their, make = their_op(name), _function(op_def)
    ends = [] if their is None else their.inputs
    names = {end.name: arg.name for end, arg in zip(ends, op_def.inputs)}

    @functools.wraps(make)
    def raw(*args: Any, **kwargs: Any) -> Any:
        return make(*args, **attrs, **{names.get(key, key): each for key, each in kwargs.items()})

    return raw


@functools.cache
def _composed(kind: str) -> Callable:
    """The function of an operation that is several here."""
    their = their_op(kind)
    assert their is not None
    any_kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [end.name.replace("reduction_indices", "axis") for end in their.inputs]
    parameters = [inspect.Parameter(name, any_kind) for name in names]
    parameters += [inspect.Parameter(key, any_kind, default=None) for key in (*their.attrs, "name")]

    def raw(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        attrs = {key: bound[key] for key in their.attrs if bound.get(key) is not None}
        types: dict[Any, DType] = {}
        tensors = []
        with name_scope(bound.get("name"), kind):
            for name, end in zip(names, their.inputs):
                given = bound[name] if end.length else [bound[name]]
                for each in given:
                    dtype = end.type if isinstance(end.type, DType) else types.get(end.type)
                    tensors.append(convert_to_tensor(each, dtype))
                    types[end.type] = tensors[-1].dtype.base_dtype
                attrs |= {end.length: len(given)} if end.length else {}
            for key, sort in their.attrs.items():
                if sort == "type" and key in attrs:
                    attrs[key] = as_dtype(attrs[key])
            made = COMPOSED[kind](NodeDef(kind, kind, [], "", attrs), *tensors)
        if not isinstance(made, list):
            return made
        lists = [[made.pop(0) for _ in range(end.count(attrs))] for end in their.outputs]
        several = [each if end.length else each[0] for end, each in zip(their.outputs, lists)]
        return collections.namedtuple(kind, [end.name for end in their.outputs])(*several)

    signature = inspect.Signature(parameters)
    raw.__name__ = raw.__qualname__ = kind
    raw.__doc__ = f"What TensorFlow calls {kind}."
    raw.__signature__ = signature  # type: ignore[attr-defined]
    return raw


@functools.cache
def _by_small_letters() -> dict[str, str]:
    """What is another operation here, or several, by the names of functions in `gen_*`."""
    return {kind.lower(): kind for kind in (*RENAMED, *COMPOSED)}


def _op_def(name: str) -> OpDef | None:
    """The declaration that is called so."""
    declarations.load_all_ops()
    # conv2d_backprop_input, mat_mul, of old _relu_grad: the marks follow no simple rule
    for op_def in declarations.all_op_defs():
        alike = name.islower() and name.replace("_", "") == op_def.type.lower()
        if (name == op_def.type or alike) and all(arg.name for arg in op_def.inputs):
            return op_def
    return None


def __getattr__(name: str) -> Any:
    if not name.startswith("__"):
        found = _op_def(name)
        if found is not None:
            return _function(found)
        if name.lower().startswith("resource"):
            found = _op_def(name[len("resource") :].lstrip("_"))
            if found is not None and found.ref_inputs:
                return _of_resource(found)
        name = _by_small_letters().get(name.replace("_", ""), name)
        if name in COMPOSED:
            return _composed(name)
        kind, attrs = renamed(name)
        found = _op_def(kind) if kind != name else None
        if found is not None:
            return _renamed(name, found, attrs)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    declarations.load_all_ops()
    types = [op_def.type for op_def in declarations.all_op_defs()]
    return sorted({*types, *COMPOSED, *RENAMED})
