"""`tf.contrib.learn`: estimators that are fitted to arrays, before `tf.estimator` came of them.

classifier = tf.contrib.learn.DNNClassifier([10, 20, 10], columns, n_classes=3)
classifier.fit(x, y, steps=200)              an Estimator of tf.estimator does the work;
list(classifier.predict(x))                  here are the older methods, arguments and results
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from minitf.compat.contrib import clustering
from minitf.compat.contrib.feature_columns import named
from minitf.compat.contrib.learn_experiment import (
    ModelFnOps,
    PredictionKey,
    as_receiver,
    replace_monitors_with_hooks,
)
from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys, get_default_graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.control import no_op
from minitf.library.estimator import premade
from minitf.library.estimator import run_config as core
from minitf.library.estimator.estimator import Estimator as CoreEstimator
from minitf.library.estimator.estimator import add_metrics
from minitf.library.estimator.inputs import numpy_input_fn
from minitf.library.estimator.spec import EstimatorSpec, argument_names
from minitf.library.losses import Reduction
from minitf.library.nets.activations import relu
from minitf.library.sessions.basic_hooks import SessionRunHook


class RunConfig(core.RunConfig):
    """How an estimator runs; the older names and defaults.

    Args:
      master, num_cores, log_device_placement, gpu_memory_fraction, evaluation_master: accepted;
        `session_config` says these things.
      tf_random_seed, save_summary_steps, save_checkpoints_secs, save_checkpoints_steps,
      keep_checkpoint_max, keep_checkpoint_every_n_hours, log_step_count_steps, protocol, model_dir,
      session_config: see `tf.estimator.RunConfig`.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: int | None = 600,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
    ) -> None:
        intervals: dict[str, Any] = {"save_checkpoints_secs": save_checkpoints_secs}
        if save_checkpoints_steps is not None:  # it goes before the seconds there are by default
            intervals = {"save_checkpoints_steps": save_checkpoints_steps}
        super().__init__(
            model_dir,
            tf_random_seed,
            save_summary_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            **intervals,
        )


