"""The functions of `tf.keras.backend`: TensorFlow's operations in the argument orders of Keras.

Layouts are "channels_last", [batch, *space, channels], and "channels_first". What only renames an
operation, as `square`, has no function here: it is a line in the stub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array, array_joining, array_shaping, random, reductions
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, where
from minitf.core.ops.examples import named
from minitf.core.ops.math import log, negative
from minitf.core.ops.reductions import reduce_sum
from minitf.library.graph_tools.branches import smart_cond
from minitf.library.images.image_resize import resize_bilinear, resize_nearest_neighbor
from minitf.library.keras.backend.session import (
    epsilon,
    floatx,
    get_graph,
    int_shape,
    learning_phase,
    normalize_data_format,
)
from minitf.library.nets import activations
from minitf.library.nets.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.library.numeric.clip import clip_by_value
from minitf.library.numeric.statistics import reduce_std
from minitf.library.sparse.sparse import sparse_placeholder

# ---- placeholders, random tensors ----------------------------------------------------------------


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Makes a placeholder.

    Args:
      shape: its static shape.
      ndim: its rank, where no shape is given.
      dtype: the type; `floatx()` by default.
      sparse: whether it takes sparse tensors.
      name: the name.
    """
    if shape is None and ndim:
        shape = (None,) * ndim
    kind = dtypes.as_dtype(dtype or floatx())
    with get_graph().as_default():
        return (sparse_placeholder if sparse else array.placeholder)(kind, shape=shape, name=name)


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """A tensor drawn from a normal distribution."""
    return random.random_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """A tensor drawn evenly from [minval, maxval)."""
    return random.random_uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def _seed(seed: int | None) -> int:
    """A seed for one operation: Keras draws it by NumPy, which a program may have seeded."""
    return int(np.random.randint(10_000_000)) if seed is None else seed  # noqa: NPY002


# ---- reductions ----------------------------------------------------------------------------


def _mean_like(name: str, op: Any, sentence: str) -> Any:
    """Makes a reduction of numbers, or of yes and no: `mean(x, axis=None, keepdims=False)`."""

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        return op(cast(x, floatx()) if x.dtype.base_dtype == dtypes.bool else x, axis, keepdims)

    doc = f"""{sentence}

    Args:
      x: a tensor.
      axis: what to reduce over: an axis, a list of them, or None for all.
      keepdims: whether the axes stay, with size 1.
    """
    return named(reduce, name, doc)


mean = _mean_like("mean", reductions.reduce_mean, "The mean along axes.")
std = _mean_like("std", reduce_std, "The standard deviation along axes.")


def argmax(x: Any, axis: int = -1) -> Tensor:
    """Where the largest value along an axis is."""
    return reductions.argmax(x, axis)


# ---- shapes --------------------------------------------------------------------------------


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors side by side along an axis."""
    return array_joining.concat(list(tensors), axis)


def flatten(x: Any) -> Tensor:
    """All elements in one axis."""
    return array_shaping.reshape(x, [-1])


def repeat(x: Any, n: int) -> Tensor:
    """[batch, size] as [batch, n, size]."""
    return array_shaping.tile(array_shaping.expand_dims(x, 1), [1, n, 1])


# ---- others --------------------------------------------------------------------------------


def clip(x: Any, min_value: Any, max_value: Any) -> Tensor:
    """The values between two limits; None is no limit."""
    both = isinstance(min_value, (int, float)) and isinstance(max_value, (int, float))
    if both and max_value < min_value:
        max_value = min_value
    low = float("-inf") if min_value is None else min_value
    return clip_by_value(x, low, float("inf") if max_value is None else max_value)


# ---- activations ---------------------------------------------------------------------------


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0.0) -> Tensor:
    """The rectified linear function: `x` from `threshold` to `max_value`.

    Args:
      x: a tensor.
      alpha: the slope below the threshold: `alpha * (x - threshold)`.
      max_value: what larger values become; None: they stay.
      threshold: below it values are 0, or sloped.

    Example:
      >>> sess.run(tf.keras.backend.relu(tf.constant([-2.0, 0.5, 9.0]), alpha=0.5, max_value=4.0))
      array([-1. ,  0.5,  4. ], dtype=float32)
    """
    if alpha != 0 and max_value is None and threshold == 0:
        return activations.leaky_relu(x, alpha)
    below = None
    if alpha != 0:
        below = activations.relu(threshold - x if threshold != 0 else negative(x))
    if threshold != 0:
        x = x * cast(greater(x, threshold), x.dtype)
    elif max_value == 6:
        x, max_value = activations.relu6(x), None
    else:
        x = activations.relu(x)
    if max_value is not None:
        x = clip_by_value(x, cast(0, x.dtype), cast(max_value, x.dtype))
    return x if below is None else x - cast(alpha, x.dtype) * below


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """x where it is positive, `alpha * (exp(x) - 1)` elsewhere."""
    result = activations.elu(x)
    return result if alpha == 1 else where(greater(x, 0.0), result, alpha * result)


def hard_sigmoid(x: Any) -> Tensor:
    """0.2 * x + 0.5, between 0 and 1: a sigmoid of straight lines."""
    line = x * cast(0.2, x.dtype) + cast(0.5, x.dtype)
    return clip_by_value(line, cast(0.0, x.dtype), cast(1.0, x.dtype))


# ---- pooling, margins, sizes ---------------------------------------------------------------


_RESIZES = {"nearest": resize_nearest_neighbor, "bilinear": resize_bilinear}


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Tensor:
    """Makes images larger by whole factors; `interpolation` is "nearest" or "bilinear".

    Raises:
      ValueError: for another layout or interpolation.
    """
    first = normalize_data_format(data_format) == "channels_first"
    if interpolation not in _RESIZES:
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if first:
        x = transpose(x, [0, 2, 3, 1])
    known = (int_shape(x) or ())[1:3]
    sizes = shape_of(x)[1:3] if None in known else known
    larger = [sizes[0] * height_factor, sizes[1] * width_factor]
    result = _RESIZES[interpolation](x, larger, half_pixel_centers=True)
    return transpose(result, [0, 3, 1, 2]) if first else result


# ---- cross-entropies -----------------------------------------------------------------------------


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


# ---- choices -------------------------------------------------------------------------------


def _as_function(expression: Any) -> Any:
    return expression if callable(expression) else lambda: expression


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` while training, otherwise `alt`.

    Args:
      x: a tensor, or a function without arguments that makes one.
      alt: the same.
      training: a bool, 0 or 1, or a tensor; the learning phase by default.
    """
    phase = learning_phase() if training is None else training
    return smart_cond(phase, _as_function(x), _as_function(alt))
