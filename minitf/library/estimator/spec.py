"""`EstimatorSpec`: what a model_fn returns, checked at once so that mistakes show where made."""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from minitf.core.graph import logging, nest, stacks
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops.array_shaping import reshape
from minitf.core.variables.variables import Variable
from minitf.library.estimator.export import given_or_default_outputs
from minitf.library.sessions.basic_hooks import SessionRunHook
from minitf.library.sessions.scaffold import Scaffold

_MODEL_FN_ARGS = {"features", "labels", "mode", "params", "self", "config"}
_OTHER_GRAPH = (
    '{0} with "{1}" must be from the default graph. Possible causes of this error include: \n\n'
    "1) {0} was created outside the context of the default graph.\n\n"
    "2) The object passed through to EstimatorSpec was not created in the most recent call to "
    '"model_fn".'
)


class ModeKeys:
    """What a model_fn is called for.

    Attributes:
      TRAIN, EVAL, PREDICT: training, evaluation, prediction ("infer").
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def argument_names(function: Callable) -> list[str]:
    """The names of a function's arguments, without those that `functools.partial` has given."""
    given = function.keywords if isinstance(function, functools.partial) else {}
    named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = inspect.signature(function).parameters.items()
    return [name for name, p in parameters if p.kind in named and name not in given]


def call_with_known(function: Callable, offered: dict[str, Any], **always: Any) -> Any:
    """Calls a function with `always`, and those of the offered arguments that it takes."""
    names = argument_names(function)
    return function(**always, **{key: v for key, v in offered.items() if key in names})


def all_of(kind: type, given: Iterable[Any] | None, text: str) -> tuple:
    """The given objects, none by default.

    Raises:
      TypeError: when one is not of the kind; `text` says what they must be.
    """
    found = tuple(given or ())
    for each in found:
        if not isinstance(each, kind):
            raise TypeError(f"{text}, given: {each}")
    return found


def check_steps(name: str, steps: int | None) -> None:
    """Raises ValueError when a number of steps is given and not positive."""
    if steps is not None and steps <= 0:
        raise ValueError(f"Must specify {name} > 0, given: {steps}")


def verify_model_fn_args(model_fn: Callable, params: Any) -> None:
    """Checks the arguments of a model_fn.

    Raises:
      ValueError: when it lacks `features` or `params`, or has others than it may have.
    """
    args = set(argument_names(model_fn))
    if "features" not in args:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in args:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
            "passed to Estimator."
        )
    if params is None and "params" in args:
        logging.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to "
            "Estimator.",
            model_fn,
        )
    if others := list(args - _MODEL_FN_ARGS):
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {others}")


class EstimatorSpec(
    namedtuple(
        "EstimatorSpec",
        "mode predictions loss train_op eval_metric_ops export_outputs training_chief_hooks "
        "training_hooks scaffold evaluation_hooks prediction_hooks",
    )
):
    """The operations that an `Estimator` runs, and what goes with them.

    Args:
      mode: a `ModeKeys`.
      predictions: a tensor, or a dict of them; needed to predict.
      loss: a scalar; needed to train and to evaluate.
      train_op: the operation of one step; needed to train.
      eval_metric_ops: a dict from names to (value, update) pairs or metric objects.
      export_outputs: a dict from signature names to `ExportOutput`s; `predictions` by default.
      training_chief_hooks, training_hooks: more `SessionRunHook`s, the first of the chief alone.
      scaffold: a `Scaffold`.
      evaluation_hooks, prediction_hooks: more `SessionRunHook`s.

    Raises:
      ValueError: when something that the mode needs is missing, or of another graph.
      TypeError: when something is of a wrong type.
    Example:
      >>> loss = tf.constant([2.0])
      >>> tf.estimator.EstimatorSpec(tf.estimator.ModeKeys.EVAL, loss=loss).loss.shape
      TensorShape([])
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> EstimatorSpec:
        train_op = _train_op(train_op, mode)
        loss = _loss(loss, mode)
        predictions = _predictions(predictions, mode)
        if mode == ModeKeys.PREDICT:
            export_outputs = given_or_default_outputs(export_outputs, predictions)
        chief, train, evaluation, prediction = map(
            hooks_of_spec,
            (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks),
        )
        metrics = _metrics(eval_metric_ops)
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        values = mode, predictions, loss, train_op, metrics, export_outputs, chief, train, scaffold
        return super().__new__(cls, *values, evaluation, prediction)

    def _replace(self, **kwds: Any) -> EstimatorSpec:
        """A copy with other values, which are checked again; the mode stays."""
        if kwds.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        return EstimatorSpec(**{**self._asdict(), **kwds})


# ---- the checks --------------------------------------------------------------------------


def _check_graph(thing: Any, kind: str, shown: str) -> None:
    if thing.graph is not stacks.get_default_graph() and not stacks.executing_eagerly():
        raise ValueError(_OTHER_GRAPH.format(kind, shown))


def _check_tensor(thing: Any, name: str) -> Tensor:
    if isinstance(thing, Variable):
        return thing.value()
    if not isinstance(thing, Tensor):
        raise TypeError(f"{name} must be Tensor, given: {thing}")
    return thing


def _train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    if not isinstance(train_op, (Operation, Tensor, Variable)):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
    if isinstance(train_op, Variable):
        train_op = train_op.op
    _check_graph(train_op, "train_op", train_op.name)
    return train_op


def _loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    loss = _check_tensor(loss, "loss")
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    if not loss.shape.is_compatible_with(TensorShape([])):
        loss = reshape(loss, [])
    _check_graph(loss, "loss", loss.name)
    return loss


def _predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    if not isinstance(predictions, dict):
        predictions = _check_tensor(predictions, "predictions")
        _check_graph(predictions, "prediction values", predictions.name)
        return predictions
    checked = {k: _check_tensor(v, f"predictions[{k}]") for k, v in predictions.items()}
    for key, value in checked.items():
        _check_graph(value, "prediction values", f"{key}: {value.name}")
    return checked


def hooks_of_spec(hooks: Iterable[SessionRunHook] | None) -> tuple[SessionRunHook, ...]:
    """The hooks of a spec."""
    return all_of(SessionRunHook, hooks, "All hooks must be SessionRunHook instances")


def _metrics(metrics: Any) -> dict[str, tuple[Any, Any]]:
    """The metrics as pairs; what a metric object keeps becomes local, so that it starts at 0."""
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    for key, value in metrics.items():
        if _is_object(value):
            if not value.updates:
                raise ValueError(f'Please call update_state(...) on the "{value.name}" metric')
        elif not isinstance(value, tuple) or len(value) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{value} for key: {key}"
            )
    for key, value in list(metrics.items()):
        if _is_object(value):
            for collection in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
                listed = stacks.get_collection_ref(collection)
                listed += [v for v in value.variables if not any(v is each for each in listed)]
            metrics[key] = value.result(), value.updates[0]
        for part in nest.flatten(metrics[key]):
            _check_graph(part, "eval_metric_ops", f"{key}: {part.name}")
    return metrics


def _is_object(metric: Any) -> bool:
    """Whether a metric is an object of Keras, not a pair."""
    return hasattr(metric, "update_state") and hasattr(metric, "result")
