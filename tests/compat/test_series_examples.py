"""What programs do with `tf.contrib.timeseries`: read a file, train, evaluate, predict, export."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from minitf.compat.tensorflow import alias


@pytest.fixture
def tf() -> Iterator[ModuleType]:
    alias.install()
    import tensorflow

    yield tensorflow
    alias.uninstall()


def _write(path: Path, rows: Any, header: str = "") -> str:
    lines = [",".join(str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([*([header] if header else []), *lines]) + "\n")
    return str(path)


def _trend_and_season(times: np.ndarray) -> np.ndarray:
    return 1.0 + 0.06 * times + 3.0 * np.sin(2 * np.pi * times / 50 + 0.5)


def _structural(tf: ModuleType, tmp_path: Path, **more: Any) -> Any:
    return tf.contrib.timeseries.StructuralEnsembleRegressor(
        periodicities=50, num_features=1, cycle_num_latent_values=5, model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=1), **more,
    )  # fmt: skip


def _trained(tf: ModuleType, estimator: Any, reader: Any, steps: int) -> dict[str, Any]:
    windows = tf.contrib.timeseries.RandomWindowInputFn(
        reader, batch_size=16, window_size=16, shuffle_seed=1
    )
    estimator.train(input_fn=windows, steps=steps)
    whole = tf.contrib.timeseries.WholeDatasetInputFn(reader)
    return estimator.evaluate(input_fn=whole, steps=1)


@pytest.mark.slow
def test_level_trend_and_season_go_on(tf: ModuleType, tmp_path: Path) -> None:
    """Of a file: a forecast of two seasons beats the last value and the last season by far."""
    rng = np.random.default_rng(0)
    times = np.arange(1, 251)
    values = _trend_and_season(times) + 0.3 * rng.normal(size=250)
    path = _write(tmp_path / "period_trend.csv", zip(times, values, strict=True))
    reader = tf.contrib.timeseries.CSVReader(path)
    estimator = _structural(tf, tmp_path / "model")
    evaluation = _trained(tf, estimator, reader, 60)
    (predictions,) = tuple(
        estimator.predict(
            input_fn=tf.contrib.timeseries.predict_continuation_input_fn(evaluation, steps=100)
        )
    )
    assert evaluation["times"][0].tolist() == times.tolist()
    np.testing.assert_allclose(evaluation["observed"][0, :, 0], values, rtol=1e-5)
    assert predictions["times"].tolist() == list(range(251, 351))
    mean, variance = predictions["mean"][:, 0], predictions["covariance"][:, 0, 0]
    expected = _trend_and_season(predictions["times"])
    away = lambda guess: np.sqrt(np.mean((guess - expected) ** 2))  # noqa: E731
    assert away(mean) < 0.2 * away(values[-1])
    assert away(mean) < 0.5 * away(np.tile(values[-50:], 2))
    assert np.mean(np.abs(mean - expected) < 2 * np.sqrt(variance)) > 0.95
    assert np.all(np.diff(variance[::10]) > 0)  # the further, the less is known
    # The parts: the level and its slope are the first two of the state, scaled as values are.
    level, slope = evaluation["start_tuple"][0][0, :2] * values.std()
    np.testing.assert_allclose(slope, 0.06, atol=0.02)
    np.testing.assert_allclose(level + values.mean(), 1.0 + 0.06 * 250, atol=1.0)


@pytest.mark.slow
def test_times_may_be_missing(tf: ModuleType, tmp_path: Path) -> None:
    """A third of the times, and a long gap: what lies in the gap is predicted through it."""
    rng = np.random.default_rng(1)
    times = np.arange(250)[rng.random(250) > 0.33]
    times = times[(times < 150) | (times > 180)]
    values = _trend_and_season(times) + 0.3 * rng.normal(size=len(times))
    reader = tf.contrib.timeseries.NumpyReader({"times": times, "values": values})
    estimator = _structural(tf, tmp_path, anomaly_prior_probability=0.01)
    evaluation = _trained(tf, estimator, reader, 50)
    after = int(np.argmax(times > 180))
    spread = evaluation["covariance"][0, :, 0, 0]
    assert spread[after] > 1.2 * spread[after - 1]
    assert abs(evaluation["mean"][0, after, 0] - _trend_and_season(times[after])) < 1.5
    assert evaluation["anomaly_score"].shape == (1, len(times))
    asked = np.array([[260, 270, 300]])
    (predictions,) = estimator.predict(
        tf.contrib.timeseries.predict_continuation_input_fn(evaluation, times=asked)
    )
    np.testing.assert_allclose(predictions["mean"][:, 0], _trend_and_season(asked[0]), atol=1.5)


@pytest.mark.slow
def test_known_changes_are_told(tf: ModuleType, tmp_path: Path) -> None:
    """Where a file says that the level jumps, uncertainty grows; elsewhere it stays."""
    rng, level, rows = np.random.default_rng(2), 0.0, []
    for time in range(100):
        jumps = time % 20 == 10
        level += 5 * rng.normal() if jumps else 0.0
        value = level + np.sin(2 * np.pi * time / 12) + 0.2 * rng.normal()
        rows.append((time, value, "yes" if jumps else "no"))
    path = _write(tmp_path / "changepoints.csv", rows, "time,value,is_changepoint")

    def condition(times: Any, features: Any) -> Any:
        del times
        return tf.equal(tf.squeeze(features["is_changepoint"], axis=-1), "yes")

    word = tf.feature_column.categorical_column_with_vocabulary_list(
        key="is_changepoint", vocabulary_list=["no", "yes"]
    )
    estimator = tf.contrib.timeseries.StructuralEnsembleRegressor(
        periodicities=12, cycle_num_latent_values=3, num_features=1,
        exogenous_feature_columns=[tf.feature_column.indicator_column(categorical_column=word)],
        exogenous_update_condition=condition, model_dir=str(tmp_path / "model"),
        optimizer=tf.train.AdamOptimizer(0.1),
        config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    names = (tf.contrib.timeseries.TrainEvalFeatures.TIMES,
             tf.contrib.timeseries.TrainEvalFeatures.VALUES, "is_changepoint")  # fmt: skip
    reader = tf.contrib.timeseries.CSVReader(
        path, column_names=names, column_dtypes=(tf.int64, tf.float32, tf.string),
        skip_header_lines=1,
    )  # fmt: skip
    windows = tf.contrib.timeseries.RandomWindowInputFn(
        reader, batch_size=4, window_size=32, shuffle_seed=1
    )
    estimator.train(input_fn=windows, steps=40)
    evaluation = estimator.evaluate(tf.contrib.timeseries.WholeDatasetInputFn(reader), steps=1)
    more = {"is_changepoint": [["no"] * 19 + ["yes"] + ["no"] * 10]}
    (predictions,) = estimator.predict(
        tf.contrib.timeseries.predict_continuation_input_fn(
            evaluation, steps=30, exogenous_features=more
        )
    )
    width = np.sqrt(predictions["covariance"][:, 0, 0])
    assert width[10] < 3 * width[0]
    assert width[19] > 1.5 * width[18]  # at once
    seen = np.sqrt(evaluation["covariance"][0, :, 0, 0])
    assert seen[30] > 5 * seen[29]
    assert seen[32] < 0.5 * seen[30]  # values tell where it is now


@pytest.mark.slow
def test_a_model_of_several_values_is_exported(tf: ModuleType, tmp_path: Path) -> None:
    """Draws go on one by one in a session; all at once, the model says the same of them."""
    rng = np.random.default_rng(3)
    mixed = rng.normal(size=(3, 3))
    values = np.cumsum(rng.normal(size=(60, 3)) @ mixed.T, 0)
    rows = ((time, *row) for time, row in enumerate(values))
    features = tf.contrib.timeseries.TrainEvalFeatures
    reader = tf.contrib.timeseries.CSVReader(
        _write(tmp_path / "level.csv", rows),
        column_names=((features.TIMES,) + (features.VALUES,) * 3),
    )
    estimator = tf.contrib.timeseries.StructuralEnsembleRegressor(
        periodicities=[], num_features=3, model_dir=str(tmp_path / "model"),
        config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    windows = tf.contrib.timeseries.RandomWindowInputFn(
        reader, batch_size=4, window_size=16, shuffle_seed=1
    )
    estimator.train(input_fn=windows, steps=10)
    whole = tf.contrib.timeseries.WholeDatasetInputFn(reader)
    start = current = estimator.evaluate(input_fn=whole, steps=1)
    receiver = estimator.build_raw_serving_input_receiver_fn()
    place = estimator.export_saved_model(str(tmp_path / "exported"), receiver)
    tools, drawn, likely = tf.contrib.timeseries.saved_model_utils, [], []
    with tf.Graph().as_default(), tf.Session() as session:
        signatures = tf.saved_model.loader.load(
            session, [tf.saved_model.tag_constants.SERVING], place
        )
        assert sorted(signatures.signature_def) == ["filter", "serving_default"]
        ahead = tools.predict_continuation(
            continue_from=start, signatures=signatures, session=session, steps=4
        )
        for _ in range(4):
            made = tools.predict_continuation(
                continue_from=current, signatures=signatures, session=session, steps=1
            )
            likely.append(made)
            drawn.append(rng.multivariate_normal(made["mean"][0, 0], made["covariance"][0, 0]))
            current = tools.filter_continuation(
                continue_from=current, signatures=signatures, session=session,
                features={features.TIMES: made["times"], features.VALUES: drawn[-1][None, None]},
            )  # fmt: skip
        together = tools.filter_continuation(
            continue_from=start, signatures=signatures, session=session,
            features={features.TIMES: [60, 61, 62, 63], features.VALUES: drawn},
        )  # fmt: skip
    assert [int(each["times"][0, 0]) for each in likely] == [60, 61, 62, 63]
    assert current["times"].tolist() == [[63]]
    for name in ("model_state_00", "model_state_01", "model_state_02"):
        np.testing.assert_allclose(current[name], together[name], rtol=1e-6, atol=1e-8)
    (predictions,) = estimator.predict(
        tf.contrib.timeseries.predict_continuation_input_fn(start, steps=4)
    )
    np.testing.assert_allclose(ahead["mean"][0], predictions["mean"], rtol=1e-6)
    np.testing.assert_allclose(ahead["covariance"][0], predictions["covariance"], rtol=1e-6)
    # Values seen since make the second prediction surer than it was from the start.
    assert np.trace(likely[1]["covariance"][0, 0]) < np.trace(ahead["covariance"][0, 1])
    with pytest.raises(ValueError, match="must be after the corresponding"):
        tools.predict_continuation(start, signatures, session, times=[[59]])


def test_a_model_of_a_program_with_a_cell(tf: ModuleType, tmp_path: Path) -> None:
    """A sequential model over an LSTM, imported from where TensorFlow keeps it."""
    from tensorflow.contrib.timeseries.python.timeseries import estimators as ts_estimators
    from tensorflow.contrib.timeseries.python.timeseries import head as ts_head
    from tensorflow.contrib.timeseries.python.timeseries import model as ts_model
    from tensorflow.contrib.timeseries.python.timeseries import state_management

    class LSTMModel(ts_model.SequentialTimeSeriesModel):  # type: ignore[name-defined]
        def __init__(self, num_units: int, num_features: int, dtype: Any = tf.float32) -> None:
            super().__init__(
                train_output_names=["mean"], predict_output_names=["mean"],
                num_features=num_features, dtype=dtype,
            )  # fmt: skip
            self._num_units = num_units

        def initialize_graph(self, input_statistics: Any = None) -> None:
            super().initialize_graph(input_statistics=input_statistics)
            self._cell = tf.nn.rnn_cell.LSTMCell(num_units=self._num_units)
            self._run = tf.make_template(
                name_="lstm_cell", func_=self._cell, create_scope_now_=True
            )
            self._out = tf.make_template(
                name_="predict_from_lstm_output", create_scope_now_=True,
                func_=lambda inputs: tf.layers.dense(inputs=inputs, units=self.num_features),
            )  # fmt: skip

        def get_start_state(self) -> tuple:
            zero = self._cell.zero_state(batch_size=1, dtype=self.dtype)
            return (tf.zeros([], dtype=tf.int64), tf.zeros([self.num_features], dtype=self.dtype),
                    [tf.squeeze(each, axis=0) for each in zero])  # fmt: skip

        def _transform(self, data: Any) -> Any:
            mean, variance = self._input_statistics.overall_feature_moments
            return (data - mean) / variance

        def _filtering_step(self, current_times, current_values, state, predictions):  # type: ignore[no-untyped-def]
            time, prediction, lstm = state
            with tf.control_dependencies([tf.assert_equal(current_times, time)]):
                seen = self._transform(current_values)
                predictions["loss"] = tf.reduce_mean((prediction - seen) ** 2, axis=-1)
                return (current_times, seen, lstm), predictions

        def _prediction_step(self, current_times, state):  # type: ignore[no-untyped-def]
            _, last, lstm = state
            output, lstm = self._run(inputs=last, state=lstm)
            new = self._out(output)
            mean, variance = self._input_statistics.overall_feature_moments
            return (current_times, new, lstm), {"mean": new * variance + mean}

        def _imputation_step(self, current_times, state):  # type: ignore[no-untyped-def]
            return state

        def _exogenous_input_step(self, current_times, current_exogenous_regressors, state):  # type: ignore[no-untyped-def]
            raise NotImplementedError("Exogenous inputs are not implemented for this example.")

    times = np.arange(100)
    phases = np.arange(5) / 2
    values = 2 + np.sin(2 * np.pi * times[:, None] / 20 + phases)
    rows = ((time, *row) for time, row in zip(times, values, strict=True))
    features = tf.contrib.timeseries.TrainEvalFeatures
    estimator = ts_estimators.TimeSeriesRegressor(
        model=LSTMModel(num_features=5, num_units=16),
        optimizer=tf.train.AdamOptimizer(0.02), model_dir=str(tmp_path / "model"),
        config=tf.estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    reader = tf.contrib.timeseries.CSVReader(
        _write(tmp_path / "multivariate_periods.csv", rows),
        column_names=((features.TIMES,) + (features.VALUES,) * 5),
    )
    windows = tf.contrib.timeseries.RandomWindowInputFn(
        reader, batch_size=4, window_size=32, shuffle_seed=1
    )
    estimator.train(input_fn=windows, steps=100)
    whole = tf.contrib.timeseries.WholeDatasetInputFn(reader)
    evaluation = estimator.evaluate(input_fn=whole, steps=1)
    (predictions,) = tuple(
        estimator.predict(
            input_fn=tf.contrib.timeseries.predict_continuation_input_fn(evaluation, steps=20)
        )
    )
    expected = 2 + np.sin(2 * np.pi * np.arange(100, 120)[:, None] / 20 + phases)
    away = lambda guess: np.mean((guess - expected) ** 2)  # noqa: E731
    assert away(predictions["mean"]) < 0.5 * away(values.mean(0))
    assert away(predictions["mean"]) < 0.3 * away(values[-1])
    assert callable(ts_head.time_series_regression_head)
    manager = state_management.ChainingStateManager(state_saving_interval=1)
    assert isinstance(manager, state_management.PassthroughStateManager)
