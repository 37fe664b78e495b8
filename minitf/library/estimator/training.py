"""`train_and_evaluate`: one call that trains and evaluates, here or as one task of a cluster.

alone        trains; evaluates after checkpoints, at most every `throttle_secs`
chief        serves; trains, saves
worker       serves; waits a little, trains
ps           serves
evaluator    looks for new checkpoints and evaluates them
master       a chief that evaluates after its checkpoints
"""

from __future__ import annotations

import os
import time
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from minitf.core.cluster.service.server import Server
from minitf.core.graph import errors, logging
from minitf.core.graph.stacks import GraphKeys
from minitf.core.runtime.session.config import ConfigProto
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export import Exporter
from minitf.library.estimator.run_config import TaskType
from minitf.library.estimator.spec import all_of, check_steps
from minitf.library.saving.checkpoint_state import checkpoint_exists
from minitf.library.sessions.basic_hooks import SecondOrStepTimer, SessionRunHook
from minitf.library.sessions.saving_hooks import CheckpointSaverListener

# How long a worker waits before it starts, so that not all join at once, in seconds.
_DELAY_PER_WORKER, _MAX_DELAY = 5, 60
_WARN_AGAIN_AFTER = 600  # seconds


def _check_input_fn(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


_HOOKS = "All hooks must be `SessionRunHook` instances"
_LISTENERS = "All saving_listeners must be `CheckpointSaverListener` instances"


class TrainSpec(namedtuple("TrainSpec", "input_fn max_steps hooks saving_listeners")):
    """What to train with.

    Args:
      input_fn: as for `Estimator.train`.
      max_steps: the step at which to stop; without it the training ends with the data.
      hooks: `SessionRunHook`s.
      saving_listeners: are told about every checkpoint; of the chief alone.

    Raises:
      ValueError: when `max_steps` is not positive.
      TypeError: when something is of a wrong type.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable,
        max_steps: int | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        saving_listeners: Iterable[CheckpointSaverListener] | None = None,
    ) -> TrainSpec:
        _check_input_fn(input_fn)
        check_steps("max_steps", max_steps)
        hooks = all_of(SessionRunHook, hooks, _HOOKS)
        listeners = all_of(CheckpointSaverListener, saving_listeners, _LISTENERS)
        return super().__new__(cls, input_fn, max_steps, hooks, listeners)


class EvalSpec(
    namedtuple("EvalSpec", "input_fn steps name hooks exporters start_delay_secs throttle_secs")
):
    """What to evaluate with.

    Args:
      input_fn: as for `Estimator.evaluate`.
      steps: how many batches; all when None.
      name: of this evaluation, when there are several of different data.
      hooks: `SessionRunHook`s.
      exporters: an `Exporter`, or several.
      start_delay_secs: how long an evaluator waits before it starts, in seconds.
      throttle_secs: the least time from one evaluation to the next, in seconds.

    Raises:
      ValueError: when a number is out of its range, or two exporters have one name.
      TypeError: when something is of a wrong type.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable,
        steps: int | None = 100,
        name: str | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        _check_input_fn(input_fn)
        check_steps("steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        hooks = all_of(SessionRunHook, hooks, _HOOKS)
        exporters = _exporters(exporters)
        for what, secs in (
            ("start_delay_secs", start_delay_secs),
            ("throttle_secs", throttle_secs),
        ):
            if secs < 0:
                raise ValueError(f"Must specify {what} >= 0, given: {secs}")
        return super().__new__(
            cls, input_fn, steps, name, hooks, exporters, start_delay_secs, throttle_secs
        )


def _exporters(given: Any) -> tuple[Exporter, ...]:
    if not given:
        return ()
    found = [given] if isinstance(given, Exporter) else given
    if not (isinstance(found, Iterable) and all(isinstance(each, Exporter) for each in found)):
        raise TypeError(
            f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {given}."
        )
    names = [each.name for each in found]
    for i, name in enumerate(names):
        if not name:
            raise ValueError(
                "An Exporter cannot have a name that is `None` or empty. All exporter names: "
                f"{names}"
            )
        if not isinstance(name, str):
            raise ValueError(f"An Exporter must have a string name. Given: {type(name)}")
        if name in names[:i]:
            raise ValueError(
                "`exporters` must have unique names. Such a name cannot be `None`. All exporter "
                f"names: {names}"
            )
    return tuple(found)


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains and evaluates an estimator, here, or as the task that TF_CONFIG says.

    Args:
      estimator: the estimator.
      train_spec: what to train with.
      eval_spec: what to evaluate with.
    Returns: alone: the metrics of the last evaluation, and the paths of its exports.
    Raises:
      TypeError: when an argument is of a wrong type.
      ValueError: when TF_CONFIG names a task that there cannot be.
    """
    for name, given, kind in (
        ("eval_spec", eval_spec, EvalSpec),
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
    ):
        if not isinstance(given, kind):
            needed = f"`tf.estimator.{kind.__name__}`"
            raise TypeError(f"`{name}` must have type {needed}. Got: {type(given)}")
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR and config.task_id > 0:
        raise ValueError(
            "For distributed training, there can only be one `evaluator` task (with task id 0).  "
            f"Given task id {config.task_id}"
        )
    if not config.cluster_spec and config.task_type != TaskType.EVALUATOR:
        logging.info("Running training and evaluation locally (non-distributed).")
        return _run_local(estimator, train_spec, eval_spec)
    if config.task_type not in _TASKS:
        raise ValueError(
            f"Task type {config.task_type} is not supported. Supported task types are "
            f"{sorted(_TASKS)}"
        )
    return _TASKS[config.task_type](estimator, train_spec, eval_spec)


# ---- evaluating --------------------------------------------------------------------------


class _Result(NamedTuple):
    """The metrics of an evaluation, and the paths of its exports; None when there was none."""

    metrics: dict[str, Any] | None = None
    exports: list[Any] | None = None


class _Evaluator:
    """Evaluates the newest checkpoint, once, and lets the exporters have it."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator = estimator
        self._spec = eval_spec
        self._max_steps = max_steps
        self._evaluated: str | None = None
        self._warned_at = 0.0

    def evaluate(self) -> _Result:
        checkpoint = self._estimator.latest_checkpoint()
        if not checkpoint or checkpoint == self._evaluated:
            self._warn(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as "
                "evaluation results are expected to be same for the same checkpoint."
                if checkpoint
                else "Estimator is not trained yet. Will start an evaluation when a checkpoint is "
                "ready."
            )
            return _Result()
        spec = self._spec
        try:
            metrics = self._estimator.evaluate(
                spec.input_fn, spec.steps, spec.hooks, checkpoint, spec.name
            )
        except (ValueError, errors.NotFoundError):
            if checkpoint_exists(checkpoint):
                raise
            return self.evaluate()  # the chief has removed it meanwhile; there is a newer one
        base = os.path.join(self._estimator.model_dir, "export")
        exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=checkpoint,
                eval_result=metrics,
                is_the_final_export=self.is_last(metrics),
            )
            for exporter in spec.exporters
        ]
        self._evaluated, self._warned_at = checkpoint, 0.0
        return _Result(metrics, exports)

    def is_last(self, metrics: dict[str, Any]) -> bool:
        """Whether the training is over."""
        return bool(self._max_steps) and metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps

    def _warn(self, message: str) -> None:
        if time.time() - self._warned_at > _WARN_AGAIN_AFTER:
            logging.warning(message)
            self._warned_at = time.time()


