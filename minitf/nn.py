"""The namespace `tf.nn`: names only."""

from minitf import rnn_cell
from minitf.layers.bidirectional_rnn import bidirectional_dynamic_rnn, static_bidirectional_rnn
from minitf.layers.rnn import dynamic_rnn, raw_rnn, static_rnn, static_state_saving_rnn
from minitf.ops.candidate_sampling import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    nce_loss,
    sampled_softmax_loss,
    uniform_candidate_sampler,
)
from minitf.ops.conv_depthwise import (
    depthwise_conv2d,
    depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input,
    separable_conv2d,
)
from minitf.ops.conv_depthwise import (
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_backprop_filter,
)
from minitf.ops.conv_depthwise import (
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_backprop_input,
)
from minitf.ops.conv_functions import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_backprop_filter,
    conv2d_backprop_input,
    conv2d_transpose,
    conv3d,
    conv3d_backprop_filter,
    conv3d_transpose,
    conv_transpose,
    convolution,
)
from minitf.ops.conv_functions import conv3d_backprop_filter as conv3d_backprop_filter_v2
from minitf.ops.embeddings import embedding_lookup, embedding_lookup_sparse
from minitf.ops.local_response import (
    local_response_normalization,
    lrn,
)
from minitf.ops.math import sigmoid, tanh
from minitf.ops.nn import (
    bias_add,
    dropout,
    l2_normalize,
    moments,
    relu_layer,
    xw_plus_b,
)
from minitf.ops.array_rearranging import depth_to_space, space_to_batch, space_to_depth
from minitf.ops.math_more import log_sigmoid, zero_fraction
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
    compute_average_loss,
    in_top_k,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from minitf.ops.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    fused_batch_norm,
)
from minitf.ops.pooling_functions import (
    avg_pool,
    avg_pool1d,
    avg_pool3d,
    avg_pool_v2,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_v2,
    max_pool_with_argmax,
    pool,
)
from minitf.ops.pooling_functions import avg_pool as avg_pool2d
from minitf.ops.sorting import top_k
from minitf.ops.statistics import (
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
    zero_fraction,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
