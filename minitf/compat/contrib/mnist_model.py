"""`tensorflow.examples.tutorials.mnist.mnist`: a network of two hidden layers for MNIST.

images -> inference -> logits -> loss -> training        one step of gradient descent
                              -> evaluation              how many of the batch are right
"""

from __future__ import annotations

import math

from minitf.core.graph import dtypes
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.cast import cast, to_int64
from minitf.core.ops.linalg import matmul
from minitf.core.ops.random import truncated_normal
from minitf.core.ops.reductions import reduce_sum
from minitf.core.train.optimizers import GradientDescentOptimizer
from minitf.core.variables.variables import Variable
from minitf.library.losses import sparse_softmax_cross_entropy
from minitf.library.nets.activations import relu
from minitf.library.nets.cross_entropy import in_top_k
from minitf.library.summary.summary import scalar

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Tensor, hidden1_units: int, hidden2_units: int) -> Tensor:
    """Builds the network.

    Args:
      images: [n, IMAGE_PIXELS].
      hidden1_units, hidden2_units: the widths of the hidden layers.
    Returns: logits [n, NUM_CLASSES].
    """
    hidden1 = relu(_linear("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = relu(_linear("hidden2", hidden1, hidden1_units, hidden2_units))
    return _linear("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def _linear(scope: str, x: Tensor, inputs: int, outputs: int) -> Tensor:
    with name_scope(scope):
        start = truncated_normal([inputs, outputs], stddev=1.0 / math.sqrt(inputs))
        weights = Variable(start, name="weights")
        biases = Variable(zeros([outputs]), name="biases")
        return matmul(x, weights) + biases


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean cross entropy of logits [n, NUM_CLASSES] and labels [n]."""
    return sparse_softmax_cross_entropy(labels=to_int64(labels), logits=logits)


def training(loss: Tensor, learning_rate: float) -> object:
    """The operation of a step of gradient descent, which counts in `global_step`.

    Args:
      loss: what to lower; a summary shows it.
      learning_rate: the length of the steps.
    """
    scalar("loss", loss)
    global_step = Variable(0, name="global_step", trainable=False)
    return GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits: Tensor, labels: Tensor) -> Tensor:
    """How many labels [n] have the largest logit, as int32."""
    return reduce_sum(cast(in_top_k(logits, labels, 1), dtypes.int32))
