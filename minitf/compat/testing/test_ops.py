"""`tensorflow.python.framework.test_ops`: operations that exist for tests of graphs alone.

They say how many inputs and outputs of which types a node has. Their kernels give zeros.

    g.create_op("FloatOutput", [], name="myop")
    test_ops.two_int_inputs(a, b)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.compat import raw_ops
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import unknown_shape

_SIGNATURES = """
A: -> out: float32
B: -> out: float32
Foo1: a: float32, b: int32, c: int32 -> d: float32, e: int32
Foo2: a: float32, b: string, c: string -> d: float32, e: int32
Foo3: a: float32, b: string, c: float32 -> d: float32, e: int32
Int64Output: -> out: int64
IntAttr: -> out: int64
FloatInput: a: float32 ->
FloatOutput: -> a: float32
FloatOutputStringOutput: -> a: float32, b: string
FiveFloatOutputs: -> a: float32, b: float32, c: float32, d: float32, e: float32
IntInput: a: int32 ->
IntInputFloatInput: a: int32, b: float32 ->
IntInputIntOutput: a: int32 -> b: int32
IntOutput: -> a: int32
IntOutputFloatOutput: -> a: int32, b: float32
None: ->
RefInputFloatInput: a: float32&, b: float32 ->
RefInputFloatInputIntOutput: a: float32&, b: float32 -> c: int32
RefInputIntInput: a: int32&, b: int32 ->
RefOutput: -> a: int32&
RefOutputFloatOutput: -> a: float32&, b: float32
Simple: a: int32 -> out: float32
StringListAttr: ->
TwoFloatInputs: a: float32, b: float32 ->
TwoFloatInputsFloatOutput: a: float32, b: float32 -> c: float32
TwoFloatInputsIntOutput: a: float32, b: float32 -> c: int32
TwoFloatOutputs: -> a: float32, b: float32
TwoIntInputs: a: int32, b: int32 ->
TwoIntOutputs: -> a: int32, b: int32
Unary: a: T -> b: T
"""

__all__: list[str] = []


def _declare(kind: str, signature: str) -> OpDef:
    outputs = signature.partition("->")[2]
    types = [each.partition(":")[2].strip() for each in outputs.split(",") if each.strip()]

    def kernel(xp: Any, *given: Any) -> Any:
        values = [_zero(each, given) for each in types]
        return values[0] if len(values) == 1 else values or None

    doc, why = "Exists for tests.", "it exists for tests"
    op_def = op(kind, signature, doc=doc, differentiable=False, no_samples=why)(kernel)
    shapes = [unknown_shape() for _ in types]
    op_def.shape(lambda *inputs, **attrs: shapes[0] if len(shapes) == 1 else shapes)
    return op_def


def _zero(kind: str, given: Any) -> Any:
    if kind == "string":
        return b""
    return np.zeros_like(given[0]) if kind == "T" else np.zeros((), kind.rstrip("&"))


def _snake(kind: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in kind).lstrip("_")


for _line in _SIGNATURES.strip().splitlines():
    _kind, _, _signature = _line.partition(":")
    _declare(_kind, _signature)
    globals()[_snake(_kind)] = getattr(raw_ops, _kind)
    __all__.append(_snake(_kind))
