"""`tf.contrib.timeseries.ARRegressor`: the next values from those of a window.

    input window (values, times of day) ─┐
                                         ├─ a network ──> mean and variance of the output window
    output window (times of day) ────────┘

To predict further, what was predicted becomes the input, window after window.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.kalman_filter import cauchy_log_prob
from minitf.compat.contrib.time_series import ModelOutputs, TimeSeriesModel
from minitf.compat.contrib.time_series_estimator import (
    FilteringOnlyStateManager,
    TimeSeriesRegressor,
)
from minitf.compat.contrib.time_series_inputs import State, Times, TrainEvalFeatures
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros, zeros_like
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where_v2
from minitf.core.ops.math import exp, floordiv, floormod, log, log1p, maximum, minimum, square
from minitf.core.ops.reductions import reduce_mean
from minitf.core.train.adam import AdamOptimizer
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import (
    AUTO_REUSE,
    get_variable,
    get_variable_scope,
    variable_scope,
)
from minitf.library.estimator.spec import ModeKeys
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.core import Dense, Flatten
from minitf.library.keras.layers.recurrent_layers import LSTM
from minitf.library.optimizers.adagrad import AdagradOptimizer


class FlatPredictionModel(Model):
    """Dense layers over both windows, laid flat.

    Args:
      num_features: how many values a time has.
      input_window_size, output_window_size: how long the windows are.
      hidden_layer_sizes: of layers with relus; none by default.
    """

    def __init__(
        self, num_features: int, input_window_size: int, output_window_size: int,
        hidden_layer_sizes: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._flat = Flatten()
        self._hidden = [Dense(size, activation=relu) for size in hidden_layer_sizes or ()]
        self._mean = Dense(num_features * output_window_size, name="predicted_mean")
        self._spread = Dense(num_features * output_window_size, name="log_sigma_square")
        self._shape = [-1, output_window_size, num_features]

    def call(  # type: ignore[override]
        self, input_window_features: Any, output_window_features: Any
    ) -> dict[str, Any]:
        """The mean and the variance, [batch, output window, n] each."""
        given = (input_window_features, output_window_features)
        flat: Any = concat([self._flat(each) for each in given if 0 not in each.shape[1:]], 1)
        for layer in self._hidden:
            flat = layer(flat)
        spread = exp(self._spread(flat))
        return {
            "mean": reshape(self._mean(flat), self._shape),
            "covariance": reshape(spread, self._shape),
        }


class LSTMPredictionModel(Model):
    """An LSTM reads the input window; another, from its state, goes through the output window."""

    def __init__(
        self, num_features: int, input_window_size: int, output_window_size: int,
        num_units: int = 128,
    ) -> None:  # fmt: skip
        super().__init__()
        self._encoder = LSTM(num_units, name="encoder", return_state=True)
        self._decoder = LSTM(num_units, name="decoder", return_sequences=True)
        self._mean = Dense(num_features, name="mean_transform")
        self._spread = Dense(num_features, name="covariance_transform")

    def call(  # type: ignore[override]
        self, input_window_features: Any, output_window_features: Any
    ) -> dict[str, Any]:
        """The mean and the variance, [batch, output window, n] each."""
        state = self._encoder(input_window_features)[1:]
        decoded = self._decoder(output_window_features, initial_state=list(state))
        return {"mean": self._mean(decoded), "covariance": exp(self._spread(decoded))}


def _normal_log_prob(apart: Tensor, variance: Tensor) -> Tensor:
    """log N of values that are so far from the mean, squared."""
    variance = maximum(variance, 1e-5)
    return -0.5 * (apart / variance + log(variance) + math.log(2 * math.pi))


class ARModel(TimeSeriesModel):
    """An autoregressive model.

    A time `t` of a period `p` is a feature a bucket: how far `t mod p` is inside of it, or 0.

    Args:
      periodicities: a period, or several, in the unit of the times.
      input_window_size, output_window_size: how long the windows are; an input of 0 leaves the
        times alone.
      num_features: how many values a time has.
      prediction_model_factory: from `num_features`, `input_window_size` and `output_window_size` to
        a Keras model of both windows, which gives "mean" and "covariance".
      num_time_buckets: into how many buckets a period is cut.
      loss: `NORMAL_LIKELIHOOD_LOSS` or `SQUARED_LOSS`.
      exogenous_feature_columns: columns of what is known of each time beside the values.
    """

    SQUARED_LOSS = "squared_loss"
    NORMAL_LIKELIHOOD_LOSS = "normal_likelihood_loss"

    def __init__(
        self, periodicities: Any, input_window_size: int, output_window_size: int,
        num_features: int, prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        num_time_buckets: int = 10, loss: str = NORMAL_LIKELIHOOD_LOSS,
        exogenous_feature_columns: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, exogenous_feature_columns)
        given = periodicities if isinstance(periodicities, list | tuple) else [periodicities or 0]
        self._periods = [int(each) for each in given if each]
        assert all(each > 0 for each in self._periods)
        assert self._periods or input_window_size
        assert output_window_size > 0
        assert num_time_buckets > 0
        assert loss in (self.SQUARED_LOSS, self.NORMAL_LIKELIHOOD_LOSS), loss
        self.input_window_size, self.output_window_size = input_window_size, output_window_size
        self.window_size = input_window_size + output_window_size
        self.loss, self._buckets = loss, num_time_buckets
        self._factory = prediction_model_factory

    def initialize_graph(self, input_statistics: Any = None) -> None:
        """Makes the network anew."""
        super().initialize_graph(input_statistics)
        self._network = self._factory(
            num_features=self.num_features, input_window_size=self.input_window_size,
            output_window_size=self.output_window_size,
        )  # fmt: skip

    def get_start_state(self) -> tuple:
        """An input window of zeros: its times, values, and what is known beside them."""
        size = self.input_window_size
        return (zeros([size], dtypes.int64), zeros([size, self.num_features], self.dtype),
                zeros([size, self._known_size()], self.dtype))  # fmt: skip

    def _known_size(self) -> int:
        return sum(each.variable_shape.num_elements() for each in self._exogenous_feature_columns)

    def _beside(self, times: Tensor, features: Any) -> Tensor:
        """What is known beside the values, [batch, window, m], where m may be 0."""
        found = self._process_exogenous_features(times, features)
        if found is None:
            found = zeros(concat([shape_of(times), [0]], 0), self.dtype)
            found.set_shape([*times.shape.as_list(), 0])
        return found

    def _time_features(self, times: Tensor) -> list[Tensor]:
        made = []
        for period in self._periods:
            inside = cast(floormod(times, period), self.dtype) * self._buckets / float(period)
            over = expand_dims(inside, -1) - cast(number_range(self._buckets), self.dtype)
            over = relu(over)
            made.append(where_v2(less(over, 1.0), over, zeros_like(over)))
        return made

    def prediction_ops(self, times: Tensor, values: Any, beside: Tensor) -> dict[str, Tensor]:
        """What the network makes of a window.

        Args:
          times: [batch, window].
          values: [batch, input window, n], scaled.
          beside: [batch, window, m].
        """
        size = self.input_window_size
        shared = [*self._time_features(times), beside]
        inputs = [*(each[:, :size] for each in shared), *([values] if size else [])]
        outputs = concat([each[:, size:] for each in shared], 2)
        with variable_scope("model/", use_resource=True):
            made = self._network(concat(inputs, 2), outputs)
        for each in made.values():
            each.set_shape([None, self.output_window_size, self.num_features])
        return dict(made)

    def _loss(self, targets: Tensor, made: dict[str, Tensor]) -> Tensor:
        """The mean of -log p, or of squared differences."""
        apart = square(made["mean"] - targets)
        if self.loss == self.SQUARED_LOSS:
            return reduce_mean(apart)
        return -reduce_mean(_normal_log_prob(apart, made["covariance"]))

    def get_batch_loss(self, features: Any, mode: str, state: Any) -> ModelOutputs:
        """The loss of all output windows, side by side; the earliest times may only be input.

        Raises:
          ValueError: when the window is not `window_size` long, or while it is evaluated shorter.
        """
        times = cast(features[Times.TIMES], dtypes.int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        given = times.shape.as_list()[1]
        if mode == ModeKeys.TRAIN and given not in (None, self.window_size):
            raise ValueError(
                f"ARModel with input_window_size={self.input_window_size} and output_window_size="
                f"{self.output_window_size} expects feature 'times' to have shape (batch_size, "
                f"{self.window_size}) (for any batch_size), but got shape {times.shape}. If you "
                f"are using RandomWindowInputFn, set window_size={self.window_size} or adjust the "
                "input_window_size and output_window_size arguments to ARModel."
            )
        if given is not None and given < self.window_size:
            raise ValueError(
                "ARModel requires a window of at least input_window_size + output_window_size to "
                f"evaluate on (input_window_size={self.input_window_size}, output_window_size="
                f"{self.output_window_size}, and got shape {times.shape} for feature 'times' "
                "(batch size, window size))."
            )
        beside = self._beside(times, features)
        count = floordiv(shape_of(times)[1] - self.input_window_size, self.output_window_size)
        first = shape_of(times)[1] - self.input_window_size - count * self.output_window_size
        starts = first + number_range(count) * self.output_window_size
        places = expand_dims(starts, 1) + number_range(self.window_size)
        windows = [
            self._windows(each, places) for each in (times, self._scale_data(values), beside)
        ]
        size = self.input_window_size
        made = self.prediction_ops(windows[0], windows[1][:, :size], windows[2])
        targets = windows[1][:, size:]
        found = {"mean": self._scale_back_data(made["mean"]),
                 "covariance": self._scale_back_variance(made["covariance"])}  # fmt: skip
        if mode == ModeKeys.EVAL and self.loss == self.SQUARED_LOSS:
            loss = self._loss(self._scale_back_data(targets), found)
        else:
            loss = self._loss(targets, made)
        length = count * self.output_window_size
        rows = concat([[shape_of(times)[0]], [length, self.num_features]], 0)
        predictions = {name: reshape(each, rows) for name, each in found.items()}
        predictions["observed"] = values[:, -length:]
        end = tuple(
            concat([cast(before, new.dtype), new], 1)[:, -size:] if size else before
            for before, new in zip(state, (times, self._scale_data(values), beside), strict=True)
        )
        return ModelOutputs(loss, end, predictions, times[:, -length:])

    def _windows(self, series: Tensor, places: Tensor) -> Tensor:
        """Windows of a series, [batch, length, ...] -> [batch * windows, window, ...]."""
        cut = gather(series, places, axis=1)
        rows = shape_of(series)[0] * shape_of(places)[0]  # not -1: there may be no features
        found = reshape(cut, concat([[rows], [self.window_size], shape_of(series)[2:]], 0))
        found.set_shape([None, self.window_size, *series.shape.as_list()[2:]])
        return found

    def predict(self, features: Any) -> dict[str, Any]:
        """The mean and the variance at times after the state, window after window."""
        if not self._graph_initialized:
            self.initialize_graph()
        times = cast(features[Times.TIMES], dtypes.int64)
        beside = self._beside(times, features)
        before: list[Any] = [convert_to_tensor(each) for each in features[State.STATE_TUPLE]]
        size, step = self.input_window_size, self.output_window_size
        count = floordiv(shape_of(times)[1] + step - 1, step)
        missing = count * step - shape_of(times)[1]
        whole = concat([cast(before[0], dtypes.int64)[:, -size:] if size else times[:, :0],
                        pad(times, [[0, 0], [0, missing]])], 1)  # fmt: skip
        known = concat([cast(before[2], self.dtype)[:, -size:] if size else beside[:, :0],
                        pad(beside, [[0, 0], [0, missing], [0, 0]])], 1)  # fmt: skip
        start = (
            cast(before[1], self.dtype)[:, -size:]
            if size
            else zeros([shape_of(times)[0], 0, self.num_features])
        )

        def window(series: Tensor, i: Any) -> Tensor:
            cut = series[:, i * step : i * step + self.window_size]
            cut.set_shape([None, self.window_size, *series.shape.as_list()[2:]])
            return cut

        def body(i: Any, values: Tensor, means: Any, spreads: Any) -> tuple:
            if size:
                values.set_shape([None, size, self.num_features])
            made = self.prediction_ops(window(whole, i), values, window(known, i))
            values = concat([values, made["mean"]], 1)[:, -size:] if size else values
            spread = (
                made["covariance"] if self.loss != self.SQUARED_LOSS else ones_like(made["mean"])
            )
            return i + 1, values, means.write(i, made["mean"]), spreads.write(i, spread)

        # The network's variables are made outside of the loop.
        self.prediction_ops(window(whole, 0), start, window(known, 0))
        arrays = [TensorArray(self.dtype, size=count) for _ in range(2)]
        _, _, *found = while_loop(lambda i, *_: less(i, count), body, [constant(0), start, *arrays])
        rows = concat([[shape_of(times)[0]], [count * step, self.num_features]], 0)
        mean, spread = (
            reshape(transpose(each.stack(), [1, 0, 2, 3]), rows)[:, : shape_of(times)[1]]
            for each in found
        )
        return {
            "mean": self._scale_back_data(mean),
            "covariance": self._scale_back_variance(spread),
        }


class AnomalyMixtureARModel(ARModel):
    """An `ARModel` of values some of which are anomalies, from a wider law about the same mean.

    log p = log((1 - a) N(value; mean, covariance) + a W(value; mean, s)), where s is trained. An
    anomaly costs less than under N alone, so that the network is not bent to it; as an input it
    counts as ever.

    Args:
      anomaly_prior_probability: a, between 0 and 1.
      anomaly_distribution: W: `GAUSSIAN_ANOMALY`, of variance s, or `CAUCHY_ANOMALY`, of scale s.
      periodicities, input_window_size, output_window_size, num_features, prediction_model_factory,
        num_time_buckets, exogenous_feature_columns: those of `ARModel`.
    """

    GAUSSIAN_ANOMALY = "gaussian"
    CAUCHY_ANOMALY = "cauchy"

    def __init__(
        self, periodicities: Any, anomaly_prior_probability: float, input_window_size: int,
        output_window_size: int, num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        anomaly_distribution: str = GAUSSIAN_ANOMALY, num_time_buckets: int = 10,
        exogenous_feature_columns: Any = None,
    ) -> None:  # fmt: skip
        assert 0.0 < anomaly_prior_probability < 1.0
        assert anomaly_distribution in (self.GAUSSIAN_ANOMALY, self.CAUCHY_ANOMALY)
        self._prior, self._anomalies = anomaly_prior_probability, anomaly_distribution
        super().__init__(
            periodicities, input_window_size, output_window_size, num_features,
            prediction_model_factory, num_time_buckets, self.NORMAL_LIKELIHOOD_LOSS,
            exogenous_feature_columns,
        )  # fmt: skip

    def prediction_ops(self, times: Tensor, values: Any, beside: Tensor) -> dict[str, Tensor]:
        """What the network makes of a window, and s as "anomaly_params"."""
        made = super().prediction_ops(times, values, beside)
        with variable_scope(get_variable_scope(), reuse=AUTO_REUSE):
            made["anomaly_params"] = exp(
                get_variable("anomaly_log_param", [], self.dtype, zeros_initializer())
            )
        return made

    def _loss(self, targets: Tensor, made: dict[str, Tensor]) -> Tensor:
        apart, scale = square(made["mean"] - targets), made["anomaly_params"]
        usual = _normal_log_prob(apart, made["covariance"]) + math.log(1 - self._prior)
        if self._anomalies == self.GAUSSIAN_ANOMALY:
            odd = _normal_log_prob(apart, scale)
        else:
            odd = cauchy_log_prob(made["mean"], scale, targets)
        odd = odd + math.log(self._prior)
        # log(e^a + e^b), with nothing that overflows
        most = maximum(usual, odd)
        return -reduce_mean(most + log1p(exp(minimum(usual, odd) - most)))


class ARRegressor(TimeSeriesRegressor):
    """Trains an `ARModel` of dense layers, by default with Adagrad.

    Args:
      periodicities, input_window_size, output_window_size, num_features, num_time_buckets, loss,
        exogenous_feature_columns: those of `ARModel`.
      hidden_layer_sizes: of the layers between; none by default, which makes it linear.
      anomaly_prior_probability: how probable an anomaly is; None looks for none.
      anomaly_distribution: that of `AnomalyMixtureARModel`; "gaussian" by default.
      optimizer: Adagrad with 0.1 by default.
      model_dir, config: those of `tf.estimator.Estimator`.
    Raises:
      ValueError: for anomalies and another loss than the likelihood, or a law of anomalies
        without a probability.
    """

    def __init__(
        self, periodicities: Any, input_window_size: int, output_window_size: int,
        num_features: int, exogenous_feature_columns: Any = None, num_time_buckets: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS, hidden_layer_sizes: Sequence[int] | None = None,
        anomaly_prior_probability: float | None = None, anomaly_distribution: str | None = None,
        optimizer: Any = None, model_dir: str | None = None, config: Any = None,
    ) -> None:  # fmt: skip
        if anomaly_prior_probability is None and anomaly_distribution is not None:
            raise ValueError(
                "anomaly_prior_probability is required if anomaly_distribution is specified."
            )
        if anomaly_prior_probability is not None and loss != ARModel.NORMAL_LIKELIHOOD_LOSS:
            raise ValueError(
                "AnomalyMixtureARModel only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS for "
                "its loss argument."
            )

        def flat(**sizes: int) -> FlatPredictionModel:
            return FlatPredictionModel(hidden_layer_sizes=hidden_layer_sizes, **sizes)

        sizes = (input_window_size, output_window_size, num_features, flat)
        if anomaly_prior_probability is None:
            model = ARModel(
                periodicities, *sizes, num_time_buckets, loss, exogenous_feature_columns
            )
        else:
            model = AnomalyMixtureARModel(
                periodicities, anomaly_prior_probability, *sizes,
                anomaly_distribution or AnomalyMixtureARModel.GAUSSIAN_ANOMALY,
                num_time_buckets, exogenous_feature_columns,
            )  # fmt: skip
        optimizer = optimizer or AdagradOptimizer(0.1)
        super().__init__(model, FilteringOnlyStateManager(), optimizer, model_dir, config)


class LSTMAutoRegressor(TimeSeriesRegressor):
    """Trains an `ARModel` of two LSTMs, by default with Adam.

    Args:
      periodicities, input_window_size, output_window_size, num_features, exogenous_feature_columns:
        those of `ARModel`; periods have 10 buckets.
      num_units: how many units an LSTM has.
      extra_feature_columns: another word for `exogenous_feature_columns`.
      num_timesteps: accepted.
      loss: by default that of the normal likelihood.
      optimizer: Adam with 0.001 by default.
    """

    def __init__(
        self, periodicities: Any, input_window_size: int, output_window_size: int,
        model_dir: str | None = None, num_features: int = 1, extra_feature_columns: Any = None,
        num_timesteps: int = 10, loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS, num_units: int = 128,
        optimizer: Any = None, config: Any = None,
    ) -> None:  # fmt: skip
        def lstms(**sizes: int) -> LSTMPredictionModel:
            return LSTMPredictionModel(num_units=num_units, **sizes)

        model = ARModel(
            periodicities, input_window_size, output_window_size, num_features, lstms,
            loss=loss, exogenous_feature_columns=extra_feature_columns,
        )  # fmt: skip
        optimizer = optimizer or AdamOptimizer(0.001)
        super().__init__(model, FilteringOnlyStateManager(), optimizer, model_dir, config)
