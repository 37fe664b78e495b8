"""Operations whose type nobody here declares, in graphs that come from elsewhere.

A graph may be read, drawn and run but for one operation that only its maker has. So an operation of
an unknown type may stand in a graph, where whoever read the file says what it gives
(`_output_types`). Nothing can be computed of it; its outputs can be fed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import unknown_shape

#: The attribute by which such a node says how many outputs it has, and of which types.
TYPES = "_output_types"
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_>]{0,200}")


class AbsentOp(OpDef):
    """Stands for the declaration of a type that has none.

    Args:
      type: the type.
      attr_names: the attributes of the node, whatever they hold.
    Raises:
      ValueError: when the type is no name.
    """

    def __init__(self, type: str, attr_names: Iterable[str]) -> None:
        if _TYPE.fullmatch(type) is None:
            raise ValueError(f"{type!r} is no type of an operation.")

        def kernel(ctx: Any, input: Any, *, _output_types: Any, **attrs: Any) -> Any:
            """Says that it cannot be computed."""
            raise errors.NotFoundError.of(
                f"Op type not registered '{type}': it came with a graph from elsewhere, and neither"
                " it nor what depends on it can be computed here. Fetch something else, or feed "
                "its outputs (`feed_dict`)."
            )

        super().__init__(type, f"input: N*? -> output: N*{TYPES}", kernel, host_only=True)
        own = (name for name in attr_names if name not in (TYPES, "_output_shapes"))
        self.attr_names = (TYPES, *own)
        self.attr_kinds, self.type_names = {}, frozenset()
        self.shape_function = lambda *inputs, _output_types, **attrs: [
            unknown_shape() for _ in _output_types
        ]


def own_attrs(node: Any, op_def: OpDef) -> dict[str, Any]:
    """The attributes of a node without what follows from its inputs, or was inferred."""
    inferred = () if isinstance(op_def, AbsentOp) else (TYPES,)
    left_out = {"_output_shapes", *inferred, *op_def.type_names}
    return {name: value for name, value in node.attrs.items() if name not in left_out}
