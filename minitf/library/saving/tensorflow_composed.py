"""Operations that are one there and several here, or the other way.

`COMPOSED` makes TensorFlow's of the functions that programs call. `AXES` makes ours of theirs: axes
that are computed while a graph runs. Here one operation brings the axes to the end, and
another one brings them back (core/ops/run_time_axes.py). TensorFlow has neither; each is made of
these steps, sources first:

    MergeAxes(x, axes)      x ──Transpose(kept axes, named axes)──> ──Reshape(kept sizes, -1)──>
    RestoreAxes(x, axes, shape)     ──Reshape(kept sizes, named sizes)──> ──Transpose back──>
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import call
from minitf.core.ops import reductions
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import expand_dims, reverse, transpose
from minitf.core.ops.math import conj, div, rsqrt, sqrt
from minitf.library.images.image_color import adjust_contrast
from minitf.library.nets.cross_entropy import in_top_k
from minitf.library.nets.normalization import batch_norm_with_global_normalization
from minitf.library.numeric.sorting import top_k
from minitf.library.sparse.sparse_shaping import sparse_reshape
from minitf.library.text.strings import as_string, string_join


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


def _like(function: Callable[..., Any], *keys: str) -> Callable[..., Any]:
    """Calls a function that takes the inputs in their order, and these attributes."""

    def made(node: NodeDef, *given: Any) -> Any:
        found = function(*given, **told(node, *keys))
        return list(found) if isinstance(found, tuple) else found

    return made


def _euclidean(node: NodeDef, x: Any, axes: Any) -> Any:
    return sqrt(reductions.reduce_sum(x * conj(x), axes, **told(node, "keep_dims")))


def _normalized(node: NodeDef, *given: Any) -> list:
    """As in the third version, which has an output more, and whose gradient has an input more."""
    attrs = told(node, "epsilon", "data_format", "is_training")
    if "Grad" in node.op:
        return call("FusedBatchNormGradV3", *given, zeros([0], given[2].dtype), **attrs)
    return call("FusedBatchNormV3", *given, **attrs)[:5]


#: For types of operations what makes the same, of a node and its inputs.
COMPOSED: dict[str, Callable[..., Any]] = {
    **{
        f"SparseSegment{kind}Grad{version}": _segment_grad
        for kind in ("Mean", "SqrtN", "Sum")
        for version in ("", "V2")
    },
    "SparseReshape": _sparse_reshape,
    "AdjustContrastv2": _like(adjust_contrast),
    "BatchNormWithGlobalNormalization": _like(
        batch_norm_with_global_normalization, "variance_epsilon", "scale_after_normalization"
    ),
    "Div": _like(div),
    "EuclideanNorm": _euclidean,
    **{f"FusedBatchNorm{kind}": _normalized for kind in ("", "V2", "Grad", "GradV2")},
    "InTopK": _like(in_top_k, "k"),
    "OnesLike": _like(ones_like),
    "ShardedFilespec": lambda node, name, count: string_join(
        [name, as_string(count, width=5, fill="0")], "-?????-of-"
    ),
    "TopK": _like(top_k, "k", "sorted"),
}

#: The same for operations whose axes are computed while the graph runs: these functions take them
#: (core/ops/run_time_axes.py).
ALONG: dict[str, Callable[..., Any]] = {
    **{
        kind: _like(getattr(reductions, f"reduce_{kind.lower()}"), "keep_dims")
        for kind in ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum")
    },
    "ArgMax": _like(reductions.argmax, "output_type"),
    "ArgMin": _like(reductions.argmin, "output_type"),
    "ConcatV2": lambda node, *given: concat(given[:-1], given[-1]),
    "Cumprod": _like(reductions.cumprod, "exclusive", "reverse"),
    "Cumsum": _like(reductions.cumsum, "exclusive", "reverse"),
    "ExpandDims": _like(expand_dims),
    "GatherV2": lambda node, x, indices, axis: gather(x, indices, axis=axis),
    "ReverseV2": _like(reverse),
    "Split": lambda node, axis, x: split(x, node.attrs["num_split"], axis),
    "SplitV": lambda node, x, sizes, axis: split(x, sizes, axis, node.attrs["num_split"]),
    "Transpose": _like(transpose),
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


#: name, type, and what it takes: names of steps, places of inputs, or constants. A dictionary has
#: attributes.
Step = tuple[str, str, Any, *tuple[Any, ...]]

_ORDER: tuple[Step, ...] = (  # of "rank" axes: who are named, counted from the front, and the rest
    ("numbers", "Cast", "1", {"DstT": dtypes.int32}),
    ("flat", "Reshape", "numbers", [-1]),
    ("named", "FloorMod", "flat", "rank"),
    ("every", "Range", 0, "rank", 1),
    ("kept", "ListDiff", "every", "named"),
    ("order", "ConcatV2", "kept", "named", 0),
    ("kept_sizes", "GatherV2", "sizes", "kept", 0),
    ("named_sizes", "GatherV2", "sizes", "named", 0),
    ("together", "Prod", "named_sizes", [0]),
    ("count", "Reshape", "together", [1]),
)
AXES: dict[str, tuple[Step, ...]] = {
    "MergeAxes": (
        ("rank", "Rank", "0"),
        ("sizes", "Shape", "0"),
        *_ORDER,
        ("turned", "Transpose", "0", "order"),
        ("wanted", "ConcatV2", "kept_sizes", "count", 0),
        ("", "Reshape", "turned", "wanted"),
    ),
    "RestoreAxes": (
        ("sizes", "Identity", "2"),
        ("rank", "Size", "sizes"),
        *_ORDER,
        ("now", "Shape", "0"),
        ("last", "StridedSlice", "now", [-1], [0], [1], {"end_mask": 1}),
        ("as_before", "Equal", "last", "count"),
        ("places", "Shape", "named"),
        ("alike", "Tile", "last", "places"),  # of one axis, or of several with the size 1
        ("whether", "Tile", "as_before", "places"),
        ("apart", "Select", "whether", "named_sizes", "alike"),
        ("wanted", "ConcatV2", "kept_sizes", "apart", 0),
        ("shaped", "Reshape", "0", "wanted"),
        ("back", "InvertPermutation", "order"),
        ("", "Transpose", "shaped", "back"),
    ),
}
