import numpy as np
import pytest

import minitf as tf
from minitf import contrib

slim = contrib.slim
IMAGES = np.random.RandomState(0).randn(16, 6, 6, 3).astype(np.float32)
LABELS = np.arange(16) % 4


def network(x, training=True, fused=None):
    """Two convolutions, one of them by channels, with a shortcut; a layer of matrices."""
    norm = {"is_training": training, "scale": True, "decay": 0.9, "fused": fused}
    with slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d, slim.fully_connected],
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
        activation_fn=tf.nn.relu6,
    ):
        first = slim.conv2d(x, 4, 3, stride=2, scope="first")
        apart = slim.separable_conv2d(first, None, 3, 1, activation_fn=None, scope="block/apart")
        joined = tf.nn.relu(tf.add(first, apart, name="block/add"), name="block/Relu")
        flat = slim.fully_connected(tf.reduce_mean(joined, [1, 2]), 5, scope="flat")
    return slim.fully_connected(flat, 4, activation_fn=None, scope="logits")


def built(training=True, fused=None):
    x = tf.placeholder(tf.float32, [None, 6, 6, 3], name="x")
    tf.set_random_seed(3)
    return x, network(x, training, fused)


def loss_of(logits):
    return tf.losses.sparse_softmax_cross_entropy(LABELS, logits)


def trained(folder, steps=30, **kwargs):
    """Trains, saves; returns the variables' values by name."""
    with tf.Graph().as_default():
        x, logits = built()
        loss = loss_of(logits)
        contrib.quantize.experimental_create_training_graph(**kwargs)
        train = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.02))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = [sess.run(train, {x: IMAGES}) for _ in range(steps)]
            tf.train.Saver().save(sess, str(folder / "model"))
            values = {each.op.name: sess.run(each) for each in tf.global_variables()}
    return losses, values


def test_what_is_rounded_has_the_names_of_tensorflow():
    with tf.Graph().as_default():
        loss_of(built()[1])
        contrib.quantize.create_training_graph(quant_delay=10)
        names = {v.op.name for v in tf.global_variables() if v.op.name.endswith(("/min", "_step"))}
    assert names >= {
        "fake_quantization_step",
        "first/weights_quant/min",
        "first/act_quant/min",
        "block/apart/weights_quant/min",
        "block/apart/conv_quant/min",
        "block/act_quant/min",
        "flat/act_quant/min",
        "logits/weights_quant/min",
        "logits/act_quant/min",
    }


@pytest.mark.parametrize("symmetric", [True, False])
def test_an_answering_graph_reads_what_training_learned(tmp_path, symmetric):
    losses, values = trained(tmp_path, weight_bits=4, symmetric=symmetric)
    assert losses[-1] < losses[0]
    if symmetric:
        ends = [values[f"logits/weights_quant/{each}"] for each in ("min", "max")]
        assert ends[0] == -ends[1]
    with tf.Graph().as_default() as graph:
        _, logits = built(training=False)
        contrib.quantize.experimental_create_eval_graph(weight_bits=4, symmetric=symmetric)
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, str(tmp_path / "model"))
            expected, weights = sess.run(
                [logits, graph.get_operation_by_name("first/Conv2D_Fold").inputs[1]],
                {"x:0": IMAGES},
            )
            frozen = tf.graph_util.convert_variables_to_constants(
                sess, graph.as_graph_def(), [logits.op.name]
            )
    steps = np.unique(weights)
    assert 4 < len(steps) <= 15
    widths = np.diff(steps) / np.diff(steps).min()
    np.testing.assert_allclose(widths, np.round(widths), atol=1e-4)
    assert 0.0 in steps
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        (again,) = tf.import_graph_def(frozen, return_elements=[logits.name], name="")
        np.testing.assert_allclose(sess.run(again, {"x:0": IMAGES}), expected, atol=1e-6)


