"""`tf.data.Options`: how a pipeline is run, beside what it computes; and what it counts meanwhile.

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
from typing import TYPE_CHECKING, Any

from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.summary_protos import protos
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    Source,
    counting,
    dataset_op,
    on_host,
)
from minitf.library.summary.summary import histogram_proto

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset


class _Settings:
    """Attributes with types, None where the program says nothing; others are refused."""

    _types: dict[str, type] = {}  # noqa: RUF012

    def __init__(self) -> None:
        for name in self._types:
            object.__setattr__(self, name, self._default(name))

    def _default(self, name: str) -> Any:
        kind = self._types[name]
        return kind() if issubclass(kind, _Settings) else None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._types:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._types[name]
        if not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in self._types
        )

    __hash__ = None  # type: ignore[assignment]

    def merge(self, options: Any) -> Any:
        """Both together; the other's where both say something.

        Raises:
          TypeError: when they are of another kind.
        """
        if type(options) is not type(self):
            raise TypeError(
                f"Could not merge incompatible options of type {type(options)} and {type(self)}."
            )
        merged = type(self)()
        for name in self._types:
            own, given = getattr(self, name), getattr(options, name)
            if isinstance(own, _Settings):
                setattr(merged, name, own.merge(given))
            elif own is not None or given is not None:
                setattr(merged, name, own if given is None else given)
        return merged


class MapVectorizationOptions(_Settings):
    """Whether functions of one element run for a whole batch; they do wherever they can."""

    _types = {"enabled": bool, "use_choose_fastest": bool}  # noqa: RUF012


class OptimizationOptions(_Settings):
    """Which rewritings of a pipeline are wished; results never depend on them."""

    _types = {  # noqa: RUF012
        "apply_default_optimizations": bool,
        "autotune": bool,
        "autotune_buffers": bool,
        "autotune_cpu_budget": int,
        "filter_fusion": bool,
        "filter_with_random_uniform_fusion": bool,
        "hoist_random_uniform": bool,
        "map_and_batch_fusion": bool,
        "map_and_filter_fusion": bool,
        "map_fusion": bool,
        "map_parallelization": bool,
        "map_vectorization": MapVectorizationOptions,
        "noop_elimination": bool,
        "parallel_batch": bool,
        "shuffle_and_repeat_fusion": bool,
    }


class ThreadingOptions(_Settings):
    """How many threads a pipeline may have.

    Attributes:
      private_threadpool_size: how many at most a parallel map has.
      max_intra_op_parallelism: a wish; NumPy's threads are those of the process.
    """

    _types = {  # noqa: RUF012
        "max_intra_op_parallelism": int,
        "private_threadpool_size": int,
    }


class StatsOptions(_Settings):
    """What is counted while a pipeline runs."""

    _types = {  # noqa: RUF012
        "aggregator": object,
        "counter_prefix": str,
        "latency_all_edges": bool,
        "prefix": str,
    }


class DistributeOptions(_Settings):
    """How a pipeline is split among workers: programs do so themselves, by `shard`.

    Attributes:
      auto_shard, auto_shard_policy, num_devices: wishes for what splits it by itself.
    """

    _types = {"auto_shard": bool, "auto_shard_policy": object, "num_devices": int}  # noqa: RUF012


class Options(_Settings):
    """How a pipeline is run; `dataset.with_options(options)` gives it to a dataset.

    Attributes:
      experimental_deterministic: False lets parallel transformations give out what is ready first.
      experimental_optimization, experimental_threading, experimental_stats,
        experimental_distribute: more of it, in groups.
      experimental_slack: a wish for when a prefetched element is computed; changes no element.
      experimental_external_state_policy: accepted.
    """

    _types = {  # noqa: RUF012
        "experimental_deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": object,
        "experimental_optimization": OptimizationOptions,
        "experimental_slack": bool,
        "experimental_stats": StatsOptions,
        "experimental_threading": ThreadingOptions,
    }


class _Told(Source):
    """A dataset whose context is told something before it is walked over.

    Args:
      source: the dataset.
      tell: what is done with the context.
    """

    __slots__ = ()

    def __init__(self, source: Source, tell: Callable[[Context], None]) -> None:
        super().__init__(source.cursor, source, tell)

    def iterate(self, context: Context) -> Cursor:
        source, tell = self.parts
        tell(context)
        return source.iterate(context)

    def length(self) -> float:
        return self.parts[0].length()


@dataset_op(
    "OptionsDataset",
    "input_dataset: variant",
    shown=(lambda: options_op(counting(), keeps_order=False), range(5)),
)
def options_op(source: Source, *, keeps_order: bool = True, threads: int = 0) -> Source:
    """The same dataset; parallel transformations in it may give out what is ready first, or are
    told how many threads they may have.
    """

    def tell(context: Context) -> None:
        if context.keeps_order is None:  # the options given last say it
            context.keeps_order, context.threads = keeps_order, threads

    return _Told(source, tell)


# ---- statistics --------------------------------------------------------------------------

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


@dataset_op(
    "ExperimentalSetStatsAggregatorDataset",
    "input_dataset: variant, stats_aggregator: resource",
    shown=(lambda: set_stats_aggregator_op(counting(), stats_aggregator_op()), range(5)),
)
def set_stats_aggregator_op(source: Source, statistics: Statistics, *, prefix: str = "") -> Source:
    """The same dataset; what it counts goes to an aggregator."""

    def tell(context: Context) -> None:
        if context.report is None:  # the options given last say it
            context.report = Reporter(statistics, prefix)

    return _Told(source, tell)


class _Measured(Cursor):
    """The elements of a dataset, with a number for each that goes to the aggregator."""

    def __init__(self, context: Context, source: Source, tag: str) -> None:
        super().__init__(context, source)
        self._report, self._tag = context.report, tag

    def measure(self) -> tuple[Element, float]:
        """An element, and its number."""
        raise NotImplementedError

    def next(self) -> Element:
        element, number = self.measure()
        if self._report is not None:
            self._report.add(self._tag, number)
        return element


@dataset_op(
    "ExperimentalLatencyStatsDataset",
    "input_dataset: variant, tag: string",
    shown=(lambda: Latency.op(counting(), b"tag"), range(5)),
)
class Latency(_Measured):
    """The same elements; times are counted."""

    def measure(self) -> tuple[Element, float]:
        start = time.perf_counter()
        element = self._input.next()
        return element, (time.perf_counter() - start) * 1e6


@dataset_op(
    "ExperimentalBytesProducedStatsDataset",
    "input_dataset: variant, tag: string",
    shown=(lambda: BytesProduced.op(counting(), b"tag"), range(5)),
)
class BytesProduced(_Measured):
    """The same elements; their bytes are counted."""

    def measure(self) -> tuple[Element, float]:
        element = self._input.next()
        return element, sum(getattr(value, "nbytes", None) or len(value) for value in element)


def latency_stats(tag: Any) -> Callable[[Dataset], Dataset]:
    """A histogram of how long each element took, in microseconds, under a tag."""
    return lambda dataset: dataset._then(Latency.op, tag)


def bytes_produced_stats(tag: Any) -> Callable[[Dataset], Dataset]:
    """A histogram of the sizes of elements, in bytes, under a tag."""
    return lambda dataset: dataset._then(BytesProduced.op, tag)
