"""`tf.data.Options`: how a pipeline is run, beside what it computes."""

from __future__ import annotations

from typing import Any


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
