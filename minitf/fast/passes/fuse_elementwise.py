"""Puts chains of elementwise operations into one program each, which reads and writes memory once.

    mul = x * w                                fused(x, w)   # maximum(x * w + 1, 0)
    add = mul + 1.0                     ──>
    relu = maximum(add, 0.0)

Each operation declares what it computes of an element as a formula; `kernels/program.py` reads the
formulas of a group into one list of steps, and `elementwise.py` runs it. A group has one
result. All others of its values are read inside it alone, so nothing can wait for the group and be
waited for by it. Where a reduction alone reads that result, it ends the group, and
nobody ever writes the array that is reduced:

    reduce_mean(square(x - y))  ──>      fused(x, y)   # mean(square(x - y))

Its operands have the shape of the result, or are spread over its leading or its trailing axes, all
at the same place: a bias, a column of means. Where sizes are not known before the run, arrays that
seem to agree are taken for equal, and the kernel looks once a call; if they do not, it computes
step by step, with the words and the name of the operation that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import op
from minitf.core.runtime.passes.rewriting import Readers, Value, new_node, replace
from minitf.core.runtime.passes.sizes import Sizes
from minitf.core.runtime.plan.subgraph import Group, Node
from minitf.fast.kernels import elementwise as kernels
from minitf.fast.kernels.program import COLUMN, FULL, ROW, SCALAR, Builder, Program, is_known

_LEAST = 16  # elements: below, a call costs more than it saves
_WIDEST = 64  # inputs of one operation: a sum of a thousand is no formula that anyone reads
_MOST = 48  # operations in one group
_LARGE = 65_536  # elements: of fewer, one operation and a reduction are quicker one by one
_HUGE = 1 << 20  # elements: of as many, one operation alone is worth several threads,
_DEAR = 4  # if it costs as many additions: cheaper ones wait for memory
_SUMS = ("Sum", "Mean")
_ENDINGS = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min"}


class Fused(Group):
    """What a fused node computes.

    Args:
      program: its steps.
      guarded: whether operands of the whole shape may differ after all.
      members: the operations that it was made of, those first that the others read.
      ending: the reduction that is the last of them, if one is.
    """

    def __init__(
        self,
        program: Program,
        guarded: bool,
        members: Sequence[Node],
        ending: kernels.Ending | None,
    ) -> None:
        self.program, self.guarded, self.members = program, guarded, members
        self.ending = ending

    def __str__(self) -> str:
        return self.text([f"x{i}" for i in range(len(self.program.operands))])

    def text(self, names: Sequence[str]) -> str:
        """The formula, of operands with names."""
        text = self.program.text(names)
        return self.ending.text(text) if self.ending else text

    def function(self, xp: Any) -> Callable[..., Any]:
        """The function of the operands that computes it."""
        return kernels.function(xp, self.program, self.guarded, self.ending)


@op(
    "_Fused",
    "operands: N*? -> result: dtype",
    no_samples="Only plans have it; tests/fast/passes/test_fuse_elementwise.py runs it.",
    differentiable=False,
)
def _fused_op(xp: Any, operands: list, *, group: Fused, dtype: DType, out: Any = None) -> Any:
    """Runs an elementwise program."""
    return group.function(xp)(*operands)


@_fused_op.bind
def _bind(xp: Any, attrs: dict[str, Any], shapes: Sequence[Any]) -> Callable[..., Any]:
    return attrs["group"].function(xp)


class _Place(NamedTuple):
    """How an operand lies in the result.

    Args:
      kind: SCALAR, ROW, COLUMN or FULL.
      splits: for ROW and COLUMN, the numbers of leading axes at which the shape may be cut.
      sure: whether that is known before the run.
    """

    kind: int
    splits: frozenset[int] = frozenset()
    sure: bool = True


class _Group:
    """Operations that become one.

    Args:
      root: the one whose result others read.
    """

    def __init__(self, root: Node) -> None:
        self.root = root
        self.members = [root]  # each before those that it reads
        self.splits: frozenset[int] | None = None  # where the shape may be cut; None: anywhere

    def admits(self, places: Sequence[_Place]) -> bool:
        """Takes in the operands of one more node, if the shape can still be cut at one place."""
        splits = self.splits
        for place in places:
            if place.kind in (ROW, COLUMN):
                splits = place.splits if splits is None else splits & place.splits
        if len(self.members) >= _MOST or (splits is not None and not splits):
            return False
        self.splits = splits
        return True


class _Fusion:
    """Finds the groups of one partition."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._readers = Readers(nodes)
        self._sizes = Sizes(nodes)
        self._group_of: dict[Node, _Group] = {}

    def groups(self, candidates: set[Node]) -> list[_Group]:
        """The groups of more than one operation, or of one that takes several steps."""
        found = []
        for node in reversed(self._nodes):
            if node not in candidates:
                continue
            group = self._of_all_readers(node)
            if group is not None and self._joins(node, group):
                group.members.append(node)
                self._group_of[node] = group
            elif node.dtypes[0] != dtypes.bool:
                places, own = self._places(node, node), _Group(node)
                if places is not None and own.admits(places):
                    self._group_of[node] = own
                    found.append(own)
        return found

    def _of_all_readers(self, node: Node) -> _Group | None:
        """The group in which everybody is who reads a node."""
        readers = self._readers.of((node, 0))
        if not readers or self._readers.waiting(node):
            return None
        group = self._group_of.get(readers[0])
        same = all(self._group_of.get(each) is group for each in readers[1:])
        return group if same else None

    def _joins(self, node: Node, group: _Group) -> bool:
        root = group.root
        if node.dtypes[0] not in (root.dtypes[0], dtypes.bool):
            return False
        own = self._place((node, 0), root)
        if own is None or own.kind != FULL:
            return False
        places = self._places(node, root)
        return places is not None and group.admits(places)

    def _places(self, node: Node, root: Node) -> list[_Place] | None:
        """How the inputs of a node lie in the result of its group; None when they do not."""
        kind = root.dtypes[0]
        places = []
        for value in node.inputs:
            source, index = value
            if source.dtypes[index] not in (kind, dtypes.bool):
                return None
            place = self._place(value, root)
            if place is None:
                return None
            places.append(place)
        strict = len(places) > 1 and not node.op_def.broadcasts
        if strict and not all(p.kind == FULL and p.sure for p in places):
            return None
        if node.type == "BiasAdd" and not (places[0] == (FULL, frozenset(), True)):
            return None
        return places

    def _place(self, value: Value, root: Node) -> _Place | None:
        whole, own = self._sizes.of((root, 0)), self._sizes.of(value)
        if whole is None or own is None or len(own) > len(whole):
            return None
        if self._sizes.same(value, (root, 0)):
            return _Place(FULL)
        rank = len(whole)
        own = (1,) * (rank - len(own)) + own
        if all(n == 1 for n in own):
            return _Place(SCALAR)
        leading = {k for k in range(1, rank) if all(n == 1 for n in own[:k])}
        rows = frozenset(k for k in leading if own[k:] == whole[k:])
        if rows:
            return _Place(ROW, rows)
        trailing = {k for k in range(1, rank) if all(n == 1 for n in own[k:])}
        columns = frozenset(k for k in trailing if own[:k] == whole[:k])
        if columns:
            return _Place(COLUMN, columns)
        source, index = value
        seems = source.shapes[index].is_compatible_with(root.shapes[0])
        if seems and source.shapes[index].ndims == rank:
            return _Place(FULL, sure=False)
        return None

    def _end(self, root: Node) -> Node | None:
        """The reduction that alone reads what a group makes."""
        end = self._readers.only((root, 0))
        return end if end is not None and end.type in _ENDINGS else None

    def fused(self, group: _Group) -> tuple[Node, Node] | None:
        """The last node of a group, and one that does what all do; None when that is no gain."""
        root, members = group.root, list(reversed(group.members))
        builder = Builder(root.dtypes[0].numpy_dtype)
        values: dict[Value, int] = {}
        operands: list[Value] = []
        sure = True
        for origin, node in enumerate(members):
            builder.origin = origin
            arguments = []
            for value in node.inputs:
                source, index = value
                if value not in values:
                    number = _number(source)
                    if number is not None:
                        values[value] = builder.constant(number)
                    else:
                        place = self._place(value, root)
                        assert place is not None  # _places has asked
                        sure &= place.sure
                        logical = source.dtypes[index] == dtypes.bool
                        values[value] = builder.operand(place.kind, logical)
                        operands.append(value)
                arguments.append(values[value])
            values[node, 0] = builder.formula(_formula(node), arguments)
        program, kept = builder.program(values[root, 0])
        operands = [operands[i] for i in kept]
        end = self._end(root)
        if len(program.steps) < 2:
            size, sums = root.shapes[0].num_elements() or 0, end is not None and end.type in _SUMS
            if size < (_LARGE if sums else _HUGE) or not (sums or program.cost >= _DEAR):
                return None
        if not any(each.kind == FULL for each in program.operands):
            return None
        guarded = not sure or not self._all_same(operands, program)
        ending, last = None, root
        if end is not None:
            how = (end.attrs[name] for name in ("axis", "keep_dims"))
            ending, last = kernels.Ending(_ENDINGS[end.type], end.op_def.kernel, *how), end
            members.append(end)
        made = Fused(program, guarded, members, ending)
        new = new_node("_Fused", last, operands, {"group": made, "dtype": root.dtypes[0]})
        new.controls = list(dict.fromkeys(c for node in members for c in node.controls))
        return last, new

    def _all_same(self, operands: Sequence[Value], program: Program) -> bool:
        full = [v for v, each in zip(operands, program.operands, strict=True) if each.kind == FULL]
        return all(self._sizes.same(full[0], each) for each in full[1:])


