"""Declares families of elementwise operations as tables, one row an op.

A row has the op's type, a formula, its derivative and the range of its samples. The formula gives
the kernel, the text in emitted programs, and the NumPy function that can write into an old buffer:

    row ──> formula "{0} + {1}" ──> kernel (NumPy or CuPy arrays, NumPy scalars)
        │                      └──> the same text inside an emitted program
        ├─> shape: NumPy's broadcasting rule
        ├─> derivative(x, y, z, dz) ──> gradient, summed back over what was broadcast
        └─> samples ──> tests of shapes, values and numeric gradients

The internal ops `SumToShapeOf` and `BroadcastLike` serve the gradients of broadcasting and of
reductions; each is the gradient of the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, brackets, broadcast_shapes
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.dense import reduced, sum_of_rows, total
from minitf.core.ops.examples import named

FLOATING = (*dtypes.FLOATS, *dtypes.COMPLEX)
#: the numbers that most arithmetic has kernels for
ARITHMETIC = (*dtypes.FLOATS, dtypes.int32, dtypes.int64, *dtypes.COMPLEX)

Kernel = Callable[..., Any]
Samples = Sequence[Callable[..., tuple]]
Range = tuple[float, float]


def invalid(message: str) -> errors.OpError:
    """The error of a kernel for a wrong input; the executor adds the node's name."""
    return errors.InvalidArgumentError(None, None, message)


def shown(x: Any) -> str:
    """The shape of an array in run-time errors: '[2,3]'."""
    return brackets(TensorShape(x.shape))


def check_rank(x: Any, rank: int, name: str = "input") -> None:
    """Raises unless an array has `rank` dimensions.

    Raises:
      InvalidArgumentError: "input must be 4-dimensional[2,3]".
    """
    if x.ndim != rank:
        raise invalid(f"{name} must be {rank}-dimensional{shown(x)}")


def sample(*inputs: Any, **attrs: Any) -> Callable[..., tuple]:
    """Returns a sample to test an op with.

    Args:
      inputs: a tuple stands for an array of that shape, from the normal distribution, a list for
        a list of inputs; all else is taken as it is.
      attrs: the attributes.
    """

    def drawn(rng: np.random.Generator, x: Any) -> Any:
        if type(x) is list:
            return [drawn(rng, each) for each in x]
        return rng.normal(size=x) if type(x) is tuple else x

    return lambda rng: (*(drawn(rng, x) for x in inputs), attrs)


# ---- SumToShapeOf ------------------------------------------------------------------------------


@op(
    "SumToShapeOf",
    "dy: T, like: T -> dx: T",
    shape_of="like",
    T=dtypes.NUMBERS,
    alias=True,
    samples=[
        sample((2, 3), (2, 3)),
        sample((2, 3), (3,)),
        sample((4, 2, 3), (2, 1)),
        sample((2, 3), ()),
    ],
)
def sum_to_shape_of(xp: Any, dy: Any, like: Any) -> Any:
    """Sums `dy` over the axes that broadcasting added to or stretched in the shape of `like`."""
    if dy.shape == like.shape:
        return dy
    if like.ndim == 0:
        return total(xp, dy)
    if dy.ndim == 2 and like.shape == dy.shape[1:]:
        return sum_of_rows(xp, dy)
    added = dy.ndim - like.ndim
    stretched = [i for i, n in enumerate(like.shape, added) if n == 1 and dy.shape[i] != 1]
    return reduced(xp, "sum", dy, (*range(added), *stretched), False).reshape(like.shape)


@sum_to_shape_of.shape
def _sum_to_shape_of_shape(dy: Any, like: Any) -> Any:
    return like.shape


@sum_to_shape_of.gradient
def _sum_to_shape_of_grad(op: Any, dx: Tensor) -> list:
    return [broadcast_like(dx, op.inputs[0], keep_dims=True), None]


# ---- BroadcastLike -----------------------------------------------------------------------------


@op(
    "BroadcastLike",
    "dy: T, like: T -> dx: T",
    shape_of="like",
    T=dtypes.NUMBERS,
    samples=[
        sample((3,), (2, 3), axis=(0,)),
        sample((2, 1), (2, 3), keep_dims=True),
        sample((), (2, 3), mean=True),
        sample((2,), (2, 3), axis=(-1,), mean=True),
    ],
)
def broadcast_like(
    xp: Any,
    dy: Any,
    like: Any,
    *,
    axis: tuple | None = None,
    keep_dims: bool = False,
    mean: bool = False,
    out: Any = None,
) -> Any:
    """Spreads `dy`, a reduction over `axis`, over the shape of `like`: the gradient of a sum.

    With `keep_dims` the axes are still there with size 1. With `mean` every element gets its share.
    """
    shape = like.shape
    if mean:
        share = like.size // max(dy.size, 1)
        dy = dy / share if dy.dtype.kind in "fc" else dy // share
    if not shape:
        return dy
    if axis is not None and not keep_dims:
        reduced = {a % len(shape) for a in axis}
        dy = dy.reshape([1 if i in reduced else n for i, n in enumerate(shape)])
    if out is None:
        out = xp.empty(shape, dy.dtype)
    out[...] = dy
    return out


