"""The functions of `tf.keras.backend`: TensorFlow's operations in the argument orders of Keras.

Layouts are "channels_last", [batch, *space, channels], and "channels_first". What only renames an
operation, as `square`, has no function here: it is a line in the stub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.gradients.gradients import gradients as gradients_of
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import (
    activations,
    array,
    array_joining,
    array_padding,
    array_shaping,
    random,
    reductions,
)
from minitf.core.ops.array import shape
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import broadcast_to, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, where
from minitf.core.ops.control import group
from minitf.core.ops.examples import named
from minitf.core.ops.linalg import matmul
from minitf.core.ops.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from minitf.core.ops.math import log, negative
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign
from minitf.library.images.image_resize import resize_bilinear, resize_nearest_neighbor
from minitf.library.keras.backend.config import epsilon, floatx, normalize_data_format
from minitf.library.keras.backend.session import (
    get_graph,
    get_session,
    int_shape,
    is_sparse,
    is_tensor,
    learning_phase,
    ndim,
)
from minitf.library.nets import basics
from minitf.library.numeric.clip import clip_by_value
from minitf.library.sparse.sparse import sparse_placeholder, sparse_tensor_to_dense

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


def to_dense(tensor: Any) -> Any:
    """A sparse tensor made dense; a dense one as it is."""
    return sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


# ---- products ------------------------------------------------------------------------------


def _sizes(x: Any) -> list:
    """The sizes of a tensor: numbers where they are known."""
    known, sizes = int_shape(x) or (), array_joining.unstack(shape_of(x))
    return [size if number is None else number for number, size in zip(known, sizes, strict=True)]


def batch_dot(x: Any, y: Any, axes: Any = None) -> Tensor:
    """The product of each example of `x` with the same example of `y`.

    Args:
      x: [batch, ...], of rank 2 or more.
      y: [batch, ...], of rank 2 or more.
      axes: the axis of `x` and that of `y` to sum over, or one number for both; by default the
        last of `x`, and the last but one of `y`. Axes before the last two that have the same
        sizes are part of the batch.

    Raises:
      ValueError: when ranks, batch sizes or the sizes of the axes do not fit.
    Example:
      >>> x, y = tf.zeros([8, 2, 3]), tf.zeros([8, 4, 3])
      >>> tf.keras.backend.batch_dot(x, y, axes=2).shape.as_list()
      [8, 2, 4]
    """
    first, second = int_shape(x) or (), int_shape(y) or ()
    if len(first) < 2 or len(second) < 2:
        raise ValueError(
            "Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes "
            f"{first} and {second}."
        )
    if None not in (first[0], second[0]) and first[0] != second[0]:
        raise ValueError(
            "Cannot do batch_dot on inputs with different batch sizes. Received inputs with "
            f"shapes {first} and {second}."
        )
    if axes is None:
        axes = [len(first) - 1, len(second) - (1 if len(second) == 2 else 2)]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    if any(isinstance(axis, (list, tuple)) for axis in axes):
        raise ValueError(
            "Multiple target dimensions are not supported. Expected: None, int, (int, int), "
            f"Provided: {axes}"
        )
    a, b = axes = [axes[0] % len(first), axes[1] % len(second)]
    if 0 in axes:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy "
            "batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    if None not in (first[a], second[b]) and first[a] != second[b]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with shapes {first} and {second} with axes={axes}. "
            f"x.shape[{a}] != y.shape[{b}] ({first[a]} != {second[b]})."
        )
    if len(second) > 3 and len(first) <= len(second):  # as 1.15: axes that agree are batches
        more = range(len(first), len(second))
        wide = (*first, *(1 for _ in more))
        if all(n == m for n, m in zip(wide[1:-2], second[1:-2])):
            x = array_shaping.reshape(x, [*_sizes(x), *(1 for _ in more)]) if more else x
            result = matmul(x, y, a != len(second) - 1, b == len(second) - 1)
            return array_shaping.squeeze(result, [axis - 1 for axis in more]) if more else result
    # [batch, left, sum] times [batch, sum, right], and the other axes put back
    left = [axis for axis in range(1, len(first)) if axis != a]
    right = [axis for axis in range(1, len(second)) if axis != b]
    if a != len(first) - 1:
        x = array_shaping.transpose(x, [0, *left, a])
    if b != 1:
        y = array_shaping.transpose(y, [0, b, *right])
    if len(left) == 1 and len(right) == 1:
        return matmul(x, y)
    known = [*(_sizes(x)[:-1]), *(_sizes(y)[2:])]
    x = array_shaping.reshape(x, [*_sizes(x)[:1], -1, first[a] or _sizes(x)[-1]])
    y = array_shaping.reshape(y, [*_sizes(y)[:2], -1])
    result = array_shaping.reshape(matmul(x, y), known)
    return array_shaping.expand_dims(result, 1) if not left and not right else result


# ---- reductions ----------------------------------------------------------------------------


def _reduction(name: str, op: Any, sentence: str, as_float: bool = False) -> Any:
    """Makes a reduction as Keras calls it: `sum(x, axis=None, keepdims=False)`."""

    def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
        if as_float and x.dtype.base_dtype == dtypes.bool:
            x = cast(x, floatx())
        return op(x, axis, keepdims)

    doc = f"""{sentence}

    Args:
      x: a tensor.
      axis: what to reduce over: an axis, a list of them, or None for all.
      keepdims: whether the axes stay, with size 1.
    """
    return named(reduce, name, doc)


sum_ = _reduction("sum", reductions.reduce_sum, "The sum along axes.")
max_ = _reduction("max", reductions.reduce_max, "The largest value along axes.")
mean = _reduction("mean", reductions.reduce_mean, "The mean along axes.", as_float=True)
std = _reduction("std", reductions.reduce_std, "The standard deviation along axes.", as_float=True)


def argmax(x: Any, axis: int = -1) -> Tensor:
    """Where the largest value along an axis is."""
    return reductions.argmax(x, axis)


# ---- shapes --------------------------------------------------------------------------------


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors side by side along an axis."""
    if axis < 0:
        axis %= ndim(tensors[0]) or 1
    return array_joining.concat(list(tensors), axis)


