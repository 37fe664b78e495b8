"""`tf.contrib.timeseries`: the estimator of series, and what it exports.

    state manager                from which state a window begins
    head                         what train, evaluate and predict compute of a model
    TimeSeriesRegressor(model)   train; evaluate gives predictions of what it saw, and the state
                                 from which predict goes on
    saved model ──> predict_continuation   the state, times        ──> predictions
                └─> filter_continuation    the state, new values   ──> the state after them

A `ChainingStateManager` goes through a series in windows that come in any order: it keeps the state
after each 20 times, and a window begins from the one that was kept last before it.

    series   0 . . . . . . . . 20 . . . . . . . . 40 . . . .
    kept     start state        after 19           after 39
    window              from ──> 27 28 29 ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minitf.compat.contrib.time_series import (
    InputStatisticsFromMiniBatch,
    ModelOutputs,
    TimeSeriesModel,
    replicate_state,
)
from minitf.compat.contrib.time_series_inputs import (
    SavedModelLabels,
    State,
    Times,
    TrainEvalFeatures,
    continued_times,
)
from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.ops.array import identity, placeholder, placeholder_with_default, stop_gradient
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where_v2
from minitf.core.ops.control import group
from minitf.core.ops.math import floordiv, maximum
from minitf.core.ops.state import assign
from minitf.core.train.adam import AdamOptimizer
from minitf.core.variables.variable_scope import variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export import ServingInputReceiver
from minitf.library.estimator.export_outputs import PredictOutput
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.models import make_parse_example_spec
from minitf.library.metrics.base import mean
from minitf.library.parsing.example_parsing import parse_example
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary
from minitf.library.text.lookup.tables import MutableHashTable

# ---- where windows begin -------------------------------------------------------------------


class PassthroughStateManager:
    """For models that begin each window from the start."""

    def initialize_graph(self, model: TimeSeriesModel, input_statistics: Any = None) -> None:
        """Nothing."""

    def define_loss(self, model: TimeSeriesModel, features: Any, mode: str) -> ModelOutputs:
        """The model's own loss."""
        if State.STATE_TUPLE in features:
            raise ValueError("Overriding start state is not supported for this model.")
        return model.define_loss(features, mode)


class FilteringOnlyStateManager(PassthroughStateManager):
    """For models of windows, whose state says only from where to predict."""

    def define_loss(self, model: TimeSeriesModel, features: Any, mode: str) -> ModelOutputs:
        """The loss from a given state, or the model's own."""
        if State.STATE_TUPLE not in features:
            return model.define_loss(features, mode)
        if mode == ModeKeys.TRAIN:
            raise ValueError(
                "Overriding saved state for training is not supported (but a value for feature "
                f"{State.STATE_TUPLE} was specified)."
            )
        given = {name: value for name, value in features.items() if name != State.STATE_TUPLE}
        return model.get_batch_loss(given, mode, features[State.STATE_TUPLE])


class ChainingStateManager(FilteringOnlyStateManager):
    """For models that go through a series: a window begins from the state kept before it.

    Args:
      state_saving_interval: how many times lie between the states that are kept.
      checkpoint_state: whether checkpoints keep them.
    """

    def __init__(self, state_saving_interval: int = 20, checkpoint_state: bool = False) -> None:
        self._interval, self._checkpoint = state_saving_interval, checkpoint_state

    def initialize_graph(self, model: TimeSeriesModel, input_statistics: Any = None) -> None:
        """Takes the start state, and when the series begins."""
        self._start_state = model.get_start_state()
        self._start_time = 0 if input_statistics is None else input_statistics.start_time

    def define_loss(self, model: Any, features: Any, mode: str) -> ModelOutputs:
        """The loss from a given state, or from those kept; it keeps those after the window."""
        if State.STATE_TUPLE in features:
            return super().define_loss(model, features, mode)
        flat = [convert_to_tensor(each) for each in nest.flatten(self._start_state)]
        tables = [
            MutableHashTable(dtypes.int64, each.dtype.base_dtype, stop_gradient(each),
                             name=f"cached_states_{number}", checkpoint=self._checkpoint)
            for number, each in enumerate(flat)
        ]  # fmt: skip
        times = cast(features[Times.TIMES], dtypes.int64)
        chunk = floordiv(times, self._interval)
        first = equal(chunk[:, 0], floordiv(cast(self._start_time, dtypes.int64), self._interval))
        starts = nest.flatten(replicate_state(self._start_state, shape_of(times)[0]))
        begin = []
        for table, start in zip(tables, starts, strict=True):
            found = table.lookup(chunk[:, 0])
            wide = reshape(first, concat([[-1], ones([rank_of(start) - 1], dtypes.int32)], 0))
            begin.append(where_v2(wide, start, found))  # gradients reach the start state
            begin[-1].set_shape(start.shape)
        state = nest.pack_sequence_as(self._start_state, begin)
        loss, states, predictions = model.per_step_batch_loss(features, mode, state)
        # The last state of a chunk is written last, and stays.
        following = concat([chunk[:, 1:], floordiv(times[:, -1:] + 1, self._interval)], 1)
        keys = maximum(following, chunk + 1)
        with control_dependencies(nest.flatten(states)):  # all lookups come before
            kept = [
                table.insert(keys, each)
                for table, each in zip(tables, nest.flatten(states), strict=True)
            ]
        with control_dependencies(kept):
            loss = identity(loss)
        end = nest.map_structure(lambda each: each[-1:, -1], states)
        predictions["observed"] = features[TrainEvalFeatures.VALUES]
        return ModelOutputs(loss, end, predictions, times)


