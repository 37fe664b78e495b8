"""`TPUStrategy`: a replica on each core of a (simulated) TPU; older ways to use the cores.

resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
tf.tpu.experimental.initialize_tpu_system(resolver)
strategy = tf.distribute.experimental.TPUStrategy(resolver)

tpu.replicate, batch_parallel, rewrite     call a function on the cores
CrossShardOptimizer                        brings the gradients of such a function together
bfloat16_scope                             gives what is computed in it variables of float32
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.cast import cast
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variable_scope import VariableScope, variable_scope
from minitf.library.distribute.mirrored import MirroredStrategy
from minitf.library.distribute.tpu_system import TPUClusterResolver
from minitf.library.distribute.values import PerReplica
from minitf.library.losses import Reduction
from minitf.library.optimizers.optimizers import AroundOptimizer


class TPUStrategy(MirroredStrategy):
    """One replica on each TPU core, step by step together. The cores are simulated.

    Args:
      tpu_cluster_resolver: says which TPU; this process's simulated one by default.
      steps_per_run: kept: how many steps a program means to run at once.
    Example:
      >>> resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
      >>> strategy = tf.distribute.experimental.TPUStrategy(resolver)
      >>> strategy
      <TPUStrategy on 8 simulated TPU cores>
      >>> strategy.num_replicas_in_sync
      8
    """

    def __init__(
        self,
        tpu_cluster_resolver: TPUClusterResolver | None = None,
        steps_per_run: int | None = None,
    ) -> None:
        self.cluster_resolver = resolver = tpu_cluster_resolver or TPUClusterResolver("")
        cores = resolver.num_accelerators()["TPU"]
        if not cores:
            raise RuntimeError(f"{resolver!r} has no simulated TPU cores.")
        names = [f"/device:TPU:{i}" for i in range(cores)]
        if resolver.master():
            names = [f"/job:{resolver.task_type}/task:0{name}" for name in names]
        super().__init__(names)
        self.steps_per_run = steps_per_run or 1

    def __repr__(self) -> str:
        return f"<TPUStrategy on {self.num_replicas_in_sync} simulated TPU cores>"

    def _session_target(self) -> str:
        return self.cluster_resolver.master()


# ---- functions on cores --------------------------------------------------------------------


class CrossShardOptimizer(AroundOptimizer):
    """An optimizer for functions on TPU cores: it applies the mean of the cores' gradients.

    Args:
      opt: the optimizer.
      reduction: `tf.losses.Reduction.MEAN`, or SUM to add the gradients.
      name: accepted.
      group_assignment: only all cores as one group.
    Raises:
      ValueError, TypeError: when an argument is something else.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        accepted = (Reduction.SUM, Reduction.MEAN)
        if reduction not in accepted:
            raise ValueError(
                f"Argument `reduction` should be one of {accepted}. Received: {reduction}"
            )
        if not isinstance(opt, Optimizer):
            raise TypeError(
                "CrossShardOptimizer only works with tf.training.Optimizer and not Keras "
                f"Optimizer. Received: {opt}."
            )
        if group_assignment and len(group_assignment) > 1:
            raise ValueError("CrossShardOptimizer adds the gradients of all cores, not of groups.")
        super().__init__(opt, False, name)
        self._reduction = reduction

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The gradients of this core's share of the loss; see `Optimizer.compute_gradients`."""
        place = stacks.strategies.top()
        cores = 1 if place is None else place.strategy.num_replicas_in_sync
        if cores > 1 and self._reduction == Reduction.MEAN:
            loss = loss * (1.0 / cores)
        return super().compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Updates the variables by the sum over all cores; see `Optimizer.apply_gradients`."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)


def replicate(
    computation: Callable,
    inputs: Sequence[Sequence[Any]] | None = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> list[list[Any]]:
    """Calls a function on several cores.

    Args:
      computation: the function; what it makes of operations runs with each of its results.
      inputs: for each core the list of arguments; one core without any by default.
      infeed_queue: None.
      device_assignment: accepted: the first cores are taken.
      name: the name scope.
    Returns: for each core the list of results.
    """
    every = [[convert_to_tensor(x) for x in each] for each in (inputs or [[]])]
    strategy = TPUStrategy()
    if len(every) > strategy.num_replicas_in_sync:
        raise ValueError(
            f"{len(every)} replicas were asked for, but there are "
            f"{strategy.num_replicas_in_sync} simulated TPU cores."
        )
    strategy._devices = strategy._devices[: len(every)]

    def call(*own: Any) -> list[Any]:
        found = computation(*own)
        flat = list(found) if isinstance(found, (list, tuple)) else [found]
        tensors = [convert_to_tensor(x) for x in flat if hasattr(x, "dtype")]
        operations = [x for x in flat if x is not None and not hasattr(x, "dtype")]
        with stacks.control_dependencies(operations):
            return [identity(x) for x in tensors] or [control_ops.no_op()]

    arguments = [PerReplica(column) for column in zip(*every, strict=True)]
    with stacks.name_scope(name, "tpu_replicate"), strategy.scope():
        results = strategy.call_for_each_replica(call, args=arguments)
    columns = [strategy.experimental_local_results(each) for each in results]
    return [list(row) for row in zip(*columns, strict=True)]


def rewrite(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> Any:
    """Calls a function on one core; see `replicate`.

    Args:
      inputs: its arguments.
    Returns: a list of its results.
    """
    return replicate(computation, None if inputs is None else [inputs], name=name)[0]


def batch_parallel(
    computation: Callable,
    inputs: Sequence[Any] | None = None,
    num_shards: int = 1,
    infeed_queue: Any = None,
    device_assignment: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Cuts the inputs along the first axis, calls a function on so many cores, joins the results.

    Args:
      computation: the function.
      inputs: its arguments, whole.
      num_shards: how many cores.
      infeed_queue, device_assignment: see `replicate`.
      name: the name scope.
    Returns: a list of results.
    """
    if num_shards <= 0:
        raise ValueError(
            f"num_shards must be a positive integer. Received num_shards: {num_shards}"
        )
    parts = [split(convert_to_tensor(x), num_shards) for x in inputs or ()]
    results = replicate(computation, [[p[i] for p in parts] for i in range(num_shards)], name=name)
    return [
        concat(list(column), 0) if hasattr(column[0], "dtype") else column[0]
        for column in zip(*results, strict=True)
    ]


def initialize_system(embedding_config: Any = None, job: str | None = None) -> Any:
    """An operation that makes a TPU ready: simulated cores are."""
    return control_ops.no_op(name="initialize_tpu_system")


def shutdown_system(job: str | None = None) -> Any:
    """An operation that ends the use of a TPU."""
    return control_ops.no_op(name="shutdown_tpu_system")


# ---- bfloat16 ----------------------------------------------------------------------------


@contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[VariableScope]:
    """A variable scope in which `get_variable` of bfloat16 keeps float32, and gives it rounded.

    Args:
      name: of the scope; no scope of names when None.
    Example:
      >>> with tf.contrib.tpu.bfloat16_scope():
      ...     w = tf.get_variable("w", [2], tf.bfloat16)
      >>> w.dtype, tf.global_variables()[-1].dtype
      (tf.bfloat16, tf.float32_ref)
    """
    with variable_scope(name or "", custom_getter=_rounded_getter) as scope:
        yield scope


def _rounded_getter(getter: Callable, *args: Any, **kwargs: Any) -> Any:
    if kwargs["dtype"] != dtypes.bfloat16:
        return getter(*args, **kwargs)
    return cast(getter(*args, **{**kwargs, "dtype": dtypes.float32}), dtypes.bfloat16)