@broadcast_like.shape
def _broadcast_like_shape(dy: Any, like: Any, *, axis: Any, keep_dims: Any, mean: Any) -> Any:
    return like.shape


@broadcast_like.gradient
def _broadcast_like_grad(op: Any, dx: Tensor) -> list:
    axis, keep_dims = op.attrs["axis"], op.attrs["keep_dims"]
    if keep_dims and not op.attrs["mean"]:
        return [sum_to_shape_of(dx, op.inputs[0]), None]
    reduction = "Mean" if op.attrs["mean"] else "Sum"
    return [call(reduction, dx, axis=axis, keep_dims=keep_dims), None]


# ---- rows --------------------------------------------------------------------------------------


def unbroadcast(dy: Tensor, x: Tensor, other: Tensor | None = None) -> Tensor:
    """Returns `dy`, a gradient in the shape of an elementwise result, in the shape of operand `x`.

    The sum over broadcast axes is left out when the static shapes show that there are none.

    Args:
      dy: the gradient, in the shape that `x` and `other` broadcast to.
      x: the operand whose gradient this becomes.
      other: the other operand; with its shape, more sums can be left out.
    """
    if dy.shape == x.shape and x.shape.is_fully_defined():
        return dy
    if other is not None and (other is x or not _may_stretch(x.shape, other.shape)):
        return dy
    return sum_to_shape_of(dy, x)


def _may_stretch(shape: TensorShape, other: TensorShape) -> bool:
    """Whether broadcasting against `other` could add axes to `shape` or enlarge some."""
    if shape.ndims is None or other.ndims is None or other.ndims > shape.ndims:
        return True
    pairs = zip(reversed(shape.as_list()), reversed(other.as_list()), strict=False)
    return any(size in (None, 1) and beside != 1 for size, beside in pairs)


def draw(*ranges: Range, shapes: Sequence[tuple[int, ...]]) -> Callable[..., tuple]:
    """Returns a sample: inputs of `shapes`, each drawn evenly from its range."""

    def sample(rng: np.random.Generator) -> tuple:
        inputs = (rng.uniform(*r, size=s) for r, s in zip(ranges, shapes, strict=True))
        return (*inputs, {})

    return sample


def row(
    op_type: str,
    signature: str,
    formula: str | Kernel,
    doc: str,
    types: Sequence[dtypes.DType],
    *,
    samples: Samples,
    shape: Callable[..., Any],
    gradient: Callable[..., list] | None = None,
    ufunc: str | None = None,
    arithmetic: str | None = None,
    attrs: dict[str, Any] | None = None,
    **traits: Any,
) -> OpDef:
    """Declares an elementwise op; `unary` and `binary` do it through here.

    Args:
      op_type: the op's type, which is also the default name of its nodes.
      signature: as `op` takes it.
      formula: text with `{0}` and `{1}` for the inputs and `{alpha}` for the attribute `alpha`, or
        a kernel `(xp, x, y)`. One with `out=out` in it can write into an old buffer.
      doc: one sentence, what it computes.
      types: the dtypes that `T` may be, when the signature has a `T`.
      samples: inputs to test with.
      shape: the shape function.
      gradient: `(op, dy) -> [dx, dy]`; without one, gradients stop here.
      ufunc: a NumPy function equal to the formula, for writing into an old buffer.
      arithmetic: a text like `formula`, where that is a kernel; see `OpDef`.
      attrs: the attributes of a formula, with their defaults.
      traits: what else `OpDef` takes.
    """
    traits.setdefault("differentiable", gradient is not None)
    constraints: dict[str, Any] = {"T": tuple(types)} if ": T" in signature else {}
    found: dict[str, str | None] = {"ufunc": ufunc, "arithmetic": arithmetic}
    kernel = formula
    if isinstance(formula, str):
        inputs = signature.partition("->")[0].split(",")
        kernel = _compiled(formula, [i.partition(":")[0].strip() for i in inputs], attrs or {})
        found["arithmetic"] = arithmetic or formula
        one_call = re.fullmatch(r"xp\.(\w+)\(\{0\}(, \{1\})?\)", formula)
        if one_call:
            found["ufunc"] = one_call.group(1)
        elif "xp." not in formula and not attrs:
            found["expr"] = formula
    op_def: OpDef = op(
        op_type,
        signature,
        doc=doc,
        elementwise=True,
        samples=samples,
        **constraints,
        **found,
        **traits,
    )(kernel)  # type: ignore[arg-type]
    op_def.shape(shape)
    if gradient is not None:
        op_def.gradient(gradient)
    return op_def


