"""Initializers: their names in the graph, what their scale depends on, their errors."""

import math
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.variables.initializers import compute_fans


def _draw(initializer: Any, shape: list[int], dtype: tf.DType = tf.float32) -> np.ndarray:
    with tf.Session() as sess:
        return sess.run(initializer(shape, dtype))


def test_short_values_are_continued_and_identities_may_be_wide() -> None:
    filled = _draw(tf.constant_initializer([1.0, 2.0]), [2, 2])
    assert filled.tolist() == [[1.0, 2.0], [2.0, 2.0]]
    identity = _draw(tf.initializers.identity(2.0), [2, 3])
    assert identity.tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]


@pytest.mark.parametrize(
    ("initializer", "operation"),
    [
        (tf.zeros_initializer(), "zeros"),
        (tf.ones_initializer(), "ones"),
        (tf.constant_initializer(3.0), "Const"),
        (tf.random_normal_initializer(), "random_normal"),
        (tf.truncated_normal_initializer(), "truncated_normal"),
        (tf.random_uniform_initializer(), "random_uniform"),
        (tf.glorot_normal_initializer(), "truncated_normal"),
        (tf.glorot_uniform_initializer(), "random_uniform"),
        (tf.variance_scaling_initializer(), "truncated_normal"),
    ],
)
def test_names(initializer: Any, operation: str) -> None:
    v = tf.get_variable("v", [2, 2], initializer=initializer)
    assert v.initial_value.name == f"v/Initializer/{operation}:0"


@pytest.mark.parametrize(
    ("initializer", "stddev", "limit"),
    [
        (tf.initializers.lecun_uniform(seed=1), 100**-0.5, 0.17321),
        (tf.initializers.lecun_normal(seed=1), 100**-0.5, 0.2274),
        (tf.initializers.he_normal(seed=1), 50**-0.5, 0.3216),
        (
            tf.variance_scaling_initializer(3.0, "fan_out", "untruncated_normal", seed=1),
            (3 / 200) ** 0.5,
            math.inf,
        ),
    ],
)
def test_distributions(initializer: Any, stddev: float, limit: float) -> None:
    """100 inputs, 200 outputs: 20,000 draws estimate the deviation to about half a percent."""
    values = _draw(initializer, [100, 200])
    assert values.std() == pytest.approx(stddev, rel=0.03)
    assert values.mean() == pytest.approx(0.0, abs=0.03 * stddev)
    assert abs(values).max() <= limit


@pytest.mark.parametrize(
    ("shape", "fans"),
    [([], (1, 1)), ([7], (7, 7)), ([3, 5], (3, 5)), ([2, 4, 3, 5], (24, 40))],
)
def test_fans(shape: list[int], fans: tuple[int, int]) -> None:
    assert compute_fans(shape) == fans


@pytest.mark.parametrize("shape", [[4, 4], [6, 3], [3, 6], [2, 3, 4]])
def test_orthogonal(shape: list[int]) -> None:
    values = _draw(tf.orthogonal_initializer(gain=2.0), shape).reshape(-1, shape[-1])
    if values.shape[0] < values.shape[1]:
        values = values.T
    np.testing.assert_allclose(values.T @ values, 4 * np.eye(values.shape[1]), atol=1e-5)


def test_errors() -> None:
    with pytest.raises(TypeError, match="^Invalid type for initial value: <class 'object'>"):
        tf.constant_initializer(object())
    with pytest.raises(ValueError, match="^`scale` must be positive float.$"):
        tf.variance_scaling_initializer(scale=0.0)
    with pytest.raises(ValueError, match="Invalid `mode` argument:"):
        tf.variance_scaling_initializer(mode="fan")
    with pytest.raises(ValueError, match="Invalid `distribution` argument:"):
        tf.variance_scaling_initializer(distribution="gamma")
    with pytest.raises(ValueError, match="^Expected floating point type, got "):
        tf.random_normal_initializer(dtype=tf.int32)
    with pytest.raises(ValueError, match="^The tensor to initialize must be at least two-dim"):
        tf.orthogonal_initializer()([3])
    with pytest.raises(ValueError, match="can only be used for 2D matrices.$"):
        tf.initializers.identity()([3])


def test_config() -> None:
    initializer = tf.variance_scaling_initializer(2.0, "fan_out", "uniform", seed=3)
    config = initializer.get_config()
    assert config == {
        "scale": 2.0, "mode": "fan_out", "distribution": "uniform", "seed": 3, "dtype": "float32",
    }  # fmt: skip
    assert tf.variance_scaling_initializer.from_config(config).get_config() == config
    assert tf.glorot_uniform_initializer(seed=1).get_config() == {"seed": 1, "dtype": "float32"}

    class Scaled(tf.variance_scaling_initializer):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, "fan_out", "uniform", 3)

    assert Scaled(2.0).get_config() == config
