"""Summaries: tensors packed into the messages that TensorBoard draws.

    loss --> ScalarSummary --+
                             +--> MergeSummary --sess.run--> bytes --FileWriter--> event file
    W ---> HistogramSummary -+

Each op gives one string, a serialized `tf.Summary`. The functions put it into the collection
`GraphKeys.SUMMARIES`, from which `merge_all` takes all at once.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.build import expected_type
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import FunctionDef, GraphDef
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.host import on_host
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.runtime.run.step_stats import NodeExecStats
from minitf.core.runtime.session.config import RunMetadata
from minitf.library.formats.graph_message import FunctionName, GraphMessage, encode
from minitf.library.formats.summary_protos import protos


def _text(value: Any) -> str:
    item = np.asarray(value).item() if not isinstance(value, bytes) else value
    return item.decode() if isinstance(item, bytes) else str(item)


def _host(array: Any) -> np.ndarray:
    return np.asarray(on_host(array), object if isinstance(array, (bytes, str)) else None)


def _serialized(*values: Any) -> bytes:
    return protos().Summary(value=values).SerializeToString()


def _summary_op(op_type: str, inputs: str, *samples: Callable, **constraints: Any) -> Callable:
    """Declares an operation that gives one string, a serialized `tf.Summary`."""

    def declare(kernel: Callable) -> OpDef:
        options = {"differentiable": False, "samples": samples, **constraints}
        op_def: OpDef = op(op_type, f"{inputs} -> summary: string", **options)(kernel)
        op_def.shape(scalar_shape)
        return op_def

    return declare


# ---- ScalarSummary -----------------------------------------------------------------------


@_summary_op(
    "ScalarSummary",
    "tags: string, values: T",
    lambda rng: (b"loss", rng.normal(), {}),
    lambda rng: (np.array([b"a", b"b"], object), rng.normal(size=(2,)), {}),
    T=dtypes.REALS,
)
def scalar_summary_op(xp: Any, tags: Any, values: Any) -> Any:
    """Packs numbers under their tags."""
    names, numbers = np.asarray(tags, object), _host(values)
    if names.shape != numbers.shape:
        tag = f" (tag '{_text(tags)}')" if names.size == 1 else ""
        raise invalid(
            f"tags and values not the same shape: {shown(names)} != {shown(numbers)}{tag}"
        )
    return _serialized(
        *(
            protos().Summary.Value(tag=_text(name), simple_value=float(number))
            for name, number in zip(names.ravel(), numbers.ravel(), strict=True)
        )
    )


# ---- HistogramSummary --------------------------------------------------------------------


def _bucket_limits() -> np.ndarray:
    """TensorFlow's: each limit is 1.1 times the one before, from 1e-12 on, and so to both sides."""
    limits, limit = [], 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    largest = np.finfo(np.float64).max
    return np.array([-largest, *(-x for x in reversed(limits)), 0.0, *limits, largest])


_LIMITS = _bucket_limits()


def histogram_proto(values: Any) -> Any:
    """Counts numbers in buckets; a run of empty buckets is written as one.

    Args:
      values: finite numbers, of any shape.

    Returns: a `HistogramProto`.
    """
    numbers = np.sort(np.asarray(values), axis=None)  # sorted, few limits need to be looked up
    below = np.searchsorted(numbers, _LIMITS)
    below[-1] = numbers.size  # the last bucket has no upper limit
    counts = np.diff(below, prepend=0)
    numbers = numbers.astype(np.float64)
    # Of each run of empty buckets only the last is kept.
    kept = (counts > 0) | (np.append(counts[1:], 1) > 0)
    return protos().HistogramProto(
        min=numbers[0] if numbers.size else _LIMITS[-1],
        max=numbers[-1] if numbers.size else _LIMITS[0],
        num=numbers.size,
        sum=numbers.sum(),
        sum_squares=np.square(numbers).sum(),
        bucket_limit=_LIMITS[kept],
        bucket=counts[kept],
    )


@_summary_op(
    "HistogramSummary",
    "tag: string, values: T",
    lambda rng: (b"weights", rng.normal(size=(4, 5)), {}),
    T=dtypes.REALS,
)
def histogram_summary_op(ctx: Any, tag: Any, values: Any) -> Any:
    """Packs the distribution of numbers."""
    numbers = _host(values)
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        first = numbers[~np.isfinite(numbers)].flat[0]
        found = "Nan in summary histogram" if np.isnan(first) else "Infinity in Histogram"
        raise invalid(f"{found} for: {ctx.node_name}")
    return _serialized(protos().Summary.Value(tag=_text(tag), histo=histogram_proto(numbers)))


# ---- ImageSummary ------------------------------------------------------------------------

_COLOR_TYPES = {1: 0, 3: 2, 4: 6}  # PNG's numbers for gray, RGB and RGBA


