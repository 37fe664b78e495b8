"""`tf.contrib.timeseries`: linear models of hidden states, and sums of them.

    StateSpaceModel                        three matrices say all of a model: how its state moves,
                                           what noise does to it, and what is seen of it
    StateSpaceIndependentEnsemble          models side by side, whose observations are added
    StateSpaceCorrelatedFeaturesEnsemble   a model for each value of a time, with common noise

    x = [x1 x2]     A = [A1   ]     added: H = [H1 H2]     a value each: H = [H1   ]
                        [   A2]                                              [   H2]

A model goes through a series with the filter of `kalman_filter.py`. Where times are missing, it
predicts through the gap. What trains are the covariances of the noise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.compat.contrib.kalman_filter import (
    KalmanFilter,
    block_diagonal,
    clip_covariance,
    log_noninformative_covariance_prior,
    transform_to_covariance_matrices,
    transition_to_powers,
    variable_covariance_matrix,
)
from minitf.compat.contrib.time_series import InputStatistics, Moments, SequentialTimeSeriesModel
from minitf.compat.contrib.time_series_inputs import Times, TrainEvalFeatures
from minitf.compat.slim.layers import fully_connected
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.stacks import get_default_session
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add_n, log, maximum, sqrt
from minitf.core.ops.reductions import argmax, reduce_mean
from minitf.core.variables.initializers import constant_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.estimator.spec import ModeKeys
from minitf.library.numeric.diagonals import eye
from minitf.library.numeric.uniqueness import unique


class StateSpaceModelConfiguration(NamedTuple):
    """How a model of states is made.

    Args:
      num_features: how many values a time has.
      use_observation_noise: whether what is seen is noisy; of an ensemble, only the whole is.
      dtype: of all numbers.
      covariance_prior_fn: from a covariance to the logarithm of its prior probability.
      bayesian_prior_weighting: whether the prior counts once in the whole series; else in a window.
      filtering_postprocessor: what is done after each step, as against anomalies.
      trainable_start_state: whether the first belief is trained.
      exogenous_noise_increases: whether what is known beside the values adds to the state.
      exogenous_noise_decreases: whether it tells the state.
      exogenous_feature_columns, exogenous_update_condition: see `SequentialTimeSeriesModel`.
      filtering_maximum_posterior_variance_ratio: how many times one variance may be another.
      filtering_minimum_posterior_variance: the least variance of a state.
      transition_covariance_initial_log_scale_bias: of noise of states against that of
        observations; see `_define_parameters`.
      static_unrolling_window_size_threshold: accepted; windows are loops.
    """

    num_features: int = 1
    use_observation_noise: bool = True
    dtype: Any = dtypes.float32
    covariance_prior_fn: Callable[[Tensor], Any] = log_noninformative_covariance_prior
    bayesian_prior_weighting: bool = True
    filtering_postprocessor: Any = None
    trainable_start_state: bool = False
    exogenous_noise_increases: bool = True
    exogenous_noise_decreases: bool = False
    exogenous_feature_columns: Any = None
    exogenous_update_condition: Any = None
    filtering_maximum_posterior_variance_ratio: float = 1e6
    filtering_minimum_posterior_variance: float = 0.0
    transition_covariance_initial_log_scale_bias: float = -5.0
    static_unrolling_window_size_threshold: int | None = None


class StateSpaceModel(SequentialTimeSeriesModel):
    """A model whose state moves linearly and is seen linearly, both with normal noise.

    x[t] = A x[t-1] + G e[t] and y[t] = H x[t] + u[t]. A subclass gives A, G and H. The state of the
    loop is a belief: mean [batch, state], covariance [batch, state, state], its time [batch].

    Args:
      configuration: a `StateSpaceModelConfiguration`.
    """

    def __init__(self, configuration: StateSpaceModelConfiguration) -> None:
        self._configuration = given = configuration
        post = given.filtering_postprocessor
        super().__init__(
            ["mean", "covariance", "log_likelihood", *(post.output_names if post else ())],
            ["mean", "covariance"], given.num_features, True, given.dtype,
            given.exogenous_feature_columns, given.exogenous_update_condition,
        )  # fmt: skip
        self._kalman_filter = KalmanFilter(self.dtype)
        self._variable_scope = get_variable_scope()
        self.prior_state_mean: Any = None
        self.prior_state_var: Any = None
        self.state_transition_noise_covariance: Any = None

    # ---- what a subclass says

    @abstractmethod
    def get_state_transition(self) -> Any:
        """A, [state, state]."""

    @abstractmethod
    def get_noise_transform(self) -> Any:
        """G, [state, noise]."""

    @abstractmethod
    def get_observation_model(self, times: Tensor) -> Any:
        """H: [state], the same for all values; [n, state]; or for each time [batch, n, state]."""

    def _define_coefficients(self) -> None:
        """Makes the variables of which the matrices are made, if there are any."""

    def _matrix(self, value: Any) -> Tensor:
        return convert_to_tensor(value, self.dtype)

    def _size(self, matrix: Any, axis: int) -> Any:
        """How many rows or columns a matrix is known to have."""
        return self._matrix(matrix).shape.as_list()[axis]

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """H for each of the batch, [batch, n, state]."""
        model = self._matrix(self.get_observation_model(times))
        if model.shape.ndims == 1:
            model = tile(expand_dims(model, 0), [self.num_features, 1])
        if model.shape.ndims == 2:
            model = tile(expand_dims(model, 0), [shape_of(times)[0], 1, 1])
        return model

    # ---- what is trained

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes the variables."""
        self._set_input_statistics(input_statistics)
        with variable_scope(self._variable_scope):
            self._define_parameters()
            self._observation_noise = self.get_observation_noise_covariance()
        self.prior_state_mean = self.get_prior_mean()
        self.prior_state_var = self.get_prior_covariance()

    def _set_input_statistics(self, input_statistics: InputStatistics | None) -> None:
        super().initialize_graph(input_statistics)

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        """Makes coefficients and the noise of the state.

        One number, 5 at first, is taken from the logarithms of the noise of states and added to
        that of observations: it moves noise from one to the other in one step.
        """
        if observation_transition_tradeoff_log is None:
            bias = self._configuration.transition_covariance_initial_log_scale_bias
            observation_transition_tradeoff_log = get_variable(
                "observation_transition_tradeoff_log_scale", [], self.dtype,
                constant_initializer(-bias),
            )  # fmt: skip
        self._tradeoff = observation_transition_tradeoff_log
        with variable_scope(self._variable_scope):
            self._define_coefficients()
            self.state_transition_noise_covariance = self.get_state_transition_noise_covariance()

    def _start_variance(self) -> Any:
        """How the first values of the series vary, [n], on the scale of the model."""
        given = self._input_statistics
        return None if given is None else self._scale_variance(given.series_start_moments.variance)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """S, [noise, noise]: at first little, as states would rather not move by themselves."""
        scale: Any = 0.0
        if self._input_statistics is not None:
            count = cast(self._input_statistics.total_observation_count, self.dtype)
            least = reduce_mean(self._start_variance()) / count
            scale = log(maximum(least, minimum_initial_variance))
        size = self._size(self.get_noise_transform(), 1)
        return variable_covariance_matrix(
            size, "state_transition_noise", self.dtype,
            initial_overall_scale_log=scale - self._tradeoff,
        )  # fmt: skip

    def get_observation_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """R, [n, n]: at first how the series varies."""
        if not self._configuration.use_observation_noise:
            return zeros([self.num_features, self.num_features], self.dtype)
        start = self._start_variance()
        return variable_covariance_matrix(
            self.num_features, "observation_noise_covariance", self.dtype,
            None if start is None else maximum(start, minimum_initial_variance), self._tradeoff,
        )  # fmt: skip

    def get_prior_mean(self) -> Tensor:
        """The mean of the first belief, [state]: 0, unless it is trained."""
        size = self._size(self.get_state_transition(), 0)
        return self._prior_variable(size)

    def _prior_variable(self, size: int) -> Any:
        with variable_scope(self._variable_scope):
            return get_variable(
                "prior_state_mean", [size], self.dtype, zeros_initializer(),
                trainable=self._configuration.trainable_start_state,
            )  # fmt: skip

    def get_prior_covariance(self) -> Tensor:
        """The covariance of the first belief, [state, state]: I, unless it is trained."""
        size = self._size(self.get_state_transition(), 0)
        if not self._configuration.trainable_start_state:
            return eye(size, dtype=self.dtype)
        with variable_scope(self._variable_scope):
            return variable_covariance_matrix(size, "prior_state_var", self.dtype)

    def get_start_state(self) -> tuple:
        """The belief before the first time."""
        given = self._input_statistics
        start = constant(0, dtypes.int64) if given is None else given.start_time
        return self.prior_state_mean, self.prior_state_var, start - 1

    def _learned_noise(self) -> list[Tensor]:
        """Each covariance of noise that is trained."""
        return [self.state_transition_noise_covariance]

    def _loss_additions(self, times: Any, values: Any, mode: str) -> Any:
        """-log p(noise) by the prior, divided among the values of the series."""
        if mode != ModeKeys.TRAIN:
            return zeros([], self.dtype)
        given = self._input_statistics
        whole = given is not None and self._configuration.bayesian_prior_weighting
        count = given.total_observation_count if whole and given else shape_of(times)[1]
        noise = self._learned_noise()
        if self._configuration.use_observation_noise:
            noise.append(self._observation_noise)
        priors = [self._matrix(self._configuration.covariance_prior_fn(each)) for each in noise]
        return -add_n(priors) / cast(count, self.dtype)

    # ---- the steps of the filter

    def _window_initializer(self, times: Tensor, state: Any) -> None:
        """Computes what the gaps of a window do, each length once, before the loop."""
        before = concat([expand_dims(convert_to_tensor(state[2]), 1), times[:, :-1]], 1)
        # The start of a series is known only once its first window was seen: no gap goes back.
        self._gaps = unique(reshape(maximum(times - before, 0), [-1]))[0]
        transform = self._matrix(self.get_noise_transform())
        noise = matmul(matmul(transform, self.state_transition_noise_covariance), transform,
                       transpose_b=True)  # fmt: skip
        transition = self._matrix(self.get_state_transition())
        self._over_gaps = transition_to_powers(transition, noise, self._gaps)

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        """The belief at a time, however long after the last one."""
        mean, covariance, before = state
        gap = maximum(current_times - before, 0)
        place = argmax(cast(equal(expand_dims(gap, 1), self._gaps), dtypes.int32), 1)
        transition, noise = (gather(each, place) for each in self._over_gaps)
        mean = self._kalman_filter.predict_state_mean(mean, transition)
        covariance = self._kalman_filter.predict_state_var(covariance, transition, noise)
        return mean, covariance, before + gap

    def _prediction_step(self, current_times: Any, state: Any) -> tuple[Any, dict[str, Any]]:
        """What will be seen: "mean" [batch, n] and "covariance" [batch, n, n]."""
        mean, covariance, _ = state
        seen, spread = self._kalman_filter.observed_from_state(
            mean, covariance, self.get_broadcasted_observation_model(current_times),
            self._observation_noise,
        )  # fmt: skip
        size = self.num_features
        seen.set_shape([None, size])
        spread.set_shape([None, size, size])
        return (mean, covariance, current_times), {"mean": seen, "covariance": spread}

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The belief after values; "loss" is -log p of them, "log_likelihood" log p."""
        given = self._configuration
        mean, covariance, _ = state
        covariance = clip_covariance(
            covariance, given.filtering_maximum_posterior_variance_ratio,
            given.filtering_minimum_posterior_variance,
        )  # fmt: skip
        *belief, log_p = self._kalman_filter.do_filter(
            mean, covariance, predictions["mean"], predictions["covariance"], current_values,
            self.get_broadcasted_observation_model(current_times), self._observation_noise,
        )  # fmt: skip
        outputs = {**predictions, "loss": -log_p, "log_likelihood": log_p}
        after = (*belief, current_times)
        if given.filtering_postprocessor is None:
            return after, outputs
        return given.filtering_postprocessor.process_filtering_step(
            current_times=current_times, current_values=current_values, predicted_state=state,
            filtered_state=after, outputs=outputs,
        )  # fmt: skip

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """On the scale of the series: a covariance by the deviations of both of its values."""
        made = {**predictions, "mean": self._scale_back_data(predictions["mean"])}
        if self._moments is not None:
            deviations = sqrt(self._moments[1])
            made["covariance"] *= expand_dims(deviations, 1) * deviations
        return made

    def _exogenous_input_step(
        self, current_times: Any, current_exogenous_regressors: Any, state: Any
    ) -> Any:
        """The belief with what is known beside the values: it may tell the state, or move it.

        To tell: an observation of the whole state, whose value and noise are linear in what is
        known. To move: something is added to the mean, and a covariance to the covariance.
        """
        known, (mean, covariance, before) = current_exogenous_regressors, state
        size = mean.shape.as_list()[1]

        def dense(scope: str) -> Tensor:
            with variable_scope(scope):
                return fully_connected(known, size, None, scope="fully_connected")

        def spread(scope: str) -> Tensor:
            with variable_scope(scope):
                return transform_to_covariance_matrices(known, size)

        if self._configuration.exogenous_noise_decreases:
            noise = spread("exogenous_noise_decreasing_covariance")
            model = eye(size, batch_shape=[shape_of(known)[0]], dtype=self.dtype)
            mean, covariance = self._kalman_filter.posterior_from_prior_state(
                mean, covariance, dense("exogenous_noise_decreasing_observation"), model,
                (mean, covariance + noise), noise,
            )  # fmt: skip
        if self._configuration.exogenous_noise_increases:
            mean += dense("exogenous_noise_increasing_mean")
            covariance += spread("exogenous_noise_increasing_covariance")
        return mean, covariance, before

    # ---- series made up

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """Parameters to draw series with: from tensors of the model to arrays.

        Raises:
          NotImplementedError: for series of several values.
        """
        self._check_univariate()
        rng = np.random.default_rng(seed)
        size, noise = self._matrix(self.get_noise_transform()).shape.as_list()
        made: dict[Any, Any] = {
            self.prior_state_mean: rng.normal(size=size),
            self.prior_state_var: np.zeros([size, size]),
            self.state_transition_noise_covariance: np.diag(1 / rng.gamma(10.0, 10.0, noise)),
        }
        if self._configuration.use_observation_noise:
            made[self._observation_noise] = np.array([[1 / rng.gamma(4.0, 4.0)]])
        return made

    def _check_univariate(self) -> None:
        if self.num_features != 1:
            raise NotImplementedError(
                "Generation for multivariate state space models is not currently implemented."
            )

    def generate(
        self, number_of_series: int, series_length: int, model_parameters: Any = None,
        seed: int | None = None, add_observation_noise: bool | None = None,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """Series that the model draws, in the default session.

        Args:
          number_of_series, series_length: how many, and how long.
          model_parameters: what tensors are to be, as `random_model_parameters` gives it.
          seed: of the draws.
          add_observation_noise: by default whether the model has it.
        Returns: "times" [number, length] and "values" [number, length, 1].
        Raises:
          NotImplementedError: for series of several values.
          ValueError: when there is no default session.
        """
        self._check_univariate()
        session = get_default_session()
        if session is None:
            raise ValueError("A model draws series inside of `with tf.Session() as sess:`.")
        if add_observation_noise is None:
            add_observation_noise = self._configuration.use_observation_noise
        rng = np.random.default_rng(seed)
        matrices = [
            self._matrix(self.get_state_transition()), self._matrix(self.get_noise_transform()),
            self.state_transition_noise_covariance, self._observation_noise, self.prior_state_mean,
            self.get_broadcasted_observation_model(number_range(series_length)),
        ]  # fmt: skip
        moves, transform, noise, noise_seen, start, models = session.run(matrices, model_parameters)
        state = np.tile(start, [number_of_series, 1])
        values = np.empty([number_of_series, series_length, 1], self.dtype.numpy_dtype)
        for time, model in enumerate(models):
            drawn = rng.multivariate_normal(np.zeros(len(noise)), noise, number_of_series)
            state = state @ moves.T + drawn @ transform.T
            values[:, time] = state @ model.T
        if add_observation_noise:
            values += rng.normal(scale=np.sqrt(noise_seen[0, 0]), size=values.shape)
        times = np.tile(np.arange(series_length), [number_of_series, 1])
        return {Times.TIMES: times, TrainEvalFeatures.VALUES: values}


# ---- ensembles -----------------------------------------------------------------------------


class StateSpaceEnsemble(StateSpaceModel):
    """Models side by side: their matrices are blocks of one.

    Args:
      ensemble_members: the models.
      configuration: of the whole.
    """

    def __init__(
        self, ensemble_members: Sequence[StateSpaceModel],
        configuration: StateSpaceModelConfiguration,
    ) -> None:  # fmt: skip
        self._ensemble_members = list(ensemble_members)
        super().__init__(configuration)

    def _blocks(self, of: Callable[[StateSpaceModel], Any]) -> Tensor:
        return block_diagonal([of(member) for member in self._ensemble_members], self.dtype)

    def _set_input_statistics(self, input_statistics: InputStatistics | None) -> None:
        super()._set_input_statistics(input_statistics)
        for member in self._ensemble_members:
            member._set_input_statistics(input_statistics)

    def get_state_transition(self) -> Tensor:
        """The members' as blocks."""
        return self._blocks(lambda member: member.get_state_transition())

    def get_noise_transform(self) -> Tensor:
        """The members' as blocks."""
        return self._blocks(lambda member: member.get_noise_transform())

    def get_prior_mean(self) -> Tensor:
        """The members', one after the other."""
        return concat([member.get_prior_mean() for member in self._ensemble_members], 0)

    def get_prior_covariance(self) -> Tensor:
        """The members' as blocks."""
        return self._blocks(lambda member: member.get_prior_covariance())

    def get_observation_model(self, times: Tensor) -> Any:
        """Not asked for; see `get_broadcasted_observation_model`."""
        return self.get_broadcasted_observation_model(times)


