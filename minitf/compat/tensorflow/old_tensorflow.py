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

from minitf.compat.tensorflow.old_packages import renamed
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys, add_to_collections
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_joining, array_shaping, comparisons, linalg, math
from minitf.core.variables import initializers, variable_scope
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.images import image_color, image_resize
from minitf.library.nets import candidate_sampling, convolution, ctc
from minitf.library.nets import cross_entropy as losses
from minitf.library.numeric import decompositions, diagonals, fourier, products
from minitf.library.summary import summary


def ordered_by(function: Callable[..., Any], older: Callable[..., tuple | None]) -> Any:
    """A function that takes an older order of arguments, too.

    Args:
      function: as it is today.
      older: gives the new order, or None if it is that already.
    """

    @functools.wraps(function)
    def ordered(*args: Any, **kwargs: Any) -> Any:
        return function(*(older(*args) or args), **kwargs)

    return ordered


def _dimension_first(*args: Any) -> tuple | None:
    """`concat(1, [a, b])`, `split(1, 2, x)`: what is joined or cut came last."""
    if len(args) < 2 or not isinstance(args[0], (int, np.integer)):
        return None
    return (args[-1], *args[-2::-1]) if not isinstance(args[-1], (int, str)) else None


def _by_name(function: Callable[..., Any], *order: str) -> Any:
    """A function whose arguments must be named today, and once came in an `order`.

    Alone, an argument is refused as today: which one it is tells its place no more.
    """

    @functools.wraps(function)
    def by_name(*args: Any, **kwargs: Any) -> Any:
        both = len(args) > 1 or set(order[1:]) & set(kwargs)
        return function(**dict(zip(order, args)), **kwargs) if both else function(*args, **kwargs)

    return by_name


def _inputs_first(weights: Any = None, biases: Any = None, *args: Any) -> tuple | None:
    """`nce_loss(weights, biases, inputs, labels, ...)`: inputs are floats, and labels integers."""
    if len(args) < 2:
        return None
    inputs, labels = map(convert_to_tensor, args[:2])
    if not inputs.dtype.is_floating or not labels.dtype.is_integer:
        return None
    return weights, biases, labels, inputs, *args[2:]


def _sparse_second(*args: Any) -> tuple | None:
    """`ctc_loss(inputs, labels, ...)`: the labels are a `SparseTensor`."""
    return (
        (args[1], args[0], *args[2:])
        if len(args) > 1 and isinstance(args[1], SparseTensor)
        else None
    )


@functools.wraps(array_shaping.reverse)
def _reverse(tensor: Any, axis: Any = None, name: str | None = None, dims: Any = None) -> Tensor:
    """`reverse(x, [False, True])`: one flag for each axis."""
    given = dims if axis is None else axis
    flags = isinstance(given, (list, tuple)) and given and all(isinstance(a, bool) for a in given)
    return array_shaping.reverse(
        tensor, [i for i, flag in enumerate(given) if flag] if flags else given, name
    )


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
        tag: Any = None,
        values: Any = None,
        *args: Any,
        collections: Any = None,
        name: Any = None,
        **kw: Any,
    ) -> Any:
        tag = kw.pop("tags", tag)
        given = values if values is not None else kw.pop("tensor")
        if isinstance(tag, (list, tuple, np.ndarray, Tensor)):  # one for each number
            made = summary.scalar_summary_op(tag, given)
            add_to_collections(collections or [GraphKeys.SUMMARIES], made)
            return made
        kw.pop("name", None)
        kw.update({"max_outputs": kw.pop("max_images")} if "max_images" in kw else {})
        return function(tag, given, *args, collections=collections, **kw)

    return older


def batch_matmul(
    x: Any, y: Any, adj_x: bool | None = None, adj_y: bool | None = None, name: str | None = None
) -> Tensor:
    """`matmul`, which takes batches itself today."""
    return linalg.matmul(x, y, adjoint_a=bool(adj_x), adjoint_b=bool(adj_y), name=name)


