"""The types that an editor shows for names of both kinds: `make check` has mypy read this file."""

from typing import assert_type

import minitf as tf
from minitf.core.graph.tensor import Tensor
from minitf.core.train.optimizers import AdamOptimizer

assert_type(tf.train.AdamOptimizer(0.1), AdamOptimizer)
assert_type(tf.mul(1.0, 2.0), Tensor)
assert_type(tf.nn.conv2d(1.0, 2.0), Tensor)
