"""Single operations on images of 28 x 28 with 64 channels, 32 of them: forward, and each gradient.

The values stay in the library, as in elementwise.py.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.case import Case, Library

_BATCH, _SIDE, _CHANNELS = 32, 28, 64

CASES = tuple(
    Case(
        f"images, {name}",
        "images",
        {"of": of, "by": by},
        wanted_fast=0.8,
        seconds=0.4,
        bound="Arrays of 6 MB, 26 when resized: what the third cache and memory deliver.",
    )
    for name, of, by in (
        ("depthwise 3x3", "depthwise", ""),
        ("depthwise 3x3, gradient by images", "depthwise", "x"),
        ("depthwise 3x3, gradient by filters", "depthwise", "w"),
        ("bilinear to twice the size", "bilinear", ""),
        ("bilinear to twice the size, gradient", "bilinear", "x"),
        ("nearest to twice the size", "nearest", ""),
        ("nearest to twice the size, gradient", "nearest", "x"),
        ("bicubic to twice the size", "bicubic", ""),
        ("average of 2x2", "average", ""),
        ("average of 2x2, gradient", "average", "x"),
        ("average of 3x3, steps of 2", "average3", ""),
        ("average of 3x3, steps of 2, gradient", "average3", "x"),
        ("maximum of 2x2", "maximum", ""),
        ("maximum of 2x2, gradient", "maximum", "x"),
        ("maximum of 3x3, steps of 2, gradient", "maximum3", "x"),
    )
)


def build(library: Library, of: str, by: str) -> Callable[[], object]:
    """Builds one operation, or its gradient by images (`x`) or filters (`w`)."""
    tf = library.tf
    rng = np.random.default_rng(0)
    x = tf.Variable(rng.normal(size=(_BATCH, _SIDE, _SIDE, _CHANNELS)).astype(np.float32))
    w = tf.Variable(rng.normal(size=(3, 3, _CHANNELS, 1)).astype(np.float32))
    y = _OPERATIONS[of](tf, x, w)
    sizes = y.shape.as_list()
    if by:
        dy = tf.Variable(rng.normal(size=sizes).astype(np.float32))
        y = tf.gradients(y, {"x": x, "w": w}[by], grad_ys=dy)[0]
    session = library.session()
    session.run(tf.global_variables_initializer())
    return lambda: session.run(y.op)


def _resized(method: str) -> Callable[..., Any]:
    return lambda tf, x, w: getattr(tf.image, f"resize_{method}")(x, [2 * _SIDE, 2 * _SIDE])


def _pooled(kind: str, window: int) -> Callable[..., Any]:
    return lambda tf, x, w: getattr(tf.nn, kind)(
        x, [1, window, window, 1], [1, 2, 2, 1], padding="SAME"
    )


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "depthwise": lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
    "bilinear": _resized("bilinear"),
    "nearest": _resized("nearest_neighbor"),
    "bicubic": _resized("bicubic"),
    "average": _pooled("avg_pool", 2),
    "average3": _pooled("avg_pool", 3),
    "maximum": _pooled("max_pool", 2),
    "maximum3": _pooled("max_pool", 3),
}
