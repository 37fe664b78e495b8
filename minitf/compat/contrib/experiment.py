"""`tf.contrib.learn.Experiment`: an estimator with the data to train and to evaluate it.

learn_runner.run(experiment_fn, output_dir, schedule="train_and_evaluate")
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minitf.compat.contrib.exports import ExportStrategy
from minitf.compat.contrib.monitors import ValidationMonitor, replace_monitors_with_hooks
from minitf.core.graph import logging
from minitf.library.estimator.run_config import RunConfig, TaskType


class Experiment:
    """An estimator with the data to train and to evaluate it.

    Args:
      estimator: an `Estimator` of `tf.contrib.learn` or of `tf.estimator`.
      train_input_fn, eval_input_fn: the data.
      eval_metrics: further metrics.
      train_steps: how many steps to train; until the data ends when None.
      eval_steps: how many batches to evaluate.
      train_monitors: monitors and hooks of the training.
      eval_hooks: hooks of the evaluation.
      min_eval_frequency: evaluates every so many steps while training; 0 or None not at all.
      export_strategies: what `make_export_strategy` makes, one or several; used at the end.
      train_steps_per_iteration, eval_delay_secs, continuous_eval_throttle_secs: of the schedules.
      the others: accepted.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable,
        eval_input_fn: Callable,
        eval_metrics: Mapping[Any, Any] | None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Iterable[Any] | None = None,
        eval_hooks: Sequence[Any] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: float = 5,
    ) -> None:
        if not hasattr(estimator, "evaluate"):
            raise ValueError("`estimator` must implement `Evaluable`.")
        if not hasattr(estimator, "fit") and not hasattr(estimator, "train"):
            raise ValueError("`estimator` must implement `Trainable`.")
        self.estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._eval_metrics, self._eval_hooks = eval_metrics, eval_hooks
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._monitors = list(train_monitors or ())
        self._min_eval_frequency = min_eval_frequency
        self._every = local_eval_frequency
        self._eval_delay, self._throttle = eval_delay_secs, continuous_eval_throttle_secs
        self._per_iteration = train_steps_per_iteration
        one = isinstance(export_strategies, ExportStrategy)
        self._strategies = [export_strategies] if one else list(export_strategies or ())

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains the estimator, up to `train_steps`."""
        if delay_secs:
            time.sleep(delay_secs)
        return self._train(self._train_steps)

    def _train(self, max_steps: int | None) -> Any:
        hooks = replace_monitors_with_hooks(self._monitors, self.estimator)
        if hasattr(self.estimator, "fit"):
            return self.estimator.fit(
                input_fn=self._train_input_fn, max_steps=max_steps, monitors=hooks
            )
        return self.estimator.train(self._train_input_fn, hooks=hooks, max_steps=max_steps)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the newest checkpoint."""
        if delay_secs:
            time.sleep(delay_secs)
        steps, hooks = self._eval_steps, self._eval_hooks
        if hasattr(self.estimator, "fit"):
            return self.estimator.evaluate(
                input_fn=self._eval_input_fn,
                steps=steps,
                metrics=self._eval_metrics,
                name=name,
                hooks=hooks,
            )
        return self.estimator.evaluate(self._eval_input_fn, steps, hooks, name=name)

    def train_and_evaluate(self) -> tuple[Any, list]:
        """Trains, evaluates now and then when `min_eval_frequency` says so, and at the end.

        Returns: the metrics, and the folders of the exports.
        """
        if self._min_eval_frequency:
            self._monitors.append(
                ValidationMonitor(
                    input_fn=self._eval_input_fn,
                    eval_steps=self._eval_steps,
                    metrics=self._eval_metrics,
                    every_n_steps=self._min_eval_frequency,
                )
            )
        self.train(delay_secs=0)
        found = self.evaluate(delay_secs=0)
        return found, self._export(found)

    def _export(self, found: Any) -> list:
        """Exports by all strategies, what a checkpoint was evaluated to at hand."""
        return [
            strategy.export(
                self.estimator,
                os.path.join(self.estimator.model_dir, "export", strategy.name),
                eval_result=found,
            )
            for strategy in self._strategies
        ]

    def continuous_eval(
        self, delay_secs: float | None = None, throttle_delay_secs: float | None = None
    ) -> Any:
        """Evaluates again and again, until `train_steps` are reached."""
        time.sleep(self._eval_delay if delay_secs is None else delay_secs)
        wait = self._throttle if throttle_delay_secs is None else throttle_delay_secs
        while True:
            found = self.evaluate(delay_secs=0)
            if self._train_steps and found and found["global_step"] >= self._train_steps:
                return found
            time.sleep(wait)

    def test(self) -> tuple[Any, list]:
        """Trains for one step, and evaluates for one."""
        self._eval_steps = 1
        self._train(1)
        found = self.evaluate(delay_secs=0)
        return found, self._export(found)


def run(
    experiment_fn: Callable,
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an experiment and runs it.

    Args:
      experiment_fn: `experiment_fn(output_dir)`, or with a `run_config`
        `experiment_fn(run_config, hparams)`, returns an `Experiment`.
      output_dir: where checkpoints go.
      schedule: which of its methods to call; by default what the task of the configuration does.
      run_config, hparams: what the function gets.
    Returns: what the method returns.
    Raises:
      ValueError: when there is no such method, or neither a directory nor a configuration.
      TypeError: when no experiment was made.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`.")
    if output_dir is None and run_config is None:
        raise ValueError("Must set value for `output_dir` or `run_config`.")
    made = experiment_fn(output_dir) if run_config is None else experiment_fn(run_config, hparams)
    if not isinstance(made, Experiment):
        raise TypeError("Experiment builder did not return an Experiment instance.")
    config = run_config or getattr(made.estimator, "config", None) or RunConfig()
    schedule = schedule or _default_schedule(config)
    task = getattr(made, schedule, None)
    if not callable(task):
        raise ValueError(f"Schedule references non-existent task {schedule}")
    logging.info("Running %s.", schedule)
    return task()


def _default_schedule(config: Any) -> str:
    if not config.cluster_spec.jobs:
        return "train_and_evaluate"
    by_task = {TaskType.EVALUATOR: "continuous_eval", TaskType.WORKER: "train"}
    return by_task.get(config.task_type, "train_and_evaluate")
