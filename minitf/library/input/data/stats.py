"""`tf.data.experimental.StatsAggregator`: what a pipeline counts while it runs.

    options.experimental_stats.aggregator = aggregator = tf.data.experimental.StatsAggregator()
    dataset = dataset.apply(tf.data.experimental.latency_stats("parsing")).with_options(options)
    sess.run(aggregator.get_summary())            a Summary: histograms and scalars by tag

Prefetching and parallel maps report by themselves how full their buffers are and how many of their
threads are busy: so one can watch what `AUTOTUNE` chooses.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.summary_protos import protos
from minitf.library.input.data.iterator_ops import dataset_op, numbers, on_host, some_numbers
from minitf.library.input.data.runtime import Context, Cursor, Element, Source
from minitf.library.summary.summary import histogram_proto

_KEPT = 100_000  # values of one histogram, the latest


class Statistics:
    """What was counted, by tag; several threads may add to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, deque[float]] = {}
        self._scalars: dict[str, float] = {}

    def add(self, tag: str, value: float) -> None:
        """Adds a value to a histogram."""
        with self._lock:
            self._values.setdefault(tag, deque(maxlen=_KEPT)).append(value)

    def set(self, tag: str, value: float) -> None:
        """Sets a scalar."""
        with self._lock:
            self._scalars[tag] = value

    def summary(self) -> bytes:
        """All of it as a serialized `Summary`."""
        with self._lock:
            values = {tag: list(found) for tag, found in self._values.items()}
            scalars = dict(self._scalars)
        message = protos().Summary()
        for tag, found in values.items():
            message.value.add(tag=tag).histo.CopyFrom(histogram_proto(found))
        for tag, number in scalars.items():
            message.value.add(tag=tag, simple_value=number)
        return bytes(message.SerializeToString())


# ---- the aggregator ----------------------------------------------------------------------


@op(
    "StatsAggregatorHandleV2",
    "-> handle: resource",
    program=lambda folder: [(stats_aggregator_summary_op(stats_aggregator_op()), b"")],
)
def stats_aggregator_op(ctx: Any, *, container: str = "", shared_name: str = "") -> Statistics:
    """Gives the handle of an aggregator."""
    found: Statistics = ctx.shared("statistics", lambda name: Statistics())
    return found


@op(
    "StatsAggregatorSummary",
    "iterator: resource -> summary: string",
    program=lambda folder: [(stats_aggregator_summary_op(stats_aggregator_op()), b"")],
)
def stats_aggregator_summary_op(ctx: Any, iterator: Any) -> bytes:
    """Packs what was counted so far."""
    return iterator.summary()


stats_aggregator_op.shape(scalar_shape)
stats_aggregator_summary_op.shape(scalar_shape)


class StatsAggregator:
    """Collects what the pipelines count to which `Options` gave it.

    Example:
      >>> options = tf.data.Options()
      >>> aggregator = tf.data.experimental.StatsAggregator()
      >>> options.experimental_stats.aggregator = aggregator
    """

    def __init__(self) -> None:
        self._resource = on_host(stats_aggregator_op)

    def get_summary(self) -> Tensor:
        """A string tensor: a serialized `Summary` of what was counted so far.

        Raises (when it runs):
          ImportError: when TensorBoard, which brings the messages, is not installed.
        """
        summary: Tensor = on_host(stats_aggregator_summary_op, self._resource)
        return summary


@dataset_op(
    "ExperimentalSetStatsAggregatorDataset",
    "input_dataset: variant, stats_aggregator: resource",
    elements=(
        lambda: set_stats_aggregator_dataset_op(some_numbers(), stats_aggregator_op()),
        numbers(0, 1, 2, 3, 4),
    ),
)
def set_stats_aggregator_dataset_op(
    xp: Any, input_dataset: Any, stats_aggregator: Any, *, prefix: str = "", **attrs: Any
) -> Source:
    """The same dataset; what it counts goes to an aggregator."""
    return Source(_counted, input_dataset, Reporter(stats_aggregator, prefix))


class Reporter:
    """What the cursors of a pipeline tell: it puts the prefix before their tags.

    Args:
      statistics: where to.
      prefix: the prefix, "" for none.
    """

    def __init__(self, statistics: Statistics, prefix: str) -> None:
        self._statistics = statistics
        self._before = f"{prefix}::" if prefix else ""

    def add(self, tag: str, value: float) -> None:
        """Adds a value to a histogram."""
        self._statistics.add(self._before + tag, value)

    def set(self, tag: str, value: float) -> None:
        """Sets a scalar."""
        self._statistics.set(self._before + tag, value)


def _counted(context: Context, source: Source, reporter: Reporter) -> Cursor:
    if context.report is None:  # the options given last say it
        context.report = reporter
    return source.iterate(context)


# ---- what is counted where a program asks for it -----------------------------------------

Measure = Callable[[Cursor], tuple[Element, float]]


class Measured(Cursor):
    """The elements of a dataset, with a number for each that goes to the aggregator.

    Args:
      tag: of the histogram.
      measure: gives an element of a cursor, and the number.
    """

    def __init__(self, context: Context, source: Source, tag: str, measure: Measure) -> None:
        self._input = source.iterate(context)
        self._report, self._tag, self._measure = context.report, tag, measure

    def next(self) -> Element:
        element, number = self._measure(self._input)
        if self._report is not None:
            self._report.add(self._tag, number)
        return element


def _microseconds(cursor: Cursor) -> tuple[Element, float]:
    start = time.perf_counter()
    element = cursor.next()
    return element, (time.perf_counter() - start) * 1e6


def _bytes(cursor: Cursor) -> tuple[Element, float]:
    element = cursor.next()
    return element, sum(getattr(value, "nbytes", None) or len(value) for value in element)


def _measured_op(type_name: str, measure: Measure, doc: str) -> OpDef:
    def kernel(xp: Any, input_dataset: Any, tag: Any, **attrs: Any) -> Source:
        text = tag.decode(errors="replace") if isinstance(tag, bytes) else str(tag)
        return Source(Measured, input_dataset, text, measure)

    kernel.__doc__ = doc
    made: OpDef = dataset_op(
        type_name,
        "input_dataset: variant, tag: string",
        elements=(lambda: made(some_numbers(), b"tag"), numbers(0, 1, 2, 3, 4)),
    )(kernel)
    return made


latency_stats_dataset_op = _measured_op(
    "ExperimentalLatencyStatsDataset", _microseconds, "The same elements; times are counted."
)
bytes_produced_stats_dataset_op = _measured_op(
    "ExperimentalBytesProducedStatsDataset", _bytes, "The same elements; their bytes are counted."
)


def _stats(make: OpDef, tag: Any) -> Callable[[Any], Any]:
    return lambda dataset: dataset._then(make, tag)


def latency_stats(tag: Any) -> Callable[[Any], Any]:
    """A histogram of how long each element took, in microseconds, under a tag."""
    return _stats(latency_stats_dataset_op, tag)


def bytes_produced_stats(tag: Any) -> Callable[[Any], Any]:
    """A histogram of the sizes of elements, in bytes, under a tag."""
    return _stats(bytes_produced_stats_dataset_op, tag)
