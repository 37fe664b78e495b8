"""`TF_CONFIG`: the environment variable that tells one program which task of a cluster it is.

    TF_CONFIG='{"cluster": {"ps": ["a:2222"], "worker": ["b:2222", "c:2222"]},
                "task": {"type": "worker", "index": 1}}'  python program.py

Cluster managers (Kubeflow, for one) set it in every process; by hand it is set in front of the
command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec, port_of

VARIABLE = "TF_CONFIG"
OUTSIDE = ("evaluator",)  # jobs that need not be in the cluster: they talk to no other task


@dataclass(frozen=True)
class TaskConfig:
    """What TF_CONFIG says.

    Attributes:
      cluster: the cluster; empty for a program that runs alone.
      job: the job of this task, "" when it runs alone.
      index: the index of this task in its job.
    """

    cluster: ClusterSpec
    job: str = ""
    index: int = 0

    @property
    def is_chief(self) -> bool:
        """Whether this task initializes variables and writes checkpoints."""
        if self.job in ("", "chief", "master"):
            return True
        alone = not {"chief", "master"} & set(self.cluster.jobs)
        return alone and self.job == "worker" and self.index == 0


def read_tf_config(text: str | None = None) -> TaskConfig:
    """Reads TF_CONFIG.

    Args:
      text: its text; from the environment when None.
    Raises:
      ValueError: when the text is no such description, saying which part is wrong.
    Example:
      >>> task = read_tf_config('{"cluster": {"ps": ["a:2222", "b:2222"]}, "task": {"type": "ps"}}')
      >>> task.job, task.index, task.cluster.num_tasks("ps")
      ('ps', 0, 2)
    """
    if text is None:
        text = os.environ.get(VARIABLE, "")
    if not text.strip():
        return TaskConfig(ClusterSpec({}))
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{VARIABLE} is not JSON: {error}. It reads {text!r}") from None
    if not isinstance(content, Mapping):
        raise ValueError(
            f"{VARIABLE} must be a JSON object with 'cluster' and 'task', not {text!r}"
        )
    cluster = _cluster(content.get("cluster") or {})
    task = content.get("task") or {}
    if not isinstance(task, Mapping):
        raise ValueError(f"'task' in {VARIABLE} must be an object, not {task!r}")
    if not task:
        if cluster:
            raise ValueError(
                f"{VARIABLE} has a 'cluster', but no 'task' that says which one this is"
            )
        return TaskConfig(cluster)
    return _task(cluster, task.get("type"), task.get("index", 0))


def _cluster(content: Any) -> ClusterSpec:
    if not isinstance(content, Mapping):
        raise ValueError(f"'cluster' in {VARIABLE} must be an object, not {content!r}")
    try:
        cluster = ClusterSpec(content)
    except (TypeError, ValueError) as error:
        raise ValueError(f"'cluster' in {VARIABLE}: {error}") from None
    for job in cluster.jobs:
        for index in cluster.task_indices(job):
            address = cluster.task_address(job, index)
            if port_of(address) is None:
                raise ValueError(
                    f"'cluster' in {VARIABLE}: the address of {job} {index} must be "
                    f"'host:port', not {address!r}"
                )
    return cluster


def _task(cluster: ClusterSpec, job: Any, index: Any) -> TaskConfig:
    if not isinstance(job, str) or not job:
        raise ValueError(f"'type' of the 'task' in {VARIABLE} must name a job, not {job!r}")
    try:
        index = int(index)
    except (TypeError, ValueError):
        raise ValueError(
            f"'index' of the 'task' in {VARIABLE} must be a number, not {index!r}"
        ) from None
    if job in cluster.jobs:
        indices = cluster.task_indices(job)
        if index not in indices:
            raise ValueError(
                f"'task' in {VARIABLE}: job {job!r} has the tasks {indices}, but no task {index}"
            )
    elif job not in OUTSIDE:
        raise ValueError(
            f"'task' in {VARIABLE}: job {job!r} is not in the cluster, which has "
            f"{', '.join(sorted(cluster.jobs)) or 'no jobs'}"
        )
    return TaskConfig(cluster, job, index)
