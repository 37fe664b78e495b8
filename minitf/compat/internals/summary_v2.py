"""`tf.compat.v2.summary`: summaries of version 2, arrays that say which plugin draws them.

    writer = tf.compat.v2.summary.create_file_writer("/tmp/log")
    with writer.as_default(step=3):
        tf.compat.v2.summary.scalar("loss", loss)       -> {tag: "loss", tensor: 0.5, "scalars"}

They are written where they are computed, eagerly, in a function or in a graph, by the writers of
`tf.contrib.summary`. The messages are made by the plugins of the `tensorboard` package.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.compat.contrib import summary_ops
from minitf.compat.contrib.summary_ops import SummaryWriter, create_file_writer, here, record_if
from minitf.compat.internals.graph_tools import get_name_scope
from minitf.core.gradients.cond import smart_cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.library.eager.script_ops import py_func
from minitf.library.formats.summary_protos import plugin, protos, tensor_proto
from minitf.library.numeric.audio import write_wav
from minitf.library.summary import summary as old
from minitf.library.summary.summary import png_bytes

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
]


def should_record_summaries() -> Any:
    """Whether summaries are recorded here; with a writer they are, if nothing else was said."""
    if here.writer is None or here.recording is None:
        return constant(here.writer is not None)
    return convert_to_tensor(summary_ops.should_record_summaries(), dtypes.bool)


def _written(name: str, data: Any, step: Any, message: Callable[[str, np.ndarray], Any]) -> Any:
    """Writes `message(tag, array)`, a `Summary`, if that is wanted; returns whether it was."""
    writer = here.writer
    if writer is None:
        return constant(False)
    step = here.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    with summary_scope(name) as (tag, _):
        value = data if isinstance(data, Tensor) else convert_to_tensor(data)

    def add(array: Any, now: Any) -> np.ndarray:
        added: np.ndarray = writer.add(message(tag, np.asarray(array)), now)
        return added

    def record() -> Tensor:
        now = convert_to_tensor(step, dtypes.int64) if isinstance(step, int) else identity(step)
        return py_func(add, [identity(value), now], dtypes.bool)

    done = smart_cond(should_record_summaries(), record, lambda: constant(False))
    if not stacks.executing_eagerly():
        stacks.add_to_collection(summary_ops.OPS, done)
    return done


def _message(tag: str, array: Any, metadata: Any) -> Any:
    value = protos().Summary.Value(tag=tag, tensor=tensor_proto(array), metadata=metadata)
    return protos().Summary(value=[value])


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Records a number.

    Args:
      name: with the name scopes around it, the tag.
      data: a number, or a tensor of shape [].
      step: a number or an integer tensor; by default that of the writer or of `set_step`.
      description: shown beside it, in Markdown.
    Returns: whether it was recorded, a bool tensor.
    Raises:
      ValueError: when there is no step, or `data` has a shape.
    """
    given = convert_to_tensor(data)
    if given.shape.ndims:
        raise ValueError(f"Expected scalar shape, saw shape: {given.shape}.")
    make = plugin("scalar.summary_v2").scalar_pb
    return _written(name, given, step, lambda tag, x: make(tag, x.astype("f"), description))


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Any:
    """Records how numbers are distributed, in `buckets` of one width (30 by default)."""
    make = plugin("histogram.summary_v2").histogram_pb
    return _written(name, data, step, lambda tag, x: make(tag, x, buckets, description))


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Any:
    """Records images: [count, height, width, channels] of floats from 0 to 1, or of bytes."""
    metadata = plugin("image.metadata").create_summary_metadata(None, description)

    def message(tag: str, images: np.ndarray) -> Any:
        _, height, width, _ = images.shape
        if images.dtype.kind == "f":
            images = np.clip(images * 255.5, 0, 255)
        files = [png_bytes(each) for each in images[:max_outputs].astype(np.uint8)]
        sizes = [str(width).encode(), str(height).encode()]
        return _message(tag, np.array([*sizes, *files], object), metadata)

    return _written(name, data, step, message)


def audio(
    name: str,
    data: Any,
    sample_rate: int,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Records sounds: [count, samples, channels] of floats from -1 to 1, as WAV files."""
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    kinds = plugin("audio.metadata")
    metadata = kinds.create_summary_metadata(None, description, kinds.Encoding.Value("WAV"))

    def message(tag: str, sounds: np.ndarray) -> Any:
        files = [[write_wav(each, int(sample_rate)), b""] for each in sounds[:max_outputs]]
        return _message(tag, np.array(files, object).reshape(-1, 2), metadata)

    return _written(name, data, step, message)


# ---- experimental --------------------------------------------------------------------------------


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A name scope for the operations of a summary: gives the tag and the scope."""
    outer = get_name_scope()
    tag = f"{outer}/{name or default_name}" if outer else name or default_name
    with stacks.name_scope(name or default_name) as scope:
        yield tag, scope


# ---- tf.summary of version 1, called as that of version 2 ----------------------------------------


def _of_both(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """The function of version 1, unless the call can only be one of version 2."""

    @functools.wraps(first)
    def either(*args: Any, **kwargs: Any) -> Any:
        later = not kwargs.keys().isdisjoint(("data", "step", "description", "buckets"))
        if later or (stacks.executing_eagerly() and here.writer is not None):
            return second(*args, **kwargs)
        return first(*args, **kwargs)

    return either


scalar_of_both, histogram_of_both = _of_both(old.scalar, scalar), _of_both(old.histogram, histogram)
image_of_both, audio_of_both = _of_both(old.image, image), _of_both(old.audio, audio)