def _compiled(formula: str, parameters: Sequence[str], attrs: dict[str, Any]) -> Kernel:
    """Compiles a formula, a literal of this package, to a kernel."""
    text = formula.format(*parameters, **{name: name for name in attrs})
    if "xp.where" in text:
        text = f"({text})[()]"  # of scalars it makes an array without axes
    keywords = [f"{name}={default!r}" for name, default in attrs.items()]
    keywords += ["out=None"] if "out=out" in text else []
    head = ", ".join(["xp", *parameters, *(["*", *keywords] if keywords else [])])
    kernel: Any = eval(f"lambda {head}: {text}")
    kernel.__name__ = kernel.__qualname__ = "elementwise"
    kernel.__annotations__ = {name: type(default).__name__ for name, default in attrs.items()}
    return kernel


def _kind(types: Sequence[dtypes.DType]) -> str:
    """The type of the inputs in a signature: the name of one dtype, `T` for several."""
    return types[0].name if len(types) == 1 else "T"


def snake_case(op_type: str) -> str:
    """The function name that belongs to an op type: 'IsNan' -> 'is_nan'."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op_type).lower()


def unary(
    op_type: str,
    formula: str | Kernel,
    doc: str,
    types: Sequence[dtypes.DType],
    derivative: Callable[[Tensor, Tensor, Tensor], Tensor | None] | None = None,
    domain: Range = (-2.0, 2.0),
    result: str = "T",
    public: str | None = None,
    samples: Samples | None = None,
    **options: Any,
) -> Callable[..., Tensor]:
    """Declares an elementwise op of one input and returns the function `(x, name=None)` for it.

    Args:
      derivative: `(x, y, dy) -> dx`; without one, gradients stop here.
      domain: the range that the sample inputs are drawn from.
      result: the type of the output: 'T' (as the input) or a dtype's name.
      public: the function's name when it is not the op type in snake case.
      samples: inputs to test with, when a range of floats does not do.
      options: those of `row`, as are the other arguments.
    """
    op_def = row(
        op_type,
        f"x: {_kind(types)} -> y: {result}",
        formula,
        doc,
        types,
        samples=samples or [draw(domain, shapes=[(2, 3)]), draw(domain, shapes=[()])],
        shape=lambda x: x.shape,
        gradient=derivative and (lambda op, dy: [derivative(op.inputs[0], op.outputs[0], dy)]),
        **options,
    )

    def function(x: TensorLike, name: str | None = None) -> Tensor:
        return op_def(x, name=name)

    return named(function, public or snake_case(op_type), _told(doc, types, result, "x"))


def binary(
    op_type: str,
    formula: str | Kernel,
    doc: str,
    types: Sequence[dtypes.DType],
    derivative: Callable[[Tensor, Tensor, Tensor, Tensor], tuple] | None = None,
    domain: tuple[Range, Range] = ((-2.0, 2.0), (-2.0, 2.0)),
    result: str = "T",
    public: str | None = None,
    inputs: tuple[str, str] = ("x", "y"),
    samples: Samples | None = None,
    **options: Any,
) -> Callable[..., Tensor]:
    """Declares an elementwise op of two inputs that broadcast, and returns `(x, y, name=None)`.

    Args:
      derivative: `(x, y, z, dz) -> (dx, dy)` in the shape of the result; the sums over broadcast
        axes are added here. Without one, gradients stop.
      domain: the ranges that the samples of `x` and of `y` are drawn from.
      inputs: the names of the two.

    The other arguments are those of `unary`.
    """
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (4, 1, 3))]
    shapes += [((), (2, 3)), ((3,), ()), ((), ())]

    def gradient(op: Any, dz: Tensor) -> list:
        x, y = op.inputs
        dx, dy = derivative(x, y, op.outputs[0], dz)  # type: ignore[misc]
        return [unbroadcast(dx, x, y), unbroadcast(dy, y, x)]

    kind = _kind(types)
    op_def = row(
        op_type,
        f"{inputs[0]}: {kind}, {inputs[1]}: {kind} -> z: {result}",
        formula,
        doc,
        types,
        samples=samples or [draw(*domain, shapes=s) for s in shapes],
        shape=lambda x, y: broadcast_shapes(x.shape, y.shape),
        gradient=derivative and gradient,
        broadcasts=True,
        **options,
    )

    x, y = inputs  # by which keywords call it
    text = f"lambda {x}, {y}, name=None: op_def({x}, {y}, name=name)"
    function = eval(compile(text, __file__, "eval"), {"op_def": op_def})
    return named(function, public or snake_case(op_type), _told(doc, types, result, f"{x}, {y}"))


def _told(doc: str, types: Sequence[dtypes.DType], result: str, inputs: str) -> str:
    """The docstring of a function, with Args and Returns."""
    if "Args:" in doc:
        return doc
    many = ", " in inputs
    given = f"a tensor of {', '.join(dtype.name for dtype in types)}"
    given += "; both of one dtype, in shapes that broadcast" if many else ""
    dtype = "the same dtype" if result == "T" else result
    shape = "the shape that both broadcast to" if many else "the same shape"
    return (
        f"{doc}\n\nArgs:\n  {inputs}: {given}.\n  name: of the operation.\n"
        f"Returns: a tensor of {dtype}, in {shape}.\n"
    )
