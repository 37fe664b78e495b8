"""Choices between functions: among several by predicates, or now where the predicate is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from minitf.core.gradients.cond import cond, only_item
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import is_operation
from minitf.core.graph.convert import constant_value
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import reduce_sum
from minitf.library.checks.logging_ops import Assert


def smart_constant_value(pred: Any) -> bool | None:
    """The truth of `pred` when it is known already: a bool, 0, 1 or a constant tensor.

    Raises:
      TypeError: when it is none of these, and no tensor.
    """
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if hasattr(pred, "_as_tensor"):
        return None
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(
        f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}"
    )


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """As `cond`; where `pred` is known already, only the function that it chooses is called."""
    for function, which in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"`{which}` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    assert true_fn is not None and false_fn is not None
    return true_fn() if known else false_fn()


# ---- case --------------------------------------------------------------------------------


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose predicate is true.

    Args:
      pred_fn_pairs: a list of (scalar Boolean tensor, function) pairs, or a dict of them.
      default: the function when no predicate is true; without it, that is an error of the step.
      exclusive: whether it is an error of the step that several are true.
      strict: as for `cond`.
      name: a name for the scope.
    Raises:
      TypeError: when the pairs have the wrong form.
    Example:
      >>> x = tf.constant(-2.0)
      >>> sess.run(tf.case([(x < 0, lambda: -1), (x > 0, lambda: 1)], default=lambda: 0))
      -1
    """
    pairs = _checked_pairs(pred_fn_pairs, default)
    with name_scope(name, "case", [pred for pred, _ in pairs]):
        preds = [pred for pred, _ in pairs]
        function = default
        if function is None:
            pairs, last = pairs[:-1], pairs[-1][1]
            function = _with_check(last, preds, len(pairs))
        waits = [_at_most_one(preds)] if exclusive and preds else []
        for pred, action in reversed(pairs):
            function = partial(cond, pred, action, function, strict=strict)
        with stacks.control_dependencies(waits):
            result = function()
    return result if strict else only_item(result)


def _checked_pairs(pairs: Any, default: Any) -> list[tuple[Any, Any]]:
    if isinstance(pairs, Mapping):
        pairs = list(pairs.items())
        if not stacks.executing_eagerly():
            pairs.sort(key=lambda pair: pair[0].name)
    elif not isinstance(pairs, (list, tuple)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        if isinstance(pred, Tensor):
            if pred.dtype.base_dtype != dtypes.bool:
                raise TypeError(f"pred must be Tensor of type bool: {pred.name}")
        elif not (stacks.executing_eagerly() or hasattr(pred, "_as_tensor")):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    if not pairs and default is None:
        raise ValueError("pred_fn_pairs and default cannot both be empty.")
    return list(pairs)


def _with_check(function: Any, preds: Sequence[Any], last: int) -> Callable[[], Any]:
    """The last function, which runs only when its predicate is true."""

    def checked() -> Any:
        text = f"None of conditions evaluated as True. Conditions: ({_names(preds)}), Values:"
        with stacks.control_dependencies([Assert(preds[last], [text, stack(list(preds))])]):
            return nest.map_structure(
                lambda leaf: leaf if is_operation(leaf) else identity(leaf), function()
            )

    return checked


def _names(preds: Sequence[Any]) -> str:
    if stacks.executing_eagerly():  # tensors have no names there
        return ", ".join(str(bool(pred)) for pred in preds)
    return ", ".join(getattr(pred, "name", "?") for pred in preds)


def _at_most_one(preds: Sequence[Any]) -> Any:
    count = reduce_sum(cast(stack(list(preds)), dtypes.int32))
    text = (
        f"Input error: exclusive=True: more than 1 conditions ({_names(preds)}) evaluated as True:"
    )
    return Assert(count < 2, [text, stack(list(preds))])
