"""Axes that are computed while a graph runs, in operations of TensorFlow.

Here one operation brings the axes to the end, and another one brings them back
(core/ops/run_time_axes.py). TensorFlow has neither; each is made of these steps, sources first:

    MergeAxes(x, axes)      x ──Transpose(kept axes, named axes)──> ──Reshape(kept sizes, -1)──>
    RestoreAxes(x, axes, shape)     ──Reshape(kept sizes, named sizes)──> ──Transpose back──>
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes

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
