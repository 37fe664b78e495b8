"""Variables, placeholders and constants of `tf.keras.backend`, and what is asked of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array, random
from minitf.core.ops.cast import cast as cast_to
from minitf.library.eager.tensor import EagerTensor
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.backend.session import get_graph, track_variables
from minitf.library.sparse.sparse import sparse_placeholder, sparse_tensor_to_dense
from minitf.library.variables.resource_variable import ResourceVariable

# ---- variables, placeholders, constants ----------------------------------------------------


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """Makes a variable, which Keras initializes before it is used.

    Args:
      value: an array or a tensor; its first value.
      dtype: the type; `floatx()` by default.
      name: the name.
      constraint: see `tf.Variable`.

    Example:
      >>> v = tf.keras.backend.variable([[1.0, 2.0]], name="v")
      >>> tf.keras.backend.eval(v + 1.0)
      array([[2., 3.]], dtype=float32)
    """
    if hasattr(value, "tocoo"):  # a matrix of SciPy
        return _sparse(value)
    made = ResourceVariable(
        value, dtype=dtypes.as_dtype(dtype or floatx()), name=name, constraint=constraint
    )
    track_variables([made])
    return made


def _sparse(value: Any) -> SparseTensor:
    matrix = value.tocoo()
    indices = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
    return SparseTensor(indices, matrix.data, matrix.shape)


def placeholder(
    shape: Any = None,
    ndim: int | None = None,
    dtype: Any = None,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Makes a placeholder.

    Args:
      shape: its static shape.
      ndim: its rank, where no shape is given.
      dtype: the type; `floatx()` by default.
      sparse: whether it takes sparse tensors.
      name: the name.
    """
    if shape is None and ndim:
        shape = (None,) * ndim
    kind = dtypes.as_dtype(dtype or floatx())
    with get_graph().as_default():
        return (sparse_placeholder if sparse else array.placeholder)(kind, shape=shape, name=name)


# ---- random tensors ------------------------------------------------------------------------


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """A tensor drawn from a normal distribution."""
    return random.random_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """A tensor drawn evenly from [minval, maxval)."""
    return random.random_uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def _seed(seed: int | None) -> int:
    """A seed for one operation: Keras draws it by NumPy, which a program may have seeded."""
    return int(np.random.randint(10_000_000)) if seed is None else seed  # noqa: NPY002


# ---- what is asked of a tensor -------------------------------------------------------------


def dtype(x: Any) -> str:
    """The name of a tensor's type, as "float32"."""
    return x.dtype.base_dtype.name


def ndim(x: Any) -> int | None:
    """The rank of a tensor; None when it is not known."""
    return x.shape.ndims


def int_shape(x: Any) -> tuple | None:
    """The static shape as a tuple of integers and None; None when the rank is not known.

    Example:
      >>> tf.keras.backend.int_shape(tf.placeholder(tf.float32, [None, 3]))
      (None, 3)
    """
    shape = getattr(x, "shape", None)
    if shape is None or getattr(shape, "ndims", len(np.shape(shape))) is None:
        return None
    return tuple(getattr(size, "value", size) for size in shape)


def is_tensor(x: Any) -> bool:
    """Whether something is a tensor, a sparse one, or a variable."""
    return isinstance(x, (Tensor, EagerTensor, SparseTensor)) or hasattr(x, "assign_add")


def is_keras_tensor(x: Any) -> bool:
    """Whether a tensor came from a layer or from `Input`.

    Raises:
      ValueError: when it is no tensor.
    """
    if not is_tensor(x):
        raise ValueError(
            f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor "
            "instance."
        )
    return hasattr(x, "_keras_history")


def is_sparse(tensor: Any) -> bool:
    """Whether a tensor is sparse."""
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """A sparse tensor made dense; a dense one as it is."""
    return sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


# ---- other types, other values -------------------------------------------------------------


def cast(x: Any, dtype: Any) -> Tensor:
    """A tensor of another type.

    Args:
      x: the tensor.
      dtype: the type, or its name, as "float16".
    """
    return cast_to(x, dtypes.as_dtype(dtype))


def cast_to_floatx(x: Any) -> Any:
    """An array, or a tensor, of type `floatx()`."""
    return cast_to(x, floatx()) if is_tensor(x) else np.asarray(x, dtype=floatx())
