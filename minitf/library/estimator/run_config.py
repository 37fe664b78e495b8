"""`RunConfig`: where and how an estimator runs, and which task of a cluster this process is.

TF_CONFIG, an environment variable, names the cluster and this task of it:

    {"cluster": {"chief": ["a:2222"], "worker": ["b:2222"], "ps": ["c:2222"]},
     "task": {"type": "worker", "index": 0}}

An evaluator is a task outside the cluster: it only reads checkpoints. The job of the chief may be
called "master" as well; a master also evaluates.
"""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec
from minitf.core.graph import logging
from minitf.core.runtime.session.config import ConfigProto
from minitf.library.estimator.spec import argument_names

_EITHER = object()  # of the two intervals of saving only one is given
_BOTH_INTERVALS = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
_FROM_VARIABLE = "\n\nNote that these values may be coming from the TF_CONFIG environment variable."


class TaskType:
    """The jobs of a cluster that an estimator knows."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


_Check = tuple[Callable[[Any], bool], str]
_ANYTHING: _Check = (lambda v: True, "")
_NOT_BELOW_ZERO: _Check = (lambda v: v >= 0, "should be >= 0")
_ABOVE_ZERO: _Check = (lambda v: v > 0, "should be > 0")
#: What `replace` may change: by name what must hold of it, and what is said when it does not.
_REPLACEABLE: dict[str, _Check] = {
    "model_dir": (bool, "should be non-empty"),
    "tf_random_seed": (lambda v: isinstance(v, int), "must be integer."),
    "save_summary_steps": _NOT_BELOW_ZERO,
    "save_checkpoints_steps": _NOT_BELOW_ZERO,
    "save_checkpoints_secs": _NOT_BELOW_ZERO,
    "session_config": (lambda v: isinstance(v, ConfigProto), "must be instance of ConfigProto"),
    "keep_checkpoint_max": _NOT_BELOW_ZERO,
    "keep_checkpoint_every_n_hours": _ABOVE_ZERO,
    "log_step_count_steps": _ABOVE_ZERO,
    "train_distribute": _ANYTHING,
    "device_fn": (
        lambda v: callable(v) and set(argument_names(v)) == {"op"},
        'must be callable with exactly one argument "op".',
    ),
    "protocol": (
        lambda v: v in ("grpc", "grpc+verbs", "mtf", "mtfs"),
        "should be grpc or grpc+verbs",
    ),
    "eval_distribute": _ANYTHING,
    "experimental_max_worker_delay_secs": (
        lambda v: isinstance(v, int),
        "must be an integer if set.",
    ),
    "session_creation_timeout_secs": _ABOVE_ZERO,
}


class RunConfig:
    """How an estimator runs.

    Args:
      model_dir: where checkpoints and events go.
      tf_random_seed: the seed of every graph that the estimator makes.
      save_summary_steps: how often to write summaries, in steps.
      save_checkpoints_steps, save_checkpoints_secs: how often to save, in steps or in seconds;
        every 600 seconds by default; None for both never saves.
      session_config: the `ConfigProto` of the sessions.
      keep_checkpoint_max: how many checkpoints to keep; 0 keeps all.
      keep_checkpoint_every_n_hours: how often to keep one for good, in hours.
      log_step_count_steps: how often to log the loss and the speed, in steps.
      train_distribute: the strategy of training.
      device_fn: `device_fn(op)` returns the device of an operation.
      protocol: the protocol of the servers.
      eval_distribute: the strategy of evaluation.
      experimental_max_worker_delay_secs: how long a worker may wait before it starts, in seconds.
      session_creation_timeout_secs: how long a worker waits for the chief, in seconds.

    Raises:
      ValueError: when a value is out of its range, or TF_CONFIG is wrong.
    Example:
      >>> config = tf.estimator.RunConfig(model_dir="/tmp/model", save_checkpoints_steps=100)
      >>> config.save_checkpoints_secs, config.is_chief, config.num_worker_replicas
      (None, True, 1)
      >>> config.replace(tf_random_seed=1).tf_random_seed
      1
    """

    def __init__(
        self,
        model_dir: str | os.PathLike | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _EITHER,
        save_checkpoints_secs: Any = _EITHER,
        session_config: ConfigProto | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable[[Any], Any] | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in _REPLACEABLE}
        steps, secs = save_checkpoints_steps, save_checkpoints_secs
        if steps is _EITHER and secs is _EITHER:
            secs = 600
        steps, secs = (None if interval is _EITHER else interval for interval in (steps, secs))
        if steps is not None and secs is not None:
            raise ValueError(_BOTH_INTERVALS)
        tf_config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if tf_config:
            logging.info("TF_CONFIG environment variable: %s", tf_config)
        intervals = {"save_checkpoints_steps": steps, "save_checkpoints_secs": secs}
        self._replace(**{**given, **intervals, "model_dir": _model_dir(tf_config, model_dir)})
        self._take_task(tf_config)
        if self._session_config is None and self._cluster_spec:
            self._session_config = self._session_config_in_cluster()

    # ---- the task ------------------------------------------------------------------------

    _session_config: ConfigProto | None
    _train_distribute: Any

    def _take_task(self, tf_config: Mapping[str, Any]) -> None:
        """Takes the cluster and the place in it from TF_CONFIG."""
        self._service = tf_config.get("service")
        if self._service is not None and not isinstance(self._service, dict):
            raise TypeError(
                f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(self._service)}'
            )
        spec = self._cluster_spec = ClusterSpec(tf_config.get("cluster") or {})
        task = tf_config.get("task") or {}
        self._evaluation_master = tf_config.get("eval_session_master", "")
        self._master = tf_config.get("session_master", "")
        self._num_ps_replicas, self._num_worker_replicas = 0, 1
        self._global_id_in_cluster: int | None = 0
        self._is_chief = True
        if not spec:
            self._task_type, self._task_id = _task_without_cluster(task)
            return
        if self._train_distribute is not None and TaskType.MASTER not in spec.jobs:
            if TaskType.CHIEF not in spec.jobs:  # the first worker is the chief
                return self._take_equal_task(spec, task)
        chief = TaskType.MASTER if TaskType.MASTER in spec.jobs else TaskType.CHIEF
        if chief == TaskType.MASTER and TaskType.CHIEF in spec.jobs:
            raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
        self._task_type, self._task_id = _task_in_cluster(spec, task, chief)
        self._is_chief = self._task_type == chief
        if self._task_type != TaskType.EVALUATOR:
            self._evaluation_master = ""
            self._master = tf_config.get("session_master", self._own_address())
            sizes = {job: spec.num_tasks(job) for job in spec.jobs}
            self._num_ps_replicas = sizes.get(TaskType.PS, 0)
            self._num_worker_replicas = sizes.get(TaskType.WORKER, 0) + sizes[chief]
            # the chief comes first and the parameter servers last
            order = sorted(spec.jobs, key=lambda job: (job != chief, job == TaskType.PS, job))
            before = order[: order.index(self._task_type)]
            self._global_id_in_cluster = sum(sizes[job] for job in before) + self._task_id
            return
        if chief == TaskType.MASTER:
            raise ValueError(
                "If `master` node exists in `cluster`, task_type `evaluator` is not supported."
            )
        self._cluster_spec, self._master = ClusterSpec({}), ""
        self._num_worker_replicas, self._global_id_in_cluster = 0, None

    def _take_equal_task(self, spec: ClusterSpec, task: Mapping[str, Any]) -> None:
        """Takes the place in a cluster whose workers are led by the first of them."""
        self._task_type, self._task_id = str(task.get("type")), int(task.get("index", 0))
        self._is_chief = self._task_type == TaskType.WORKER and self._task_id == 0
        self._num_ps_replicas = spec.num_tasks(TaskType.PS) if TaskType.PS in spec.jobs else 0
        self._num_worker_replicas = spec.num_tasks(TaskType.WORKER)
        if self._task_type == TaskType.EVALUATOR:
            self._cluster_spec = ClusterSpec({})
        else:
            self._master = self._own_address()
        self._global_id_in_cluster = self._task_id

    def _own_address(self) -> str:
        """The target of this task's sessions; "" for a cluster of this one task."""
        spec = self._cluster_spec
        if len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1:
            return ""
        return f"grpc://{spec.task_address(self._task_type, self._task_id)}"

    def _session_config_in_cluster(self) -> ConfigProto | None:
        """Lets a session see the parameter servers and itself: not the workers, which may die."""
        own = {
            TaskType.MASTER: ["/job:ps", "/job:master"],
            TaskType.CHIEF: ["/job:ps", "/job:chief"],
            TaskType.WORKER: ["/job:ps", f"/job:worker/task:{self._task_id}"],
            TaskType.PS: ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
        }.get(self._task_type)
        return None if own is None else ConfigProto(allow_soft_placement=True, device_filters=own)

    # ---- changing ------------------------------------------------------------------------

    def replace(self, **kwargs: Any) -> RunConfig:
        """Returns a copy with other values of what the constructor takes.

        Raises:
          ValueError: when a value is out of its range, or cannot be replaced.
        """
        return copy.deepcopy(self)._replace(**kwargs)

    def _replace(self, **kwargs: Any) -> RunConfig:
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are "
                    f"{list(_REPLACEABLE)}."
                )
            setattr(self, f"_{name}", value)
        intervals = {name: kwargs.get(f"save_checkpoints_{name}") for name in ("steps", "secs")}
        if None not in intervals.values():
            raise ValueError(_BOTH_INTERVALS)
        if intervals["steps"] is not None:
            self._save_checkpoints_secs = None
        elif intervals["secs"] is not None:
            self._save_checkpoints_steps = None
        for name, (check, text) in _REPLACEABLE.items():
            value = getattr(self, f"_{name}")
            if value is not None and not check(value):
                raise ValueError(f"{name} {text}")
        return self

    # ---- reading -------------------------------------------------------------------------

    # what the constructor takes
    model_dir = property(attrgetter("_model_dir"))
    tf_random_seed = property(attrgetter("_tf_random_seed"))
    save_summary_steps = property(attrgetter("_save_summary_steps"))
    save_checkpoints_steps = property(attrgetter("_save_checkpoints_steps"))
    save_checkpoints_secs = property(attrgetter("_save_checkpoints_secs"))
    session_config = property(attrgetter("_session_config"))
    keep_checkpoint_max = property(attrgetter("_keep_checkpoint_max"))
    keep_checkpoint_every_n_hours = property(attrgetter("_keep_checkpoint_every_n_hours"))
    log_step_count_steps = property(attrgetter("_log_step_count_steps"))
    train_distribute = property(attrgetter("_train_distribute"))
    eval_distribute = property(attrgetter("_eval_distribute"))
    device_fn = property(attrgetter("_device_fn"))
    protocol = property(attrgetter("_protocol"))
    experimental_max_worker_delay_secs = property(attrgetter("_experimental_max_worker_delay_secs"))
    session_creation_timeout_secs = property(attrgetter("_session_creation_timeout_secs"))
    # what TF_CONFIG says
    cluster_spec = property(attrgetter("_cluster_spec"), doc="The cluster; empty when alone.")
    task_type = property(attrgetter("_task_type"), doc="The job of this task.")
    task_id = property(attrgetter("_task_id"), doc="The index of this task in its job.")
    global_id_in_cluster = property(attrgetter("_global_id_in_cluster"), doc="Among all tasks.")
    is_chief = property(attrgetter("_is_chief"), doc="Whether this task saves.")
    master = property(attrgetter("_master"), doc="The target of sessions that train.")
    evaluation_master = property(attrgetter("_evaluation_master"), doc="The target of evaluation.")
    num_ps_replicas = property(attrgetter("_num_ps_replicas"), doc="How many parameter servers.")
    num_worker_replicas = property(attrgetter("_num_worker_replicas"), doc="Workers and the chief.")
    service = property(attrgetter("_service"), doc="What TF_CONFIG says under 'service'.")


