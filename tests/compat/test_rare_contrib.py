"""Parts of `tf.contrib` that few programs used: drawn tensors, constraints, LSTMs over images."""

import numpy as np
import pytest

import minitf as tf
from minitf import contrib
from tests.graphs import sess as sess

st = contrib.bayesflow.stochastic_tensor
sg = contrib.bayesflow.stochastic_graph
ds = contrib.distributions
tfco = contrib.constrained_optimization


# ---- bayesflow -----------------------------------------------------------------------------


def test_a_stochastic_tensor_stands_where_a_tensor_is_wanted(sess):
    mean = tf.constant([[1.0, 2.0, 3.0]])
    with st.value_type(st.SampleValue(4)):
        drawn = st.StochasticTensor(ds.Normal(loc=mean, scale=1e-4))
    assert drawn.value().shape.as_list() == [4, 1, 3]
    assert drawn.distribution.loc is not None
    with st.value_type(st.MeanValue(stop_gradient=True)):
        fixed = st.StochasticTensor(ds.Normal(loc=mean, scale=2.0))
    assert tf.gradients(tf.reduce_sum(fixed.value()), [mean]) == [None]
    assert tf.gradients(tf.reduce_sum(tf.cast(drawn, tf.float32)), [mean])[0] is not None
    found = sess.run([tf.identity(drawn), tf.add(fixed, 1.0)])
    np.testing.assert_allclose(found[0][2], [[1.0, 2.0, 3.0]], atol=1e-2)
    np.testing.assert_allclose(found[1], [[2.0, 3.0, 4.0]])
    net = contrib.slim.fully_connected(fixed, 2)
    assert net.shape.as_list() == [1, 2]


def test_value_types_are_asked_for():
    with pytest.raises(ValueError, match="No value type currently set"):
        st.get_current_value_type()
    with pytest.raises(TypeError, match="must be a Distribution Value Type"), st.value_type(3):
        pass
    with pytest.raises(TypeError, match="dist must be an instance of Distribution"):
        st.StochasticTensor(3.0)


def test_the_surrogate_loss_has_the_gradient_of_what_is_expected(sess):
    tf.set_random_seed(1)
    logit = tf.constant(0.4)
    drawn = st.StochasticTensor(
        ds.Bernoulli(logits=tf.fill([4000], logit), dtype=tf.float32),
        loss_fn=contrib.bayesflow.stochastic_gradient_estimators.score_function,
    )
    losses = (drawn.value() - 0.2) ** 2
    assert tf.gradients(losses, [logit]) == [None]
    surrogate = sg.surrogate_loss([losses])
    found = sess.run(tf.gradients(surrogate, [logit])[0]) / 4000
    p = 1 / (1 + np.exp(-0.4))
    assert found == pytest.approx(p * (1 - p) * (0.8**2 - 0.2**2), abs=0.02)


def test_a_baseline_is_taken_off(sess):
    make = contrib.bayesflow.stochastic_gradient_estimators
    for loss_fn in (
        make.get_score_function_with_constant_baseline(2.0),
        make.get_score_function_with_advantage(lambda tensor, loss: loss - 2.0),
        make.get_score_function_with_baseline(lambda tensor, loss: tf.constant(2.0)),
    ):
        probability = tf.constant(0.3)
        drawn = st.StochasticTensor(ds.Bernoulli(probs=probability), loss_fn=loss_fn)
        term = drawn.loss(tf.constant(5.0))
        value, got = sess.run([drawn.value(), term])
        assert got == pytest.approx(3.0 * np.log(0.3 if value else 0.7), rel=1e-5)
    drawn = st.StochasticTensor(
        ds.Bernoulli(probs=0.3), loss_fn=make.get_score_function_with_baseline()
    )
    term = drawn.loss(tf.constant(5.0))
    sess.run(tf.global_variables_initializer())
    assert sess.run(term) == pytest.approx(0.0, abs=1e-5)  # the moving mean of one loss


def test_losses_depend_on_what_was_drawn_before_them(sess):
    one = st.StochasticTensor(ds.Bernoulli(probs=0.5, dtype=tf.float32))
    other = st.StochasticTensor(ds.Bernoulli(probs=0.25, dtype=tf.float32))
    first, second = one.value() + 3.0, one.value() * 0.0 + other.value() + 4.0
    whole = sg.surrogate_loss([first, second])
    a, b, l1, l2, got = sess.run([one.value(), other.value(), first, second, whole])
    log_b = np.log(0.25 if b else 0.75)
    assert got == pytest.approx(l1 + l2 + np.log(0.5) * (l1 + l2) + log_b * l2, rel=1e-5)
    assert a in (0, 1)


