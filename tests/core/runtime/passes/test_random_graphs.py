"""Random graphs give the same values with all passes and with none.

Sizes are unknown while the graph is built; what is fed may have one row where another has five, so
that what looks equal is stretched, and numbers may be zeros, ones, infinities and NaN.
"""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.compiled import load_compiled

UNARY = (
    tf.nn.relu, tf.tanh, tf.sigmoid, tf.square, tf.exp, tf.negative, tf.identity, tf.abs,
    lambda x: x * 1.0, lambda x: x + 0.0, lambda x: x / 1.0, lambda x: x**2.0, lambda x: x**3.0,
    lambda x: 2.0 * (x * 0.5), lambda x: -(x * 3.0), lambda x: tf.reshape(x, tf.shape(x)),
    lambda x: tf.cast(x, tf.float32), lambda x: tf.transpose(tf.transpose(x)),
    lambda x: tf.nn.softmax(x), lambda x: tf.reduce_sum(x, 1, keepdims=True) + x,
    lambda x: tf.reduce_mean(x, 0) * x, lambda x: tf.where(x > 0.1, x, 0.5 * x),
    lambda x: tf.clip_by_value(x, -1.0, 1.5), lambda x: tf.stop_gradient(x) * x,
    lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0),
    lambda x: tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * 0.5 + x), (0, x))[1],
)  # fmt: skip
BINARY = (
    tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference,
    lambda x, y: tf.add_n([x + y, x + y]), lambda x, y: x / (1.0 + tf.square(y)),
    lambda x, y: tf.where(x > y, x + y, x - y),
    lambda x, y: tf.matmul(x, tf.matmul(x, y, transpose_a=True)),
)  # fmt: skip
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 1e9], np.float32)


def build(rng: np.random.Generator) -> tuple[list, list, list]:
    """Feeds, fetches and updates of one random graph."""
    feeds = [tf.placeholder(tf.float32, [None, 3], name=f"x{i}") for i in range(2)]
    weights = [tf.Variable(rng.normal(size=s).astype(np.float32)) for s in ((3, 3), (3,), (1, 3))]
    values: list[Any] = [*feeds, tf.matmul(feeds[0], weights[0]) + weights[1], weights[2] + 0.0]
    for _ in range(rng.integers(4, 14)):
        if rng.random() < 0.6:
            values.append(UNARY[rng.integers(len(UNARY))](values[rng.integers(len(values))]))
        else:
            one, other = (values[rng.integers(len(values))] for _ in range(2))
            values.append(BINARY[rng.integers(len(BINARY))](one, other))
    loss = tf.reduce_mean(values[-1]) + tf.reduce_sum(values[-2]) * 0.1 + tf.reduce_sum(values[2])
    slopes = [g for g in tf.gradients(loss, [*feeds, *weights]) if g is not None]
    fetched = [values[i] for i in rng.integers(0, len(values), 3)] + [loss, *slopes]
    optimizers = (
        tf.train.GradientDescentOptimizer(0.01),
        tf.train.AdamOptimizer(0.01),
        tf.train.MomentumOptimizer(0.01, 0.9),
    )
    update = optimizers[rng.integers(3)].minimize(loss)
    return feeds, fetched, [update, *weights]


def run(level: int, seed: int, large: Any = ()) -> list[Any]:
    """What the random graph gives on several feeds, before and after updates."""
    rng = np.random.default_rng(seed)
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = level
    results: list[Any] = []
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        feeds, fetched, (update, *weights) = build(rng)
        session.run(tf.global_variables_initializer())
        for rows in ((4, 4), (1, 4), (4, 1), (1, 1), (0, 0), (40, 40), (2, 3), *large):
            given = [rng.normal(size=(n, 3)).astype(np.float32) * 0.5 for n in rows]
            if rows == (40, 40):
                given[0][rng.integers(0, 40, 9), rng.integers(0, 3, 9)] = SPECIAL
            feed = dict(zip(feeds, given, strict=True))
            try:
                results += session.run(fetched, feed)
                if rows == (4, 4):
                    for _ in range(3):
                        session.run(update, feed)
                    results += session.run(weights)
                    results += session.run([*weights, update, *fetched], feed)[:-1]
            except tf.errors.InvalidArgumentError as error:
                results.append(type(error).__name__)
    return results


def compare(seed: int, large: Any = ()) -> None:
    with np.errstate(all="ignore"):
        plain = run(tf.OptimizerOptions.L0, seed, large)
        rewritten = run(tf.OptimizerOptions.L1, seed, large)
    assert len(plain) == len(rewritten)
    for one, other in zip(plain, rewritten, strict=True):
        if one is None or isinstance(one, str):
            assert one == other
        else:
            assert one.shape == other.shape and one.dtype == other.dtype
            scale = 1e-5 * np.max(np.abs(one[np.isfinite(one)]), initial=1.0)
            np.testing.assert_allclose(other, one, rtol=2e-4, atol=scale)


@pytest.mark.parametrize("seed", range(60))
def test_passes_change_no_value(seed: int) -> None:
    compare(seed)


@pytest.mark.parametrize("seed", range(100, 112))
def test_nor_do_compiled_kernels_on_large_arrays(seed: int) -> None:
    load_compiled()
    compare(seed, large=((50_000, 50_000), (1, 50_000)))
