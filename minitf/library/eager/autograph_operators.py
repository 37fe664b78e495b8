"""What statements and expressions become when they depend on tensors: AutoGraph's operators.

    if t: x = f(x)                  if_stmt(t, body, orelse, get_state, set_state, ("x",), 1)
    else: x = g(x)                    t has a value     ──> Python's own `if`
                                      t is of a graph   ──> x = cond(t, ..., ...)
    a and b                         and_(lambda: a, lambda: b), where `b` is computed if it matters
    len(t)                          builtin(len, (t,), None), the size of its first axis

The source transformation (autograph.py) turns each of them into a call of one of these functions.
`get_state` and `set_state` read and write the local variables that the statement changes (`_Locals`
holds both), so that a branch or a turn of a loop can be tried out on tensors that stand for them.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.gradients.cond import cond as cond_op
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import as_array, constant, convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import math as math_ops
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import range as range_op
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_and, logical_not, logical_or, not_equal
from minitf.core.ops.reductions import reduce_all, reduce_any
from minitf.library.checks.logging_ops import Assert
from minitf.library.eager.tensor import EagerTensor
from minitf.library.graph_tools.tensor_array import size_op
from minitf.library.text.printing import print_v2
from minitf.library.text.strings import string_to_number

#: The classes of what stands for a variable without a value; autograph.py sets them.
undefined_types: tuple[type, ...] = ()


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when a graph runs."""
    if isinstance(value, Tensor):
        return not isinstance(value, EagerTensor) or not stacks.executing_eagerly()
    variable = hasattr(value, "_as_ref_tensor") and not isinstance(value, type)
    return variable and not stacks.executing_eagerly()


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


def _kind(leaf: Any) -> str:
    """The name of the element type; of what is no tensor, that of its class."""
    if is_composite(leaf) or not _becomes_tensor(leaf):
        return type(leaf).__name__
    tensor = as_array(leaf) if _is_number(leaf) else convert_to_tensor(leaf)
    return dtypes.as_dtype(tensor.dtype).base_dtype.name


class _Locals(NamedTuple):
    """The local variables that a statement changes: how they are read, written and called."""

    get: Callable[[], tuple]
    set: Callable[[tuple], None]
    names: Sequence[str]

    def and_hidden(self, cell: list[Any], name: str) -> _Locals:
        """These, and the only item of `cell`, which a loop changes and the program does not see."""

        def set_all(state: tuple) -> None:
            cell[0] = state[0]
            self.set(state[1:])

        return _Locals(lambda: (cell[0], *self.get()), set_all, (name, *self.names))


