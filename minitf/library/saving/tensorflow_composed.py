"""Operations of TensorFlow that are several here, as the functions that programs call make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import call
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_gathering import gather, gather_nd
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import broadcast_to, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.losses import in_top_k
from minitf.core.ops.math import conj, div, rsqrt, sqrt
from minitf.core.ops.run_time_axes import mapped, reduced
from minitf.core.ops.segments import unsorted_segment_mean, unsorted_segment_sum
from minitf.library.images.image_boxes import draw_bounding_boxes, sample_distorted_bounding_box
from minitf.library.images.image_codec import decode_and_crop_jpeg
from minitf.library.images.image_color import adjust_contrast
from minitf.library.images.image_resize import resize_bilinear
from minitf.library.nets.normalization import batch_norm_with_global_normalization
from minitf.library.numeric.clip import clip_by_value
from minitf.library.numeric.sorting import top_k
from minitf.library.sparse.ragged import RaggedTensor
from minitf.library.sparse.sparse_shaping import (
    sparse_concat,
    sparse_reshape,
    sparse_slice,
    sparse_split,
)
from minitf.library.text.strings import as_string, string_join


def told(node: NodeDef, *keys: str) -> dict[str, Any]:
    """Those attributes of a node that it has."""
    return {key: node.attrs[key] for key in keys if key in node.attrs}


def _segment_grad(node: NodeDef, grad: Any, indices: Any, segments: Any, count: Any) -> Any:
    """The gradient of a sum, mean or root of means of rows, each row to where it came from.

    The second version gives the rows that there are, and their numbers.
    """
    if "Sum" not in node.op:
        ones = call("Fill", call("Shape", segments), 1.0)
        rows = call("UnsortedSegmentSum", ones, segments, call("Shape", grad)[0])
        rows = call("Cast", call("Maximum", rows, 1.0), DstT=grad.dtype)
        scale = 1.0 / rows if "Mean" in node.op else rsqrt(rows)
        wide = call("Reshape", scale, [-1, 1])
        flat = call("Reshape", grad, call("Pack", [call("Shape", grad)[0], -1])) * wide
        grad = call("Reshape", flat, call("Shape", grad))
    rows = call("GatherV2", grad, segments, axis=0)
    if not node.op.endswith("V2"):
        return call("UnsortedSegmentSum", rows, indices, count)
    numbers, places = call("Unique", indices)
    return [call("UnsortedSegmentSum", rows, places, call("Size", numbers)), numbers]


def _sparse_reshape(node: NodeDef, indices: Any, sizes: Any, wanted: Any) -> list:
    values = call("Fill", call("Shape", indices)[:1], False)
    made = sparse_reshape(SparseTensor(indices, values, sizes), wanted)
    return [made.indices, made.dense_shape]


# ---- sparse tensors, whose parts are inputs of their own there -----------------------------


def _sparse(indices: Any, values: Any, sizes: Any) -> SparseTensor:
    """What they are the parts of; of parts in a file not even the ranks are known."""
    for part, rank in ((indices, 2), (values, 1), (sizes, 1)):
        part.set_shape([None] * rank)
    return SparseTensor(indices, values, sizes)


def _parts(*sparse: SparseTensor) -> list:
    """Indices, then values, then sizes, each of all."""
    return [part for parts in zip(*(each._components() for each in sparse)) for part in parts]


def _thirds(given: Sequence[Any]) -> list[SparseTensor]:
    """What `_parts` took apart."""
    count = len(given) // 3
    return [_sparse(*given[i::count]) for i in range(count)]


def _sparse_split(node: NodeDef, axis: Any, *given: Any) -> list:
    return _parts(*sparse_split(sp_input=_sparse(*given), axis=axis, **told(node, "num_split")))


def _sparse_plus_dense(node: NodeDef, indices: Any, values: Any, sizes: Any, dense: Any) -> Any:
    return values + gather_nd(broadcast_to(dense, sizes), indices)


def _ragged(splits: Sequence[Any], values: Any) -> Any:
    for each in splits:
        each.set_shape([None])
    return RaggedTensor.from_nested_row_splits(values, splits)


def _ragged_gather(node: NodeDef, *given: Any) -> list:
    *splits, values, indices = given
    found: Any = gather(_ragged(splits, values), indices)
    return [*found.nested_row_splits, found.flat_values]


# ---- dense ones --------------------------------------------------------------------------


def _like(function: Callable[..., Any], *keys: str, **by_name: str) -> Callable[..., Any]:
    """What calls a function that takes the inputs in their order.

    Args:
      keys: the attributes that it takes, too.
      by_name: attributes that it calls otherwise.
    """

    def made(node: NodeDef, *given: Any) -> Any:
        others = {own: node.attrs[key] for own, key in by_name.items() if key in node.attrs}
        found = function(*given, **told(node, *keys), **others)
        return list(found) if isinstance(found, tuple) else found

    return made


def _counted(segment: Callable[..., Any]) -> Callable[..., Any]:
    return lambda node, x, rows, ids, count: segment(gather(x, rows), ids, count)


def _euclidean(node: NodeDef, x: Any, axes: Any) -> Any:
    keep = node.attrs.get("keep_dims", False)
    return sqrt(reduced("Sum", x * conj(x), axes, keep, "along"))


def _reversed(node: NodeDef, x: Any, chosen: Any) -> Any:
    axes = cast(reshape(where(chosen), [-1]), dtypes.int32)
    return mapped("ReverseV2", x, axes, "along", axis=(-1,))


def _normalized(node: NodeDef, *given: Any) -> list:
    """The first five outputs of the third version, in which there is one more."""
    attrs = told(node, "epsilon", "data_format", "is_training")
    return call("FusedBatchNormV3", *given, **attrs)[:5]


def _normalized_back(node: NodeDef, *given: Any) -> list:
    attrs = told(node, "epsilon", "data_format", "is_training")
    return call("FusedBatchNormGradV3", *given, zeros([0], given[2].dtype), **attrs)


def _conv_of_padded(node: NodeDef, x: Any, *rest: Any) -> Any:
    """Convolution of an image with margins; with four inputs it is resized first."""
    if len(rest) > 2:
        x = resize_bilinear(x, rest[0], node.attrs.get("resize_align_corners", False))
    padded = pad(x, rest[-2], node.attrs["mode"])
    return call("Conv2D", padded, rest[-1], **told(node, "strides", "padding"))


def _volumes_back(kind: str, place: int) -> Callable[..., Any]:
    def gradient(node: NodeDef, *given: Any) -> Any:
        given = (*given[:place], shape_of(given[place]), *given[place + 1 :])
        return call(kind, *given, **told(node, "strides", "padding", "dilations"))

    return gradient


#: For types of operations what makes the same, of a node and its inputs.
COMPOSED: dict[str, Callable[..., Any]] = {
    **{
        f"SparseSegment{kind}Grad{version}": _segment_grad
        for kind in ("Mean", "SqrtN", "Sum")
        for version in ("", "V2")
    },
    **{
        f"SparseSegment{kind}WithNumSegments": _counted(segment)
        for kind, segment in (
            ("Mean", unsorted_segment_mean),
            ("Sum", unsorted_segment_sum),
        )
    },
    "SparseReshape": _sparse_reshape,
    "SparseConcat": lambda node, *given: _parts(
        sparse_concat(node.attrs["concat_dim"], _thirds(given))
    ),
    "SparseDenseCwiseAdd": _sparse_plus_dense,
    "SparseSlice": lambda node, *given: _parts(sparse_slice(_sparse(*given[:3]), *given[3:])),
    "SparseSplit": _sparse_split,
    "RaggedGather": _ragged_gather,
    "RaggedTensorToSparse": lambda node, *given: _parts(_ragged(given[:-1], given[-1]).to_sparse()),
    "ApproximateEqual": lambda node, x, y: abs(x - y) < node.attrs.get("tolerance", 1e-5),
    "AdjustContrastv2": _like(adjust_contrast),
    "AudioSummary": lambda node, tag, sound: call(
        "AudioSummaryV2", tag, sound, float(node.attrs["sample_rate"]), **told(node, "max_outputs")
    ),
    "BatchNormWithGlobalNormalization": _like(
        batch_norm_with_global_normalization, "variance_epsilon", "scale_after_normalization"
    ),
    "ClipByValue": _like(clip_by_value),
    "Conv3DBackpropFilter": _volumes_back("Conv3DBackpropFilterV2", 1),
    "Conv3DBackpropInput": _volumes_back("Conv3DBackpropInputV2", 0),
    "DecodeAndCropJpeg": _like(
        decode_and_crop_jpeg,
        "channels",
        "ratio",
        "fancy_upscaling",
        "try_recover_truncated",
        "acceptable_fraction",
        "dct_method",
    ),
    "Div": _like(div),
    "DrawBoundingBoxes": _like(draw_bounding_boxes),
    "Empty": lambda node, sizes: zeros(sizes, node.attrs["dtype"]),
    "EuclideanNorm": _euclidean,
    "FusedBatchNorm": _normalized,
    "FusedBatchNormGrad": _normalized_back,
    "FusedBatchNormGradV2": _normalized_back,
    "FusedBatchNormV2": _normalized,
    "FusedPadConv2D": _conv_of_padded,
    "FusedResizeAndPadConv2D": _conv_of_padded,
    "InTopK": _like(in_top_k, "k"),
    "OnesLike": _like(ones_like),
    "ParallelConcat": lambda node, *rows: concat(rows, 0),
    "Reverse": _reversed,
    "SampleDistortedBoundingBox": _like(
        sample_distorted_bounding_box,
        "seed",
        "seed2",
        "min_object_covered",
        "aspect_ratio_range",
        "area_range",
        "max_attempts",
        "use_image_if_no_bounding_boxes",
    ),
    "ShardedFilespec": lambda node, name, count: string_join(
        [name, as_string(count, width=5, fill="0")], "-?????-of-"
    ),
    "TopK": _like(top_k, "k", "sorted"),
}

#: Operations on diagonals: which one does the same, where these inputs say that it is the main one.
DIAGONALS: dict[str, tuple[str, dict[str, int]]] = {
    f"Matrix{kind}V{version}": (f"Matrix{kind}", wanted)
    for kind, wanted in (
        ("Diag", {"k": 0, "num_rows": -1, "num_cols": -1}),
        ("DiagPart", {"k": 0}),
        ("SetDiag", {"k": 0}),
    )
    for version in (2, 3)
}
