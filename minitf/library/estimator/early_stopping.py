"""Hooks that end the training when evaluations do not get better.

The chief asks from time to time; a variable of the graph tells the workers.
"""

from __future__ import annotations

import operator
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import dtypes, errors, logging
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.ops.state import assign
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.core.variables.variable_store import AUTO_REUSE
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.exporters import read_metrics
from minitf.library.formats.file_io import glob
from minitf.library.sessions.basic_hooks import SecondOrStepTimer, StopAtStepHook
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook that ends the training when a function says so.

    Args:
      estimator: whose training it is.
      should_stop_fn: is asked by the chief.
      run_every_secs, run_every_steps: how often, in seconds or in steps.
    Raises:
      TypeError: when the first is no `Estimator`, or the second no function.
      ValueError: when both intervals are given.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}"
        )
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return _CheckForStoppingHook()


def stop_if_higher_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: str | None = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Returns a hook that ends the training when a metric comes above a threshold.

    Args:
      estimator: whose training it is.
      metric_name: the metric, as "accuracy".
      threshold: the value to come above, or below for `stop_if_lower_hook`.
      eval_dir: where the events of the evaluation are; `estimator.eval_dir()` by default.
      min_steps: evaluations before that step do not count.
      run_every_secs, run_every_steps: how often to look, in seconds or in steps.
    """
    return _threshold_hook(operator.gt, "greater than", **locals())


def stop_if_lower_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: str | None = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Returns a hook that ends the training when a metric comes below a threshold.

    The arguments are those of `stop_if_higher_hook`.
    """
    return _threshold_hook(operator.lt, "less than", **locals())


def stop_if_no_increase_hook(
    estimator: Estimator, metric_name: str, max_steps_without_increase: int,
    eval_dir: str | None = None, min_steps: int = 0, run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Returns a hook that ends the training when a metric has not risen for so many steps.

    Args:
      estimator: whose training it is.
      metric_name: the metric, as "accuracy".
      max_steps_without_increase: how many steps; `max_steps_without_decrease` for the other hook.
      eval_dir: where the events of the evaluation are; `estimator.eval_dir()` by default.
      min_steps: evaluations before that step do not count.
      run_every_secs, run_every_steps: how often to look, in seconds or in steps.
    """
    arguments = locals()
    steps = arguments.pop("max_steps_without_increase")
    return _patience_hook(operator.gt, "increase", steps, **arguments)


def stop_if_no_decrease_hook(
    estimator: Estimator, metric_name: str, max_steps_without_decrease: int,
    eval_dir: str | None = None, min_steps: int = 0, run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Returns a hook that ends the training when a metric has not fallen for so many steps.

    The arguments are those of `stop_if_no_increase_hook`.
    """
    arguments = locals()
    steps = arguments.pop("max_steps_without_decrease")
    return _patience_hook(operator.lt, "decrease", steps, **arguments)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """Returns a hook that ends a worker's training when a checkpoint of the last step is written.

    So workers wait for the chief, whose hook is a `StopAtStepHook`.

    Args:
      estimator: whose training it is.
      last_step: the step at which to stop.
      wait_after_file_check_secs: how long to wait when it is not written yet, in seconds.
    Raises:
      ValueError: when there is no last step.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    if last_step is None:
        raise ValueError("last_step must be specified.")
    return _StopAtCheckpointStepHook(estimator, last_step, wait_after_file_check_secs)


class _StopAtCheckpointStepHook(SessionRunHook):
    """Waits after its last step for the checkpoint of another."""

    def __init__(self, estimator: Estimator, last_step: int, seconds: float) -> None:
        self._estimator, self._last_step, self._seconds = estimator, last_step, seconds

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results + 1 >= self._last_step:
            if self._estimator._saved_step() >= self._last_step:
                run_context.request_stop()
            else:
                time.sleep(self._seconds)


def _threshold_hook(
    better: Callable[[float, float], bool], word: str, estimator: Estimator, metric_name: str,
    threshold: float, eval_dir: str | None, min_steps: int, run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:  # fmt: skip
    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(eval_dir or estimator.eval_dir()).items():
            if step >= min_steps and better(metrics[metric_name], threshold):
                logging.info(
                    'At step %s, metric "%s" has value %s which is %s the configured threshold '
                    "(%s) for early stopping.",
                    *(step, metric_name, metrics[metric_name], word, threshold),
                )
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def _patience_hook(
    better: Callable[[float, float], bool], word: str, patience: int, estimator: Estimator,
    metric_name: str, eval_dir: str | None, min_steps: int, run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:  # fmt: skip
    def should_stop() -> bool:
        best: tuple[float, int] | None = None
        for step, metrics in read_eval_metrics(eval_dir or estimator.eval_dir()).items():
            if step < min_steps:
                continue
            if best is None or better(metrics[metric_name], best[0]):
                best = metrics[metric_name], step
            if step - best[1] >= patience:
                logging.info(
                    'No %s in metric "%s" for %s steps, which is greater than or equal to max '
                    "steps (%s) configured for early stopping.",
                    *(word, metric_name, step - best[1], patience),
                )
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def read_eval_metrics(eval_dir: str) -> Mapping[int, Mapping[str, float]]:
    """Returns the numbers that evaluations wrote: by step, then by name.

    Args:
      eval_dir: the directory of their events.
    """
    metrics: dict[int, dict[str, float]] = defaultdict(dict)
    for path in glob(os.path.join(eval_dir, "events.out.tfevents.*")):
        try:
            for step, numbers in read_metrics(path):
                metrics[step].update(numbers)
        except errors.DataLossError as error:
            logging.warning("Skipping the rest of the events in %s: %s", path, error)
    return dict(sorted(metrics.items()))


# ---- the hooks ---------------------------------------------------------------------------


def _stop_variable() -> Any:
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable(
            "STOP",
            shape=[],
            dtype=dtypes.bool,
            initializer=zeros_initializer(),
            collections=[GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class _StopOnPredicateHook(SessionRunHook):
    """The chief's: asks the function, and tells the others."""

    def __init__(
        self,
        should_stop_fn: Callable[[], bool],
        run_every_secs: float | None = 60,
        run_every_steps: int | None = None,
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self) -> None:
        self._global_step = get_global_step()
        self._stop_op = assign(_stop_variable(), True)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                logging.info("Requesting early stopping at global step %d", step)
                run_context.session.run(self._stop_op)
                run_context.request_stop()


class _CheckForStoppingHook(SessionRunHook):
    """A worker's: ends when the chief has said so."""

    def begin(self) -> None:
        self._stop = _stop_variable()

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._stop)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results:
            logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
