"""The losses and metrics of `tf.contrib`: predictions first, and weights for whole examples."""

import numpy as np
import pytest

import minitf as tf
from minitf import contrib

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
Y = np.array([[1, 0, 3], [1, 5, 0]], np.float32)  # apart by 0 2 0 and 3 0 6


def test_too_many_weights_are_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Weights of rank 3"):
        contrib.losses.mean_squared_error(X, Y, np.ones([2, 3, 4], np.float32))
