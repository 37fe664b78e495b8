"""Loops: `tf.while_loop`, and the operations `While` and `Scan`.

    tf.while_loop(cond, body, [i, x])     cond and body are each built as a FuncGraph
                                          i, x ──> While(cond, body) ──> Exit, the results
                                          whatever they use ──┘

A `While` can also output *stacks*: lists of the values of a tensor of the body in each iteration.
Its gradient is a `Scan` over these stacks, the last iteration first. The gradient of a `Scan` is a
`Scan` again, so that any order of derivative works. A plan emits both as loops of Python
(core/runtime/emit/control_flow.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients import function_gradients as functions
from minitf.core.gradients.gradients import is_trainable
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import IndexedSlices, is_composite, put_together, take_apart
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.lists import add_lists, reverse_stack

_NO_SAMPLES = "its body is a graph; tests/core/gradients/test_control_flow.py runs it"
_SCALAR = TensorShape(())


# ---- While, Scan -------------------------------------------------------------------------


@op("While", "input: N*? -> output: N*types", alias=True, no_samples=_NO_SAMPLES)
def while_op(
    ctx: Any, input: Any, *, cond: FuncGraph, body: FuncGraph, carried: int, types: Any, shapes: Any
) -> list[Any]:
    """Runs `body` as long as `cond` gives true.

    Of the inputs the first `carried` are the loop variables; the others stay as they are. The
    outputs are the loop variables, the number of turns, and a stack for each further output of the
    body: a list of its values, one for each turn.
    """
    state, rest = list(input[:carried]), list(input[carried:])
    pushed: list[list[Any]] = [[] for _ in body.outputs[carried:]]
    turns = 0
    while ctx.run_function(cond, state + rest)[0]:
        results = ctx.run_function(body, state + rest)
        state = results[:carried]
        turns += 1
        for each, value in zip(pushed, results[carried:], strict=True):
            each.append(value)
    return [*state, np.int32(turns), *pushed]


@op("Scan", "turns: int32, input: N*? -> output: N*types", alias=True, no_samples=_NO_SAMPLES)
def scan_op(
    ctx: Any,
    turns: Any,
    input: Any,
    *,
    body: FuncGraph,
    carried: int,
    scanned: int,
    types: Any,
    shapes: Any,
) -> list[Any]:
    """Runs `body` a given number of times, each time on the next elements of stacks.

    Of the inputs the first `carried` are the loop variables and the last `scanned` the stacks. The
    outputs are the loop variables and the new stacks.
    """
    end = len(input) - scanned
    state, rest = list(input[:carried]), list(input[carried:end])
    pushed: list[list[Any]] = [[] for _ in body.outputs[carried:]]
    for turn in range(turns):
        elements = [each[turn] for each in input[end:]]
        results = ctx.run_function(body, state + rest + elements)
        state = results[:carried]
        for each, value in zip(pushed, results[carried:], strict=True):
            each.append(value)
    return [*state, *pushed]


while_op.shape(functions.shapes_given)
scan_op.shape(functions.shapes_given)


@while_op.gradient
def _while_grad(op: Any, *dys: Tensor | None) -> list[Tensor | None]:
    carried = op.attrs["carried"]
    return _loop_grad(op, op.outputs[carried], list(op.inputs), 0, carried + 1, dys)


@scan_op.gradient
def _scan_grad(op: Any, *dys: Tensor | None) -> list[Tensor | None]:
    inputs, scanned = list(op.inputs[1:]), op.attrs["scanned"]
    return [None, *_loop_grad(op, op.inputs[0], inputs, scanned, op.attrs["carried"], dys)]


def _loop_grad(
    op: Any,
    turns: Tensor,
    inputs: list[Tensor],
    scanned: int,
    first_stack: int,
    dys: Sequence[Tensor | None],
) -> list[Any]:
    """The gradient of a loop: one `Scan` through its iterations, the last one first.

    It carries the gradients of the loop variables, and the sums of those of the constant inputs.

    Args:
      op: the `While` or `Scan`.
      turns: how many turns it took.
      inputs: the inputs of the body, as the operation has them.
      scanned: how many of them, the last ones, are stacks.
      first_stack: the first of its outputs that is a stack.
      dys: the gradients that reach its outputs.
    Returns: a gradient for each of `inputs`, or None.
    """
    body: FuncGraph = op.attrs["body"]
    carried = op.attrs["carried"]
    end = len(inputs) - scanned  # of what is no stack
    pushed = [
        i
        for i in range(first_stack, len(dys))
        if dys[i] is not None and is_trainable(body.outputs[i - first_stack + carried])
    ]
    tops = [body.outputs[i - first_stack + carried] for i in pushed]
    active = {i for i in range(carried) if dys[i] is not None and is_trainable(op.outputs[i])}
    while True:  # a variable takes part when another that takes part is computed from it
        ends = [*(body.outputs[i] for i in sorted(active)), *tops]
        reached = functions.reached_inputs(body, ends)
        more = {i for i in reached if i < carried} - active
        if not more:
            break
        active |= more
    variables = sorted(active)
    fixed = [i for i in sorted(reached) if carried <= i < end]
    elements = [i for i in sorted(reached) if i >= end]
    results: list[Any] = [None] * len(inputs)
    if not variables and not reached:
        return results

    backward = functions.Backward(body)
    with backward.building():
        which = [*variables, *fixed, *elements]
        ys, xs = [*(body.outputs[i] for i in variables), *tops], [body.inputs[i] for i in which]
        like = [*(body.inputs[i] for i in variables), *tops]
        reaching, slopes = backward.add_gradients(ys, xs, like)
        flows, popped = reaching[: len(variables)], reaching[len(variables) :]
        found = dict(zip(which, slopes, strict=True))
        tables = [i for i in fixed if _has_rows(found[i], inputs[i])]
        found.update({i: backward.whole(found[i]) for i in which if i not in tables})
        fixed, elements = (
            [i for i in given if found[i] is not None and i not in tables]
            for given in (fixed, elements)
        )
        sums = backward.add_inputs([body.inputs[i] for i in fixed])
        for i, so_far in zip(fixed, sums, strict=True):
            found[i] = _add(so_far, found[i])
        backward.outputs = [
            backward.or_zeros(found[i], body.inputs[i]) for i in (*variables, *fixed)
        ]
        parts = [part for i in tables for part in _parts(found[i], inputs[i])]
        for rows, sizes in parts:
            so_far = backward.add_input(rows.dtype.base_dtype, TensorShape([None, *sizes]))
            sums.append(so_far)
            backward.outputs.append(concat([so_far, backward.capture(rows)], axis=0))
        backward.outputs += [backward.or_zeros(found[i], body.inputs[i]) for i in elements]
    if op.type == "While":
        inputs += functions.adopt_captures(op, carried, body, op.attrs["cond"])
        results += [None] * (len(inputs) - end)
        end = len(inputs)
    constants, stacked, given = [], [], []
    stacks_given = [reverse_stack(dys[i]) for i in pushed]
    for tensor, inner in backward.captures:
        index = body.inputs.index(tensor) if tensor in body.inputs else -1
        if carried <= index < end:
            constants.append(inner)
            given.append(inputs[index])
        else:
            stacked.append(inner)
            source = inputs[index] if index >= end else _stack_of(op, first_stack, tensor)
            stacks_given.append(reverse_stack(source))
    backward.set_inputs([*flows, *sums, *constants, *popped, *stacked])
    starts: list[Any] = [
        *(functions.zeros_of(op.outputs[i]) if dys[i] is None else dys[i] for i in variables),
        *(functions.zeros_of(inputs[i]) for i in fixed),
        *(zeros([1, *sizes], rows.dtype.base_dtype) for rows, sizes in parts),  # as in TensorFlow
    ]
    like = [*(op.outputs[i] for i in variables), *(inputs[i] for i in fixed)]
    gradients = scan_op(
        turns,
        [*starts, *given, *stacks_given],
        body=backward,
        carried=len(starts),
        scanned=len(stacks_given),
        types=(*(t.dtype.base_dtype for t in starts), *(dtypes.variant for _ in elements)),
        shapes=(
            *(t.shape for t in like),
            *(TensorShape([None, *sizes]) for _, sizes in parts),
            *(_SCALAR for _ in elements),
        ),
        name="Scan",
    )
    made = iter(gradients)
    for i in (*variables, *fixed):
        results[i] = next(made)
    for i in tables:
        results[i] = IndexedSlices(next(made), next(made), shape_of(inputs[i]))
    for i in elements:
        results[i] = reverse_stack(next(made))
    return results


def _has_rows(gradient: Any, table: Tensor) -> bool:
    """Whether a gradient is of some rows only, of a table whose rows have a known shape."""
    known = table.shape.ndims is not None and table.shape[1:].is_fully_defined()
    return isinstance(gradient, IndexedSlices) and known


def _parts(gradient: IndexedSlices, table: Tensor) -> list[tuple[Tensor, list[int]]]:
    """The rows of a gradient and their numbers, each with the shape of one of them."""
    return [(gradient.values, table.shape[1:].as_list()), (gradient.indices, [])]


def _add(one: Tensor, other: Any) -> Tensor:
    return add_lists([one, other]) if one.dtype == dtypes.variant else call("AddV2", one, other)


def _stack_of(op: Any, first_stack: int, tensor: Tensor) -> Tensor:
    """The stack of the values of `tensor`, of the body; a new output of `op` if need be."""
    body: FuncGraph = op.attrs["body"]
    carried = op.attrs["carried"]
    if tensor in body.outputs[carried:]:
        return op.outputs[first_stack + body.outputs.index(tensor, carried) - carried]
    body.outputs.append(tensor)
    return functions.add_output(op, tensor, dtypes.variant, _SCALAR)


@op("Exit", "data: T -> output: T", forwards=True, alias=True, no_samples=_NO_SAMPLES)
def exit_op(xp: Any, data: Any) -> Any:
    """Gives the final value of a loop variable."""
    return data


functions.gives_what_it_gets(exit_op)


# ---- while_loop --------------------------------------------------------------------------


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats `body` while `cond` is true.

    Both functions are called once, now, with tensors that stand for the loop variables.

    Args:
      cond: gets the loop variables, and returns a scalar Boolean tensor.
      body: gets the loop variables, and returns what they are in the next turn: the same structure,
        of the same types.
      loop_vars: a list, tuple or deeper structure of tensors, `TensorArray`s or what becomes a
        tensor: the variables at the start.
      shape_invariants: the same structure of shapes or `TensorSpec`s, for variables whose shape
        changes.
      parallel_iterations, swap_memory: accepted; turns run one after the other.
      back_prop: whether gradients flow through the loop.
      name: a name for the scope.
      maximum_iterations: the number of turns after which the loop ends in any case.
      return_same_structure: return a structure of one variable as it is, and not its item.
    Returns: the loop variables at the end, as the structure of `loop_vars`.
    Raises:
      TypeError: when a function cannot be called, or a variable changes its type.
      ValueError: when there are no variables, or one changes its structure or shape.
    Example:
      >>> sess.run(tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0]))
      10
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not nest.is_nested(loop_vars) and not is_composite(loop_vars):
        loop_vars = [loop_vars]
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if stacks.executing_eagerly():
        return _run_eagerly(cond, body, loop_vars, maximum_iterations, return_same_structure)
    with name_scope(name, "while", take_apart(loop_vars, lambda leaf: leaf)):
        if maximum_iterations is not None:
            result = _limited(cond, body, loop_vars, shape_invariants, maximum_iterations)
            single = len(loop_vars) == 1
        else:
            result = _build(cond, body, loop_vars, shape_invariants)
            single = len(take_apart(result, lambda leaf: leaf)) == 1
        if not back_prop:
            tensors = take_apart(result, convert_to_tensor)
            result = put_together(result, [call("StopGradient", t) for t in tensors])
    return result[0] if single and not return_same_structure else result


def _run_eagerly(cond: Any, body: Any, loop_vars: Any, limit: Any, same: bool) -> Any:
    turns = 0
    single = len(loop_vars) == 1
    while cond(*loop_vars) and (limit is None or turns < int(limit)):
        found = body(*loop_vars)
        loop_vars = [found] if single and not isinstance(found, (list, tuple)) else found
        turns += 1

    def convert(leaf: Any) -> Any:
        return leaf if is_composite(leaf) else convert_to_tensor(leaf)

    result = nest.map_structure(convert, loop_vars)
    return result[0] if single and not same else result


def _limited(cond: Any, body: Any, loop_vars: Any, invariants: Any, limit: Any) -> Any:
    """Builds the loop with a counter beside its variables."""
    limit = convert_to_tensor(limit, name="maximum_iterations")
    if limit.shape.ndims not in (None, 0):
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    zero = constant(0, dtype=limit.dtype, name="iteration_counter")
    single = len(loop_vars) == 1

    def going_on(count: Tensor, variables: Any) -> Any:
        return call("LogicalAnd", call("Less", count, limit), cond(*variables))

    def next_turn(count: Tensor, variables: Any) -> Any:
        found = body(*variables)
        if single and not isinstance(found, (list, tuple)):
            found = type(variables)([found]) if isinstance(variables, list) else [found]
        return [call("AddV2", count, constant(1, dtype=limit.dtype)), found]

    shapes = None if invariants is None else [TensorShape(()), invariants]
    return _build(going_on, next_turn, [zero, loop_vars], shapes)[1]


def _build(cond: Any, body: Any, loop_vars: Any, shape_invariants: Any) -> Any:
    flat = take_apart(loop_vars, _as_loop_variable)
    shapes = _shapes(flat, loop_vars, shape_invariants)
    outer = stacks.get_default_graph()
    names = _names(body, flat)
    dtypes_ = [t.dtype.base_dtype for t in flat]

    condition = FuncGraph("cond", outer)
    with condition.building():
        inputs = _parameters(condition, dtypes_, shapes, names)
        going_on = convert_to_tensor(cond(*put_together(loop_vars, inputs)))
        functions.check_condition(going_on, "'input' of 'LoopCond'")
        condition.outputs = [condition.capture(going_on)]

    turn = functions.Body("body", outer)
    with turn.building():
        inputs = _parameters(turn, dtypes_, shapes, names)
        variables = put_together(loop_vars, inputs)
        found = body(*variables)
        if not nest.is_nested(found) or is_composite(found):
            found = [found]
        nest.assert_same_structure(list(variables), list(found))
        results = take_apart(found, _as_loop_variable)
        _check_results(flat, inputs, results)
        turn.outputs = [turn.capture(t) for t in results]

    condition.share_captures(turn)
    with stacks.control_dependencies([*condition.waits_for, *turn.waits_for]):
        outputs = while_op(
            [*flat, *(outside for outside, _ in turn.captures)],
            cond=condition,
            body=turn,
            carried=len(flat),
            types=(*dtypes_, dtypes.int32),
            shapes=(*shapes, _SCALAR),
            name="While",
        )
    turn.let_out({Operation: lambda t: exit_op(_stack_of(outputs[0].op, len(flat) + 1, t)).op})
    exits = [exit_op(t, name="Exit") for t in outputs[: len(flat)]]
    return put_together(found, exits)


def _as_loop_variable(value: Any) -> Tensor:
    tensor = convert_to_tensor(value)
    return identity(tensor) if tensor.dtype._is_ref_dtype else tensor


def _names(body: Any, flat: Sequence[Tensor]) -> list[str]:
    """The names of the loop variables: the parameters of the body, or their sources."""
    code = getattr(body, "__code__", None)
    if code is not None and code.co_argcount == len(flat):
        return [name.strip("_") or "x" for name in code.co_varnames[: len(flat)]]
    return [t.op.name.split("/")[-1] for t in flat]


def _parameters(
    graph: FuncGraph, types: Sequence[Any], shapes: Sequence[TensorShape], names: Sequence[str]
) -> list[Tensor]:
    return [graph.add_input(*each) for each in zip(types, shapes, names, strict=True)]


def _shapes(flat: Sequence[Tensor], loop_vars: Any, invariants: Any) -> list[TensorShape]:
    """The static shapes of the loop variables."""
    leaves = nest.flatten(loop_vars)
    given = [None] * len(leaves)
    if invariants is not None:
        given = _flat_invariants(loop_vars, invariants)
    starts, wanted = iter(flat), []
    for leaf, shape in zip(leaves, given, strict=True):
        if is_composite(leaf):
            own = [next(starts).shape for _ in leaf._components()]
            # how many elements or rows there are may change; a list has no such size
            wanted += [TensorShape([None]).concatenate(s[1:]) if s.ndims else s for s in own[:2]]
            wanted += own[2:]
        else:
            start = next(starts).shape
            wanted.append(start if shape is None else as_shape(getattr(shape, "shape", shape)))
    for tensor, shape in zip(flat, wanted, strict=True):
        if not _is_within(tensor.shape, shape):
            raise ValueError(
                f"The shape invariant specified for {tensor.name} is not compatible with the "
                f"initial shape of the loop variable. It enters the loop with shape "
                f"{tensor.shape}, but the specified shape invariant is {shape}."
            )
    return wanted


def _flat_invariants(loop_vars: Any, invariants: Any) -> list[Any]:
    """One shape for each leaf of `loop_vars`; shapes are lists too, so the structure leads."""
    if isinstance(loop_vars, (list, tuple)):
        if len(loop_vars) != len(invariants):
            raise ValueError(
                "The two structures don't have the same number of elements.\n\n"
                f"First structure: {loop_vars}\n\nSecond structure: {invariants}"
            )
        pairs = zip(loop_vars, invariants, strict=True)
        return [shape for one, other in pairs for shape in _flat_invariants(one, other)]
    if isinstance(loop_vars, dict):
        return [s for k in sorted(loop_vars) for s in _flat_invariants(loop_vars[k], invariants[k])]
    return [invariants]


def _is_within(shape: TensorShape, invariant: TensorShape) -> bool:
    """Whether every shape that `shape` allows is one that `invariant` allows."""
    if invariant.ndims is None:
        return True
    if shape.ndims != invariant.ndims:
        return False
    pairs = zip(shape.as_list(), invariant.as_list(), strict=True)
    return all(wanted is None or have == wanted for have, wanted in pairs)


def _check_results(
    starts: Sequence[Tensor], before: Sequence[Tensor], after: Sequence[Tensor]
) -> None:
    for start, old, new in zip(starts, before, after, strict=True):
        if old.dtype.base_dtype != new.dtype.base_dtype:
            raise TypeError(
                f"Loop variable '{start.name}' has type {old.dtype.base_dtype.name}, but has type "
                f"{new.dtype.base_dtype.name} after one iteration."
            )
        if old.dtype != dtypes.variant and not _is_within(new.shape, old.shape):
            raise ValueError(
                f"Input tensor '{start.name}' enters the loop with shape {start.shape}, but has "
                f"shape {new.shape} after one iteration. To allow the shape to vary across "
                "iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
                "less-specific shape."
            )
