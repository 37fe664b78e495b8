"""Neural network ops beyond the registry's promises: values worked out by hand, names, errors."""

import math
from typing import Any

import numpy as np
import pytest

import minitf as tf

LOGITS = [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def near(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


# ---- activations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "at", "value", "slope"),
    [
        (tf.nn.relu, -2.0, 0.0, 0.0),
        (tf.nn.relu, 2.0, 2.0, 1.0),
        (tf.nn.relu, 0.0, 0.0, 0.0),
        (tf.nn.relu6, 7.0, 6.0, 0.0),
        (tf.nn.leaky_relu, -2.0, -0.4, 0.2),
        (tf.nn.elu, -1.0, math.exp(-1) - 1, math.exp(-1)),
        (tf.nn.selu, 1.0, 1.0507010, 1.0507010),
        (tf.nn.selu, -1.0, 1.7580993 * (math.exp(-1) - 1), 1.7580993 * math.exp(-1)),
        (tf.nn.softplus, 0.0, math.log(2), 0.5),
        (tf.nn.softplus, 100.0, 100.0, 1.0),
        (tf.nn.softplus, -100.0, 0.0, 0.0),
        (tf.nn.softsign, -3.0, -0.75, 1 / 16),
    ],
)
def test_activation(function: Any, at: float, value: float, slope: float) -> None:
    x = tf.constant([at])
    y = function(x)
    near(run([y, tf.gradients(y, x)[0]]), [[value], [slope]])


def test_names_and_types_of_activations() -> None:
    assert tf.nn.relu([1.0]).name == "Relu:0"
    assert tf.nn.relu([1.0], name="hidden").name == "hidden:0"
    assert run(tf.nn.relu([-1, 2])).dtype == np.int32
    assert run(tf.nn.crelu([[1.0, -2.0]])).tolist() == [[1.0, 0.0, 0.0, 2.0]]
    with pytest.raises(TypeError, match="Value passed to parameter 'features' has DataType string"):
        tf.nn.relu("a")


def test_softmax_sums_to_one_and_does_not_overflow() -> None:
    near(run(tf.nn.softmax(LOGITS)).sum(axis=1), [1.0, 1.0])
    near(run(tf.nn.softmax([[1000.0, 1000.0]])), [[0.5, 0.5]])
    near(run(tf.nn.log_softmax([[1000.0, 0.0]])), [[0.0, -1000.0]])


@pytest.mark.parametrize("shape", [(5,), (3, 4), (200, 10), (4, 300), (2, 3, 4)])
def test_softmax_of_any_width(shape: tuple) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    e = np.exp(x)
    near(run(tf.nn.softmax(x)), e / e.sum(axis=-1, keepdims=True))
    near(run(tf.nn.log_softmax(x)), np.log(e / e.sum(axis=-1, keepdims=True)))


def test_softmax_along_another_axis() -> None:
    near(run(tf.nn.softmax(LOGITS, axis=0)).sum(axis=0), [1.0] * 3)
    assert tf.nn.softmax(LOGITS, dim=1).op.type == "Softmax"
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax(LOGITS, axis=2)
    with pytest.raises(
        ValueError, match="Shape must be at least rank 1 but is rank 0 for 'Softmax"
    ):
        tf.nn.softmax(1.0)


# ---- biases ------------------------------------------------------------------------------


def test_bias_add() -> None:
    x, b = tf.ones([2, 3]), tf.constant([1.0, 2.0, 3.0])
    y = tf.nn.bias_add(x, b)
    assert y.name == "BiasAdd:0"
    assert run(y).tolist() == [[2.0, 3.0, 4.0]] * 2
    assert run(tf.gradients(y, b)[0]).tolist() == [2.0, 2.0, 2.0]
    images = tf.nn.bias_add(tf.zeros([1, 3, 2, 2]), b, data_format="NCHW")
    assert run(images)[0, :, 0, 0].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 4 for 'BiasAdd"):
        tf.nn.bias_add(x, tf.ones([4]))
    with pytest.raises(ValueError, match="data_format must be of the form"):
        tf.nn.bias_add(x, b, data_format="N")


def test_layers_in_one_call() -> None:
    x, w, b = tf.constant([[1.0, -1.0]]), tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.ones([2])
    assert run(tf.nn.xw_plus_b(x, w, b)).tolist() == [[-1.0, 2.0]]
    layer = tf.nn.relu_layer(x, w, b)
    assert layer.name == "relu_layer:0"
    assert run(layer).tolist() == [[0.0, 2.0]]


# ---- losses ------------------------------------------------------------------------------


def test_softmax_cross_entropy() -> None:
    logits, labels = tf.constant(LOGITS), tf.constant([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    assert loss.name == "softmax_cross_entropy_with_logits/Reshape_2:0"
    e = np.exp(LOGITS)
    p = e / e.sum(axis=1, keepdims=True)
    near(run(loss), [-math.log(p[0, 2]), math.log(3)])
    dlogits, dlabels = run(tf.gradients(loss, [logits, labels]))
    near(dlogits, p - [[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    near(dlabels, -np.log(p))


def test_the_old_cross_entropy_stops_at_the_labels() -> None:
    logits, labels = tf.constant(LOGITS), tf.nn.softmax(LOGITS)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert loss.name == "softmax_cross_entropy_with_logits_sg/Reshape_2:0"
    dlogits, dlabels = tf.gradients(loss, [logits, labels])
    assert dlabels is None
    near(run(dlogits), np.zeros((2, 3)))


@pytest.mark.parametrize("shape", [(None, 3), (2, None), (None, None), None], ids=str)
def test_cross_entropy_of_unknown_shapes(shape: Any) -> None:
    logits, labels = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    feed = {logits: LOGITS, labels: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]}
    near(run(loss, feed), [0.40760597, math.log(3)])


def test_cross_entropy_of_more_axes() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(2, 3, 4)).astype(np.float32)
    classes = rng.integers(0, 4, size=(2, 3))
    hot = np.eye(4, dtype=np.float32)[classes]
    dense = tf.nn.softmax_cross_entropy_with_logits_v2(labels=hot, logits=logits)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)
    moved = tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=hot.swapaxes(1, 2), logits=logits.swapaxes(1, 2), axis=1
    )
    expected = run(dense)
    assert expected.shape == (2, 3)
    near(run(sparse), expected)
    near(run(moved), expected)


def test_sparse_cross_entropy() -> None:
    logits, labels = tf.constant(LOGITS), tf.constant([2, 0])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert loss.op.name.startswith("SparseSoftmaxCrossEntropyWithLogits/SparseSoftmax")
    near(run(loss), [0.40760597, math.log(3)])
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Received a label value of 7 which is outside the valid range of \[0, 3\)",
    ):
        run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 7], logits=LOGITS))
    with pytest.raises(TypeError, match="Value passed to parameter 'labels' has DataType float32"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0.0, 1.0], logits=LOGITS)
    with pytest.raises(ValueError, match="Rank mismatch: Rank of labels"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0], [1]], logits=LOGITS)


