"""What is chosen while a graph runs, by the learning phase or a condition; and running a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.gradients.gradients import gradients as gradients_of
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import broadcast_to, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.control import group
from minitf.core.ops.state import assign
from minitf.library.keras.backend.session import get_session, learning_phase
from minitf.library.keras.backend.values import is_sparse, is_tensor, ndim, to_dense

# ---- choices -------------------------------------------------------------------------------


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two values, as a condition says.

    Args:
      condition: a scalar; or a tensor that says it for each row or element.
      then_expression: a tensor, or a function without arguments that makes one.
      else_expression: the same.

    Raises:
      ValueError: when the condition has more axes than the values.
    """
    if condition.dtype != dtypes.bool:
        condition = cast(condition, dtypes.bool)
    if not ndim(condition):
        return cond(condition, *map(_as_function, (then_expression, else_expression)))
    chosen, other = (_as_function(each)() for each in (then_expression, else_expression))
    rank, needed = ndim(condition) or 0, ndim(chosen) or 0
    if rank > needed:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={rank}, ndim(then_expression)={needed}"
        )
    if 1 < rank < needed:
        sizes = concat([shape(condition), ones([needed - rank], dtypes.int32)], 0)
        condition = broadcast_to(reshape(condition, sizes), shape(chosen))
    return where(condition, chosen, other)


def _as_function(expression: Any) -> Any:
    return expression if callable(expression) else lambda: expression


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` while training, otherwise `alt`.

    Args:
      x: a tensor, or a function without arguments that makes one.
      alt: the same.
      training: a bool, 0 or 1, or a tensor; the learning phase by default.
    """
    if training is None:
        training = learning_phase()
    if not is_tensor(training):
        return _as_function(x if training else alt)()
    return switch(training, x, alt)


# ---- running -------------------------------------------------------------------------------


def gradients(loss: Any, variables: Any) -> list:
    """The gradients of a loss by variables, or by tensors."""
    return gradients_of(loss, variables)


def eval(x: Any) -> Any:
    """The value of a tensor or a variable, as an array."""
    x = to_dense(x)
    if hasattr(x, "numpy") and stacks.executing_eagerly():
        return x.numpy()
    return get_session().run(x)


class Function:
    """What `function` returns: called with a list of values, it runs the graph.

    Args:
      inputs: what is fed.
      outputs: what is computed.
      updates: operations to run after them, or pairs of a variable and its new value.
      feed_dict, fetches, options, run_metadata: more for `Session.run`.
    """

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        updates: Sequence[Any] | None = None,
        name: str | None = None,
        feed_dict: dict | None = None,
        fetches: Any = (),
        options: Any = None,
        run_metadata: Any = None,
    ) -> None:
        if not isinstance(updates or [], (list, tuple)):
            raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
        self.inputs, self.outputs, self.name = nest.flatten(inputs), outputs, name
        first = nest.flatten(outputs)[:1]
        with stacks.control_dependencies([getattr(each, "op", each) for each in first]):
            pairs = (assign(*u) if isinstance(u, tuple) else u for u in updates or ())
            self.updates_op = group(*pairs)
        self.feed_dict = feed_dict or {}
        self.fetches = [identity(each) for each in nest.flatten(list(fetches))]
        self._options = {"options": options, "run_metadata": run_metadata}

    def __call__(self, inputs: Any) -> Any:
        """Feeds values and returns arrays in the structure of the outputs."""
        feeds = dict(self.feed_dict)
        values = inputs if isinstance(inputs, (list, tuple)) else nest.flatten(inputs)
        for tensor, value in zip(self.inputs, values, strict=True):
            if value is not None:
                kind = tensor.dtype.base_dtype.as_numpy_dtype
                feeds[tensor] = value if is_sparse(tensor) else np.asarray(value, kind)
        asked = [self.outputs, self.fetches, self.updates_op]
        return get_session().run(asked, feeds, **self._options)[0]
