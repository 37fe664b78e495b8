"""Models of hidden states: the filter against whole normal laws, and each model's matrices."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import minitf as tf
from minitf.compat.contrib import kalman_filter, time_series
from minitf.compat.contrib import state_space as spaces
from minitf.compat.contrib import structural_series as structure
from minitf.compat.contrib import time_series_estimator as estimators

series = tf.contrib.timeseries
PLAIN = spaces.StateSpaceModelConfiguration(dtype=tf.float64)
EVAL, TRAIN = tf.estimator.ModeKeys.EVAL, tf.estimator.ModeKeys.TRAIN
A = np.array([[0.9, 0.3, 0.0], [-0.2, 0.8, 0.1], [0.0, 0.4, 0.5]])
G = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, -1.0]])
H = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, -1.0]])


class _Three(spaces.StateSpaceModel):
    """A state of three that is seen as two values."""

    def get_state_transition(self) -> Any:
        return A

    def get_noise_transform(self) -> Any:
        return G

    def get_observation_model(self, times: Any) -> Any:
        return H


def _law(
    times: np.ndarray, start: int, noise: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The covariances of all states at all times, and of what is seen: no filter, only sums."""
    last = times[-1] - start
    powers = [np.linalg.matrix_power(A, n) for n in range(last + 1)]
    q = G @ noise @ G.T
    # x[t] = A^t x[0] + sum of A^(t - s) G e[s]
    each = np.zeros((len(times), last + 1, 3, 3))
    for i, time in enumerate(times):
        for s in range(time - start + 1):
            each[i, s] = powers[time - start - s]
    spread = np.stack([np.eye(3)] + [q] * last)
    states = np.einsum("isab,sbc,jsdc->iajd", each, spread, each).reshape(3 * len(times), -1)
    observe = np.kron(np.eye(len(times)), H)
    return states, observe @ states @ observe.T + np.kron(np.eye(len(times)), seen)


def _randomly(sess: tf.Session, seed: int = 0) -> None:
    """Gives all that is trained other values."""
    rng = np.random.default_rng(seed)
    for variable in tf.trainable_variables():
        variable.load(rng.normal(size=variable.shape.as_list()), sess)


@pytest.mark.parametrize("simplified", [False, True])
def test_the_filter_is_the_whole_normal_law(graph: tf.Graph, simplified: bool) -> None:
    """Likelihood, predictions and belief, with gaps, as from one covariance of everything."""
    times = np.array([0, 1, 2, 5, 6, 12, 13])  # a start at -1
    values = np.random.default_rng(1).normal(size=(7, 2))
    model = _Three(PLAIN._replace(num_features=2, filtering_maximum_posterior_variance_ratio=1e12))
    model._kalman_filter = kalman_filter.KalmanFilter(tf.float64, simplified)
    model.initialize_graph()
    outputs = model.define_loss({"times": times[None], "values": values[None]}, EVAL)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _randomly(sess)
        noise, seen = sess.run([model.state_transition_noise_covariance, model._observation_noise])
        made, end, loss = sess.run([outputs.predictions, outputs.end_state, outputs.loss])
    states, observed = _law(times, -1, noise, seen)
    flat = values.ravel()
    expected = scipy.stats.multivariate_normal.logpdf(flat, np.zeros(14), observed)
    np.testing.assert_allclose(made["log_likelihood"].sum(), expected, rtol=1e-9)
    np.testing.assert_allclose(loss, -expected / 7, rtol=1e-9)
    for i in range(7):  # what is said of a time by those before it
        before, now = slice(0, 2 * i), slice(2 * i, 2 * i + 2)
        gain = observed[now, before] @ np.linalg.inv(observed[before, before])
        np.testing.assert_allclose(made["mean"][0, i], gain @ flat[before], atol=1e-9)
        spread = observed[now, now] - gain @ observed[before, now]
        np.testing.assert_allclose(made["covariance"][0, i], spread, atol=1e-9)
    across = states[-3:] @ np.kron(np.eye(7), H).T
    gain = across @ np.linalg.inv(observed)
    np.testing.assert_allclose(end[0][0], gain @ flat, atol=1e-9)
    np.testing.assert_allclose(end[1][0], states[-3:, -3:] - gain @ across.T, atol=1e-9)
    assert end[2] == [13]


