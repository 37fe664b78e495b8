"""`tf.contrib.layers`: regularizers, initializers, layers, arg_scope, training steps."""

import numpy as np
import pytest

import minitf as tf

layers = tf.contrib.layers


def run(*tensors):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(tensors))


def names(variables):
    return [v.op.name for v in variables]


# ---- regularizers, initializers ------------------------------------------------------------


def test_a_scale_of_zero_adds_nothing():
    assert layers.l2_regularizer(0.0)(tf.ones([2])) is None
    tf.get_variable("v", [2], regularizer=layers.l1_regularizer(0.0))
    assert tf.losses.get_regularization_losses() == []


@pytest.mark.parametrize(
    ("scale", "message"),
    [(1, "scale cannot be an integer: 1"), (-0.5, "Setting a scale less than 0 on a regularizer")],
)
def test_scales_are_checked(scale, message):
    with pytest.raises(ValueError, match=message):
        layers.l2_regularizer(scale)


def test_apply_regularization_adds_up():
    tf.get_variable("a", [2], initializer=tf.ones_initializer(), collections=["weights"])
    b = tf.get_variable("b", [2], initializer=tf.ones_initializer())
    regularizer = layers.l1_regularizer(0.5)
    of_collection = layers.apply_regularization(regularizer)
    of_list = layers.apply_regularization(regularizer, [b, b])
    assert tf.losses.get_regularization_losses() == [of_collection, of_list]
    with tf.Session() as sess:
        sess.run([v.initializer for v in tf.get_collection("weights")] + [b.initializer])
        assert sess.run([of_collection, of_list]) == [1.0, 2.0]
    with pytest.raises(ValueError, match="rank 1"):
        layers.apply_regularization(lambda w: w, [b])


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize(("mode", "n"), [("FAN_IN", 300), ("FAN_OUT", 200), ("FAN_AVG", 250)])
def test_variance_scaling(uniform, mode, n):
    make = layers.variance_scaling_initializer(2.0, mode, uniform, seed=1)
    (drawn,) = run(make([3, 100, 200], dtype=tf.float64) if mode == "" else make([300, 200]))
    assert drawn.var() == pytest.approx(2.0 / n, rel=0.05)


def test_xavier_is_a_range_around_zero():
    w = tf.get_variable("w", [50, 70], initializer=layers.xavier_initializer())
    (drawn,) = run(w)
    limit = np.sqrt(6 / 120)
    assert 0.95 * limit < np.abs(drawn).max() <= limit


# ---- layers ----------------------------------------------------------------------------------


def test_names_and_collections_of_variables():
    x = tf.ones([2, 8, 8, 3])
    y = layers.conv2d(x, 4, 3)
    y = layers.max_pool2d(y, 2)
    y = layers.flatten(y)
    y = layers.fully_connected(y, 5, scope="fc", variables_collections={"weights": ["mine"]})
    y = layers.fully_connected(y, 5, activation_fn=None, biases_initializer=None)
    assert names(tf.global_variables()) == [
        "Conv/weights",
        "Conv/biases",
        "fc/weights",
        "fc/biases",
        "fully_connected/weights",
    ]
    assert tf.model_variables() == tf.global_variables()
    assert names(tf.get_collection("mine")) == ["fc/weights"]
    assert y.op.name == "fully_connected/MatMul"


def test_padding_is_same_and_a_relu_follows():
    y = layers.conv2d(-tf.ones([1, 4, 4, 1]), 2, [3, 3], weights_initializer=tf.ones_initializer())
    assert y.shape.as_list() == [1, 4, 4, 2] and y.op.type == "Relu"
    assert run(y)[0].max() == 0


def test_reuse_by_scope():
    x = tf.ones([2, 3])
    a = layers.fully_connected(x, 4, scope="fc")
    b = layers.fully_connected(x, 4, scope="fc", reuse=True)
    assert len(tf.global_variables()) == 2
    first, second = run(a, b)
    np.testing.assert_array_equal(first, second)


def test_arg_scope_gives_defaults():
    with tf.contrib.framework.arg_scope(
        [layers.fully_connected, layers.conv2d],
        activation_fn=tf.tanh,
        weights_regularizer=layers.l2_regularizer(0.1),
    ):
        y = layers.fully_connected(tf.ones([2, 3]), 4)
        z = layers.conv2d(tf.ones([1, 4, 4, 1]), 2, 3, activation_fn=None)
    assert (y.op.type, z.op.type) == ("Tanh", "BiasAdd")
    assert len(tf.losses.get_regularization_losses()) == 2
    assert layers.fully_connected(tf.ones([2, 3]), 4).op.type == "Relu"


