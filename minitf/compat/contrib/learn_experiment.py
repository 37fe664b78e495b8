"""What surrounds an estimator of `tf.contrib.learn`: keys, exports, monitors, experiments, loops.

serving_input_fn() -> InputFnOps ──> Estimator.export_savedmodel(directory, serving_input_fn)
Experiment(export_strategies=[make_export_strategy(serving_input_fn)])    after evaluating
learn_runner.run(experiment_fn, output_dir, schedule="train_and_evaluate")
train(graph, folder, train_op, loss, steps=100)    a monitored session until the last step
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes, logging
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import GraphKeys
from minitf.library.estimator.estimator import OWN_LOSS
from minitf.library.estimator.export import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
    ServingInputReceiver,
    keep_newest,
)
from minitf.library.estimator.run_config import RunConfig, TaskType
from minitf.library.estimator.spec import EstimatorSpec
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.saving.saver import Saver
from minitf.library.sessions.basic_hooks import (
    NanLossDuringTrainingError,
    SessionRunHook,
    StopAtStepHook,
)
from minitf.library.sessions.monitored_session import MonitoredTrainingSession
from minitf.library.sessions.scaffold import Scaffold
from minitf.library.sessions.training_util import get_global_step

# ---- keys --------------------------------------------------------------------------------------


class ModeKeys:
    """What a model_fn is called for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