@functools.wraps(variable_scope.get_variable)
def _get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, *args: Any, **kw: Any
) -> Any:
    """`get_variable("v", initializer=zeros_initializer([3]))`: it was a tensor."""
    given = getattr(initializer, "_shape_given", None)
    if shape is None and given is not None:
        shape, dtype = given, dtype or initializer.dtype
    return variable_scope.get_variable(name, shape, dtype, initializer, *args, **kw)


def _takes_a_shape(kind: Any) -> None:
    """Lets a class of initializers take the shape, which is for those who give none later."""
    make, call = kind.__init__, kind.__call__

    @functools.wraps(make)
    def __init__(self: Any, *args: Any, shape: Any = None, **kwargs: Any) -> None:
        if args and isinstance(args[0], (list, tuple, TensorShape)):
            shape, *args = args  # type: ignore[assignment]
        self._shape_given = shape
        make(self, *args, **kwargs)

    @functools.wraps(call)
    def __call__(self: Any, shape: Any = None, *args: Any, **kwargs: Any) -> Tensor:
        return call(self, self._shape_given if shape is None else shape, *args, **kwargs)

    kind.__init__, kind.__call__ = __init__, __call__


_BATCHES = {
    decompositions: (
        "cholesky",
        "cholesky_solve",
        "matrix_determinant",
        "matrix_inverse",
        "matrix_solve",
        "matrix_solve_ls",
        "matrix_triangular_solve",
        "self_adjoint_eig",
        "self_adjoint_eigvals",
        "svd",
    ),
    diagonals: ("matrix_diag", "matrix_diag_part", "matrix_band_part", "matrix_set_diag"),
    fourier: ("fft", "ifft", "fft2d", "ifft2d"),
    products: ("matrix_transpose",),
}

TF = SimpleNamespace(
    concat=renamed(ordered_by(array_joining.concat, _dimension_first), concat_dim="axis"),
    concat_v2=array_joining.concat,
    split=ordered_by(array_joining.split, _dimension_first),
    split_v=renamed(array_joining.split, size_splits="num_or_size_splits"),
    reverse=_reverse,
    get_variable=_get_variable,
    select=renamed(comparisons.where, t="x", e="y"),
    inv=math.reciprocal,
    batch_matmul=batch_matmul,
    scalar_summary=_summary(summary.scalar),
    histogram_summary=_summary(summary.histogram),
    image_summary=_summary(summary.image),
    merge_summary=summary.merge,
    merge_all_summaries=summary.merge_all,
    **{
        f"batch_{name}": getattr(module, name)
        for module, names in _BATCHES.items()
        for name in names
        if hasattr(module, name)
    },
)

_BOTH = "logits", "labels"
NN = SimpleNamespace(
    softmax_cross_entropy_with_logits=_by_name(losses.softmax_cross_entropy_with_logits, *_BOTH),
    sparse_softmax_cross_entropy_with_logits=_by_name(
        losses.sparse_softmax_cross_entropy_with_logits, *_BOTH
    ),
    sigmoid_cross_entropy_with_logits=renamed(
        _by_name(losses.sigmoid_cross_entropy_with_logits, *_BOTH), targets="labels"
    ),
    ctc_loss=ordered_by(ctc.ctc_loss, _sparse_second),
    deconv2d=convolution.conv2d_transpose,
    nce_loss=ordered_by(candidate_sampling.nce_loss, _inputs_first),
    sampled_softmax_loss=ordered_by(candidate_sampling.sampled_softmax_loss, _inputs_first),
)

IMAGE = SimpleNamespace(
    per_image_whitening=image_color.per_image_standardization,
    resize_images=ordered_by(image_resize.resize_images, _height_and_width),
)

for _name, _method in {"pack": TensorArray.stack, "unpack": TensorArray.unstack}.items():
    setattr(TensorArray, _name, _method)  # as of every array, whoever made it

for _kind in (initializers.Zeros, initializers.Ones):
    _takes_a_shape(_kind)
for _class, _make in ((SparseTensor, "__init__"), (SparseTensorValue, "__new__")):
    setattr(_class, _make, renamed(getattr(_class, _make), shape="dense_shape"))
setattr(  # noqa: B010  the class is another file's
    SparseTensorValue, "shape", property(lambda value: value.dense_shape, doc="`dense_shape`.")
)
