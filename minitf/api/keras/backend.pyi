"""The names of `tf.keras.backend`."""

from minitf.core.gradients.gradients import gradients as gradients
from minitf.core.graph.stacks import name_scope as name_scope
from minitf.core.ops.array import shape as shape
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
from minitf.core.ops.reductions import reduce_max as max
from minitf.core.ops.reductions import reduce_sum as sum
from minitf.library.graph_tools.functional import foldl as foldl
from minitf.library.graph_tools.functional import foldr as foldr
from minitf.library.keras.backend.functions import argmax as argmax
from minitf.library.keras.backend.functions import binary_crossentropy as binary_crossentropy
from minitf.library.keras.backend.functions import categorical_crossentropy as categorical_crossentropy
from minitf.library.keras.backend.functions import clip as clip
from minitf.library.keras.backend.functions import concatenate as concatenate
from minitf.library.keras.backend.functions import elu as elu
from minitf.library.keras.backend.functions import flatten as flatten
from minitf.library.keras.backend.functions import hard_sigmoid as hard_sigmoid
from minitf.library.keras.backend.functions import in_train_phase as in_train_phase
from minitf.library.keras.backend.functions import mean as mean
from minitf.library.keras.backend.functions import placeholder as placeholder
from minitf.library.keras.backend.functions import random_normal as random_normal
from minitf.library.keras.backend.functions import random_uniform as random_uniform
from minitf.library.keras.backend.functions import relu as relu
from minitf.library.keras.backend.functions import repeat as repeat
from minitf.library.keras.backend.functions import resize_images as resize_images
from minitf.library.keras.backend.functions import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from minitf.library.keras.backend.functions import std as std
from minitf.library.keras.backend.session import batch_get_value as batch_get_value
from minitf.library.keras.backend.session import batch_set_value as batch_set_value
from minitf.library.keras.backend.session import cast as cast
from minitf.library.keras.backend.session import cast_to_floatx as cast_to_floatx
from minitf.library.keras.backend.session import clear_session as clear_session
from minitf.library.keras.backend.session import dtype as dtype
from minitf.library.keras.backend.session import epsilon as epsilon
from minitf.library.keras.backend.session import get_value as eval
from minitf.library.keras.backend.session import floatx as floatx
from minitf.library.keras.backend.session import get_session as get_session
from minitf.library.keras.backend.session import get_uid as get_uid
from minitf.library.keras.backend.session import get_value as get_value
from minitf.library.keras.backend.session import image_data_format as image_data_format
from minitf.library.keras.backend.session import int_shape as int_shape
from minitf.library.keras.backend.session import learning_phase as learning_phase
from minitf.library.keras.backend.session import ndim as ndim
from minitf.library.keras.backend.session import set_learning_phase as set_learning_phase
from minitf.library.keras.backend.session import set_session as set_session
from minitf.library.keras.backend.session import set_value as set_value
from minitf.library.keras.backend.session import variable as variable
from minitf.library.nets.activations import softmax as softmax
from minitf.library.nets.activations import softplus as softplus
from minitf.library.nets.activations import softsign as softsign
from minitf.library.nets.cross_entropy import in_top_k as in_top_k
from minitf.library.numeric.filling import one_hot as one_hot

__all__ = [
    "abs", "argmax", "batch_get_value", "batch_set_value", "binary_crossentropy", "cast",
    "cast_to_floatx", "categorical_crossentropy", "clear_session", "clip", "concatenate", "cos",
    "cumprod", "cumsum", "dtype", "elu", "epsilon", "equal", "eval", "exp", "flatten", "floatx",
    "foldl", "foldr", "get_session", "get_uid", "get_value", "gradients", "greater",
    "greater_equal", "hard_sigmoid", "image_data_format", "in_top_k", "in_train_phase",
    "int_shape", "learning_phase", "less", "less_equal", "log", "max", "maximum", "mean",
    "minimum", "name_scope", "ndim", "not_equal", "one_hot", "ones_like", "placeholder", "pow",
    "random_normal", "random_uniform", "relu", "repeat", "reshape", "resize_images", "round",
    "set_learning_phase", "set_session", "set_value", "shape", "sigmoid", "sign", "sin",
    "softmax", "softplus", "softsign", "sparse_categorical_crossentropy", "sqrt", "square",
    "squeeze", "stack", "std", "sum", "tanh", "transpose", "variable", "zeros_like"
]
