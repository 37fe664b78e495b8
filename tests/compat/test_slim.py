"""`tf.contrib.slim`: its networks, its training and evaluation, and its data through queues."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf

slim = tf.contrib.slim
nets = slim.nets


# ---- networks -----------------------------------------------------------------------------------


def _parameters() -> int:
    return sum(v.shape.num_elements() for v in slim.get_model_variables())


@pytest.mark.parametrize(
    ("base", "scope", "size", "parameters", "points"),
    [  # the counts that TensorFlow's own tests of these networks state
        (
            nets.inception.inception_v3_base,
            nets.inception.inception_v3_arg_scope,
            299,
            21802784,
            18,
        ),
    ],
)
def test_inception(base: object, scope: object, size: int, parameters: int, points: int) -> None:
    with slim.arg_scope(scope()):
        net, end_points = base(tf.placeholder(tf.float32, [1, size, size, 3]))
    assert (_parameters(), len(end_points)) == (parameters, points)
    assert net.shape.as_list()[1:3] == [7, 7] if size == 224 else [8, 8]


def test_inception_small_images_and_scaled_depths() -> None:
    images = tf.zeros([2, 150, 150, 3])
    with slim.arg_scope(nets.inception.inception_v3_arg_scope()):
        logits, points = nets.inception.inception_v3(images, 7, depth_multiplier=0.5)
    assert logits.shape == [2, 7] and points["Mixed_7c"].shape == [2, 3, 3, 1024]
    with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
        nets.inception.inception_v3(images, 7, depth_multiplier=-1.0)


@pytest.mark.parametrize("version", [1, 2])
def test_resnet(version: int) -> None:
    module = getattr(nets, f"resnet_v{version}")
    name = f"resnet_v{version}_50"
    with slim.arg_scope(module.resnet_arg_scope()):
        net, points = getattr(module, name)(tf.zeros([2, 65, 65, 3]), 10, is_training=False)
        dense, _ = getattr(module, name)(
            tf.zeros([2, 65, 65, 3]), None, global_pool=False, output_stride=8, reuse=True
        )
    assert net.op.name == f"{name}/logits/BiasAdd" and net.shape == [2, 1, 1, 10]
    assert dense.shape == [2, 9, 9, 2048]
    assert points[f"{name}/block2"].shape == [2, 5, 5, 512]
    assert points["predictions"].shape == net.shape


def test_dense_features_are_those_of_the_strided_network() -> None:
    """Wider windows in place of strides give the same numbers, and more of them."""
    block = nets.resnet_v1.resnet_v1_block
    blocks = [block("b1", 1, 3, 2), block("b2", 2, 2, 2), block("b3", 4, 2, 1)]
    image = tf.constant(np.random.default_rng(0).normal(size=[1, 81, 81, 3]).astype(np.float32))
    with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
        options = {"is_training": False, "global_pool": False, "scope": "r"}
        strided, _ = nets.resnet_v1.resnet_v1(image, blocks, **options)
        dense, _ = nets.resnet_v1.resnet_v1(image, blocks, output_stride=4, reuse=True, **options)
        with pytest.raises(ValueError, match="multiple of 4"):
            nets.resnet_v1.resnet_v1(image, blocks, output_stride=6, reuse=True, **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        few, many = sess.run([strided, dense])
    np.testing.assert_allclose(many[:, ::4, ::4], few, rtol=1e-4, atol=1e-4)


# ---- layers -------------------------------------------------------------------------------------


def test_layers_and_their_variables() -> None:
    x = tf.constant(np.arange(2 * 4 * 4 * 6, dtype=np.float32).reshape(2, 4, 4, 6))
    mixed = slim.separable_conv2d(x, 5, 3, depth_multiplier=2, scope="s")
    alone = slim.separable_conv2d(x, None, 3, scope="d")
    groups, each = slim.group_norm(x, groups=3), slim.instance_norm(x)
    assert (mixed.shape, alone.shape) == ((2, 4, 4, 5), (2, 4, 4, 6))
    assert [v.op.name for v in slim.get_model_variables()] == [
        "s/depthwise_weights", "s/pointwise_weights", "s/biases", "d/depthwise_weights",
        "d/biases", "GroupNorm/beta", "GroupNorm/gamma", "InstanceNorm/beta", "InstanceNorm/gamma",
    ]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        by_groups, by_each, most = sess.run([groups, each, slim.maxout(x, 2)])
    np.testing.assert_allclose(by_each.mean((1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(by_each.std((1, 2)), 1, atol=1e-5)
    np.testing.assert_allclose(by_groups.reshape(2, 16, 3, 2).mean((1, 3)), 0, atol=1e-5)
    np.testing.assert_array_equal(most[0, 0, 0], [2, 5])
    with pytest.raises(ValueError, match="Invalid groups 7 for 6 channels"):
        slim.group_norm(x, groups=7)


def test_end_points() -> None:
    utils = tf.contrib.layers.utils
    net = slim.conv2d(tf.zeros([1, 4, 4, 1]), 2, 3, outputs_collections="ends", scope="a/b")
    assert utils.convert_collection_to_dict("ends") == {"a/b": net}
    assert utils.last_dimension(net.shape, min_rank=4) == 2
    assert utils.two_element_tuple(3) == (3, 3)
    with pytest.raises(ValueError, match="rank of shape must be at least 5"):
        utils.last_dimension(net.shape, min_rank=5)


# ---- training and evaluation --------------------------------------------------------------------


def _loss() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(16, 4)).astype(np.float32)
    y = tf.constant((x.sum(1, keepdims=True) > 0).astype(np.float32))
    p = slim.fully_connected(slim.batch_norm(tf.constant(x)), 1, activation_fn=tf.sigmoid)
    slim.losses.log_loss(p, y)
    return slim.losses.get_total_loss(), p, y


def test_train_then_evaluate(tmp_path: Path) -> None:
    loss, predicted, labels = _loss()
    tf.summary.scalar("loss", loss)
    train_op = slim.learning.create_train_op(
        loss, tf.train.GradientDescentOptimizer(1.0), clip_gradient_norm=4,
        summarize_gradients=True, gradient_multipliers={"fully_connected/weights": 2.0},
    )  # fmt: skip
    last = slim.learning.train(train_op, str(tmp_path), number_of_steps=40, trace_every_n_steps=1)
    assert last < 0.3 and (tmp_path / "tf_trace-1.json").exists()
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-40")
    moved = tf.train.load_variable(str(tmp_path), "BatchNorm/moving_variance")
    assert not np.array_equal(moved, np.ones(4))  # UPDATE_OPS ran
    values, updates = slim.metrics.aggregate_metric_map(
        {"accuracy": slim.metrics.streaming_accuracy(tf.round(predicted), labels)}
    )
    measured = slim.evaluation.evaluation_loop(
        "", str(tmp_path), str(tmp_path / "eval"), num_evals=2, eval_op=list(updates.values()),
        final_op=values, max_number_of_evaluations=1, eval_interval_secs=0,
    )  # fmt: skip
    assert measured["accuracy"] > 0.9
    assert list((tmp_path / "eval").glob("events*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number_of_steps": 0}, "`number_of_steps` must be either None or a positive number"),
        ({"saver": 1}, "Cannot provide saver because logdir=None"),
        ({"trace_every_n_steps": 1}, "Cannot provide trace_every_n_steps because logdir=None"),
        ({"train_op": None}, "train_op cannot be None"),
    ],
)
def test_what_training_refuses(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        slim.learning.train(**{"train_op": tf.constant(1.0), "logdir": None, **options})


# ---- data ---------------------------------------------------------------------------------------


def test_boxes_and_sparse_items() -> None:
    d = slim.tfexample_decoder
    floats = [tf.train.Feature(float_list=tf.train.FloatList(value=v)) for v in ([1, 2], [3, 4])]
    places = tf.train.Feature(int64_list=tf.train.Int64List(value=[0, 3]))
    feature = {"ymin": floats[0], "xmin": floats[1], "ymax": floats[1], "xmax": floats[0]}
    example = tf.train.Example(features=tf.train.Features(feature={**feature, "indices": places}))
    keys = {name: tf.VarLenFeature(tf.float32) for name in feature}
    keys["indices"] = tf.VarLenFeature(tf.int64)
    items = {
        "boxes": d.BoundingBox(),
        "dense": d.SparseTensor("indices", "ymin", shape=[5], densify=True),
        "twice": d.ItemHandlerCallback("xmin", lambda tensors: tensors["xmin"].values * 2),
    }
    decoded = d.TFExampleDecoder(keys, items).decode(tf.constant(example.SerializeToString()))
    with tf.Session() as sess:
        boxes, dense, twice = sess.run(decoded)
    np.testing.assert_array_equal(boxes, [[1, 3, 3, 1], [2, 4, 4, 2]])
    np.testing.assert_array_equal(dense, [1, 0, 0, 2, 0])
    np.testing.assert_array_equal(twice, [6, 8])


def test_what_a_model_holds_is_listed(capsys: pytest.CaptureFixture) -> None:
    layer = slim.conv2d(tf.zeros([2, 8, 8, 3]), 4, [5, 5], scope="c")
    assert slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=True) == (
        304,
        1216,
    )
    assert capsys.readouterr().out.splitlines() == [
        "---------",
        "Variables: name (type shape) [size]",
        "---------",
        "c/weights:0 (float32_ref 5x5x3x4) [300, bytes: 1200]",
        "c/biases:0 (float32_ref 4) [4, bytes: 16]",
        "Total size of variables: 304",
        "Total bytes of variables: 1216",
    ]
    assert slim.model_analyzer.tensor_description(layer) == "(float32 2x8x8x4)"
    assert slim.model_analyzer.analyze_ops(tf.get_default_graph()) > 304
