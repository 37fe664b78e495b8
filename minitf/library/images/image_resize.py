"""Resizing of images. Along each axis a method mixes a few old pixels to a new one.

         bilinear  two neighbours, by distance          nearest  one of them, so no matrix is needed
         bicubic   four neighbours, by Keys' cubic      area     all that the new pixel covers

Without `align_corners` new pixel i stands at i * (old size / new size), as TensorFlow 1 has it: the
corner of the grid, not the centre of the pixel. `half_pixel_centers` takes the centre.

As arithmetic, a new pixel is mixed of a few old ones along each axis, its taps:

    y = rows @ x @ columns.T           rows: [new height, height],  columns: [new width, width]

Most of these matrices is zeros. Forward only the taps are taken; backward the reference multiplies
by the transposed matrices, and the compiled tier adds to the taps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.rows import within
from minitf.core.kernels.table import kernel
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import check_rank, invalid
from minitf.core.ops.math import minimum
from minitf.core.ops.math import round as rounded
from minitf.library.nets.conv_ops import few_at_a_time


class Taps(NamedTuple):
    """Along one axis: which old pixels each new one is mixed of.

    Attributes:
      places: [new, taps] int, inside the image.
      weights: [new, taps] float32.
    """

    places: np.ndarray
    weights: np.ndarray

    def of(self, size: int) -> bool:
        """Whether they lie inside an image of this size, and each place has a weight."""
        places, weights = self
        fits = places.ndim == 2 and places.size > 0 and places.shape == weights.shape
        return fits and within(places, size)

    def matrix(self, size: int) -> np.ndarray:
        """The same as a matrix [new, size]."""
        matrix = np.zeros((len(self.places), size), np.float32)
        np.add.at(matrix, (np.arange(len(self.places))[:, None], self.places), self.weights)
        return matrix


def _are_images(x: Any) -> bool:
    return x.ndim == 4 and x.size > 0 and x.dtype.kind == "f"


@kernel(
    compiled="resize",
    takes=lambda x, rows, columns: (
        _are_images(x) and rows.of(x.shape[1]) and columns.of(x.shape[2])
    ),
)
def mix(xp: Any, x: Any, rows: Taps, columns: Taps) -> Any:
    """Images of another size, mixed along both axes, one tap after the other.

    Args:
      x: [batch, height, width, channels].
      rows, columns: the taps of each new row and each new column.
    """
    batch, height, _, channels = x.shape
    down = xp.asarray(rows.weights.T[:, :, None], x.dtype)
    across = xp.asarray(np.repeat(columns.weights.T, channels, axis=1), x.dtype)
    y = xp.empty((batch, len(rows.places), across.shape[1]), x.dtype)

    def run(few: slice) -> None:
        wide = _along(xp, x[few], 2, columns.places, across)
        y[few] = _along(xp, wide, 1, rows.places, down)

    few_at_a_time(xp, run, y)
    return y.reshape(*y.shape[:2], len(columns.places), channels)


def _along(xp: Any, x: Any, axis: int, taps: np.ndarray, weights: Any) -> Any:
    """Mixes images along an axis; columns and channels come out as one, so that loops are long."""
    total: Any = None
    for places, weight in zip(taps.T, weights, strict=True):
        part = xp.take(x, xp.asarray(places), axis)
        part = part.reshape(*part.shape[:2], weights.shape[1] if axis == 2 else part.shape[2])
        part *= weight
        total = part if total is None else xp.add(total, part, out=total)
    return total


@kernel(
    compiled="resize",
    takes=lambda dy, height, width, rows, columns: (
        _are_images(dy)
        and dy.shape[1:3] == (len(rows.places), len(columns.places))
        and rows.of(height)
        and columns.of(width)
    ),
)
def mix_back(xp: Any, dy: Any, height: int, width: int, rows: Taps, columns: Taps) -> Any:
    """The gradient of `mix` by its images, [batch, height, width, channels]."""
    batch, new_height, new_width, channels = dy.shape
    by_row = xp.asarray(rows.matrix(height).T, dy.dtype)
    by_column = xp.asarray(columns.matrix(width).T, dy.dtype)
    y = xp.matmul(by_row, dy.reshape(batch, new_height, new_width * channels))
    y = y.reshape(batch * height, new_width, channels)
    return xp.matmul(by_column, y).reshape(batch, height, width, channels)


@kernel(
    compiled="resize",
    takes=lambda x, rows, columns: (
        x.ndim == 4
        and rows.ndim == columns.ndim == 1
        and within(rows, x.shape[1])
        and within(columns, x.shape[2])
    ),
)
def pick(xp: Any, x: Any, rows: Any, columns: Any) -> Any:
    """Images of another size, each new pixel one of the old ones.

    Args:
      x: [batch, height, width, channels].
      rows, columns: which old row each new row takes, and each new column.
    """
    rows, columns = xp.asarray(rows), xp.asarray(columns)
    y = xp.empty((len(x), len(rows), len(columns), x.shape[3]), x.dtype)

    def run(few: slice) -> None:
        y[few] = xp.take(xp.take(x[few], columns, 2), rows, 1)

    few_at_a_time(xp, run, y)
    return y


_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)


# ---- the matrix of an axis ---------------------------------------------------------------


def _scale(size: int, new: int, align_corners: bool) -> np.float32:
    """How many old pixels a new one stands for."""
    if align_corners and new > 1:
        return np.float32((size - 1) / (new - 1))
    return np.float32(size / new)


def _places(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Where the new pixels stand among the old ones, in single precision as TensorFlow has it."""
    index, scale = np.arange(new, dtype=np.float32), _scale(size, new, align_corners)
    if half_pixel_centers:
        return (index + np.float32(0.5)) * scale - np.float32(0.5)
    return index * scale


