"""The namespace `tf.contrib.layers`: names only."""

from minitf.layers.optimize_loss import OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss
from minitf.layers.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)
from minitf.layers.slim import (
    avg_pool2d,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    dropout,
    embed_sequence,
    flatten,
    fully_connected,
    linear,
    max_pool2d,
    one_hot_encoding,
    relu,
    relu6,
    repeat,
    stack,
)
from minitf.layers.slim_initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from minitf.layers.slim_normalization import batch_norm, layer_norm
from minitf.layers.slim_summaries import (
    summarize_activation,
    summarize_activations,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
    summarize_variables,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