def _model_dir(tf_config: Mapping[str, Any], model_dir: Any) -> str | None:
    given = None if model_dir is None else os.fspath(model_dir)
    in_variable = tf_config.get("model_dir")
    if given == "":
        raise ValueError("model_dir should be non-empty.")
    if in_variable == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if in_variable:
        if given and in_variable != given:
            raise ValueError(
                "`model_dir` provided in RunConfig construct, if set, must have the same value as "
                f"the model_dir in TF_CONFIG. model_dir: {given}\n"
                f'TF_CONFIG["model_dir"]: {in_variable}.\n'
            )
        logging.info("Using model_dir in TF_CONFIG: %s", in_variable)
    return given or in_variable


def _task_without_cluster(task: Mapping[str, Any]) -> tuple[str, int]:
    job, index = task.get("type", TaskType.WORKER), int(task.get("index", 0))
    if job != TaskType.WORKER:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if index != 0:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    return job, index


def _task_in_cluster(spec: ClusterSpec, task: Mapping[str, Any], chief: str) -> tuple[str, int]:
    if chief not in spec.jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if spec.num_tasks(chief) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    job, index = task.get("type"), task.get("index")
    if not job:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if index is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    index = int(index)
    if index < 0:
        raise ValueError("Task index must be non-negative number.")
    if job == TaskType.EVALUATOR:
        return job, index
    if job not in spec.jobs:
        raise ValueError(
            f"{job} is not a valid task_type in the cluster_spec:\n{spec}{_FROM_VARIABLE}"
        )
    if index >= spec.num_tasks(job):
        raise ValueError(
            f"{index} is not a valid task_id for task_type {job} in the cluster_spec:\n{spec}"
            f"{_FROM_VARIABLE}"
        )
    return job, index


def with_model_dir(config: RunConfig | None, model_dir: Any) -> RunConfig:
    """The config, with a model_dir and a session's config."""
    if config is None:
        config = RunConfig()
        logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    changes: dict[str, Any] = {}
    if config.session_config is None:
        changes["session_config"] = ConfigProto(allow_soft_placement=True)
    if model_dir is not None:
        model_dir = os.fsdecode(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different "
                f"values. In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
            )
    if model_dir:
        changes["model_dir"] = model_dir
    elif config.model_dir is None:
        changes["model_dir"] = tempfile.mkdtemp()
        logging.warning("Using temporary folder as model directory: %s", changes["model_dir"])
    return config.replace(**changes)
