"""Branches: `tf.cond`, and the operation `If` that it becomes.

    tf.cond(p, f, g)      f and g are each built as a FuncGraph
                          p ──> If(then_branch, else_branch) ──> Merge, the results
                          whatever f and g use ──┘

Only the chosen branch runs. A plan emits an `if` of Python (core/runtime/emit/control_flow.py). The
gradient is an `If` over the gradients of the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minitf.core.gradients import function_gradients as functions
from minitf.core.gradients.gradients import is_trainable
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import is_operation, put_together, take_apart
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.errors import InvalidArgumentError
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.lists import empty_list

_NO_SAMPLES = (
    "it is of branches, which are graphs; tests/core/gradients/test_control_flow.py runs it"
)

# ---- If ----------------------------------------------------------------------------------


@op("If", "cond: bool, input: N*? -> output: N*types", alias=True, no_samples=_NO_SAMPLES)
def if_op(
    ctx: Any,
    cond: Any,
    input: Any,
    *,
    then_branch: FuncGraph,
    else_branch: FuncGraph,
    types: Any,
    shapes: Any,
) -> list[Any]:
    """Runs one of two functions on `input`."""
    return ctx.run_function(then_branch if cond else else_branch, input)


if_op.shape(functions.shapes_given)


@op("Merge", "input: T -> output: T", forwards=True, alias=True, no_samples=_NO_SAMPLES)
def merge_op(xp: Any, input: Any) -> Any:
    """Gives the result of the branch that ran."""
    return input


functions.gives_what_it_gets(merge_op)


@op("Live", "input: T, pred: bool -> output: T", alias=True, no_samples=_NO_SAMPLES)
def live_op(ctx: Any, input: Any, pred: Any, *, branch: bool) -> Any:
    """Gives a tensor of a branch; an error if the other branch ran."""
    if bool(pred) is not branch:
        raise InvalidArgumentError.of("Retval[0] does not have value")
    return input


live_op.shape(lambda input, pred, *, branch: input.shape)
live_op.gradient(lambda op, dy: [dy, None])


def _make_if(
    pred: Tensor,
    inputs: Sequence[Tensor],
    then_branch: FuncGraph,
    else_branch: FuncGraph,
    name: str,
    wait_for: Sequence[Any] = (),
) -> list[Tensor]:
    pairs = list(zip(then_branch.outputs, else_branch.outputs, strict=True))
    with stacks.control_dependencies(list(wait_for)):
        return if_op(
            pred,
            list(inputs),
            then_branch=then_branch,
            else_branch=else_branch,
            types=tuple(one.dtype.base_dtype for one, _ in pairs),
            shapes=tuple(a.shape.most_specific_compatible_shape(b.shape) for a, b in pairs),
            name=name,
        )


@if_op.gradient
def _if_grad(op: Any, *dys: Tensor | None) -> list[Tensor | None]:
    branches: list[FuncGraph] = [op.attrs["then_branch"], op.attrs["else_branch"]]
    active = [i for i, dy in enumerate(dys) if dy is not None and is_trainable(op.outputs[i])]
    reached = [functions.reached_inputs(b, [b.outputs[i] for i in active]) for b in branches]
    targets = sorted(reached[0] | reached[1])
    results: list[Tensor | None] = [None] * len(op.inputs)
    if not targets:
        return results
    backwards, parameters, slopes = [], [], []
    for branch in branches:
        ys, xs = [branch.outputs[i] for i in active], [branch.inputs[k] for k in targets]
        backward = functions.Backward(branch)
        with backward.building():
            given, found = backward.add_gradients(ys, xs, [op.outputs[i] for i in active])
            slopes.append({k: backward.whole(g) for k, g in zip(targets, found, strict=True)})
        backwards.append(backward)
        parameters.append(given)
    targets = [k for k in targets if any(slope[k] is not None for slope in slopes)]
    if not targets:
        return results
    for branch, backward, slope in zip(branches, backwards, slopes, strict=True):
        with backward.building():
            backward.outputs = [backward.or_zeros(slope[k], branch.inputs[k]) for k in targets]
    results += [None] * len(functions.adopt_captures(op, 1, *branches))
    # what the backward graphs captured, as the forward operation has or gives it
    sources: dict[Tensor, list[Tensor | None]] = {}
    for which, (branch, backward) in enumerate(zip(branches, backwards, strict=True)):
        for tensor, _ in backward.captures:
            sources.setdefault(_given_out(op, branch, tensor), [None, None])[which] = tensor
    for which, backward in enumerate(backwards):
        captured = [backward.stand_in(pair[which], like) for like, pair in sources.items()]
        backward.set_inputs([*parameters[which], *captured])
    given_dys = [dy for dy in (dys[i] for i in active) if dy is not None]
    inputs = [*given_dys, *sources]
    gradients = _make_if(op.inputs[0], inputs, backwards[0], backwards[1], "If_grad")
    for target, gradient in zip(targets, gradients, strict=True):
        results[1 + target] = gradient
    return results


def _given_out(op: Any, branch: FuncGraph, tensor: Tensor) -> Tensor:
    """The output of an `If` for `tensor`, of a branch; a new output if there is none.

    If the other branch runs, that output is an unused zero.
    """
    if tensor in branch.inputs:
        return op.inputs[1 + branch.inputs.index(tensor)]
    if tensor in branch.outputs:
        return op.outputs[branch.outputs.index(tensor)]
    branch.outputs.append(tensor)
    other = op.attrs["else_branch" if branch is op.attrs["then_branch"] else "then_branch"]
    with other.as_default(), stacks.control_dependencies(None):
        other.outputs.append(_nothing(tensor.dtype.base_dtype))
    return functions.add_output(op, tensor, tensor.dtype.base_dtype, tensor.shape)


def _nothing(dtype: dtypes.DType) -> Tensor:
    if dtype == dtypes.variant:
        return empty_list()
    return constant(b"" if dtype == dtypes.string else np.zeros((), dtype.as_numpy_dtype))


def _let_out(op: Any, branch: functions.Body, chosen: bool) -> None:
    """Lets the outer graph use elements of a branch, which runs when `pred` is `chosen`."""
    value = partial(_given_out, op, branch)
    ways_out: dict[type, Any] = {Operation: lambda inner: merge_op(value(inner)).op}
    ways_out[Tensor] = lambda inner: live_op(value(inner), op.inputs[0], branch=chosen)
    branch.let_out(ways_out)


# ---- cond --------------------------------------------------------------------------------


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """The results of `true_fn()` when `pred` is true, else those of `false_fn()`.

    Both functions are called now, to build their operations; a step runs those of one of them.
    Operations made outside of them always run.

    Args:
      pred: a scalar Boolean tensor.
      true_fn, false_fn: functions without arguments; both return the same structure of tensors of
        the same types. An operation among the results is waited for.
      strict: keep a list or tuple of one result as it is; otherwise its item is returned.
      name: a name for the scope.
      fn1, fn2: the old names of true_fn and false_fn.
    Returns: the structure of results.
    Raises:
      TypeError: when `pred` is a Python bool, or a function cannot be called.
      ValueError: when the results differ in structure or type.
    Example:
      >>> x = tf.constant(-2.0)
      >>> sess.run(tf.cond(x < 0, lambda: -x, lambda: x))
      2.0
    """
    true_fn = _one_of("true_fn", true_fn, "fn1", fn1)
    false_fn = _one_of("false_fn", false_fn, "fn2", fn2)
    if stacks.executing_eagerly():
        result = true_fn() if pred else false_fn()
        return result if strict else only_item(result)
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        graph = stacks.get_default_graph()
        chosen = _checked_predicate(pred)
        then_branch, then_result = _branch("true_fn", true_fn, True, strict, graph)
        else_branch, else_result = _branch("false_fn", false_fn, False, strict, graph)
        _check_results(then_branch, then_result, else_branch, else_result)
        then_branch.share_captures(else_branch)
        captured = [outside for outside, _ in then_branch.captures]
        waits = [*then_branch.waits_for, *else_branch.waits_for]
        outputs = _make_if(chosen, captured, then_branch, else_branch, "If", waits)
        _let_out(outputs[0].op, then_branch, True)
        _let_out(outputs[0].op, else_branch, False)
        merged = [merge_op(output, name="Merge") for output in outputs]
        packed = put_together(then_result, merged)
    return packed if strict else only_item(packed)


def _checked_predicate(pred: Any) -> Tensor:
    tensor = convert_to_tensor(pred)
    functions.check_condition(tensor, "'pred' of 'Switch'")
    return identity(tensor, name="pred_id")


def _one_of(name: str, function: Any, old_name: str, old_function: Any) -> Callable[[], Any]:
    if old_function is not None:
        if function is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        function = old_function
    if function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")
    return function


def only_item(result: Any) -> Any:
    """The item of a list or tuple of one, else the result itself."""
    if isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _branch(
    name: str, function: Callable[[], Any], pivot: bool, strict: bool, outer: Any
) -> tuple[functions.Body, Any]:
    """Builds one branch; returns it, and what the function returned."""
    graph = functions.Body(name, outer)
    with graph.building():
        result = function()
        if result is None:
            raise ValueError(f"'{name}' must have a return value.")
        if not strict:
            result = only_item(result)
        graph.outputs = [
            graph.capture(tensor)
            for tensor in take_apart(result, lambda leaf: _as_result(leaf, pivot))
        ]
    return graph, result


def _as_result(leaf: Any, pivot: bool) -> Tensor:
    if is_operation(leaf):
        with stacks.control_dependencies([leaf]):
            return identity(constant(pivot), name="control_dependency")
    return identity(convert_to_tensor(leaf)) if hasattr(leaf, "_ref") else convert_to_tensor(leaf)


def _check_results(
    then_branch: FuncGraph, then_result: Any, else_branch: FuncGraph, else_result: Any
) -> None:
    nest.assert_same_structure(then_result, else_result)
    if len(then_branch.outputs) != len(else_branch.outputs):
        raise ValueError("'true_fn' and 'false_fn' must return the same number of results.")
    for one, other in zip(then_branch.outputs, else_branch.outputs, strict=True):
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{one.dtype.name} from 'true_fn' and {other.dtype.name} from 'false_fn'."
            )
