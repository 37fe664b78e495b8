"""Boxes in images: cut out, drawn, chosen, drawn by lot.

A box is [top, left, bottom, right] as parts of the height and the width: (0, 0, 1, 1) is the whole
image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, merged_dimensions
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_host
from minitf.core.ops.array import one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_padding import pad
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import seed_attrs, stream_of

# ---- CropAndResize -----------------------------------------------------------------------


def _places(xp: Any, low: Any, high: Any, size: int, new: int) -> Any:
    """Where the pixels of each crop stand along one axis of the image: [boxes, new]."""
    low, high = (end.astype(np.float32)[:, None] for end in (low, high))
    if new == 1:
        return (low + high) * np.float32(0.5) * (size - 1)
    step = (high - low) * np.float32((size - 1) / (new - 1))
    return low * (size - 1) + xp.arange(new, dtype=np.float32) * step


def _corners(
    xp: Any, boxes: Any, box_ind: Any, sizes: tuple, new: Any, method: str
) -> tuple[list, Any]:
    """The pixels of the image that each pixel of a crop is mixed of.

    Returns: pairs of an index that broadcasts to [boxes, height, width] and weights [..., 1]; and
      which pixels of the crops lie inside the image, [boxes, height, width, 1].
    """
    height, width = sizes[1:3]
    y = _places(xp, boxes[:, 0], boxes[:, 2], height, int(new[0]))
    x = _places(xp, boxes[:, 1], boxes[:, 3], width, int(new[1]))
    inside = ((y >= 0) & (y <= height - 1))[:, :, None] & ((x >= 0) & (x <= width - 1))[:, None]
    found = []
    for row, row_weight in _neighbours(xp, y, method):
        for column, column_weight in _neighbours(xp, x, method):
            down = xp.clip(row, 0, height - 1).astype(int)[:, :, None]
            right = xp.clip(column, 0, width - 1).astype(int)[:, None]
            weight = (row_weight[:, :, None] * column_weight[:, None])[..., None]
            found.append(((box_ind[:, None, None], down, right), weight))
    return found, inside[..., None]


def _neighbours(xp: Any, places: Any, method: str) -> list[tuple[Any, Any]]:
    """Along one axis, which old pixels a new one is mixed of, and their weights."""
    if method == "nearest":
        return [(xp.floor(places + np.float32(0.5)), xp.ones(places.shape, np.float32))]
    below = xp.floor(places)
    part = places - below
    return [(below, 1 - part), (xp.ceil(places), part)]


_BOXES = np.array([[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 1.0, 1.0], [-0.5, 0.3, 0.5, 1.5]], np.float32)
_OF = np.array([0, 1, 0], np.int32)
_SCORES = np.array([0.3, 0.9, 0.6], np.float32)


@op(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32",
    host=("crop_size",),
    T=dtypes.REALS,
    samples=[
        lambda rng: (rng.normal(size=(2, 3, 4, 2)), _BOXES, _OF, np.array([3, 2], np.int32), {}),
        lambda rng: (
            rng.normal(size=(2, 3, 4, 1)), _BOXES, _OF, np.array([2, 1], np.int32),
            {"method": "nearest", "extrapolation_value": 0.5},
        ),
    ],
)  # fmt: skip
def crop_and_resize_op(
    xp: Any, image: Any, boxes: Any, box_ind: Any, crop_size: Any, *, method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Any:  # fmt: skip
    """Cuts boxes out of images and brings them all to one size."""
    if ((box_ind < 0) | (box_ind >= len(image))).any():
        raise errors.OutOfRangeError.of("box_index has values outside [0, batch_size)")
    corners, inside = _corners(xp, boxes, box_ind, image.shape, crop_size, method)
    total: Any = 0
    for index, weight in corners:
        total = total + image[index] * weight
    return xp.where(inside, total, extrapolation_value).astype(np.float32)


@crop_and_resize_op.shape
def _crop_and_resize_shape(
    image: Any, boxes: Any, box_ind: Any, crop_size: Any, **attrs: Any
) -> TensorShape:
    sizes, count = image.shape.with_rank(4), boxes.shape.with_rank(2)
    return TensorShape([count[0], *crop_size.partial_shape.with_rank(2), sizes[3]])


@crop_and_resize_op.gradient
def _crop_and_resize_grad(op: Any, dy: Tensor) -> list:
    image, boxes, box_ind, _ = op.inputs
    dx = None
    if image.dtype.is_floating:
        dx = crop_and_resize_grad_image_op(
            dy, boxes, box_ind, shape_of(image), T=image.dtype, method=op.attrs["method"]
        )
    return [dx, crop_and_resize_grad_boxes_op(dy, image, boxes, box_ind), None, None]


@op(
    "CropAndResizeGradImage",
    "grads: float32, boxes: float32, box_ind: int32, image_size: int32 -> output: T",
    host=("image_size",),
    samples=[
        lambda rng: (
            rng.normal(size=(3, 3, 2, 2)).astype(np.float32), _BOXES, _OF,
            np.array([2, 3, 4, 2], np.int32), {"T": dtypes.float32},
        )
    ],
)  # fmt: skip
def crop_and_resize_grad_image_op(
    xp: Any, grads: Any, boxes: Any, box_ind: Any, image_size: Any, *, T: Any,
    method: str = "bilinear",
) -> Any:  # fmt: skip
    """Adds the gradient of each crop's pixels to that of the image's."""
    dx = xp.zeros(image_size.tolist(), T.as_numpy_dtype)
    corners, inside = _corners(xp, boxes, box_ind, dx.shape, grads.shape[1:3], method)
    for index, weight in corners:
        xp.add.at(dx, index, (grads * weight * inside).astype(dx.dtype))
    return dx


crop_and_resize_grad_image_op.shape(
    lambda grads, boxes, box_ind, image_size, **attrs: image_size.partial_shape
)


@crop_and_resize_grad_image_op.gradient
def _crop_and_resize_grad_image_grad(op: Any, dy: Tensor) -> list:
    grads, boxes, box_ind, _ = op.inputs
    size = shape_of(grads)[1:3]
    crops = crop_and_resize_op(dy, boxes, box_ind, size, method=op.attrs["method"])
    return [crops, None, None, None]


@op(
    "CropAndResizeGradBoxes",
    "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
    T=dtypes.REALS,
    differentiable=None,
    samples=[
        lambda rng, size=size: (
            rng.normal(size=(3, *size, 2)).astype(np.float32), rng.normal(size=(2, 3, 4, 2)),
            _BOXES, _OF, {},
        )
        for size in ((3, 2), (1, 1))
    ],
)  # fmt: skip
def crop_and_resize_grad_boxes_op(xp: Any, grads: Any, image: Any, boxes: Any, box_ind: Any) -> Any:
    """Adds up how the crops change as the ends of their boxes move, as of "bilinear" ones."""
    image = image.astype(np.float32)
    corners, inside = _corners(xp, boxes, box_ind, image.shape, grads.shape[1:3], "bilinear")
    top_left, top_right, low_left, low_right = (image[index] for index, _ in corners)
    sizes, new = image.shape[1:3], grads.shape[1:3]
    places = [_places(xp, boxes[:, i], boxes[:, 2 + i], sizes[i], new[i]) for i in range(2)]
    y, x = places[0][:, :, None, None], places[1][:, None, :, None]
    y, x = y - xp.floor(y), x - xp.floor(x)
    slopes = (
        (1 - x) * (low_left - top_left) + x * (low_right - top_right),
        (1 - y) * (top_right - top_left) + y * (low_right - low_left),
    )
    low, high = [], []
    for axis, slope in enumerate(slopes):
        by_place = (grads * slope * inside).sum(axis=(3, 2 - axis)) * (sizes[axis] - 1)
        part = xp.arange(new[axis], dtype=np.float32) / max(1, new[axis] - 1)
        part = part if new[axis] > 1 else part + np.float32(0.5)
        low.append((by_place * (1 - part)).sum(axis=1))
        high.append((by_place * part).sum(axis=1))
    return xp.stack([*low, *high], axis=1).astype(np.float32)


crop_and_resize_grad_boxes_op.shape(lambda grads, image, boxes, box_ind: boxes.shape)


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Boxes cut out of images, all brought to one size.

    Args:
      image: [batch, height, width, channels].
      boxes: [boxes, 4] float32.
      box_ind: [boxes] int32: the image each is cut out of. Also `box_indices`.
      crop_size: [height, width] of the result.
      method: "bilinear" or "nearest".
      extrapolation_value: what lies outside the image.
      name: the name.
    Returns: [boxes, height, width, channels] float32.
    """
    box_ind = one_of("box_indices", box_indices, "box_ind", box_ind)
    attrs = {"method": method, "extrapolation_value": float(extrapolation_value or 0)}
    return crop_and_resize_op(image, boxes, box_ind, crop_size, name=name, **attrs)