def test_what_is_observed_fits_its_distribution(sess):
    normal = ds.Normal(loc=tf.zeros([3]), scale=1.0)
    seen = st.ObservedStochasticTensor(normal, [1.0, 2.0, 3.0])
    assert sess.run(tf.identity(seen)).tolist() == [1.0, 2.0, 3.0]
    assert seen.loss(tf.constant(1.0)) is None
    with pytest.raises(ValueError, match=r"Rank of observed value \(0\) must be >= rank of a samp"):
        st.ObservedStochasticTensor(normal, 1.0)
    with pytest.raises(ValueError, match=r"Shape of observed value \(2,\) is incompatible with"):
        st.ObservedStochasticTensor(normal, [1.0, 2.0])
    with pytest.raises(ValueError, match="does not match type of distribution"):
        st.ObservedStochasticTensor(normal, [1, 2, 3])


def test_expectations_by_samples_have_gradients(sess):
    tf.set_random_seed(2)
    mc = contrib.bayesflow.monte_carlo
    mean = tf.constant(0.5)
    normal = ds.Normal(loc=mean, scale=1.0)
    samples = normal.sample(20000)
    for through in (True, False):
        value = mc.expectation(
            tf.square, samples, log_prob=normal.log_prob, use_reparametrization=through
        )
        got, slope = sess.run([value, tf.gradients(value, [mean])[0]])
        assert got == pytest.approx(1.25, abs=0.05)
        assert slope == pytest.approx(1.0, abs=0.1)
    wide = ds.Normal(loc=0.0, scale=2.0)
    weighed = mc.expectation_importance_sampler(tf.square, normal.log_prob, wide, n=20000)
    assert sess.run(weighed) == pytest.approx(1.25, abs=0.05)
    with pytest.raises(ValueError, match='exactly one of arguments "n" and "z"'):
        mc.expectation_importance_sampler(tf.square, normal.log_prob, wide)


# ---- constrained optimization --------------------------------------------------------------


class Problem(tfco.ConstrainedMinimizationProblem):
    """The point nearest to (3, 1) with x + y <= 2, and x <= 1 as steps with a smooth proxy."""

    def __init__(self, proxies=False):
        self.point = tf.Variable([0.0, 0.0], name="point")
        self.proxies = proxies

    @property
    def objective(self):
        return tf.reduce_sum(tf.square(self.point - [3.0, 1.0]))

    @property
    def constraints(self):
        x = self.point[0]
        return tf.stack(
            [tf.reduce_sum(self.point) - 2.0, tf.sign(x - 1.0) if self.proxies else x - 1.0]
        )

    @property
    def proxy_constraints(self):
        x = self.point[0]
        return tf.stack([tf.reduce_sum(self.point) - 2.0, x - 1.0]) if self.proxies else None


def sgd(rate):
    return tf.train.GradientDescentOptimizer(rate)


@pytest.mark.parametrize("make", [
    lambda: tfco.AdditiveExternalRegretOptimizer(sgd(0.02)),
    lambda: tfco.AdditiveExternalRegretOptimizer(sgd(0.02), sgd(0.1), 9.0),
    lambda: tfco.AdditiveSwapRegretOptimizer(sgd(0.02), sgd(0.02)),
    lambda: tfco.MultiplicativeSwapRegretOptimizer(sgd(0.02), sgd(0.05)),
])  # fmt: skip
def test_the_loss_is_least_where_constraints_hold(make, sess):
    problem = Problem()
    step = tf.train.get_or_create_global_step()
    train = make().minimize(problem, global_step=step)
    sess.run(tf.global_variables_initializer())
    mean = np.mean([(sess.run(train), sess.run(problem.point))[1] for _ in range(3000)][1500:], 0)
    np.testing.assert_allclose(mean, [1.0, 1.0], atol=0.06)
    assert sess.run(step) == 3000


def test_proxies_have_the_slope_and_constraints_the_say(sess):
    problem = Problem(proxies=True)
    train = tfco.AdditiveExternalRegretOptimizer(sgd(0.01)).minimize(problem)
    sess.run(tf.global_variables_initializer())
    mean = np.mean([(sess.run(train), sess.run(problem.point))[1] for _ in range(3000)][1500:], 0)
    np.testing.assert_allclose(mean, [1.0, 1.0], atol=0.1)


def test_constraints_can_wait(sess):
    problem, step = Problem(), tf.train.get_or_create_global_step()
    optimizer = tfco.AdditiveExternalRegretOptimizer(sgd(0.1))
    train = optimizer.minimize(problem, unconstrained_steps=40, global_step=step)
    sess.run(tf.global_variables_initializer())
    for _ in range(40):
        sess.run(train)
    np.testing.assert_allclose(sess.run(problem.point), [3.0, 1.0], atol=1e-2)
    with pytest.raises(ValueError, match="global_step cannot be None if unconstrained_steps"):
        optimizer.minimize(problem, unconstrained_steps=40)


