"""The kernel of every sample on a GPU gives what it gives on NumPy."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minitf.core.graph.op_def import OpDef
from minitf.core.kernels.host import on_host
from minitf.fast.cuda import gpu, gpu_blas
from tests.fast.cuda import cupy_double
from tests.promises import Case, assert_same, for_samples


def is_text(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "OSU"


@pytest.mark.parametrize(
    "real", [pytest.param(True, marks=pytest.mark.gpu), False], ids=["card", "double"]
)
@for_samples(lambda op_def: not op_def.host_only)
def test_card_equals_numpy(
    op_def: OpDef, sample: Callable, real: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(op_def, sample, np.float32)
    expected = case.kernel()
    if any(map(is_text, [*case.flat, *expected])):
        pytest.skip("strings stay on the host")
    if real:  # in single precision, not in TF32
        monkeypatch.setitem(gpu_blas._TYPES, "f", (0, 68, ctypes.c_float))
    else:
        cupy_double.install(monkeypatch)
    xp, host = gpu.arrays(), op_def.host_inputs
    flat = [v if place in host else xp.asarray(v) for place, v in enumerate(case.flat)]
    for value, wanted in zip(case.kernel(flat, xp=xp), expected, strict=True):
        assert_same(on_host(value), wanted, tolerance=1e-4)
