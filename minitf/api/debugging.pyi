"""The names of `tf.debugging`."""

from minitf.library.checks.assertions import assert_equal as assert_equal
from minitf.library.checks.assertions import assert_greater as assert_greater
from minitf.library.checks.assertions import assert_greater_equal as assert_greater_equal
from minitf.library.checks.assertions import assert_less as assert_less
from minitf.library.checks.assertions import assert_less_equal as assert_less_equal
from minitf.library.checks.assertions import assert_non_negative as assert_non_negative
from minitf.library.checks.assertions import assert_positive as assert_positive
from minitf.library.checks.assertions import assert_rank as assert_rank
from minitf.library.checks.assertions import assert_rank_at_least as assert_rank_at_least
from minitf.library.checks.assertions import assert_same_float_dtype as assert_same_float_dtype
from minitf.library.checks.assertions import assert_type as assert_type
from minitf.library.checks.assertions import check_numerics as check_numerics
from minitf.library.checks.logging_ops import Assert as Assert
from minitf.library.numeric.elementwise import is_finite as is_finite
from minitf.library.numeric.elementwise import is_inf as is_inf
from minitf.library.numeric.elementwise import is_nan as is_nan
