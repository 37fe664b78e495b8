"""The names of `tf.nn`."""

from minitf.api import rnn_cell as rnn_cell
from minitf.core.ops.math import sigmoid as sigmoid
from minitf.core.ops.math import tanh as tanh
from minitf.library.layers.rnn.loops import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from minitf.library.layers.rnn.loops import dynamic_rnn as dynamic_rnn
from minitf.library.layers.rnn.loops import static_bidirectional_rnn as static_bidirectional_rnn
from minitf.library.layers.rnn.loops import static_rnn as static_rnn
from minitf.library.nets.activations import crelu as crelu
from minitf.library.nets.activations import elu as elu
from minitf.library.nets.activations import leaky_relu as leaky_relu
from minitf.library.nets.activations import log_sigmoid as log_sigmoid
from minitf.library.nets.activations import log_softmax as log_softmax
from minitf.library.nets.activations import relu as relu
from minitf.library.nets.activations import relu6 as relu6
from minitf.library.nets.activations import selu as selu
from minitf.library.nets.activations import silu as silu
from minitf.library.nets.activations import softmax as softmax
from minitf.library.nets.activations import softplus as softplus
from minitf.library.nets.activations import softsign as softsign
from minitf.library.nets.activations import swish as swish
from minitf.library.nets.basics import bias_add as bias_add
from minitf.library.nets.basics import dropout as dropout
from minitf.library.nets.basics import l2_normalize as l2_normalize
from minitf.library.nets.basics import moments as moments
from minitf.library.nets.basics import relu_layer as relu_layer
from minitf.library.nets.basics import xw_plus_b as xw_plus_b
from minitf.library.nets.basics import zero_fraction as zero_fraction
from minitf.library.nets.candidate_sampling import compute_accidental_hits as compute_accidental_hits
from minitf.library.nets.candidate_sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from minitf.library.nets.candidate_sampling import nce_loss as nce_loss
from minitf.library.nets.candidate_sampling import sampled_softmax_loss as sampled_softmax_loss
from minitf.library.nets.candidate_sampling import uniform_candidate_sampler as uniform_candidate_sampler
from minitf.library.nets.convolution import atrous_conv2d as atrous_conv2d
from minitf.library.nets.convolution import conv1d as conv1d
from minitf.library.nets.convolution import conv2d as conv2d
from minitf.library.nets.convolution import conv2d_backprop_input as conv2d_backprop_input
from minitf.library.nets.convolution import conv2d_transpose as conv2d_transpose
from minitf.library.nets.convolution import convolution as convolution
from minitf.library.nets.cross_entropy import compute_average_loss as compute_average_loss
from minitf.library.nets.cross_entropy import in_top_k as in_top_k
from minitf.library.nets.cross_entropy import l2_loss as l2_loss
from minitf.library.nets.cross_entropy import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from minitf.library.nets.cross_entropy import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from minitf.library.nets.cross_entropy import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from minitf.library.nets.cross_entropy import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from minitf.library.nets.cross_entropy import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from minitf.library.nets.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from minitf.library.nets.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from minitf.library.nets.ctc import ctc_loss as ctc_loss
from minitf.library.nets.depthwise import depthwise_conv2d as depthwise_conv2d
from minitf.library.nets.depthwise import separable_conv2d as separable_conv2d
from minitf.library.nets.embeddings import embedding_lookup as embedding_lookup
from minitf.library.nets.embeddings import embedding_lookup_sparse as embedding_lookup_sparse
from minitf.library.nets.embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from minitf.library.nets.normalization import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from minitf.library.nets.normalization import batch_normalization as batch_normalization
from minitf.library.nets.normalization import fused_batch_norm as fused_batch_norm
from minitf.library.nets.normalization import local_response_normalization as local_response_normalization
from minitf.library.nets.normalization import lrn as lrn
from minitf.library.nets.pooling import avg_pool as avg_pool
from minitf.library.nets.pooling import avg_pool as avg_pool2d
from minitf.library.nets.pooling import max_pool as max_pool
from minitf.library.numeric.sorting import top_k as top_k

__all__ = [
    "atrous_conv2d", "avg_pool", "avg_pool2d", "batch_norm_with_global_normalization",
    "batch_normalization", "bias_add", "bidirectional_dynamic_rnn", "compute_accidental_hits",
    "compute_average_loss", "conv1d", "conv2d", "conv2d_backprop_input", "conv2d_transpose",
    "convolution", "crelu", "ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss",
    "depthwise_conv2d", "dropout", "dynamic_rnn", "elu", "embedding_lookup",
    "embedding_lookup_sparse", "fused_batch_norm", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "local_response_normalization", "log_sigmoid", "log_softmax",
    "log_uniform_candidate_sampler", "lrn", "max_pool", "moments", "nce_loss", "relu", "relu6",
    "relu_layer", "rnn_cell", "safe_embedding_lookup_sparse", "sampled_softmax_loss", "selu",
    "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
    "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus",
    "softsign", "sparse_softmax_cross_entropy_with_logits", "static_bidirectional_rnn",
    "static_rnn", "swish", "tanh", "top_k", "uniform_candidate_sampler",
    "weighted_cross_entropy_with_logits", "xw_plus_b", "zero_fraction"
]
