"""`Estimator`: trains, evaluates, predicts and exports the model that a model_fn builds.

Each call builds a graph of its own, and knows of the others by checkpoints alone:

    train     input_fn ─> model_fn(TRAIN)   ─> train_op, until the data or the steps end
                                                 └─> model_dir/model.ckpt-*   ─┐
    evaluate  input_fn ─> model_fn(EVAL)    ─> metrics over all batches  <─────┤
    predict   input_fn ─> model_fn(PREDICT) ─> predictions one by one    <─────┤
    export    receiver ─> model_fn(PREDICT) ─> SavedModel                <─────┘
"""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops.control import group
from minitf.core.ops.random import set_random_seed
from minitf.core.runtime.session.session import Session
from minitf.core.train.device_setter import replica_device_setter
from minitf.library.estimator import export
from minitf.library.estimator.distributed import Built, built, role_of, trains_in
from minitf.library.estimator.evaluation import (
    StopAfterNEvalsHook,
    evaluate_once,
    get_or_create_eval_step,
    write_results,
)
from minitf.library.estimator.inputs import comes_to_an_end, parse_input_fn_result
from minitf.library.estimator.run_config import RunConfig, TaskType, with_model_dir
from minitf.library.estimator.spec import (
    EstimatorSpec,
    ModeKeys,
    all_of,
    argument_names,
    call_with_known,
    check_steps,
    verify_model_fn_args,
)
from minitf.library.metrics.metrics import mean
from minitf.library.saving.checkpoint_state import checkpoint_exists, latest_checkpoint
from minitf.library.saving.checkpoint_utils import list_variables, load_variable, warm_start
from minitf.library.saving.saved_model import SavedModelBuilder
from minitf.library.saving.saved_model_constants import SERVING
from minitf.library.saving.saver import Saver
from minitf.library.sessions.basic_hooks import (
    LoggingTensorHook,
    NanTensorHook,
    SessionRunHook,
    StopAtStepHook,
)
from minitf.library.sessions.monitored_session import (
    ChiefSessionCreator,
    MonitoredSession,
    MonitoredTrainingSession,
)
from minitf.library.sessions.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    StepCounterHook,
    SummarySaverHook,
)
from minitf.library.sessions.scaffold import Scaffold
from minitf.library.sessions.training_util import create_global_step, get_global_step
from minitf.library.summary import summary

#: What subclasses may have of their own.
_OVERRIDABLE = {"model_fn", "latest_checkpoint", "_inputs", "_call_model_fn"}

_HOOKS = "Hooks must be a SessionRunHook"
_LISTENERS = "saving_listeners must be a list of CheckpointSaverListener"

#: A metric of this name stands for the default one of the loss.
OWN_LOSS = "_loss"


