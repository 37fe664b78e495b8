"""The set-up of BLAS: which kernels it runs, and that they still multiply."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
a = np.random.default_rng(0).normal(size=(200, 300)); before = a @ a.T
from minitf.runtime import blas
print(blas._has_wide_registers(), *blas.widen_blas_kernels())
assert blas.widen_blas_kernels() is blas.widen_blas_kernels()
np.testing.assert_allclose(a @ a.T, before, rtol=1e-12)
np.testing.assert_allclose(np.linalg.inv(before) @ before, np.eye(200), atol=1e-6)
"""


def kernels(**settings: str) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    program = [sys.executable, "-c", PROGRAM]
    result = subprocess.run(
        program, env={**environment, **settings}, capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_avx512_is_used_where_it_is_there() -> None:
    wide, *names = kernels()
    if not names:
        pytest.skip("NumPy stands on another BLAS than OpenBLAS here")
    if wide == "True":
        assert not {"Haswell", "Zen"} & set(names)


def test_a_set_core_type_stays() -> None:
    names = kernels(OPENBLAS_CORETYPE="Haswell")[1:]
    if not names:
        pytest.skip("NumPy stands on another BLAS than OpenBLAS here")
    assert set(names) == {"Haswell"}