# ---- NonMaxSuppressionV3 -----------------------------------------------------------------


def box_overlaps(boxes: Any) -> Any:
    """For each pair of boxes the area they share, as a part of the area they cover."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = (high - low).prod(axis=1)
    shared = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    shared = np.maximum(shared, 0).prod(axis=-1)
    union = areas[:, None] + areas - shared
    valid = (areas[:, None] > 0) & (areas > 0)
    return np.where(valid, shared / np.where(union > 0, union, 1), 0)


def selected_boxes(xp: Any, overlaps: Any, scores: Any, count: Any, limit: Any, lowest: Any) -> Any:
    """The best boxes, each left out that overlaps too much with a better one."""
    marks, chosen = on_host(scores), []
    count, limit, lowest = int(count), float(limit), float(lowest)
    for index in np.argsort(-marks, kind="stable"):
        if len(chosen) == count or marks[index] <= lowest:
            break
        if not (overlaps[index, chosen] > limit).any():
            chosen.append(int(index))
    return xp.asarray(np.array(chosen, np.int32))


@op(
    "NonMaxSuppressionV3",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: float32, "
    "score_threshold: float32 -> selected_indices: int32",
    host=("max_output_size",),
    T=(dtypes.float16, dtypes.float32),
    sized_by_values=True,
    differentiable=False,
    samples=[lambda rng: (_BOXES, _SCORES, np.int32(2), np.float32(0.6), np.float32(0), {})],
)
def non_max_suppression_op(
    xp: Any, boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Any:
    """Chooses the boxes of highest score that do not overlap too much."""
    if not 0 <= iou_threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if len(boxes) != len(scores):
        raise invalid(
            "scores has incompatible shape (Dimensions must be equal, but are "
            f"{len(boxes)} and {len(scores)})"
        )
    overlaps = box_overlaps(on_host(boxes).astype(np.float32))
    return selected_boxes(xp, overlaps, scores, max_output_size, iou_threshold, score_threshold)


@non_max_suppression_op.shape
def _non_max_suppression_shape(boxes: Any, scores: Any, *rest: Any) -> TensorShape:
    [count, sides] = boxes.shape.with_rank(2)
    merged_dimensions(TensorShape([count]), scores.shape.with_rank(1))
    if sides.value not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {sides}")
    return TensorShape([None])


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The indices of the boxes of highest score, without those that overlap with a better one.

    Args:
      boxes: [boxes, 4] float32: any two opposite corners of each.
      scores: [boxes] float32.
      max_output_size: how many to choose at most.
      iou_threshold: how large a part of what two boxes cover they may share.
      score_threshold: boxes with no more than this are left out.
      name: the name of the scope.
    Returns: [at most max_output_size] int32, the best first.
    """
    with name_scope(name, "non_max_suppression"):
        return non_max_suppression_op(
            boxes, scores, max_output_size, iou_threshold, score_threshold
        )