def test_an_empty_batch_has_no_loss() -> None:
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int32, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    empty = {logits: np.zeros((0, 3)), labels: np.zeros(0, np.int32)}
    assert run(loss, empty).shape == (0,)


def test_sigmoid_cross_entropy() -> None:
    x, z = np.array([-100.0, 0.0, 2.0], np.float32), np.array([0.0, 1.0, 0.3], np.float32)
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
    assert loss.name == "logistic_loss:0"
    near(run(loss), [0.0, math.log(2), 2 - 0.6 + math.log1p(math.exp(-2))])
    weighted = tf.nn.weighted_cross_entropy_with_logits(z, x, 1.0)
    near(run(weighted), run(loss))
    with pytest.raises(ValueError, match="must have the same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=z[:2], logits=x)


def test_l2_loss_and_in_top_k() -> None:
    assert run(tf.nn.l2_loss([3.0, 4.0])) == 12.5
    hits = tf.nn.in_top_k([[0.1, 0.9, 0.5], [0.3, 0.3, 0.1]], [2, 1], 1)
    assert hits.name == "in_top_k/InTopKV2:0"
    assert run(hits).tolist() == [False, True]


# ---- normalization, embeddings -----------------------------------------------------------


def test_moments() -> None:
    x = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)
    mean, variance = tf.nn.moments(tf.constant(x), [0])
    assert [v.tolist() for v in run([mean, variance])] == [[2.0, 4.0], [1.0, 4.0]]
    mean, variance = tf.nn.moments(tf.constant(x), [0, 1], keep_dims=True)
    assert run(mean).tolist() == [[3.0]]


