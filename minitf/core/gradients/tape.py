"""`tf.GradientTape`: records operations and computes their gradients.

    with tf.GradientTape() as tape:      tape.record:   x --> Square --> Sum --> y
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)                  backwards:    dx <-- Square_grad <-- Sum_grad <-- 1

A tape keeps the operations that depend on watched tensors, in the order in which they ran.
Gradients go through them in reverse, by the gradient functions of `tf.gradients`. Eager operations
and those of a graph look alike to these, so a tape works with both. An outer tape records the
backward operations as well, for gradients of any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.gradients.gradients import (
    UnconnectedGradients,
    add_gradients,
    input_gradients,
    is_trainable,
    wants_zeros,
)
from minitf.core.graph import logging, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like, zeros_like


class GradientTape:
    """Records operations, so that gradients can be taken through them.

    Args:
      persistent: whether `gradient` may be called more than once.
      watch_accessed_variables: whether every trainable variable that is read is watched.

    Example:
      >>> tf.enable_eager_execution()
      >>> x = tf.constant(3.0)
      >>> with tf.GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = x * x
      >>> tape.gradient(y, x)
      <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._used = False
        self._was_entered = False
        self._forget()

    def _forget(self) -> None:
        self._records: list[Any] = []
        self._watched: set[Tensor] = set()  # what was asked for
        self._depends: set[Tensor] = set()  # and all that was computed from it
        self._variables: dict[Any, Any] = {}  # those watched, by key

    def __enter__(self) -> GradientTape:
        self._was_entered = True
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        self._used = False
        stacks.tapes.items.append(self)
        self._recording = True
        return self

    def __exit__(self, *exc_info: Any) -> None:
        if self._recording:
            stacks.tapes.items.remove(self)
            self._recording = False

    # ---- recording -----------------------------------------------------------------------

    def record(self, operation: Any) -> None:
        """Records an operation that depends on a watched tensor."""
        if not self.wants(operation.inputs):
            return
        if any(tensor.dtype._is_ref_dtype for tensor in operation.outputs):
            return  # an update: what is read afterwards does not depend on what it was
        moving = [tensor for tensor in operation.outputs if is_trainable(tensor)]
        if moving and operation.op_def.differentiable is not False:
            self._records.append(operation)
            self._depends.update(moving)

    def wants(self, inputs: Sequence[Any]) -> bool:
        """Whether an operation with these inputs depends on a watched tensor."""
        known = self._depends
        return any(t in known or t.dtype._is_ref_dtype or _origin(t) in known for t in inputs)

    def variable_accessed(self, variable: Any) -> None:
        """Watches a variable that is read, if it is trainable."""
        if self._watch_accessed_variables and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        key = variable._key()
        if key in self._variables:
            return
        self._variables[key] = variable
        if not stacks.executing_eagerly():
            ref = _origin(variable._as_ref_tensor())
            read = variable._shared_read()  # of a graph's variable it was made before the tape
            if read is not None and read.op not in self._records:
                self._records.append(read.op)
                self._depends.add(read)
            self._depends.add(ref)

    def watch(self, tensor: Any) -> None:
        """Watches a tensor, or each tensor of a structure.

        Raises:
          ValueError: when one is no tensor.
        """
        for each in nest.flatten(tensor):
            if isinstance(each, Tensor):
                if not is_trainable(each):
                    logging.warning(
                        "The dtype of the watched tensor must be floating (e.g. tf.float32), got "
                        "%r",
                        each.dtype,
                    )
                self._watched.add(each)
                self._depends.add(_origin(each))
            elif hasattr(each, "_as_ref_tensor"):
                self._watch_variable(each)
            else:
                raise ValueError(
                    "Passed in object of type {}, not tf.Tensor".format(type(each))  # noqa: UP032
                )

    def watched_variables(self) -> tuple:
        """The variables watched, in the order in which they were made."""
        return tuple(sorted(self._variables.values(), key=lambda v: getattr(v, "_number", 0)))

    # ---- gradients -----------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivatives of the sum of `target` with respect to each of `sources`.

        Args:
          target: a tensor, or a structure of them.
          sources: a tensor or variable, or a structure of them; those watched count.
          output_gradients: for each target, the gradient that reaches it; ones where None.
          unconnected_gradients: what stands for a source that no target depends on.
        Returns: gradients in the structure of `sources`; None where nothing flows.
        Raises:
          RuntimeError: when a tape that is not persistent was used already.
          LookupError: when an operation on the way has no gradient.
        """
        if self._used or not self._was_entered:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        if self._recording:
            if not self._persistent:
                self.__exit__()
            else:
                logging.debug("GradientTape.gradient inside the context of a persistent tape.")
        zeros = wants_zeros(unconnected_gradients)
        targets = [_target(t) for t in nest.flatten(target)]
        weights: list[Any] = [None] * len(targets)
        if output_gradients is not None:
            weights = [
                None if w is None else convert_to_tensor(w) for w in nest.flatten(output_gradients)
            ]
        flat = nest.flatten(sources)
        found = self._backward(targets, flat, weights)
        if zeros:
            found = [zeros_like(s) if g is None else g for g, s in zip(found, flat, strict=True)]
        if not self._persistent:
            self._used = True
            variables = self._variables
            self._forget()
            self._variables = variables
        return nest.pack_sequence_as(sources, found)

    def _backward(self, targets: list, sources: list, weights: Sequence[Any]) -> list[Any]:
        arrived: dict[Tensor, list[Any]] = {}
        for tensor, weight in zip(targets, weights, strict=True):
            if tensor is not None and is_trainable(tensor):
                start = ones_like(tensor) if weight is None else weight
                arrived.setdefault(_origin(tensor), []).append(start)
        ends = [self._source(s) for s in sources]
        keep = {end for end in ends if end is not None}
        results: dict[Tensor, Any] = {}
        for operation in reversed(list(self._records)):
            gradients = []
            for output in operation.outputs:
                total = add_gradients(arrived.pop(output, []))
                if total is not None and output in keep:
                    results[output] = total
                gradients.append(total)
            if all(g is None for g in gradients):
                continue
            inputs = map(_origin, operation.inputs)
            for tensor, gradient in zip(inputs, input_gradients(operation, gradients), strict=True):
                if gradient is not None and (tensor in self._depends or tensor in keep):
                    arrived.setdefault(tensor, []).append(gradient)
        for end in keep - results.keys():
            results[end] = add_gradients(arrived.get(end, []))
        return [None if end is None else results[end] for end in ends]

    def _source(self, source: Any) -> Tensor | None:
        """The tensor whose gradient is that of `source`; None when it is not watched."""
        if hasattr(source, "_as_ref_tensor") and hasattr(source, "_key"):
            watched = source._key() in self._variables
            return _origin(source._as_ref_tensor()) if watched else None
        if not isinstance(source, Tensor):
            raise ValueError(
                "Expected a tf.Tensor or tf.Variable as a source of gradients, "
                f"got {type(source).__name__}: {source!r}"
            )
        source = _origin(source)
        return source if source in self._depends else None


def _origin(tensor: Any) -> Any:
    """The outer tensor for an input of a body, branch or function; else the tensor itself."""
    if tensor.has_value or not tensor.graph.captures_from_outside:
        return tensor
    return tensor.graph.origin_of(tensor)


def _target(target: Any) -> Tensor | None:
    """The tensor to start from."""
    if target is None:
        raise TypeError(
            "Target should be a list or nested structure of Tensors or Variables to "
            "be differentiated, but recieved None."
        )
    if hasattr(target, "_key"):
        return target._as_ref_tensor()
    if not isinstance(target, Tensor):
        return convert_to_tensor(target)
    if not is_trainable(target):
        logging.warning(
            "The dtype of the target tensor must be floating (e.g. tf.float32) when calling "
            "GradientTape.gradient, got %r",
            target.dtype,
        )
    return target