class StateSpaceIndependentEnsemble(StateSpaceEnsemble):
    """Models whose observations are added, and whose noise is their own."""

    def _define_coefficients(self) -> None:
        for member in self._ensemble_members:
            member._define_parameters(self._tradeoff)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The members' as blocks."""
        return self._blocks(lambda member: member.state_transition_noise_covariance)

    def _learned_noise(self) -> list[Tensor]:
        return [noise for member in self._ensemble_members for noise in member._learned_noise()]

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """[H1 H2 ...]."""
        members = self._ensemble_members
        return concat([each.get_broadcasted_observation_model(times) for each in members], 2)


class StateSpaceCorrelatedFeaturesEnsemble(StateSpaceEnsemble):
    """A model for each value of a time; one covariance says how their noise goes together.

    Args:
      ensemble_members: models of one value, one for each.
      configuration: of the whole.
    Raises:
      ValueError: when there are not as many models as values, or one is of several values.
    """

    def __init__(
        self, ensemble_members: Sequence[StateSpaceModel],
        configuration: StateSpaceModelConfiguration,
    ) -> None:  # fmt: skip
        if len(ensemble_members) != configuration.num_features:
            raise ValueError(
                "The number of members in a StateSpaceCorrelatedFeaturesEnsemble must equal the "
                "number of features in the time series."
            )
        if any(member.num_features != 1 for member in ensemble_members):
            raise ValueError("StateSpaceCorrelatedFeaturesEnsemble components must be univariate.")
        super().__init__(ensemble_members, configuration)

    def _set_input_statistics(self, input_statistics: InputStatistics | None) -> None:
        """Each member hears of its own value."""
        StateSpaceModel._set_input_statistics(self, input_statistics)
        for i, member in enumerate(self._ensemble_members):
            own = input_statistics
            if own is not None:
                start, every = (Moments(*(part[i : i + 1] for part in each)) for each in own[:2])
                own = own._replace(series_start_moments=start, overall_feature_moments=every)
            member._set_input_statistics(own)

    def _define_coefficients(self) -> None:
        for member in self._ensemble_members:
            with variable_scope(member._variable_scope):
                member._define_coefficients()

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """H1, H2 ... as blocks."""
        return self._blocks(lambda member: member.get_broadcasted_observation_model(times))
