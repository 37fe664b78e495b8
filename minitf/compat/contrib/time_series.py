"""`tf.contrib.timeseries`: models of series.

    TimeSeriesModel              get_start_state, get_batch_loss(features, mode, state), predict
    SequentialTimeSeriesModel    a step at a time: _imputation_step, _exogenous_input_step,
                                 _prediction_step, and with a value _filtering_step

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
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size as size_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, less_equal, where_v2
from minitf.core.ops.math import maximum, minimum, rint, sqrt, square
from minitf.core.ops.reductions import argmin, reduce_max, reduce_min, reduce_sum
from minitf.core.ops.state import assign
from minitf.core.variables.initializers import (
    constant_initializer,
    ones_initializer,
    zeros_initializer,
)
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.feature_columns.models import input_layer
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.nets.basics import moments

_GIVEN = (Times.TIMES, TrainEvalFeatures.VALUES, State.STATE_TUPLE)


class Moments(NamedTuple):
    """The mean and the variance of each feature."""

    mean: Any
    variance: Any


class InputStatistics(NamedTuple):
    """What is known of the series that were trained on.

    The moments of its first values and of all, the earliest time, and how many values it has.
    """

    series_start_moments: Moments
    overall_feature_moments: Moments
    start_time: Any
    total_observation_count: Any


class ModelOutputs(NamedTuple):
    """What a model makes of a window: a scalar loss, its state at the end, predictions by name."""

    loss: Any
    end_state: Any
    predictions: dict[str, Any]
    prediction_times: Any


class InputStatisticsFromMiniBatch:
    """The moments of all values that were trained on, one batch after the other.

    Args:
      num_features, dtype: how many values a time has, and their type.
      starting_variance_window_size: how many values are the start of a series.
    """

    def __init__(
        self, num_features: int, dtype: Any, starting_variance_window_size: int = 16
    ) -> None:
        self._features, self._dtype = num_features, dtype
        self._start = starting_variance_window_size

    def initialize_graph(self, features: Any, update_statistics: bool = True) -> InputStatistics:
        """The statistics; while it trains, with this batch."""
        zero, one, whole = zeros_initializer(), ones_initializer(), dtypes.int64

        def made(name: str, start: Any, shape: Any = (self._features,), dtype: Any = None) -> Any:
            return get_variable(name, shape, dtype or self._dtype, start, trainable=False)

        with variable_scope("input_statistics", use_resource=True):
            start = Moments(made("series_start_mean", zero), made("series_start_variance", one))
            every = Moments(made("overall_feature_mean", zero), made("overall_feature_var", one))
            never = constant_initializer(dtypes.int64.max)
            known = InputStatistics(start, every, made("start_time", never, (), whole),
                                    made("total_observation_count", one, (), whole))  # fmt: skip
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            sums = {
                "max_time_seen": made(
                    "max_time_seen", constant_initializer(dtypes.int64.min), (), whole
                ),
                "chunk_count": made("chunk_count", zero, (), whole),
                "steps": made("inter_observation_duration_sum", zero, ()),
                "example_count": made("example_count", zero, (), whole),
                "sum": made("overall_feature_sum", zero),
                "squares": made("overall_feature_sum_of_squares", zero),
            }
        if not update_statistics or TrainEvalFeatures.VALUES not in features:
            return known
        values = cast(features[TrainEvalFeatures.VALUES], self._dtype)
        sums_after, found = self._with_batch(sums, known, features[Times.TIMES], values)
        with control_dependencies([*sums_after.values(), *nest.flatten(found)]):  # all is read
            pairs = zip(nest.flatten(known), nest.flatten(found), strict=True)
            kept = [assign(variable, value) for variable, value in pairs]
            kept += [assign(sums[name], value) for name, value in sums_after.items()]
        with control_dependencies(kept):
            return nest.map_structure(identity, found)

    def _with_batch(
        self, sums: dict[str, Any], known: InputStatistics, times: Tensor, values: Tensor
    ) -> tuple[dict[str, Any], InputStatistics]:
        """The sums and the statistics with a batch in them.

        As many values are taken to be in the series as fit between its first time and its last,
        at the mean step from a time to the next.
        """
        first = argmin(times[:, 0])
        earliest = minimum(known.start_time.read_value(), reduce_min(times))
        steps = maximum(cast(shape_of(times, out_type=dtypes.int64)[1] - 1, self._dtype), 1.0)
        spans = cast(maximum(reduce_max(times, 1) - reduce_min(times, 1), 1), self._dtype)
        batch = {
            "chunk_count": shape_of(times, out_type=dtypes.int64)[0],
            "steps": reduce_sum(spans) / steps,
            "example_count": size_of(times, out_type=dtypes.int64),
            "sum": reduce_sum(values, [0, 1]), "squares": reduce_sum(square(values), [0, 1]),
        }  # fmt: skip
        after = {name: sums[name].read_value() + each for name, each in batch.items()}
        after["max_time_seen"] = maximum(sums["max_time_seen"].read_value(), reduce_max(times))
        n = cast(after["example_count"], self._dtype)
        middle = after["sum"] / n
        spread = n / (n - 1.0) * (after["squares"] / n - square(middle))
        earlier = less_equal(times[first, 0], known.start_time.read_value())
        start = [
            where_v2(earlier, new, old.read_value())
            for new, old in zip(
                moments(values[first, : self._start], [0]), known.series_start_moments, strict=True
            )
        ]
        step = after["steps"] / cast(after["chunk_count"], self._dtype)
        count = cast(after["max_time_seen"] - earliest + 1, self._dtype) / step
        return after, InputStatistics(
            Moments(*start), Moments(middle, spread), earliest,
            cast(rint(count), dtypes.int64),
        )  # fmt: skip


def replicate_state(start_state: Any, batch_size: Any) -> Any:
    """A state of one series as often as there are series in a batch."""

    def each(start: Any) -> Tensor:
        start = convert_to_tensor(start)
        times = concat([[batch_size], ones([rank_of(start)], dtypes.int32)], 0)
        return tile(expand_dims(start, 0), times)

    return nest.map_structure(each, start_state)


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
        state = replicate_state(self.get_start_state(), shape_of(features[Times.TIMES])[0])
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
        loss, states, outputs = self.per_step_batch_loss(features, mode, state)
        end = nest.map_structure(lambda each: each[:, -1], states)
        outputs["observed"] = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        return ModelOutputs(loss, end, outputs, cast(features[Times.TIMES], dtypes.int64))

    def per_step_batch_loss(
        self, features: Any, mode: str, state: Any
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The mean loss of a value, the states after each time, [batch, window, ...], outputs."""
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
        states, outputs = self._loop(times, state, step, names, features)
        loss = reduce_sum(outputs.pop("loss")) / cast(size_of(times), self.dtype)
        loss = loss + self._loss_additions(times, scaled, mode)
        if self._normalize_features:
            outputs = self._scale_back_predictions(outputs)
        return loss, states, outputs

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
        # A condition may squeeze the last axis, so that one number of each time has it.
        raw = {
            name: expand_dims(value[:, i], 1) if len(value.shape) == 2 else value[:, i]
            for name, value in features.items()
            if name not in _GIVEN
        }
        taken = self._exogenous_update_condition(times=now, features=raw)

        def chosen(one: Any, other: Any) -> Any:
            wide = reshape(taken, concat([[-1], ones([rank_of(one) - 1], dtypes.int32)], 0))
            return where_v2(wide, one, other)

        return nest.map_structure(chosen, new, state)

    def _loop(
        self, times: Tensor, state: Any, step: Callable, names: Sequence[str], features: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Goes through a window: the states after each time, and outputs, [batch, window, ...]."""
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
            new = [*nest.flatten(after), *(made[name] for name in names)]
            kept = [array.write(i, each) for array, each in zip(arrays, new, strict=True)]
            return i + 1, new[: len(flat)], kept

        kinds = [*(each.dtype for each in flat), *(self.dtype for _ in names)]
        empty = [TensorArray(kind, size=count) for kind in kinds]
        arrays = while_loop(
            lambda i, flat, arrays: less(i, count), body, [constant(0), flat, empty]
        )[2]
        stacked = []
        for array in arrays:
            found = array.stack()
            rest = range(2, len(found.shape)) if found.shape.ndims else ()
            stacked.append(transpose(found, [1, 0, *rest]))
            stacked[-1].set_shape(times.shape.concatenate(stacked[-1].shape[2:]))
        states = nest.pack_sequence_as(state, stacked[: len(flat)])
        return states, dict(zip(names, stacked[len(flat) :], strict=True))
