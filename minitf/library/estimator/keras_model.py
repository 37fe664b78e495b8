"""`model_to_estimator`: a compiled Keras model as an estimator.

    model ──its weights──> model_dir/keras/keras_model.ckpt ──warm start──> the first training
          ──its layers, made again on the features──> loss, updates, metrics ──> EstimatorSpec

The model itself is not touched: what the estimator learns is in its checkpoints.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.composites import convert_to_tensor_or_sparse_tensor
from minitf.core.graph.graph import Graph
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.control import group
from minitf.core.ops.random import set_random_seed
from minitf.core.runtime.session.session import Session
from minitf.core.variables.initialization import global_variables_initializer
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.export import PredictOutput
from minitf.library.estimator.run_config import RunConfig, with_model_dir
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.input_layer import Input
from minitf.library.keras.engine.sequential import Sequential, clone_model, load_model
from minitf.library.keras.engine.training import Model
from minitf.library.keras.objects import custom_object_scope
from minitf.library.keras.optimizers.optimizers import TFOptimizer
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.saved_model_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from minitf.library.saving.saver import Saver
from minitf.library.sessions.training_util import create_global_step, get_or_create_global_step


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """Returns an estimator that trains the layers of a compiled Keras model.

    Args:
      keras_model: the model.
      keras_model_path: the file of a saved model, in place of it.
      custom_objects: layers and functions of the program, by name.
      model_dir: where checkpoints and events go.
      config: a `RunConfig`.
      checkpoint_format: "saver" or "checkpoint"; checkpoints are by name in both.
    Raises:
      ValueError: when there is no model, or two, or it was not compiled.
    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), name="y")])
      >>> model.compile("sgd", "mse")
      >>> estimator = tf.keras.estimator.model_to_estimator(model, model_dir="/tmp/keras_model")
      >>> data = lambda: tf.data.Dataset.from_tensors((tf.ones([8, 2]), tf.ones([8, 1])))
      >>> sorted(estimator.train(data).evaluate(data))
      ['global_step', 'loss']
    """
    if not (keras_model or keras_model_path):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model and keras_model_path:
        raise ValueError("Please specity either `keras_model` or `keras_model_path`, but not both.")
    if checkpoint_format not in ("saver", "checkpoint", None):
        raise ValueError(
            f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}'
        )
    config = with_model_dir(config, model_dir)
    if keras_model_path:
        logging.info("Loading models from %s", keras_model_path)
        keras_model = load_model(keras_model_path, custom_objects)
    else:
        logging.info("Using the Keras model provided.")
    if not getattr(keras_model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    made = _Made(keras_model, custom_objects or {})
    start = made.first_checkpoint(config) if _is_network(keras_model) and config.is_chief else None
    return Estimator(made.model_fn, config=config, warm_start_from=start)


class _Made:
    """Makes a model again in each graph of the estimator."""

    def __init__(self, model: Any, custom_objects: Mapping[str, Any]) -> None:
        self._model = model
        self._custom_objects = custom_objects

    def first_checkpoint(self, config: RunConfig) -> str:
        """The weights that the model has now, once, as a checkpoint."""
        folder = os.path.join(config.model_dir, "keras")
        found = latest_checkpoint(folder)
        if found:
            return found
        values = self._model.get_weights()
        os.makedirs(folder, exist_ok=True)
        with Graph().as_default(), Session(config=config.session_config) as session:
            set_random_seed(config.tf_random_seed)
            create_global_step()
            weights = self._again(None).weights
            session.run(global_variables_initializer())
            for variable, value in zip(weights, values, strict=True):
                variable.load(value, session)
            path = os.path.join(folder, "keras_model.ckpt")
            Saver().save(session, path)
        return path

    def _again(self, inputs: Any) -> Any:
        """The model with variables of its own, on the given inputs."""
        model = self._model
        with custom_object_scope(self._custom_objects):
            if _is_network(model):
                return clone_model(model, inputs)
            made = type(model).from_config(model.get_config())
            inputs = [Input(tensor=tensor) for tensor in inputs]
            return Model(inputs, made(inputs[0] if len(inputs) == 1 else inputs))

    def model_fn(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """The estimator's model_fn."""
        backend.set_learning_phase(int(mode == ModeKeys.TRAIN))
        model = self._again(_listed(features, self._model.input_names, "features", "inputs"))
        names = model.output_names
        predictions = dict(zip(names, model.outputs, strict=True))
        outputs = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(predictions)}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=outputs)
        targets = _listed(labels, self._model.output_names, "labels", "outputs") or []
        optimizer = self._optimizer()
        loss, metrics, weighted, loss_weights = self._model._arguments
        targets = [_fitting(t, out) for t, out in zip(targets, model.outputs, strict=False)]
        model.compile(optimizer, loss, metrics, loss_weights, weighted, target_tensors=targets)
        total = model.total_loss
        train_op = None
        if mode == ModeKeys.TRAIN:
            with stacks.name_scope("training"):
                learned = total if isinstance(optimizer, TFOptimizer) else _share_of(total)
                updates = model.optimizer.get_updates(loss=learned, params=model._compiled_weights)
            train_op = group(*updates, *model._compiled_updates)
        metrics = {metric.name: metric for metric in model.metrics}
        return EstimatorSpec(mode, predictions, total, train_op, metrics, outputs)

    def _optimizer(self) -> Any:
        """An optimizer like the model's, that counts the estimator's steps."""
        step, own = get_or_create_global_step(), self._model.optimizer
        if isinstance(own, TFOptimizer):
            return TFOptimizer(own.optimizer, step)
        made = type(own).from_config(own.get_config())
        made.iterations = step
        return made


class FormattedKeyError(KeyError):
    """A `KeyError` with a text of several lines."""

    def __str__(self) -> str:
        return str(self.args[0])


def _share_of(loss: Any) -> Any:
    """What a replica adds to the mean of the losses: Keras's optimizers add the gradients."""
    place = stacks.strategies.top()
    return loss if place is None else loss / place.strategy.num_replicas_in_sync


def _is_network(model: Any) -> bool:
    return isinstance(model, Sequential) or model._is_graph_network


def _listed(given: Any, names: Sequence[str], kind: str, order: str) -> list[Any] | None:
    """The tensors in the order of the model's inputs or outputs."""
    if given is None:
        return None
    if isinstance(given, dict):
        if missing := set(names) - set(given):
            raise FormattedKeyError(
                f"The dictionary passed into {kind} does not cover requested {order} keys defined "
                f"in the keras model.\n\tExpected keys: {set(names)}\n\t{kind} keys: {set(given)}"
                f"\n\tMissed keys: {missing}"
            )
        given = [given[name] for name in names]
    several = isinstance(given, (list, tuple))
    return [convert_to_tensor_or_sparse_tensor(t) for t in (given if several else [given])]


def _fitting(target: Any, output: Any) -> Any:
    """Labels with the last axis that an output of one number has."""
    ranks = target.shape.ndims, output.shape.ndims
    if None not in ranks and ranks[0] == ranks[1] - 1 and output.shape[-1].value == 1:
        return expand_dims(target, -1)
    return target
