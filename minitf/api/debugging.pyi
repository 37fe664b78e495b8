"""The names of `tf.debugging`."""

from minitf.core.ops.logging_ops import Assert as Assert
from minitf.core.ops.math import is_finite as is_finite
from minitf.core.ops.math import is_inf as is_inf
from minitf.core.ops.math import is_nan as is_nan
from minitf.library.checks.assertions import verify_tensor_all_finite as assert_all_finite
from minitf.library.checks.assertions import assert_equal as assert_equal
from minitf.library.checks.assertions import assert_greater as assert_greater
from minitf.library.checks.assertions import assert_greater_equal as assert_greater_equal
from minitf.library.checks.assertions import assert_integer as assert_integer
from minitf.library.checks.assertions import assert_less as assert_less
from minitf.library.checks.assertions import assert_less_equal as assert_less_equal
from minitf.library.checks.assertions import assert_near as assert_near
from minitf.library.checks.assertions import assert_negative as assert_negative
from minitf.library.checks.assertions import assert_non_negative as assert_non_negative
from minitf.library.checks.assertions import assert_non_positive as assert_non_positive
from minitf.library.checks.assertions import assert_none_equal as assert_none_equal
from minitf.library.checks.assertions import assert_positive as assert_positive
from minitf.library.checks.assertions import assert_proper_iterable as assert_proper_iterable
from minitf.library.checks.assertions import assert_rank as assert_rank
from minitf.library.checks.assertions import assert_rank_at_least as assert_rank_at_least
from minitf.library.checks.assertions import assert_rank_in as assert_rank_in
from minitf.library.checks.assertions import assert_same_float_dtype as assert_same_float_dtype
from minitf.library.checks.assertions import assert_scalar as assert_scalar
from minitf.library.checks.assertions import assert_shapes as assert_shapes
from minitf.library.checks.assertions import assert_type as assert_type
from minitf.library.checks.assertions import check_numerics as check_numerics
from minitf.library.checks.assertions import is_non_decreasing as is_non_decreasing
from minitf.library.checks.assertions import is_numeric_tensor as is_numeric_tensor
from minitf.library.checks.assertions import is_strictly_increasing as is_strictly_increasing
from minitf.library.platform.runtime_settings import get_log_device_placement as get_log_device_placement
from minitf.library.platform.runtime_settings import set_log_device_placement as set_log_device_placement

__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal",
    "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative",
    "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type",
    "check_numerics", "get_log_device_placement", "is_finite", "is_inf", "is_nan",
    "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing",
    "set_log_device_placement"
]