def test_the_best_of_several_solutions():
    losses = np.array([1.0, 2.0, 3.0])
    violations = np.array([[0.5, -0.5, -1.0], [0.0, 0.2, -0.1]])
    assert tfco.find_best_candidate_index(losses, violations) == 2
    assert tfco.find_best_candidate_index(losses, violations, rank_objectives=True) == 0
    pytest.importorskip("scipy")
    best = tfco.find_best_candidate_distribution(losses, violations)
    np.testing.assert_allclose(best.sum(), 1.0)
    assert (violations @ best <= 1e-9).all()
    assert losses @ best < 3.0
    all_bad = tfco.find_best_candidate_distribution(losses[:2], [[1.0, 0.5]], epsilon=1e-6)
    np.testing.assert_allclose(all_bad, [0.0, 1.0], atol=1e-4)
    with pytest.raises(ValueError, match="objective_vector must have shape"):
        tfco.find_best_candidate_index([1.0], violations)


# ---- LSTMs over images ---------------------------------------------------------------------


@pytest.mark.parametrize("dynamic", [True, False])
def test_rows_are_read_from_both_sides(dynamic, sess):
    lstm1d = contrib.ndlstm.lstm1d
    sequence = tf.random_normal([5, 2, 3], seed=1)
    tf.set_random_seed(3)
    onwards = lstm1d.ndlstm_base(sequence, 4, scope="on", dynamic=dynamic)
    with tf.variable_scope("", reuse=True):
        turned = lstm1d.ndlstm_base(
            tf.reverse(sequence, [0]), 4, "on", reverse=True, dynamic=dynamic
        )
    sess.run(tf.global_variables_initializer())
    one, other = sess.run([onwards, turned])
    np.testing.assert_allclose(one, other[::-1], rtol=1e-5)
    cell = "rnn/basic_lstm_cell" if dynamic else "basic_lstm_cell"
    assert [v.op.name for v in tf.trainable_variables()] == [f"on/{cell}/kernel", f"on/{cell}/bias"]


def test_images_become_sequences_and_come_back(sess):
    lstm2d = contrib.ndlstm.lstm2d
    images = np.arange(2 * 3 * 4 * 2, dtype=np.float32).reshape(2, 3, 4, 2)
    there = lstm2d.images_to_sequence(tf.constant(images))
    assert there.shape.as_list() == [4, 6, 2]
    assert sess.run(there)[1, 5].tolist() == images[1, 2, 1].tolist()
    np.testing.assert_array_equal(sess.run(lstm2d.sequence_to_images(there, 2)), images)
    blocks = lstm2d.get_blocks(tf.constant(images), [2, 2])
    assert blocks.shape.as_list() == [2, 2, 2, 8]
    assert sess.run(blocks)[0, 0, 0].tolist() == [0, 8, 1, 9, 2, 10, 3, 11]
    assert sess.run(blocks)[0, 1, 1].tolist() == [20, 0, 21, 0, 22, 0, 23, 0]


def test_networks_of_lstms_have_their_shapes(sess):
    lstm2d, lstm1d = contrib.ndlstm.lstm2d, contrib.ndlstm.lstm1d
    images = tf.random_normal([2, 4, 6, 3])
    made = [
        lstm2d.separable_lstm(images, 5, [2, 2], nhidden=4),
        lstm2d.reduce_to_sequence(images, 5),
        lstm2d.reduce_to_final(images, 5, nhidden=3),
        lstm1d.sequence_softmax(tf.random_normal([4, 2, 3]), 5),
    ]
    sess.run(tf.global_variables_initializer())
    values = sess.run(made)
    assert [each.shape for each in values] == [(2, 2, 3, 5), (2, 6, 5), (2, 5), (4, 2, 5)]
    np.testing.assert_allclose(values[-1].sum(-1), 1.0, rtol=1e-5)
    with pytest.raises(ValueError, match="has to be known"):
        lstm2d.reduce_to_final(tf.placeholder(tf.float32, [None, 4, 6, 3]), 5)


# ---- periodic resampling -------------------------------------------------------------------


def test_depth_becomes_width_and_height(sess):
    resample = contrib.periodic_resample.periodic_resample
    values = np.arange(12).reshape(3, 4)
    assert sess.run(resample(values, [6, None])).tolist() == values.reshape(6, 2).tolist()
    assert sess.run(resample(values, [5, -1])).tolist() == values.reshape(6, 2)[:5].tolist()
    images = np.arange(2 * 2 * 3 * 8, dtype=np.float32).reshape(2, 2, 3, 8)
    grown = sess.run(
        resample(tf.placeholder_with_default(images, [None, 2, 3, 8]), [2, 4, 6, None])
    )
    expected = images.reshape(2, 2, 3, 2, 2, 2).transpose(0, 1, 4, 2, 3, 5).reshape(2, 4, 6, 2)
    np.testing.assert_array_equal(grown, expected)
    x = tf.constant(images)
    slope = tf.gradients(resample(x, [2, 4, 6, -1]) * tf.constant(expected), [x])[0]
    np.testing.assert_array_equal(sess.run(slope), images)