def png_bytes(pixels: np.ndarray) -> bytes:
    """A PNG file of an image.

    Args:
      pixels: [height, width, 1, 3 or 4] uint8.
    """
    height, width, channels = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # a leading 0: the row as it is
    rows[:, 1:] = pixels.reshape(height, -1)
    data = zlib.compress(rows.tobytes())
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def _to_pixels(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """Scales floats to bytes: [0, largest] to 0..255, or, with negatives, 0 to 128."""
    good = np.isfinite(image).all(axis=-1, keepdims=True)
    seen = image[good[..., 0]]
    low, high = (seen.min(), seen.max()) if seen.size else (np.float32(0), np.float32(0))
    offset = image.dtype.type(128 if low < 0 else 0)
    largest = max(abs(low), abs(high)) if low < 0 else high
    scale = image.dtype.type(0 if largest < 1e-6 else (127 if low < 0 else 255) / largest)
    scaled = np.where(good, image * scale + offset, 0).astype(np.uint8)
    return np.where(good, scaled, bad_color[: image.shape[-1]])


@_summary_op(
    "ImageSummary",
    "tag: string, tensor: T",
    lambda rng: (b"digits", rng.uniform(size=(2, 3, 4, 1)), {}),
    lambda rng: (b"photo", rng.integers(0, 256, (1, 3, 4, 3), np.uint8), {"max_images": 1}),
    T=(dtypes.float32, dtypes.uint8, dtypes.float16, dtypes.float64),
)
def image_summary_op(
    xp: Any, tag: Any, tensor: Any, *, max_images: int = 3, bad_color: tuple = (255, 0, 0, 255)
) -> Any:
    """Packs images as PNG files."""
    images = _host(tensor)
    if images.ndim != 4 or images.shape[-1] not in _COLOR_TYPES:
        raise invalid(f"Tensor must be 4-D with last dim 1, 3, or 4, not {shown(images)}")
    values = []
    for index, image in enumerate(images[:max_images]):
        pixels = image
        if image.dtype != np.uint8:
            pixels = _to_pixels(image, np.array(bad_color, np.uint8))
        height, width, channels = pixels.shape
        packed = protos().Summary.Image(
            height=height, width=width, colorspace=channels, encoded_image_string=png_bytes(pixels)
        )
        name = f"{_text(tag)}/image" + (f"/{index}" if max_images > 1 else "")
        values.append(protos().Summary.Value(tag=name, image=packed))
    return _serialized(*values)


# ---- TensorSummaryV2, MergeSummary -------------------------------------------------------


def _messages(*tags: str) -> list[bytes]:
    return [_serialized(protos().Summary.Value(tag=tag, simple_value=1)) for tag in tags]


@_summary_op("MergeSummary", "inputs: N*string", lambda rng: (_messages("loss", "accuracy"), {}))
def merge_summary_op(xp: Any, inputs: Any) -> Any:
    """Joins messages to one.

    Raises:
      InvalidArgumentError: when two say something under the same tag.
    """
    merged, tags = protos().Summary(), set()
    for message in (m for array in inputs for m in np.asarray(array, object).ravel()):
        for value in protos().Summary.FromString(message).value:
            if value.tag in tags:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs")
            tags.add(value.tag)
            merged.value.add().CopyFrom(value)
    return merged.SerializeToString()


# ---- the public functions ----------------------------------------------------------------


def clean_tag(name: str | None) -> str | None:
    """The name with an underscore for each character that a scope's name cannot have."""
    if name is None:
        return None
    cleaned = re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    if cleaned != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def summary_scope(
    name: str | None, family: str | None = None, default_name: str | None = None, values: Any = None
) -> Iterator[tuple[str, str]]:
    """Opens the scope of a summary; gives its tag and the scope."""
    name, family = clean_tag(name), clean_tag(family)
    base = name if family is None else f"{family}/{name}"
    with stacks.name_scope(base, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def skip_summary() -> bool:
    """Whether this replica leaves summaries to the first one."""
    place = stacks.strategies.top()
    return place is not None and bool(place.replica_id)


def collect(val: Tensor, collections: Any, default_collections: Sequence[str]) -> Tensor:
    """Lists a summary in collections, the default ones for None; gives it back."""
    for key in default_collections if collections is None else collections:
        stacks.add_to_collection(key, val)
    return val


def _summary(
    op_def: OpDef,
    name: str,
    tensors: Sequence[Any],
    collections: Any,
    family: str | None,
    default_name: str | None = None,
    **attrs: Any,
) -> Tensor:
    """A summary of tensors in a scope of its own, listed where it is to be collected."""
    if skip_summary():
        return constant("")
    with summary_scope(name, family, default_name, tensors[:1]) as (tag, scope):
        inputs = [
            convert_to_tensor(value, expected_type(arg, {}), name=arg.name)
            for value, arg in zip([tag, *tensors], op_def.inputs)
        ]
        return collect(op_def(*inputs, name=scope, **attrs), collections, [GraphKeys.SUMMARIES])


def scalar(
    name: str, tensor: Any, collections: Sequence[str] | None = None, family: str | None = None
) -> Tensor:
    """A summary of one number, drawn as a curve over the steps.

    Args:
      name: the tag; the open name scopes go before it.
      tensor: a real scalar.
      collections: where to list the summary; `[GraphKeys.SUMMARIES]` by default.
      family: a prefix of the tag, by which TensorBoard groups.

    Returns: a string scalar, a serialized `tf.Summary`.
    Example:
      >>> tf.summary.scalar("loss", tf.constant(0.5))
      <tf.Tensor 'loss:0' shape=() dtype=string>
    """
    return _summary(scalar_summary_op, name, [tensor], collections, family)


def histogram(
    name: str, values: Any, collections: Sequence[str] | None = None, family: str | None = None
) -> Tensor:
    """A summary of the distribution of numbers.

    Args:
      values: real numbers, of any shape.

    The other arguments are those of `scalar`.
    Raises:
      InvalidArgumentError: when it runs and a number is not finite.
    Example:
      >>> summary = tf.Summary.FromString(sess.run(tf.summary.histogram("w", [1., 2., 4.])))
      >>> summary.value[0].histo.max
      4.0
    """
    return _summary(histogram_summary_op, name, [values], collections, family, "HistogramSummary")


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """A summary of images.

    Args:
      tensor: [batch, height, width, channels]: 1 channel is gray, 3 are red, green and blue, 4 have
        an opacity too. uint8 is shown as it is. Floats are scaled, image by image: 0 is black
        and the largest white, or, when there are negatives, 0 is gray.
      max_outputs: how many images of the batch to keep.

    The other arguments are those of `scalar`.
    """
    if max_outputs < 1:
        raise ValueError(
            f"Attr 'max_images' of 'ImageSummary' Op passed {max_outputs} less than minimum 1."
        )
    return _summary(image_summary_op, name, [tensor], collections, family, max_images=max_outputs)


def merge(
    inputs: Sequence[Any], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """One summary that says what several say.

    Args:
      inputs: summaries.
      collections: where to list the result; nowhere by default.
      name: the name.
    Raises:
      RuntimeError: while executing eagerly.
      InvalidArgumentError: when it runs and two have the same tag.
    """
    _refuse_eager()
    name = clean_tag(name)
    with stacks.name_scope(name, "Merge", inputs):
        return collect(merge_summary_op(list(inputs), name=name), collections, ())


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """One summary that says what all of a collection say.

    Args:
      key: the collection.
      scope: takes only summaries whose names begin so.
      name: the name.

    Returns: a string scalar; None when there are no summaries.
    Raises:
      RuntimeError: while executing eagerly.
    Example:
      >>> _ = tf.summary.scalar("loss", 0.5)
      >>> merged = tf.summary.merge_all()
      >>> [value.tag for value in tf.Summary.FromString(sess.run(merged)).value]
      ['loss']
    """
    _refuse_eager()
    summaries = stacks.get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def _refuse_eager() -> None:
    if stacks.executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.contrib.summary instead."
        )


_HELD = (bool, int, float, np.generic, str, bytes, DType, TensorShape, np.ndarray)


# ---- graphs and traces -----------------------------------------------------------------


def graph_proto(graph_def: GraphDef) -> Any:
    """The message of a graph: names, types, inputs, devices and attributes of its nodes."""
    nodes = []
    for node in graph_def.node:
        attrs = {key: _held(value) for key, value in node.attrs.items() if value is not None}
        nodes.append(replace(node, attrs=attrs))
    return protos().GraphDef.FromString(encode(GraphMessage(nodes)))


def _held(value: Any, inside: bool = False) -> Any:
    """A value as a message can hold it: a function by its name, and what it cannot as a text."""
    if isinstance(value, (list, tuple)) and not inside:
        return tuple(_held(item, True) for item in value if item is not None)
    if isinstance(value, FunctionDef) or hasattr(value, "to_function_def"):
        return FunctionName(value.name)
    return value if isinstance(value, _HELD) else str(value)


def run_metadata_proto(metadata: RunMetadata) -> Any:
    """The message of what a traced run told: when each node ran, and how much it made."""
    message = protos().RunMetadata()
    for device in metadata.step_stats.dev_stats:
        message.step_stats.dev_stats.add(
            device=device.device,
            node_stats=[_stats_proto(node) for node in device.node_stats],
            thread_names=device.thread_names,
        )
    for partition in metadata.partition_graphs:
        message.partition_graphs.add().CopyFrom(graph_proto(partition))
    return message


_STATS = (
    *("node_name", "timeline_label", "thread_id"),
    *("all_start_micros", "op_start_rel_micros", "op_end_rel_micros", "all_end_rel_micros"),
)


def _stats_proto(node: NodeExecStats) -> Any:
    message = protos().NodeExecStats(**{name: getattr(node, name) for name in _STATS})
    message.memory.add(allocator_name="cpu", total_bytes=node.output_bytes)
    return message
