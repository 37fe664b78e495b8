"""`tf.contrib.timeseries.StructuralEnsembleRegressor`: series as level, trend, seasons, echoes.

    y[t] = level + season of each period + passing deviation + noise

    AdderStateSpaceModel    level, and a slope that is added to it each time
    CycleStateSpaceModel    a value for each time of a period, seen in turn; they sum to 0
    ResolutionCycleModel    fewer values than times, with smooth ways between them
    VARMA                   deviations: a part of the last ones, and echoes of their noise

in the manner of Scott and Varian, "Predicting the present with Bayesian structural time series",
2014. With several values a time, level and seasons are there for each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.kalman_filter import (
    cauchy_log_prob,
    entropy_matched_cauchy_scale,
    variable_covariance_matrix,
)
from minitf.compat.contrib.state_space import (
    StateSpaceCorrelatedFeaturesEnsemble,
    StateSpaceIndependentEnsemble,
    StateSpaceModel,
    StateSpaceModelConfiguration,
)
from minitf.compat.contrib.time_series_estimator import ChainingStateManager, TimeSeriesRegressor
from minitf.core.graph import dtypes, nest
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import sigmoid
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.math import cos, log, maximum
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.variables.initializers import constant_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.numeric.diagonals import eye

_PLAIN = StateSpaceModelConfiguration()


class AdderStateSpaceModel(StateSpaceModel):
    """A level and a slope: level += slope. The level is seen.

    Args:
      use_level_noise: whether the level has noise of its own, beside the slope.
      configuration: see `StateSpaceModelConfiguration`.
    """

    def __init__(
        self, use_level_noise: bool = True, configuration: StateSpaceModelConfiguration = _PLAIN
    ) -> None:
        self.use_level_noise = use_level_noise
        super().__init__(configuration)

    def get_state_transition(self) -> Any:
        """[[1, 1], [0, 1]]."""
        return [[1.0, 1.0], [0.0, 1.0]]

    def get_noise_transform(self) -> Any:
        """Noise of both, or of the slope."""
        return [[1.0, 0.0], [0.0, 1.0]] if self.use_level_noise else [[0.0], [1.0]]

    def get_observation_model(self, times: Tensor) -> Any:
        """[1, 0]."""
        return [1.0, 0.0]

    def get_prior_mean(self) -> Tensor:
        """The mean of the first values, and no slope."""
        start = self._prior_variable(2)
        if self._input_statistics is None:
            return start
        level = self._scale_data(self._input_statistics.series_start_moments.mean)
        return start + pad(expand_dims(reduce_mean(level), 0), [[0, 1]])


class CycleStateSpaceModel(StateSpaceModel):
    """N values seen in turn, of which N - 1 are kept: they sum to 0, so that the level is not here.

    x[0] = -(x[0] + ... + x[N-2]), the value not kept; x[i] = x[i-1]; noise comes to x[0], which is
    seen.

    Args:
      periodicity: N.
      configuration: see `StateSpaceModelConfiguration`.
    """

    def __init__(
        self, periodicity: Any, configuration: StateSpaceModelConfiguration = _PLAIN
    ) -> None:
        self._periodicity = periodicity
        super().__init__(configuration)

    def get_state_transition(self) -> Any:
        """-1 in the first row, 1 below the diagonal, [N - 1, N - 1]."""
        size = self._periodicity - 1
        shift = pad(eye(size - 1, dtype=self.dtype), [[0, 0], [0, 1]])
        return concat([-ones([1, size], self.dtype), shift], 0)

    def get_noise_transform(self) -> Any:
        """[1, 0, ...] as a column."""
        return [[1.0]] + [[0.0]] * (self._periodicity - 2)

    def get_observation_model(self, times: Tensor) -> Any:
        """[1, 0, ...]."""
        return [1.0] + [0.0] * (self._periodicity - 2)


class ResolutionCycleModel(CycleStateSpaceModel):
    """A cycle of few values over a period of any length: the power p = N / period of the above.

    The values on a circle move by p places at a time: each frequency k turns by 2 pi k p / N, and
    so S[i, j] = d(i - j - p) with d(x) = (1 + 2 sum cos(2 pi k x / N)) / N over k = 1 ... (N-1)/2,
    which is 1 at 0 and 0 at other whole numbers. The last value is minus the sum of the others.

    Args:
      num_latent_values: N, odd, as a frequency of N / 2 has no way to turn.
      periodicity: in how many times the values come around; any number or a scalar.
      near_integer_threshold: accepted; the sum of cosines has no gaps at whole numbers.
      configuration: see `StateSpaceModelConfiguration`.
    Raises:
      ValueError: when N is even.
    """

    def __init__(
        self, num_latent_values: int, periodicity: Any, near_integer_threshold: float = 1e-8,
        configuration: StateSpaceModelConfiguration = _PLAIN,
    ) -> None:  # fmt: skip
        if num_latent_values % 2 != 1:
            raise ValueError("Only odd numbers of latent values are supported.")
        self._true_periodicity = periodicity
        super().__init__(num_latent_values, configuration)

    def get_state_transition(self) -> Any:
        """S without its last row, from all values but the last, [N - 1, N - 1]."""
        count = self._periodicity
        step = count / cast(self._true_periodicity, self.dtype)
        place = cast(number_range(count), self.dtype)
        apart = expand_dims(place[:-1], 1) - place - step
        turns = cast(number_range(1, count // 2 + 1), self.dtype) * (2 * math.pi / count)
        moves = (1.0 + 2.0 * reduce_sum(cos(expand_dims(apart, 2) * turns), 2)) / count
        return moves[:, :-1] - moves[:, -1:]


class VARMA(StateSpaceModel):
    """Deviations that go by: autoregression, and a moving average of their noise.

    The state are blocks of n values. The first becomes the sum of ar[i] times block i; each other
    one what the block before it was; noise e goes to the last, and ma[i] e to those before. With
    moving averages, the first and the last block are seen; else the first.

    Args:
      autoregressive_order, moving_average_order: how many coefficients there are, [n, n] each.
      configuration: see `StateSpaceModelConfiguration`.
    """

    def __init__(
        self, autoregressive_order: int, moving_average_order: int,
        configuration: StateSpaceModelConfiguration = _PLAIN,
    ) -> None:  # fmt: skip
        self.ar_order, self.ma_order = autoregressive_order, moving_average_order
        self.state_num_blocks = max(autoregressive_order, moving_average_order + 1)
        super().__init__(configuration)
        self.state_dimension = self.state_num_blocks * self.num_features

    def _define_coefficients(self) -> None:
        size, order = self.num_features, self.ma_order
        same = [[[float(i == j) for j in range(size)] for i in range(size)]] * order
        self.ar_coefs = get_variable(
            "ar_coefs", [size, size, self.ar_order], self.dtype, zeros_initializer()
        )
        self.ma_coefs = get_variable(
            "ma_coefs", [order, size, size], self.dtype,
            constant_initializer(same) if order else zeros_initializer(),
        )  # fmt: skip

    def get_state_transition(self) -> Tensor:
        """[[ar], [I 0]]."""
        size, blocks = self.num_features, self.state_num_blocks
        unused = pad(self.ar_coefs, [[0, 0], [0, 0], [0, blocks - self.ar_order]])
        first = reshape(transpose(unused, [0, 2, 1]), [size, self.state_dimension])
        shift = pad(eye((blocks - 1) * size, dtype=self.dtype), [[0, 0], [0, size]])
        return concat([first, shift], 0)

    def get_noise_transform(self) -> Tensor:
        """[[0], [ma], [I]]."""
        size, before = self.num_features, self.state_num_blocks - 1
        echoes = pad(self.ma_coefs, [[before - self.ma_order, 0], [0, 0], [0, 0]])
        return concat([reshape(echoes, [before * size, size]), eye(size, dtype=self.dtype)], 0)

    def get_observation_model(self, times: Tensor) -> Tensor:
        """[I 0 ... I], or [I 0 ...]."""
        one = eye(self.num_features, dtype=self.dtype)
        if self.ar_order > self.ma_order or self.state_num_blocks < 2:
            return pad(one, [[0, 0], [0, self.state_dimension - self.num_features]])
        gap = self.state_dimension - 2 * self.num_features
        return concat([pad(one, [[0, 0], [0, gap]]), one], 1)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """S, [n, n]: at first as the series varies, since deviations are what this model is for."""
        scale: Any = 0.0
        if self._input_statistics is not None:
            scale = log(maximum(reduce_mean(self._start_variance()), minimum_initial_variance))
        return variable_covariance_matrix(
            self.num_features, "state_transition_noise", self.dtype, initial_overall_scale_log=scale
        )


# ---- ensembles -----------------------------------------------------------------------------


def _structure(
    cycles: Sequence[Callable[[StateSpaceModelConfiguration], StateSpaceModel]],
    moving_average_order: int, autoregressive_order: int, use_level_noise: bool,
    configuration: StateSpaceModelConfiguration,
) -> list[StateSpaceModel]:  # fmt: skip
    """A level, deviations and cycles, each under a scope; levels and cycles for each value."""
    parts = configuration._replace(use_observation_noise=False)
    one = parts._replace(num_features=1)

    def each(scope: str, make: Callable[[], StateSpaceModel]) -> StateSpaceModel:
        with variable_scope(scope):
            members = []
            for feature in range(configuration.num_features):
                with variable_scope(f"feature{feature}"):
                    members.append(make())
            return StateSpaceCorrelatedFeaturesEnsemble(members, parts)

    made = [each("adder", lambda: AdderStateSpaceModel(use_level_noise, one))]
    with variable_scope("varma"):
        made.append(VARMA(autoregressive_order, moving_average_order, parts))
    for number, cycle in enumerate(cycles):
        made.append(each(f"cycle{number}", lambda cycle=cycle: cycle(one)))  # type: ignore[misc]
    return made


class StructuralEnsemble(StateSpaceIndependentEnsemble):
    """Level, trend, deviations, and a season of as many values as each period has times.

    Args:
      periodicities: whole numbers; one or a list.
      moving_average_order, autoregressive_order: of `VARMA`.
      use_level_noise: of `AdderStateSpaceModel`.
      configuration: see `StateSpaceModelConfiguration`.
    """

    def __init__(
        self, periodicities: Any, moving_average_order: int, autoregressive_order: int,
        use_level_noise: bool = True, configuration: StateSpaceModelConfiguration = _PLAIN,
    ) -> None:  # fmt: skip
        def cycle(period: int) -> Callable[[StateSpaceModelConfiguration], StateSpaceModel]:
            return lambda given: CycleStateSpaceModel(period, given)

        cycles = [cycle(period) for period in nest.flatten(periodicities)]
        super().__init__(
            _structure(cycles, moving_average_order, autoregressive_order, use_level_noise,
                       configuration), configuration,
        )  # fmt: skip


class MultiResolutionStructuralEnsemble(StateSpaceIndependentEnsemble):
    """Level, trend, deviations, and smooth seasons, whose size does not depend on the period.

    Args:
      cycle_num_latent_values: how many values a season has: one number, or one for each period.
      moving_average_order, autoregressive_order: of `VARMA`.
      periodicities: numbers or scalars; one or a list.
      use_level_noise: of `AdderStateSpaceModel`.
      configuration: see `StateSpaceModelConfiguration`.
    Raises:
      ValueError: when there are not as many sizes as periods.
    """

    def __init__(
        self, cycle_num_latent_values: Any, moving_average_order: int, autoregressive_order: int,
        periodicities: Any, use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = _PLAIN,
    ) -> None:  # fmt: skip
        periods = nest.flatten([] if periodicities is None else periodicities)
        sizes = nest.flatten(cycle_num_latent_values)
        if len(sizes) not in (1, len(periods)):
            raise ValueError(
                "`cycle_num_latent_values` must either be a list with the same size as "
                f"`periodicity` or a scalar. Received length {len(sizes)} "
                f"`cycle_num_latent_values`, while `periodicities` has length {len(periods)}."
            )
        sizes = sizes * len(periods) if len(sizes) == 1 else sizes

        def cycle(
            size: int, period: Any
        ) -> Callable[[StateSpaceModelConfiguration], StateSpaceModel]:
            return lambda given: ResolutionCycleModel(size, period, configuration=given)

        cycles = [cycle(*each) for each in zip(sizes, periods, strict=True)]
        super().__init__(
            _structure(cycles, moving_average_order, autoregressive_order, use_level_noise,
                       configuration), configuration,
        )  # fmt: skip


# ---- anomalies -----------------------------------------------------------------------------


def cauchy_alternative_to_gaussian(
    current_times: Tensor, current_values: Tensor, outputs: dict[str, Tensor]
) -> Tensor:
    """log p of values, [batch], if they are anomalies: Cauchy's law about each prediction."""
    scale = entropy_matched_cauchy_scale(outputs["covariance"])
    return reduce_sum(cauchy_log_prob(outputs["mean"], scale, current_values), 1)