def test_predictions_go_on_through_gaps(graph: tf.Graph) -> None:
    """A time is predicted alike, whether or not those before it are asked for."""
    model = _Three(PLAIN._replace(num_features=2))
    model.initialize_graph()
    state = (np.ones((2, 3)), np.stack([np.eye(3), 2 * np.eye(3)]), np.array([4, 7]))
    ask = lambda times: model.predict({"times": tf.constant(times), "start_tuple": state})  # noqa: E731
    every = ask(np.array([[5, 6, 7, 8, 9, 10], [8, 9, 10, 11, 12, 13]]))
    some = ask(np.array([[7, 10], [8, 13]]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        one, other = sess.run([every, some])
    for name in ("mean", "covariance"):
        np.testing.assert_allclose(other[name][0], one[name][0][[2, 5]], rtol=1e-10)
        np.testing.assert_allclose(other[name][1], one[name][1][[0, 5]], rtol=1e-10)
    expected = H @ np.linalg.matrix_power(A, 3) @ np.ones(3)
    np.testing.assert_allclose(other["mean"][0, 0], expected)


def test_the_gradient_of_the_likelihood(graph: tf.Graph) -> None:
    """By the noise and the first belief, against differences."""
    model = _Three(PLAIN._replace(num_features=2, trainable_start_state=True))
    model.initialize_graph()
    values = np.random.default_rng(2).normal(size=(2, 5, 2))
    features = {"times": np.array([[0, 1, 4, 5, 6], [2, 3, 4, 8, 9]]), "values": values}
    loss = model.define_loss(features, TRAIN).loss
    variables = tf.trainable_variables()
    gradients = tf.gradients(loss, variables)
    assert all(each is not None for each in gradients)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _randomly(sess)
        for variable, found in zip(variables, sess.run(gradients), strict=True):
            kept = sess.run(variable)
            direction = np.random.default_rng(3).normal(size=kept.shape)
            ends = []
            for step in (1e-5, -1e-5):
                variable.load(kept + step * direction, sess)
                ends.append(sess.run(loss))
            variable.load(kept, sess)
            slope = (ends[0] - ends[1]) / 2e-5
            np.testing.assert_allclose(
                np.sum(found * direction), slope, atol=1e-6, err_msg=variable.name
            )


def test_powers_of_a_step(graph: tf.Graph) -> None:
    noise = G @ G.T
    made = kalman_filter.transition_to_powers(A, noise, tf.constant([0, 1, 7, 2, 20], tf.int64))
    with tf.Session() as sess:
        powers, sums = sess.run(made)
    for n, power, total in zip([0, 1, 7, 2, 20], powers, sums, strict=True):
        each = [np.linalg.matrix_power(A, i) for i in range(n)]
        np.testing.assert_allclose(power, np.linalg.matrix_power(A, n), atol=1e-12)
        expected = sum((a @ noise @ a.T for a in each), np.zeros((3, 3)))
        np.testing.assert_allclose(total, expected, atol=1e-12)


def test_covariances_of_any_numbers(graph: tf.Graph) -> None:
    raw = np.random.default_rng(4).normal(size=(2, 3, 3))
    off, overall = np.array([0.5, -1.0]), np.array([1.0, 2.0])
    made = kalman_filter.sign_magnitude_positive_definite(raw, off, overall)
    clipped = kalman_filter.clip_covariance(tf.diag([1.0, 1e-3, 100.0]), 1e3, 0.5)
    blocks = kalman_filter.block_diagonal([np.ones((2, 1, 2)), 2 * np.ones((2, 2, 1))], tf.float64)
    prior = kalman_filter.log_noninformative_covariance_prior(tf.constant([[2.0, 0.5], [0.5, 3.0]]))
    with tf.Session() as sess:
        made, clipped, blocks, prior = sess.run([made, clipped, blocks, prior])
    for b in range(2):
        factor = np.zeros((3, 3))
        for i in range(3):
            factor[i, i] = np.exp((raw[b, i, i] + overall[b]) / 2)
            for j in range(i + 1, 3):
                sign = raw[b, j, i] / (1 + abs(raw[b, j, i]))
                factor[i, j] = sign * np.exp((raw[b, i, j] + overall[b] + off[b]) / 2)
        np.testing.assert_allclose(made[b], factor.T @ factor, rtol=1e-10)
    np.testing.assert_allclose(np.diag(clipped), [1.0, 0.5, 100.0])
    assert blocks.tolist() == [[[1, 1, 0], [0, 0, 2], [0, 0, 2]]] * 2
    np.testing.assert_allclose(prior, -1.5 * np.log(5.75), rtol=1e-5)


# ---- the models ----------------------------------------------------------------------------


def _matrices(sess: tf.Session, model: Any) -> list[np.ndarray]:
    found = (model.get_state_transition(), model.get_noise_transform(),
             model.get_observation_model(tf.constant([0])))  # fmt: skip
    return [np.asarray(sess.run(tf.convert_to_tensor(each, tf.float64))) for each in found]


@pytest.mark.parametrize(("count", "period"), [(5, 5), (5, 12), (3, 7.5), (7, 2.25)])
def test_cycles_come_around(graph: tf.Graph, count: int, period: float) -> None:
    """A wave sampled at a few places is the wave at all times; whole turns change nothing."""
    model = structure.ResolutionCycleModel(count, period, configuration=PLAIN)
    with tf.Session() as sess:
        transition, noise, observed = _matrices(sess, model)
        whole = _matrices(sess, structure.CycleStateSpaceModel(count, PLAIN))[0]
    wave = lambda t: 2 * np.cos(2 * np.pi * t / period + 0.4)  # noqa: E731
    # Values turn towards higher places: the one seen next stands last.
    state = wave(-np.arange(count - 1) * period / count)
    for time in range(20):
        np.testing.assert_allclose(observed @ state, wave(time), atol=1e-10)
        state = transition @ state
    turns = np.linalg.matrix_power(transition, int(4 * period))
    np.testing.assert_allclose(turns, np.eye(count - 1), atol=1e-10)
    np.testing.assert_allclose(np.linalg.matrix_power(whole, count), np.eye(count - 1), atol=1e-12)
    if period == count:
        np.testing.assert_allclose(transition, whole, atol=1e-12)
        np.testing.assert_array_equal(whole[0], -np.ones(count - 1))
    np.testing.assert_array_equal(noise[:, 0], observed)


def test_deviations_pass(graph: tf.Graph) -> None:
    """Autoregression of two values, and how long an echo lasts."""
    rng = np.random.default_rng(5)
    model = structure.VARMA(2, 1, PLAIN._replace(num_features=2))
    echo = structure.VARMA(0, 3, PLAIN)
    model._define_coefficients()
    with tf.variable_scope("echo"):
        echo._define_coefficients()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        ar, ma = 0.4 * rng.normal(size=(2, 2, 2)), np.array([0.2, 0.3, 0.5])
        model.ar_coefs.load(ar, sess)
        echo.ma_coefs.load(ma[:, None, None], sess)
        transition, _, observed = _matrices(sess, model)
        moves, noise, seen = _matrices(sess, echo)
    lag_1, lag_2 = rng.normal(size=2), rng.normal(size=2)
    state = np.concatenate([lag_1, lag_2])
    for _ in range(5):
        lag_1, lag_2 = ar[:, :, 0] @ lag_1 + ar[:, :, 1] @ lag_2, lag_1
        state = transition @ state
        np.testing.assert_allclose(observed @ state, lag_1)
    response = [(seen @ np.linalg.matrix_power(moves, n) @ noise)[0, 0] for n in range(5)]
    np.testing.assert_allclose(response, [1.2, 0.5, 0.3, 0.2, 0.0], atol=1e-12)


def test_an_ensemble_is_a_sum(graph: tf.Graph) -> None:
    """The blocks of a structure of two values, and their predictions."""
    ensemble = structure.StructuralEnsemble([4], 1, 0, configuration=PLAIN._replace(num_features=2))
    ensemble.initialize_graph()
    times = tf.constant([0, 1])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _randomly(sess)
        transition, model, noise = sess.run(
            [ensemble.get_state_transition(), ensemble.get_broadcasted_observation_model(times),
             ensemble.state_transition_noise_covariance]
        )  # fmt: skip
    assert transition.shape == (14, 14)  # 2 levels of 2, 2 blocks of 2, 2 cycles of 3
    np.testing.assert_array_equal(transition[:4, :4], np.kron(np.eye(2), [[1, 1], [0, 1]]))
    np.testing.assert_array_equal(model[0], model[1])
    first = [1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    second = [0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0]
    np.testing.assert_array_equal(model[0], [first, second])
    blocks = noise != 0
    expected = np.zeros((8, 8), bool)
    for part in (slice(0, 4), slice(4, 6), slice(6, 8)):  # each part has noise in common
        expected[part, part] = True
    np.testing.assert_array_equal(blocks, expected)
    assert np.all(np.linalg.eigvalsh(noise) > 0)
    with pytest.raises(ValueError, match="must equal the number of features"):
        spaces.StateSpaceCorrelatedFeaturesEnsemble(
            [structure.AdderStateSpaceModel()], PLAIN._replace(num_features=2)
        )
    with pytest.raises(ValueError, match="Only odd numbers"):
        structure.ResolutionCycleModel(4, 12)
    with pytest.raises(ValueError, match="Received length 2"):
        structure.MultiResolutionStructuralEnsemble([3, 5], 0, 0, [7])


def test_series_that_a_model_draws(graph: tf.Graph) -> None:
    """Many of them have the variances that the matrices say."""
    model = structure.AdderStateSpaceModel(configuration=PLAIN)
    model.initialize_graph()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        given = model.random_model_parameters(seed=1)
        given[model.state_transition_noise_covariance] = np.diag([0.5, 0.1])
        given[model.prior_state_mean] = np.array([3.0, 1.0])
        given[model._observation_noise] = np.array([[0.2]])
        made = model.generate(4000, 4, given, seed=2)
    assert made["times"][7].tolist() == [0, 1, 2, 3]
    n = np.arange(1, 5)
    np.testing.assert_allclose(made["values"].mean(0)[:, 0], 3 + n, atol=0.1)
    expected = 0.2 + 0.5 * n + 0.1 * (n - 1) * n * (2 * n - 1) / 6
    np.testing.assert_allclose(made["values"].var(0)[:, 0], expected, rtol=0.1)


def test_anomalies_count_less(graph: tf.Graph) -> None:
    """The trust is Bayes' rule of a normal law and Cauchy's of the same entropy."""
    detector = structure.StateInterpolatingAnomalyDetector(anomaly_prior_probability=0.05)
    mean, spread = np.zeros((3, 1)), np.full((3, 1, 1), 4.0)
    values = np.array([[0.5], [7.0], [50.0]])
    usual = scipy.stats.norm(0, 2).logpdf(values[:, 0])
    outputs = {
        "mean": tf.constant(mean),
        "covariance": tf.constant(spread),
        "log_likelihood": tf.constant(usual),
    }
    new, old, times = np.ones((3, 2)), np.zeros((3, 2)), np.array([5, 5, 5])
    (state, kept), made = detector.process_filtering_step(
        tf.constant(times), tf.constant(values), (tf.constant(old), tf.constant(times)),
        (tf.constant(new), tf.constant(times)), outputs,
    )  # fmt: skip
    with tf.Session() as sess:
        state, kept, made = sess.run([state, kept, made])
    scale = np.exp(scipy.stats.norm(0, 2).entropy()) / (4 * np.pi)  # log(4 pi s) is its entropy
    np.testing.assert_allclose(
        scipy.stats.cauchy(0, scale).entropy(), scipy.stats.norm(0, 2).entropy()
    )
    strange = 0.05 * scipy.stats.cauchy(0, scale).pdf(values[:, 0])
    plain = 0.95 * np.exp(usual)
    trust = plain / (plain + strange)
    np.testing.assert_allclose(state, np.stack([trust, trust], 1), rtol=1e-9)
    np.testing.assert_allclose(made["anomaly_score"], np.log(strange / plain), rtol=1e-9)
    expected = -(trust * np.log(plain) + (1 - trust) * np.log(strange))
    np.testing.assert_allclose(made["loss"], expected, rtol=1e-9)
    np.testing.assert_array_equal(kept, times)
    assert state[0, 0] > 0.9
    assert state[2, 0] < 1e-6


# ---- around the models ---------------------------------------------------------------------


def test_windows_go_on_from_kept_states(graph: tf.Graph) -> None:
    """Windows in turn are the whole series; one from inside jumps from the last state kept."""
    model = structure.AdderStateSpaceModel(configuration=PLAIN)
    model.initialize_graph()
    manager = estimators.ChainingStateManager(state_saving_interval=5)
    manager.initialize_graph(model)
    values = np.random.default_rng(6).normal(size=(20, 1)).cumsum(0)
    times = tf.placeholder(tf.int64, [None, None])
    window = {"times": times, "values": tf.gather(values, times)}
    outputs = manager.define_loss(model, window, EVAL)
    whole = {"times": np.arange(20)[None], "values": values[None]}
    expected = model.define_loss(whole, EVAL)
    gap = {name: array[:, [0, 1, 2, 3, 4, 8, 9]] for name, array in whole.items()}
    jumped = model.define_loss(gap, EVAL)
    steps = [outputs.predictions, outputs.end_state, outputs.loss]  # the loss keeps states
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _randomly(sess)
        parts = [sess.run(steps, {times: [range(start, start + 5)]})[0] for start in (0, 5, 10, 15)]
        made, end = sess.run([expected.predictions, expected.end_state])
        inside, at_end, _ = sess.run(steps, {times: [[8, 9]]})
        after_gap = sess.run(jumped.predictions)
        two = sess.run(steps, {times: [range(5, 10), range(15, 20)]})[0]
    for name in ("mean", "covariance", "log_likelihood"):
        joined = np.concatenate([part[name] for part in parts], 1)
        np.testing.assert_allclose(joined, made[name], rtol=1e-9)
        np.testing.assert_allclose(inside[name], after_gap[name][:, -2:], rtol=1e-9)
        np.testing.assert_allclose(two[name][0], made[name][0, 5:10], rtol=1e-9)
        np.testing.assert_allclose(two[name][1], made[name][0, 15:], rtol=1e-9)
    assert at_end[2] == [9]
    assert [np.shape(each) for each in end] == [(1, 2), (1, 2, 2), (1,)]


def test_what_is_known_of_a_series(graph: tf.Graph) -> None:
    """Of windows in any order: of all values, of the earliest window, and how long it may be."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(60, 2))
    times = 10 + 2 * np.arange(60)  # every second time
    fed = tf.placeholder(tf.int64, [None, None])
    features = {"times": tf.gather(times, fed), "values": tf.gather(values, fed)}
    made = time_series.InputStatisticsFromMiniBatch(2, tf.float64).initialize_graph(features)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        windows = [[range(20, 40), range(40, 60)], [range(20), range(10, 30)], [range(30, 50)]]
        for each in windows:
            found = sess.run(made, {fed: each})
    seen = values[[i for step in windows for window in step for i in window]]
    np.testing.assert_allclose(found.overall_feature_moments.mean, seen.mean(0))
    np.testing.assert_allclose(found.overall_feature_moments.variance, seen.var(0, ddof=1))
    np.testing.assert_allclose(found.series_start_moments.mean, values[:16].mean(0))
    np.testing.assert_allclose(found.series_start_moments.variance, values[:16].var(0))
    assert found.start_time == 10
    assert found.total_observation_count == 60  # 119 times, every second one


def test_predictions_are_on_the_scale_of_the_series() -> None:
    """Series in other units are the same series: means and covariances follow the units."""
    rng = np.random.default_rng(8)
    values, units, shift = rng.normal(size=(1, 12, 2)).cumsum(1), np.array([10.0, 0.1]), 5.0
    given = PLAIN._replace(num_features=2)
    made = []
    for scaled in (values, values * units + shift):
        features = {"times": np.arange(12)[None], "values": scaled}
        with tf.Graph().as_default(), tf.Session() as sess:
            model = structure.StructuralEnsemble([], 0, 0, configuration=given)
            tensors = {name: tf.constant(array) for name, array in features.items()}
            generator = time_series.InputStatisticsFromMiniBatch(2, tf.float64)
            model.initialize_graph(generator.initialize_graph(tensors))
            outputs = model.define_loss(tensors, EVAL).predictions
            sess.run(tf.global_variables_initializer())
            _randomly(sess)
            made.append(sess.run(outputs))
    one, other = made
    np.testing.assert_allclose(other["mean"], one["mean"] * units + shift, rtol=1e-6)
    expected = one["covariance"] * np.outer(units, units)
    np.testing.assert_allclose(other["covariance"], expected, rtol=1e-6)
    np.linalg.cholesky(other["covariance"])


def test_what_is_known_beside_tells_and_moves_a_state(graph: tf.Graph) -> None:
    given = PLAIN._replace(exogenous_noise_decreases=True)
    model = structure.AdderStateSpaceModel(configuration=given)
    model.initialize_graph()
    known = np.array([[0.5, -1.0]])
    before = np.array([[3, 0.5], [0.5, 1]])
    state = tuple(map(tf.constant, ([[1.0, 2.0]], before[None], [4])))
    state = tuple(map(tf.cast, state, (tf.float64, tf.float64, tf.int64)))
    after = model._exogenous_input_step(tf.constant([4]), tf.constant(known), state)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _randomly(sess)
        found = sess.run(after)
        dense = {each.name: sess.run(each) for each in tf.trainable_variables()}

    def layer(scope: str) -> np.ndarray:
        name = f"exogenous_noise_{scope}/fully_connected"
        return known[0] @ dense[f"{name}/weights:0"] + dense[f"{name}/biases:0"]

    def covariance(numbers: np.ndarray) -> np.ndarray:
        (a, b, c, d), off, overall = numbers[:4], numbers[4], numbers[5]
        corner = c / (1 + abs(c)) * np.exp((b + off + overall) / 2)
        factor = np.array([[np.exp((a + overall) / 2), corner], [0, np.exp((d + overall) / 2)]])
        return factor.T @ factor

    noise, value = covariance(layer("decreasing_covariance")), layer("decreasing_observation")
    told = np.linalg.inv(np.linalg.inv(before) + np.linalg.inv(noise))  # precisions add
    mean = told @ (np.linalg.solve(before, [1, 2]) + np.linalg.solve(noise, value))
    np.testing.assert_allclose(found[0][0], mean + layer("increasing_mean"))
    np.testing.assert_allclose(found[1][0], told + covariance(layer("increasing_covariance")))
    assert found[2] == [4]


def test_other_models_are_not_taken(tmp_path: Path) -> None:
    model = series.ARModel(7, 2, 1, 1)
    with pytest.raises(ValueError, match="only supports state space models"):
        structure.StateSpaceRegressor(model, model_dir=str(tmp_path))
