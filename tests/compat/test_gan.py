"""`tf.contrib.gan`: losses beside the numbers of TensorFlow's own tests, models that train."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

gan = tf.contrib.gan
REAL = [-5.0, 1.4, 12.5, 2.7]
GENERATED = [10.0, 4.4, -5.5, 3.6]


@pytest.mark.parametrize(
    ("kind", "of_generator", "of_discriminator", "names"),
    [
        (
            "least_squares",
            17.69625,
            41.73375,
            ("lsq_generator_loss/value", "lsq_discriminator_loss/add"),
        ),
        (
            "modified",
            1.38582,
            6.19637,
            ("generator_modified_loss/value", "discriminator_modified_loss/add_1"),
        ),
        (
            "minimax",
            -4.82408,
            6.19637,
            ("generator_minimax_loss/Neg", "discriminator_minimax_loss/add_1"),
        ),
        (
            "wasserstein",
            -3.125,
            0.225,
            ("generator_wasserstein_loss/value", "discriminator_wasserstein_loss/sub"),
        ),
    ],
)
def test_losses_of_outputs(
    kind: str, of_generator: float, of_discriminator: float, names: tuple
) -> None:
    losses = gan.losses.wargs
    real, generated = tf.constant(REAL), tf.constant(GENERATED)
    g = getattr(losses, f"{kind}_generator_loss")(generated)
    d = getattr(losses, f"{kind}_discriminator_loss")(real, generated)
    assert [g.op.name, d.op.name] == [name for name in names if name]
    heavy = getattr(losses, f"{kind}_discriminator_loss")(
        real, generated, real_weights=2.3, generated_weights=2.3, add_summaries=True,
        loss_collection="mine",
    )  # fmt: skip
    assert len(tf.get_collection("mine")) == 1
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 3
    each = getattr(losses, f"{kind}_generator_loss")(generated, reduction="none")
    assert each.shape == [4]
    with tf.Session() as sess:
        found = sess.run([g, d, heavy])
    expected = [of_generator, of_discriminator, 2.3 * of_discriminator]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_losses_of_classes() -> None:
    losses = gan.losses.wargs
    fake = [
        [10.0, 4.4, -5.5, 3.6],
        [-4.0, 4.4, 5.2, 4.6],
        [1.1, 2.4, -3.5, 5.6],
        [1.1, 2.4, -3.5, 5.6],
    ]
    real = [
        [-2.0, 0.4, 12.5, 2.7],
        [-1.2, 1.9, 12.3, 2.6],
        [-2.4, -1.7, 2.5, 2.7],
        [1.1, 2.4, -3.5, 5.6],
    ]
    labels = tf.one_hot([1, 2, 0, 0], 4)
    made = [
        losses.acgan_generator_loss(tf.constant(fake), labels),
        losses.acgan_discriminator_loss(tf.constant(real), tf.constant(fake), labels),
    ]
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(made), [3.84974, 9.43950], rtol=1e-5)


def _generator(noise: Any) -> Any:
    return tf.layers.dense(noise, 2, name="out", kernel_regularizer=tf.nn.l2_loss)


def _discriminator(data: Any, _: Any) -> Any:
    return tf.layers.dense(tf.layers.dense(data, 8, tf.nn.relu, name="hidden"), 1, name="out")


def _model() -> Any:
    return gan.gan_model(
        _generator, _discriminator, tf.random_normal([16, 2], 3.0), tf.random_normal([16, 2])
    )


def test_a_model_and_its_losses() -> None:
    model = _model()
    assert model.generator_scope.name == "Generator"
    names = [v.op.name for v in model.generator_variables]
    assert names == ["Generator/out/kernel", "Generator/out/bias"]
    assert len(model.discriminator_variables) == 4
    loss = gan.gan_loss(model, gradient_penalty_weight=1.0)
    plain = gan.losses.wargs.wasserstein_generator_loss(model.discriminator_gen_outputs)
    regular = tf.losses.get_regularization_loss()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found, expected, extra, d = sess.run([loss.generator_loss, plain, regular, loss[1]])
    np.testing.assert_allclose(found, expected + extra, rtol=1e-5)
    assert np.isfinite(d)
    with pytest.raises(ValueError, match="must be an `InfoGANModel`"):
        gan.gan_loss(model, mutual_information_penalty_weight=1.0)
    with pytest.raises(ValueError, match="`gradient_penalty_weight` must be greater than 0"):
        gan.gan_loss(model, gradient_penalty_weight=-1.0)
    with pytest.raises(ValueError, match="must be the same shape as real data"):
        gan.gan_model(_generator, _discriminator, tf.zeros([8, 2]), tf.zeros([4, 2]), "G", "D")
    with pytest.raises(ValueError, match="present in both the tuple and keyword args"):
        gan.losses.wasserstein_generator_loss(model, discriminator_gen_outputs=1.0)


def test_gradient_penalty_of_a_known_slope() -> None:
    penalty = gan.losses.wargs.wasserstein_gradient_penalty(
        tf.ones([5, 2]), tf.zeros([5, 2]), None, lambda x, _: tf.reduce_sum(3.0 * x, 1), "D"
    )
    one_sided = gan.losses.wargs.wasserstein_gradient_penalty(
        tf.ones([5, 2]), tf.zeros([5, 2]), None, lambda x, _: tf.reduce_sum(0.1 * x, 1), "E",
        one_sided=True,
    )  # fmt: skip
    with tf.Session() as sess:
        found = sess.run([penalty, one_sided])
    np.testing.assert_allclose(found, [(np.sqrt(18.0) - 1.0) ** 2, 0.0], rtol=1e-5)


def test_training_moves_what_is_generated(tmp_path: Path) -> None:
    tf.set_random_seed(3)
    model = _model()
    loss = gan.gan_loss(
        model, gan.losses.modified_generator_loss, gan.losses.modified_discriminator_loss
    )
    ops = gan.gan_train_ops(model, loss, tf.train.AdamOptimizer(0.02), tf.train.AdamOptimizer(0.02))
    hooks = [tf.train.StopAtStepHook(num_steps=150)]
    steps = gan.get_sequential_train_hooks(gan.GANTrainSteps(1, 2))
    last = gan.gan_train(ops, str(tmp_path), steps, hooks=hooks)
    assert last == 150
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, tf.train.latest_checkpoint(str(tmp_path)))
        assert sess.run(tf.train.get_global_step()) == 150
        centre = np.mean([sess.run(model.generated_data).mean(0) for _ in range(40)], 0)
    assert np.all(np.abs(centre - 3.0) < 2.0)


def test_steps_for_a_supervisor(tmp_path: Path) -> None:
    model = _model()
    loss = gan.gan_loss(model)
    ops = gan.gan_train_ops(
        model, loss, tf.train.GradientDescentOptimizer(0.0), tf.train.GradientDescentOptimizer(0.0)
    )
    step_fn = gan.get_sequential_train_steps()
    tf.contrib.slim.learning.train(
        ops, str(tmp_path), train_step_fn=step_fn, number_of_steps=3, log_every_n_steps=10
    )
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("-3")
    both = gan.get_joint_train_hooks(gan.GANTrainSteps(3, 5))(ops)
    assert [hook._train_steps for hook in both] == [3, 0, 2]


def test_models_that_tell_more() -> None:
    def with_classes(data: Any, _: Any) -> tuple:
        return tf.layers.dense(data, 1, name="a"), tf.layers.dense(data, 3, name="b")

    def with_noise(data: Any, _: Any) -> tuple:
        made = tf.layers.dense(data, 1, name="a")
        return made, [tf.distributions.Normal(tf.layers.dense(data, 1, name="b"), 1.0)]

    data, noise, labels = (
        tf.random_normal([4, 2]),
        tf.random_normal([4, 2]),
        tf.one_hot([0, 1, 2, 0], 3),
    )
    classes = gan.acgan_model(_generator, with_classes, data, noise, labels, "A", "B")
    told = gan.gan_loss(classes, aux_cond_generator_weight=0.5, aux_cond_discriminator_weight=0.5)
    info = gan.infogan_model(
        lambda noise: _generator(tf.concat(noise, 1)), with_noise, data, [noise],
        [tf.random_normal([4, 1])], "C", "D",
    )  # fmt: skip
    assert isinstance(info, gan.InfoGANModel)
    guessed = gan.gan_loss(
        info, mutual_information_penalty_weight=1.0,
        tensor_pool_fn=lambda values: gan.features.tensor_pool(values, 3),
    )  # fmt: skip
    there_and_back = lambda x: tf.layers.dense(x, 2, name="g")  # noqa: E731
    cycle = gan.cyclegan_model(
        there_and_back, lambda x, _: x[:, 0] * tf.get_variable("d", []), data, noise
    )
    there = gan.cyclegan_loss(cycle)
    ops = gan.gan_train_ops(cycle, there, *[tf.train.GradientDescentOptimizer(0.1)] * 2)
    assert len(ops.generator_train_op) == 2
    with pytest.raises(TypeError, match="must output a tuple"):
        gan.acgan_model(_generator, lambda x, _: 1.0, data, noise, labels, "E", "F")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run([told, guessed, there, ops.generator_train_op])
    assert np.all(np.isfinite(np.concatenate([np.ravel(each) for each in found])))


def test_an_estimator(tmp_path: Path) -> None:
    def input_fn() -> tuple:
        return tf.random_normal([16, 2]), tf.random_normal([16, 2], 3.0)

    def generator(noise: Any, mode: str) -> Any:
        modes.append(mode)
        return _generator(noise)

    modes: list[str] = []
    made = gan.estimator.GANEstimator(
        str(tmp_path), generator, _discriminator, gan.losses.wasserstein_generator_loss,
        gan.losses.wasserstein_discriminator_loss, tf.train.AdamOptimizer(0.01),
        lambda: tf.train.AdamOptimizer(0.01),
        add_summaries=gan.estimator.SummaryType.VARIABLES,
    )  # fmt: skip
    made.train(input_fn, steps=5)
    metrics = made.evaluate(input_fn, steps=2)
    assert {"generator_loss", "discriminator_loss", "loss", "global_step"} == set(metrics)
    assert metrics["global_step"] == 5
    rows = made.predict(lambda: tf.random_normal([3, 2]))
    assert np.shape([next(rows) for _ in range(3)]) == (3, 2)
    assert modes == ["train", "eval", "infer"]
    with pytest.raises(ValueError, match="generator_loss_fn must be callable"):
        gan.estimator.GANEstimator(str(tmp_path))


def test_a_pool_gives_older_values() -> None:
    count = tf.get_variable("count", [], tf.int32, tf.zeros_initializer())
    value = tf.identity(count.assign_add(1))
    pooled = gan.features.tensor_pool(value, 4, 1.0)
    assert gan.features.tensor_pool(value, 0) is value
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = [sess.run([value, pooled]) for _ in range(40)]
    assert [new == old for new, old in found[:4]] == [True] * 4
    assert all(old < new for new, old in found[4:])
    older = [old for _, old in found[4:]]
    assert len(set(older)) == len(older)  # each comes once


def test_conditions() -> None:
    x, labels = tf.zeros([3, 2, 2]), tf.one_hot([0, 1, 1], 5)
    with tf.variable_scope("a"):
        shifted = gan.features.condition_tensor_from_onehot(x, labels, 4)
    with pytest.raises(ValueError, match="conditioning must be at least 2D"):
        gan.features.condition_tensor(x, tf.zeros([3]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        rows = sess.run(shifted)
    np.testing.assert_array_equal(rows[1], rows[2])
    assert np.any(rows[0] != rows[1])


def test_weights_of_spectral_norm_1() -> None:
    tf.set_random_seed(4)  # with the two largest values close together 30 rounds are too few
    getter = gan.features.spectral_normalization_custom_getter(power_iteration_rounds=30)
    with tf.variable_scope("net", custom_getter=getter):
        made = tf.layers.dense(tf.eye(4), 3, use_bias=False)
        wide = tf.contrib.layers.conv2d(tf.ones([1, 5, 5, 2]), 3, 3)
    regularizer = gan.features.spectral_norm_regularizer(0.5, 30)
    matrix = tf.constant(np.random.default_rng(1).normal(size=(5, 4)), tf.float32)
    norm = regularizer(matrix)
    names = [v.op.name for v in tf.global_variables()]
    inside = "kernel/spectral_normalize/spectral_norm/spectral_norm_u"
    assert f"net/dense/net/dense/{inside}" in names  # the whole name, inside of the scope
    assert "net/dense/kernel" in [v.op.name for v in tf.trainable_variables()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        kernel, half, values, _ = sess.run([made, norm, matrix, wide])
    np.testing.assert_allclose(np.linalg.svd(kernel)[1][0], 1.0, rtol=1e-4)
    np.testing.assert_allclose(half, 0.5 * np.linalg.svd(values)[1][0], rtol=1e-3)
    with pytest.raises(ValueError, match="scale cannot be an integer"):
        gan.features.spectral_norm_regularizer(1)


def test_normalizing_by_a_reference() -> None:
    rng = np.random.default_rng(2)
    reference, batch = (rng.normal(2.0, 3.0, (6, 4, 5)).astype("f") for _ in range(2))
    vbn = gan.features.VBN(reference)
    made = vbn.reference_batch_normalization(), vbn(batch)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        own, other = sess.run(made)
    spread = np.sqrt(reference.var((0, 1)) + 1e-3)
    np.testing.assert_allclose(own, (reference - reference.mean((0, 1))) / spread, atol=1e-4)
    joined = np.concatenate([reference, batch[:1]])
    alone = (batch[0] - joined.mean((0, 1))) / np.sqrt(joined.var((0, 1)) + 1e-3)
    np.testing.assert_allclose(other[0], alone, atol=1e-4)


def test_scores() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(50, 4)), rng.normal(1.0, 2.0, (50, 4))
    logits = rng.normal(size=(40, 5)).astype("f")
    a, b = tf.constant(x), tf.constant(y)
    evaluate = gan.eval
    made = [
        evaluate.frechet_classifier_distance_from_activations(a, b),
        evaluate.frechet_classifier_distance_from_activations(a, a),
        evaluate.frechet_classifier_distance(a, b, lambda z: 2.0 * z, 5),
        evaluate.diagonal_only_frechet_classifier_distance_from_activations(a, b),
        evaluate.mean_only_frechet_classifier_distance_from_activations(a, b),
        evaluate.classifier_score_from_logits(tf.constant(logits)),
        evaluate.classifier_score(tf.constant(logits), lambda z: z, 4),
    ]
    with tf.Session() as sess:
        found = sess.run(made)
    means = np.sum((x.mean(0) - y.mean(0)) ** 2)
    c, d = np.cov(x.T), np.cov(y.T)
    roots = np.sqrt(np.linalg.eigvals(c @ d)).sum().real
    distance = means + np.trace(c + d) - 2 * roots
    diagonal = means + np.sum((x.std(0) - y.std(0)) ** 2)
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    score = np.exp((p * (np.log(p) - np.log(p.mean(0)))).sum(1).mean())
    expected = [distance, 0.0, 4 * distance, diagonal, means, score, score]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-8)


def test_images_to_look_at() -> None:
    images = tf.constant(np.arange(6 * 2 * 3 * 1).reshape(6, 2, 3, 1), tf.float32)
    grid = gan.eval.image_grid(images, (2, 3), (2, 3), 1)
    free = gan.eval.image_reshaper(images[:5], 2)
    assert grid.shape == [1, 4, 9, 1]
    assert free.shape == [1, 6, 6, 1]
    small = gan.eval.preprocess_image(tf.fill([4, 4, 3], 128), 8, 8)
    model = gan.gan_model(lambda z: z * 2.0, lambda x, _: tf.layers.flatten(x)[:, 0],
                          tf.ones([4, 3, 3, 1]), tf.ones([4, 3, 3, 1]))  # fmt: skip
    gan.eval.add_gan_model_image_summaries(model, 2)
    gan.eval.add_image_comparison_summaries(model, 2, True)
    merged = tf.summary.merge_all()
    with tf.Session() as sess:
        values, loose, zero, _ = sess.run([grid, free, small, merged])
    assert values[0, 2, 3:6, 0].tolist() == [24.0, 25.0, 26.0]
    assert loose[0, 4, 3:, 0].tolist() == [0.0, 0.0, 0.0]
    assert not zero.any()
    with pytest.raises(ValueError, match="incompatible with minibatch size"):
        gan.eval.image_grid(images, (2, 2))


def test_a_frozen_network_scores() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4, 4, 3], "in")
        tf.reduce_mean(x, [1, 2], name="out")
    made = gan.eval.run_inception(
        tf.ones([2, 4, 4, 3]), graph.as_graph_def(), image_size=4, input_tensor="in:0",
        output_tensor="out:0",
    )  # fmt: skip
    with tf.Session() as sess:
        assert sess.run(made).tolist() == [[1.0] * 3] * 2


def test_two_losses_of_one_steepness() -> None:
    w = tf.get_variable("w", [2], initializer=tf.constant_initializer(1.0))
    main, other = tf.reduce_sum(3.0 * w), tf.reduce_sum(2.0 * w)
    combine = gan.losses.wargs.combine_adversarial_loss
    made = [combine(main, other, weight_factor=0.5), combine(main, other, gradient_ratio=0.5),
            combine(main, other, weight_factor=0.0)]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(made), [8.0, 6.0 + 3.0 * 4.0, 6.0], rtol=1e-5)
    with pytest.raises(ValueError, match="cannot both be `None.`"):
        combine(main, other)
