"""`tf.contrib.opt`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

opt = tf.contrib.opt


def _run(optimizer: tf.train.Optimizer, steps: int = 2, **options: object) -> list[np.ndarray]:
    w, b = tf.Variable([1.0, -2.0]), tf.Variable([3.0])
    train = optimizer.minimize(tf.reduce_sum(w * w) + tf.reduce_sum(b), **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(train)
        return sess.run([w, b])


@pytest.mark.parametrize("whole", [True, False])
def test_decay_stands_beside_the_gradient(whole: bool) -> None:
    with tf.Graph().as_default():
        base = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        w, b = _run(base(0.1, 0.05) if whole else base(weight_decay=0.1, learning_rate=0.05))
    expected_w, expected_b = np.array([1.0, -2.0]), np.array([3.0])
    for _ in range(2):
        expected_w = expected_w - 0.1 * expected_w - 0.05 * 2 * expected_w
        expected_b = expected_b - 0.1 * expected_b - 0.05
    np.testing.assert_allclose(w, expected_w, rtol=1e-6)
    np.testing.assert_allclose(b, expected_b, rtol=1e-6)


def test_adamw_without_decay_is_adam() -> None:
    with tf.Graph().as_default():
        np.testing.assert_allclose(
            _run(opt.AdamWOptimizer(0.0, 0.1))[0], _run(tf.train.AdamOptimizer(0.1))[0]
        )
        assert abs(_run(opt.MomentumWOptimizer(0.5, 0.0, 0.9), 1)[0][1]) == 1.0


def test_lazy_adam_leaves_rows_alone() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(np.ones([3, 2], np.float32))
        rows = tf.placeholder(tf.int32, [None])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, rows))
        train = opt.LazyAdamOptimizer(0.1).minimize(loss)
        sess.run(tf.global_variables_initializer())
        sess.run(train, {rows: [0, 1]})
        first = sess.run(table)
        sess.run(train, {rows: [1]})
        then = sess.run(table)
    np.testing.assert_array_equal(first[2], [1, 1])
    np.testing.assert_array_equal(then[0], first[0])  # Adam's moments would move it on
    assert (then[1] < first[1]).all()


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("resource", [False, True])
def test_adam_by_the_global_step(lazy: bool, resource: bool) -> None:
    """As Adam, from whichever step; only the lazy one leaves alone rows without a gradient."""
    kinds = (
        (opt.LazyAdamGSOptimizer, opt.LazyAdamOptimizer)
        if lazy
        else (opt.AdamGSOptimizer, tf.train.AdamOptimizer)
    )
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.train.get_or_create_global_step()
        tables = [tf.Variable(np.ones([3, 2], "f"), use_resource=resource) for _ in kinds]
        dense = [tf.Variable([1.0, 2.0], use_resource=resource) for _ in kinds]
        rows = tf.placeholder(tf.int32, [None])
        by_step, plain = kinds[0](step, 0.1), kinds[1](0.1)
        losses = [
            tf.reduce_sum(tf.nn.embedding_lookup(t, rows)) + tf.reduce_sum(d * d)
            for t, d in zip(tables, dense, strict=True)
        ]
        ours = by_step.minimize(losses[0], step, [tables[0], dense[0]])
        theirs = plain.minimize(losses[1], var_list=[tables[1], dense[1]])
        sess.run(tf.global_variables_initializer())
        assert len(by_step.variables()) == len(plain.variables()) - 2  # no powers
        for each in [0, 1], [1], [1]:
            sess.run([ours, theirs], {rows: each})
        (first, second), (third, fourth) = sess.run([tables, dense])
        np.testing.assert_allclose(first, second, rtol=1e-5)
        np.testing.assert_allclose(third, fourth, rtol=1e-5)
        sess.run(
            [
                step.assign(1000),
                dense[0].initializer,
                by_step.get_slot(dense[0], "m").initializer,
                by_step.get_slot(dense[0], "v").initializer,
            ]
        )
        sess.run(ours, {rows: [2]})
        g = np.array([2.0, 4.0])
        rate = 0.1 * np.sqrt(1 - 0.999**1001) / (1 - 0.9**1001)
        wanted = [1.0, 2.0] - rate * 0.1 * g / np.sqrt(0.001 * g * g)
        np.testing.assert_allclose(sess.run(dense[0]), wanted, rtol=1e-5)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_adagrad_whose_steps_need_not_count(sparse: bool, resource: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable([[3.0], [4.0]], use_resource=resource)
        optimizer = opt.RegAdagradOptimizer(1.0)
        slope: Any = tf.constant([[0.1], [0.2]])
        if sparse:
            slope = tf.IndexedSlices(slope, [0, 1])
        train = optimizer.apply_gradients([(slope, w)])
        with optimizer.avoid_updating_slots():
            shrink = optimizer.apply_gradients([(slope, w)])
        sess.run(tf.global_variables_initializer())
        kept, moved = optimizer.get_slot(w, "accumulator"), np.array([[3.0], [4.0]])
        sums, g = np.full([2, 1], 0.1), np.array([[0.1], [0.2]])
        for each in shrink, train, shrink:
            sums = sums + g * g * (each is train)
            moved = moved - g / np.sqrt(sums)
            sess.run(each)
            np.testing.assert_allclose(sess.run(kept), sums, rtol=1e-6)
        np.testing.assert_allclose(sess.run(w), moved, rtol=1e-6)


def test_scipys_optimizers() -> None:
    pytest.importorskip("scipy")
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.Variable([7.0, 7.0]), tf.Variable(2.0)
        loss = tf.reduce_sum((x - [1.0, 2.0]) ** 2) + y * y
        seen: list[float] = []
        sess.run(tf.global_variables_initializer())
        opt.ScipyOptimizerInterface(loss, options={"maxiter": 50}).minimize(
            sess, fetches=[loss], loss_callback=seen.append
        )
        np.testing.assert_allclose(sess.run(x), [1, 2], atol=1e-4)
        assert seen[-1] < seen[0] and abs(sess.run(y)) < 1e-4
        limited = opt.ScipyOptimizerInterface(loss, var_list=[x], inequalities=[x[0] - 3.0])
        limited.minimize(sess)
        np.testing.assert_allclose(sess.run(x), [3, 2], atol=1e-3)
        bounded = opt.ScipyOptimizerInterface(loss, [x], var_to_bounds={x: (-5.0, [0.5, 9.0])})
        bounded.minimize(sess)
        np.testing.assert_allclose(sess.run(x), [0.5, 2], atol=1e-3)


def _after(optimizer: tf.train.Optimizer, sparse: bool = False) -> np.ndarray:
    """[[1, 2], [3, 4]] after three steps of one gradient, which may be of the second row alone."""
    slope: object = tf.constant(SLOPE)
    if sparse:
        slope = tf.IndexedSlices(tf.constant(SLOPE[:1]), tf.constant([1]), tf.constant([2, 2]))
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    step = tf.train.create_global_step()
    train = optimizer.apply_gradients([(slope, variable)], global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        return sess.run(variable)


SLOPE = np.array([[0.1, -0.2], [0.3, 0.4]], "f")


@pytest.mark.parametrize("kind", ["AdaMax", "Nadam", "AddSign", "PowerSign"])
def test_variants_follow_their_formulas(kind: str) -> None:
    options = {"PowerSign": {"sign_decay_fn": opt.get_linear_decay_fn(10)}}.get(kind, {})
    w, g = np.array([[1.0, 2.0], [3.0, 4.0]]), SLOPE.astype("d")
    m: np.ndarray = np.zeros_like(g)
    v: np.ndarray = np.zeros_like(g)
    for t in (1, 2, 3):
        m = 0.9 * m + 0.1 * g
        if kind == "AdaMax":
            v = np.maximum(0.999 * v, abs(g))
            w = w - 0.001 / (1 - 0.9**t) * m / (v + 1e-8)
        elif kind == "Nadam":
            v = 0.999 * v + 0.001 * g * g
            rate = 0.001 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            w = w - rate * (0.9 * m + 0.1 * g) / (np.sqrt(v) + 1e-8)
        elif kind == "AddSign":
            w = w - 0.1 * (1 + np.sign(g) * np.sign(m)) * g
        else:
            w = w - 0.1 * np.exp((1 - (t - 1) / 10) * np.sign(g) * np.sign(m)) * g
    with tf.Graph().as_default():
        found = _after(getattr(opt, f"{kind}Optimizer")(**options))
        np.testing.assert_allclose(found, w, rtol=1e-6)
    with tf.Graph().as_default():
        rows = _after(getattr(opt, f"{kind}Optimizer")(**options), sparse=True)
        assert rows[0].tolist() == [1.0, 2.0]
        assert rows[1, 0] < 3.0 < 4.0 < rows[1, 1]


def test_lars_trusts_large_weights() -> None:
    with tf.Graph().as_default():
        found = _after(opt.LARSOptimizer(0.1, momentum=0.0, weight_decay=0.0, eeta=0.1))
    w = np.array([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(3):
        w = w - 0.1 * 0.1 * np.linalg.norm(w) / np.linalg.norm(SLOPE) * SLOPE
    np.testing.assert_allclose(found, w, rtol=1e-5)


def test_a_swapping_saver_writes_averages(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable(1.0, name="w")
        optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), 0.5)
        train = optimizer.minimize(2.0 * w)
        saver = optimizer.swapping_saver()
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, str(tmp_path / "model"))
        assert sess.run(w) == 0.0
        assert tf.train.load_variable(path, "w") == 0.5
        saver.restore(sess, path)
        assert sess.run(w) == 0.0


def test_around_other_optimizers() -> None:
    with tf.Graph().as_default():
        plain = tf.train.GradientDescentOptimizer(0.1)
        variable = tf.Variable([[3.0, 4.0]])
        clipped = opt.VariableClippingOptimizer(plain, {variable: [1]}, 1.0)
        train = clipped.apply_gradients([(tf.zeros([1, 2]), variable)])
        moving = tf.Variable(1.0)
        tasks = opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(1.0, 0.5))
        slope = tf.placeholder(tf.float32, [])
        turn = tasks.apply_gradients([(slope, moving)])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run(variable), [[0.6, 0.8]], rtol=1e-6)
            for value in (1.0, 0.0, 1.0):
                sess.run(turn, {slope: value})
            assert sess.run(moving) == 1.0 - 1.0 - 1.5  # the momentum waits for its turn


def test_a_scaled_loss_leaves_out_steps_that_are_not_finite() -> None:
    precision = tf.contrib.mixed_precision
    with tf.Graph().as_default(), tf.Session() as sess:
        manager = precision.ExponentialUpdateLossScaleManager(8.0, 2, 1, decr_ratio=0.5)
        x, slope = tf.Variable(1.0), tf.placeholder(tf.float32, [])
        plain = tf.train.MomentumOptimizer(0.5, 0.0)
        train = precision.LossScaleOptimizer(plain, manager).minimize(slope * x)
        sess.run(tf.global_variables_initializer())
        found = []
        for value in (1.0, 1.0, np.inf, 1.0):
            sess.run(train, {slope: value})
            found.append(sess.run([x, manager.get_loss_scale()]))
        assert found == [[0.5, 8.0], [0.0, 16.0], [0.0, 8.0], [-0.5, 8.0]]