class MetricSpec:
    """A metric, and which predictions, labels and weights it is of.

    Args:
      metric_fn: a function of `predictions`, `labels` and perhaps `weights`.
      prediction_key: the name of the prediction when there are several.
      label_key: the name of the label when there are several.
      weight_key: the feature that weighs the examples.
    """

    def __init__(
        self,
        metric_fn: Callable,
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self.metric_fn = metric_fn
        self.prediction_key = prediction_key
        self.label_key = label_key
        self.weight_key = weight_key

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """The (value, update) pair of the metric.

        Args:
          inputs: the features.
          labels, predictions: tensors, or dicts of them.
        """
        given = {
            "predictions": _chosen(predictions, self.prediction_key, "prediction"),
            "labels": _chosen(labels, self.label_key, "label"),
        }
        names = argument_names(self.metric_fn)
        if self.weight_key is not None:
            given["weights"] = inputs[self.weight_key]
        if "labels" not in names and "targets" in names:
            given["targets"] = given.pop("labels")
        if set(given) <= set(names):
            return self.metric_fn(**given)
        return self.metric_fn(*given.values())


def _chosen(values: Any, key: str | None, kind: str) -> Any:
    if not isinstance(values, Mapping):
        return values
    if key is not None:
        return values[key]
    if len(values) != 1:
        raise ValueError(f"MetricSpec without specified {kind}_key requires a single {kind}.")
    return next(iter(values.values()))


# ---- inputs ------------------------------------------------------------------------------


def _array(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _array(value) for key, value in values.items()}
    found = np.asarray(values)
    return found.astype(np.float32) if found.dtype == np.float64 else found


def _input_fn(
    x: Any, y: Any, input_fn: Any, batch_size: int | None, epochs: int | None
) -> Callable[[], Any]:
    """The input function of arrays: for training without end and shuffled."""
    if input_fn is not None:
        if x is not None or y is not None or batch_size is not None:
            raise ValueError("Can not provide both input_fn and x, y or batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    # TensorFlow feeds a feature of one number as [batch, 1], and a target of width 1 as [batch]
    x = nest.map_structure(lambda each: each[:, None] if each.ndim == 1 else each, _array(x))
    if y is not None:
        y = nest.map_structure(
            lambda each: each[:, 0] if each.shape[1:2] == (1,) else each, _array(y)
        )
    size = batch_size or len(next(iter(x.values())) if isinstance(x, dict) else x)
    return numpy_input_fn(x, y, size, epochs, shuffle=epochs is None)


# ---- estimators --------------------------------------------------------------------------


class Estimator:
    """Fits the model that a model_fn builds.

    Args:
      model_fn: a function of `features`, `labels`, and of `mode`, `params`, `config`, `model_dir`
        as it needs them; it returns a `ModelFnOps`, an `EstimatorSpec`, or a tuple of predictions,
        loss and training operation.
      model_dir: where checkpoints and events go.
      config: a `RunConfig`.
      params: settings that `model_fn` gets.
    """

    _labels: Any = None  # how to make placeholders for those that training had

    def __init__(
        self,
        model_fn: Callable | None = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")

        def core_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            labels = self._like_before(labels)
            others = {"mode": mode, "params": params, "config": config, "model_dir": self.model_dir}
            known = set(argument_names(model_fn)) & others.keys()
            made = model_fn(features, labels, **{name: others[name] for name in known})
            return as_spec(made, mode)

        self._take(CoreEstimator(core_model_fn, model_dir=model_dir, config=config))

    def _take(self, core: CoreEstimator) -> None:
        self._core = core

    @property
    def model_dir(self) -> str:
        """Where checkpoints and events go."""
        return self._core.model_dir

    @property
    def config(self) -> Any:
        """A copy of the `RunConfig`."""
        return self._core.config

    def get_variable_names(self) -> list[str]:
        """The names of all variables of the newest checkpoint."""
        return self._core.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable of the newest checkpoint."""
        return self._core.get_variable_value(name)

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Iterable[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains.

        Args:
          x, y: arrays, with an example a row; they come for ever, in batches and shuffled.
          input_fn: returns features and labels as tensors, in place of arrays.
          steps, max_steps: see `tf.estimator.Estimator.train`.
          batch_size: how many examples a batch has; all by default.
          monitors: monitors, and hooks.
        Returns: itself.
        """
        hooks = replace_monitors_with_hooks(monitors, self)
        self._core.train(
            self._taken(_input_fn(x, y, input_fn, batch_size, None)), hooks, steps, max_steps
        )
        return self

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable | None = None,
        feed_fn: Callable | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates the newest checkpoint.

        Args:
          x, y, input_fn, batch_size: see `fit`; arrays come once.
          feed_fn, log_progress: accepted.
          steps: how many batches; all by default.
          metrics: further metrics, from names to `MetricSpec`s or functions.
          name, checkpoint_path, hooks: see `tf.estimator.Estimator.evaluate`.
        Returns: the metrics by name, with "loss" and "global_step".
        """
        estimator = self._core if not metrics else self._with_metrics(metrics)
        given = self._taken(_input_fn(x, y, input_fn, batch_size, 1))
        return estimator.evaluate(given, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        x: Any = None,
        input_fn: Callable | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Predicts.

        Args:
          x, input_fn, batch_size: see `fit`; tensors that no queue or dataset gives come once.
          outputs: which of the predictions; all by default.
          as_iterable: whether examples come one by one; otherwise arrays of all are returned.
        """
        given, outputs = _input_fn(x, None, input_fn, batch_size, 1), outputs or self._usual
        found = self._core.predict(self._taken(given), self._core_names(outputs), [_OneBatch()])
        told = (self._told(each, outputs) for each in found)
        return told if as_iterable else _stacked(list(told))

    def export_savedmodel(
        self, export_dir_base: str, serving_input_fn: Callable, **kwargs: Any
    ) -> bytes:
        """Exports the newest checkpoint; see `tf.estimator.Estimator.export_savedmodel`."""
        known = {"assets_extra", "as_text", "checkpoint_path"}
        kwargs = {name: value for name, value in kwargs.items() if name in known}
        trained_with, self._labels = self._labels, None  # here a model_fn gets None for labels
        try:
            return self._core.export_saved_model(
                export_dir_base, as_receiver(serving_input_fn), **kwargs
            )
        finally:
            self._labels = trained_with

    def _taken(self, input_fn: Callable) -> Callable:
        """The input function as the core estimator gets it."""
        return input_fn

    _usual: Sequence[str] | None = None  # what `predict` gives without `outputs`

    def _core_names(self, outputs: Sequence[str] | None) -> Sequence[str] | None:
        """The names of predictions in the core estimator."""
        return outputs

    def _told(self, found: Any, outputs: Sequence[str] | None) -> Any:
        """The predictions for an example, as `predict` gives them."""
        return found

    def _with_metrics(self, metrics: Mapping[Any, Any]) -> CoreEstimator:
        """The estimator, with more metrics in its evaluation."""

        def metric_fn(features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
            predictions, more = self._predictions(predictions), {}
            for name, metric in metrics.items():
                if isinstance(name, tuple):
                    name, key = name
                    metric = MetricSpec(metric, prediction_key=key)
                elif not isinstance(metric, MetricSpec):
                    metric = MetricSpec(metric)
                more[name] = metric.create_metric_ops(features, labels, predictions)
            return more

        return add_metrics(self._core, metric_fn)

    def _predictions(self, predictions: Any) -> Any:
        """The predictions under the names of this module."""
        return predictions

    def _like_before(self, labels: Any) -> Any:
        """The labels; for predictions placeholders, in the form of those that training had."""
        if labels is None and self._labels is not None:
            return nest.map_structure(lambda make: make(), self._labels)
        if all(isinstance(each, Tensor) for each in nest.flatten(labels)):
            self._labels = nest.map_structure(
                lambda each: functools.partial(placeholder, each.dtype, each.shape), labels
            )
        return labels


class _OneBatch(SessionRunHook):
    """Ends predictions after a batch, unless a queue or a dataset ends them."""

    def begin(self) -> None:
        graph = get_default_graph()
        self._constant = not graph.get_collection(GraphKeys.QUEUE_RUNNERS) and not any(
            op.type == "IteratorGetNext" for op in graph.get_operations()
        )

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._constant:
            run_context.request_stop()


def as_spec(made: Any, mode: str) -> EstimatorSpec:
    """The `EstimatorSpec` of what a model_fn has returned."""
    if isinstance(made, EstimatorSpec):
        return made
    if isinstance(made, ModelFnOps):
        metrics = {
            name: tuple(metric) if isinstance(metric, (list, tuple)) else (metric, no_op())
            for name, metric in (made.eval_metric_ops or {}).items()
        }  # a tensor alone has its value after the last step
        return made._replace(eval_metric_ops=metrics).estimator_spec()
    if not isinstance(made, tuple) or len(made) != 3:
        raise ValueError("Unrecognized value returned by model_fn, please return ModelFnOps.")
    predictions, loss, train_op = made
    return EstimatorSpec(mode, predictions, loss, train_op)


def _stacked(found: list[Any]) -> Any:
    if found and isinstance(found[0], Mapping):
        return {key: np.array([each[key] for each in found]) for key in found[0]}
    return np.array(found)


class Premade(Estimator):
    """An estimator of `tf.estimator` with the older methods, and other names of predictions.

    Args:
      core: the estimator.
      predictions: by the names of this module those of `core`; the first is what `predict` gives.
    """

    def __init__(self, core: CoreEstimator, predictions: Mapping[str, str]) -> None:
        self._take(core)
        self._names = dict(predictions)

    def _taken(self, input_fn: Callable) -> Callable:
        def given() -> Any:
            made = input_fn()
            if hasattr(made, "make_one_shot_iterator"):
                made = made.make_one_shot_iterator().get_next()
            features, labels = made if isinstance(made, tuple) else (made, None)
            features = nest.map_structure(_tensor, named(features))
            return features if labels is None else (features, labels)

        return given

    def _predictions(self, predictions: Any) -> Any:
        found = {new: predictions[old] for new, old in self._names.items() if old in predictions}
        return {new: _flat(tensor) if new in _VECTORS else tensor for new, tensor in found.items()}

    def _core_names(self, outputs: Sequence[str] | None) -> list[str]:
        return [self._names[name] for name in outputs or [next(iter(self._names))]]

    def _told(self, found: Any, outputs: Sequence[str] | None) -> Any:
        """The class or the number of an example; with `outputs` a dict of these."""
        names = outputs or [next(iter(self._names))]
        values = {name: found[self._names[name]] for name in names}
        for name in set(names) & set(_VECTORS):
            if np.ndim(values[name]) == 1 and np.shape(values[name])[-1] == 1:
                values[name] = values[name][0]  # a number, no array
        return values if outputs else values[names[0]]


def _tensor(given: Any) -> Any:
    """An array as a tensor; others as they are."""
    return convert_to_tensor(given) if isinstance(given, np.ndarray) else given


_VECTORS = (PredictionKey.CLASSES, PredictionKey.SCORES)


def _flat(tensor: Tensor) -> Tensor:
    return squeeze(tensor, [1]) if tensor.shape.ndims == 2 and tensor.shape[1] == 1 else tensor


# ---- premade estimators ------------------------------------------------------------------

#: Arguments that `tf.estimator` calls otherwise.
_NEWER = {"weight_column_name": "weight_column", "label_keys": "label_vocabulary"}
_DEFAULTS = {"n_classes": 2, "label_dimension": 1, "activation_fn": relu}
_REQUIRED = ("feature_columns", "hidden_units")


class _OfColumns(Premade):
    """A premade estimator of `tf.estimator` whose constructor has the older arguments."""

    _core_class: ClassVar[Any]
    __signature__: inspect.Signature

    def __init_subclass__(cls, core: Any = None, arguments: str = "") -> None:
        if core is None:  # a class that a program has derived
            return
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        cls._core_class = core
        cls.__signature__ = inspect.Signature(
            [
                inspect.Parameter(n, kind, default=empty if n in _REQUIRED else _DEFAULTS.get(n))
                for n in arguments.split()
            ]
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {_NEWER.get(name, name): value for name, value in bound.arguments.items()}
        if given["optimizer"] is None:
            del given["optimizer"]
        core = self._core_class(**given, loss_reduction=Reduction.SUM_OVER_BATCH_SIZE)
        names = {PredictionKey.SCORES: "predictions"}
        if "n_classes" in given:
            classes = "classes" if given["label_vocabulary"] else "class_ids"
            same = ("probabilities", "logits", "logistic")
            names = {PredictionKey.CLASSES: classes, **{key: key for key in same}}
        super().__init__(core, names)


class LinearClassifier(
    _OfColumns,
    core=premade.LinearClassifier,
    arguments="feature_columns model_dir n_classes weight_column_name optimizer config label_keys",
):
    """A linear model that tells classes; see `tf.estimator.LinearClassifier`.

    Args:
      feature_columns: columns.
      model_dir, config: see `Estimator`.
      n_classes: how many classes.
      weight_column_name: the feature that weighs the examples.
      optimizer: an optimizer, or its name; Ftrl by default.
      label_keys: the labels when they are words.
    """


class LinearRegressor(
    _OfColumns,
    core=premade.LinearRegressor,
    arguments="feature_columns model_dir weight_column_name optimizer label_dimension config",
):
    """A linear model that tells numbers.

    Args: those of `LinearClassifier`; `label_dimension` is how many numbers an example has.
    """


class DNNClassifier(
    _OfColumns,
    core=premade.DNNClassifier,
    arguments="hidden_units feature_columns model_dir n_classes weight_column_name optimizer "
    "activation_fn dropout config label_keys",
):
    """Fully connected layers that tell classes; see `tf.estimator.DNNClassifier`.

    Args:
      hidden_units: the sizes of the hidden layers.
      feature_columns: dense columns.
      activation_fn: of the hidden layers.
      dropout: the part of the outputs to set to 0 while training.

    The others are those of `LinearClassifier`.
    """


class DNNRegressor(
    _OfColumns,
    core=premade.DNNRegressor,
    arguments="hidden_units feature_columns model_dir weight_column_name optimizer activation_fn "
    "dropout config label_dimension",
):
    """Fully connected layers that tell numbers.

    Args: those of `DNNClassifier`; `label_dimension` is how many numbers an example has.
    """


class KMeansClustering(clustering.Choices, Premade):
    """Finds clusters of points; see `tf.contrib.factorization.KMeansClustering`.

    Args:
      num_clusters: how many.
      random_seed: of the choice of the first centers.
      others: those of the other.
    """

    SCORES, CLUSTER_IDX, ALL_SCORES = "scores", "cluster_idx", "all_scores"
    CLUSTERS = "clusters"
    _usual = CLUSTER_IDX, ALL_SCORES

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = clustering.Choices.RANDOM_INIT,
        distance_metric: str = clustering.Choices.SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int | None = 0,
        use_mini_batch: bool = True,
        config: Any = None,
    ) -> None:
        how = initial_clusters, distance_metric, random_seed, use_mini_batch, config
        core = clustering.KMeansClustering(num_clusters, model_dir, *how)
        names = {self.CLUSTER_IDX: core.CLUSTER_INDEX, self.ALL_SCORES: core.ALL_DISTANCES}
        super().__init__(core, names)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        found = super().evaluate(*args, **kwargs)
        found[self.SCORES] = found.pop(clustering.KMeansClustering.SCORE)
        return found

    def score(self, input_fn: Callable | None = None, steps: int | None = None) -> Any:
        """The sum of the distances of points to their centers."""
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Callable | None = None, as_iterable: bool = False) -> Any:
        """The distances of each point to all centers."""
        found = self.predict(None, input_fn, None, [self.ALL_SCORES], as_iterable)
        return found if as_iterable else found[self.ALL_SCORES]

    def clusters(self) -> Any:
        """[clusters, n] the centers."""
        return self.get_variable_value(self.CLUSTERS)