class _Values:
    """The values of some variables, split into tensors, which travel, and the rest, which stays.

    Args:
      names: what messages call the variables.
      values: one for each.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names = names
        self.values = list(values)
        named = zip(names, values, strict=True)
        self.leaves = [(name, leaf) for name, value in named for leaf in nest.flatten(value)]
        #: the leaves that travel, each with the name of its variable
        self.travelling = [each for each in self.leaves if _becomes_tensor(each[1])]

    def tensors(self) -> list[Any]:
        """The leaves that travel, as tensors or composites."""
        leaves = [leaf for _, leaf in self.travelling]
        return [leaf if is_composite(leaf) else convert_to_tensor(leaf) for leaf in leaves]

    def with_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """The values with other tensors in the places of their own."""
        rest = iter(tensors)

        def other(leaf: Any) -> Any:
            return next(rest) if _becomes_tensor(leaf) else leaf

        return [nest.map_structure(other, value) for value in self.values]

    def check_alike(self, other: _Values, structure: str, here: str, there: str) -> None:
        """Checks that other values of the variables have the same structure and types.

        Args:
          other: they.
          structure: what is to be said of a variable whose structure differs.
          here, there: where these values and the others come from.
        Raises:
          TypeError: when they have not.
        """
        for name, a, b in zip(self.names, self.values, other.values, strict=True):
            try:
                nest.assert_same_structure(a, b)
            except (TypeError, ValueError) as error:
                raise TypeError(f"'{name}' {structure}{error}") from None
        for (name, a), (_, b) in zip(self.leaves, other.leaves, strict=True):
            if _kind(a) != _kind(b):
                raise TypeError(
                    f"'{name}' has dtype {_kind(a)} {here}, but dtype {_kind(b)} {there}"
                )
            if not _becomes_tensor(a) and a is not b and a != b:
                raise TypeError(f"'{name}' is another object {there}: {a!r}, {b!r}")


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
    absent = _absent_results(_Locals(get_state, set_state, names), body, orelse)

    def branch(run: Callable[[], None], which: str) -> Callable[[], list[Any]]:
        def call() -> list[Any]:
            set_state(before)
            run()
            values = [absent() if absent and _is_undefined(v) else v for v in get_state()[:nouts]]
            _check_defined(names, values, which)
            found.append(_Values(names, values))
            if len(found) == 2:
                structure = "must have the same nested structure in the main and else branches: "
                found[0].check_alike(
                    found[1], structure, "in the main branch", "in the else branch"
                )
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


def _absent_results(state: _Locals, body: Any, orelse: Any) -> Callable[[], Any] | None:
    """Inside a loop, what stands for the result of a branch that does not return.

    The loop's test sees that it has not returned, and nobody reads the result.
    """
    before = state.get()
    place = next((i for i, name in enumerate(state.names) if name.startswith("retval_")), None)
    if place is None or not _loops.depth or not _is_undefined(before[place]):
        return None
    results = []
    for run in (body, orelse):
        with _scratch():
            state.set(before)
            run()
            results.append(state.get()[place])
    state.set(before)
    known = [r for r in results if not _is_undefined(r)]
    if len(known) != 1 or not isinstance(known[0], Tensor):
        return None
    sizes = [size or 0 for size in known[0].shape.as_list()]
    return lambda: zeros(sizes, known[0].dtype.base_dtype)


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
    _loop(test, body, _Locals(get_state, set_state, symbol_names), opts)


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


def _loop(test: Callable[[], Any], body: Callable[[], None], state: _Locals, opts: dict) -> None:
    """The loop as a part of the graph."""
    start = _Values(state.names, _first_values(body, state))
    tensors = start.tensors()
    shapes = _invariants(opts, start, tensors)

    def condition(*variables: Any) -> Any:
        state.set(tuple(start.with_tensors(variables)))
        return test()

    def turn(*variables: Any) -> list[Any]:
        state.set(tuple(start.with_tensors(variables)))
        with _loops.inside():
            body()
        found = _Values(state.names, state.get())
        structure = "does not have the same nested structure after one iteration.\n\n"
        start.check_alike(found, structure, "before the loop", "after one iteration")
        results = found.tensors()
        if shapes is None:
            _check_shapes(start, tensors, results)
        return results

    results = while_loop(
        condition,
        turn,
        tensors or [constant(0)],
        shape_invariants=shapes,
        maximum_iterations=opts.get("maximum_iterations"),
        return_same_structure=True,
    )
    state.set(tuple(start.with_tensors(results)))


def _first_values(body: Callable[[], None], state: _Locals) -> list[Any]:
    """The values before the loop; zeros for tensors that get their first value inside."""
    before = state.get()
    if not any(_is_undefined(v) for v in before):
        return list(before)
    with _scratch(), _loops.inside():
        body()
        after = state.get()
    state.set(before)
    values = []
    for name, old, new in zip(state.names, before, after, strict=True):
        if not _is_undefined(old):
            values.append(old)
            continue
        like = convert_to_tensor(new) if _becomes_tensor(new) else None
        if like is None or not like.shape.is_fully_defined():
            raise ValueError(f"'{name}' must be defined before the loop.")
        values.append(zeros(like.shape.as_list(), like.dtype.base_dtype))
    return values


def _invariants(opts: dict, start: _Values, tensors: Sequence[Any]) -> list[Any] | None:
    """The shapes of the loop variables, when the program says that some may change."""
    given = opts.get("shape_invariants") or ()
    if not given:
        return None
    shapes = [None if is_composite(t) else t.shape for t in tensors]
    for tensor, wanted in given:
        for place, (_, own) in enumerate(start.travelling):
            if own is tensor:
                shapes[place] = getattr(wanted, "shape", wanted)
    return shapes


def _check_shapes(start: _Values, before: Sequence[Any], after: Sequence[Any]) -> None:
    for (name, _), old, new in zip(start.travelling, before, after, strict=True):
        if not is_composite(new) and not _within(new.shape, old.shape):
            raise ValueError(
                f"'{name}' has shape {old.shape} before the loop, but shape {new.shape} after one "
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
        _for_steps(iter_, extra_test, body, _Locals(get_state, set_state, symbol_names), opts)
        return
    ragged = hasattr(iter_, "nrows") and not stacks.executing_eagerly()
    if ragged or is_symbolic(iter_):
        rows = iter_ if ragged else convert_to_tensor(iter_)
        _for_rows(rows, extra_test, body, _Locals(get_state, set_state, symbol_names), opts)
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


def _and_extra(going_on: Any, extra_test: Callable[[], Any] | None) -> Any:
    return going_on if extra_test is None else cond_op(going_on, extra_test, lambda: False)


def _for_steps(source: Any, extra_test: Any, body: Any, state: _Locals, opts: dict) -> None:
    """A loop over what gives an element in each turn, until it says that there is none."""
    step = source._staged_steps()
    going_on = [constant(True)]

    def turn() -> None:
        found, element = step()
        if_stmt(found, lambda: body(element), lambda: None, *state, len(state.names))
        going_on[0] = found

    whole = state.and_hidden(going_on, "the loop")
    _loop(lambda: _and_extra(going_on[0], extra_test), turn, whole, opts)


def _for_rows(rows: Any, extra_test: Any, body: Any, state: _Locals, opts: dict) -> None:
    """A loop over the first axis of a tensor, also of a ragged one."""
    if rows.shape.ndims == 0:
        raise ValueError("tensor with shape () is scalar, but must have at least one axis")
    known = rows.shape.as_list()[0] if rows.shape.ndims else None
    if known is not None:
        count: Any = constant(known)
    else:
        count = rows.nrows("int32") if hasattr(rows, "nrows") else shape(rows)[0]
    place = [constant(0)]

    def turn() -> None:
        body(rows[place[0]])
        place[0] = place[0] + 1

    whole = state.and_hidden(place, "the loop's index")
    _loop(lambda: _and_extra(place[0] < count, extra_test), turn, whole, opts)


# ---- logic -------------------------------------------------------------------------------


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> Any:
    """`if_true() if cond else if_false()`."""
    if is_symbolic(cond):
        return cond_op(convert_to_tensor(cond), if_true, if_false)
    return if_true() if cond else if_false()


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`."""
    first = a()
    if is_symbolic(first):
        return cond_op(convert_to_tensor(first), b, lambda: first)
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`."""
    first = a()
    if is_symbolic(first):
        return cond_op(convert_to_tensor(first), lambda: first, b)
    return first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return logical_not(a) if is_symbolic(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    return equal(a, b) if _compares(a, b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`."""
    return not_equal(a, b) if _compares(a, b) else a != b


def _compares(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return False
    return is_symbolic(a) or is_symbolic(b)


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """`assert expression1, expression2()`."""
    if is_symbolic(expression1):
        message = expression2()
        Assert(expression1, [message] if not isinstance(message, (list, tuple)) else message)
    else:
        assert expression1, expression2()


# ---- built-in functions ------------------------------------------------------------------


def _print(*args: Any, **kwargs: Any) -> Any:
    known = {k: v for k, v in kwargs.items() if k in ("sep", "end")}
    return print_v2(*args, output_stream=kwargs.get("file", "stdout"), **known)


def _range(start: Any, limit: Any = None, *step: Any) -> Any:
    """As Python's: no numbers, and no error, where the limit is passed from the start."""
    if limit is None:
        start, limit = 0, start
    return range_op(start, limit if step else math_ops.maximum(start, limit), *step)


