"""Assertions about tensors: what is wrong in the graph fails at once, the rest when it runs.

assert_less(x, y)     known values    an error while the graph is built
                      others          an `Assert` operation, for `control_dependencies`
ensure_shape(x, s)    a tensor that knows its shape, and fails in a run where it has another
check_numerics(x)     the tensor, unless it holds infinities or what is no number
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.stacks import control_dependencies, get_default_graph, name_scope
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops import comparisons
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.control import group, no_op, with_dependencies
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.examples import named
from minitf.core.ops.reductions import reduce_all
from minitf.library.checks.logging_ops import Assert

# ---- comparisons -------------------------------------------------------------------------


def _static_text(item: Any) -> str:
    known = constant_value(item) if isinstance(item, Tensor) else None
    return str(item) if known is None else str(known)


_OF_SHAPES = ("Shape", "Size", "Rank")
#: The operations whose values TensorFlow knows without running them.
_STATED = (*_OF_SHAPES, "Const", "Range", "Cast", "ConcatV2", "Pack", "Fill", "Equal", "NotEqual")


def _is_stated(tensor: Any) -> bool:
    """Whether an assertion about a tensor is decided before it runs.

    More values could be known; but a check in a branch that is not taken must not fail, and for
    what is computed TensorFlow's checks fail when they run.
    """
    if constant_value(tensor) is None or tensor.op.type not in _STATED:
        return False
    return tensor.op.type in _OF_SHAPES or all(map(_is_stated, tensor.op.inputs))


def _compared(function_name: str, sign: str, compare: Callable[..., Tensor]) -> Callable[..., Any]:
    def function(
        x: Any,
        y: Any,
        data: Sequence[Any] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        with name_scope(name, function_name, [x, y]):
            one, other = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
            condition = reduce_all(compare(one, other))
            if stacks.executing_eagerly():
                if np.asarray(condition):
                    return None
                lines = [
                    message or "",
                    f"Condition x {sign} y did not hold.",
                    f"x (shape={one.shape.as_list()}) = {np.asarray(one)}",
                    f"y (shape={other.shape.as_list()}) = {np.asarray(other)}",
                ]
                raise invalid("\n".join(lines))
            if data is None:
                data = [
                    *([message] if message else []),
                    f"Condition x {sign} y did not hold element-wise:",
                    f"x ({one.name}) = ",
                    one,
                    f"y ({other.name}) = ",
                    other,
                ]
            if all(map(_is_stated, (one, other))) and not constant_value(condition):
                raise invalid("\n".join(map(_static_text, data)))
            return Assert(condition, list(data), summarize=summarize, name="Assert")

    doc = f"Asserts that `x {sign} y` holds for all elements; see `assert_equal`."
    return named(function, function_name, doc)


_all_equal = _compared("assert_equal", "==", comparisons.equal)


def assert_equal(
    x: Any,
    y: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Asserts that `x == y` holds for all elements.

    Args:
      x: numbers.
      y: numbers of the same type, of a shape that broadcasts with that of `x`.
      data: what to show when it fails; `x` and `y` by default.
      summarize: how many elements of each tensor to show.
      message: what to say first.
      name: the name of the scope.
    Returns: an operation that fails where the assertion does.
    Raises:
      InvalidArgumentError: at once when the values are known.
    """
    with name_scope(name, "assert_equal", [x, y]):  # its name is spent
        if x is y:
            return no_op()
    return _all_equal(x, y, data, summarize, message, name)


assert_less = _compared("assert_less", "<", comparisons.less)
assert_less_equal = _compared("assert_less_equal", "<=", comparisons.less_equal)
assert_greater = _compared("assert_greater", ">", comparisons.greater)
assert_greater_equal = _compared("assert_greater_equal", ">=", comparisons.greater_equal)


