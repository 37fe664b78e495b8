from collections.abc import Iterator

import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


def test_concrete_functions_inside_of_graphs() -> None:
    square = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([], tf.float32))

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return square(x) + square(x + 1.0)

    assert outer(tf.constant(2.0)).numpy() == 13.0