# ---- the head ------------------------------------------------------------------------------


def state_to_dictionary(state_tuple: Any) -> dict[str, Any]:
    """The parts of a state by name: "model_state_00", "model_state_01" ..."""
    flat = enumerate(nest.flatten(state_tuple))
    return {f"{State.STATE_PREFIX}_{number:02d}": each for number, each in flat}


class TimeSeriesRegressionHead:
    """What an estimator computes of a model of series.

    Args:
      model: a `TimeSeriesModel`.
      state_manager: from where windows begin.
      optimizer: of the loss.
      input_statistics_generator: an `InputStatisticsFromMiniBatch`, or None.
      name: of the scope.
    """

    def __init__(
        self, model: TimeSeriesModel, state_manager: Any, optimizer: Any,
        input_statistics_generator: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self.model, self.state_manager, self.optimizer = model, state_manager, optimizer
        self.input_statistics_generator, self.name = input_statistics_generator, name

    def create_loss(self, features: Any, mode: str, logits: Any = None, labels: Any = None) -> Any:
        """The `ModelOutputs` of a window."""
        outputs = self.state_manager.define_loss(self.model, features, mode)
        summary.scalar("loss", outputs.loss)
        return outputs

    def create_estimator_spec(self, features: Any, mode: str, labels: Any = None) -> EstimatorSpec:
        """What the estimator runs: a `model_fn`."""
        if labels:
            raise ValueError(
                "The model received a `labels`, which is not supported. Pass 'times' and "
                "'values' as features."
            )
        features = {name: self._as_tensors(name, value) for name, value in features.items()}
        seen = None
        if self.input_statistics_generator is not None:
            seen = self.input_statistics_generator.initialize_graph(
                features, update_statistics=mode == ModeKeys.TRAIN
            )
        self.model.initialize_graph(input_statistics=seen)
        features, serves = self._gather_state(features)
        self._check(features, mode)
        self.state_manager.initialize_graph(self.model, seen)
        if mode == ModeKeys.PREDICT:
            return self._predictions(features, serves)
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, mode)
        if mode == ModeKeys.TRAIN:
            train = self.optimizer.minimize(outputs.loss, global_step=get_global_step())
            return EstimatorSpec(mode, loss=outputs.loss, train_op=train)
        kept = {**outputs.predictions, Times.TIMES: outputs.prediction_times,
                State.STATE_TUPLE: outputs.end_state}  # fmt: skip
        metrics = {name: _last(name, value) for name, value in kept.items()}
        metrics["average_loss"] = mean(outputs.loss)
        return EstimatorSpec(mode, outputs.predictions, outputs.loss, eval_metric_ops=metrics)

    def _predictions(self, features: dict[str, Any], serves: bool) -> EstimatorSpec:
        """Predictions; an exported model has two signatures, to predict and to filter."""
        mode = ModeKeys.PREDICT
        values = features.pop(TrainEvalFeatures.VALUES, None)
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features)
        if not serves:
            return EstimatorSpec(mode, {**predictions, Times.TIMES: features[Times.TIMES]})
        with variable_scope("model", reuse=True):
            given = {**features, TrainEvalFeatures.VALUES: values}
            filtered = self.state_manager.define_loss(self.model, given, ModeKeys.EVAL)
        outputs = {
            SavedModelLabels.PREDICT: PredictOutput(predictions),
            SavedModelLabels.FILTER: PredictOutput(state_to_dictionary(filtered.end_state)),
        }
        return EstimatorSpec(mode, {}, export_outputs=outputs)

    def _gather_state(self, features: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Features whose state is a nest, and whether it came in numbered parts."""
        numbered = {
            int(found[1]): name
            for name in features
            if (found := re.fullmatch(State.STATE_PREFIX + r"_(\d+)", name))
        }
        if not numbered:
            return features, False
        features = dict(features)
        flat = [features.pop(numbered[number]) for number in sorted(numbered)]
        start = self.model.get_start_state()
        features[State.STATE_TUPLE] = nest.pack_sequence_as(start, flat)
        return features, True

    def _as_tensors(self, name: str, value: Any) -> Any:
        if name == State.STATE_TUPLE:
            return nest.map_structure(convert_to_tensor, value)
        kinds = {Times.TIMES: dtypes.int64, TrainEvalFeatures.VALUES: self.model.dtype}
        value = convert_to_tensor(value)
        return cast(value, kinds[name]) if name in kinds else value

    def _check(self, features: dict[str, Any], mode: str) -> None:
        """Raises ValueError when a feature is missing or of another shape."""
        predicts = mode == ModeKeys.PREDICT
        needed = [Times.TIMES, State.STATE_TUPLE if predicts else TrainEvalFeatures.VALUES]
        for name in needed:
            if name not in features:
                what = "prediction" if predicts else "training/evaluation"
                raise ValueError(f"Expected a '{name}' feature for {what}.")
        times, values = features[Times.TIMES], features.get(TrainEvalFeatures.VALUES)
        if not times.shape.is_compatible_with([None, None]):
            raise ValueError(
                "Expected shape (batch dimension, window size) for feature 'times' (got shape "
                f"{times.shape})"
            )
        size = self.model.num_features
        if values is not None and not values.shape.is_compatible_with([None, None, size]):
            raise ValueError(
                f"Expected shape (batch dimension, window size, {size}) for feature 'values', "
                f"since the model was configured with num_features={size} (got shape "
                f"{values.shape})"
            )


def time_series_regression_head(
    model: TimeSeriesModel, state_manager: Any, optimizer: Any,
    input_statistics_generator: Any = None,
) -> TimeSeriesRegressionHead:  # fmt: skip
    """A `TimeSeriesRegressionHead`."""
    return TimeSeriesRegressionHead(model, state_manager, optimizer, input_statistics_generator)


def _last(name: str, value: Any) -> tuple[Any, Any]:
    """A metric that is what came last, whatever its shape; also of several tensors."""
    kept = [
        Variable(zeros([], each.dtype), trainable=False, validate_shape=False,
                 collections=[GraphKeys.LOCAL_VARIABLES], name=f"{name}_identity_metric")
        for each in nest.flatten(value)
    ]  # fmt: skip
    new = [
        assign(variable, each, validate_shape=False)
        for variable, each in zip(kept, nest.flatten(value), strict=True)
    ]
    with name_scope(f"{name}_value"):
        found = [identity(variable) for variable in kept]
    return nest.pack_sequence_as(value, found), group(*new)


# ---- the estimator -------------------------------------------------------------------------


class TimeSeriesRegressor(Estimator):
    """Trains a model of series.

    `evaluate` gives, beside the loss, what the model predicted inside of the last batch, "times",
    "observed", and the state at its end under "start_tuple".

    Args:
      model: a `TimeSeriesModel`.
      state_manager: from where windows begin; `PassthroughStateManager` by default.
      optimizer: Adam with 0.02 by default.
      model_dir, config: those of `tf.estimator.Estimator`.
    """

    def __init__(
        self, model: TimeSeriesModel, state_manager: Any = None, optimizer: Any = None,
        model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        head = TimeSeriesRegressionHead(
            model, state_manager or PassthroughStateManager(), optimizer or AdamOptimizer(0.02),
            InputStatisticsFromMiniBatch(model.num_features, model.dtype),
        )  # fmt: skip

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            return head.create_estimator_spec(features, mode, labels)

        self._model = model
        super().__init__(model_fn, model_dir, config)

    def build_raw_serving_input_receiver_fn(
        self, default_batch_size: int | None = None, default_series_length: int | None = None
    ) -> Callable[[], ServingInputReceiver]:
        """What `export_saved_model` wants, for a model that is fed arrays.

        Args:
          default_batch_size, default_series_length: the only sizes that it takes; None for any.
        """
        sizes, model = [default_batch_size, default_series_length], self._model

        def receiver() -> ServingInputReceiver:
            empty = zeros([*(size or 0 for size in sizes), model.num_features], model.dtype)
            found = {
                Times.TIMES: placeholder(dtypes.int64, sizes, Times.TIMES),
                # Only filtering needs values.
                TrainEvalFeatures.VALUES: placeholder_with_default(
                    empty, [*sizes, model.num_features], TrainEvalFeatures.VALUES
                ),
            }
            with Graph().as_default():  # only for the shapes
                model.initialize_graph()
                start = nest.map_structure(convert_to_tensor, model.get_start_state())
                known = {}
                if model.exogenous_feature_columns:
                    spec = make_parse_example_spec(model.exogenous_feature_columns)
                    known = parse_example(placeholder(dtypes.string, [None]), spec)
            for name, each in known.items():
                shape = TensorShape(sizes).concatenate(each.shape[1:])
                found[name] = placeholder(each.dtype, shape, name)
            for name, each in state_to_dictionary(start).items():
                shape = TensorShape(sizes[:1]).concatenate(each.shape)
                found[name] = placeholder(each.dtype, shape, name)
            return ServingInputReceiver(found, found)

        return receiver


# ---- what was exported ---------------------------------------------------------------------


def _run(
    label: str, continue_from: Mapping[str, Any], signatures: Any, session: Any,
    features: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """What a signature gives for a state and features, and the times."""
    signature = signatures.signature_def[label]
    state = continue_from
    if State.STATE_TUPLE in continue_from:
        state = state_to_dictionary(continue_from[State.STATE_TUPLE])
    parts = {name: value for name, value in state.items() if name.startswith(State.STATE_PREFIX)}
    feeds = {signature.inputs[name].name: value for name, value in {**parts, **features}.items()}
    fetches = {name: info.name for name, info in signature.outputs.items()}
    return {**session.run(fetches, feeds), Times.TIMES: features[Times.TIMES]}


def predict_continuation(
    continue_from: Mapping[str, Any], signatures: Any, session: Any, steps: int | None = None,
    times: Any = None, exogenous_features: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What an exported model predicts.

    Args:
      continue_from: what `evaluate` or `filter_continuation` gave.
      signatures: what `tf.saved_model.loader.load` gave.
      session: where it was loaded.
      steps: how many times after it; or
      times: [batch, n] those times.
      exogenous_features: [batch, n, ...] by name, of the model's columns.
    Raises:
      ValueError: when not just one of `steps` and `times` is given, or times do not come after.
    """
    asked = continued_times(continue_from, steps, times)
    features = {Times.TIMES: asked, **(exogenous_features or {})}
    return _run(SavedModelLabels.PREDICT, continue_from, signatures, session, features)


def filter_continuation(
    continue_from: Mapping[str, Any], signatures: Any, session: Any, features: Mapping[str, Any]
) -> dict[str, Any]:
    """The state of an exported model after new values, from which it goes on.

    Args:
      continue_from: what `evaluate` or `filter_continuation` gave.
      signatures: what `tf.saved_model.loader.load` gave.
      session: where it was loaded.
      features: arrays: "times" [batch, window], "values" [batch, window, n], and others; without
        batch, or without both, and values of one feature without the last axis.
    """
    arrays = {name: np.asarray(value) for name, value in features.items()}
    ranks = arrays[Times.TIMES].ndim
    if arrays[TrainEvalFeatures.VALUES].ndim == ranks:
        arrays[TrainEvalFeatures.VALUES] = arrays[TrainEvalFeatures.VALUES][..., None]
    arrays = {name: array[(None,) * (2 - ranks)] for name, array in arrays.items()}
    return _run(SavedModelLabels.FILTER, continue_from, signatures, session, arrays)
