"""Binds a kernel to the attributes of one operation: for a plan, and for eager execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

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
    """
    own = {each: attrs[each] for each in op_def.attr_names}
    if op_def.bind_function is not None:
        bound = op_def.bind_function(device.xp, own, shapes)
        if bound is not None:
            return bound
    first = device.xp
    if op_def.takes_context:
        first = OpKernelContext(name, device, resources, in_place, attrs, last_reader)
    return partial(op_def.kernel, first, **own)
