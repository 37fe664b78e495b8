"""Elementwise ops beyond the registry's promises: names, dtypes, edges of domains, error texts."""

import math
import operator
from typing import Any

import numpy as np
import pytest

import minitf as tf

INF, NAN = float("inf"), float("nan")


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def gradient_at(function: Any, *points: Any) -> list:
    xs = [tf.constant(p, tf.float32) for p in points]
    return [g.tolist() for g in run(tf.gradients(function(*xs), xs))]


# ---- operators ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "name", "op_type"),
    [
        (operator.add, "add", "AddV2"),
        (operator.sub, "sub", "Sub"),
        (operator.mul, "mul", "Mul"),
        (operator.truediv, "truediv", "RealDiv"),
        (operator.floordiv, "floordiv", "FloorDiv"),
        (operator.mod, "mod", "FloorMod"),
        (operator.pow, "pow", "Pow"),
        (operator.lt, "Less", "Less"),
        (operator.le, "LessEqual", "LessEqual"),
        (operator.gt, "Greater", "Greater"),
        (operator.ge, "GreaterEqual", "GreaterEqual"),
    ],
)
def test_operators_name_their_nodes(function: Any, name: str, op_type: str) -> None:
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    first, second = function(x, y), function(x, 2)
    assert (first.name, first.op.type) == (f"{name}:0", op_type)
    assert second.name == f"{name}_1:0"
    assert second.op.inputs[1].name == f"{name}_1/y:0"
    assert second.op.inputs[1].dtype == tf.float32
    assert run(first, {x: 7.0, y: 2.0}) == function(7.0, 2.0)
    assert run(second, {x: 7.0}) == function(7.0, 2.0)


@pytest.mark.parametrize(
    "function",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.floordiv,
        operator.mod,
        operator.pow,
    ],
)
def test_reflected_operators(function: Any) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    of_number, of_array = function(7.0, x), function(np.array([7.0, 9.0], np.float32), x)
    assert of_number.op.inputs[0].op.type == "Const"
    assert run(of_number, {x: [2, 4]}).tolist() == [function(7.0, 2.0), function(7.0, 4.0)]
    assert run(of_array, {x: [2, 4]}).tolist() == [function(7.0, 2.0), function(9.0, 4.0)]


def test_unary_and_boolean_operators() -> None:
    x, p = tf.constant([1.0, -2.0]), tf.constant([True, False])
    named = {"Neg": -x, "Abs": abs(x), "LogicalNot": ~p, "and": p & True, "or": False | p}
    assert {k: v.op.name for k, v in named.items()} == {k: k for k in named}
    exclusive = p ^ [True, True]
    assert (exclusive.op.name, exclusive.op.type) == ("xor", "LogicalAnd")
    values = run([*named.values(), exclusive])
    assert [v.tolist() for v in values] == [
        [-1.0, 2.0],
        [1.0, 2.0],
        [False, True],
        [True, False],
        [True, False],
        [False, True],
    ]


def test_equality_is_identity() -> None:
    x, y = tf.constant(1.0), tf.constant(1.0)
    assert (x == y) is False and (x != y) is True and (x == x) is True
    assert len({x, y}) == 2


def test_true_division_of_integers() -> None:
    x = tf.constant([7, -7], name="x")
    quotient = x / 2
    assert (quotient.name, quotient.dtype) == ("truediv:0", tf.float64)
    assert [t.name for t in quotient.op.inputs] == ["truediv/Cast:0", "truediv/Cast_1:0"]
    assert run(quotient).tolist() == [3.5, -3.5]
    assert (tf.constant(7, tf.int8) / tf.constant(2, tf.int8)).dtype == tf.float32


def test_strings_are_joined() -> None:
    joined = tf.constant(["a", "b"]) + "c"
    assert (joined.name, joined.op.type) == ("add:0", "Add")
    assert run(joined).tolist() == [b"ac", b"bc"]


# ---- the kinds of division ---------------------------------------------------------------------

