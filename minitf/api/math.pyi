"""The names of `tf.math`."""

from minitf.core.ops.activations import log_softmax as log_softmax
from minitf.core.ops.activations import softmax as softmax
from minitf.core.ops.activations import softplus as softplus
from minitf.core.ops.activations import softsign as softsign
from minitf.core.ops.comparisons import equal as equal
from minitf.core.ops.comparisons import greater as greater
from minitf.core.ops.comparisons import greater_equal as greater_equal
from minitf.core.ops.comparisons import less as less
from minitf.core.ops.comparisons import less_equal as less_equal
from minitf.core.ops.comparisons import logical_and as logical_and
from minitf.core.ops.comparisons import logical_not as logical_not
from minitf.core.ops.comparisons import logical_or as logical_or
from minitf.core.ops.comparisons import logical_xor as logical_xor
from minitf.core.ops.comparisons import not_equal as not_equal
from minitf.core.ops.complex import conj as conj
from minitf.core.ops.complex import imag as imag
from minitf.core.ops.complex import real as real
from minitf.core.ops.losses import in_top_k as in_top_k
from minitf.core.ops.math import abs as abs
from minitf.core.ops.math import accumulate_n as accumulate_n
from minitf.core.ops.math import acos as acos
from minitf.core.ops.math import acosh as acosh
from minitf.core.ops.math import add as add
from minitf.core.ops.math import add_n as add_n
from minitf.core.ops.math import asin as asin
from minitf.core.ops.math import asinh as asinh
from minitf.core.ops.math import atan as atan
from minitf.core.ops.math import atan2 as atan2
from minitf.core.ops.math import atanh as atanh
from minitf.core.ops.math import ceil as ceil
from minitf.core.ops.math import cos as cos
from minitf.core.ops.math import cosh as cosh
from minitf.core.ops.math import divide as divide
from minitf.core.ops.math import div_no_nan as divide_no_nan
from minitf.core.ops.math import exp as exp
from minitf.core.ops.math import expm1 as expm1
from minitf.core.ops.math import floor as floor
from minitf.core.ops.math import floordiv as floordiv
from minitf.core.ops.math import floormod as floormod
from minitf.core.ops.math import is_finite as is_finite
from minitf.core.ops.math import is_inf as is_inf
from minitf.core.ops.math import is_nan as is_nan
from minitf.core.ops.math import log as log
from minitf.core.ops.math import log1p as log1p
from minitf.core.ops.math import maximum as maximum
from minitf.core.ops.math import minimum as minimum
from minitf.core.ops.math import mod as mod
from minitf.core.ops.math import multiply as multiply
from minitf.core.ops.math import negative as negative
from minitf.core.ops.math import nextafter as nextafter
from minitf.core.ops.math import pow as pow
from minitf.core.ops.math import reciprocal as reciprocal
from minitf.core.ops.math import rint as rint
from minitf.core.ops.math import round as round
from minitf.core.ops.math import rsqrt as rsqrt
from minitf.core.ops.math import scalar_mul as scalar_mul
from minitf.core.ops.math import sigmoid as sigmoid
from minitf.core.ops.math import sign as sign
from minitf.core.ops.math import sin as sin
from minitf.core.ops.math import sinh as sinh
from minitf.core.ops.math import sqrt as sqrt
from minitf.core.ops.math import square as square
from minitf.core.ops.math import squared_difference as squared_difference
from minitf.core.ops.math import subtract as subtract
from minitf.core.ops.math import tan as tan
from minitf.core.ops.math import tanh as tanh
from minitf.core.ops.math import truediv as truediv
from minitf.core.ops.reductions import argmax as argmax
from minitf.core.ops.reductions import argmin as argmin
from minitf.core.ops.reductions import count_nonzero as count_nonzero
from minitf.core.ops.reductions import cumprod as cumprod
from minitf.core.ops.reductions import cumsum as cumsum
from minitf.core.ops.reductions import reduce_all as reduce_all
from minitf.core.ops.reductions import reduce_any as reduce_any
from minitf.core.ops.reductions import reduce_logsumexp as reduce_logsumexp
from minitf.core.ops.reductions import reduce_max as reduce_max
from minitf.core.ops.reductions import reduce_mean as reduce_mean
from minitf.core.ops.reductions import reduce_min as reduce_min
from minitf.core.ops.reductions import reduce_prod as reduce_prod
from minitf.core.ops.reductions import reduce_std as reduce_std
from minitf.core.ops.reductions import reduce_sum as reduce_sum
from minitf.core.ops.reductions import reduce_variance as reduce_variance
from minitf.core.ops.segments import segment_max as segment_max
from minitf.core.ops.segments import segment_mean as segment_mean
from minitf.core.ops.segments import segment_sum as segment_sum
from minitf.core.ops.segments import unsorted_segment_max as unsorted_segment_max
from minitf.core.ops.segments import unsorted_segment_mean as unsorted_segment_mean
from minitf.core.ops.segments import unsorted_segment_sum as unsorted_segment_sum
from minitf.library.nets.basics import l2_normalize as l2_normalize
from minitf.library.numeric.confusion_matrix import confusion_matrix as confusion_matrix
from minitf.library.numeric.error_function import erf as erf
from minitf.library.numeric.error_function import erfc as erfc
from minitf.library.numeric.gamma_functions import bessel_i0e as bessel_i0e
from minitf.library.numeric.gamma_functions import bessel_i1e as bessel_i1e
from minitf.library.numeric.gamma_functions import ndtri as ndtri
from minitf.library.numeric.log_sums import log_sigmoid as log_sigmoid
from minitf.library.numeric.sorting import top_k as top_k
from minitf.library.numeric.statistics import zero_fraction as zero_fraction

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "argmax", "argmin", "asin", "asinh",
    "atan", "atan2", "atanh", "bessel_i0e", "bessel_i1e", "ceil", "confusion_matrix", "conj",
    "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "divide", "divide_no_nan", "equal",
    "erf", "erfc", "exp", "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal",
    "imag", "in_top_k", "is_finite", "is_inf", "is_nan", "l2_normalize", "less", "less_equal",
    "log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "ndtri", "negative", "nextafter",
    "not_equal", "pow", "real", "reciprocal", "reduce_all", "reduce_any", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum",
    "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean",
    "segment_sum", "sigmoid", "sign", "sin", "sinh", "softmax", "softplus", "softsign", "sqrt",
    "square", "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv",
    "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_sum", "zero_fraction"
]