def flatten(x: Any) -> Tensor:
    """All elements in one axis."""
    return array_shaping.reshape(x, [-1])


def repeat(x: Any, n: int) -> Tensor:
    """[batch, size] as [batch, n, size]."""
    return array_shaping.tile(array_shaping.expand_dims(x, 1), [1, n, 1])


def repeat_elements(x: Any, rep: int, axis: int) -> Tensor:
    """Each slice of an axis `rep` times, one after the other.

    Example:
      >>> sess.run(tf.keras.backend.repeat_elements(tf.constant([1, 2]), 2, axis=0))
      array([1, 1, 2, 2], dtype=int32)
    """
    known = int_shape(x) or ()
    if known[axis] is not None:
        parts = array_joining.split(x, known[axis], axis)
        return array_joining.concat([part for part in parts for _ in range(rep)], axis)
    axis %= len(known)
    sizes = _sizes(x)
    times = [rep if i == axis + 1 else 1 for i in range(len(known) + 1)]
    tiled = array_shaping.tile(array_shaping.expand_dims(x, axis + 1), times)
    made = array_shaping.reshape(tiled, [*sizes[:axis], sizes[axis] * rep, *sizes[axis + 1 :]])
    made.set_shape(x.shape)
    return made


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


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return activations.softmax(x, axis)


def l2_normalize(x: Any, axis: Any = None) -> Tensor:
    """`x` divided by its Euclidean norm along an axis."""
    return basics.l2_normalize(x, axis)


# ---- pooling, margins, sizes ---------------------------------------------------------------


def spatial_padding(x: Any, padding: Sequence[Any], data_format: str | None = None) -> Tensor:
    """A margin of zeros: (before, after) for each axis of space."""
    first = normalize_data_format(data_format) == "channels_first"
    margins = [(0, 0), (0, 0), *padding] if first else [(0, 0), *padding, (0, 0)]
    return array_padding.pad(x, [list(each) for each in margins])


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


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Tensor:
    """Makes volumes larger by whole factors; each element is repeated."""
    start = 2 if normalize_data_format(data_format) == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), start):
        x = repeat_elements(x, factor, axis)
    return x


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


def run_function(inputs: Any, outputs: Any, updates: Sequence[Any] | None) -> Any:
    """What `function` returns in a graph: called with a list of values, it gives arrays.

    Args:
      inputs: what is fed.
      outputs: what is computed.
      updates: operations to run after them, or pairs of a variable and its new value.
    """
    if not isinstance(updates or [], (list, tuple)):
        raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
    first = nest.flatten(outputs)[:1]
    with stacks.control_dependencies([getattr(each, "op", each) for each in first]):
        update = group(*(assign(*u) if isinstance(u, tuple) else u for u in updates or ()))

    def run(values: Any) -> Any:
        feeds: dict[Any, Any] = {}
        values = values if isinstance(values, (list, tuple)) else nest.flatten(values)
        for tensor, value in zip(nest.flatten(inputs), values, strict=True):
            if value is not None:
                kind = tensor.dtype.base_dtype.as_numpy_dtype
                feeds[tensor] = value if is_sparse(tensor) else np.asarray(value, kind)
        return get_session().run([outputs, update], feeds)[0]

    return run
