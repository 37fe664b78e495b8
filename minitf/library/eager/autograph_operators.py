"""What statements of Python become when they depend on tensors: AutoGraph's operators.

    if t: x = f(x)                  if_stmt(t, body, orelse, get_state, set_state, ("x",), 1)
    else: x = g(x)                    t has a value     ──> Python's own `if`
                                      t is of a graph   ──> x = cond(t, ..., ...)

The source transformation (autograph.py) turns each statement into a call of one of these functions.
`get_state` and `set_state` read and write the local variables that the statement changes, so that a
branch or a turn of a loop can be tried out on tensors that stand for them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond as cond_op
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.logging_ops import Assert
from minitf.library.eager.tensor import EagerTensor

#: The classes of what stands for a variable without a value; autograph.py sets them.
undefined_types: tuple[type, ...] = ()


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when a graph runs."""
    if isinstance(value, Tensor):
        return not isinstance(value, EagerTensor) or not stacks.executing_eagerly()
    return hasattr(value, "_as_ref_tensor") and not stacks.executing_eagerly()


def _is_undefined(value: Any) -> bool:
    return isinstance(value, undefined_types)


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex, str, bytes, np.ndarray, np.generic))


def _becomes_tensor(leaf: Any) -> bool:
    return (
        isinstance(leaf, Tensor)
        or _is_number(leaf)
        or hasattr(leaf, "_as_tensor")
        or is_composite(leaf)
    )


class _Values:
    """The values of some variables, split into tensors, which travel, and the rest, which stays.

    Args:
      names: what messages call the variables.
      values: one for each.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names = names
        self.values = list(values)
        self.leaves: list[tuple[str, Any]] = []
        for name, value in zip(names, values, strict=True):
            self.leaves += [(name, leaf) for leaf in nest.flatten(value)]

    def tensors(self) -> list[Any]:
        """The leaves that travel, as tensors or composites."""
        return [
            leaf if is_composite(leaf) else convert_to_tensor(leaf)
            for _, leaf in self.leaves
            if _becomes_tensor(leaf)
        ]

    def names_of_tensors(self) -> list[str]:
        """The variable of each of `tensors()`."""
        return [name for name, leaf in self.leaves if _becomes_tensor(leaf)]

    def with_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """The values with other tensors in the places of their own."""
        rest = iter(tensors)
        leaves = [next(rest) if _becomes_tensor(leaf) else leaf for _, leaf in self.leaves]
        packed, start = [], 0
        for value in self.values:
            count = len(nest.flatten(value))
            packed.append(nest.pack_sequence_as(value, leaves[start : start + count])
                          if nest.is_nested(value) else leaves[start])  # fmt: skip
            start += count
        return packed


# ---- if ----------------------------------------------------------------------------------


def if_stmt(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """`if cond: body` with `else: orelse`."""
    if not is_symbolic(cond):
        return body() if cond else orelse()
    before = get_state()
    names = symbol_names[:nouts]
    found: list[_Values] = []
    absent = _absent_results(before, names, body, orelse, get_state, set_state)

    def branch(run: Callable[[], None], which: str) -> Callable[[], list[Any]]:
        def call() -> list[Any]:
            set_state(before)
            run()
            values = _filled(get_state()[:nouts], absent)
            _check_defined(names, values, which)
            found.append(_Values(names, values))
            if len(found) == 2:
                _check_alike(found[0], found[1])
            return found[-1].tensors() or [constant(0)]

        return call

    results = cond_op(
        convert_to_tensor(cond), branch(body, "main"), branch(orelse, "else"), strict=True
    )
    merged = found[0].with_tensors(results)
    for place, (name, a, b) in enumerate(zip(names, found[0].values, found[1].values, strict=True)):
        if name.startswith("do_return") and a is b:  # known, whichever branch runs
            merged[place] = a
    set_state((*merged, *before[nouts:]))
    return None


def _absent_results(
    before: tuple, names: Sequence[str], body: Any, orelse: Any, get_state: Any, set_state: Any
) -> Callable[[], Any] | None:
    """Inside a loop, what stands for the result of a branch that does not return.

    The loop's test sees that it has not returned, and nobody reads the result.
    """
    place = next((i for i, name in enumerate(names) if name.startswith("retval_")), None)
    if place is None or not _loops.depth or not _is_undefined(before[place]):
        return None
    results = []
    for run in (body, orelse):
        with _scratch():
            set_state(before)
            run()
            results.append(get_state()[place])
    set_state(before)
    known = [r for r in results if not _is_undefined(r)]
    if len(known) != 1 or not isinstance(known[0], Tensor):
        return None
    sizes = [size or 0 for size in known[0].shape.as_list()]
    return lambda: zeros(sizes, known[0].dtype.base_dtype)


def _filled(values: Sequence[Any], absent: Callable[[], Any] | None) -> list[Any]:
    if absent is None:
        return list(values)
    return [absent() if _is_undefined(value) else value for value in values]


def _check_defined(names: Sequence[str], values: Sequence[Any], branch: str) -> None:
    for name, value in zip(names, values, strict=True):
        if not _is_undefined(value):
            continue
        if name.startswith(("retval_", "do_return")):
            raise ValueError(
                f"A value must also be returned from the {branch} branch. If a value is returned "
                "from one branch of a conditional a value must be returned from all branches."
            )
        raise ValueError(f"'{name}' must also be initialized in the {branch} branch")


def _check_alike(one: _Values, other: _Values) -> None:
    for name, a, b in zip(one.names, one.values, other.values, strict=True):
        try:
            nest.assert_same_structure(a, b)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' must have the same nested structure in the main and else branches: "
                f"{error}"
            ) from None
    for (name, a), (_, b) in zip(one.leaves, other.leaves, strict=True):
        if _becomes_tensor(a) != _becomes_tensor(b):
            raise TypeError(
                f"'{name}' has dtype {_kind(a)} in the main branch, but dtype {_kind(b)} in the "
                "else branch"
            )
        if not _becomes_tensor(a):
            if a is not b and a != b:
                raise TypeError(f"'{name}' is another object in the else branch: {a!r}, {b!r}")
        elif _kind(a) != _kind(b):
            raise TypeError(
                f"'{name}' has dtype {_kind(a)} in the main branch, but dtype {_kind(b)} in the "
                "else branch"
            )


def _kind(leaf: Any) -> str:
    if is_composite(leaf):
        return type(leaf).__name__
    if not _becomes_tensor(leaf):
        return type(leaf).__name__
    return convert_to_tensor(leaf).dtype.base_dtype.name


# ---- while, for --------------------------------------------------------------------------


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: Sequence[str],
    opts: dict,
) -> None:
    """`while test(): body`."""
    if stacks.executing_eagerly():
        while test():
            body()
        return
    before = get_state()
    with _scratch():
        first = test()
    set_state(before)
    if not is_symbolic(first):
        going_on = bool(first)
        while going_on:
            body()
            found = test()
            if is_symbolic(found):
                raise NotImplementedError(
                    "The condition of while loop started as non-Tensor, then changed to Tensor. "
                    "This may happen either because variables changed type, or when a break or "
                    "return statement inside the loop depends on a Tensor condition. In both "
                    "cases, changing to a TF loop should remove the error."
                )
            going_on = bool(found)
        return
    _loop(test, body, get_state, set_state, symbol_names, opts)


class _Loops(threading.local):
    """How many loops of a graph are being built in this thread, one in the other."""

    depth = 0

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """A context inside one more."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