def test_dropout_by_placeholder():
    training = tf.placeholder(tf.bool, [])
    y = layers.dropout(tf.ones([10, 100]), keep_prob=0.5, is_training=training)
    with tf.Session() as sess:
        assert sess.run(y, {training: False}).min() == 1.0
        assert set(np.unique(sess.run(y, {training: True}))) == {0.0, 2.0}


def test_embed_sequence_looks_up_rows():
    y = layers.embed_sequence([[1, 0], [2, 1]], vocab_size=3, embed_dim=4, scope="e")
    again = layers.embed_sequence([[0]], scope="e", reuse=True)
    assert names(tf.global_variables()) == ["e/embeddings"]
    rows, first = run(y, again)
    np.testing.assert_array_equal(rows[0, 0], rows[1, 1])
    np.testing.assert_array_equal(rows[0, 1], first[0, 0])


def test_one_hot_encoding():
    np.testing.assert_array_equal(
        run(layers.one_hot_encoding([1, 0], 3))[0], [[0, 1, 0], [1, 0, 0]]
    )


# ---- training --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "optimizer",
    ["SGD", "Momentum", tf.train.GradientDescentOptimizer, tf.train.GradientDescentOptimizer(0.1)],
)
def test_optimize_loss_takes_a_step(optimizer):
    v = tf.get_variable("v", initializer=2.0)
    step = tf.train.get_or_create_global_step()
    train = layers.optimize_loss(v * v, step, 0.1, optimizer)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(v) == pytest.approx(1.6) and sess.run(step) == 1


def test_optimize_loss_clips_gradients():
    v = tf.get_variable("v", initializer=2.0)
    train = layers.optimize_loss(v * v, None, 0.1, "SGD", clip_gradients=1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(v) == pytest.approx(1.9)


def test_optimize_loss_runs_updates_before():
    v, count = tf.get_variable("v", initializer=2.0), tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, count.assign_add(1.0))
    train = layers.optimize_loss(v * v, None, 0.1, "SGD")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([train])
        assert sess.run(count) == 1.0


def test_optimize_loss_checks_its_arguments():
    v = tf.get_variable("v", initializer=2.0)
    for rate, optimizer, message in (
        (-0.1, "SGD", "Invalid learning_rate"),
        (0.1, "Best", "Optimizer name should be one of"),
        (None, "SGD", "Learning rate is None"),
        (0.1, 3, "Unrecognized optimizer"),
    ):
        with pytest.raises(ValueError, match=message):
            layers.optimize_loss(v * v, None, rate, optimizer, name=f"a{len(message)}")


# ---- normalization -----------------------------------------------------------------------------


def test_batch_norm_lists_its_updates_or_runs_them():
    x = tf.constant([[1.0, 2.0], [3.0, 6.0]])
    layers.batch_norm(x, scope="a")
    assert names(tf.global_variables()) == ["a/beta", "a/moving_mean", "a/moving_variance"]
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
    layers.batch_norm(x, scope="b", updates_collections=["mine"])
    y = layers.batch_norm(x, scope="c", updates_collections=None, decay=0.5)
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
    assert len(tf.get_collection("mine")) == 2
    moving_mean = [v for v in tf.global_variables() if v.op.name == "c/moving_mean"][0]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(y), [[-1, -1], [1, 1]], atol=1e-3)
        np.testing.assert_allclose(sess.run(moving_mean), [1.0, 2.0])


def test_batch_norm_after_a_layer_takes_the_place_of_its_bias():
    y = layers.conv2d(
        tf.ones([2, 4, 4, 1]),
        3,
        3,
        normalizer_fn=layers.batch_norm,
        normalizer_params={"scale": True, "is_training": False},
    )
    assert y.op.type == "Relu"
    assert names(tf.trainable_variables()) == [
        "Conv/weights",
        "Conv/BatchNorm/gamma",
        "Conv/BatchNorm/beta",
    ]


def test_layer_norm_by_hand():
    x = np.random.default_rng(0).normal(2, 3, size=[2, 4, 5]).astype(np.float32)
    (y,) = run(layers.layer_norm(x))
    flat = x.reshape(2, -1)
    expected = (flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True)
    np.testing.assert_allclose(y, expected.reshape(x.shape), rtol=1e-4, atol=1e-5)
    assert [v.shape.as_list() for v in tf.trainable_variables()] == [[5], [5]]
    with pytest.raises(ValueError, match="must be < rank"):
        layers.layer_norm(x, begin_norm_axis=3)
