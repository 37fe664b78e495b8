"""The names of `tf.contrib.labeled_tensor`."""

from minitf.api.contrib.labeled_tensor import nn as nn
from minitf.compat.contrib.labeled_ops import FixedLenFeature as FixedLenFeature
from minitf.compat.contrib.labeled_ops import ReshapeCoder as ReshapeCoder
from minitf.compat.contrib.labeled_ops import batch as batch
from minitf.compat.contrib.labeled_ops import boolean_mask as boolean_mask
from minitf.compat.contrib.labeled_ops import cast as cast
from minitf.compat.contrib.labeled_ops import concat as concat
from minitf.compat.contrib.labeled_ops import constant as constant
from minitf.compat.contrib.labeled_ops import define_reduce_op as define_reduce_op
from minitf.compat.contrib.labeled_ops import foldl as foldl
from minitf.compat.contrib.labeled_ops import map_fn as map_fn
from minitf.compat.contrib.labeled_ops import matmul as matmul
from minitf.compat.contrib.labeled_ops import ones_like as ones_like
from minitf.compat.contrib.labeled_ops import pack as pack
from minitf.compat.contrib.labeled_ops import pad as pad
from minitf.compat.contrib.labeled_ops import parse_example as parse_example
from minitf.compat.contrib.labeled_ops import parse_single_example as parse_single_example
from minitf.compat.contrib.labeled_ops import placeholder as placeholder
from minitf.compat.contrib.labeled_ops import random_crop as random_crop
from minitf.compat.contrib.labeled_ops import reduce_all as reduce_all
from minitf.compat.contrib.labeled_ops import reduce_any as reduce_any
from minitf.compat.contrib.labeled_ops import reduce_logsumexp as reduce_logsumexp
from minitf.compat.contrib.labeled_ops import reduce_max as reduce_max
from minitf.compat.contrib.labeled_ops import reduce_mean as reduce_mean
from minitf.compat.contrib.labeled_ops import reduce_min as reduce_min
from minitf.compat.contrib.labeled_ops import reduce_prod as reduce_prod
from minitf.compat.contrib.labeled_ops import reduce_sum as reduce_sum
from minitf.compat.contrib.labeled_ops import rename_axis as rename_axis
from minitf.compat.contrib.labeled_ops import reshape as reshape
from minitf.compat.contrib.labeled_ops import select as select
from minitf.compat.contrib.labeled_ops import shuffle_batch as shuffle_batch
from minitf.compat.contrib.labeled_ops import squeeze as squeeze
from minitf.compat.contrib.labeled_ops import tile as tile
from minitf.compat.contrib.labeled_ops import unpack as unpack
from minitf.compat.contrib.labeled_ops import verify_tensor_all_finite as verify_tensor_all_finite
from minitf.compat.contrib.labeled_ops import where as where
from minitf.compat.contrib.labeled_ops import zeros_like as zeros_like
from minitf.compat.contrib.labeled_tensor import Axes as Axes
from minitf.compat.contrib.labeled_tensor import Axis as Axis
from minitf.compat.contrib.labeled_tensor import AxisOrderError as AxisOrderError
from minitf.compat.contrib.labeled_tensor import LabeledTensor as LabeledTensor
from minitf.compat.contrib.labeled_tensor import abs_function as abs
from minitf.compat.contrib.labeled_tensor import acos as acos
from minitf.compat.contrib.labeled_tensor import add as add
from minitf.compat.contrib.labeled_tensor import align as align
from minitf.compat.contrib.labeled_tensor import as_axis as as_axis
from minitf.compat.contrib.labeled_tensor import asin as asin
from minitf.compat.contrib.labeled_tensor import atan as atan
from minitf.compat.contrib.labeled_tensor import axis_order_scope as axis_order_scope
from minitf.compat.contrib.labeled_tensor import ceil as ceil
from minitf.compat.contrib.labeled_tensor import check_axis_order as check_axis_order
from minitf.compat.contrib.labeled_tensor import convert_to_labeled_tensor as convert_to_labeled_tensor
from minitf.compat.contrib.labeled_tensor import cos as cos
from minitf.compat.contrib.labeled_tensor import define_binary_op as define_binary_op
from minitf.compat.contrib.labeled_tensor import define_unary_op as define_unary_op
from minitf.compat.contrib.labeled_tensor import digamma as digamma
from minitf.compat.contrib.labeled_tensor import div as div
from minitf.compat.contrib.labeled_tensor import equal as equal
from minitf.compat.contrib.labeled_tensor import erf as erf
from minitf.compat.contrib.labeled_tensor import erfc as erfc
from minitf.compat.contrib.labeled_tensor import exp as exp
from minitf.compat.contrib.labeled_tensor import expand_dims as expand_dims
from minitf.compat.contrib.labeled_tensor import floor as floor
from minitf.compat.contrib.labeled_tensor import greater as greater
from minitf.compat.contrib.labeled_tensor import greater_equal as greater_equal
from minitf.compat.contrib.labeled_tensor import identity as identity
from minitf.compat.contrib.labeled_tensor import igamma as igamma
from minitf.compat.contrib.labeled_tensor import igammac as igammac
from minitf.compat.contrib.labeled_tensor import impose_axis_order as impose_axis_order
from minitf.compat.contrib.labeled_tensor import less as less
from minitf.compat.contrib.labeled_tensor import less_equal as less_equal
from minitf.compat.contrib.labeled_tensor import lgamma as lgamma
from minitf.compat.contrib.labeled_tensor import log as log
from minitf.compat.contrib.labeled_tensor import logical_and as logical_and
from minitf.compat.contrib.labeled_tensor import logical_not as logical_not
from minitf.compat.contrib.labeled_tensor import logical_or as logical_or
from minitf.compat.contrib.labeled_tensor import logical_xor as logical_xor
from minitf.compat.contrib.labeled_tensor import maximum as maximum
from minitf.compat.contrib.labeled_tensor import minimum as minimum
from minitf.compat.contrib.labeled_tensor import mod as mod
from minitf.compat.contrib.labeled_tensor import mul as mul
from minitf.compat.contrib.labeled_tensor import neg as neg
from minitf.compat.contrib.labeled_tensor import not_equal as not_equal
from minitf.compat.contrib.labeled_tensor import polygamma as polygamma
from minitf.compat.contrib.labeled_tensor import pow_function as pow
from minitf.compat.contrib.labeled_tensor import reciprocal as reciprocal
from minitf.compat.contrib.labeled_tensor import round_function as round
from minitf.compat.contrib.labeled_tensor import rsqrt as rsqrt
from minitf.compat.contrib.labeled_tensor import sigmoid as sigmoid
from minitf.compat.contrib.labeled_tensor import sign as sign
from minitf.compat.contrib.labeled_tensor import sin as sin
from minitf.compat.contrib.labeled_tensor import slice_function as slice
from minitf.compat.contrib.labeled_tensor import sqrt as sqrt
from minitf.compat.contrib.labeled_tensor import square as square
from minitf.compat.contrib.labeled_tensor import squared_difference as squared_difference
from minitf.compat.contrib.labeled_tensor import sub as sub
from minitf.compat.contrib.labeled_tensor import tan as tan
from minitf.compat.contrib.labeled_tensor import tanh as tanh
from minitf.compat.contrib.labeled_tensor import transpose as transpose
from minitf.compat.contrib.labeled_tensor import zeta as zeta

