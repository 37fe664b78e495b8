"""Device functions of between-graph replication: variables go to parameter servers.

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        W1 = tf.Variable(...)       # /job:ps/task:0
        W2 = tf.Variable(...)       # /job:ps/task:1
        y = tf.matmul(x, W1)        # /job:worker

Every worker builds the same graph, and so finds the same variables on the same tasks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
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


class GreedyLoadBalancingStrategy:
    """Assigns each operation to the task with the least load so far.

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
    turns = itertools.cycle(range(ps_tasks))
    task_of = (lambda op: next(turns)) if ps_strategy is None else ps_strategy
    if not callable(task_of):
        raise TypeError("ps_strategy must be callable")
    on_servers = STANDARD_PS_OPS if ps_ops is None else ps_ops

    def device_function(op: Operation) -> str:
        """Returns the device of `op`: its requested device, completed."""
        if not merge_devices and op.device:
            return op.device
        asked = parsed(op.device or "")
        if ps_device and op.type in on_servers:
            device = parsed(ps_device)
            # A task of the parameter servers' job is only chosen where it stays in that job.
            if device.job and asked.job in (None, device.job):
                device = device.replace(task=task_of(op))
        else:
            device = parsed(worker_device or "")
        return device.make_merged_spec(asked).to_string()

    return device_function
