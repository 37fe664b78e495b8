"""The kernel of every sample on a GPU gives what it gives on NumPy."""

import ctypes
from typing import Any

import numpy as np
import pytest

from minitf.core.kernels.host import on_host
from minitf.fast.cuda import gpu, gpu_blas
from tests.fast.cuda import cupy_double
from tests.promises import OPS, Case, assert_same


def is_text(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "OSU"


@pytest.mark.parametrize(
    "real", [pytest.param(True, marks=pytest.mark.gpu), False], ids=["card", "double"]
)
def test_card_equals_numpy(real: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if real:  # in single precision, not in TF32
        monkeypatch.setitem(gpu_blas._TYPES, "f", (0, 68, ctypes.c_float))
    else:
        cupy_double.install(monkeypatch)
    wrong = {}
    for op_def in OPS:
        for number, sample in enumerate(() if op_def.host_only else op_def.samples):
            try:
                _compare(Case(op_def, sample, np.float32))
            except Exception as error:
                wrong[f"{op_def.type}-{number}"] = error
    assert not wrong


def _compare(case: Case) -> None:
    expected = case.kernel()
    if any(map(is_text, [*case.flat, *expected])):
        return  # strings stay on the host
    xp, host = gpu.arrays(), case.op_def.host_inputs
    flat = [v if place in host else xp.asarray(v) for place, v in enumerate(case.flat)]
    for value, wanted in zip(case.kernel(flat, xp=xp), expected, strict=True):
        assert_same(on_host(value), wanted, tolerance=1e-4)
