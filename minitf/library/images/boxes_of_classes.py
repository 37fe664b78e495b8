"""The best boxes of several images and several classes at once: the last step of a detector.

boxes, scores ──of each class──> the best that do not overlap ──of each image──> the best of all
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, merged_dimensions
from minitf.core.graph.stacks import name_scope
from minitf.core.kernels.host import on_host
from minitf.core.ops.elementwise import invalid
from minitf.library.images.image_boxes import box_overlaps, selected_boxes

CombinedNonMaxSuppression = namedtuple(
    "CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections"
)


def _check(boxes: Any, scores: Any, per_class: int, total: int, threshold: float) -> None:
    """Raises InvalidArgumentError when the sizes do not fit, or a setting is none."""
    if per_class <= 0:
        raise invalid("max_size_per_class must be positive")
    if total <= 0:
        raise invalid("max_total_size must be > 0")
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if boxes.ndim != 4:
        raise invalid(f"boxes must be 4-D{list(boxes.shape)}")
    if scores.ndim != 3:
        raise invalid(f"scores must be 3-D{list(scores.shape)}")
    if boxes.shape[:2] != scores.shape[:2]:
        raise invalid("scores has incompatible shape")
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise invalid("third dimension of boxes must be either 1 or num classes")


def _best(
    boxes: np.ndarray, scores: np.ndarray, per_class: int, limit: float, lowest: float
) -> list[tuple[float, int, np.ndarray]]:
    """The chosen boxes of one image, the best first, as (score, class, box)."""
    found = []
    shared = boxes.shape[1] == 1
    overlaps = box_overlaps(boxes[:, 0]) if shared else None
    for kind in range(scores.shape[1]):
        own = boxes[:, 0 if shared else kind]
        table = box_overlaps(own) if overlaps is None else overlaps
        marks = scores[:, kind]
        chosen = selected_boxes(np, table, marks, per_class, limit, lowest)
        found += [(float(marks[i]), kind, own[i]) for i in chosen]
    return sorted(found, key=lambda each: -each[0])


_BOXES = np.array([[[[0, 0, 1, 1]], [[0, 0, 1, 0.9]], [[0.2, -0.5, 0.4, 0.3]]]], np.float32)
_SCORES = np.array([[[0.9, 0.3], [0.8, 0.6], [0.1, 0.7]]], np.float32)


def _found(per_class: int, total: int, **attrs: Any) -> Any:
    """A sample: three boxes, two classes."""
    limits = (np.int32(per_class), np.int32(total), np.float32(0.5), np.float32(0.2))
    return lambda rng: (_BOXES, _SCORES, *limits, attrs)


@op(
    "CombinedNonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size_per_class: int32, max_total_size: int32, "
    "iou_threshold: float32, score_threshold: float32 -> nmsed_boxes: float32, "
    "nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32",
    host=("max_output_size_per_class", "max_total_size"),
    sized_by_values=True,
    differentiable=False,
    samples=[_found(2, 3), _found(2, 9, pad_per_class=True, clip_boxes=False)],
)
def combined_non_max_suppression_op(
    xp: Any, boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any,
    iou_threshold: Any, score_threshold: Any, *, pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> Any:  # fmt: skip
    """Chooses for each image the boxes of highest score that do not overlap within their class."""
    places, marks = on_host(boxes), on_host(scores)
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    limit, lowest = float(iou_threshold), float(score_threshold)
    _check(places, marks, per_class, total, limit)
    images, _, classes = marks.shape
    size = min(total, per_class * classes) if pad_per_class else total
    sides = np.zeros((images, size, 4), np.float32)
    best, kinds = (np.zeros((images, size), np.float32) for _ in range(2))
    counts = np.zeros(images, np.int32)
    for image in range(images):
        chosen = _best(places[image], marks[image], per_class, limit, lowest)[:size]
        counts[image] = len(chosen)
        for place, (score, kind, box) in enumerate(chosen):
            sides[image, place], best[image, place], kinds[image, place] = box, score, kind
    if clip_boxes:
        sides = sides.clip(0.0, 1.0)
    return tuple(xp.asarray(each) for each in (sides, best, kinds, counts))


@combined_non_max_suppression_op.shape
def _combined_shapes(
    boxes: Any, scores: Any, per_class: Any, total: Any, iou: Any, lowest: Any, *,
    pad_per_class: bool, clip_boxes: bool,
) -> list:  # fmt: skip
    sizes = boxes.shape.with_rank(4)
    marks = scores.shape.with_rank(3)
    for scalar in (per_class, total, iou, lowest):
        scalar.shape.with_rank(0)
    batch, count, kinds, sides = [None] * 4 if sizes.ndims is None else sizes.as_list()
    classes = None if marks.ndims is None else marks.as_list()[2]
    if marks.ndims is not None:
        merged_dimensions(TensorShape([count]), marks[1:2])
    if sides not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {sides}")
    if None not in (kinds, classes) and kinds not in (1, classes):
        raise ValueError(
            "third dimension of boxes must be either 1 or equal to the third dimension of scores"
        )
    size = None
    if total.value is not None:
        if total.value <= 0:
            raise ValueError("max_total_size should be > 0")
        size = int(total.value)
        if pad_per_class:
            known = per_class.value is not None and classes is not None
            size = min(size, int(per_class.value) * classes) if known else None
    shapes = [[batch, size, 4], [batch, size], [batch, size], [batch]]
    return [TensorShape(shape) for shape in shapes]


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple:
    """The boxes of highest score in each image, without those that overlap with a better one.

    Args:
      boxes: [images, boxes, classes, 4] float32: two opposite corners of each; with 1 in place of
        `classes`, all classes have the same boxes.
      scores: [images, boxes, classes] float32.
      max_output_size_per_class: how many boxes of one class to choose at most.
      max_total_size: how many boxes of an image to choose at most.
      iou_threshold: how large a part of what two boxes cover they may share.
      score_threshold: boxes with no more than this are left out.
      pad_per_class: whether the results are no longer than all classes together can need;
        otherwise they have `max_total_size` places.
      clip_boxes: whether the boxes given back end at 0 and 1.
      name: the name of the scope.
    Returns: `(nmsed_boxes, nmsed_scores, nmsed_classes, valid_detections)`: [images, places, 4],
      twice [images, places], filled up with zeros, and [images]: how many were chosen.
    """
    with name_scope(name, "combined_non_max_suppression"):
        limit = convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold")
        lowest = convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold")
        total = convert_to_tensor(max_total_size)
        return CombinedNonMaxSuppression(
            *combined_non_max_suppression_op(
                boxes, scores, max_output_size_per_class, total, limit, lowest,
                pad_per_class=pad_per_class, clip_boxes=clip_boxes,
            )
        )  # fmt: skip