def test_l2_normalize() -> None:
    near(run(tf.nn.l2_normalize([3.0, 4.0])), [0.6, 0.8])
    near(run(tf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], dim=1)), [[0.6, 0.8], [0.0, 0.0]])


def test_embedding_lookup() -> None:
    table = tf.Variable([[3.0, 4.0], [0.1, 0.0]], name="table")
    rows = tf.nn.embedding_lookup(table, [[1], [0]])
    short = tf.nn.embedding_lookup([table], [0], max_norm=1.0)
    assert rows.name == "embedding_lookup/Identity:0"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        near(sess.run(rows), [[[0.1, 0.0]], [[3.0, 4.0]]])
        near(sess.run(short), [[0.6, 0.8]])
    with pytest.raises(ValueError):
        tf.nn.embedding_lookup(None, [0])


# ---- dropout -----------------------------------------------------------------------------


def test_dropout_keeps_the_mean() -> None:
    x = tf.ones([200, 50])
    y = tf.nn.dropout(x, keep_prob=0.8, seed=1)
    assert y.name == "dropout/mul_1:0"
    (gradient,) = tf.gradients(y, x)
    value, slope = run([y, gradient])
    assert set(np.unique(value).tolist()) == {0.0, np.float32(1.25)}
    assert abs(value.mean() - 1.0) < 0.02
    np.testing.assert_array_equal(value, slope)


def test_dropout_draws_anew_in_every_run() -> None:
    y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    with tf.Session() as sess:
        assert (sess.run(y) != sess.run(y)).any()


def test_dropout_by_rows() -> None:
    y = run(tf.nn.dropout(tf.ones([50, 4]), rate=0.5, noise_shape=[None, 1], seed=3))
    assert (y == y[:, :1]).all()
    assert 0.0 in y


def test_dropout_that_drops_nothing() -> None:
    x = tf.ones([3])
    assert tf.nn.dropout(x, keep_prob=1.0) is x
    keep = tf.placeholder(tf.float32)
    assert run(tf.nn.dropout(x, keep), {keep: 1.0}).tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "You must provide a rate to dropout."),
        ({"rate": 1.5}, r"a float in the range \[0, 1\), got 1.5"),
        ({"rate": 0.5, "keep_prob": 0.5}, "Cannot specify both 'keep_prob' and 'rate'"),
        ({"keep_prob": "x"}, r"keep_prob must be a floating point number or Tensor \(got 'x'\)"),
    ],
)
def test_dropout_errors(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.nn.dropout(tf.ones([3]), **arguments)
    with pytest.raises(ValueError, match="x has to be a floating point tensor"):
        tf.nn.dropout(tf.ones([3], tf.int32), rate=0.5)


def test_arguments_of_activations() -> None:
    leaky = tf.nn.leaky_relu([-1, 1])
    assert leaky.dtype == tf.float32
    np.testing.assert_allclose(tf.Session().run(leaky), [-0.2, 1.0])
    for function in (tf.nn.softmax, tf.nn.log_softmax):
        with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
            function(tf.ones([2, 3]), axis=1, dim=0)
