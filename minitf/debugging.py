"""The namespace `tf.debugging`: names only."""

from minitf.ops.check_ops import (
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_shapes,
    assert_type,
    check_numerics,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from minitf.ops.logging_ops import Assert
from minitf.ops.math import is_finite, is_inf, is_nan

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
