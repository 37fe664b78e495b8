"""Boxes in images: cut out, drawn, chosen, drawn by lot.

A box is [top, left, bottom, right] as parts of the height and the width: (0, 0, 1, 1) is the whole
image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import seed_attrs, stream_of

# ---- DrawBoundingBoxesV2 -----------------------------------------------------------------

_PALETTE = [
    [1, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 0, 0, 1],
    [0, 1, 0, 1],
    [0.5, 0, 0.5, 1],
    [0.5, 0.5, 0, 1],
    [0.5, 0, 0, 1],
    [0, 0, 0.5, 1],
    [0, 1, 1, 1],
    [1, 0, 1, 1],
]


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
    ctx: Any,
    image_size: Any,
    bounding_boxes: Any,
    min_object_covered: Any,
    *,
    seed: int = 0,
    seed2: int = 0,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> tuple:
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