@op(
    "NonMaxSuppressionV5",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, "
    "soft_nms_sigma: T -> selected_indices: int32, selected_scores: T, valid_outputs: int32",
    host=("max_output_size",),
    T=(dtypes.float16, dtypes.float32),
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng, sigma=sigma: (
            _BOXES, _SCORES, np.int32(3), np.float32(0.6), np.float32(0), np.float32(sigma), {},
        )
        for sigma in (0, 0.5)
    ],
)  # fmt: skip
def soft_non_max_suppression_op(
    xp: Any, boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any,
    score_threshold: Any, soft_nms_sigma: Any,
) -> Any:  # fmt: skip
    """Chooses boxes; those that overlap with a better one lose score (Bodla et al. 2017).

    Each choice leaves `exp(-overlap^2 / (2 sigma))` of the scores of the rest, and nothing of those
    that overlap too much; with a sigma of 0 these are left out.
    """
    overlaps = box_overlaps(on_host(boxes).astype(np.float32))
    marks, sigma = on_host(scores).astype(np.float32), float(soft_nms_sigma)
    rest, chosen = np.ones(len(marks), bool), []
    while len(chosen) < int(max_output_size) and rest.any():
        best = int(np.argmax(np.where(rest, marks, -np.inf)))
        if marks[best] <= float(score_threshold):
            break
        chosen.append(best)
        rest[best] = False
        shared, near = overlaps[best], overlaps[best] > float(iou_threshold)
        if sigma > 0:
            kept = np.where(near, 0, np.exp(np.float32(-0.5 / sigma) * shared * shared))
            marks = np.where(rest, marks * kept, marks)
        else:
            rest &= ~near
    found = np.array(chosen, np.int32)
    return (
        xp.asarray(found),
        xp.asarray(marks[found], scores.dtype),
        xp.asarray(np.int32(len(found))),
    )


