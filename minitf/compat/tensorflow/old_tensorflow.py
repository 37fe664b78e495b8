"""Names and orders of arguments of before TensorFlow 1.0, which programs of 2016 use.

    tf.concat(1, [a, b])     tf.nn.rnn(cell, inputs)     tf.scalar_summary("loss", loss)

The alias looks for a name of `tf`, `tf.nn` or `tf.image` here first (see `tree.txt`), so that only
`python -m minitf` knows them. A function whose order changed tells the older one by its arguments:
no call that means something in TensorFlow 1.x changes its meaning.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_joining, array_shaping, comparisons, linalg, losses, math
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.images import image_color, image_resize
from minitf.library.nets import candidate_sampling
from minitf.library.numeric import decompositions, diagonals, uniqueness
from minitf.library.summary import summary


def ordered_by(function: Callable[..., Any], older: Callable[..., tuple | None]) -> Any:
    """A function that takes an older order too: `older` gives the new order, or None if it is."""

    @functools.wraps(function)
    def ordered(*args: Any, **kwargs: Any) -> Any:
        return function(*(older(*args) or args), **kwargs)

    return ordered


def _dimension_first(*args: Any) -> tuple | None:
    """`concat(1, [a, b])`, `split(1, 2, x)`: what is joined or cut came last."""
    if len(args) < 2 or not isinstance(args[0], (int, np.integer)):
        return None
    return (args[-1], *args[-2::-1]) if not isinstance(args[-1], (int, str)) else None


def _logits_first(function: Callable[..., Any]) -> Any:
    """`softmax_cross_entropy_with_logits(logits, labels)`: both had to be named later."""

    @functools.wraps(function)
    def logits_first(*both: Any, **kwargs: Any) -> Any:
        if len(both) == 2:
            return function(**dict(zip(("logits", "labels"), both)), **kwargs)
        return function(*both, **kwargs)

    return logits_first


def _inputs_first(weights: Any = None, biases: Any = None, *args: Any) -> tuple | None:
    """`nce_loss(weights, biases, inputs, labels, ...)`: inputs are floats, and labels integers."""
    if len(args) < 2:
        return None
    inputs, labels = map(convert_to_tensor, args[:2])
    if not inputs.dtype.is_floating or not labels.dtype.is_integer:
        return None
    return weights, biases, labels, inputs, *args[2:]


def _axes_of_flags(tensor: Any = None, axis: Any = None, *args: Any) -> tuple | None:
    """`reverse(x, [False, True])`: one flag for each axis."""
    flags = isinstance(axis, (list, tuple)) and axis and all(isinstance(a, bool) for a in axis)
    return (tensor, [i for i, flag in enumerate(axis) if flag], *args) if flags else None


def _height_and_width(images: Any = None, *args: Any) -> tuple | None:
    """`resize_images(images, 32, 48)`: the size was two numbers."""
    if len(args) < 2 or not all(map(_is_a_number, args[:2])):
        return None
    return images, args[:2], *args[2:]


def _is_a_number(given: Any) -> bool:
    return isinstance(given, (int, np.integer)) or (
        isinstance(given, Tensor) and given.shape.ndims == 0
    )


def _summary(function: Callable[..., Any]) -> Callable[..., Any]:
    """A summary whose second argument was named `values` or `tensor`."""

    def older(
        tag: Any, values: Any = None, *args: Any, collections: Any = None, name: Any = None,
        **kw: Any,
    ) -> Any:  # fmt: skip
        given = values if values is not None else kw.pop("tensor")
        kw.pop("name", None)
        kw.update({"max_outputs": kw.pop("max_images")} if "max_images" in kw else {})
        return function(tag, given, *args, collections=collections, **kw)

    return older


def batch_matmul(
    x: Any, y: Any, adj_x: bool | None = None, adj_y: bool | None = None, name: str | None = None
) -> Tensor:
    """`matmul`, which takes batches itself today."""
    return linalg.matmul(x, y, adjoint_a=bool(adj_x), adjoint_b=bool(adj_y), name=name)


_BATCHES = {
    decompositions: ("cholesky", "matrix_determinant", "matrix_inverse", "matrix_solve", "svd"),
    diagonals: ("matrix_diag", "matrix_diag_part", "matrix_band_part"),
}

TF = SimpleNamespace(
    concat=ordered_by(array_joining.concat, _dimension_first),
    split=ordered_by(array_joining.split, _dimension_first),
    reverse=ordered_by(array_shaping.reverse, _axes_of_flags),
    select=comparisons.where,
    inv=math.reciprocal,
    listdiff=uniqueness.setdiff1d,
    batch_matmul=batch_matmul,
    scalar_summary=_summary(summary.scalar),
    histogram_summary=_summary(summary.histogram),
    image_summary=_summary(summary.image),
    audio_summary=_summary(summary.audio),
    merge_summary=summary.merge,
    merge_all_summaries=summary.merge_all,
    **{
        f"batch_{name}": getattr(module, name)
        for module, names in _BATCHES.items()
        for name in names
        if hasattr(module, name)
    },
)

NN = SimpleNamespace(
    softmax_cross_entropy_with_logits=_logits_first(losses.softmax_cross_entropy_with_logits),
    sparse_softmax_cross_entropy_with_logits=_logits_first(
        losses.sparse_softmax_cross_entropy_with_logits
    ),
    sigmoid_cross_entropy_with_logits=_logits_first(losses.sigmoid_cross_entropy_with_logits),
    nce_loss=ordered_by(candidate_sampling.nce_loss, _inputs_first),
    sampled_softmax_loss=ordered_by(candidate_sampling.sampled_softmax_loss, _inputs_first),
)

IMAGE = SimpleNamespace(
    per_image_whitening=image_color.per_image_standardization,
    resize_images=ordered_by(image_resize.resize_images, _height_and_width),
)

for _name, _method in {"pack": TensorArray.stack, "unpack": TensorArray.unstack}.items():
    setattr(TensorArray, _name, _method)  # as of every array, whoever made it
