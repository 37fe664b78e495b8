"""Where a program is: between the replicas of a strategy, or in one of them.

    with strategy.scope():               Place(strategy, None)             between the replicas
        strategy.run(step)  --------->   Place(strategy, ReplicaContext)   in each replica
            context.merge_call(f)  --->  Place(strategy, None)             where the replicas meet
                extended.update(v, g) -> Place(strategy, None, copy=i)     at each copy

The places stand on `stacks.strategies`, where the layers below find them: an optimizer asks for
`top()`, and outside of everything there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import constant
from minitf.library.distribute.cross_device_ops import ReduceOp
from minitf.library.distribute.values import Mirrored, select_replica
from minitf.library.eager.custom_gradient import custom_gradient


@dataclass(frozen=True)
class Place:
    """One item of `stacks.strategies`.

    Args:
      strategy: the strategy.
      replica_context: of the replica; None between the replicas.
      copy: which copy of a variable is being updated; None where none is.
    """

    strategy: Any
    replica_context: ReplicaContext | None = None
    copy: int | None = None

    @property
    def replica_id(self) -> int | None:
        """Which replica, or which copy, it is; None between replicas."""
        return self.copy if self.replica_context is None else self.replica_context._replica_id


class ReplicaContext:
    """What a replica knows of itself; `tf.distribute.get_replica_context()` gives it.

    Args:
      strategy: the strategy whose replica it is.
      replica_id_in_sync_group: its number, an integer.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group
        self._entered: list[AbstractContextManager] = []

    def __enter__(self) -> ReplicaContext:
        self._entered.append(stacks.strategies.entered(Place(self._strategy, self)))
        self._entered[-1].__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._entered.pop().__exit__(*exc_info)

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are added."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The replica's number among them, a scalar int32 tensor."""
        return constant(
            self._strategy.extended._replica_id_in_sync_group(self._replica_id),
            dtypes.int32,
            name="replica_id_in_sync_group",
        )

    @property
    def devices(self) -> list[str]:
        """The devices of this replica, a list of one."""
        return [self._strategy.extended.worker_devices[self._replica_id]]

    def merge_call(self, merge_fn: Callable, args: Any = (), kwargs: Any = None) -> Any:
        """Waits for all replicas, and calls a function once with the values of all of them.

        Args:
          merge_fn: called as `merge_fn(strategy, *args, **kwargs)` between the replicas; the
            arguments are `PerReplica`s where the replicas gave different values.
          args, kwargs: this replica's arguments.
        Returns: what the function returned, this replica's part of it.
        """
        return self._merge_call(merge_fn, args, {} if kwargs is None else kwargs)

    def _merge_call(self, merge_fn: Callable, args: Any, kwargs: Any) -> Any:
        """There is one replica alone: nobody is to be waited for."""
        with stacks.strategies.entered(Place(self._strategy)):
            return select_replica(0, merge_fn(self._strategy, *args, **kwargs))

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or mean of the values of all replicas.

        Args:
          reduce_op: a `ReduceOp`.
          value: this replica's: a tensor or a structure of them.
        """
        operation = ReduceOp.of(reduce_op)

        def reduce(strategy: Any, *flat: Any) -> list:
            found = strategy.extended.batch_reduce_to(operation, [(each, each) for each in flat])
            return [each if isinstance(each, Mirrored) else Mirrored([each]) for each in found]

        @custom_gradient  # what reaches one replica's result depends on the values of all
        def reduced(*flat: Any) -> tuple:
            found = self.merge_call(reduce, flat)
            return found, lambda *dy: nest.flatten(self.all_reduce(operation, list(dy)))

        found = reduced(*nest.flatten(value))
        return nest.pack_sequence_as(value, nest.flatten(found))


@dataclass(frozen=True)
class InputContext:
    """What an input function knows of the pipelines beside its own.

    Args:
      num_input_pipelines: how many there are: one a worker.
      input_pipeline_id: which of them this one is.
      num_replicas_in_sync: how many replicas a global batch is for.
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The rows of a global batch that each replica gets.

        Raises:
          ValueError: when they cannot be shared out evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, "
            f"total: {self.num_input_pipelines})"
        )
