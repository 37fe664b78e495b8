"""What an exported model gives: one `ExportOutput` for each signature, and how it is written down.

{"serving_default": PredictOutput({"scores": y})}  +  {"x": placeholder}  ──>  SignatureDef
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving import signatures
from minitf.library.saving.meta_messages import SignatureDef

_ONE_STRING = (
    " signatures can only accept a single tensor input of type tf.string. Please check to make "
    "sure that you have structured the serving_input_receiver_fn so that it creates a single "
    "string placeholder. If your model function expects multiple inputs, then use "
    "`tf.io.parse_example()` to parse the string into multiple tensors.\n Received: "
)


class ExportOutput(ABC):
    """One output of an exported model."""

    @abstractmethod
    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        """Returns the signature from the tensors that are fed to this output.

        Raises:
          ValueError: when this kind of output does not go with them.
        """


def _examples(kind: str, receiver_tensors: Mapping[str, Tensor]) -> Tensor:
    """The one string tensor that is fed to a signature of examples."""
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1 or tensors[0].dtype.base_dtype != dtypes.string:
        raise ValueError(f"{kind}{_ONE_STRING}{receiver_tensors}")
    return tensors[0]


def _is(tensor: Any, is_type: Any) -> bool:
    return isinstance(tensor, Tensor) and is_type(tensor.dtype)


class ClassificationOutput(ExportOutput):
    """Classes of examples, their scores, or both.

    Args:
      scores: [batch, n_classes] float.
      classes: [batch, n_classes] string.

    Raises:
      ValueError: when neither is given, or one is of another type.
    """

    def __init__(self, scores: Tensor | None = None, classes: Tensor | None = None) -> None:
        if scores is not None and not _is(scores, lambda t: t.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not _is(classes, lambda t: t.base_dtype == dtypes.string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. At least one of "
                "`scores` and `classes` must be defined."
            )
        self.scores = scores
        self.classes = classes

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        examples = _examples("Classification", receiver_tensors)
        return signatures.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """Predicted values of examples.

    Args:
      value: [batch, n] float.

    Raises:
      ValueError: when it is of another type.
    """

    def __init__(self, value: Tensor) -> None:
        if not _is(value, lambda t: t.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        examples = _examples("Regression", receiver_tensors)
        return signatures.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any outputs of any inputs.

    Args:
      outputs: a tensor, or a dict from names to them.

    Raises:
      ValueError: when one is no tensor.
    """

    def __init__(self, outputs: Any) -> None:
        self.outputs = _checked_outputs(outputs, "output", "Prediction")

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        return signatures.predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """Loss, predictions and metrics of a graph that was exported to train or to evaluate.

    Args:
      method_name: what the signature is for.
      loss: a tensor, or a dict of them.
      predictions: a tensor, or a dict of them.
      metrics: a dict from names to (value, update) pairs.
    """

    def __init__(
        self, method_name: str, loss: Any = None, predictions: Any = None, metrics: Any = None
    ) -> None:
        self._method_name = method_name
        self.outputs: dict[str, Tensor] = {}
        for kind, given in (("loss", loss), ("predictions", predictions)):
            for key, tensor in _checked_outputs({} if given is None else given, kind, kind).items():
                self.outputs[_prefixed(kind, key)] = tensor
        for key, (value, update) in (metrics or {}).items():
            with stacks.control_dependencies([update]):
                if isinstance(update, Operation):
                    update = convert_to_tensor([], dtypes.float32, name="metric_op_wrapper")
            name = _prefixed("metrics", key)
            self.outputs |= {f"{name}/value": value, f"{name}/update_op": update}

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> SignatureDef:
        fed, given = (
            {key: signatures.build_tensor_info(tensor) for key, tensor in tensors.items()}
            for tensors in (receiver_tensors, self.outputs)
        )
        return signatures.build_signature_def(fed, given, self._method_name)


def _prefixed(kind: str, key: str) -> str:
    return key if key.startswith(kind) else f"{kind}/{key}"


def _checked_outputs(outputs: Any, default_name: str, kind: str) -> dict[str, Tensor]:
    checked = {}
    for key, value in (outputs if isinstance(outputs, dict) else {default_name: outputs}).items():
        key = "/".join(key) if isinstance(key, tuple) else key
        if not isinstance(key, str):
            raise ValueError(f"{kind} output key must be a string; got {key}.")
        if not isinstance(value, Tensor):
            raise ValueError(f"{kind} output value must be a Tensor; got {value}.")
        checked[key] = value
    return checked


def given_or_default_outputs(export_outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """Returns the outputs of a model with the one by default; made of `predictions` without any.

    Raises:
      TypeError: when they are no dict of `ExportOutput`s.
      ValueError: when there are several, and none is the default.
    """
    default = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if export_outputs is None:
        export_outputs = {default: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {export_outputs}.")
    for output in export_outputs.values():
        if not isinstance(output, ExportOutput):
            raise TypeError(
                "Values in `export_outputs` must be ExportOutput objects, received: "
                f"{export_outputs}."
            )
    if len(export_outputs) == 1:
        export_outputs.setdefault(default, *export_outputs.values())
    if len(export_outputs) > 1 and default not in export_outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them are specified as the "
            "default. Use`tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY` to specify a default."
        )
    return export_outputs


# ---- the signatures of a model -----------------------------------------------------------

_KINDS = {
    names.CLASSIFY_METHOD_NAME: "Classify",
    names.REGRESS_METHOD_NAME: "Regress",
    names.PREDICT_METHOD_NAME: "Predict",
    names.SUPERVISED_TRAIN_METHOD_NAME: "Train",
    names.SUPERVISED_EVAL_METHOD_NAME: "Eval",
}


def build_all_signature_defs(
    receiver_tensors: Any,
    export_outputs: Any,
    receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    serving_only: bool = True,
) -> dict[str, SignatureDef]:
    """Returns the signature of each output, for each way to feed the model; logs what is left out.

    Args:
      receiver_tensors: the tensors that are fed, a dict or one.
      export_outputs: a dict from names to `ExportOutput`s.
      receiver_tensors_alternatives: other ways to feed it, by name.
      serving_only: leave out what cannot be served.
    Raises:
      ValueError: when `export_outputs` is no dict.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(
            f"`export_outputs` must be a dict. Received {export_outputs} with type "
            f"{type(export_outputs).__name__}."
        )
    ways = {"": receiver_tensors}
    ways |= {f"{name or 'None'}:": t for name, t in (receiver_tensors_alternatives or {}).items()}
    made, left_out = {}, {}
    for prefix, tensors in ways.items():
        fed = tensors if isinstance(tensors, dict) else {"input": tensors}
        for key, output in export_outputs.items():
            name = f"{prefix}{key or 'None'}"
            try:
                made[name] = output.as_signature_def(fed)
            except ValueError as error:
                left_out[name] = str(error)
    _report(made, left_out)
    if not serving_only:
        return made
    return {name: s for name, s in made.items() if signatures.is_valid_signature(s)}


def _report(made: dict[str, SignatureDef], left_out: dict[str, str]) -> None:
    for method, kind in _KINDS.items():
        found = [name for name, signature in made.items() if signature.method_name == method]
        logging.info("Signatures INCLUDED in export for %s: %s", kind, found or "None")
    if left_out:
        logging.info(
            "Signatures EXCLUDED from export because they cannot be be served via TensorFlow "
            "Serving APIs:"
        )
    for name, why in left_out.items():
        logging.info("'%s' : %s", name, why)
    if not made:
        logging.warning("Export includes no signatures!")
    elif names.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in made:
        logging.warning("Export includes no default signature!")
