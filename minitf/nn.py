"""The namespace `tf.nn`: names only."""

from minitf.ops.math import sigmoid, tanh
from minitf.ops.nn import (
    bias_add,
    dropout,
    embedding_lookup,
    l2_normalize,
    moments,
    relu_layer,
    xw_plus_b,
)
from minitf.ops.nn_activations import (
    crelu,
    elu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    softmax,
    softplus,
    softsign,
    swish,
)
from minitf.ops.nn_losses import (
    in_top_k,
    l2_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