def _number(dtype: str) -> Callable[[Any], Any]:
    def convert(x: Any, base: int = 10) -> Any:
        if base != 10:
            raise NotImplementedError(f"base {base} not supported for int")
        return string_to_number(x, dtype) if x.dtype == dtypes.string else cast(x, dtype)

    return convert


def _len(value: Any) -> Any:
    if is_composite(value):  # a ragged tensor, a TensorArray
        return value.nrows("int32") if hasattr(value, "nrows") else value.size()
    if value.dtype == dtypes.variant:
        return size_op(value)
    if value.shape.ndims == 0:
        raise ValueError("len requires a non-zero rank, got 0")
    known = value.shape.as_list()[0] if value.shape.ndims else None
    return shape(value)[0] if known is None else known


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def folded(*args: Any) -> Any:
        return functools.reduce(function, args[0] if len(args) == 1 else args)

    return folded


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.print: _print,
    builtins.len: _len,
    builtins.abs: math_ops.abs,
    builtins.int: _number("int32"),
    builtins.float: _number("float32"),
    builtins.min: _fold(math_ops.minimum),
    builtins.max: _fold(math_ops.maximum),
    builtins.any: reduce_any,
    builtins.all: reduce_all,
}


#: Of data sets, whose elements come when the step runs.
_OF_DATASETS: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: lambda data, start=0: data.enumerate(start),
    builtins.zip: lambda *data: data[0].zip(data),
    builtins.map: lambda f, *data: data[0].zip(data).map(f),
    builtins.filter: lambda f, data: data.filter(f),
    builtins.abs: lambda data: data.map(math_ops.abs),
    builtins.any: lambda data: data.reduce(False, logical_or),
    builtins.all: lambda data: data.reduce(True, logical_and),
}


def builtin(function: Any, args: tuple, kwargs: dict | None) -> Any:
    """Calls a built-in function; on tensors and data sets of a graph, what it would be there."""
    own = None
    if stacks.executing_eagerly():
        pass
    elif any(hasattr(a, "_variant_tensor") for a in args):
        own = _OF_DATASETS.get(function)
    elif any(is_symbolic(a) or is_composite(a) for a in args):
        own = _BUILTINS.get(function)
    return (own or function)(*args, **(kwargs or {}))