soft_non_max_suppression_op.shape(
    lambda boxes, scores, *rest: [TensorShape([None]), TensorShape([None]), TensorShape([])]
)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `non_max_suppression`, which may lower scores instead of leaving boxes out.

    Args:
      soft_nms_sigma: how slowly the score of a box falls with its overlap with a better one; 0:
        scores stay, and boxes that overlap by more than `iou_threshold` are left out.
    Returns: the indices, [at most max_output_size] int32, and the scores that they were chosen by.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        boxes = convert_to_tensor(boxes)
        limits = (
            cast(each, boxes.dtype) for each in (iou_threshold, score_threshold, soft_nms_sigma)
        )
        return tuple(soft_non_max_suppression_op(boxes, scores, max_output_size, *limits)[:2])


@op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32, scores: float32, max_output_size: int32, overlap_threshold: float32, "
    "score_threshold: float32 -> selected_indices: int32",
    host=("max_output_size",),
    sized_by_values=True,
    differentiable=False,
    samples=[
        lambda rng: (
            rng.uniform(size=(3, 3)).astype("f"), _SCORES, np.int32(2), np.float32(0.4),
            np.float32(0), {},
        )
    ],
)  # fmt: skip
def non_max_suppression_overlaps_op(
    xp: Any, overlaps: Any, scores: Any, max_output_size: Any, overlap_threshold: Any,
    score_threshold: Any,
) -> Any:  # fmt: skip
    """Chooses the boxes of highest score by a table of what is too near to what."""
    table = on_host(overlaps)
    return selected_boxes(xp, table, scores, max_output_size, overlap_threshold, score_threshold)


@non_max_suppression_overlaps_op.shape
def _non_max_suppression_overlaps_shape(overlaps: Any, scores: Any, *rest: Any) -> TensorShape:
    [count, others] = overlaps.shape.with_rank(2)
    for sizes in (TensorShape([others]), scores.shape.with_rank(1)):
        merged_dimensions(TensorShape([count]), sizes)
    return TensorShape([None])


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As `non_max_suppression`, with a measure of overlap that the program chooses.

    Args:
      overlaps: [boxes, boxes] float32: how much each box overlaps with each other.
      scores, max_output_size, score_threshold: as in `non_max_suppression`.
      overlap_threshold: how much two boxes may overlap.
      name: the name of the scope.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        return non_max_suppression_overlaps_op(
            overlaps, scores, max_output_size, overlap_threshold, score_threshold
        )


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """As `non_max_suppression`, and how many boxes were chosen.

    Args:
      pad_to_max_output_size: whether zeros follow, so that the result always has one size.
    """
    with name_scope(name, "non_max_suppression_padded"):
        chosen = non_max_suppression_op(
            boxes, scores, max_output_size, iou_threshold, score_threshold
        )
        count = shape_of(chosen)[0]
        if pad_to_max_output_size:
            chosen = pad(chosen, [[0, max_output_size - count]])
            known = constant_value(convert_to_tensor(max_output_size))
            chosen.set_shape([None if known is None else int(known)])
        return chosen, count


