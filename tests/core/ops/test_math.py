"""Elementwise ops beyond the registry's promises: names, dtypes, edges of domains, error texts."""

import operator
from typing import Any

import numpy as np
import pytest

import minitf as tf

INF, NAN = float("inf"), float("nan")


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


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


def test_true_division_of_integers() -> None:
    x = tf.constant([7, -7], name="x")
    quotient = x / 2
    assert (quotient.name, quotient.dtype) == ("truediv:0", tf.float64)
    assert [t.name for t in quotient.op.inputs] == ["truediv/Cast:0", "truediv/Cast_1:0"]
    assert run(quotient).tolist() == [3.5, -3.5]
    assert (tf.constant(7, tf.int8) / tf.constant(2, tf.int8)).dtype == tf.float32


# ---- the kinds of division ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [tf.floordiv, tf.floormod, tf.truncatediv, tf.truncatemod, tf.div]
)
def test_integer_division_by_zero(function: Any) -> None:
    quotient = function(tf.constant([1, 2]), tf.constant([1, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        run(quotient)


# ---- integers wrap, floats overflow, in silence ------------------------------------------------


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_results_keep_the_dtype_and_scalars_stay_scalars(dtype: tf.DType) -> None:
    x, v = tf.constant(0.5, dtype), tf.constant([0.5, 0.25], dtype)
    for function in (tf.sigmoid, tf.tanh, tf.rsqrt, tf.reciprocal, tf.erf, tf.erfc, tf.square):
        scalar, vector = run([function(x), function(v)])
        assert isinstance(scalar, dtype.as_numpy_dtype)
        assert vector.dtype == dtype.as_numpy_dtype
    assert isinstance(run(tf.where(x > 0, x, -x)), dtype.as_numpy_dtype)


# ---- gradients where the derivative is a convention --------------------------------------------


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