_loops = _Loops()


def returned(value: Any, did_return: Any) -> Any:
    """What a function returns; where only a step can tell whether it does, the step checks it."""
    if _is_undefined(value):
        return None
    if is_symbolic(did_return):
        Assert(did_return, ["A value must be returned from all branches."])
    return value


def _scratch() -> Any:
    """A context whose operations are thrown away: it is only looked at what they would be."""
    return FuncGraph("scratch", stacks.get_default_graph()).as_default()


def _loop(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    names: Sequence[str],
    opts: dict,
) -> None:
    """The loop as a part of the graph."""
    start = _Values(names, _first_values(body, get_state, set_state, names))
    tensors = start.tensors()
    kinds = [_kind(t) for t in tensors]
    labels = start.names_of_tensors()
    shapes = _invariants(opts, start, tensors)

    def condition(*variables: Any) -> Any:
        set_state(tuple(start.with_tensors(variables)))
        return test()

    def turn(*variables: Any) -> list[Any]:
        set_state(tuple(start.with_tensors(variables)))
        with _loops.inside():
            body()
        found = _Values(names, get_state())
        _check_turn(start, found, kinds, labels, None if shapes else tensors)
        return found.tensors()

    results = while_loop(
        condition,
        turn,
        tensors or [constant(0)],
        shape_invariants=shapes,
        maximum_iterations=opts.get("maximum_iterations"),
        return_same_structure=True,
    )
    set_state(tuple(start.with_tensors(results)))


def _first_values(
    body: Callable[[], None], get_state: Any, set_state: Any, names: Sequence[str]
) -> list[Any]:
    """The values before the loop; zeros for tensors that get their first value inside."""
    before = get_state()
    if not any(_is_undefined(v) for v in before):
        return list(before)
    with _scratch(), _loops.inside():
        body()
        after = get_state()
    set_state(before)
    values = []
    for name, old, new in zip(names, before, after, strict=True):
        if not _is_undefined(old):
            values.append(old)
            continue
        if _is_undefined(new) or nest.is_nested(new) or not _becomes_tensor(new):
            raise ValueError(f"'{name}' must be defined before the loop.")
        like = new if isinstance(new, Tensor) else convert_to_tensor(new)
        if not like.shape.is_fully_defined():
            raise ValueError(f"'{name}' must be defined before the loop.")
        values.append(zeros(like.shape.as_list(), like.dtype.base_dtype))
    return values