SIGNS = ([7, -7, 7, -7], [2, 2, -2, -2])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.floordiv, [3, -4, -4, 3]),
        (tf.div, [3, -4, -4, 3]),
        (tf.floormod, [1, 1, -1, -1]),
        (tf.mod, [1, 1, -1, -1]),
        (tf.truncatediv, [3, -3, -3, 3]),
        (tf.truncatemod, [1, -1, 1, -1]),
    ],
)
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.float32, tf.float64])
def test_signs_of_quotients_and_rests(function: Any, expected: list, dtype: tf.DType) -> None:
    if function is tf.div and dtype.is_floating:
        expected = [3.5, -3.5, -3.5, 3.5]
    value = run(function(tf.constant(SIGNS[0], dtype), tf.constant(SIGNS[1], dtype)))
    assert value.tolist() == expected
    assert value.dtype == dtype.as_numpy_dtype


@pytest.mark.parametrize(
    "function", [tf.floordiv, tf.floormod, tf.truncatediv, tf.truncatemod, tf.div]
)
def test_integer_division_by_zero(function: Any) -> None:
    quotient = function(tf.constant([1, 2]), tf.constant([1, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        run(quotient)


def test_float_division_by_zero() -> None:
    x = tf.constant([1.0, -1.0, 0.0])
    assert run(x / 0.0).tolist()[:2] == [INF, -INF]
    assert math.isnan(run(x / 0.0)[2])
    assert run(tf.div_no_nan(x, 0.0)).tolist() == [0.0, 0.0, 0.0]
    assert gradient_at(lambda x: tf.div_no_nan(3.0, x), [0.0, 1.0]) == [[0.0, -3.0]]


def test_floor_division_of_floats_floors_the_quotient() -> None:
    assert run(tf.constant(1.0) // tf.constant(0.1)) == 10.0


# ---- integers wrap, floats overflow, in silence ------------------------------------------------


def test_overflow() -> None:
    assert run(tf.constant(2147483647) + 1) == -2147483648
    assert run(tf.constant([2147483647]) * 2).tolist() == [-2]
    assert run(tf.exp(100.0)) == INF
    assert run(tf.constant(3e38) * 10.0) == INF


def test_outside_the_domain() -> None:
    for value in run([tf.sqrt(-1.0), tf.log(-1.0), tf.asin(2.0), tf.rsqrt(-1.0)]):
        assert math.isnan(value)
    assert run(tf.log(0.0)) == -INF
    assert run(tf.is_nan([1.0, NAN])).tolist() == [False, True]
    assert run(tf.is_inf([1.0, -INF])).tolist() == [False, True]
    assert run(tf.is_finite([1.0, NAN, INF])).tolist() == [True, False, False]


def test_sigmoid_and_tanh_saturate() -> None:
    assert run(tf.sigmoid([-200.0, 0.0, 200.0])).tolist() == [0.0, 0.5, 1.0]
    assert run(tf.tanh([-200.0, 0.0, 200.0])).tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_results_keep_the_dtype_and_scalars_stay_scalars(dtype: tf.DType) -> None:
    x, v = tf.constant(0.5, dtype), tf.constant([0.5, 0.25], dtype)
    for function in (tf.sigmoid, tf.tanh, tf.rsqrt, tf.reciprocal, tf.erf, tf.erfc, tf.square):
        scalar, vector = run([function(x), function(v)])
        assert isinstance(scalar, dtype.as_numpy_dtype)
        assert vector.dtype == dtype.as_numpy_dtype
    assert isinstance(run(tf.where(x > 0, x, -x)), dtype.as_numpy_dtype)


def test_rounding() -> None:
    x = [0.5, 1.5, 2.5, -0.5, -1.5, 0.9]
    assert run(tf.round(x)).tolist() == [0.0, 2.0, 2.0, -0.0, -2.0, 1.0]
    assert tf.round(x).op.type == "Round"
    whole = tf.constant([1, 2])
    assert tf.round(whole) is whole
    assert run(tf.floor(x)).tolist() == [0.0, 1.0, 2.0, -1.0, -2.0, 0.0]
    assert run(tf.ceil(x)).tolist() == [1.0, 2.0, 3.0, -0.0, -1.0, 1.0]


def test_erf_against_the_standard_library() -> None:
    x = np.concatenate([np.linspace(-6, 6, 241), [-40.0, 40.0, 1e-12]])
    exact = np.array([math.erf(v) for v in x])
    exact_rest = np.array([math.erfc(v) for v in x])
    value, rest = run([tf.erf(x), tf.erfc(x)])
    np.testing.assert_allclose(value, exact, rtol=5e-16, atol=5e-16)
    np.testing.assert_allclose(rest, exact_rest, rtol=5e-15, atol=0)
    single, single_rest = run([tf.erf(x.astype("float32")), tf.erfc(x.astype("float32"))])
    np.testing.assert_allclose(single, exact, rtol=5e-7, atol=1e-7)
    np.testing.assert_allclose(single_rest, exact_rest, rtol=1e-5, atol=1e-38)
    assert np.isnan(run(tf.erf(NAN)))


def test_integer_powers() -> None:
    assert run(tf.pow(tf.constant([2, 3]), [3, 2])).tolist() == [8, 9]
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        run(tf.pow(tf.constant(2), -1))


# ---- gradients where the derivative is a convention --------------------------------------------


def test_ties_and_corners() -> None:
    assert gradient_at(tf.maximum, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) == [[1, 0, 1], [0, 1, 0]]
    assert gradient_at(tf.minimum, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) == [[1, 1, 0], [0, 0, 1]]
    assert gradient_at(tf.abs, [-1.0, 0.0, 2.0]) == [[-1, 0, 1]]
    assert gradient_at(tf.sign, [-1.0, 0.0, 2.0]) == [[0, 0, 0]]
    assert gradient_at(lambda x: tf.clip_by_value(x, 0.0, 1.0), [-1.0, 0.5, 2.0]) == [[0, 1, 0]]


def test_powers_of_zero_and_of_negative_numbers() -> None:
    dx, dy = gradient_at(tf.pow, [2.0, 0.0, -2.0], [3.0, 2.0, 2.0])
    assert dx == [12.0, 0.0, -4.0]
    np.testing.assert_allclose(dy, [8 * math.log(2), 0.0, 0.0], rtol=1e-6)


def test_gradients_stop_in_silence() -> None:
    x = tf.constant([0.5])
    for function in (tf.floor, tf.ceil, tf.round, tf.rint, tf.is_nan):
        assert tf.gradients(tf.cast(function(x), tf.float32), x) == [None]
    assert tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x) == [None]


@pytest.mark.parametrize(
    ("x_shape", "y_shape"), [((2, 3), (3,)), ((2, 1), (4, 1, 3)), ((), (2, 2)), ((1,), ())]
)
@pytest.mark.parametrize("known", [True, False])
def test_gradients_sum_over_what_was_broadcast(x_shape: Any, y_shape: Any, known: bool) -> None:
    x = tf.placeholder(tf.float32, x_shape if known else None)
    y = tf.placeholder(tf.float32, y_shape if known else None)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=x_shape), rng.normal(size=y_shape)
    dx, dy = run(tf.gradients(x * y, [x, y]), {x: a, y: b})
    ones = np.ones(np.broadcast_shapes(x_shape, y_shape))
    assert (np.shape(dx), np.shape(dy)) == (x_shape, y_shape)
    np.testing.assert_allclose(dx, _folded(ones * b, x_shape), rtol=1e-5)
    np.testing.assert_allclose(dy, _folded(ones * a, y_shape), rtol=1e-5)


def _folded(x: np.ndarray, shape: tuple) -> np.ndarray:
    """Sums `x` into `shape`, by the definition: one element after the other."""
    result = np.zeros(shape)
    for index in np.ndindex(*x.shape):
        own = index[len(index) - len(shape) :]
        result[tuple(0 if n == 1 else i for i, n in zip(own, shape))] += x[index]
    return result


def test_no_sum_is_built_where_none_can_be_needed() -> None:
    x, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    dx, dw = tf.gradients(x * w, [x, w])
    assert dx.op.type == "Mul"
    assert dw.op.type == "SumToShapeOf"
    (dx,) = tf.gradients(x * x, x)
    assert not [o for o in dx.graph.get_operations() if o.type == "SumToShapeOf" and o is not dw.op]


# ---- functions of several ops ------------------------------------------------------------------


def test_cast() -> None:
    x = tf.constant([1.8, -2.2, 0.0])
    assert tf.cast(x, tf.float32) is x
    assert run(tf.cast(x, tf.int32)).tolist() == [1, -2, 0]
    assert run(tf.cast(x, tf.bool)).tolist() == [True, True, False]
    assert tf.cast(3, tf.float32).op.inputs[0].name == "Cast_2/x:0"
    assert tf.to_float(tf.constant(1)).name == "ToFloat:0"
    assert run(tf.saturate_cast([-3.0, 300.0], tf.uint8)).tolist() == [0, 255]
    assert run(tf.saturate_cast([3e10, -3e10], tf.int32)).tolist() == [2147483520, -2147483648]


def test_add_n() -> None:
    x = tf.constant([1, 2], name="x")
    assert tf.add_n([x]) is x
    assert tf.add_n([x], name="copy").op.type == "Identity"
    total = tf.add_n([x, [3, 4], x])
    assert total.name == "AddN:0"
    assert run(total).tolist() == [5, 8]
    assert run(x).tolist() == [1, 2]
    with pytest.raises(ValueError, match="must be a list of at least one Tensor"):
        tf.add_n([])
    with pytest.raises(TypeError, match=r"have types \[int32, float32\] that don't all match"):
        tf.add_n([x, tf.constant([1.0, 2.0])])
    with pytest.raises(ValueError) as error:
        tf.add_n([tf.zeros([2, 3], name="a"), tf.zeros([3, 3], name="b")], name="s")
    assert str(error.value).startswith(
        "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,3].\n"
        "\tFrom merging shape 0 with other shapes. for 's' (op: 'AddN') with input shapes: "
    )
    partial = tf.add_n([tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [2, 3])])
    assert partial.shape.as_list() == [2, 3]


def test_accumulate_n() -> None:
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [1, None])
    total = tf.accumulate_n([x, y])
    assert (total.op.type, total.shape.as_list()) == ("AccumulateNV2", [1, 2])
    assert run(total, {x: [[1, 2]], y: [[3, 4]]}).tolist() == [[4.0, 6.0]]
    with pytest.raises(TypeError, match="tensor_dtype is tf.int32, but input is of type"):
        tf.accumulate_n([x, y], tensor_dtype=tf.int32)


