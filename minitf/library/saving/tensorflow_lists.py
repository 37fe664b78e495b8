"""`TensorArray`s as TensorFlow 2 writes them: as `TensorList`s, which flow along edges as ours do.

TensorListReserve ──> TensorListSetItem ──> ... ──> TensorListStack
TensorArrayV3     ──> TensorArrayWriteV3 ─> ... ──> TensorArrayGatherV3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape

#: What the operations of a `TensorArray` are there, and what those take: inputs by their places
#: here, and what is no input here.
LISTS: dict[str, tuple[str, tuple[int | str, ...]]] = {
    "TensorArrayConcatV3": ("TensorListConcatV2", (0, "element_shape", "leading_dims")),
    "TensorArrayGatherV3": ("TensorListGather", (0, 1, "element_shape")),
    "TensorArrayReadV3": ("TensorListGetItem", (0, 1, "element_shape")),
    "TensorArrayScatterV3": ("TensorListScatterIntoExistingList", (0, 2, 1)),
    "TensorArraySizeV3": ("TensorListLength", (0,)),
    "TensorArraySplitV3": ("TensorListSplit", (1, "element_shape", 2)),
    "TensorArrayV3": ("TensorListReserve", ("element_shape", 0)),
    "TensorArrayWriteV3": ("TensorListSetItem", (0, 1, 2)),
}
_HERE = {there: (here, places) for here, (there, places) in LISTS.items()}
#: all that are read
OF_LISTS = frozenset(
    [*_HERE, "EmptyTensorList", "TensorListFromTensor", "TensorListPushBack", "TensorListStack"]
)


def as_tensor_array(
    node: NodeDef,
    sources: Sequence[str],
    controls: Sequence[str],
    shape_of: Callable[[NodeDef, int], TensorShape],
) -> list[NodeDef]:
    """An operation of a `TensorList` as one or several of a `TensorArray`.

    Args:
      node: the operation.
      sources: its inputs.
      controls: what it waits for.
      shape_of: what is known of the shape that an input of it tells.
    """
    dtype = node.attr.get("element_dtype")
    made: list[NodeDef] = []

    def add(part: str, kind: str, *inputs: str, **attr: Any) -> str:
        name = f"{node.name}/{part}" if part else node.name
        made.append(NodeDef(name, kind, [*inputs, *controls], node.device, attr))
        return name

    def number(part: str, value: int) -> str:
        return add(part, "Const", dtype=dtypes.int32, value=np.array(value, np.int32))

    def up_to(count: str) -> str:
        return add("range", "Range", number("start", 0), count, number("delta", 1))

    def new(part: str, size: str) -> str:
        return add(part, "TensorArrayV3", size, dtype=dtype, dynamic_size=True)

    if node.op == "EmptyTensorList":
        new("", number("size", 0))
    elif node.op == "TensorListReserve":
        new("", sources[1])
    elif node.op == "TensorListPushBack":
        place = add("size", "TensorArraySizeV3", sources[0])
        add("", "TensorArrayWriteV3", sources[0], place, sources[1])
    elif node.op == "TensorListFromTensor":
        sizes = add("Shape", "Shape", sources[0], out_type=dtypes.int32)
        count = add("size", "GatherV2", sizes, number("first", 0), axis=0)
        add("", "TensorArrayScatterV3", new("TensorArray", count), up_to(count), sources[0])
    elif node.op == "TensorListStack":
        places = up_to(add("size", "TensorArraySizeV3", sources[0]))
        shape = shape_of(node, 1)
        add("", "TensorArrayGatherV3", sources[0], places, dtype=dtype, element_shape=shape)
    else:
        kind, order = _HERE[node.op]
        given: dict[int | str, str] = dict(zip(order, sources, strict=True))
        if kind == "TensorArraySplitV3":
            given[0] = new("TensorArray", number("size", 0))
        attr: dict[str, Any] = {"dtype": dtype, "again": True}  # there any place may be
        if "element_shape" in order:
            attr["element_shape"] = shape_of(node, order.index("element_shape"))
        known = get_op_def(kind).attr_names
        inputs = [given[place] for place in range(len(given)) if place in given]
        add("", kind, *inputs, **{key: attr[key] for key in known if key in attr})
    return made