class Estimator:
    """Trains, evaluates, predicts and exports a model.

    Args:
      model_fn: a function of `features`, and of `labels`, `mode`, `params`, `config` as it needs
        them, which returns an `EstimatorSpec`.
      model_dir: where checkpoints and events go; a temporary directory when there is none.
      config: a `RunConfig`.
      params: settings that `model_fn` and `input_fn` get.
      warm_start_from: a checkpoint for the first training.

    Raises:
      ValueError: when `model_fn` has other arguments, or two model_dirs are given.
    Example:
      >>> def model_fn(features, labels, mode):
      ...     y = tf.layers.dense(features["x"], 1, name="y")
      ...     if mode == tf.estimator.ModeKeys.PREDICT:
      ...         return tf.estimator.EstimatorSpec(mode, predictions=y)
      ...     loss = tf.losses.mean_squared_error(labels, y)
      ...     train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      ...         loss, tf.train.get_global_step())
      ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
      >>> x = np.array([[1.0], [2.0]], np.float32)
      >>> input_fn = tf.estimator.inputs.numpy_input_fn({"x": x}, 2 * x, shuffle=False)
      >>> estimator = tf.estimator.Estimator(model_fn, model_dir="/tmp/line")
      >>> _ = estimator.train(input_fn, steps=1)
      >>> estimator.get_variable_names()
      ['global_step', 'y/bias', 'y/kernel']
      >>> sorted(estimator.evaluate(input_fn))
      ['global_step', 'loss']
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | None = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        self._check_not_overridden()
        self._config = with_model_dir(config, model_dir)
        self._model_dir: str = self._config.model_dir
        self._session_config = self._config.session_config
        logging.info("Using config: %s", vars(self._config))
        self._device_fn = self._config.device_fn
        if self._device_fn is None and self._config.train_distribute is None:
            self._device_fn = _device_setter(self._config)
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        verify_model_fn_args(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = _checkpoint_in(warm_start_from)

    def _check_not_overridden(self) -> None:
        kind = type(self)
        own = set(dir(Estimator)) & set(vars(kind)) - _OVERRIDABLE
        changed = [
            n
            for n in own
            if not n.startswith("__") and getattr(Estimator, n) is not getattr(kind, n)
        ]
        if changed:
            raise ValueError(
                "Subclasses of Estimator cannot override members of Estimator. "
                f"{kind} does override {changed}"
            )

    @property
    def model_dir(self) -> str:
        """Where checkpoints and events go."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """A copy of the `RunConfig`."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the settings."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model_fn, as a function of `features`, `labels`, `mode` and `config`."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    # ---- what was saved ------------------------------------------------------------------

    def latest_checkpoint(self) -> str | None:
        """Returns the path of the newest checkpoint; None when there is none."""
        return latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """Returns the names of all variables of the newest checkpoint.

        Raises:
          ValueError: when the estimator was not trained.
        """
        self._check_trained()
        return [name for name, _ in list_variables(self.model_dir)]

    def get_variable_value(self, name: str) -> Any:
        """Returns the value of a variable of the newest checkpoint.

        Raises:
          ValueError: when the estimator was not trained.
        """
        self._check_trained()
        return load_variable(self.model_dir, name)

    def _check_trained(self) -> None:
        if not latest_checkpoint(self.model_dir):
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")

    def eval_dir(self, name: str | None = None) -> str:
        """Returns where the events of the evaluations of that name go."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    # ---- training ------------------------------------------------------------------------

    def train(
        self,
        input_fn: Callable,
        hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Estimator:
        """Trains until the data ends, or for so many steps; goes on from the newest checkpoint.

        Args:
          input_fn: returns a `Dataset` of (features, labels), or both as tensors.
          hooks: `SessionRunHook`s.
          steps: how many steps to go on.
          max_steps: the step at which to stop; nothing is done when it was reached before.
          saving_listeners: are told about every checkpoint.
        Returns: itself.
        Raises:
          ValueError: when both numbers of steps are given, or one is not positive.
        """
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                "Train has been called wrong configuration. Please use "
                "tf.estimator.train_and_evaluate which calls proper API according to given "
                f"configuration. Current configuration: {self.config}."
            )
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        check_steps("steps", steps)
        check_steps("max_steps", max_steps)
        if max_steps is not None and max_steps <= self._saved_step():
            logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = list(all_of(SessionRunHook, hooks, _HOOKS))
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        listeners = all_of(CheckpointSaverListener, saving_listeners, _LISTENERS)
        strategy = self._config.train_distribute
        with Graph().as_default() as graph:
            with graph.device(self._device_fn) if strategy is None else trains_in(strategy):
                set_random_seed(self._config.tf_random_seed)
                create_global_step(graph)
                made = self._built(input_fn, ModeKeys.TRAIN, strategy)
                if strategy is None:
                    loss = self._train_with_spec(made.spec, made.hooks + hooks, listeners)
            if strategy is not None:  # out of its scope, since hooks may build other graphs
                loss = self._train_with_spec(made.spec, made.hooks + hooks, listeners)
        logging.info("Loss for final step: %s.", loss)
        return self

    def _saved_step(self) -> int:
        newest = self.latest_checkpoint()
        return int(load_variable(newest, GraphKeys.GLOBAL_STEP)) if newest else 0

    def _train_with_spec(
        self,
        spec: EstimatorSpec,
        hooks: list[SessionRunHook],
        listeners: Sequence[CheckpointSaverListener],
    ) -> Any:
        """Runs the training operation with all hooks; returns the last loss."""
        config = self._config
        role = role_of(config, self._session_config)
        self._warm_start(self.latest_checkpoint())
        if not any(s.op.name == "loss" for s in stacks.get_collection(GraphKeys.SUMMARIES)):
            summary.scalar("loss", spec.loss)
        stacks.add_to_collection(GraphKeys.LOSSES, spec.loss)
        hooks.append(NanTensorHook(spec.loss))
        if config.log_step_count_steps is not None:
            watched = {"loss": spec.loss, "step": get_global_step()}
            hooks.append(LoggingTensorHook(watched, every_n_iter=config.log_step_count_steps))
        hooks += spec.training_hooks
        if not (spec.scaffold.saver or stacks.get_collection(GraphKeys.SAVERS)):
            saver = Saver(
                sharded=True,
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                defer_build=True,
                save_relative_paths=True,
            )
            stacks.add_to_collection(GraphKeys.SAVERS, saver)
        chief_hooks = [*self._saver_hooks(spec, hooks, listeners), *spec.training_chief_hooks]
        every_steps = {
            "save_summaries_steps": config.save_summary_steps,
            "log_step_count_steps": config.log_step_count_steps,
        }
        if {TaskType.WORKER, TaskType.MASTER} <= set(config.cluster_spec.jobs):
            # a master evaluates as well: the first worker writes how training goes
            every_steps = {"save_summaries_steps": 0, "log_step_count_steps": None}
            if config.task_type == TaskType.WORKER and config.task_id == 0:
                hooks += _progress_hooks(config, spec.scaffold)
        if role.initializes and not role.saves:  # as all but the first of several mirrored workers
            every_steps = {"save_summaries_steps": 0, "log_step_count_steps": None}
        loss = None
        with MonitoredTrainingSession(
            master=role.master,
            is_chief=role.initializes,
            checkpoint_dir=self._model_dir,
            scaffold=spec.scaffold,
            hooks=hooks,
            chief_only_hooks=chief_hooks if role.saves else None,
            save_checkpoint_secs=0,  # a hook of our own saves
            config=role.session_config,
            max_wait_secs=config.session_creation_timeout_secs,
            **every_steps,
        ) as session:
            any_step = False
            while not session.should_stop():
                any_step = True
                _, loss = session.run([spec.train_op, spec.loss])
        if not any_step:
            logging.warning(
                "Training with estimator made no steps. Perhaps input is empty or misspecified."
            )
        return loss

    def _saver_hooks(
        self,
        spec: EstimatorSpec,
        hooks: Sequence[SessionRunHook],
        listeners: Sequence[CheckpointSaverListener],
    ) -> list[SessionRunHook]:
        """The hook that saves, unless the program brought one; it tells the listeners."""
        given = [
            h for h in (*hooks, *spec.training_chief_hooks) if isinstance(h, CheckpointSaverHook)
        ]
        secs, steps = self._config.save_checkpoints_secs, self._config.save_checkpoints_steps
        made = []
        if not given and (secs or steps):
            made = [CheckpointSaverHook(self._model_dir, secs, steps, scaffold=spec.scaffold)]
        if listeners and not (given or made):
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
                "the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        for listener in listeners:
            (given or made)[0].add_listener(listener)
        return list(made)

    def _warm_start(self, checkpoint_path: str | None) -> None:
        """Starts the variables from another checkpoint, unless there is one of our own."""
        if self._warm_start_from and not checkpoint_path:
            logging.info("Warm-starting from %s", self._warm_start_from)
            warm_start(self._warm_start_from)

    # ---- evaluation ----------------------------------------------------------------------

    def evaluate(
        self,
        input_fn: Callable,
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint, and writes the metrics as events.

        Args:
          input_fn: returns a `Dataset` of (features, labels), or both as tensors.
          steps: how many batches; all when None.
          hooks: `SessionRunHook`s.
          checkpoint_path: the checkpoint; the newest one by default.
          name: of this evaluation, when there are several of different data.
        Returns: the metrics by name, with "loss" and "global_step".
        Raises:
          ValueError: when `steps` is not positive, or a metric has one of these names.
        """
        hooks = list(all_of(SessionRunHook, hooks, _HOOKS))
        check_steps("steps", steps)
        if steps is not None:
            hooks.append(StopAfterNEvalsHook(steps))
        checkpoint_path = checkpoint_path or self._newest_for("evaluate")
        strategy = self._config.eval_distribute
        with Graph().as_default() as graph, contextlib.ExitStack() as scopes:
            if strategy is not None:
                scopes.enter_context(strategy.scope())
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            spec, input_hooks, loss_metric = self._built(input_fn, ModeKeys.EVAL, strategy)
            update_op, values = _updates_and_values(spec, loss_metric)
            self._warm_start(checkpoint_path)
            results = evaluate_once(
                checkpoint_path,
                self._config.evaluation_master,
                _with_default_local_init(spec.scaffold),
                update_op,
                values,
                [*input_hooks, *hooks, *spec.evaluation_hooks],
                self._session_config,
            )
            step = int(results[GraphKeys.GLOBAL_STEP])
            write_results(self.eval_dir(name), results, step, checkpoint_path)
        return results

    def _newest_for(self, purpose: str) -> str | None:
        newest = self.latest_checkpoint()
        if not newest:
            logging.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.",
                self._model_dir,
                purpose,
            )
        return newest

    # ---- prediction ----------------------------------------------------------------------

    def predict(
        self,
        input_fn: Callable,
        predict_keys: Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the predictions for the examples of `input_fn`, one by one.

        Args:
          input_fn: returns a `Dataset` of features, or features as tensors.
          predict_keys: which of the predictions; all when None.
          hooks: `SessionRunHook`s.
          checkpoint_path: the checkpoint; the newest one by default.
          yield_single_examples: False yields whole batches.
        Raises:
          ValueError: when none of the keys is there, or batches are of different sizes.
        """
        hooks = list(all_of(SessionRunHook, hooks, _HOOKS))
        checkpoint_path = checkpoint_path or self._newest_for("predict")
        with Graph().as_default() as graph:
            set_random_seed(self._config.tf_random_seed)
            create_global_step(graph)
            features, _, input_hooks = self._inputs(input_fn, ModeKeys.PREDICT)
            if not comes_to_an_end(features):
                logging.warning(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means "
                    "predict yields forever. This is probably a mistake."
                )
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._warm_start(checkpoint_path)
            predictions = _chosen(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                spec.scaffold,
                self._config.master,
                self._session_config,
                checkpoint_filename_with_path=checkpoint_path,
            )
            every = [*input_hooks, *hooks, *spec.prediction_hooks]
            with MonitoredSession(creator, every) as session:
                while not session.should_stop():
                    batch = session.run(predictions)
                    if not yield_single_examples:
                        yield batch
                    elif isinstance(batch, dict):
                        for i in range(_batch_size(batch)):
                            yield {key: value[i] for key, value in batch.items()}
                    else:
                        yield from batch

    # ---- export --------------------------------------------------------------------------

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Exports a checkpoint as a saved model, in a directory named by the time.

        Args:
          export_dir_base: where that directory is made.
          serving_input_receiver_fn: returns a `ServingInputReceiver`.
          assets_extra: files to take along, by their path in "assets.extra".
          as_text: write "saved_model.pbtxt".
          checkpoint_path: the checkpoint; the newest one by default.
        Returns: the directory's path.
        Raises:
          ValueError: when there is no function, or the estimator was not trained.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path and self._warm_start_from:
            checkpoint_path = self._warm_start_from
            if os.path.isdir(checkpoint_path):
                checkpoint_path = latest_checkpoint(checkpoint_path)
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        with export.timestamped_directory(os.fsdecode(export_dir_base)) as (path, unfinished):
            builder = SavedModelBuilder(unfinished)
            with Graph().as_default() as graph:
                create_global_step(graph)
                set_random_seed(self._config.tf_random_seed)
                receiver = serving_input_receiver_fn()
                spec = self._call_model_fn(receiver.features, None, ModeKeys.PREDICT, self.config)
                signatures = export.signature_defs(receiver, spec.export_outputs)
                self._add_graph(builder, spec, signatures, checkpoint_path)
            builder.save(as_text)
            export.copy_assets(unfinished, assets_extra or {})
        return path.encode()

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """The former name of `export_saved_model`."""
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )

    def _add_graph(
        self, builder: SavedModelBuilder, spec: EstimatorSpec, signatures: Any, checkpoint: str
    ) -> None:
        """Adds the graph of predictions, with the variables of a checkpoint."""
        with Session(config=self._session_config) as session:
            saver = spec.scaffold.saver or Saver(sharded=True)
            try:
                saver.restore(session, checkpoint)
            except errors.NotFoundError as error:
                raise ValueError(
                    "Could not load all requested variables from checkpoint. Please make sure "
                    "your model_fn does not expect variables that were not saved in the "
                    f"checkpoint.\n\nEncountered error with mode `{spec.mode}` while restoring "
                    f"checkpoint from: `{checkpoint}`. Full Traceback:\n\n{error}"
                ) from error
            builder.add_meta_graph_and_variables(
                session,
                [SERVING],
                signatures,
                assets_collection=stacks.get_collection(GraphKeys.ASSET_FILEPATHS),
                main_op=spec.scaffold.local_init_op or Scaffold.default_local_init_op(),
                saver=saver,
            )

    # ---- the two functions ---------------------------------------------------------------

    def _built(self, input_fn: Callable, mode: str, strategy: Any) -> Built:
        """The model on its data, in all replicas where there is a strategy."""
        if strategy is not None:
            return built(self, strategy, input_fn, mode)
        features, labels, hooks = self._inputs(input_fn, mode)
        return Built(self._call_model_fn(features, labels, mode, self.config), hooks)

    def _inputs(self, input_fn: Callable, mode: str) -> tuple[Any, Any, list[SessionRunHook]]:
        """Features, labels, and the hook that starts the data."""
        offered = {"mode": mode, "params": self.params, "config": self.config}
        with stacks.device("/cpu:0"):
            return parse_input_fn_result(call_with_known(input_fn, offered))

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        if labels is not None and "labels" not in argument_names(self._model_fn):
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        offered = {"labels": labels, "mode": mode, "params": self.params, "config": config}
        logging.info("Calling model_fn.")
        spec = call_with_known(self._model_fn, offered, features=features)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec


# ---- what an estimator is made with ------------------------------------------------------


def _device_setter(config: RunConfig) -> Any:
    """Puts variables on parameter servers; None when there are none."""
    if not config.num_ps_replicas:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def _checkpoint_in(given: Any) -> str | None:
    """The path of a checkpoint, of a folder of them, or of those in a saved model."""
    if given is None:
        return None
    if not isinstance(given, (str, bytes)):
        raise ValueError(
            f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}"
        )
    path = os.fsdecode(given)
    saved_model = os.path.join(path, "variables", "variables")
    return saved_model if checkpoint_exists(saved_model) else path


def _progress_hooks(config: RunConfig, scaffold: Scaffold) -> Iterator[SessionRunHook]:
    if config.save_summary_steps:
        yield SummarySaverHook(
            config.save_summary_steps, output_dir=config.model_dir, scaffold=scaffold
        )
    if config.log_step_count_steps:
        yield StepCounterHook(config.log_step_count_steps, output_dir=config.model_dir)


# ---- inputs and outputs ------------------------------------------------------------------


def _updates_and_values(spec: EstimatorSpec, loss: Any) -> tuple[Any, dict[str, Any]]:
    """One operation that updates all metrics, and their values by name.

    Args:
      spec: what the model function gave.
      loss: the metric of the loss, where the replicas have made it.
    """
    metrics = spec.eval_metric_ops
    for name, quote in (("loss", '"'), (GraphKeys.GLOBAL_STEP, "`")):
        if name in metrics:
            raise ValueError(
                f"Metric with name {quote}{name}{quote} is not allowed, because Estimator already "
                "defines a default metric with the same name."
            )
    metrics["loss"] = metrics.pop(OWN_LOSS, None) or loss or mean(spec.loss)
    ordered = dict(sorted(metrics.items()))
    values = {name: value for name, (value, _) in ordered.items()}
    values[GraphKeys.GLOBAL_STEP] = get_global_step()
    return group(*(update for _, update in ordered.values())), values


def _with_default_local_init(scaffold: Scaffold) -> Scaffold:
    """A scaffold whose own local init op does not keep the metrics from their first values."""
    if scaffold.local_init_op is None:
        return scaffold
    get_or_create_eval_step()
    both = group(scaffold.local_init_op, Scaffold.default_local_init_op())
    return Scaffold(local_init_op=both, copy_from_scaffold=scaffold)


def _chosen(predictions: Any, keys: Sequence[str] | None) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {key: value for key, value in predictions.items() if key in keys}
    if not chosen:
        raise ValueError(
            f"Expected to run at least one output from {predictions.keys()}, provided {keys}."
        )
    return chosen


def _batch_size(batch: Mapping[str, Any]) -> int:
    sizes = {key: len(value) for key, value in batch.items()}
    first = next(iter(sizes.values()))
    for key, size in sizes.items():
        if size != first:
            raise ValueError(
                f"Batch length of predictions should be same. {key} has different batch length "
                "than others."
            )
    return first


# ---- more metrics ------------------------------------------------------------------------


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Mapping[str, Any]]) -> Estimator:
    """Returns an estimator like the given one that evaluates more metrics.

    Args:
      estimator: the estimator; both have one model_dir.
      metric_fn: a function of those of `features`, `labels`, `predictions`, `config` that it
        needs, which returns a dict of metrics.
    Raises:
      ValueError: when it has other arguments.
    """
    allowed = ("features", "labels", "predictions", "config")
    if others := [name for name in argument_names(metric_fn) if name not in allowed]:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {others}")

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        offered = dict(zip(allowed, (features, labels, spec.predictions, config), strict=True))
        added = call_with_known(metric_fn, offered)
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **added})

    return Estimator(
        model_fn,
        estimator.model_dir,
        estimator.config,
        warm_start_from=estimator._warm_start_from,
    )