def test_clipping() -> None:
    assert run(tf.clip_by_value([-2.0, 0.5, 3.0], 0.0, 1.0)).tolist() == [0.0, 0.5, 1.0]
    clipped = tf.clip_by_value(tf.constant([5]), 0, 3)
    assert (clipped.name, clipped.op.type) == ("clip_by_value_1:0", "Maximum")
    with pytest.raises(ValueError, match="not compatible"):
        tf.clip_by_value(tf.zeros([3]), 0.0, tf.zeros([2, 3]))
    assert run(tf.clip_by_norm([3.0, 4.0], 1.0)).tolist() == pytest.approx([0.6, 0.8])
    assert run(tf.clip_by_norm([0.3, 0.4], 1.0)).tolist() == pytest.approx([0.3, 0.4])
    rows = run(tf.clip_by_norm([[3.0, 4.0], [0.0, 0.0]], 1.0, axes=[1]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


def test_clip_by_global_norm() -> None:
    tensors = [tf.constant([3.0]), None, tf.constant([[4.0]])]
    clipped, norm = tf.clip_by_global_norm(tensors, 1.0)
    assert clipped[1] is None
    assert clipped[0].name == "clip_by_global_norm/clip_by_global_norm/_0:0"
    assert norm.name == "global_norm/global_norm:0"
    first, last, length = run([clipped[0], clipped[2], norm])
    assert (first[0], last[0, 0], length) == pytest.approx((0.6, 0.8, 5.0))
    short, _ = tf.clip_by_global_norm([tf.constant([3.0])], 10.0)
    assert run(short[0]).tolist() == [3.0]
    broken, _ = tf.clip_by_global_norm([tf.constant([INF]), tf.constant([1.0])], 1.0)
    assert math.isnan(run(broken[1])[0])
    with pytest.raises(TypeError, match="t_list should be a sequence"):
        tf.global_norm(tf.constant([1.0]))


def test_scalar_mul() -> None:
    assert run(tf.scalar_mul(2, tf.constant([1.0, 2.0]))).tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Only scalar multiply works, got shape"):
        tf.scalar_mul([1.0, 2.0], tf.constant([1.0, 2.0]))


def test_divide_follows_python() -> None:
    assert tf.divide(3, 2) == 1.5
    assert tf.divide(tf.constant(3), 2, name="half").name == "half:0"


def test_gradient_through_complex_numbers() -> None:
    x, y = tf.constant(3.0), tf.constant(4.0)
    size = tf.abs(tf.complex(x, y))
    assert run(tf.gradients(size, [x, y])) == pytest.approx([0.6, 0.8])
    square = tf.real(tf.complex(x, y) * tf.complex(x, y))  # x^2 - y^2
    assert run(tf.gradients(square, [x, y])) == pytest.approx([6.0, -8.0])


# ---- comparisons and choices -------------------------------------------------------------------


def test_comparisons_of_strings() -> None:
    assert run(tf.equal(["a", "b"], "a")).tolist() == [True, False]
    assert run(tf.not_equal("a", "b")) is np.True_
    assert isinstance(run(tf.equal(tf.constant("a"), "a")), np.bool_)


def test_where() -> None:
    choice = tf.where([True, False], [1, 2], [10, 20])
    assert (choice.name, choice.op.type) == ("Select:0", "Select")
    assert run(choice).tolist() == [1, 20]
    rows = tf.where(tf.constant([True, False]), tf.zeros([2, 2]), tf.ones([2, 2]))
    assert run(rows).tolist() == [[0.0, 0.0], [1.0, 1.0]]
    places = tf.where(tf.constant([[True, False], [True, True]]))
    assert (places.dtype, places.shape.as_list()) == (tf.int64, [None, 2])
    assert run(places).tolist() == [[0, 0], [1, 0], [1, 1]]
    with pytest.raises(ValueError, match="x and y must both be non-None or both be None."):
        tf.where([True], [1.0])
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are"):
        tf.where(tf.constant([True, False, True]), tf.zeros([2, 2]), tf.ones([2, 2]))
    assert run(tf.where_v2([[True], [False]], [1.0, 2.0], 0.0)).tolist() == [[1, 2], [0, 0]]


def test_bits() -> None:
    x, y = tf.constant([12, 5]), tf.constant([10, 1])
    bits = tf.bitwise
    functions = [bits.bitwise_and, bits.bitwise_or, bits.bitwise_xor, bits.left_shift]
    values = run([f(x, y) for f in functions] + [bits.right_shift(x, y), bits.invert(x)])
    assert [v.tolist() for v in values] == [
        [8, 1],
        [14, 5],
        [6, 4],
        [12288, 10],
        [0, 2],
        [-13, -6],
    ]


# ---- errors while the graph is built -----------------------------------------------------------


def _float(*shape: int, name: str = "x") -> tf.Tensor:
    return tf.placeholder(tf.float32, shape, name=name)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (
            lambda: tf.multiply(_float(2, 3), _float(2, 2, name="y")),
            ValueError,
            "Dimensions must be equal, but are 3 and 2 for 'Mul' (op: 'Mul') with input shapes: "
            "[2,3], [2,2].",
        ),
        (
            lambda: _float() + tf.constant(1),
            TypeError,
            "Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of argument "
            "'x'.",
        ),
        (
            lambda: tf.constant(1) * 2.5,
            TypeError,
            "Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument "
            "'x'.",
        ),
        (
            lambda: _float() / tf.constant(1, tf.int32),
            TypeError,
            "x and y must have the same dtype, got tf.float32 != tf.int32",
        ),
        (
            lambda: tf.constant(True) / tf.constant(True),
            TypeError,
            "Invalid dtype tf.bool in __truediv__",
        ),
        (
            lambda: tf.sqrt(tf.constant(4)),
            TypeError,
            "Value passed to parameter 'x' has DataType int32 not in list of allowed values: "
            "bfloat16, float16, float32, float64, complex64, complex128",
        ),
        (
            lambda: tf.logical_not(_float()),
            TypeError,
            "Input 'x' of 'LogicalNot' Op has type float32 that does not match expected type of "
            "bool.",
        ),
        (
            lambda: tf.atan2(_float(), tf.constant(1, tf.int32)),
            TypeError,
            "Input 'x' of 'Atan2' Op has type int32 that does not match type float32 of argument "
            "'y'.",
        ),
    ],
)
def test_error_texts(build: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        build()
    assert str(caught.value) == text
