"""Whole models in files: how they are built, their variables, and how they were compiled.

    model.h5   model_config      JSON: the layers and how they are joined
               model_weights/    the variables, see hdf5.py
               training_config   JSON: optimizer, losses, metrics
               optimizer_weights/

`loading.py` reads them. A model of a class of the program has no such description; its variables
can be saved (`save_weights`), or what it computes (`tf.keras.experimental.export_saved_model`).
"""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

from minitf.core.graph import logging
from minitf.library.keras.engine.network_config import plain
from minitf.library.keras.engine.version import VERSION
from minitf.library.keras.optimizers import named as optimizers
from minitf.library.keras.saving import hdf5
from minitf.library.keras.saving.exporting import asset, export_saved_model, write_json
from minitf.library.keras.saving.weights import may_write


def save_model(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: Any = None,
) -> None:
    """Writes a model to a file.

    Args:
      model: a functional or sequential model.
      filepath: the file, or an open file of `h5py`.
      overwrite: whether a file that is there is replaced; otherwise the user is asked.
      include_optimizer: whether the optimizer and its variables are written.
      save_format: "h5", the default, or "tf" for a SavedModel.
      signatures: accepted.

    Raises:
      NotImplementedError: when the model is a class of the program.
    """
    if save_format == "tf" and not hdf5.is_file(filepath) and not hdf5.names_hdf5(filepath):
        before = os.path.join(filepath, "saved_model.pb")
        if may_write(before, overwrite):
            if os.path.exists(before):
                shutil.rmtree(filepath)
            export_saved_model(model, filepath, include_optimizer=include_optimizer)
            if include_optimizer:
                write_json(asset(filepath, "training"), training_config(model))
        return
    if not model._is_graph_network and not hasattr(model, "pop"):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models, because such models are "
            "defined via the body of a Python method, which isn't safely serializable. Consider "
            "using `save_weights`, in order to save the weights of the model."
        )
    if not hdf5.is_file(filepath) and not may_write(os.fspath(filepath), overwrite):
        return
    with hdf5.opened(filepath, "w") as file:
        described = {"class_name": type(model).__name__, "config": model.get_config()}
        file.attrs["keras_version"] = VERSION.encode()
        file.attrs["backend"] = b"tensorflow"
        file.attrs["model_config"] = _written(described)
        hdf5.write_layers(file.create_group("model_weights"), model.layers)
        compiled = training_config(model) if include_optimizer else None
        if compiled is not None:
            file.attrs["training_config"] = _written(compiled)
            if model.optimizer.weights:
                group = file.create_group("optimizer_weights")
                hdf5.write_variables(group, model.optimizer.weights)


def training_config(model: Any) -> dict[str, Any] | None:
    """How a model was compiled, as data; None when it was not, or with one of `tf.train`."""
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        return None
    if isinstance(optimizer, optimizers.TFOptimizer):
        logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or "
            "optimizer state after instantiation. As a result, we cannot save the optimizer as "
            "part of the model save file. You will have to compile your model again after "
            "loading it. Prefer using a Keras optimizer instead (see keras.io/optimizers)."
        )
        return None
    names = ("loss", "metrics", "weighted_metrics", "loss_weights", "sample_weight_mode")
    described = {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    return {**dict(zip(names, model._arguments, strict=True)), "optimizer_config": described}


def _written(value: Any) -> bytes:
    return json.dumps(value, default=plain).encode()
