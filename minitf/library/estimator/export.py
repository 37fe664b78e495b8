"""`tf.estimator.export`: how an exported model is fed, what it gives, and when it is written.

receiver_tensors   placeholders that whoever serves the model feeds, as serialized examples
      |  parse
features           what model_fn gets
      |
export_outputs     {"serving_default": PredictOutput({"scores": y})}  ──> SignatureDefs

Exporters say after which evaluations `train_and_evaluate` exports, and which exports it keeps.
"""

from __future__ import annotations

import os
import shutil
import time
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import dtypes, logging
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.array import placeholder
from minitf.library.parsing.examples import parse_example
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving import signatures
from minitf.library.saving.meta_graph import SignatureDef
from minitf.library.sparse.ragged import RaggedTensor

#: What a tensor is called that stands where a dict is expected.
_ALONE = {"feature": "feature", "label": "label"}
_ATTEMPTS = 10


def _checked(tensors: Any, kind: str, allow_int_keys: bool = False) -> dict[Any, Any]:
    """The tensors as a dict.

    Raises:
      ValueError: when there are none, a key is no string, or a value no tensor.
    """
    if tensors is None:
        raise ValueError(f"{kind}s must be defined.")
    if not isinstance(tensors, dict):
        tensors = {_ALONE.get(kind, "input"): tensors}
    for name, tensor in tensors.items():
        if not isinstance(name, str) and not allow_int_keys:
            raise ValueError(f"{kind} keys must be strings: {name}.")
        if not isinstance(name, (str, int)):
            raise ValueError(f"{kind} keys must be strings or ints: {name}.")
        _check_tensor(tensor, f"{kind} {name}")
    return tensors


def _check_tensor(tensor: Any, what: str) -> None:
    if not isinstance(tensor, (Tensor, SparseTensor, RaggedTensor)):
        raise ValueError(f"{what} must be a Tensor, SparseTensor, or RaggedTensor.")


_RECEIVER = namedtuple("_RECEIVER", "features receiver_tensors")


class ServingInputReceiver(_RECEIVER):
    """How a served model is fed.

    Args:
      features: what model_fn gets, a dict of tensors or one.
      receiver_tensors: what is fed, a dict of placeholders or one.

    Raises:
      ValueError: when something is missing or no tensor.
    """

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any) -> ServingInputReceiver:
        features = _checked(features, "feature", allow_int_keys=True)
        return super().__new__(cls, features, _checked(receiver_tensors, "receiver_tensor"))


class TensorServingInputReceiver(_RECEIVER):
    """A `ServingInputReceiver` of a model whose features are one tensor, not a dict."""

    __slots__ = ()

    def __new__(cls, features: Any, receiver_tensors: Any) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        _check_tensor(features, "feature")
        return super().__new__(cls, features, _checked(receiver_tensors, "receiver_tensor"))


# ---- functions that make receivers -------------------------------------------------------


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function for models that are fed serialized `tf.train.Example`s.

    Args:
      feature_spec: by name a `FixedLenFeature`, `VarLenFeature` ..., as for `tf.parse_example`.
      default_batch_size: how many examples are fed at once; open when None.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = placeholder(dtypes.string, [default_batch_size], name="input_example_tensor")
        features = parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def _placeholder_like(tensor: Any, batch_size: int | None) -> Tensor:
    shape = TensorShape([batch_size]).concatenate(tensor.shape[1:])
    return placeholder(tensor.dtype, shape, name=tensor.op.name)


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Tensor], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function for models that are fed the features themselves.

    Args:
      features: tensors of the types and shapes of the features, by name.
      default_batch_size: how many examples are fed at once; open when None.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = {name: _placeholder_like(t, default_batch_size) for name, t in features.items()}
        return ServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


# ---- outputs -----------------------------------------------------------------------------

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


def signature_defs(receiver: Any, export_outputs: Mapping[str, ExportOutput]) -> dict[str, Any]:
    """Returns the signature of each output of a model; logs what is left out.

    A signature of examples is left out when the model is fed no string of them.
    """
    made, left_out = {}, {}
    for key, output in export_outputs.items():
        try:
            made[key or "None"] = output.as_signature_def(receiver.receiver_tensors)
        except ValueError as error:
            left_out[key or "None"] = str(error)
    _report(made, left_out)
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


# ---- writing -----------------------------------------------------------------------------


@contextmanager
def timestamped_directory(base: str) -> Iterator[tuple[str, str]]:
    """Gives the path of a directory named by the time, and of the one to fill in its place.

    The second takes the name of the first at the end: nobody sees a model that is half written.

    Raises:
      RuntimeError: when each of the last seconds has a directory already.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        now = str(int(time.time()))
        path = os.path.join(base, now)
        if not os.path.exists(path):
            break
        time.sleep(1)
        logging.warning(
            "Directory %s already exists; retrying (attempt %s/%s)", path, attempt, _ATTEMPTS
        )
    else:
        raise RuntimeError(
            f"Failed to obtain a unique export directory name after {_ATTEMPTS} attempts."
        )
    unfinished = os.path.join(base, f"temp-{now}")
    yield path, unfinished
    os.rename(unfinished, path)


def keep_newest(base: str, count: int | None) -> None:
    """Removes all but the newest directories that are named by the time; None removes none."""
    times = [name for name in os.listdir(base) if len(name) == 10 and name.isdigit()]
    for name in sorted(times)[: -count if count else 0]:
        shutil.rmtree(os.path.join(base, name), ignore_errors=True)


def copy_assets(directory: str, files: Mapping[str, str]) -> None:
    """Copies files to their places in the "assets.extra" of a saved model."""
    for place, source in files.items():
        path = os.path.join(directory, "assets.extra", place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(source, path)


# ---- exporters ---------------------------------------------------------------------------


class Exporter(ABC):
    """Exports a model after evaluations; a subclass says which."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The directory of its exports, inside "export"."""

    @abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Is called after each evaluation.

        Args:
          estimator: the estimator.
          export_path: where its exports go.
          checkpoint_path: the checkpoint that was evaluated.
          eval_result: the metrics by name.
          is_the_final_export: whether the training is over.
        Returns: the path of the export; None when there was none.
        """


class _SavedModelExporter(Exporter):
    """The parts that both exporters share."""

    _exports_to_keep: int | None = None

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        self._name = name
        self._how = (serving_input_receiver_fn, assets_extra, as_text)

    @property
    def name(self) -> str:
        return self._name

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        return True

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        if not self._is_due(estimator, eval_result, is_the_final_export):
            return None
        path = estimator.export_saved_model(export_path, *self._how, checkpoint_path)
        keep_newest(export_path, self._exports_to_keep)
        return path


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation.

    Args:
      name: the directory of its exports.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
      exports_to_keep: how many exports to keep; all when None.

    Raises:
      ValueError: when `exports_to_keep` is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = exports_to_keep
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")


class FinalExporter(_SavedModelExporter):
    """Exports once, at the end of the training.

    Args:
      name: the directory of its export.
      serving_input_receiver_fn: as for `Estimator.export_saved_model`.
      assets_extra: files to take along, by their path.
      as_text: write "saved_model.pbtxt".
    """

    def _is_due(self, estimator: Any, eval_result: Mapping[str, Any], is_the_final: bool) -> bool:
        if is_the_final:
            logging.info("Performing the final export in the end of training.")
        return is_the_final
