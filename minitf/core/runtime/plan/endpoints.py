"""Where values enter and leave a partition: `_Arg`, `_Retval`, `_Send` and `_Recv`.

They are declared as ops, so that a partition is an ordinary graph that can be serialized and drawn.
The emitter writes each as one statement of the program (a parameter, the return, a call of the
rendezvous); they have no kernel of their own.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minitf.core.graph.op_def import op
from minitf.core.runtime.run.rendezvous import Key

_REASON = "the emitter writes it as a statement; tests/core/runtime/test_devices.py sends some"


def _no_kernel(name: str) -> NoReturn:
    raise NotImplementedError(f"{name} runs only inside a plan.")


@op("_Arg", "-> value: dtype", recordable=True, no_samples=_REASON, differentiable=False)
def arg_op(ctx: Any, *, index: int, dtype: Any, tensor_name: str) -> NoReturn:
    """The value fed under `index` for the tensor `tensor_name`."""
    _no_kernel("_Arg")


@op("_Retval", "value: T ->", recordable=True, no_samples=_REASON, differentiable=False)
def retval_op(ctx: Any, value: Any, *, index: int) -> NoReturn:
    """Returns `value` as the fetch `index`."""
    _no_kernel("_Retval")


@op("_Send", "tensors: N*T ->", no_samples=_REASON, differentiable=False)
def send_op(
    ctx: Any, tensors: Any, *, tensor_name: str, send_device: str, recv_device: str
) -> NoReturn:
    """Gives a tensor to the rendezvous; without one, a control dependency. Never blocks."""
    _no_kernel("_Send")


@op("_Recv", "-> tensor: dtype", no_samples=_REASON, differentiable=False)
def recv_op(
    ctx: Any, *, tensor_name: str, send_device: str, recv_device: str, dtype: Any
) -> NoReturn:
    """Waits for the tensor that the `_Send` with the same names gives to the rendezvous."""
    _no_kernel("_Recv")


def rendezvous_key(attrs: dict[str, Any]) -> Key:
    """The key that a `_Send` and its `_Recv` share."""
    return Key.of(attrs["send_device"], attrs["recv_device"], attrs["tensor_name"])


def short_device(name: str) -> str:
    """A device as a reader of one program needs it: 'GPU:0', and its task where that may matter."""
    job, _, device = name.partition("/device:")
    return device if job.startswith("/job:localhost") else name