# ---- DrawBoundingBoxesV2 -----------------------------------------------------------------

_PALETTE = [
    [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1],
    [0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1],
]  # fmt: skip


@op(
    "DrawBoundingBoxesV2",
    "images: T, boxes: float32, colors: float32 -> output: T",
    T=(dtypes.float16, dtypes.float32),
    differentiable=False,
    samples=[
        lambda rng: (
            rng.uniform(size=(1, 6, 5, 3)).astype(np.float32),
            np.array([[[0.1, 0.2, 0.7, 0.9], [-0.5, 0, 2, 0.5]]], np.float32),
            np.zeros((0, 0), np.float32),
            {},
        )
    ],
)
def draw_bounding_boxes_op(xp: Any, images: Any, boxes: Any, colors: Any) -> Any:
    """Draws the edges of boxes into images, one pixel wide."""
    height, width, depth = images.shape[1:]
    palette = np.array(colors.tolist() if colors.size else _PALETTE, np.float32)
    if depth == 1:
        palette[:, 0] = 1
    result = images.copy()
    for image, of_image in zip(result, boxes.tolist(), strict=True):
        for number, (top, left, bottom, right) in enumerate(of_image):
            ink = xp.asarray(palette[number % len(palette), :depth], images.dtype)
            rows = [int(top * (height - 1)), int(bottom * (height - 1))]
            columns = [int(left * (width - 1)), int(right * (width - 1))]
            down = range(max(rows[0], 0), min(rows[1], height - 1) + 1)
            across = range(max(columns[0], 0), min(columns[1], width - 1) + 1)
            if not down or not across:  # it lies outside
                continue
            for row in (row for row in rows if row in down):
                image[row, across.start : across.stop] = ink
            for column in (column for column in columns if column in across):
                image[down.start : down.stop, column] = ink
    return result


draw_bounding_boxes_op.shape(lambda images, boxes, colors: images.shape.with_rank(4))


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: Any = None
) -> Tensor:
    """Images with the edges of boxes drawn into them.

    Args:
      images: [batch, height, width, channels] float32.
      boxes: [batch, boxes, 4] float32.
      name: the name.
      colors: [colours, channels]: taken in turn; ten colours by default.
    """
    ink = np.array(_PALETTE, np.float32) if colors is None else colors
    with name_scope(name, "DrawBoundingBoxes", [images, boxes]) as scope:
        return draw_bounding_boxes_op(images, boxes, ink, name=scope)


# ---- SampleDistortedBoundingBoxV2 --------------------------------------------------------


def _whole_image() -> list:
    """Without an attempt the part is the whole image."""
    all_of_it = np.array([[[0, 0, 1, 1]]], np.float32)
    part = sample_distorted_bounding_box_op([8, 6, 3], all_of_it, 0.5, max_attempts=0)
    return [(part, [np.zeros(3, np.int32), np.array([8, 6, -1], np.int32), all_of_it])]