def _invariants(opts: dict, start: _Values, tensors: Sequence[Any]) -> list[Any] | None:
    """The shapes of the loop variables, when the program says that some may change."""
    given = opts.get("shape_invariants") or ()
    if not given:
        return None
    originals = [leaf for _, leaf in start.leaves if _becomes_tensor(leaf)]
    shapes = [None if is_composite(t) else t.shape for t in tensors]
    for tensor, wanted in given:
        for place, own in enumerate(originals):
            if own is tensor:
                shapes[place] = getattr(wanted, "shape", wanted)
    return shapes


def _check_turn(
    start: _Values, found: _Values, kinds: Sequence[str], labels: Sequence[str], tensors: Any
) -> None:
    for name, old, new in zip(start.names, start.values, found.values, strict=True):
        try:
            nest.assert_same_structure(old, new)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
            ) from None
    for (name, old), (_, new) in zip(start.leaves, found.leaves, strict=True):
        if _becomes_tensor(old) != _becomes_tensor(new) or (
            not _becomes_tensor(old) and old is not new and old != new
        ):
            raise TypeError(
                f"'{name}' has type {type(old).__name__} before the loop, but type "
                f"{type(new).__name__} after one iteration"
            )
    after = found.tensors()
    for place, (name, kind, new) in enumerate(zip(labels, kinds, after, strict=True)):
        if kind != _kind(new):
            raise TypeError(
                f"'{name}' has dtype {kind} before the loop, but dtype {_kind(new)} after one "
                "iteration"
            )
        if tensors is None or is_composite(new):
            continue
        old = tensors[place].shape
        if not _within(new.shape, old):
            raise ValueError(
                f"'{name}' has shape {old} before the loop, but shape {new.shape} after one "
                "iteration. Use tf.autograph.experimental.set_loop_options to set shape invariants."
            )


def _within(shape: Any, known: Any) -> bool:
    """Whether all tensors of `shape` fit `known`."""
    if known.ndims is None:
        return True
    if shape.ndims != known.ndims:
        return False
    pairs = zip(known.as_list(), shape.as_list(), strict=True)
    return all(a is None or a == b for a, b in pairs)


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: Sequence[str],
    opts: dict,
) -> None:
    """`for target in iter_: body(target)`, while `extra_test()` is true.

    An object that is no tensor and whose elements come when the step runs, as a dataset is, offers
    `_staged_steps()`: a function that adds operations for one step to the graph, and returns
    `(whether there was an element, the element)`; without one, anything of its structure.
    """
    if hasattr(iter_, "_staged_steps") and not stacks.executing_eagerly():
        _for_steps(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    if is_symbolic(iter_):
        _for_rows(convert_to_tensor(iter_), extra_test, body, get_state, set_state,
                  symbol_names, opts)  # fmt: skip
        return
    if extra_test is None:
        for target in iter_:
            body(target)
        return
    if extra_test():
        for target in iter_:
            body(target)
            going_on = extra_test()
            if is_symbolic(going_on):
                raise NotImplementedError(
                    "break and return statements which depend on a TF condition are not supported "
                    "in Python for loops. Did you intend to make it a TF loop?"
                )
            if not going_on:
                break


def _for_steps(
    source: Any,
    extra_test: Any,
    body: Any,
    get_state: Any,
    set_state: Any,
    names: Sequence[str],
    opts: dict,
) -> None:
    """A loop over what gives an element in each turn, until it says that there is none."""
    step = source._staged_steps()
    going_on = [constant(True)]

    def test() -> Any:
        return (
            going_on[0] if extra_test is None else cond_op(going_on[0], extra_test, lambda: False)
        )

    def turn() -> None:
        found, element = step()
        if_stmt(found, lambda: body(element), lambda: None, get_state, set_state, names, len(names))
        going_on[0] = found

    def set_all(state: tuple) -> None:
        going_on[0] = state[0]
        set_state(state[1:])

    _loop(test, turn, lambda: (going_on[0], *get_state()), set_all, ("the loop", *names), opts)


def _for_rows(
    rows: Tensor, extra_test: Any, body: Any, get_state: Any, set_state: Any, names: Any, opts: dict
) -> None:
    """A loop over the first axis of a tensor."""
    if rows.shape.ndims == 0:
        raise ValueError("tensor with shape () is scalar, but must have at least one axis")
    known = rows.shape.as_list()[0] if rows.shape.ndims else None
    count = shape(rows)[0] if known is None else constant(known)
    place = [constant(0)]

    def test() -> Any:
        inside = place[0] < count
        if extra_test is None:
            return inside
        return cond_op(inside, extra_test, lambda: False)

    def turn() -> None:
        body(rows[place[0]])
        place[0] = place[0] + 1

    def set_all(state: tuple) -> None:
        place[0] = state[0]
        set_state(state[1:])

    with_place = ("the loop's index", *names)
    _loop(test, turn, lambda: (place[0], *get_state()), set_all, with_place, opts)
