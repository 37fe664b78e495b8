"""Summaries of tensors and of whole collections of them, as `tf.contrib.layers` makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, less_equal
from minitf.core.ops.logging_ops import Print
from minitf.core.ops.reductions import reduce_mean
from minitf.library.numeric.statistics import zero_fraction
from minitf.library.summary import summary


def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor:
    """A summary of a scalar as a number, of anything else as a histogram.

    Args:
      tensor: what to summarize.
      tag: by default the tensor's name and "_summary".
    """
    tag = tag or f"{tensor.op.name}_summary"
    if tensor.shape.ndims == 0:
        return summary.scalar(tag, tensor)
    return summary.histogram(tag, tensor)


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of what a layer gives; of a relu also how much of it is 0 (or 6)."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        zeros = reduce_mean(cast(less_equal(op, cast(0, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/zeros", zeros)
    if op.op.type == "Relu6":
        sixes = reduce_mean(cast(greater(op, cast(6, op.dtype)), dtypes.float32))
        summary.scalar(f"{op.op.name}/sixes", sixes)
    return summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensors(
    tensors: Iterable[Any], summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """A summary of each tensor."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str,
    name_filter: str | None = None,
    summarizer: Callable[[Any], Tensor] = summarize_tensor,
) -> list[Tensor]:
    """A summary of each tensor of a collection whose name matches `name_filter`."""
    return summarize_tensors(stacks.get_collection(collection, name_filter), summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_activation
) -> list[Tensor]:
    """A summary of each tensor in `GraphKeys.ACTIVATIONS`."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


def summarize_variables(
    name_filter: str | None = None, summarizer: Callable[[Any], Tensor] = summarize_tensor
) -> list[Tensor]:
    """A summary of each global variable."""
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


# ---- `tf.contrib.slim.summaries` -----------------------------------------------------------


def _of(kind: str, make: Callable[[str, Any], Tensor]) -> tuple[Callable, Callable]:
    """The functions that make one summary of a kind, and one of each of several tensors."""

    def one(
        tensor: Any, name: str | None = None, prefix: str | None = None,
        print_summary: bool = False,
    ) -> Tensor:  # fmt: skip
        name = name or tensor.op.name
        made = make(f"{prefix}/{name}" if prefix else name, tensor)
        if print_summary:  # it speaks whenever the summaries are computed
            listed = stacks.get_collection_ref(GraphKeys.SUMMARIES)
            listed[listed.index(made)] = made = Print(made, [tensor], f"{name}: ")
        return made

    def several(
        tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
    ) -> list[Tensor]:
        return [one(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]

    one.__doc__ = f"Adds a {kind} of a tensor, named after it or by `name`, below `prefix`."
    several.__doc__ = f"Adds a {kind} of each of several tensors."
    return one, several


add_histogram_summary, add_histogram_summaries = _of("histogram", summary.histogram)
add_image_summary, add_image_summaries = _of("picture", summary.image)
add_scalar_summary, add_scalar_summaries = _of("number", summary.scalar)
add_zero_fraction_summary, add_zero_fraction_summaries = _of(
    "part of zeros", lambda name, tensor: summary.scalar(name, zero_fraction(tensor))
)