def _signed(function_name: str, sign: str, turned: bool, compare: Any) -> Callable[..., Any]:
    def function(
        x: Any,
        data: Sequence[Any] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        with name_scope(name, function_name, [x, data]):
            tensor = convert_to_tensor(x, name="x")
            if data is None:
                text = f"Condition x {sign} 0 did not hold element-wise:"
                whose = f"x ({_name_of(tensor)}) = "
                # TensorFlow makes one of the two for "<="
                both = [text + whose] if sign == "<=" else [text, whose]
                data = [_begun(message), *both, tensor]
            zero = zeros([], tensor.dtype.base_dtype)
            pair = (zero, tensor) if turned else (tensor, zero)
            return compare(*pair, data=data, summarize=summarize)

    doc = f"Asserts that `x {sign} 0` holds for all elements; see `assert_equal`."
    return named(function, function_name, doc)


def _begun(message: str | None, end: str = ".  ") -> str:
    """How a text begins that repeats the program's message; empty without one."""
    return f"{message}{end}" if message else ""


def _name_of(tensor: Tensor) -> str:
    return str(tensor.shape) if stacks.executing_eagerly() else tensor.name


assert_positive = _signed("assert_positive", ">", True, assert_less)
assert_non_negative = _signed("assert_non_negative", ">=", True, assert_less_equal)

# ---- ranks and shapes --------------------------------------------------------------------


def _ranked(
    function_name: str,
    words: str,
    fits: Callable[[int, int], bool],
    fits_when_run: Callable[..., Tensor],
) -> Callable[..., Any]:
    """Makes an assertion of what a tensor "must have", by comparing ranks or tensors of them."""

    def function(
        x: Any,
        rank: Any,
        data: Sequence[Any] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        with name_scope(name, function_name, [x, data]):
            tensor = x if isinstance(x, SparseTensor) else convert_to_tensor(x, name="x")
            wanted = convert_to_tensor(rank, name="rank")
            assert_type(wanted, dtypes.int32)
            known, have = constant_value(wanted), tensor.shape.ndims
            if known is not None and known.ndim:
                raise ValueError("Rank must be a scalar.")
            if known is not None and have is not None:
                if not fits(have, int(known)):
                    raise ValueError(
                        f"{_begun(message)}Tensor {_name_of(tensor)} must have {words} {known}.  "
                        f"Received rank {have}, shape {tensor.shape}"
                    )
                return no_op(name="static_checks_determined_all_ok")
            if data is None:
                must = f"Tensor {tensor.name} must have {words}"
                data = [message or "", must, wanted, "Received shape: ", shape_of(tensor)]
            condition = fits_when_run(rank_of(tensor), wanted)
            return Assert(condition, list(data), summarize=summarize)

    doc = f"""Asserts that a tensor has {words} `rank`.

    Args:
      x: a tensor.
      rank: an integer, or a scalar tensor.
      data, summarize, message, name: see `assert_equal`.
    Raises:
      ValueError: at once when the static shape says otherwise.
    """
    return named(function, function_name, doc)


assert_rank = _ranked("assert_rank", "rank", operator.eq, comparisons.equal)
assert_rank_at_least = _ranked(
    "assert_rank_at_least", "rank at least", operator.ge, comparisons.greater_equal
)


# ---- types -------------------------------------------------------------------------------


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Asserts the dtype of a tensor.

    Raises:
      TypeError: when it is another.
    """
    wanted = dtypes.as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype.base_dtype != wanted:
            raise TypeError(
                f"{_begun(message, '  ')}{_name_of(tensor)} must be of type {wanted!r}; got "
                f"{tensor.dtype.base_dtype!r}"
            )
        return no_op(name="statically_determined_correct_type")


def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: Any = None) -> Any:
    """The one float type of all `tensors`; float32 when there are none.

    Raises:
      ValueError: when they differ, or it is no float type.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        have = tensor.dtype.base_dtype
        if wanted is None:
            wanted, first = have, tensor
        elif have != wanted:
            beside = f" as {first.name}" if first is not None else ""
            raise ValueError(
                f"{tensor.name}, type={have}, must be of the same type ({wanted}){beside}."
            )
    wanted = wanted or dtypes.float32
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


# ---- CheckNumerics -----------------------------------------------------------------------


@op(
    "CheckNumerics",
    "tensor: T -> output: T",
    T=dtypes.FLOATS,
    alias=True,
    stateful=True,  # it is wanted for its failure, even where nobody wants its result
    samples=[lambda rng: (rng.normal(size=(2, 3)), {"message": "sample"})],
)
def check_numerics_op(xp: Any, tensor: Any, *, message: str) -> Any:
    """Gives `tensor` unchanged, unless it holds infinities or what is no number."""
    if not xp.isfinite(tensor).all():
        found = [
            word for word, test in (("Inf", xp.isinf), ("NaN", xp.isnan)) if test(tensor).any()
        ]
        raise invalid(f"{message} : Tensor had {' and '.join(found)} values")
    return tensor


check_numerics_op.shape(unchanged_shape)


@check_numerics_op.gradient
def _check_numerics_grad(op: Any, dy: Tensor) -> list:
    said = "Not a number (NaN) or infinity (Inf) values detected in gradient."
    return [check_numerics_op(dy, message=f"{op.attrs['message']}: {said}")]


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """`tensor`; a run in which it holds infinities or what is no number fails with `message`."""
    return check_numerics_op(tensor, message=message, name=name)


def verify_tensor_all_finite(
    t: Any = None, msg: Any = None, name: str | None = None, x: Any = None, message: Any = None
) -> Tensor:
    """`t`, given only when all its elements are finite.

    Args:
      t: a float tensor.
      msg: what to say when it fails.
      name: the name of the scope.
      x: the newer spelling of `t`.
      message: the newer spelling of `msg`.
    """
    given = t if x is None else x
    with name_scope(name, "VerifyFinite", [given]):
        tensor = convert_to_tensor(given, name="x")
        with stacks.colocate_with(tensor):
            check = check_numerics_op(tensor, message=msg if message is None else message)
            return with_dependencies([check.op], tensor)


def add_check_numerics_ops() -> Operation:
    """An operation that checks all float tensors of the graph, one after the other.

    Raises:
      RuntimeError: under eager execution.
    """
    if stacks.executing_eagerly():
        raise RuntimeError("add_check_numerics_ops() is not compatible with eager execution.")
    checks: list[Operation] = []
    for operation in get_default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype in dtypes.FLOATS:  # no reference: to read it may be to assign it
                with control_dependencies(checks[-1:]):
                    checks.append(check_numerics_op(output, message=output.name).op)
    return group(*checks)
