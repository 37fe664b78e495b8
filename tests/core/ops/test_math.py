"""Elementwise ops beyond the registry's promises: dtypes, sums left out, error texts."""

from typing import Any

import pytest

import minitf as tf


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def test_no_sum_is_built_where_none_can_be_needed() -> None:
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    dx, dw = tf.gradients(x * w, [x, w])
    assert dx.op.type == "Mul"
    assert dw.op.type == "SumToShapeOf"
    (dx,) = tf.gradients(x * x, x)
    assert not [o for o in dx.graph.get_operations() if o.type == "SumToShapeOf" and o is not dw.op]


def _float(*shape: int, name: str = "x") -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name=name)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (
            lambda: _float() / tf.constant(1, tf.int32),
            TypeError,
            "x and y must have the same dtype, got tf.float32 != tf.int32",
        ),
        (
            lambda: tf.constant(True) / tf.constant(True),
            TypeError,
            "Invalid dtype tf.bool in __truediv__",
        ),
        (
            lambda: tf.logical_not(_float()),
            TypeError,
            "Input 'x' of 'LogicalNot' Op has type float32 that does not match expected type of "
            "bool.",
        ),
        (
            lambda: tf.atan2(_float(), tf.constant(1, tf.int32)),
            TypeError,
            "Input 'x' of 'Atan2' Op has type int32 that does not match type float32 of argument "
            "'y'.",
        ),
    ],
)
def test_error_texts(build: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        build()
    assert str(caught.value) == text
