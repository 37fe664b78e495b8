"""`tf.data.experimental.StatsAggregator`: what a pipeline counts while it runs.

    options.experimental_stats.aggregator = aggregator = tf.data.experimental.StatsAggregator()
    dataset = dataset.apply(tf.data.experimental.latency_stats("parsing")).with_options(options)
    sess.run(aggregator.get_summary())            a Summary: histograms and scalars by tag

Prefetching and parallel maps report by themselves how full their buffers are and how many of their
threads are busy: so one can watch what `AUTOTUNE` chooses.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from minitf.core.graph.op_def import op, scalar_shape
from minitf.library.formats.summary_protos import protos
from minitf.library.input.data.iterator_ops import dataset_op, numbers, some_numbers
from minitf.library.input.data.runtime import Context, Cursor, Source
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
    differentiable=False,
    program=lambda folder: [(stats_aggregator_summary_op(stats_aggregator_op()), b"")],
)
def stats_aggregator_op(ctx: Any, *, container: str = "", shared_name: str = "") -> Statistics:
    """Gives the handle of an aggregator."""
    found: Statistics = ctx.shared("statistics", lambda name: Statistics())
    return found


@op(
    "StatsAggregatorSummary",
    "iterator: resource -> summary: string",
    differentiable=False,
    program=lambda folder: [(stats_aggregator_summary_op(stats_aggregator_op()), b"")],
)
def stats_aggregator_summary_op(ctx: Any, iterator: Any) -> bytes:
    """Packs what was counted so far."""
    return iterator.summary()


stats_aggregator_op.shape(scalar_shape)
stats_aggregator_summary_op.shape(scalar_shape)


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
