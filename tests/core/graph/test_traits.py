"""What the runtime knows of an op: traits of its declaration, and nothing else."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.op_def import OpDef, all_op_defs, load_all_ops, op
from minitf.core.kernels.program import FULL, Builder, is_known
from minitf.core.kernels.program_in_numpy import in_numpy

load_all_ops()

#: the inputs that are in host memory on every device, of every op that has such
HOST_INPUTS = {
    "AvgPool3DGrad": "orig_input_shape",
    "AvgPoolGrad": "orig_input_shape",
    "BarrierInsertMany": "keys",
    "BatchToSpaceND": "block_shape crops",
    "BlockLSTM": "seq_len_max",
    "BlockLSTMGrad": "seq_len_max",
    "BroadcastArgs": "s0 s1",
    "BroadcastGradientArgs": "s0 s1",
    "Bincount": "size",
    "BroadcastTo": "shape",
    "CombinedNonMaxSuppression": "max_output_size_per_class max_total_size",
    "Conv2DBackpropFilter": "filter_sizes",
    "Conv2DBackpropInput": "input_sizes",
    "Conv3DBackpropFilterV2": "filter_sizes",
    "Conv3DBackpropInputV2": "input_sizes",
    "CropAndResize": "crop_size",
    "CropAndResizeGradImage": "image_size",
    "DecodeWav": "contents",
    "DepthwiseConv2dNativeBackpropFilter": "filter_sizes",
    "DepthwiseConv2dNativeBackpropInput": "input_sizes",
    "EncodeWav": "sample_rate",
    "Fill": "dims",
    "Fingerprint": "method",
    "FractionalAvgPoolGrad": "orig_input_tensor_shape",
    "HistogramFixedWidth": "nbins",
    "InTopKV2": "k",
    "KMC2ChainInitialization": "seed",
    "KmeansPlusPlusInitialization": "num_to_sample seed",
    "LinSpace": "start stop num",
    "ListItems": "shape",
    "ListParts": "lengths shape",
    "MatrixDiagPartV3": "k",
    "MatrixDiagV3": "k num_rows num_cols",
    "MatrixSetDiagV3": "k",
    "MergeAxes": "axes",
    "Mfcc": "sample_rate",
    "MirrorPad": "paddings",
    "MirrorPadGrad": "paddings",
    "Multinomial": "num_samples",
    "NearestNeighbors": "k",
    "NonMaxSuppressionV3": "max_output_size",
    "NonMaxSuppressionV5": "max_output_size",
    "NonMaxSuppressionWithOverlaps": "max_output_size",
    "OneHot": "depth",
    "Pad": "paddings",
    "PadV2": "paddings",
    "QuantizedConcat": "concat_dim",
    "RandomGamma": "shape",
    "RandomPoissonV2": "shape",
    "RandomStandardNormal": "shape",
    "RandomUniform": "shape",
    "RandomUniformInt": "shape minval maxval",
    "Range": "start limit delta",
    "Reshape": "shape",
    "ResizeList": "size",
    "ResizeArea": "size",
    "ResizeBicubic": "size",
    "ResizeBilinear": "size",
    "ResizeNearestNeighbor": "size",
    "RestoreAxes": "axes shape",
    "ResizeNearestNeighborGrad": "size",
    "Roll": "shift axis",
    "Rot90": "k",
    "SampleDistortedBoundingBoxV2": "image_size",
    "ScatterNd": "shape",
    "Slice": "begin size",
    "SpaceToBatchND": "block_shape paddings",
    "SparseAccumulatorApplyGradient": "gradient_shape",
    "SparseDenseCwiseDiv": "sp_shape",
    "SparseDenseCwiseMul": "sp_shape",
    "SparseTensorDenseAdd": "a_shape",
    "SparseTensorDenseMatMul": "a_shape",
    "SparseToDense": "output_shape",
    "SplitV": "size_splits",
    "StatelessMultinomial": "num_samples seed",
    "StatelessRandomNormal": "shape seed",
    "StatelessRandomUniform": "shape seed",
    "StatelessRandomUniformFullInt": "shape seed",
    "StatelessRandomUniformInt": "shape seed minval maxval",
    "StatelessTruncatedNormal": "shape seed",
    "StridedSlice": "begin end strides",
    "StridedSliceAssign": "begin end strides",
    "StridedSliceGrad": "shape begin end strides",
    "TensorArrayReadV3": "index",
    "TensorArraySplitV3": "lengths",
    "TensorArrayV3": "size",
    "TensorArrayWriteV3": "index",
    "Switch": "pred",
    "Tile": "multiples",
    "TopKV2": "k",
    "TruncatedNormal": "shape",
    "UnravelIndex": "dims",
    "UnsortedSegmentJoin": "num_segments",
    "UnsortedSegmentMax": "num_segments",
    "UnsortedSegmentMin": "num_segments",
    "UnsortedSegmentProd": "num_segments",
    "UnsortedSegmentSum": "num_segments",
    "WALSComputePartialLhsAndRhs": "input_indices input_block_size input_is_transpose",
    "_ConvMaxPoolBackpropFilter": "filter_sizes",
    "_MaxUnpool": "filter_sizes",
    "RngSkip": "algorithm delta",
    "StatefulRandomBinomial": "algorithm shape",
    "StatefulStandardNormalV2": "algorithm shape",
    "StatefulTruncatedNormal": "algorithm shape",
    "StatefulUniform": "algorithm shape",
    "StatefulUniformFullInt": "algorithm shape",
    "StatefulUniformInt": "algorithm shape minval maxval",
}

#: files that declare an elementwise op by hand, and why it is no row
BY_HAND = {
    "minitf/core/ops/elementwise.py": "the row itself",
    "minitf/fast/passes/running_sums.py": "_AddTerm: one ufunc, which only plans have",
    "minitf/library/nets/basics.py": "BiasAdd: the bias lies along the channels",
}


def test_inputs_in_host_memory() -> None:
    found = {
        op_def.type: " ".join(op_def.inputs[i].name for i in sorted(op_def.host_inputs))
        for op_def in all_op_defs()
        if op_def.host_inputs
    }
    known = {op_def.type for op_def in all_op_defs()}  # those of the fast wing begin with _
    assert found == {t: v for t, v in HOST_INPUTS.items() if t in known or t[0] != "_"}


def test_outputs_in_host_memory() -> None:
    found = {op_def.type for op_def in all_op_defs() if op_def.host_outputs}
    broadcasts = {"BroadcastArgs", "BroadcastGradientArgs"}
    shapes = {"Rank", "Shape", "ShapeN", "Size"}
    assert found == {*broadcasts, *shapes, "DecodeWav", "IsVariableInitialized", "Timestamp"}


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


def test_what_forwards_gives_its_input() -> None:
    forwards = [op_def for op_def in all_op_defs() if op_def.forwards]
    known = {"Enter", "Exit", "Identity", "LoopCond", "Merge", "NextIteration", "StopGradient"}
    known |= {"PreventGradient", "ReadVariableOp"}
    assert {op_def.type for op_def in forwards} == known
    value = np.ones(3)
    for op_def in forwards:
        assert op_def.kernel(np, value) is value


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
