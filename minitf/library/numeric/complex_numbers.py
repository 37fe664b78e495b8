"""Complex numbers: made of two real tensors, and taken apart again.

Gradients of real losses follow TensorFlow's convention: `dx` is the conjugate of the derivative, so
that `x - rate * dx` goes downhill.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.shapes import broadcast_shapes
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.elementwise import row, sample, unbroadcast

_REAL = (dtypes.float32, dtypes.float64)


def _plane(rng: Any) -> Any:
    return rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))


# ---- Complex -----------------------------------------------------------------------------------


def _from_parts(xp: Any, real: Any, imag: Any, *, Tout: Any = dtypes.complex64) -> Any:
    return (real + 1j * imag).astype(Tout.as_numpy_dtype)


def _complex_grad(op: Any, dz: Tensor) -> list:
    a, b = op.inputs
    return [unbroadcast(real(dz), a), unbroadcast(imag(dz), b)]


_complex_op = row(
    "Complex",
    "real: T, imag: T -> out: Tout",
    _from_parts,
    "Makes complex numbers of their real and imaginary parts.",
    _REAL,
    batch="broadcast",
    samples=[sample((2, 3), (3,))],
    shape=lambda real, imag, *, Tout: broadcast_shapes(real.shape, imag.shape),
    gradient=_complex_grad,
)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Makes complex numbers of their real and imaginary parts.

    Args:
      real: a float32 or float64 tensor.
      imag: a tensor of the same type.
      name: the operation's name.
    Returns: a complex64 or complex128 tensor.
    Raises:
      TypeError: when the parts have different types, or types that are not these two.
    Example:
      >>> sess.run(tf.complex([1., 2.], [3., 4.]))
      array([1.+3.j, 2.+4.j], dtype=complex64)
    """
    with name_scope(name, "Complex") as scope:
        real = convert_to_tensor(real, name="real")
        imag = convert_to_tensor(imag, name="imag")
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if types == (dtypes.float64, dtypes.float64):
            result = dtypes.complex128
        elif types == (dtypes.float32, dtypes.float32):
            result = dtypes.complex64
        else:
            raise TypeError(f"real and imag have incorrect types: {types[0].name} {types[1].name}")
        return _complex_op(real, imag, Tout=result, name=scope)


# ---- Real, Imag, ComplexAbs -------------------------------------------------------


def _part(op_type: str, argument: str, ufunc: str, doc: str, gradient: Any) -> Any:
    """Declares an op from complex numbers to the real type of the same width."""

    def kernel(xp: Any, x: Any, *, Tout: Any = dtypes.float32) -> Any:
        return getattr(xp, ufunc)(x).astype(Tout.as_numpy_dtype)

    return row(
        op_type,
        f"{argument}: T -> output: Tout",
        kernel,
        doc,
        dtypes.COMPLEX,
        samples=[lambda rng: (_plane(rng), {"Tout": dtypes.float64})],
        shape=lambda x, *, Tout: x.shape,
        gradient=gradient,
    )


_real_op = _part(
    "Real",
    "input",
    "real",
    "Takes the real part of complex numbers.",
    lambda op, dy: [complex(dy, zeros_like(dy))],
)
_imag_op = _part(
    "Imag",
    "input",
    "imag",
    "Takes the imaginary part of complex numbers.",
    lambda op, dy: [complex(zeros_like(dy), dy)],
)
_part(
    "ComplexAbs",
    "x",
    "abs",
    "Computes the magnitude of complex numbers.",
    lambda op, dy: [complex(dy, zeros_like(dy)) * call("Sign", op.inputs[0])],
)


def _of_complex(op_def: Any, x: Any, name: str | None, of_real: Any) -> Tensor:
    with name_scope(name, op_def.type) as scope:
        x = convert_to_tensor(x, name=op_def.inputs[0].name)
        if x.dtype.is_complex:
            return op_def(x, Tout=x.dtype.real_dtype, name=scope)
        return of_real(x)


def real(input: Any, name: str | None = None) -> Tensor:
    """Takes the real part; a real tensor is returned as it is."""
    return _of_complex(_real_op, input, name, lambda x: x)


def imag(input: Any, name: str | None = None) -> Tensor:
    """Takes the imaginary part; zeros for a real tensor."""
    return _of_complex(_imag_op, input, name, zeros_like)
