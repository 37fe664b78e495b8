"""Whole models read from files; see `models.py`.

What a file says is data: it names classes that Keras has, or that the program gives by
`custom_objects`. Nothing that was read becomes code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import logging
from minitf.library.formats.file_io import naming
from minitf.library.keras import losses
from minitf.library.keras.engine.sequential import model_from_config
from minitf.library.keras.metrics import metrics
from minitf.library.keras.objects import custom_object_scope
from minitf.library.keras.optimizers import named as optimizers
from minitf.library.keras.saving import hdf5
from minitf.library.keras.saving.models import asset, checkpoint, read_json


def load_model(
    filepath: Any, custom_objects: Mapping[str, Any] | None = None, compile: bool = True
) -> Any:
    """Reads a model that `model.save` wrote.

    Args:
      filepath: the file, or the folder of a SavedModel.
      custom_objects: classes and functions of the program, by name.
      compile: whether to compile the model as it was.

    Raises:
      OSError: when the file is not there, or is none of HDF5.
      ValueError: when it holds no model, or one of classes that nobody knows.
    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
      >>> model.save("/tmp/model.h5")
      >>> tf.keras.models.load_model("/tmp/model.h5").output_shape
      (None, 2)
    """
    if not hdf5.is_hdf5(filepath):
        return _load_folder(filepath, custom_objects, compile)
    with hdf5.opened(filepath, "r") as file:
        config = _read(file, "model_config")
        if config is None:
            raise ValueError("No model found in config file.")
        with custom_object_scope(custom_objects or {}):
            model = model_from_config(config, custom_objects)
            hdf5.read_layers(hdf5.member(file, "model_weights"), model.layers)
            if compile:
                _compile(model, _read(file, "training_config"))
                _restore_optimizer(model, file)
    return model


def _load_folder(path: Any, custom_objects: Mapping[str, Any] | None, compile: bool) -> Any:
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {path}")
    if not os.path.exists(asset(path)):
        raise OSError(
            "Unable to load model. Filepath is not an hdf5 file (or h5py is not available) or "
            f"SavedModel of a model with a description: {path}"
        )
    with naming(os.fspath(path)), custom_object_scope(custom_objects or {}):
        model = load_from_saved_model(path, custom_objects)
        if compile:
            known = os.path.exists(asset(path, "training"))
            _compile(model, read_json(asset(path, "training")) if known else None)
            if model.optimizer is not None:
                model.optimizer._create_all(model._compiled_weights)  # as the checkpoint has them
    return model


def load_from_saved_model(
    saved_model_path: Any, custom_objects: Mapping[str, Any] | None = None
) -> Any:
    """Makes a model from what `export_saved_model` wrote.

    The optimizer that it is compiled with goes on where that of the file ended.

    Args:
      saved_model_path: the folder.
      custom_objects: classes and functions of the program, by name.

    Raises:
      NotFoundError: when it holds no description of layers.
      ValueError: when the variables do not fit.
    """
    folder = os.fspath(saved_model_path)
    model = model_from_config(read_json(asset(folder)), custom_objects)
    model.load_weights(checkpoint(folder))
    return model


def _compile(model: Any, config: Any) -> None:
    """Compiles a model as a configuration says."""
    if config is None:
        logging.warning(
            "No training configuration found in save file: the model was *not* compiled. Compile "
            "it manually."
        )
        return
    model.compile(
        optimizers.deserialize(config["optimizer_config"]),
        loss=_made(config.get("loss"), losses.deserialize),
        metrics=_made(config.get("metrics"), metrics.deserialize),
        weighted_metrics=_made(config.get("weighted_metrics"), metrics.deserialize),
        loss_weights=config.get("loss_weights"),
    )


def _restore_optimizer(model: Any, file: Any) -> None:
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or "optimizer_weights" not in [*file]:
        return
    group = hdf5.member(file, "optimizer_weights")
    saved = [hdf5.array_in(group, name) for name in hdf5.read_names(group, "weight_names")]
    _ = optimizer.iterations
    optimizer._create_slots(model.trainable_weights)
    if [each.shape for each in saved] == [tuple(w.shape.as_list()) for w in optimizer.weights]:
        optimizer.set_weights([each[()] for each in saved])
    else:
        logging.warning(
            "Error in loading the saved optimizer state. As a result, your model is starting with "
            "a freshly initialized optimizer."
        )


def _made(value: Any, deserialize: Callable[[Any], Any]) -> Any:
    """The losses or metrics that a configuration names, one by one where there are several."""
    if isinstance(value, Mapping) and "class_name" in value:
        config = dict(value["config"])
        if isinstance(config.get("fn"), str):  # a metric that later releases made of a function
            config["fn"] = deserialize(config["fn"])
        return deserialize({**value, "config": config})
    if isinstance(value, Mapping):
        return {key: _made(each, deserialize) for key, each in value.items()}
    return [_made(each, deserialize) for each in value] if isinstance(value, list) else value


def _read(file: Any, attribute: str) -> Any:
    text = file.attrs.get(attribute)
    if text is None:
        return None
    return json.loads(text.decode() if isinstance(text, bytes) else text)
