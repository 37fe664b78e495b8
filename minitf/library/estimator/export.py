"""`tf.estimator.export`: how an exported model is fed, and where it is written.

receiver_tensors   placeholders that whoever serves the model feeds, as serialized examples
      |  parse
features           what model_fn gets
"""

from __future__ import annotations

import os
import shutil
import time
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import dtypes, logging
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.array import placeholder
from minitf.library.estimator.export_outputs import (
    ExportOutput,
    SupervisedOutput,
    given_or_default_outputs,
)
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.parsing.examples import parse_example
from minitf.library.saving import saved_model_constants as names
from minitf.library.sparse.ragged import RaggedTensor

#: By mode the tags of its graph, in the order in which graphs are added.
TAGS = {
    ModeKeys.TRAIN: [names.TRAINING],
    ModeKeys.EVAL: [names.EVAL],
    ModeKeys.PREDICT: [names.SERVING],
}
_SUPERVISED = {
    ModeKeys.TRAIN: (names.DEFAULT_TRAIN_SIGNATURE_DEF_KEY, names.SUPERVISED_TRAIN_METHOD_NAME),
    ModeKeys.EVAL: (names.DEFAULT_EVAL_SIGNATURE_DEF_KEY, names.SUPERVISED_EVAL_METHOD_NAME),
}
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


_RECEIVER = namedtuple("_RECEIVER", "features receiver_tensors receiver_tensors_alternatives")


class ServingInputReceiver(_RECEIVER):
    """How a served model is fed.

    Args:
      features: what model_fn gets, a dict of tensors or one.
      receiver_tensors: what is fed, a dict of placeholders or one.
      receiver_tensors_alternatives: other ways to feed it: a dict from names to such dicts.

    Raises:
      ValueError: when something is missing or no tensor.
    """

    __slots__ = ()

    def __new__(
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: dict[str, Any] | None = None,
    ) -> ServingInputReceiver:
        others = receiver_tensors_alternatives
        if others is not None and not isinstance(others, dict):
            raise ValueError(f"receiver_tensors_alternatives must be a dict: {others}.")
        return super().__new__(
            cls,
            _checked(features, "feature", allow_int_keys=True),
            _checked(receiver_tensors, "receiver_tensor"),
            others and {k: _checked(v, "receiver_tensors_alternative") for k, v in others.items()},
        )


class TensorServingInputReceiver(_RECEIVER):
    """A `ServingInputReceiver` of a model whose features are one tensor, not a dict."""

    __slots__ = ()

    def __new__(
        cls,
        features: Any,
        receiver_tensors: Any,
        receiver_tensors_alternatives: dict[str, Any] | None = None,
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        _check_tensor(features, "feature")
        _, *others = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, features, *others)


# ---- functions that make receivers -------------------------------------------------------


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function for models that are fed serialized `tf.Example`s.

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


# ---- writing -----------------------------------------------------------------------------


def outputs_for_mode(spec: EstimatorSpec) -> dict[str, ExportOutput]:
    """Returns what the graph of a spec gives, by the name of the signature."""
    if spec.mode == ModeKeys.PREDICT:
        return given_or_default_outputs(spec.export_outputs, spec.predictions)
    key, method = _SUPERVISED[spec.mode]
    return {key: SupervisedOutput(method, spec.loss, spec.predictions, spec.eval_metric_ops)}


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


def copy_assets(directory: str, files: Mapping[str, str]) -> None:
    """Copies files to their places in the "assets.extra" of a saved model."""
    for place, source in files.items():
        path = os.path.join(directory, "assets.extra", place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(source, path)
