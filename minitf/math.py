"""The namespace `tf.math`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.ops.array_shaping: invert_permutation
minitf.ops.check_ops: is_non_decreasing is_strictly_increasing
minitf.ops.comparisons: equal greater greater_equal less less_equal logical_and logical_not
    logical_or logical_xor not_equal
minitf.ops.complex: angle conj imag real
minitf.ops.confusion_matrix: confusion_matrix
minitf.ops.math: abs accumulate_n acos acosh add add_n asin asinh atan atan2 atanh ceil cos cosh
    divide divide_no_nan=div_no_nan exp expm1 floor floordiv floormod is_finite is_inf is_nan log
    log1p maximum minimum mod multiply negative pow reciprocal rint round rsqrt scalar_mul sigmoid
    sign sin sinh sqrt square squared_difference subtract tan tanh truediv
minitf.ops.math_more: cumulative_logsumexp log_sigmoid multiply_no_nan polyval reciprocal_no_nan
    reduce_euclidean_norm zero_fraction
minitf.ops.nn: l2_normalize
minitf.ops.nn_activations: log_softmax softmax softplus softsign
minitf.ops.nn_losses: in_top_k
minitf.ops.reductions: argmax argmin count_nonzero cumprod cumsum reduce_all reduce_any
    reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum
    reduce_variance
minitf.ops.segments: segment_max segment_mean segment_min segment_prod segment_sum
    unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod
    unsorted_segment_sqrt_n unsorted_segment_sum
minitf.ops.sorting: top_k
minitf.ops.special: erf erfc
minitf.ops.special_gamma: bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc digamma erfinv igamma
    igammac lbeta lgamma ndtri polygamma xdivy xlogy zeta
minitf.ops.uniqueness: bincount
""",
)
