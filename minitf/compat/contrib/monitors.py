"""`tf.contrib.learn.monitors`: what was told of each step before there were hooks.

A monitor is a hook here: it has the older methods, which the hook's methods call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import logging
from minitf.core.graph.stacks import get_default_graph
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from minitf.library.sessions.training_util import get_global_step


class BaseMonitor(SessionRunHook):
    """A monitor; a subclass overrides `step_begin` and `step_end`, and `begin` and `end`."""

    _estimator: Any = None

    def set_estimator(self, estimator: Any) -> None:
        """Tells which estimator is training."""
        self._estimator = estimator

    def step_begin(self, step: int) -> list[Any]:
        """Called before a step.

        Returns: the tensors, or their names, that the step is to fetch for `step_end`.
        """
        return []

    def step_end(self, step: int, output: Mapping[str, Any]) -> bool:
        """Called after a step, with what it fetched by name.

        Returns: whether to stop.
        """
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after `step_end`."""

    def begin(self, max_steps: int | None = None) -> None:
        self._step_tensor: Any = get_global_step()
        self._step = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._step = int(session.run(self._step_tensor))

    def before_run(self, run_context: Any) -> SessionRunArgs:
        fetches: dict[str, Any] = {"step": self._step_tensor}
        if wanted := self.step_begin(self._step + 1):
            found = [get_default_graph().as_graph_element(each) for each in wanted]
            fetches["own"] = {tensor.name: tensor for tensor in found}
        return SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._step += 1
        if self.step_end(self._step, run_values.results.get("own", {})):
            run_context.request_stop()
        self.post_step(self._step, run_context.session)


class EveryN(BaseMonitor):
    """A monitor that acts every few steps; a subclass overrides `every_n_step_end`.

    Args:
      every_n_steps: how often.
      first_n_steps: acts at each of the first steps too.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        self._every, self._first_n = every_n_steps, first_n_steps
        self._last_acted: int | None = None
        self._acting = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Called before such a step; returns what it is to fetch."""
        return []

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool:
        """Called after such a step; returns whether to stop."""
        return False

    def step_begin(self, step: int) -> list[Any]:
        last = self._last_acted
        self._acting = last is None or step <= self._first_n or step >= last + self._every
        return self.every_n_step_begin(step) if self._acting else []

    def step_end(self, step: int, output: Mapping[str, Any]) -> bool:
        if not self._acting:
            return False
        self._last_acted = step
        return bool(self.every_n_step_end(step, output))


class ValidationMonitor(EveryN):
    """Evaluates on other data while training goes on, and may stop it.

    It evaluates checkpoints: `every_n_steps` it looks whether there is a new one.

    Args:
      x, y, input_fn, batch_size: the data; see `Estimator.evaluate`.
      eval_steps: how many batches.
      every_n_steps: how often.
      metrics: further metrics.
      hooks: further hooks.
      early_stopping_rounds: stops when the metric has not improved for so many steps.
      early_stopping_metric: its name.
      early_stopping_metric_minimize: whether less is better.
      name: the name of the evaluation.

    Attributes:
      best_step, best_value: when the metric was best, and what it was.
      best_metrics: all metrics then.
      early_stopped: whether this stopped the training.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Mapping[Any, Any] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        super().__init__(every_n_steps, first_n_steps=-1)
        self._data = {"x": x, "y": y, "input_fn": input_fn, "batch_size": batch_size}
        self._options = {"steps": eval_steps, "metrics": metrics, "hooks": hooks, "name": name}
        self._patience = early_stopping_rounds
        self._metric, self._minimize = early_stopping_metric, early_stopping_metric_minimize
        self._seen: str | None = None
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: dict[str, Any] | None = None
        self.early_stopped = False

    def every_n_step_end(self, step: int, outputs: Mapping[str, Any]) -> bool:
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        newest = latest_checkpoint(self._estimator.model_dir)
        if newest is None or newest == self._seen:
            return False
        self._seen = newest
        found = _evaluated(self._estimator, self._data, self._options)
        logging.info("Validation (step %d): %s", step, found)
        if self._patience is None:
            return False
        value = found.get(self._metric)
        if value is None:
            raise ValueError(f"Metric {self._metric} missing from outputs {sorted(found)}.")
        best = self.best_value
        if best is None or (value < best if self._minimize else value > best):
            self.best_value, self.best_step, self.best_metrics = value, step, found
        if step - (self.best_step or 0) >= self._patience:
            logging.info(
                "Stopping. Best step: %s with %s = %s.",
                self.best_step,
                self._metric,
                self.best_value,
            )
            self.early_stopped = True
        return self.early_stopped


def _evaluated(estimator: Any, data: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    if hasattr(estimator, "fit"):
        return estimator.evaluate(**data, **options)
    rest = {name: value for name, value in options.items() if name != "metrics"}
    return estimator.evaluate(data["input_fn"], **rest)


def replace_monitors_with_hooks(monitors_or_hooks: Any, estimator: Any) -> list[SessionRunHook]:
    """Tells monitors the estimator; they are hooks already."""
    found = list(monitors_or_hooks or ())
    for monitor in found:
        if hasattr(monitor, "set_estimator"):
            monitor.set_estimator(estimator)
    return found
