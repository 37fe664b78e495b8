"""What the runtime knows of an op: traits of its declaration, and nothing else."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.op_def import OpDef, all_op_defs, load_all_ops, op

load_all_ops()


#: files that declare an elementwise op by hand, and why it is no row
BY_HAND = {
    "minitf/core/ops/elementwise.py": "the row itself",
    "minitf/fast/passes/running_sums.py": "_AddTerm: one ufunc, which only plans have",
    "minitf/library/nets/basics.py": "BiasAdd: the bias lies along the channels",
}


def _kernel(xp: Any, k: Any, shape: Any) -> Any:
    """Adds two numbers."""
    return k + shape


def test_a_name_alone_means_nothing() -> None:
    assert not OpDef("Named", "k: T, shape: T -> sum: T", _kernel).host_inputs
    assert OpDef("Named", "k: T, shape: T -> sum: T", _kernel, host=("k",)).host_inputs == {0}


def test_a_trait_names_what_is_there() -> None:
    with pytest.raises(ValueError, match="The op Named has no input or output 'size'"):
        OpDef("Named", "k: T, shape: T -> sum: T", _kernel, host=("size",))
    with pytest.raises(ValueError, match="The op Named has no input or output 'like'"):
        op("Named", "k: T, shape: T -> sum: T", shape_of="like")(_kernel)


def test_what_asks_for_a_shape_looks_at_no_element() -> None:
    asking = [op_def for op_def in all_op_defs() if op_def.shape_input is not None]
    assert {"BroadcastLike", "Rank", "Shape", "Size", "SumToShapeOf"} <= {o.type for o in asking}
    for op_def in asking:
        for sample in op_def.samples:
            *inputs, attrs = sample(np.random.default_rng(1))
            attrs = op_def.complete_attrs(attrs)
            inputs = [np.asarray(each) for each in inputs]
            expected = op_def.kernel(np, *inputs, **attrs)
            place = op_def.shape_input
            inputs[place] = np.full_like(inputs[place], np.nan)
            np.testing.assert_array_equal(op_def.kernel(np, *inputs, **attrs), expected)


# ---- elementwise ops -----------------------------------------------------------------------------


def test_every_elementwise_op_is_a_row() -> None:
    root = Path(tf.__file__).parent.parent
    declaring = {
        str(path.relative_to(root))
        for path in root.glob("minitf/**/*.py")
        if re.search(r"\belementwise=True", path.read_text())
    }
    assert declaring == {file for file in BY_HAND if (root / file).exists()}


def test_kernels_have_no_branch_for_a_device() -> None:
    """Who asks: the one function that says it, the table, and updates, which choose a way."""
    root = Path(tf.__file__).parent / "core"
    asking = {
        path.relative_to(root).as_posix()
        for folder in ("ops", "kernels")
        for path in (root / folder).glob("*.py")
        if re.search(r"\bxp is (not )?np\b", path.read_text())
    }
    assert asking <= {"kernels/host.py", "kernels/table.py", "kernels/updates.py", "ops/updates.py"}
