"""`tf.contrib.timeseries`: readers, windows, autoregression, and models made by programs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.contrib import time_series
from minitf.compat.contrib.ar_model import AnomalyMixtureARModel

series = tf.contrib.timeseries
FEATURES = series.TrainEvalFeatures


def _sine(count: int = 200) -> dict[str, np.ndarray]:
    times = np.arange(count)
    return {FEATURES.TIMES: times, FEATURES.VALUES: 3.0 + 2.0 * np.sin(times * 2 * np.pi / 25)}


def _usual_miss(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.sqrt(np.mean((found - wanted) ** 2)))


def test_windows_of_arrays() -> None:
    reader = series.NumpyReader({**_sine(), "more": np.arange(200.0)})
    features, labels = series.RandomWindowInputFn(reader, 7, 5, shuffle_seed=3)()
    whole, _ = series.WholeDatasetInputFn(reader)()
    assert labels is None
    assert features["values"].shape == [5, 7, 1]
    with tf.Session() as sess:
        one, two, every = sess.run(features), sess.run(features), sess.run(whole)
    assert np.all(np.diff(one["times"], axis=1) == 1)
    assert np.any(one["times"] != two["times"])
    np.testing.assert_array_equal(one["more"], one["times"])
    np.testing.assert_allclose(one["values"][..., 0], _sine()["values"][one["times"]])
    assert [every[name].shape for name in ("times", "values")] == [(1, 200), (1, 200, 1)]
    with pytest.raises(ValueError, match="larger than the series"):
        series.RandomWindowInputFn(reader, 201, 1)()
    with pytest.raises(ValueError, match="must include a 'times' feature"):
        series.NumpyReader({"values": [1.0]})


def test_columns_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "series.csv"
    path.write_text("t,a,b,c\n0,1.5,2,x\n1,2.5,3,y\n2,3.5,4,z\n")
    names = (FEATURES.TIMES, FEATURES.VALUES, FEATURES.VALUES, "word")
    kinds = (tf.int64, tf.float32, tf.float32, tf.string)
    reader = series.CSVReader(str(path), names, kinds, skip_header_lines=1)
    with tf.Session() as sess:
        found = sess.run(series.WholeDatasetInputFn(reader)()[0])
    assert found["times"].tolist() == [[0, 1, 2]]
    assert found["values"].tolist() == [[[1.5, 2], [2.5, 3], [3.5, 4]]]
    assert found["word"].tolist() == [[b"x", b"y", b"z"]]
    with pytest.raises(ValueError, match="'times' is a required column"):
        series.CSVReader(str(path), ("a",))


@pytest.mark.parametrize(
    "loss", [series.ARModel.NORMAL_LIKELIHOOD_LOSS, series.ARModel.SQUARED_LOSS]
)
def test_a_wave_goes_on(tmp_path: Path, loss: str) -> None:
    reader = series.NumpyReader(_sine())
    made = series.ARRegressor(
        periodicities=25, input_window_size=20, output_window_size=5, num_features=1, loss=loss,
        model_dir=str(tmp_path), config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    made.train(series.RandomWindowInputFn(reader, 25, 16, shuffle_seed=1), steps=600)
    evaluation = made.evaluate(series.WholeDatasetInputFn(reader), steps=1)
    names = "average_loss covariance global_step loss mean observed start_tuple times"
    assert sorted(evaluation) == names.split()
    assert evaluation["times"].tolist() == [list(range(20, 200))]
    # One point may miss by half the wave, with the rounding of a processor's sums: all together
    # may not. A guess of the mean would miss by 1.4.
    assert _usual_miss(evaluation["mean"], evaluation["observed"]) < 0.35
    assert [np.shape(each) for each in evaluation["start_tuple"]] == [
        (1, 20),
        (1, 20, 1),
        (1, 20, 0),
    ]
    (predictions,) = made.predict(series.predict_continuation_input_fn(evaluation, steps=33))
    assert predictions["times"].tolist() == list(range(200, 233))
    expected = 3.0 + 2.0 * np.sin(np.arange(200, 233) * 2 * np.pi / 25)
    assert _usual_miss(predictions["mean"][:, 0], expected) < 0.5
    assert np.all(predictions["covariance"] > 0)


def test_what_is_known_of_a_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    known = rng.normal(size=300).astype("f")
    reader = series.NumpyReader(
        {"times": np.arange(300), "values": np.stack([2 * known, 1 - known], 1), "known": known}
    )
    made = series.ARRegressor(
        [], 2, 1, 2, exogenous_feature_columns=[tf.feature_column.numeric_column("known")],
        loss=series.ARModel.SQUARED_LOSS, model_dir=str(tmp_path),
        optimizer=tf.train.AdamOptimizer(0.05),
    )  # fmt: skip
    made.train(series.RandomWindowInputFn(reader, 3, 32, shuffle_seed=1), steps=200)
    evaluation = made.evaluate(series.WholeDatasetInputFn(reader), steps=1)
    assert evaluation["loss"] < 0.01
    more = {"known": np.array([[0.5, -0.5, 1.0]], "f")}
    asked = series.predict_continuation_input_fn(evaluation, steps=3, exogenous_features=more)
    (predictions,) = made.predict(asked)
    np.testing.assert_allclose(predictions["mean"], [[1, 0.5], [-1, 1.5], [2, 0]], atol=0.3)


def test_networks_of_two_lstms(tmp_path: Path) -> None:
    made = series.LSTMAutoRegressor(25, 6, 3, str(tmp_path), num_features=1, num_units=4)
    reader = series.NumpyReader(_sine())
    made.train(series.RandomWindowInputFn(reader, 9, 4), steps=2)
    evaluation = made.evaluate(series.WholeDatasetInputFn(reader), steps=1)
    (predictions,) = made.predict(series.predict_continuation_input_fn(evaluation, steps=7))
    assert predictions["mean"].shape == (7, 1)


class _Recurrent(time_series.SequentialTimeSeriesModel):
    """A model as programs write it: a cell whose last value is what it predicted or saw."""

    def __init__(self, units: int) -> None:
        super().__init__(train_output_names=["mean"], predict_output_names=["mean"], num_features=1)
        self._units = units

    def initialize_graph(self, input_statistics: Any = None) -> None:
        super().initialize_graph(input_statistics=input_statistics)
        self._cell = tf.nn.rnn_cell.LSTMCell(self._units)
        self._run = tf.make_template("lstm_cell", self._cell, create_scope_now_=True)
        dense = lambda inputs: tf.layers.dense(inputs, self.num_features)  # noqa: E731
        self._out = tf.make_template("predict_from_lstm_output", dense, create_scope_now_=True)

    def get_start_state(self) -> tuple:
        start = self._cell.zero_state(batch_size=1, dtype=self.dtype)
        return (tf.zeros([], tf.int64), tf.zeros([self.num_features], self.dtype),
                [tf.squeeze(each, axis=0) for each in start])  # fmt: skip

    def _filtering_step(
        self, current_times: Any, current_values: Any, state: Any, predictions: Any
    ) -> tuple:
        time, prediction, lstm = state
        with tf.control_dependencies([tf.assert_equal(current_times, time)]):
            seen = self._scale_data(current_values)
            predictions["loss"] = tf.reduce_mean((prediction - seen) ** 2, axis=-1)
            return (current_times, seen, lstm), predictions

    def _prediction_step(self, current_times: Any, state: Any) -> tuple:
        _, last, lstm = state
        output, lstm = self._run(inputs=last, state=lstm)
        new = self._out(output)
        return (current_times, new, lstm), {"mean": self._scale_back_data(new)}

    def _imputation_step(self, current_times: Any, state: Any) -> Any:
        return state

    def _exogenous_input_step(self, current_times: Any, regressors: Any, state: Any) -> Any:
        raise NotImplementedError


def test_a_recurrent_model_of_a_program(tmp_path: Path) -> None:
    reader = series.NumpyReader(_sine())
    made = series.TimeSeriesRegressor(
        _Recurrent(16), optimizer=tf.train.AdamOptimizer(0.02), model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    made.train(series.RandomWindowInputFn(reader, 40, 4, shuffle_seed=1), steps=150)
    evaluation = made.evaluate(series.WholeDatasetInputFn(reader), steps=1)
    assert evaluation["loss"] < 0.1
    assert evaluation["mean"].shape == (1, 200, 1)
    (predictions,) = made.predict(series.predict_continuation_input_fn(evaluation, steps=20))
    expected = 3.0 + 2.0 * np.sin(np.arange(200, 220) * 2 * np.pi / 25)
    np.testing.assert_allclose(predictions["mean"][:, 0], expected, atol=1.2)


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    reader = series.NumpyReader(_sine())
    made = series.ARRegressor(25, 20, 5, 1, model_dir=str(tmp_path))
    with pytest.raises(ValueError, match="set window_size=25 or adjust"):
        made.train(series.RandomWindowInputFn(reader, 30, 4), steps=1)
    evaluation = {"times": np.array([[1, 2]]), "start_tuple": ()}
    with pytest.raises(ValueError, match="Only one of `steps` and `times`"):
        series.predict_continuation_input_fn(evaluation, 3, [[3]])
    with pytest.raises(ValueError, match="must be after the corresponding"):
        series.predict_continuation_input_fn(evaluation, times=[[2]])
    with pytest.raises(ValueError, match="anomaly_prior_probability is required"):
        series.ARRegressor(25, 20, 5, 1, anomaly_distribution="cauchy")
    with pytest.raises(ValueError, match="only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS"):
        series.ARRegressor(
            25, 20, 5, 1, loss=series.ARModel.SQUARED_LOSS, anomaly_prior_probability=0.1
        )


@pytest.mark.parametrize("law", [None, "gaussian", "cauchy"])
def test_anomalies_cost_less_under_a_mixture(law: str | None, tmp_path: Path) -> None:
    """Targets 0.5 and -3 about a mean of 0 with variance 1, by hand; then a whole training."""

    class Zero:
        def __init__(self, **sizes: int) -> None:
            pass

        def __call__(self, inputs: Any, outputs: Any) -> dict[str, Any]:
            nothing = tf.zeros([tf.shape(inputs)[0], 1, 1])
            return {"mean": nothing, "covariance": nothing + 1.0}

    model = AnomalyMixtureARModel([], 0.1, 1, 1, 1, Zero, law or "gaussian")
    model.initialize_graph()
    features = {"times": [[0, 1], [0, 1]], "values": [[[9.0], [0.5]], [[9.0], [-3.0]]]}
    given = {name: tf.constant(each) for name, each in features.items()}
    state = tuple(tf.stack([each, each]) for each in model.get_start_state())
    loss = model.get_batch_loss(given, "train", state).loss
    x = np.array([0.5, -3.0])
    usual = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    odd = 1 / np.pi / (1 + x**2) if law == "cauchy" else usual  # s is 1 at first
    (param,) = tf.trainable_variables()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        expected = -np.log(0.9 * usual + 0.1 * odd).mean()
        np.testing.assert_allclose(sess.run(loss), expected, rtol=1e-5)
        slope = sess.run(tf.gradients(loss, param)[0])
    assert slope < 0  # a wider law explains -3 better

    values = _sine()[FEATURES.VALUES].copy()
    values[::37] += 8.0
    reader = series.NumpyReader({FEATURES.TIMES: np.arange(200), FEATURES.VALUES: values})
    made = series.ARRegressor(
        25, 20, 5, 1, anomaly_prior_probability=0.05, anomaly_distribution=law,
        model_dir=str(tmp_path), config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    made.train(series.RandomWindowInputFn(reader, 25, 16, shuffle_seed=1), steps=300)
    assert made.get_variable_value("model/anomaly_log_param") > 0.5
    evaluation = made.evaluate(series.WholeDatasetInputFn(reader), steps=1)
    (predictions,) = made.predict(series.predict_continuation_input_fn(evaluation, steps=33))
    assert predictions["mean"].shape == (33, 1)


class _Fixed:
    """A network without variables: sums of what it gets."""

    def __init__(self, num_features: int, input_window_size: int, output_window_size: int) -> None:
        self._features = num_features

    def __call__(self, inputs: Any, outputs: Any) -> dict[str, Any]:
        shared = 0.1 * tf.reduce_sum(inputs, [1, 2])[:, None, None]
        each = tf.range(self._features, dtype=tf.float32)[None, None]
        made = shared + 0.3 * tf.reduce_sum(outputs, 2, keepdims=True) + each
        return {"mean": made, "covariance": tf.exp(0.1 * made)}


@pytest.mark.parametrize(
    ("loss", "sizes", "expected"),
    [
        ("normal_likelihood_loss", (4, 3), [2.1253, 2.5219, 0.317, 0.3536, 0.7593, 0.7047]),
        ("normal_likelihood_loss", (2, 5), [2.2529, 2.4031, 0.8391, 2.3607, 0.0518, 0.6188]),
        ("squared_loss", (3, 3), [4.2296, 3.7298, 0.4245, 0.3652, 0.5056, 0.6018]),
    ],
)
def test_the_numbers_of_tensorflows_own_model(loss: str, sizes: tuple, expected: list) -> None:
    """The numbers are those of `tensorflow_estimator`'s `ARModel` with this network."""
    model = series.ARModel(
        [7, 5], *sizes, 2, prediction_model_factory=_Fixed, num_time_buckets=3, loss=loss
    )
    moments = time_series.Moments(tf.constant([0.5, -1.0]), tf.constant([2.0, 0.25]))
    model.initialize_graph(time_series.InputStatistics(moments, moments, 0, 26))
    times = np.stack([np.arange(13) + 3, np.arange(13) + 40])
    values = np.random.RandomState(0).randn(2, 13, 2).astype("f")  # noqa: NPY002
    window = {"times": tf.constant(times[:, : sum(sizes)]), "values": values[:, : sum(sizes)]}
    trained = model.define_loss(window, tf.estimator.ModeKeys.TRAIN)
    whole = {"times": tf.constant(times), "values": values}
    evaluated = model.define_loss(whole, tf.estimator.ModeKeys.EVAL)
    after = tf.constant(times[:, -1:] + 1 + np.arange(8))
    predicted = model.predict({"times": after, "start_tuple": evaluated.end_state})
    made = [
        trained.loss,
        evaluated.loss,
        evaluated.predictions["mean"],
        evaluated.predictions["covariance"],
        *(predicted[name] for name in ("mean", "covariance")),
    ]
    with tf.Session() as sess:
        found = [np.float64(each).ravel() for each in sess.run(made)]
    weighed = [np.sum(each * np.cos(np.arange(each.size))) for each in found]
    np.testing.assert_allclose(weighed, expected, atol=2e-4)