def _number(node: Node) -> float | None:
    """The number that a constant is; None for everything else."""
    if node.type != "Const" or node.controls or node.attrs["value"].size != 1:
        return None
    array = node.attrs["value"]
    return float(array.reshape(-1)[0]) if array.dtype.kind == "f" else None


def _formula(node: Node) -> str:
    """What a node computes of each element; of a list, it takes one more at a time."""
    formula = node.op_def.arithmetic or ""
    if node.op_def.inputs[0].is_list:
        whole = "{0}"
        for index in range(1, len(node.inputs)):
            whole = formula.format(whole, f"{{{index}}}")
        return whole
    for name in node.op_def.attr_names:
        value = node.attrs[name]
        if f"{{{name}}}" in formula and isinstance(value, (int, float)):
            formula = formula.replace(f"{{{name}}}", repr(float(value)))
    return formula


def _is_candidate(node: Node) -> bool:
    """Whether a node computes floats or truth values of each element, by steps that exist."""
    if node.op_def.arithmetic is None:
        return False
    if len(node.dtypes) != 1 or node.shapes[0].ndims in (None, 0) or not node.inputs:
        return False
    kind = node.dtypes[0]
    if kind != dtypes.bool and kind not in node.op_def.arithmetic_types:
        return False
    size = node.shapes[0].num_elements()
    if (size is not None and size < _LEAST) or len(node.inputs) > _WIDEST:
        return False
    if any(source.dtypes[index]._is_ref_dtype for source, index in node.inputs):
        return False
    if node.type == "Cast":
        source, index = node.inputs[0]
        return source.dtypes[index] == dtypes.bool and kind != dtypes.bool
    if node.type == "BiasAdd":
        return not node.attrs["data_format"].startswith("NC")
    formula = _formula(node)
    if re.search(r"{[a-z]", formula):  # an attribute that is no number
        return False
    return is_known(formula, len(node.inputs))


def fuse_elementwise(nodes: Sequence[Node]) -> list[Node]:
    """Puts chains of elementwise operations into one program each, with one pass over memory."""
    candidates = {node for node in nodes if _is_candidate(node)}
    if not candidates:
        return list(nodes)
    fusion = _Fusion(nodes)
    made = [fusion.fused(group) for group in fusion.groups(candidates)]
    instead = dict(each for each in made if each is not None)
    return replace(nodes, {(old, 0): (new, 0) for old, new in instead.items()}, instead)
