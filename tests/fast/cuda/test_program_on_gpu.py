"""The kernels written for cards, translated for this machine: they compute what NumPy does."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from minitf.fast.cuda.kernels_on_gpu import card_source
from minitf.fast.kernels.elementwise import in_numpy
from minitf.fast.kernels.program import FULL, PRIMITIVES, Builder, Program, expanded

_HEAD = """#include <cmath>
using namespace std;
static inline float rsqrt(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
"""
_SPECIAL = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2, 1e-3, -3e3, 80]


def one_primitive(op: str, dtype: str) -> Program:
    """A program of one primitive over two arrays, where it can be seen in a number."""
    builder = Builder(dtype)
    x, y = builder.operand(), builder.operand()
    arguments = [x, y][: PRIMITIVES[op].text.count("{")]
    if op.startswith("logical"):
        arguments = [builder.step("greater", v, builder.constant(0.25)) for v in arguments]
    elif op == "where":
        arguments = [builder.step("less", x, y), x, y]
    result = builder.step(op, *arguments)
    if PRIMITIVES[op].logical:
        result = builder.step("where", result, builder.constant(3), y)
    return builder.program(builder.step("add", result, builder.step("multiply", x, y)))[0]


def c_function(name: str, program: Program) -> str:
    """The kernel as a loop in C++."""
    _, _, operation = card_source(expanded(program, {"softplus"}))
    kind = "float" if program.dtype.char == "f" else "double"
    count = range(len(program.operands))
    arrays = ", ".join(f"const {kind}* a{i}" for i in count)
    loads = " ".join(f"{kind} x{i} = a{i}[i];" for i in count)
    return (
        f'extern "C" void {name}(long n, {arrays}, {kind}* out) {{\n'
        f"for (long i = 0; i < n; i++) {{ {loads} {kind} y;\n{operation}\nout[i] = y; }} }}\n"
    )


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_every_primitive(tmp_path: Path) -> None:
    programs = [one_primitive(op, dtype) for op in PRIMITIVES for dtype in "fd" if op != "erf"]
    programs.append(one_primitive("erf", "f"))
    text = _HEAD + "".join(c_function(f"k{i}", p) for i, p in enumerate(programs))
    (tmp_path / "card.cpp").write_text(text)
    made = tmp_path / "card.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-o", made, tmp_path / "card.cpp"], check=True)
    library = ctypes.CDLL(str(made))
    for number, program in enumerate(programs):
        x, y = (v.ravel().astype(program.dtype) for v in np.meshgrid(_SPECIAL, _SPECIAL))
        result = np.empty_like(x)
        arguments: list[Any] = [v.ctypes.data_as(ctypes.c_void_p) for v in (x, y, result)]
        getattr(library, f"k{number}")(ctypes.c_long(x.size), *arguments)
        with np.errstate(all="ignore"):
            expected = in_numpy(program).straight(x, y)
        assert_allclose(result, expected, rtol=2e-6, atol=1e-6, err_msg=program.text(["x", "y"]))


def test_the_text_reads_as_the_program() -> None:
    builder = Builder("f")
    x, w = builder.operand(), builder.operand(FULL)
    program, _ = builder.program(builder.formula("maximum({0} * {1}, 0.5)", [x, w]))
    parameters, result, operation = card_source(program)
    assert (parameters, result) == ("float32 x0, float32 x1", "float32 y")
    assert operation.splitlines() == [
        "typedef float T;",
        "T v3 = x0 * x1;",
        "T v4 = (v3 > T(0.5) || v3 != v3 ? v3 : T(0.5));",
        "y = v4;",
    ]
