"""Lists of tensors as values, for `TensorArray` and the stacks of loops.

A list is a tensor of dtype `variant`; no operation changes its input. So loops can carry lists, and
gradients of lists are lists:

    write(list, i, x)   gradient: read(d_list, i)        unstack(t)    gradient: stack(d_list)
    read(list, i)       gradient: a list with dy at i    concat(list)  gradient: split(dy)

`ListValue` changes its items in place: the newest of a chain of lists owns them, and an older one
makes a copy if it is read again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.tensor import Tensor

_ABSENT = object()


class ListValue:
    """An immutable list of arrays; places may be empty.

    Args:
      size: how many places it has.
      items: the arrays by place. The list takes the dict over.
      grows: whether a write beyond the end makes it longer.
    """

    __slots__ = ("_change", "_items", "grows", "size")

    def __init__(self, size: int, items: dict[int, Any], grows: bool = False) -> None:
        self.size = size
        self.grows = grows
        self._items: dict[int, Any] | None = items
        self._change: tuple[int, Any, ListValue] | None = None  # what undoes the next list's write

    @property
    def items(self) -> dict[int, Any]:
        """The arrays by place."""
        if self._items is None:
            undo, owner = [], self
            while owner._items is None:
                assert owner._change is not None
                undo.append(owner._change[:2])
                owner = owner._change[2]
            self._items = dict(owner._items)
            for place, before in reversed(undo):
                if before is _ABSENT:
                    self._items.pop(place, None)
                else:
                    self._items[place] = before
            self._change = None
        return self._items

    def with_item(self, place: int, item: Any) -> ListValue:
        """The list with `item` at `place`. The items move on to it."""
        items = self.items
        newer = ListValue(max(self.size, place + 1), items, self.grows)
        self._change = place, items.get(place, _ABSENT), newer
        self._items = None
        items[place] = item
        return newer

    def resized(self, size: int) -> ListValue:
        """The list with places added at its end, or taken away. The items move on to it."""
        items = self.items
        if size < self.size - 1:
            return ListValue(size, {p: v for p, v in items.items() if p < size}, self.grows)
        newer = ListValue(size, items, self.grows)
        self._change = size, items.pop(size, _ABSENT), newer
        self._items = None
        return newer

    def added(self, other: ListValue) -> ListValue:
        """The list of the sums; an empty place counts as zero."""
        small, large = sorted((self, other), key=lambda each: len(each.items))
        result, size = large, max(self.size, other.size)
        for place, item in small.items.items():
            result = result.with_item(place, _sum(result.items.get(place), item))
        return result if result.size == size else ListValue(size, dict(result.items), result.grows)

    def __repr__(self) -> str:
        return f"<ListValue of {self.size}, {len(self.items)} written>"


def _sum(one: Any, other: Any) -> Any:
    if one is None:
        return other
    return one.added(other) if isinstance(one, ListValue) else one + other


def _add_values(values: Iterable[Any]) -> Any:
    """The sum of lists, of stacks (Python lists), or of their elements."""
    total: Any = None
    for value in values:
        if total is None:
            total = value
        elif isinstance(total, list):
            total = [_add_values(pair) for pair in zip(total, value, strict=True)]
        else:
            total = _sum(total, value)
    return total


_TRIED = "no kernel here reads a list; tests/core/ops/test_tensor_array.py reads and derives some"


@op("AddLists", "inputs: N*variant -> sum: variant", alias=True, no_samples=_TRIED)
def add_lists(xp: Any, inputs: Any) -> Any:
    """Adds lists, place by place."""
    return _add_values(inputs)


@op("EmptyList", "-> list: variant", no_samples=_TRIED)
def empty_list(xp: Any, *, size: int = 0) -> Any:
    """A list in which nothing is written: the zero of lists."""
    return ListValue(size, {}, grows=True)


@op("ReverseStack", "stack: variant -> reversed: variant", alias=True, no_samples=_TRIED)
def reverse_stack(xp: Any, stack: Any) -> Any:
    """Reverses a stack, so that the last iteration comes first."""
    return stack if isinstance(stack, ListValue) else stack[::-1]  # of a branch that was not taken


for _each in (add_lists, empty_list, reverse_stack):
    _each.shape(scalar_shape)


@add_lists.gradient
def _add_lists_grad(op: Any, dy: Tensor) -> list:
    return [dy] * len(op.inputs)


@reverse_stack.gradient
def _reverse_stack_grad(op: Any, dy: Tensor) -> Any:
    return reverse_stack(dy)
