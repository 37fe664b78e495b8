"""Signatures of saved models: which tensors to feed and to fetch, under names that last.

signature = predict_signature_def({"images": x}, {"scores": y})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.graph import Tensor
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving.meta_graph import CooSparse, SignatureDef, TensorInfo


def build_tensor_info(tensor: Any) -> TensorInfo:
    """Returns the name, type and shape of a tensor; the names of the parts of a sparse one.

    Raises:
      RuntimeError: under eager execution, where tensors have no names.
    """
    if stacks.executing_eagerly():
        raise RuntimeError("build_tensor_info is not supported in Eager mode.")
    sizes = None if tensor.shape.ndims is None else tensor.shape.as_list()
    dtype = tensor.dtype.enum_name  # of a variable: that of its reference
    if not isinstance(tensor, SparseTensor):
        return TensorInfo(tensor.name, dtype, sizes)
    parts = tensor.values, tensor.indices, tensor.dense_shape
    return TensorInfo("", dtype, sizes, CooSparse(*(part.name for part in parts)))


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
) -> SignatureDef:
    """Returns a signature.

    Args:
      inputs: what to feed, described by `build_tensor_info`.
      outputs: what to fetch.
      method_name: the kind of use, as "tensorflow/serving/predict".
    """
    return SignatureDef(dict(inputs or {}), dict(outputs or {}), method_name or "")


def _infos(tensors: Mapping[str, Tensor]) -> dict[str, TensorInfo]:
    return {key: build_tensor_info(tensor) for key, tensor in tensors.items()}


def predict_signature_def(
    inputs: Mapping[str, Tensor], outputs: Mapping[str, Tensor]
) -> SignatureDef:
    """Returns the signature of any function of tensors.

    Raises:
      ValueError: when there are no inputs or no outputs.
    """
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), names.PREDICT_METHOD_NAME)


def _examples(examples: Any, kind: str, not_a_tensor: str, found: str) -> dict[str, TensorInfo]:
    """The input of a signature that takes serialized examples."""
    if examples is None:
        raise ValueError(f"{kind} `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(f"{not_a_tensor} Found `examples` of type {type(examples)}.")
    if examples.dtype.base_dtype != dtypes.string:
        raise ValueError(
            f"{kind} input tensors must be of type string. Found tensors {found} "
            f"{examples.dtype.name}"
        )
    return {"inputs": build_tensor_info(examples)}


def classification_signature_def(
    examples: Any, classes: Tensor | None, scores: Tensor | None
) -> SignatureDef:
    """Returns the signature of a classifier of serialized examples.

    Args:
      examples: a string tensor.
      classes: a string tensor, or None.
      scores: a float tensor, or None.
    Raises:
      ValueError: when something is missing or of another type.
    """
    inputs = _examples(
        examples, "Classification", "Classification `examples` must be a string Tensor.", "of type"
    )
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {}
    if classes is not None:
        if classes.dtype.base_dtype != dtypes.string:
            raise ValueError(
                "Classification classes must be of type string Tensor. Found tensors of type "
                f"{classes.dtype.name}.`"
            )
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
    if scores is not None:
        if scores.dtype.base_dtype != dtypes.float32:
            raise ValueError("Classification scores must be a float Tensor.")
        outputs[names.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
    return build_signature_def(inputs, outputs, names.CLASSIFY_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Tensor | None) -> SignatureDef:
    """Returns the signature of a regression on serialized examples.

    Args:
      examples: a string tensor.
      predictions: a float tensor.
    Raises:
      ValueError: when something is missing or of another type.
    """
    if predictions is None and examples is not None:
        raise ValueError("Regression `predictions` cannot be None.")
    inputs = _examples(
        examples, "Regression", "Expected regression `examples` to be of type Tensor.", "with type"
    )
    assert predictions is not None
    if predictions.dtype.base_dtype != dtypes.float32:
        raise ValueError(
            "Regression output tensors must be of type float. Found tensors with type "
            f"{predictions.dtype.name}."
        )
    outputs = {names.REGRESS_OUTPUTS: build_tensor_info(predictions)}
    return build_signature_def(inputs, outputs, names.REGRESS_METHOD_NAME)


#: what a use of examples may give
_RESULTS = {
    names.CLASSIFY_METHOD_NAME: {
        names.CLASSIFY_OUTPUT_CLASSES: "DT_STRING",
        names.CLASSIFY_OUTPUT_SCORES: "DT_FLOAT",
    },
    names.REGRESS_METHOD_NAME: {names.REGRESS_OUTPUTS: "DT_FLOAT"},
}


def is_valid_signature(signature_def: SignatureDef | None) -> bool:
    """Whether a signature is of one of the three kinds and has what that kind needs."""
    if signature_def is None:
        return False
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == names.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    first = next(iter(inputs.values()), None)
    of_examples = set(inputs) == {"inputs"} and first is not None and first.dtype == "DT_STRING"
    allowed = _RESULTS.get(signature_def.method_name)
    return (
        allowed is not None
        and of_examples
        and bool(outputs)
        and all(allowed.get(key) == info.dtype for key, info in outputs.items())
    )
