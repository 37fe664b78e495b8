"""Elementwise mathematics: values, dtypes, names and gradients."""

from ..case import table

FLOATS = """
    x = tf.constant([[.5, -1.25, 2.], [3., .1, -.75]], tf.{dtype}, name="x")
    p = tf.constant([[.5, 1.25, 2.], [3., .1, .75]], tf.{dtype}, name="p")
    y = tf.constant([2., -.5, 1.5], tf.{dtype}, name="y")
    s = tf.constant(1.5, tf.{dtype}, name="s")
    u = tf.constant([-.9, -.3, 0., .4, .8], tf.{dtype}, name="u")
"""

BINARY = """
add | tf.add(x, y) | x y
add_operator | x + y | x y
add_scalar | s + x | s x
subtract | tf.subtract(x, y) | x y
multiply | tf.multiply(x, y) | x y
square_by_multiply | x * x | x
divide | tf.divide(x, y) | x y
div | tf.div(x, y) | x y
truediv | x / y | x y
realdiv | tf.realdiv(x, y) | x y
floordiv | x // y
floormod | x % y | x
mod | tf.mod(x, y) | x
pow | tf.pow(p, y) | p y
pow_operator | p ** 3. | p
pow_negative_base | x ** 2. | x
maximum | tf.maximum(x, y) | x y
minimum | tf.minimum(x, y) | x y
maximum_ties | tf.maximum(x, x) | x
squared_difference | tf.squared_difference(x, y) | x y
atan2 | tf.atan2(x, y) | x y
div_no_nan | tf.div_no_nan(x, u[2]) | x
less | tf.less(x, y)
less_equal | x <= y
greater | tf.greater(x, y)
greater_equal | x >= y
equal | tf.equal(x, p)
not_equal | tf.not_equal(x, p)
add_n | tf.add_n([x, p, x]) | x p
"""

UNARY = """
negative | -x | x
abs | tf.abs(x) | x
abs_operator | abs(x) | x
sign | tf.sign(x) | x
square | tf.square(x) | x
sqrt | tf.sqrt(p) | p
rsqrt | tf.rsqrt(p) | p
reciprocal | tf.reciprocal(x) | x
exp | tf.exp(x) | x
expm1 | tf.expm1(x) | x
log | tf.log(p) | p
log1p | tf.log1p(p) | p
log_of_negative | tf.log(x)
sqrt_of_zero | tf.sqrt(x - x) | x
sin | tf.sin(x) | x
cos | tf.cos(x) | x
tan | tf.tan(x) | x
asin | tf.asin(u) | u
acos | tf.acos(u) | u
atan | tf.atan(x) | x
sinh | tf.sinh(x) | x
cosh | tf.cosh(x) | x
tanh | tf.tanh(x) | x
sigmoid | tf.sigmoid(x) | x
erf | tf.erf(x) | x
floor | tf.floor(x) | x
ceil | tf.ceil(x) | x
round | tf.round(tf.constant([.5, 1.5, 2.5, -.5, -1.5]))
rint | tf.rint(tf.constant([.5, 1.5, 2.5, -.5, -1.5]))
is_nan | tf.is_nan(tf.log(x))
is_inf | tf.is_inf(1. / u)
is_finite | tf.is_finite(1. / u)
clip_by_value | tf.clip_by_value(x, -1., 1.) | x
clip_at_the_edge | tf.clip_by_value(x, -.75, 2.) | x
clip_by_norm | tf.clip_by_norm(x, 2.) | x
clip_by_global_norm | tf.clip_by_global_norm([x, y], 2.)[0] | x y
global_norm | tf.global_norm([x, y]) | x y
identity | tf.identity(x) | x
stop_gradient | tf.stop_gradient(x) * x | x
cast_float_to_int | tf.cast(x, tf.int32)
cast_to_double | tf.cast(x, tf.float64) | x
cast_to_half | tf.cast(x, tf.float16) | x
to_float | tf.to_float(tf.constant([1, 2]))
to_int32 | tf.to_int32(x)
cast_to_bool | tf.cast(u, tf.bool)
cast_bool_to_float | tf.cast(x > 0, tf.float32)
saturated | tf.saturate_cast(tf.constant([300., -3.]), tf.uint8)
"""

INTEGERS = """
    i = tf.constant([[7, -7, 3], [2, 0, -1]], tf.{dtype}, name="i")
    j = tf.constant([2, 3, -2], tf.{dtype}, name="j")
"""

WHOLE = """
add | i + j
subtract | i - j
multiply | i * j
floordiv | i // j
floordiv_function | tf.floordiv(i, j)
floormod | i % j
truncated_div | tf.truncatediv(i, j)
truediv | i / j
divide | tf.divide(i, j)
pow | tf.pow(i, tf.constant(2, i.dtype))
abs | tf.abs(i)
negative | -i
sign | tf.sign(i)
square | tf.square(i)
maximum | tf.maximum(i, j)
less | i < j
equal | tf.equal(i, j)
cast | tf.cast(i, tf.float32)
cast_narrow | tf.cast(i * 100, tf.int8)
clip | tf.clip_by_value(i, tf.constant(-1, i.dtype), tf.constant(2, i.dtype))
add_n | tf.add_n([i, i])
with_python_number | i + 1
"""

OTHERS = """
logical_and | tf.logical_and(t, f)
logical_or | tf.logical_or(t, f)
logical_not | tf.logical_not(t)
logical_xor | tf.logical_xor(t, f)
equal_of_bools | tf.equal(t, f)
equal_of_strings | tf.equal(tf.constant(["a", "b"]), "a")
complex_multiply | c * c
complex_abs | tf.abs(c)
complex_real | tf.real(c)
complex_imag | tf.imag(c)
complex_conj | tf.conj(c)
complex_build | tf.complex([1., 2.], [3., 4.])
half_add | h + h | h
half_multiply | h * 3. | h
half_exp | tf.exp(h) | h
uint8_wrap | tf.constant([250, 5], tf.uint8) + tf.constant([10, 10], tf.uint8)
int32_wrap | tf.constant([2 ** 31 - 1]) + 1
float_overflow | tf.exp(tf.constant([100., -200.]))
division_by_zero | tf.constant([1., -1., 0.]) / 0.
nan_maximum | tf.maximum(tf.constant([np.nan, 1.]), 0.)
large_integer | tf.constant(2 ** 24 + 1) * 1
empty | tf.zeros([0, 3]) + 1.
cumsum | tf.cumsum([1., 2., 3., 4.])
cumsum_exclusive | tf.cumsum([[1., 2.], [3., 4.]], axis=1, exclusive=True)
cumprod | tf.cumprod([1., 2., 3., 4.], reverse=True)
"""

OTHER_PRELUDE = """
    t = tf.constant([True, True, False]); f = tf.constant([True, False, False])
    c = tf.constant([1 + 2j, -.5j], tf.complex64); h = tf.constant([.5, -2., 3.], tf.float16, name="h")
"""


def _dtype(prelude: str, dtype: str) -> str:
    return prelude.replace("{dtype}", dtype)


CASES = [
    *table("math", _dtype(FLOATS, "float32"), BINARY + UNARY),
    *table("math_float64", _dtype(FLOATS, "float64"), BINARY),
    *table("math_int32", _dtype(INTEGERS, "int32"), WHOLE),
    *table("math_int64", _dtype(INTEGERS, "int64"), WHOLE),
    *table("math_others", OTHER_PRELUDE, OTHERS),
]
