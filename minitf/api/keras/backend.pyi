"""The names of `tf.keras.backend`."""

from minitf.core.graph.stacks import name_scope as name_scope
from minitf.core.ops.activations import softplus as softplus
from minitf.core.ops.activations import softsign as softsign
from minitf.core.ops.array import shape as shape
from minitf.core.ops.array_filling import one_hot as one_hot
from minitf.core.ops.array_filling import ones_like as ones_like
from minitf.core.ops.array_filling import zeros_like as zeros_like
from minitf.core.ops.array_joining import stack as stack
from minitf.core.ops.array_shaping import reshape as reshape
from minitf.core.ops.array_shaping import squeeze as squeeze
from minitf.core.ops.array_shaping import transpose as transpose
from minitf.core.ops.comparisons import equal as equal
from minitf.core.ops.comparisons import greater as greater
from minitf.core.ops.comparisons import greater_equal as greater_equal
from minitf.core.ops.comparisons import less as less
from minitf.core.ops.comparisons import less_equal as less_equal
from minitf.core.ops.comparisons import not_equal as not_equal
from minitf.core.ops.losses import in_top_k as in_top_k
from minitf.core.ops.math import abs as abs
from minitf.core.ops.math import cos as cos
from minitf.core.ops.math import exp as exp
from minitf.core.ops.math import log as log
from minitf.core.ops.math import maximum as maximum
from minitf.core.ops.math import minimum as minimum
from minitf.core.ops.math import pow as pow
from minitf.core.ops.math import round as round
from minitf.core.ops.math import sigmoid as sigmoid
from minitf.core.ops.math import sign as sign
from minitf.core.ops.math import sin as sin
from minitf.core.ops.math import sqrt as sqrt
from minitf.core.ops.math import square as square
from minitf.core.ops.math import tanh as tanh
from minitf.core.ops.reductions import cumprod as cumprod
from minitf.core.ops.reductions import cumsum as cumsum
from minitf.library.graph_tools.functional import foldl as foldl
from minitf.library.graph_tools.functional import foldr as foldr
from minitf.library.keras.backend.arithmetic import all_ as all
from minitf.library.keras.backend.arithmetic import any_ as any
from minitf.library.keras.backend.arithmetic import arange as arange
from minitf.library.keras.backend.arithmetic import argmax as argmax
from minitf.library.keras.backend.arithmetic import argmin as argmin
from minitf.library.keras.backend.arithmetic import batch_dot as batch_dot
from minitf.library.keras.backend.arithmetic import batch_flatten as batch_flatten
from minitf.library.keras.backend.arithmetic import clip as clip
from minitf.library.keras.backend.arithmetic import concatenate as concatenate
from minitf.library.keras.backend.arithmetic import dot as dot
from minitf.library.keras.backend.arithmetic import expand_dims as expand_dims
from minitf.library.keras.backend.arithmetic import flatten as flatten
from minitf.library.keras.backend.arithmetic import gather as gather
from minitf.library.keras.backend.arithmetic import logsumexp as logsumexp
from minitf.library.keras.backend.arithmetic import map_fn as map_fn
from minitf.library.keras.backend.arithmetic import max_ as max
from minitf.library.keras.backend.arithmetic import mean as mean
from minitf.library.keras.backend.arithmetic import min_ as min
from minitf.library.keras.backend.arithmetic import moving_average_update as moving_average_update
from minitf.library.keras.backend.arithmetic import permute_dimensions as permute_dimensions
from minitf.library.keras.backend.arithmetic import prod as prod
from minitf.library.keras.backend.arithmetic import repeat as repeat
from minitf.library.keras.backend.arithmetic import repeat_elements as repeat_elements
from minitf.library.keras.backend.arithmetic import reverse as reverse
from minitf.library.keras.backend.arithmetic import std as std
from minitf.library.keras.backend.arithmetic import stop_gradient as stop_gradient
from minitf.library.keras.backend.arithmetic import sum_ as sum
from minitf.library.keras.backend.arithmetic import tile as tile
from minitf.library.keras.backend.arithmetic import var as var
from minitf.library.keras.backend.config import backend as backend
from minitf.library.keras.backend.config import epsilon as epsilon
from minitf.library.keras.backend.config import floatx as floatx
from minitf.library.keras.backend.config import image_data_format as image_data_format
from minitf.library.keras.backend.config import set_epsilon as set_epsilon
from minitf.library.keras.backend.config import set_floatx as set_floatx
from minitf.library.keras.backend.config import set_image_data_format as set_image_data_format
from minitf.library.keras.backend.losses import binary_crossentropy as binary_crossentropy
from minitf.library.keras.backend.losses import categorical_crossentropy as categorical_crossentropy
from minitf.library.keras.backend.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from minitf.library.keras.backend.networks import batch_normalization as batch_normalization
from minitf.library.keras.backend.networks import bias_add as bias_add
from minitf.library.keras.backend.networks import conv1d as conv1d
from minitf.library.keras.backend.networks import conv2d as conv2d
from minitf.library.keras.backend.networks import conv2d_transpose as conv2d_transpose
from minitf.library.keras.backend.networks import conv3d as conv3d
from minitf.library.keras.backend.networks import ctc_batch_cost as ctc_batch_cost
from minitf.library.keras.backend.networks import ctc_decode as ctc_decode
from minitf.library.keras.backend.networks import ctc_label_dense_to_sparse as ctc_label_dense_to_sparse
from minitf.library.keras.backend.networks import depthwise_conv2d as depthwise_conv2d
from minitf.library.keras.backend.networks import dropout as dropout
from minitf.library.keras.backend.networks import elu as elu
from minitf.library.keras.backend.networks import hard_sigmoid as hard_sigmoid
from minitf.library.keras.backend.networks import l2_normalize as l2_normalize
from minitf.library.keras.backend.networks import local_conv1d as local_conv1d
from minitf.library.keras.backend.networks import local_conv2d as local_conv2d
from minitf.library.keras.backend.networks import normalize_batch_in_training as normalize_batch_in_training
from minitf.library.keras.backend.networks import pool2d as pool2d
from minitf.library.keras.backend.networks import pool3d as pool3d
from minitf.library.keras.backend.networks import relu as relu
from minitf.library.keras.backend.networks import resize_images as resize_images
from minitf.library.keras.backend.networks import resize_volumes as resize_volumes
from minitf.library.keras.backend.networks import separable_conv2d as separable_conv2d
from minitf.library.keras.backend.networks import softmax as softmax
from minitf.library.keras.backend.networks import spatial_2d_padding as spatial_2d_padding
from minitf.library.keras.backend.networks import spatial_3d_padding as spatial_3d_padding
from minitf.library.keras.backend.networks import temporal_padding as temporal_padding
from minitf.library.keras.backend.phases import eval as eval
from minitf.library.keras.backend.phases import gradients as gradients
from minitf.library.keras.backend.phases import in_test_phase as in_test_phase
from minitf.library.keras.backend.phases import in_train_phase as in_train_phase
from minitf.library.keras.backend.phases import switch as switch
from minitf.library.keras.backend.recurrent import rnn as rnn
from minitf.library.keras.backend.session import batch_get_value as batch_get_value
from minitf.library.keras.backend.session import batch_set_value as batch_set_value
from minitf.library.keras.backend.session import clear_session as clear_session
from minitf.library.keras.backend.session import get_session as get_session
from minitf.library.keras.backend.session import get_uid as get_uid
from minitf.library.keras.backend.session import get_value as get_value
from minitf.library.keras.backend.session import learning_phase as learning_phase
from minitf.library.keras.backend.session import learning_phase_scope as learning_phase_scope
from minitf.library.keras.backend.session import reset_uids as reset_uids
from minitf.library.keras.backend.session import set_learning_phase as set_learning_phase
from minitf.library.keras.backend.session import set_session as set_session
from minitf.library.keras.backend.session import set_value as set_value
from minitf.library.keras.backend.values import cast as cast
from minitf.library.keras.backend.values import cast_to_floatx as cast_to_floatx
from minitf.library.keras.backend.values import constant as constant
from minitf.library.keras.backend.values import count_params as count_params
from minitf.library.keras.backend.values import dtype as dtype
from minitf.library.keras.backend.values import eye as eye
from minitf.library.keras.backend.values import int_shape as int_shape
from minitf.library.keras.backend.values import is_keras_tensor as is_keras_tensor
from minitf.library.keras.backend.values import is_placeholder as is_placeholder
from minitf.library.keras.backend.values import is_sparse as is_sparse
from minitf.library.keras.backend.values import is_tensor as is_tensor
from minitf.library.keras.backend.values import manual_variable_initialization as manual_variable_initialization
from minitf.library.keras.backend.values import ndim as ndim
from minitf.library.keras.backend.values import ones as ones
from minitf.library.keras.backend.values import placeholder as placeholder
from minitf.library.keras.backend.values import print_tensor as print_tensor
from minitf.library.keras.backend.values import random_binomial as random_bernoulli
from minitf.library.keras.backend.values import random_binomial as random_binomial
from minitf.library.keras.backend.values import random_normal as random_normal
from minitf.library.keras.backend.values import random_normal_variable as random_normal_variable
from minitf.library.keras.backend.values import random_uniform as random_uniform
from minitf.library.keras.backend.values import random_uniform_variable as random_uniform_variable
from minitf.library.keras.backend.values import to_dense as to_dense
from minitf.library.keras.backend.values import truncated_normal as truncated_normal
from minitf.library.keras.backend.values import update as update
from minitf.library.keras.backend.values import update_add as update_add
from minitf.library.keras.backend.values import update_sub as update_sub
from minitf.library.keras.backend.values import variable as variable
from minitf.library.keras.backend.values import zeros as zeros
from minitf.library.keras.engine.network import function as function

