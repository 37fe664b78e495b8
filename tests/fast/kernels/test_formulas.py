"""The formulas of elementwise operations: they compute what the kernels compute."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.op_def import OpDef, all_op_defs, load_all_ops
from minitf.fast.kernels.elementwise import in_numpy
from minitf.fast.kernels.program import FULL, Builder, is_known

load_all_ops()


def _formula(op_def: OpDef) -> str:
    formula = op_def.arithmetic or "unknown()"
    for name, value in op_def.attr_defaults.items():
        formula = formula.replace(f"{{{name}}}", repr(value))
    return formula


def _of_rows() -> list:
    return [
        pytest.param(op_def, id=op_def.type)
        for op_def in all_op_defs()
        if op_def.elementwise and op_def.type not in ("BiasAdd", "_AddTerm")
        if is_known(_formula(op_def), len(op_def.inputs))
        if tf.float32 in op_def.constraints.get("T", [tf.float32])
    ]


@pytest.mark.parametrize("op_def", _of_rows())
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda d: d.__name__)
def test_kernel_and_formula_agree(op_def: OpDef, dtype: Any) -> None:
    if tf.as_dtype(dtype) not in op_def.arithmetic_types:
        pytest.skip("the formula is of another precision")
    inputs, attrs = op_def.samples[0](np.random.default_rng(1))[:-1], op_def.attr_defaults
    inputs = [x.astype(dtype) if x.dtype == np.float64 else x for x in inputs]
    builder = Builder(dtype)
    operands = [builder.operand(FULL, x.dtype == np.bool_) for x in inputs]
    program, kept = builder.program(builder.formula(_formula(op_def), operands))
    found = in_numpy(program).straight(*(inputs[i] for i in kept))
    expected = op_def.kernel(np, *np.broadcast_arrays(*inputs), **attrs)
    assert found.dtype == expected.dtype
    tolerance = 1e-6 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
