"""Binds a kernel to the attributes of one operation: for a plan, and for eager execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType, bfloat16, float32
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.resources import OpKernelContext, ResourceManager


def bind_kernel(
    op_def: OpDef,
    attrs: dict[str, Any],
    shapes: Sequence[TensorShape],
    name: str,
    device: Device,
    resources: ResourceManager,
    in_place: bool = False,
    last_reader: bool = False,
    rounds: Sequence[bool] = (),
) -> Callable:
    """The kernel of an operation as a function of its inputs alone.

    Args:
      op_def: the declaration of its type.
      attrs: a value for each attribute.
      shapes: what is known of the inputs' shapes.
      name: the operation's name, under which its state is kept.
      device: where it runs.
      resources: what outlives a step.
      in_place: whether it may overwrite the variable it changes.
      last_reader: whether it may when nobody else holds the variable's value.
      rounds: of a kernel that computes in float32 for bfloat16: which outputs are of that type.
    """
    own = {each: attrs[each] for each in op_def.attr_names}
    if rounds:
        own = {k: float32 if v is bfloat16 else v for k, v in own.items()}
        wide = bind_kernel(op_def, own, shapes, name, device, resources, in_place, last_reader)
        return partial(_in_float32, wide, rounds)
    if op_def.bind_function is not None:
        bound = op_def.bind_function(device.xp, own, shapes)
        if bound is not None:
            return bound
    first = device.xp
    if op_def.takes_context:
        first = OpKernelContext(name, device, resources, in_place, attrs, last_reader)
    return partial(op_def.kernel, first, **own)


#: what reads or writes the bytes of numbers, whatever they are
_BYTES = ("Bitcast", "DecodeRaw", "ParseTensor", "SerializeTensor")


def rounds_to_bfloat16(
    op_def: OpDef, inputs: Sequence[DType], outputs: Sequence[DType], attrs: dict[str, Any]
) -> list[bool]:
    """Which outputs are rounded to bfloat16, for a kernel that computes; [] where none does.

    What keeps tensors (variables, queues, functions, files) takes them as they are.
    """
    if bfloat16 not in inputs and bfloat16 not in outputs:
        return []
    args = (*op_def.inputs, *op_def.outputs)
    keeps = any(arg.is_ref or arg.type in ("resource", "variant") for arg in args)
    calls = any(isinstance(value, FuncGraph) for value in attrs.values())
    if keeps or calls or op_def.reach(attrs) or op_def.type in _BYTES:
        return []
    return [dtype is bfloat16 for dtype in outputs]


def _in_float32(kernel: Callable, rounds: Sequence[bool], *inputs: Any) -> Any:
    """Computes with bfloat16 as TensorFlow does: in float32, and the results rounded."""
    narrow = bfloat16.numpy_dtype

    def widened(value: Any) -> Any:
        if isinstance(value, list):
            return [widened(each) for each in value]
        return value.astype(np.float32) if getattr(value, "dtype", None) == narrow else value

    results = kernel(*map(widened, inputs))
    if not isinstance(results, (tuple, list)):
        return results.astype(narrow) if rounds[0] else results
    return [r.astype(narrow) if half else r for r, half in zip(results, rounds, strict=True)]
