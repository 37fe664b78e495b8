"""`tf.contrib.timeseries`: models of series, and the estimator that trains them.

    TimeSeriesModel              get_start_state, get_batch_loss(features, mode, state), predict
    SequentialTimeSeriesModel    a step at a time: _imputation_step, _exogenous_input_step,
                                 _prediction_step, and with a value _filtering_step
    TimeSeriesRegressor(model)   train; evaluate gives predictions of what it saw, and the state
                                 from which predict goes on

What a model makes of a window has the shape [batch, window, ...]; its state is any nest of tensors
[batch, ...].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.compat.contrib.time_series_inputs import State, Times, TrainEvalFeatures
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size as size_of
from minitf.core.ops.array_filling import ones, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where_v2
from minitf.core.ops.control import group
from minitf.core.ops.math import sqrt, square
from minitf.core.ops.reductions import reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.train.adam import AdamOptimizer
from minitf.core.variables.initializers import ones_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.feature_columns.models import input_layer
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.metrics.base import mean
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

_GIVEN = (Times.TIMES, TrainEvalFeatures.VALUES, State.STATE_TUPLE)


class Moments(NamedTuple):
    """The mean and the variance of each feature."""

    mean: Any
    variance: Any


class InputStatistics(NamedTuple):
    """What is known of the series that were trained on."""

    overall_feature_moments: Moments


class ModelOutputs(NamedTuple):
    """What a model makes of a window: a scalar loss, its state at the end, predictions by name."""

    loss: Any
    end_state: Any
    predictions: dict[str, Any]
    prediction_times: Any


class InputStatisticsFromMiniBatch:
    """The moments of all values that were trained on, one batch after the other."""

    def __init__(self, num_features: int, dtype: Any) -> None:
        self._features, self._dtype = num_features, dtype

    def initialize_graph(self, features: Any, update_statistics: bool = True) -> InputStatistics:
        """The moments; while it trains, with this batch."""

        def made(name: str, start: Any, shape: Any = (self._features,)) -> Any:
            return get_variable(name, shape, self._dtype, start, trainable=False)

        with variable_scope("input_statistics", use_resource=True):
            zero, one = zeros_initializer(), ones_initializer()
            moments = Moments(made("overall_feature_mean", zero), made("overall_feature_var", one))
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            count = made("example_count", zero, ())
            total = made("overall_feature_sum", zero)
            squares = made("overall_feature_sum_of_squares", zero)
        if not update_statistics or TrainEvalFeatures.VALUES not in features:
            return InputStatistics(moments)
        values = cast(features[TrainEvalFeatures.VALUES], self._dtype)
        seen = cast(size_of(features[Times.TIMES]), self._dtype)
        added = [assign_add(count, seen), assign_add(total, reduce_sum(values, [0, 1])),
                 assign_add(squares, reduce_sum(square(values), [0, 1]))]  # fmt: skip
        with control_dependencies([group(*added)]):
            n = count.read_value()
            middle = total.read_value() / n
            spread = n / (n - 1.0) * (squares.read_value() / n - square(middle))
            set_both = [assign(moments.mean, middle), assign(moments.variance, spread)]
        with control_dependencies(set_both):
            return InputStatistics(Moments(identity(middle), identity(spread)))


class TimeSeriesModel(ABC):
    """A model of series.

    Args:
      num_features: how many values a time has.
      exogenous_feature_columns: columns of what is known of each time beside the values.
      dtype: of the values.
    """

    def __init__(
        self, num_features: int, exogenous_feature_columns: Sequence[Any] | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:  # fmt: skip
        self.num_features, self.dtype = num_features, dtypes.as_dtype(dtype)
        self._exogenous_feature_columns = list(exogenous_feature_columns or ())
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False

    @property
    def exogenous_feature_columns(self) -> list[Any]:
        """The columns of what is known beside the values."""
        return self._exogenous_feature_columns

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Called in each new graph, before all else."""
        self._graph_initialized = True
        self._input_statistics = input_statistics

    def _check_graph_initialized(self) -> None:
        if not self._graph_initialized:
            raise ValueError(
                "TimeSeriesModels require initialize_graph() to be called before use. This defines "
                "variables and ops in the default graph, and allows Tensor-valued input statistics "
                "to be specified."
            )

    @property
    def _moments(self) -> Moments | None:
        given = self._input_statistics
        return None if given is None else given.overall_feature_moments

    def _scale_data(self, data: Any) -> Any:
        """Values with mean 0 and variance 1."""
        return data if self._moments is None else (data - self._moments[0]) / sqrt(self._moments[1])

    def _scale_variance(self, variance: Any) -> Any:
        return variance if self._moments is None else variance / self._moments[1]

    def _scale_back_data(self, data: Any) -> Any:
        """The way back of `_scale_data`."""
        return data if self._moments is None else data * sqrt(self._moments[1]) + self._moments[0]

    def _scale_back_variance(self, variance: Any) -> Any:
        return variance if self._moments is None else variance * self._moments[1]

    def define_loss(self, features: Any, mode: str) -> ModelOutputs:
        """`get_batch_loss` from the start state, which is the same for the whole batch."""
        self._check_graph_initialized()
        batch = shape_of(features[Times.TIMES])[0]

        def each(start: Any) -> Tensor:
            start = convert_to_tensor(start)
            times = concat([[batch], ones([rank_of(start)], dtypes.int32)], 0)
            return tile(expand_dims(start, 0), times)

        state = nest.map_structure(each, self.get_start_state())
        return self.get_batch_loss(features=features, mode=mode, state=state)

    @abstractmethod
    def get_start_state(self) -> Any:
        """The state before a series, without a batch."""

    @abstractmethod
    def get_batch_loss(self, features: Any, mode: str, state: Any) -> ModelOutputs:
        """The loss of a window, and what is predicted inside it."""

    @abstractmethod
    def predict(self, features: Any) -> dict[str, Any]:
        """What is predicted for times, from a state."""

    def _process_exogenous_features(self, times: Tensor, features: dict[str, Any]) -> Any:
        """What is known beside the values as numbers, [batch, window, m]; None without columns."""
        known = {name: value for name, value in features.items() if name not in _GIVEN}
        if not self._exogenous_feature_columns:
            if known:
                raise ValueError(
                    "Exogenous feature columns were not specified when constructing the model, but "
                    f"got exogenous features: {sorted(known)}"
                )
            return None
        flat = {}
        for name, value in known.items():
            one = len(value.shape) == 2 and value.dtype != dtypes.string
            sizes = [[-1], [1]] if one else [[-1], shape_of(value)[2:]]
            flat[name] = reshape(value, concat(sizes, 0))
            flat[name].set_shape([None, 1] if one else [None, *value.shape.as_list()[2:]])
        made = input_layer(flat, self._exogenous_feature_columns)
        width = made.shape.as_list()[1]
        found = reshape(made, concat([shape_of(times), [width]], 0))
        found.set_shape([*times.shape.as_list(), width])
        return cast(found, self.dtype)