class PredictionKey:
    """The names of predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "generic"


class ProblemType:
    """What a head solves; a server chooses by it how to answer."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class ModelFnOps(NamedTuple):
    """What a model_fn returns; `EstimatorSpec` followed it.

    Args:
      mode: a `ModeKeys`.
      predictions: a tensor, or a dict of them.
      loss: a scalar.
      train_op: the operation of a step.
      eval_metric_ops: from names to (value, update) pairs, or to values alone.
      output_alternatives: from the names of heads, None for a single one, to pairs of a
        `ProblemType` and of tensors by name: what a server can give.
      training_chief_hooks, training_hooks, scaffold: see `EstimatorSpec`.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None

    def estimator_spec(self, default_serving_output_alternative_key: Any = None) -> EstimatorSpec:
        """The same for `tf.estimator`.

        Args:
          default_serving_output_alternative_key: the name of the head whose output is the default
            signature; the first one by default.
        """
        fields = self._asdict()
        del fields["mode"]
        served = fields.pop("output_alternatives")
        if served and self.mode == ModeKeys.INFER:
            first = default_serving_output_alternative_key or next(iter(served))
            fields["export_outputs"] = _exported(served, first)
        metrics = dict(self.eval_metric_ops or {})
        if "loss" in metrics:  # it goes before the default one here
            metrics[OWN_LOSS] = metrics.pop("loss")
        fields["eval_metric_ops"] = metrics
        return EstimatorSpec(self.mode, **fields)


def _exported(served: Mapping[Any, Any], first: Any) -> dict[str, ExportOutput]:
    """The signatures of output alternatives; the default one is that of the head `first`."""
    outputs: dict[str, ExportOutput] = {}
    for name, (kind, tensors) in served.items():
        scores = tensors.get(PredictionKey.SCORES)
        classes = tensors.get(PredictionKey.CLASSES)
        outputs[name or "predict"] = made = PredictOutput(tensors)
        if name == first:
            default: ExportOutput = made
            if kind == ProblemType.LINEAR_REGRESSION and scores is not None:
                default = RegressionOutput(scores)
            elif classes is not None and classes.dtype.base_dtype == dtypes.string:
                default = ClassificationOutput(tensors.get(PredictionKey.PROBABILITIES), classes)
            outputs[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = default
    return outputs


# ---- exports -----------------------------------------------------------------------------------


class InputFnOps(NamedTuple):
    """What a server's input function returns; `ServingInputReceiver` followed it.

    Args:
      features: what the model gets.
      labels: None.
      default_inputs: the placeholders that a server feeds, by name.
    """

    features: Any
    labels: Any
    default_inputs: Any


def as_receiver(serving_input_fn: Callable[[], Any]) -> Callable[[], Any]:
    """The function, with a `ServingInputReceiver` in place of `InputFnOps`."""

    def receive() -> Any:
        given = serving_input_fn()
        if not isinstance(given, InputFnOps):
            return given
        return ServingInputReceiver(given.features, given.default_inputs)

    return receive


class ExportStrategy(NamedTuple):
    """A way to export: `export(estimator, folder)` writes below `export/name` of the model."""

    name: str
    export: Callable[[Any, str], Any]


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """A strategy that writes saved models and keeps the newest of them.

    Args:
      serving_input_fn: returns `InputFnOps` or a `ServingInputReceiver`.
      default_output_alternative_key, strip_default_attrs: accepted.
      assets_extra, as_text: see `Estimator.export_savedmodel`.
      exports_to_keep: how many; all when None.
    """

    def export(estimator: Any, base: str) -> Any:
        made = estimator.export_savedmodel(
            base,
            as_receiver(serving_input_fn),
            assets_extra=assets_extra,
            as_text=as_text,
        )
        keep_newest(base, exports_to_keep)
        return made

    return ExportStrategy("Servo", export)


# ---- monitors ----------------------------------------------------------------------------------


class ValidationMonitor(SessionRunHook):
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
        self._every = every_n_steps
        self._data = {"x": x, "y": y, "input_fn": input_fn, "batch_size": batch_size}
        self._options = {"steps": eval_steps, "metrics": metrics, "hooks": hooks, "name": name}
        self._patience = early_stopping_rounds
        self._metric, self._minimize = early_stopping_metric, early_stopping_metric_minimize
        self._estimator: Any = None
        self._last_acted: int | None = None
        self._seen: str | None = None
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: dict[str, Any] | None = None
        self.early_stopped = False

    def set_estimator(self, estimator: Any) -> None:
        """Tells which estimator is training."""
        self._estimator = estimator

    def begin(self) -> None:
        self._step_tensor: Any = get_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._step = int(session.run(self._step_tensor))

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._step += 1
        last = self._last_acted
        if last is None or self._step >= last + self._every:
            self._last_acted = self._step
            if self._stops(self._step):
                run_context.request_stop()

    def _stops(self, step: int) -> bool:
        """Evaluates a checkpoint that is new; says whether training should stop."""
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


# ---- experiments -------------------------------------------------------------------------------


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
      eval_delay_secs, continuous_eval_throttle_secs: of the schedule `continuous_eval`.
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
        self._eval_delay, self._throttle = eval_delay_secs, continuous_eval_throttle_secs
        one = isinstance(export_strategies, ExportStrategy)
        self._strategies = [export_strategies] if one else list(export_strategies or ())

    def train(self) -> Any:
        """Trains the estimator, up to `train_steps`."""
        max_steps = self._train_steps
        hooks = replace_monitors_with_hooks(self._monitors, self.estimator)
        if hasattr(self.estimator, "fit"):
            return self.estimator.fit(
                input_fn=self._train_input_fn, max_steps=max_steps, monitors=hooks
            )
        return self.estimator.train(self._train_input_fn, hooks=hooks, max_steps=max_steps)

    def evaluate(self) -> Any:
        """Evaluates the newest checkpoint."""
        steps, metrics, hooks = self._eval_steps, self._eval_metrics, self._eval_hooks
        options = {"steps": steps, "metrics": metrics, "hooks": hooks}
        return _evaluated(self.estimator, {"input_fn": self._eval_input_fn}, options)

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
        self.train()
        base = os.path.join(self.estimator.model_dir, "export")
        return self.evaluate(), [
            strategy.export(self.estimator, os.path.join(base, strategy.name))
            for strategy in self._strategies
        ]

    def continuous_eval(self) -> Any:
        """Evaluates again and again, until `train_steps` are reached."""
        time.sleep(self._eval_delay)
        while True:
            found = self.evaluate()
            if self._train_steps and found and found["global_step"] >= self._train_steps:
                return found
            time.sleep(self._throttle)


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


# ---- a graph without an estimator --------------------------------------------------------------


def _checked_step(graph: Graph, given: Any) -> Any:
    """The global step: the one that is given, which becomes the graph's, or the graph's."""
    step = get_global_step(graph)
    if step is None and given is not None:
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, given)
        step = given
    if step is None:
        raise ValueError('No "global_step" was provided or found in the graph.')
    return step


def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Any = None,
    init_fn: Callable[[Any], None] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: float = 600,
    keep_checkpoint_max: int = 5,
    supervisor_save_summaries_steps: int = 100,
    feed_fn: Callable[[], dict[Any, Any]] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Iterable[Any] | None = None,
    max_steps: int | None = None,
) -> Any:
    """Trains the model of a graph, from the newest checkpoint of a folder.

    Args:
      graph: the graph.
      output_dir: where checkpoints and summaries go.
      train_op, loss_op: the operation of a step, and a scalar.
      global_step_tensor: the counter of steps; that of the graph by default.
      init_op, init_feed_dict: give the variables their first values.
      init_fn: `init_fn(session)` is called after it.
      log_every_steps: how often the speed is logged.
      supervisor_is_chief, supervisor_master: whether this process saves; the session's target.
      supervisor_save_model_secs, keep_checkpoint_max: how often it saves, in seconds, and how many
        checkpoints are kept.
      supervisor_save_summaries_steps: how often summaries are written.
      feed_fn: returns what to feed in a step; ends the training by StopIteration.
      steps, max_steps: how many steps more, or the last one; without end by default.
      fail_on_nan_loss: whether a loss that is not a number ends the training.
      monitors: monitors, and hooks.
    Returns: the last loss; None when there was no step to make.
    Raises:
      ValueError: when something is missing, or both kinds of steps are given.
      NanLossDuringTrainingError: when the loss is not a number.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    for name, given in (("train_op", train_op), ("loss_op", loss_op)):
        if given is None:
            raise ValueError(f"Missing {name}.")
    loss, hooks = None, list(monitors or ())
    with graph.as_default():
        step = _checked_step(graph, global_step_tensor)
        done = load_variable(output_dir, step.name) if latest_checkpoint(output_dir) else 0
        last = done + steps if steps else max_steps
        if last is not None:
            if done >= last:
                return None
            hooks.append(StopAtStepHook(last_step=last))
        saver = Saver(sharded=True, max_to_keep=keep_checkpoint_max)
        start = None if init_fn is None else (lambda _, session: init_fn(session))
        scaffold = Scaffold(init_op, init_feed_dict, start, saver=saver)
        with MonitoredTrainingSession(
            supervisor_master,
            supervisor_is_chief,
            output_dir,
            scaffold,
            hooks,
            save_checkpoint_secs=supervisor_save_model_secs,
            save_summaries_steps=supervisor_save_summaries_steps,
            log_step_count_steps=log_every_steps,
        ) as session:
            while not session.should_stop():
                try:
                    feeds = feed_fn() if feed_fn else None
                except StopIteration:
                    break
                _, loss = session.run([train_op, loss_op], feeds)
                if np.isnan(loss):
                    logging.error("Model diverged with loss = NaN.")
                    if fail_on_nan_loss:
                        raise NanLossDuringTrainingError
    return loss