@pytest.mark.parametrize(("shape", "message"), [
    ([6, 2], "at least one index to be marked as adjustable"),
    ([None, None], "only one index to be marked as adjustable"),
    ([2, None], "Dimension 0 input tensor has size 3, desired shape has size 2"),
    ([6, None, 1], "to be the same as the length of the desired shape, 3"),
    ([30, None], "the adjustable dimension, 1, isn't greater than zero, 0"),
])  # fmt: skip
def test_shapes_that_cannot_be_are_refused(shape, message):
    with pytest.raises(ValueError, match=message):
        contrib.periodic_resample.periodic_resample(np.zeros([3, 4]), shape)


# ---- receptive fields ----------------------------------------------------------------------


def test_the_field_of_an_output_is_what_moves_it(sess):
    slim = contrib.slim
    x = tf.placeholder(tf.float32, [1, 41, 61, 1], name="x")
    ones = tf.ones_initializer()
    with slim.arg_scope([slim.conv2d], weights_initializer=ones, activation_fn=None):
        y = slim.conv2d(x, 1, [3, 5], stride=2, padding="VALID")
        y = slim.avg_pool2d(y, [2, 3], stride=[1, 2])
        y = slim.conv2d(y, 1, 3, rate=2, padding="VALID", scope="last")
    field = contrib.receptive_field.compute_receptive_field_from_graph_def(
        sess.graph.as_graph_def(), "x", y.op.name
    )
    sess.run(tf.global_variables_initializer())
    out_y, out_x = 2, 1
    slope = sess.run(tf.gradients(y[0, out_y, out_x, 0], [x])[0], {x: np.ones([1, 41, 61, 1])})
    rows, columns = (np.flatnonzero(slope[0, :, :, 0].any(axis)) for axis in (1, 0))
    width, height, stride_x, stride_y, pad_x, pad_y = field
    assert (width, height) == (columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1)
    assert (columns[0], rows[0]) == (out_x * stride_x - pad_x, out_y * stride_y - pad_y)
    centre = field.compute_input_center_coordinates([out_x, out_y])
    assert centre.tolist() == [columns.mean(), rows.mean()]
    assert field.compute_feature_coordinates(centre).tolist() == [out_x, out_y]


def test_branches_see_around_one_centre():
    rf = contrib.receptive_field
    x = tf.placeholder(tf.float32, [None, None, None, 1], name="x")
    kernel = lambda n: tf.ones([n, n, 1, 1])  # noqa: E731
    one = tf.nn.conv2d(x, kernel(1), 2, "VALID")
    three = tf.nn.conv2d(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), kernel(3), 2, "VALID")
    found = rf.compute_receptive_field_from_graph_def(x.graph, x, tf.add(one, three))
    assert list(found) == [3, 3, 2, 2, 1, 1]
    shifted = tf.nn.conv2d(x, kernel(3), 2, "VALID")
    with pytest.raises(ValueError, match="not aligned since center shift"):
        rf.compute_receptive_field_from_graph_def(x.graph, x, tf.add(one, shifted))
    with pytest.raises(ValueError, match="Unknown layer for operation 'Mean': Mean"):
        rf.compute_receptive_field_from_graph_def(x.graph, x, tf.reduce_mean(x))
    with pytest.raises(ValueError, match="Input node was not found: 'nothing'"):
        rf.compute_receptive_field_from_graph_def(x.graph, "nothing", one)


def test_padding_depends_on_the_size_of_the_input():
    rf = contrib.receptive_field
    x = tf.placeholder(tf.float32, [None, None, None, 1], name="x")
    y = tf.nn.conv2d(x, tf.ones([3, 3, 1, 1]), 2, "SAME", name="y")
    assert list(rf.compute_receptive_field_from_graph_def(x.graph, "x", "y"))[4:] == [None, None]
    found = rf.compute_receptive_field_from_graph_def(x.graph, "x", "y", input_resolution=[8, 9])
    assert list(found)[4:] == [0, 1]
    infos, nodes = rf.get_compute_order(x.graph.as_graph_def(), "x", [8, 9])
    assert (infos["x"].order, infos["y"].order, infos["y"].output_size) == (0, 1, [4, 5])
    assert nodes["y"].op == "Conv2D"
    assert y.shape.as_list() == [None, None, None, 1]