__all__ = [
    "Axes", "Axis", "AxisOrderError", "FixedLenFeature", "LabeledTensor", "ReshapeCoder", "abs",
    "acos", "add", "align", "as_axis", "asin", "atan", "axis_order_scope", "batch",
    "boolean_mask", "cast", "ceil", "check_axis_order", "concat", "constant",
    "convert_to_labeled_tensor", "cos", "define_binary_op", "define_reduce_op",
    "define_unary_op", "digamma", "div", "equal", "erf", "erfc", "exp", "expand_dims", "floor",
    "foldl", "greater", "greater_equal", "identity", "igamma", "igammac", "impose_axis_order",
    "less", "less_equal", "lgamma", "log", "logical_and", "logical_not", "logical_or",
    "logical_xor", "map_fn", "matmul", "maximum", "minimum", "mod", "mul", "neg", "nn",
    "not_equal", "ones_like", "pack", "pad", "parse_example", "parse_single_example",
    "placeholder", "polygamma", "pow", "random_crop", "reciprocal", "reduce_all", "reduce_any",
    "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum",
    "rename_axis", "reshape", "round", "rsqrt", "select", "shuffle_batch", "sigmoid", "sign",
    "sin", "slice", "sqrt", "square", "squared_difference", "squeeze", "sub", "tan", "tanh",
    "tile", "transpose", "unpack", "verify_tensor_all_finite", "where", "zeros_like", "zeta"
]