def test_rounding_begins_after_its_delay():
    results = []
    for rounds in (False, True):
        with tf.Graph().as_default():
            x, logits = built()
            loss = loss_of(logits)
            if rounds:
                contrib.quantize.experimental_create_training_graph(weight_bits=2, quant_delay=3)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                results.append([sess.run(loss, {x: IMAGES}) for _ in range(5)])
    plain, rounded = results
    np.testing.assert_allclose(rounded[:2], plain[:2], rtol=1e-4)
    assert np.abs(np.array(rounded[2:]) - plain[2:]).min() > 1e-3


def test_frozen_statistics_stay(tmp_path):
    moving = "first/BatchNorm/moving_mean"
    _, early = trained(tmp_path, steps=3, freeze_bn_delay=5)
    _, frozen = trained(tmp_path, steps=8, freeze_bn_delay=5)
    _, later = trained(tmp_path, steps=12, freeze_bn_delay=5)
    assert not np.array_equal(early[moving], frozen[moving])
    np.testing.assert_array_equal(later[moving], frozen[moving])


def test_a_scope_is_rounded_alone():
    with tf.Graph().as_default():
        built()
        contrib.quantize.experimental_create_training_graph(scope="block")
        names = {v.op.name.split("/")[0] for v in tf.global_variables() if "_quant/" in v.op.name}
    assert names == {"block"}


def test_gradients_come_afterwards():
    with tf.Graph().as_default():
        tf.train.AdamOptimizer().minimize(loss_of(built()[1]))
        with pytest.raises(ValueError, match="Training op found in graph, exiting {'ApplyAdam'}"):
            contrib.quantize.create_training_graph()


def test_a_graph_that_answers_is_not_folded_as_one_that_trains():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 4, 4, 3])
        y = tf.layers.conv2d(x, 4, 3, use_bias=False, name="layer")
        tf.nn.relu(tf.nn.fused_batch_norm(y, tf.ones([4]), tf.zeros([4]))[0])
        with pytest.raises(ValueError, match="layer/Conv2D keeps no moving average of"):
            contrib.quantize.create_training_graph()


def test_layers_of_keras_are_rounded():
    with tf.Graph().as_default():
        layers = tf.keras.layers
        x = tf.keras.Input([6, 6, 3])
        y = layers.Conv2D(4, 3, activation="relu", name="conv")(x)
        layers.Dense(2, name="dense")(layers.Flatten()(y))
        contrib.quantize.create_eval_graph()
        names = [v.op.name for v in tf.global_variables() if v.op.name.endswith("_quant/max")]
    assert names == [
        "conv/weights_quant/max",
        "conv/act_quant/max",
        "dense/weights_quant/max",
        "dense/act_quant/max",
    ]


@pytest.mark.parametrize("bits", [4, 8])
def test_rounded_tensors_have_tensorflows_names(bits):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        contrib.layers.fully_connected(tf.constant(IMAGES[:, 0, 0]), 8, scope="fc")
        contrib.quantize.experimental_create_training_graph(graph, weight_bits=bits)
        sess.run(tf.global_variables_initializer())
        weights = sess.run("fc/weights_quant/FakeQuantWithMinMaxVars:0")
        low, high = sess.run(["fc/weights_quant/min:0", "fc/weights_quant/max:0"])
    steps = weights / ((high - low) / (2**bits - 2))  # one step less: a narrow range
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)
    assert 4 < len(np.unique(weights)) < 2**bits


def test_a_sum_behind_the_activation_of_a_sum_is_rounded():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 6, 6, 3])
        y = tf.layers.conv2d(x, 3, 1, name="block/conv")
        y = tf.nn.relu(tf.add(x, y, name="block/add"), name="block/Relu")
        tf.add(y, x, name="late/add")
        contrib.quantize.create_eval_graph()
        names = {v.op.name for v in tf.global_variables() if v.op.name.endswith("_quant/min")}
    assert names == {
        "block/conv/weights_quant/min",
        "block/conv/conv_quant/min",
        "block/act_quant/min",
        "late/post_activation_bypass_quant/min",
    }
