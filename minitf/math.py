"""The namespace `tf.math`: names only."""

from minitf.ops.confusion_matrix import confusion_matrix
from minitf.ops.comparisons import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from minitf.ops.complex import angle, conj, imag, real
from minitf.ops.math import (
    abs,  # noqa: A004
    accumulate_n,
    acos,
    acosh,
    add,
    add_n,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ceil,
    cos,
    cosh,
    divide,
    exp,
    expm1,
    floor,
    floordiv,
    floormod,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    maximum,
    minimum,
    mod,
    multiply,
    negative,
    pow,  # noqa: A004
    reciprocal,
    rint,
    round,  # noqa: A004
    rsqrt,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    squared_difference,
    subtract,
    tan,
    tanh,
    truediv,
)
from minitf.ops.math import div_no_nan as divide_no_nan
from minitf.ops.array_shaping import invert_permutation
from minitf.ops.check_ops import is_non_decreasing, is_strictly_increasing
from minitf.ops.math_more import (
    cumulative_logsumexp,
    log_sigmoid,
    multiply_no_nan,
    polyval,
    reciprocal_no_nan,
    reduce_euclidean_norm,
    zero_fraction,
)
from minitf.ops.nn import l2_normalize
from minitf.ops.nn_activations import log_softmax, softmax, softplus, softsign
from minitf.ops.nn_losses import in_top_k
from minitf.ops.reductions import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
)
from minitf.ops.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from minitf.ops.sorting import top_k
from minitf.ops.special import erf, erfc
from minitf.ops.special_gamma import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    betainc,
    digamma,
    erfinv,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    xdivy,
    xlogy,
    zeta,
)

from minitf.ops.uniqueness import bincount

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
