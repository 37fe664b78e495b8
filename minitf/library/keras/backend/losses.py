"""Cross-entropies between what is known and what a network says, one number for each example.

Where the output of a softmax or sigmoid is given, they compute from its input: exactly, and without
overflow, as if logits had been given.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import log
from minitf.core.ops.reductions import reduce_sum
from minitf.library.keras.backend.config import epsilon
from minitf.library.numeric.clip import clip_by_value


def _logits(output: Any, from_logits: bool, op_type: str) -> tuple[Tensor, bool]:
    """The logits and True, where they are known; else what was given and False."""
    if not from_logits and getattr(getattr(output, "op", None), "type", None) == op_type:
        return output.op.inputs[0], True
    return convert_to_tensor(output), from_logits


def _probable(output: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1, where the logarithm is not finite."""
    small = cast(epsilon(), output.dtype)
    return clip_by_value(output, small, 1.0 - small)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """-sum(target * log(output)) along an axis.

    Args:
      target: [..., classes] probabilities, as of one-hot rows.
      output: [..., classes] probabilities; with `from_logits` what a softmax would be given.
      from_logits: see above.
      axis: the axis of the classes.

    Raises:
      ValueError: when the shapes differ.
    """
    logits, known = _logits(output, from_logits, "Softmax")
    if known:
        return softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    probable = _probable(logits / reduce_sum(logits, axis, keepdims=True))
    return -reduce_sum(target * log(probable), axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """`categorical_crossentropy` where `target` holds the numbers of the classes."""
    logits, known = _logits(output, from_logits, "Softmax")
    if not known:
        logits = log(_probable(logits))
    rank = logits.shape.ndims
    if rank is None and axis != -1:
        raise ValueError(
            f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output "
            "tensor with unknown rank"
        )
    if rank is not None and axis % rank != rank - 1:
        logits = transpose(logits, [i for i in range(rank) if i != axis % rank] + [axis % rank])
    labels = cast(target, dtypes.int64)
    if rank is None or labels.shape.ndims in (None, rank - 1):
        return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    sizes = shape_of(logits)
    loss = sparse_softmax_cross_entropy_with_logits(
        labels=reshape(labels, [-1]), logits=reshape(logits, [-1, sizes[-1]])
    )
    return reshape(loss, sizes[:-1]) if rank >= 3 else loss


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Tensor:
    """-target * log(output) - (1 - target) * log(1 - output), of each element.

    Args:
      target: 0 or 1, or what is between.
      output: probabilities; with `from_logits` what a sigmoid would be given.
      from_logits: see above.
    """
    logits, known = _logits(output, from_logits, "Sigmoid")
    if known:
        return sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    probable = _probable(logits)
    return -(target * log(probable + epsilon()) + (1 - target) * log(1 - probable + epsilon()))
