"""The samples that ops declare, for the tests of what declaring an op promises."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.op_def import OpDef, all_op_defs, load_all_ops
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.string_values import with_shape

load_all_ops()

#: those of the library; other tests of the same process may have declared some of their own
OPS = [
    op_def
    for op_def in all_op_defs()
    if str(op_def.__module__).startswith("minitf.") and ".testing." not in op_def.__module__
]


#: runs a test on every sample
for_samples = pytest.mark.parametrize(
    ("op_def", "sample"),
    [
        pytest.param(op_def, sample, id=f"{op_def.type}-{index}")
        for op_def in OPS
        for index, sample in enumerate(op_def.samples)
    ],
)


class Case:
    """One sample of an op, with its floats as `dtype`.

    Attributes:
      inputs: as the kernel takes them: arrays, NumPy scalars, and lists of them.
      flat: the same in one list.
      moving: the places in `flat` of the float inputs, along which gradients are taken.
    """

    def __init__(self, op_def: OpDef, sample: Callable, dtype: Any = np.float64) -> None:
        seed = zlib.crc32(op_def.type.encode())
        *inputs, attrs = sample(np.random.default_rng(seed))
        self.op_def = op_def
        self.dtype = np.dtype(dtype)
        self.attrs = op_def.complete_attrs(attrs)
        self.inputs = [
            [self._cast(v, arg) for v in value] if arg.is_list else self._cast(value, arg)
            for value, arg in zip(inputs, op_def.inputs, strict=True)
        ]
        self.flat: list[Any] = []
        for value in self.inputs:
            self.flat += value if isinstance(value, list) else [value]
        self.moving = [i for i, value in enumerate(self.flat) if value.dtype == np.float64]

    def _cast(self, value: Any, arg: Any) -> Any:
        """Floats as the dtype under test, where the input's type allows; scalars as NumPy's."""
        array = np.asarray(value)
        allowed = self.op_def.constraints.get(arg.type)
        if array.dtype == np.float64 and (allowed is None or tf.as_dtype(self.dtype) in allowed):
            array = array.astype(self.dtype)
        return array if array.ndim else array[()]

    def kernel(self, flat: Any = None, xp: Any = np, **options: Any) -> list[Any]:
        """The kernel's outputs as a list."""
        inputs = self.op_def.group(self.flat if flat is None else flat)
        result = self.op_def.kernel(xp, *inputs, **self.attrs, **options)
        results = result if isinstance(result, (list, tuple)) else [result]
        return [with_shape(v) if isinstance(v, bytes) else v for v in results]

    def placeholders(self, known: Callable[[Any], Any]) -> list[Tensor]:
        """A placeholder for each input; `known` says what is known of the shape."""
        return [tf.placeholder(tf.as_dtype(v.dtype), known(v.shape)) for v in self.flat]

    def build(self, flat: Any) -> list[Tensor]:
        """Adds the op to the graph."""
        result = self.op_def(*self.op_def.group(flat), **self.attrs)
        return result if isinstance(result, list) else [result]

    def constants(self) -> list[Tensor]:
        """A constant for each input."""
        return [tf.constant(v) for v in self.flat]

    def feed(self, placeholders: list[Tensor]) -> dict:
        return dict(zip(placeholders, self.flat, strict=True))


def assert_same(actual: Any, expected: Any, tolerance: float = 0.0) -> None:
    """Same dtype, same shape, same values."""
    actual, expected = (
        np.asarray(with_shape(v) if isinstance(v, bytes) else v) for v in (actual, expected)
    )
    if expected.dtype.names:  # of a quantized type; what is fetched are its whole numbers
        expected = expected[expected.dtype.names[0]]
        actual = actual[actual.dtype.names[0]] if actual.dtype.names else actual
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind in "fc":
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(actual, expected)