def _bilinear(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    places = _places(size, new, align_corners, half_pixel_centers)
    below = np.floor(places)
    part = places - below
    both = np.stack([below, np.ceil(places)], axis=1).astype(int)
    return Taps(np.clip(both, 0, size - 1), np.stack([1 - part, part], axis=1))


def _bicubic(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """Keys' cubic; the weights are those at the nearest of 1024 distances."""
    a = np.float32(-0.5 if half_pixel_centers else -0.75)
    places = _places(size, new, align_corners, half_pixel_centers)
    below = np.floor(places)
    part = np.rint((places - below) * 1024).astype(np.float32) / np.float32(1024)

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = np.stack([far(part + 1), near(part), near(1 - part), far(2 - part)], axis=1)
    wanted = below.astype(int)[:, None] + np.arange(-1, 3)
    inside = np.clip(wanted, 0, size - 1)
    if half_pixel_centers:
        weights = np.where(inside == wanted, weights, 0)
        weights = weights / weights.sum(axis=1, keepdims=True)
    return Taps(inside, weights.astype(np.float32))


def _area(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    scale = _scale(size, new, align_corners)
    if not scale:  # corners of one pixel: each new one is that one
        return Taps(np.zeros((new, 1), int), np.ones((new, 1), np.float32))
    starts = np.arange(new, dtype=np.float32) * scale
    ends = np.arange(1, new + 1, dtype=np.float32) * scale
    first = np.floor(starts).astype(int)[:, None]
    places = first + np.arange(int((np.ceil(ends) - first[:, 0]).max()))
    covered = np.minimum(ends[:, None], places + 1) - np.maximum(starts[:, None], places)
    weights = np.maximum(covered, 0) / scale
    return Taps(np.clip(places, 0, size - 1), weights.astype(np.float32))


def _both(method: Callable, sizes: Any, new: Any, *attrs: bool) -> list[Any]:
    """What `method` says of both axes, from their old sizes to the new ones."""
    return [method(int(n), int(m), *attrs) for n, m in zip(sizes, new, strict=True)]


def _both_checked(method: Callable, images: Any, size: Any, *attrs: bool) -> list[Any]:
    check_rank(images, 4)
    new = size.tolist()
    if min(new) <= 0:
        raise invalid("output dimensions must be positive")
    return _both(method, images.shape[1:3], new, *attrs)


# ---- ops ---------------------------------------------------------------------------------


def _resize_shape(images: Any, size: Any, **attrs: Any) -> TensorShape:
    known = images.shape.with_rank(4)
    count = size.shape.with_rank(1).as_list()[0]
    if count not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {count}")
    return TensorShape([known[0], *size.partial_shape.with_rank(2), known[3]])


def _attrs_of(operation: Any) -> dict[str, Any]:
    return {name: operation.attrs[name] for name in ("align_corners", "half_pixel_centers")}


def _each_other(given: OpDef, asked: OpDef) -> None:
    """The gradient of `given` is `asked`, of the size that the images had."""
    given.gradient(lambda op, dy: [asked(dy, shape_of(op.inputs[0])[1:3], **_attrs_of(op)), None])


def _to(*new: int, **attrs: Any) -> Callable[..., tuple]:
    """A sample: images that are brought to a new size."""
    return lambda rng: (rng.normal(size=(1, 3, 4, 2)), np.array(new, np.int32), attrs)


def _given_back(rng: np.random.Generator) -> tuple:
    dy = rng.normal(size=(1, 5, 3, 2)).astype(np.float32)
    return dy, rng.normal(size=(1, 3, 4, 2)), {"half_pixel_centers": True}


def _declare(op_type: str, method: Callable, doc: str) -> OpDef:
    """Declares a resizing op that gives float32, and its gradient."""

    def kernel(
        xp: Any, x: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
    ) -> Any:
        taps = _both_checked(method, x, size, align_corners, half_pixel_centers)
        return mix(xp, x.astype(np.float32, copy=False), *taps)

    def grad_kernel(
        xp: Any, dy: Any, x: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
    ) -> Any:
        sizes = x.shape[1:3]
        taps = _both(method, sizes, dy.shape[1:3], align_corners, half_pixel_centers)
        return mix_back(xp, dy.astype(x.dtype, copy=False), *sizes, *taps)

    kernel.__doc__ = doc
    grad_kernel.__doc__ = f"Gives the gradient of {op_type} by its images."
    resize = op(
        op_type,
        "images: T, size: int32 -> resized_images: float32",
        batch="fold",
        host=("size",),
        T=dtypes.REALS,
        samples=[_to(5, 3), _to(2, 6), _to(6, 7, align_corners=True)],
    )(kernel)
    resize.shape(_resize_shape)
    back = op(
        f"{op_type}Grad",
        "grads: float32, original_image: T -> output: T",
        T=_FLOATS,
        samples=[_given_back],
    )(grad_kernel)
    back.shape(lambda grads, original_image, **attrs: original_image.shape)

    @resize.gradient
    def resize_grad(operation: Any, dy: Tensor) -> list:
        images = operation.inputs[0]
        if not images.dtype.is_floating:
            return [None, None]
        return [back(dy, images, **_attrs_of(operation)), None]

    _each_other(back, resize)
    return resize


resize_bilinear_op = _declare(
    "ResizeBilinear", _bilinear, "Resizes images by mixing the two nearest pixels of each axis."
)
resize_bicubic_op = _declare(
    "ResizeBicubic", _bicubic, "Resizes images by mixing four pixels of each axis by a cubic."
)


@op(
    "ResizeArea",
    "images: T, size: int32 -> resized_images: float32",
    batch="fold",
    host=("size",),
    T=dtypes.REALS,
    differentiable=None,
    samples=[_to(5, 3), _to(2, 6)],
)
def resize_area_op(xp: Any, images: Any, size: Any, *, align_corners: bool = False) -> Any:
    """Resizes images by taking the mean of what each new pixel covers."""
    taps = _both_checked(_area, images, size, align_corners, False)
    return mix(xp, images.astype(np.float32, copy=False), *taps)


resize_area_op.shape(_resize_shape)


def _nearest(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Which old pixel each new one takes."""
    scale = _scale(size, new, align_corners)
    index = np.arange(new, dtype=np.float32)
    if half_pixel_centers:
        index = index + np.float32(0.5)
    places = index * scale
    # half away from zero, as C rounds
    chosen = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
    return np.clip(chosen.astype(int), 0, size - 1)


@op(
    "ResizeNearestNeighbor",
    "images: T, size: int32 -> resized_images: T",
    batch="fold",
    host=("size",),
    T=dtypes.REALS,
    samples=[_to(5, 3), _to(2, 6), _to(6, 7, align_corners=True)],
)
def resize_nearest_op(
    xp: Any, x: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Resizes images by taking for each new pixel an old one."""
    return pick(xp, x, *_both_checked(_nearest, x, size, align_corners, half_pixel_centers))


resize_nearest_op.shape(_resize_shape)


@op(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32 -> output: T",
    host=("size",),
    T=dtypes.REALS,
    samples=[_to(2, 3)],
)
def resize_nearest_grad_op(
    xp: Any, grads: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Adds the gradient of each new pixel to that of the old one it was taken from."""
    sizes = size.tolist()
    chosen = _both(_nearest, sizes, grads.shape[1:3], align_corners, half_pixel_centers)
    taps = (Taps(index[:, None], np.ones((len(index), 1), np.float32)) for index in chosen)
    return mix_back(xp, grads, *sizes, *taps)


resize_nearest_grad_op.shape(_resize_shape)


_each_other(resize_nearest_op, resize_nearest_grad_op)
_each_other(resize_nearest_grad_op, resize_nearest_op)

# ---- functions ---------------------------------------------------------------------------


def resize_bilinear(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, each pixel mixed of its four neighbours.

    Args:
      images: [batch, height, width, channels], of any number type.
      size: [new height, new width] int32.
      align_corners: whether the centres of the corner pixels stay where they are.
      name: the name.
      half_pixel_centers: whether a pixel stands at its centre.
    Returns: [batch, new height, new width, channels] float32.
    """
    return resize_bilinear_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size by bicubic interpolation; the arguments are `resize_bilinear`'s."""
    return resize_bicubic_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, of their old pixels, in their own type."""
    return resize_nearest_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images of another size, each pixel the mean of what it covers."""
    return resize_area_op(images, size, align_corners=align_corners, name=name)


@final
class ResizeMethod:
    """The methods of `tf.image.resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS: dict[int, Callable] = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
}
_METHOD_NAMES = {"bilinear": 0, "nearest": 1, "bicubic": 2, "area": 3}


def resize_images(
    images: TensorLike,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    Args:
      images: [batch, height, width, channels] or [height, width, channels].
      size: [new height, new width].
      method: one of `tf.image.ResizeMethod`.
      align_corners: whether the centres of the corner pixels stay where they are.
      preserve_aspect_ratio: whether to keep the proportions and fit into `size`.
      name: the name of the scope.
    Returns: float32, but for NEAREST_NEIGHBOR; the images themselves when they have that size.
    Raises:
      ValueError: for another rank, size or method.
    Example:
      >>> tf.image.resize_images(tf.zeros([8, 28, 28, 1]), [14, 14]).shape.as_list()
      [8, 14, 14, 1]
    """
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        if images.shape.ndims is None:
            raise ValueError("'images' contains no shape.")
        single = images.shape.ndims == 3
        if single:
            images = expand_dims(images, 0)
        elif images.shape.ndims != 4:
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        try:
            size = convert_to_tensor(size, dtypes.int32, name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _with_proportions(images, size)
        new = constant_value(size)
        if new is not None and images.shape.as_list()[1:3] == new.tolist():
            return squeeze(images, [0]) if single else images
        method = _METHOD_NAMES.get(method, method) if isinstance(method, str) else method
        if method not in _METHODS:
            raise ValueError(f"Resize method is not implemented: {method}")
        resized = _METHODS[method](images, size, align_corners=align_corners)
        return squeeze(resized, [0]) if single else resized


def _with_proportions(images: Tensor, size: Tensor) -> Tensor:
    """The largest size inside `size` with the proportions of the images."""
    old = cast(shape_of(images)[1:3], dtypes.float32)
    ratio = cast(size, dtypes.float32) / old
    return cast(rounded(old * minimum(ratio[0], ratio[1])), dtypes.int32)
