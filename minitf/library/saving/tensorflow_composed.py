"""Operations of TensorFlow that are several here, as the functions that programs call make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import call
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.ops.math import rsqrt
from minitf.library.numeric import quantization
from minitf.library.sparse.sparse_shaping import sparse_reshape


def _quantized(kind: str) -> Callable[..., Any]:
    make = getattr(quantization, f"fake_quant_with_min_max_{kind}")
    return lambda node, *given: make(*given, **told(node, "min", "max", "num_bits", "narrow_range"))


def told(node: NodeDef, *keys: str) -> dict[str, Any]:
    """Those attributes of a node that it has."""
    return {key: node.attrs[key] for key in keys if key in node.attrs}


def _segment_grad(node: NodeDef, grad: Any, indices: Any, segments: Any, count: Any) -> Any:
    """The gradient of a sum, mean or root of means of rows, each row to where it came from.

    The second version gives the rows that there are, and their numbers.
    """
    if "Sum" not in node.op:
        ones = call("Fill", call("Shape", segments), 1.0)
        rows = call("UnsortedSegmentSum", ones, segments, call("Shape", grad)[0])
        rows = call("Cast", call("Maximum", rows, 1.0), DstT=grad.dtype)
        scale = 1.0 / rows if "Mean" in node.op else rsqrt(rows)
        wide = call("Reshape", scale, [-1, 1])
        flat = call("Reshape", grad, call("Pack", [call("Shape", grad)[0], -1])) * wide
        grad = call("Reshape", flat, call("Shape", grad))
    rows = call("GatherV2", grad, segments, axis=0)
    if not node.op.endswith("V2"):
        return call("UnsortedSegmentSum", rows, indices, count)
    numbers, places = call("Unique", indices)
    return [call("UnsortedSegmentSum", rows, places, call("Size", numbers)), numbers]


def _sparse_reshape(node: NodeDef, indices: Any, sizes: Any, wanted: Any) -> list:
    values = call("Fill", call("Shape", indices)[:1], False)
    made = sparse_reshape(SparseTensor(indices, values, sizes), wanted)
    return [made.indices, made.dense_shape]


#: For types of operations what makes the same, of a node and its inputs.
COMPOSED: dict[str, Callable[..., Any]] = {
    **{
        f"FakeQuantWithMinMax{kind}{back}": _quantized(f"{name}{back and '_gradient'}")
        for kind, name in (
            ("Args", "args"),
            ("Vars", "vars"),
            ("VarsPerChannel", "vars_per_channel"),
        )
        for back in ("", "Gradient")
    },
    **{
        f"SparseSegment{kind}Grad{version}": _segment_grad
        for kind in ("Mean", "SqrtN", "Sum")
        for version in ("", "V2")
    },
    "SparseReshape": _sparse_reshape,
}

#: Operations on diagonals: which one does the same, where these inputs say that it is the main one.
DIAGONALS: dict[str, tuple[str, dict[str, int]]] = {
    f"Matrix{kind}V{version}": (f"Matrix{kind}", wanted)
    for kind, wanted in (
        ("Diag", {"k": 0, "num_rows": -1, "num_cols": -1}),
        ("DiagPart", {"k": 0}),
        ("SetDiag", {"k": 0}),
    )
    for version in (2, 3)
}