@op(
    "SampleDistortedBoundingBoxV2",
    "image_size: T, bounding_boxes: float32, min_object_covered: float32 -> begin: T, size: T, "
    "bboxes: float32",
    host=("image_size",),
    T=(dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    differentiable=False,
    program=lambda folder: _whole_image(),
    host_only=True,
)
def sample_distorted_bounding_box_op(
    ctx: Any, image_size: Any, bounding_boxes: Any, min_object_covered: Any, *, seed: int = 0,
    seed2: int = 0, aspect_ratio_range: Any = (0.75, 1.33), area_range: Any = (0.05, 1.0),
    max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = False,
) -> tuple:  # fmt: skip
    """Draws a part of an image by lot that shows enough of one of the boxes."""
    height, width = (int(n) for n in image_size.tolist()[:2])
    scale = np.array([height, width, height, width], np.float64)
    objects = np.asarray(bounding_boxes.tolist(), np.float64).reshape(-1, 4) * scale
    if not len(objects):
        if not use_image_if_no_bounding_boxes:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        objects = scale[None] * [0, 0, 1, 1]
    stream = stream_of(ctx, seed, seed2)
    box = 0, 0, height, width
    with stream.lock:
        for _ in range(max_attempts):
            drawn = _drawn_box(stream.generator, height, width, aspect_ratio_range, area_range)
            if drawn is not None and _shows(drawn, objects, float(min_object_covered)):
                box = drawn
                break
    top, left, bottom, right = box
    kind, xp = image_size.dtype, ctx.xp
    return (
        xp.asarray([top, left, 0], dtype=kind),
        xp.asarray([bottom - top, right - left, -1], dtype=kind),
        xp.asarray((np.array(box) / scale)[None, None], dtype=np.float32),
    )


def _drawn_box(generator: Any, height: int, width: int, ratios: Any, areas: Any) -> tuple | None:
    """A box of an area and of proportions within their ranges; None when none fits."""
    ratio = generator.uniform(*ratios) if ratios[0] < ratios[1] else ratios[0]
    least, most = (share * height * width for share in areas)
    low = round(np.sqrt(least / ratio))
    high = min(round(np.sqrt(most / ratio)), height, int((width + 0.5 - 1e-7) / ratio))
    if high < 1:
        return None
    tall = high if low >= high else int(generator.integers(low, high + 1))
    wide = round(tall * ratio)
    if not least - 1e-6 <= tall * wide <= most + 1e-6 or not 0 < wide <= width or tall < 1:
        return None
    top, left = (int(generator.integers(0, n + 1)) for n in (height - tall, width - wide))
    return top, left, top + tall, left + wide


def _shows(box: tuple, objects: Any, least: float) -> bool:
    """Whether a box shows at least that part of one of the objects."""
    low, high = np.maximum(objects[:, :2], box[:2]), np.minimum(objects[:, 2:], box[2:])
    shared = np.maximum(high - low, 0).prod(axis=1)
    areas = (objects[:, 2:] - objects[:, :2]).prod(axis=1)
    return bool(((areas > 0) & (shared >= least * areas)).any())


sample_distorted_bounding_box_op.shape(
    lambda *inputs, **attrs: [TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4])]
)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A part of an image drawn by lot, which shows enough of one of its objects.

    Args:
      image_size: [height, width, channels].
      bounding_boxes: [batch, boxes, 4] float32: where the objects are.
      seed, seed2: make the choice repeatable.
      min_object_covered: which part of an object has to be seen.
      aspect_ratio_range: the least and the largest width / height; [0.75, 1.33] by default.
      area_range: the least and the largest part of the image; [0.05, 1] by default.
      max_attempts: how often to try before the whole image is taken; 100 by default.
      use_image_if_no_bounding_boxes: whether the whole image is the object when there is none.
      name: the name of the scope.
    Returns: begin [y, x, 0] and size [height, width, -1] for `tf.slice`, and the box [1, 1, 4] for
      `draw_bounding_boxes`.
    """
    with name_scope(name, "sample_distorted_bounding_box"):
        attrs = seed_attrs(seed)
        if seed2:
            attrs["seed2"] = seed2
        outputs = sample_distorted_bounding_box_op(
            convert_to_tensor(image_size),
            bounding_boxes,
            min_object_covered,
            aspect_ratio_range=tuple(aspect_ratio_range or (0.75, 1.33)),
            area_range=tuple(area_range or (0.05, 1.0)),
            max_attempts=100 if max_attempts is None else int(max_attempts),
            use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
            **attrs,
        )
        return sample_distorted_bounding_box_op.named(outputs)