class SequentialTimeSeriesModel(TimeSeriesModel):
    """A model that goes through a window step by step.

    Args:
      train_output_names: what `_filtering_step` gives beside "loss".
      predict_output_names: what `_prediction_step` gives.
      num_features, dtype, exogenous_feature_columns: see `TimeSeriesModel`.
      normalize_features: whether values come scaled; `_scale_back_predictions` undoes it.
      exogenous_update_condition: from times and features to which of the batch take them in.
      static_unrolling_window_size_threshold: accepted; windows are loops.
    """

    def __init__(
        self, train_output_names: Sequence[str], predict_output_names: Sequence[str],
        num_features: int, normalize_features: bool = False, dtype: Any = dtypes.float32,
        exogenous_feature_columns: Any = None, exogenous_update_condition: Any = None,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, exogenous_feature_columns, dtype)
        self._train_output_names = list(train_output_names)
        self._predict_output_names = list(predict_output_names)
        self._normalize_features = normalize_features
        self._exogenous_update_condition = exogenous_update_condition

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError(
            "SequentialTimeSeriesModel normalized input data (normalize_features=True), but no "
            "method was provided to transform the predictions back to the input scale."
        )

    @abstractmethod
    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The state with a value in it, and "loss", [batch], beside the outputs."""

    @abstractmethod
    def _prediction_step(self, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
        """The state at a time, and what is predicted for it."""

    @abstractmethod
    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        """The state just before a time, when some are missing."""

    @abstractmethod
    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        """The state with what is known beside the values in it."""

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        """What is added to the loss of a window."""
        return 0.0

    def _window_initializer(self, times: Any, state: Any) -> None:
        """Called before a window."""

    def get_batch_loss(self, features: Any, mode: str, state: Any) -> ModelOutputs:
        """The mean loss of a value, and what was predicted a step ahead of each."""
        self._check_graph_initialized()
        times = cast(features[Times.TIMES], dtypes.int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        scaled = self._scale_data(values) if self._normalize_features else values

        def step(i: Any, now: Any, state: Any) -> Any:
            state, predictions = self._prediction_step(current_times=now, state=state)
            return self._filtering_step(
                current_times=now, current_values=scaled[:, i, :], state=state,
                predictions=predictions,
            )  # fmt: skip

        names = ["loss", *self._train_output_names]
        end, outputs = self._loop(times, state, step, names, features)
        loss = reduce_sum(outputs.pop("loss")) / cast(size_of(times), self.dtype)
        loss = loss + self._loss_additions(times, scaled, mode)
        if self._normalize_features:
            outputs = self._scale_back_predictions(outputs)
        outputs["observed"] = values
        return ModelOutputs(loss, end, outputs, times)

    def predict(self, features: Any) -> dict[str, Any]:
        """What `_prediction_step` gives for each time, one after the other."""
        times = cast(features[Times.TIMES], dtypes.int64)
        step = lambda i, now, state: self._prediction_step(current_times=now, state=state)  # noqa: E731
        start, names = features[State.STATE_TUPLE], self._predict_output_names
        outputs = self._loop(times, start, step, names, features)[1]
        return self._scale_back_predictions(outputs) if self._normalize_features else outputs

    def _known(self, i: Any, now: Any, state: Any, known: Any, features: Any) -> Any:
        """The state with what is known of a time in it, where the condition holds."""
        if known is None:
            return state
        new = self._exogenous_input_step(
            current_times=now, current_exogenous_regressors=known[:, i, :], state=state
        )
        if self._exogenous_update_condition is None:
            return new
        raw = {name: value[:, i] for name, value in features.items() if name not in _GIVEN}
        taken = self._exogenous_update_condition(times=now, features=raw)

        def chosen(one: Any, other: Any) -> Any:
            wide = reshape(taken, concat([[-1], ones([rank_of(one) - 1], dtypes.int32)], 0))
            return where_v2(wide, one, other)

        return nest.map_structure(chosen, new, state)

    def _loop(
        self, times: Tensor, state: Any, step: Callable, names: Sequence[str], features: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Goes through a window: the state at its end, and outputs, [batch, window, ...]."""
        self._window_initializer(times, state)
        known = self._process_exogenous_features(times, features)
        count = shape_of(times)[1]
        flat = [convert_to_tensor(each) for each in nest.flatten(state)]
        shapes = [each.shape for each in flat]

        def body(i: Any, flat: list[Any], arrays: list[Any]) -> tuple:
            for part, shape in zip(flat, shapes, strict=True):
                part.set_shape(shape)
            now = times[:, i]
            before = self._imputation_step(now, nest.pack_sequence_as(state, flat))
            before = self._known(i, now, before, known, features)
            after, made = step(i, now, before)
            kept = [array.write(i, made[name]) for array, name in zip(arrays, names, strict=True)]
            return i + 1, [*nest.flatten(after)], kept

        empty = [TensorArray(self.dtype, size=count) for _ in names]
        _, end, arrays = while_loop(
            lambda i, flat, arrays: less(i, count), body, [constant(0), flat, empty]
        )
        outputs = {}
        for name, array in zip(names, arrays, strict=True):
            stacked = array.stack()
            rest = range(2, len(stacked.shape)) if stacked.shape.ndims else ()
            outputs[name] = transpose(stacked, [1, 0, *rest])
            outputs[name].set_shape(times.shape.concatenate(outputs[name].shape[2:]))
        return nest.pack_sequence_as(state, list(end)), outputs