class _EvaluatingListener(CheckpointSaverListener):
    """Evaluates after checkpoints of the training in this process."""

    def __init__(self, evaluator: _Evaluator, throttle_secs: float) -> None:
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.result: _Result | None = None

    def begin(self) -> None:
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._is_first:  # nothing was learned yet
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        self.result = self._evaluator.evaluate()
        if self.result.metrics is None:
            raise RuntimeError("There was no new checkpoint after the training.")


# ---- the tasks ---------------------------------------------------------------------------


def _run_local(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    config = estimator.config
    logging.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: save_checkpoints_steps "
        "%s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    return tuple(_train_evaluating(estimator, train_spec, eval_spec) or _Result())


def _train_evaluating(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> _Result | None:
    """Trains, and evaluates after checkpoints; the last result."""
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    listener = _EvaluatingListener(evaluator, eval_spec.throttle_secs)
    _train(estimator, train_spec, (*train_spec.saving_listeners, listener))
    return listener.result


def _train(estimator: Estimator, train_spec: TrainSpec, listeners: tuple = ()) -> None:
    estimator.train(
        input_fn=train_spec.input_fn,
        hooks=list(train_spec.hooks),
        max_steps=train_spec.max_steps,
        saving_listeners=listeners,
    )


def _run_chief(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    _start_server(estimator.config)
    _train(estimator, train_spec, train_spec.saving_listeners)


def _run_master(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    _start_server(estimator.config)
    _train_evaluating(estimator, train_spec, eval_spec)


def _run_worker(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    config = estimator.config
    _start_server(config)
    longest = config.experimental_max_worker_delay_secs
    if config.train_distribute is not None:  # workers that wait for each other start together
        longest = 0
    delay = min(
        _MAX_DELAY if longest is None else longest, (config.task_id + 1) * _DELAY_PER_WORKER
    )
    if delay > 0:
        logging.info("Waiting %d secs before starting training.", delay)
        time.sleep(delay)
    _train(estimator, train_spec)


def _run_ps(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    server = _start_server(estimator.config)
    assert server is not None  # a parameter server is never the only task
    server.join()


def _run_evaluator(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    if eval_spec.start_delay_secs:
        logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    while True:
        start = time.time()
        metrics = evaluator.evaluate().metrics
        if metrics is not None and evaluator.is_last(metrics):
            logging.info(
                "Exiting evaluation, global_step=%s >= train max_steps=%s",
                metrics[GraphKeys.GLOBAL_STEP],
                train_spec.max_steps,
            )
            return
        left = eval_spec.throttle_secs - (time.time() - start)
        if left > 0:
            logging.info("Waiting %f secs before starting next eval run.", left)
            time.sleep(left)
        elif eval_spec.throttle_secs == 0 and metrics is None:
            logging.warning(
                "EvalSpec.throttle_secs is set as 0. This might overload the job before finding "
                "(next) new checkpoint. Please consider to increase it."
            )


_TASKS: dict[str, Callable[..., None]] = {
    TaskType.CHIEF: _run_chief,
    TaskType.MASTER: _run_master,
    TaskType.WORKER: _run_worker,
    TaskType.PS: _run_ps,
    TaskType.EVALUATOR: _run_evaluator,
}


def _start_server(config: Any) -> Server | None:
    """Starts the server of this task; None when it is the only one."""
    if config.train_distribute is not None and config.task_type != TaskType.PS:
        return None  # the strategy starts its own, when its first session does
    if not config.master:
        logging.info("Skip starting Tensorflow server as there is only one node in the cluster.")
        return None
    logging.info("Start Tensorflow server.")
    session_config = ConfigProto(log_device_placement=False)
    if config.session_config is not None:
        session_config.gpu_options = config.session_config.gpu_options
    return Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=session_config,
        protocol=config.protocol,
    )