class StateInterpolatingAnomalyDetector:
    """Lets values count the less, the more they look like anomalies.

    odds = p(value | anomaly) P(anomaly) / (p(value | model) (1 - P(anomaly)))
    trust = sigmoid(-scaling log odds);  belief = trust * filtered + (1 - trust) * predicted

    Args:
      anomaly_log_likelihood: from times, values and outputs to log p(value | anomaly).
      anomaly_prior_probability: P(anomaly).
      responsibility_scaling: how sudden trust ends.
    """

    output_names = ("anomaly_score",)

    def __init__(
        self, anomaly_log_likelihood: Callable[..., Tensor] = cauchy_alternative_to_gaussian,
        anomaly_prior_probability: float = 0.01, responsibility_scaling: float = 1.0,
    ) -> None:  # fmt: skip
        self._log_p, self._scaling = anomaly_log_likelihood, responsibility_scaling
        self._prior = anomaly_prior_probability

    def process_filtering_step(
        self, current_times: Tensor, current_values: Tensor, predicted_state: Any,
        filtered_state: Any, outputs: dict[str, Tensor],
    ) -> tuple[Any, dict[str, Tensor]]:  # fmt: skip
        """The belief between both, and outputs with "loss" and "anomaly_score", log odds."""
        strange = math.log(self._prior) + self._log_p(
            current_times=current_times, current_values=current_values, outputs=outputs
        )
        usual = math.log(1.0 - self._prior) + outputs["log_likelihood"]
        trust = sigmoid(-self._scaling * (strange - usual))

        def between(new: Tensor, old: Tensor) -> Tensor:
            if not new.dtype.is_floating:  # a time, the same in both
                return new
            wide = reshape(trust, concat([[-1], ones([rank_of(new) - 1], dtypes.int32)], 0))
            return wide * new + (1.0 - wide) * old

        state = nest.map_structure(between, filtered_state, predicted_state)
        loss = -(trust * usual + (1.0 - trust) * strange)
        return state, {**outputs, "loss": loss, "anomaly_score": strange - usual}