# ---- the estimator -------------------------------------------------------------------------


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
        manager = state_manager or PassthroughStateManager()
        chosen = optimizer or AdamOptimizer(0.02)
        statistics = InputStatisticsFromMiniBatch(model.num_features, model.dtype)

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            if labels:
                raise ValueError(
                    "The model received a `labels`, which is not supported. Pass 'times' and "
                    "'values' as features."
                )
            features = {name: self._as_tensors(name, value) for name, value in features.items()}
            self._check(features, mode)
            seen = statistics.initialize_graph(features, mode == ModeKeys.TRAIN)
            model.initialize_graph(input_statistics=seen)
            manager.initialize_graph(model, seen)
            with variable_scope("model", use_resource=True):
                if mode == ModeKeys.PREDICT:
                    predictions = model.predict(features)
                    return EstimatorSpec(mode, {**predictions, Times.TIMES: features[Times.TIMES]})
                outputs = manager.define_loss(model, features, mode)
            summary.scalar("loss", outputs.loss)
            if mode == ModeKeys.TRAIN:
                train = chosen.minimize(outputs.loss, global_step=get_global_step())
                return EstimatorSpec(mode, loss=outputs.loss, train_op=train)
            kept = {**outputs.predictions, Times.TIMES: outputs.prediction_times,
                    State.STATE_TUPLE: outputs.end_state}  # fmt: skip
            metrics = {name: _last(name, value) for name, value in kept.items()}
            metrics["average_loss"] = mean(outputs.loss)
            return EstimatorSpec(mode, outputs.predictions, outputs.loss, eval_metric_ops=metrics)

        self._model = model
        super().__init__(model_fn, model_dir, config)

    def _as_tensors(self, name: str, value: Any) -> Any:
        if name == State.STATE_TUPLE:
            return nest.map_structure(convert_to_tensor, value)
        kinds = {Times.TIMES: dtypes.int64, TrainEvalFeatures.VALUES: self._model.dtype}
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
        size = self._model.num_features
        if values is not None and not values.shape.is_compatible_with([None, None, size]):
            raise ValueError(
                f"Expected shape (batch dimension, window size, {size}) for feature 'values', "
                f"since the model was configured with num_features={size} (got shape "
                f"{values.shape})"
            )


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
