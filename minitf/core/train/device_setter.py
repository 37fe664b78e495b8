"""Device functions of between-graph replication: variables to parameter servers, the rest here.

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        W1 = tf.Variable(...)       # /job:ps/task:0
        W2 = tf.Variable(...)       # /job:ps/task:1
        y = tf.matmul(x, W1)        # /job:worker

Every worker builds the same graph and so finds the same variables on the same tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.core.graph.device_spec import parsed
from minitf.core.graph.graph import Operation

#: The types of operations that hold what is trained.
STANDARD_PS_OPS = tuple(
    """
    Variable VariableV2 AutoReloadVariable VarHandleOp BoostedTreesEnsembleResourceHandleOp
    MutableHashTable MutableHashTableV2 MutableHashTableOfTensors MutableHashTableOfTensorsV2
    MutableDenseHashTable MutableDenseHashTableV2
    """.split()
)


class RoundRobinStrategy:
    """Deals operations out to the tasks in turn.

    Args:
      num_tasks: the number of parameter servers.
    """

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks = num_tasks
        self._next_task = 0

    def __call__(self, op: Operation) -> int:
        """Returns the task for `op`."""
        task = self._next_task
        self._next_task = (task + 1) % self._num_tasks
        return task


class GreedyLoadBalancingStrategy:
    """Gives each operation to the task with the least load so far.

    Args:
      num_tasks: the number of parameter servers.
      load_fn: the load of one operation, as `byte_size_load_fn`.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[Operation], float]) -> None:
        self._load_fn = load_fn
        self._loads = [0.0] * num_tasks

    def __call__(self, op: Operation) -> int:
        """Returns the task for `op`."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Operation) -> int:
    """Returns the bytes of the one output of `op`, whose shape must be known.

    Raises:
      ValueError: when it has not exactly one output.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output, but has {len(op.outputs)} outputs.")
    output = op.outputs[0]
    output.shape.assert_is_fully_defined()
    return output.dtype.size * (output.shape.num_elements() or 0)


@dataclass(frozen=True)
class _ReplicaDeviceChooser:
    """What `replica_device_setter` returns the device function of."""

    ps_tasks: int
    ps_device: str
    worker_device: str
    merge_devices: bool
    ps_ops: Sequence[str]
    ps_strategy: Callable[[Operation], int]

    def device_function(self, op: Operation) -> str:
        """Returns the device of `op`: what it asks for itself, completed from here."""
        if not self.merge_devices and op.device:
            return op.device
        asked = parsed(op.device or "")
        if self.ps_tasks and self.ps_device and op.type in self.ps_ops:
            device = parsed(self.ps_device)
            # A task of the parameter servers' job is only chosen where it stays in that job.
            if device.job and asked.job in (None, device.job):
                device = device.replace(task=self.ps_strategy(op))
        else:
            device = parsed(self.worker_device or "")
        return device.make_merged_spec(asked).to_string()


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """Returns a device function for `tf.device` that spreads variables over parameter servers.

    Args:
      ps_tasks: the number of parameter servers; taken from `cluster` when that is given.
      ps_device: their device; the task is filled in.
      worker_device: the device of everything else.
      merge_devices: complete the devices that operations ask for, instead of leaving them alone.
      cluster: a `ClusterSpec`, its `ClusterDef`, or a dict from job to addresses.
      ps_ops: the types of operations that go to parameter servers; variables by default.
      ps_strategy: a function from operation to task; round robin by default.

    Returns: the device function; None when there are no parameter servers.
    Raises:
      TypeError: when `cluster` or `ps_strategy` has the wrong kind.
    Example:
      >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
      ...     tf.Variable(0.0).device
      '/job:ps/task:0'
    """
    if cluster is not None:
        if hasattr(cluster, "job"):
            cluster = {job.name: dict(job.tasks) for job in cluster.job}
        jobs = cluster.as_dict() if hasattr(cluster, "as_dict") else cluster
        if not isinstance(jobs, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )
        ps_job = parsed(ps_device).job
        if not jobs.get(ps_job):
            return None
        ps_tasks = len(jobs[ps_job])
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        ps_strategy = RoundRobinStrategy(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    ps_ops = STANDARD_PS_OPS if ps_ops is None else ps_ops
    chooser = _ReplicaDeviceChooser(
        ps_tasks, ps_device, worker_device, merge_devices, ps_ops, ps_strategy
    )
    return chooser.device_function