# ---- estimators ----------------------------------------------------------------------------


class StateSpaceRegressor(TimeSeriesRegressor):
    """Trains a `StateSpaceModel`; its windows go on from where others ended.

    Args:
      model: the model.
      state_manager: `ChainingStateManager` by default.
      optimizer, model_dir, config: those of `TimeSeriesRegressor`.
    Raises:
      ValueError: when the model is of another kind.
    """

    def __init__(
        self, model: StateSpaceModel, state_manager: Any = None, optimizer: Any = None,
        model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        if not isinstance(model, StateSpaceModel):
            raise ValueError(
                "StateSpaceRegressor only supports state space models (children of "
                f"StateSpaceModel) in its `model` argument, got {model}."
            )
        super().__init__(model, state_manager or ChainingStateManager(), optimizer, model_dir,
                         config)  # fmt: skip


class StructuralEnsembleRegressor(StateSpaceRegressor):
    """Trains level, trend, seasons and passing deviations of a series.

    Args:
      periodicities: in how many times a season comes around; any number, a list of them, or [].
      num_features: how many values a time has.
      cycle_num_latent_values: how many values a season has, odd; more are less smooth.
      moving_average_order: after how many times a deviation is over.
      autoregressive_order: how many deviations the next one depends on.
      exogenous_feature_columns, exogenous_update_condition: see `SequentialTimeSeriesModel`.
      dtype: of all numbers; filters lose to rounding, so float64.
      anomaly_prior_probability: how probable an anomaly is; None looks for none.
      optimizer, model_dir, config: those of `TimeSeriesRegressor`.
    """

    def __init__(
        self, periodicities: Any, num_features: int, cycle_num_latent_values: Any = 11,
        moving_average_order: int = 4, autoregressive_order: int = 0,
        exogenous_feature_columns: Any = None, exogenous_update_condition: Any = None,
        dtype: Any = dtypes.float64, anomaly_prior_probability: float | None = None,
        optimizer: Any = None, model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        detector = None
        if anomaly_prior_probability is not None:
            detector = StateInterpolatingAnomalyDetector(
                anomaly_prior_probability=anomaly_prior_probability
            )
        configuration = StateSpaceModelConfiguration(
            num_features, dtype=dtype, filtering_postprocessor=detector,
            exogenous_feature_columns=exogenous_feature_columns,
            exogenous_update_condition=exogenous_update_condition,
        )  # fmt: skip
        model = MultiResolutionStructuralEnsemble(
            cycle_num_latent_values, moving_average_order, autoregressive_order, periodicities,
            configuration=configuration,
        )  # fmt: skip
        super().__init__(model, None, optimizer, model_dir, config)