__all__ = [
    "abs", "all", "any", "arange", "argmax", "argmin", "backend", "batch_dot", "batch_flatten",
    "batch_get_value", "batch_normalization", "batch_set_value", "bias_add",
    "binary_crossentropy", "cast", "cast_to_floatx", "categorical_crossentropy",
    "clear_session", "clip", "concatenate", "constant", "conv1d", "conv2d", "conv2d_transpose",
    "conv3d", "cos", "count_params", "ctc_batch_cost", "ctc_decode",
    "ctc_label_dense_to_sparse", "cumprod", "cumsum", "depthwise_conv2d", "dot", "dropout",
    "dtype", "elu", "epsilon", "equal", "eval", "exp", "expand_dims", "eye", "flatten",
    "floatx", "foldl", "foldr", "function", "gather", "get_session", "get_uid", "get_value",
    "gradients", "greater", "greater_equal", "hard_sigmoid", "image_data_format",
    "in_test_phase", "in_top_k", "in_train_phase", "int_shape", "is_keras_tensor",
    "is_placeholder", "is_sparse", "is_tensor", "l2_normalize", "learning_phase",
    "learning_phase_scope", "less", "less_equal", "local_conv1d", "local_conv2d", "log",
    "logsumexp", "manual_variable_initialization", "map_fn", "max", "maximum", "mean", "min",
    "minimum", "moving_average_update", "name_scope", "ndim", "normalize_batch_in_training",
    "not_equal", "one_hot", "ones", "ones_like", "permute_dimensions", "placeholder", "pool2d",
    "pool3d", "pow", "print_tensor", "prod", "random_bernoulli", "random_binomial",
    "random_normal", "random_normal_variable", "random_uniform", "random_uniform_variable",
    "relu", "repeat", "repeat_elements", "reset_uids", "reshape", "resize_images",
    "resize_volumes", "reverse", "rnn", "round", "separable_conv2d", "set_epsilon",
    "set_floatx", "set_image_data_format", "set_learning_phase", "set_session", "set_value",
    "shape", "sigmoid", "sign", "sin", "softmax", "softplus", "softsign",
    "sparse_categorical_crossentropy", "spatial_2d_padding", "spatial_3d_padding", "sqrt",
    "square", "squeeze", "stack", "std", "stop_gradient", "sum", "switch", "tanh",
    "temporal_padding", "tile", "to_dense", "transpose", "truncated_normal", "update",
    "update_add", "update_sub", "var", "variable", "zeros", "zeros_like"
]
