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
from typing import Any

from minitf.core.graph import logging
from minitf.library.keras.engine.network_config import plain
from minitf.library.keras.engine.version import VERSION
from minitf.library.keras.optimizers import named as optimizers
from minitf.library.keras.saving import hdf5
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
      save_format: "h5", the default.
      signatures: for the format "tf" only.

    Raises:
      NotImplementedError: when the model is a class of the program, or another format is asked for.
    """
    if save_format == "tf" and not hdf5.is_file(filepath) and not hdf5.names_hdf5(filepath):
        raise NotImplementedError(
            "model.save writes HDF5 here. What a model computes is written by "
            "tf.keras.experimental.export_saved_model, its variables by model.save_weights."
        )
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
        optimizer = getattr(model, "optimizer", None)
        if optimizer is None or not include_optimizer:
            return
        if isinstance(optimizer, optimizers.TFOptimizer):
            logging.warning(
                "TensorFlow optimizers do not make it possible to access optimizer attributes or "
                "optimizer state after instantiation. As a result, we cannot save the optimizer as "
                "part of the model save file. You will have to compile your model again after "
                "loading it. Prefer using a Keras optimizer instead (see keras.io/optimizers)."
            )
            return
        names = ("loss", "metrics", "weighted_metrics", "loss_weights", "sample_weight_mode")
        compiled = dict(zip(names, model._arguments, strict=True))
        compiled["optimizer_config"] = {
            "class_name": type(optimizer).__name__,
            "config": optimizer.get_config(),
        }
        file.attrs["training_config"] = _written(compiled)
        if optimizer.weights:
            hdf5.write_variables(file.create_group("optimizer_weights"), optimizer.weights)


def _written(value: Any) -> bytes:
    return json.dumps(value, default=plain).encode()
