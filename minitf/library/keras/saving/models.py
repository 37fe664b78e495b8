"""Models written to files: their variables as a checkpoint or in HDF5, or all, also for serving.

    HDF5         model_config         the layers, as `model.to_json()` tells them
                 model_weights/       see `hdf5.py`
                 training_config      optimizer, losses, metrics
                 optimizer_weights/

    SavedModel   saved_model.pb                    the graph with its signature
                 variables/                        a checkpoint of objects: the layers' variables,
                                                   and the optimizer's, that the graph needs not
                 assets/saved_model.json   the layers

`engine/sequential.py` reads them. The graph of a SavedModel is built anew from the description of
the model, with the learning phase 0, so that nothing of the training is in it. A model of a class
of the program has no description: its variables can be saved, or the graph it was called in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.session.session import Session
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.formats.file_io import read_bytes, written_aside
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import VERSION, get_session
from minitf.library.keras.engine.structure import plain
from minitf.library.keras.objects import custom_object_scope
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.saving import hdf5
from minitf.library.saving import checkpoint_state
from minitf.library.saving.object_checkpoint import CheckpointLoadStatus, ObjectGraph, write_objects
from minitf.library.saving.saved_model import simple_save
from minitf.library.saving.saver import Saver

# ---- variables -----------------------------------------------------------------------------------


_FORMATS = {"tensorflow": "tf", "tf": "tf", "hdf5": "h5", "h5": "h5", "keras": "h5"}


def may_write(path: str, overwrite: bool) -> bool:
    """Whether a file may be written: it is not there, or the user says so."""
    if overwrite or not os.path.isfile(path):
        return True
    answer = ""
    while answer not in ("y", "n"):
        answer = input(f"[WARNING] {path} already exists - overwrite? [y/n]").strip().lower()
    return answer == "y"


def save_weights(
    model: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Writes the variables of the layers.

    Args:
      model: the model.
      filepath: a path that ends in ".h5" for HDF5; otherwise the start of the names of a
        checkpoint.
      overwrite: whether a file that is there is replaced; otherwise the user is asked.
      save_format: "h5" or "tf", where the path does not say.

    Raises:
      ValueError: when there are no variables yet, or the format is not known.
    """
    model._check_built()
    filepath = os.fspath(filepath)
    ends_as_hdf5 = hdf5.names_hdf5(filepath)
    if save_format is None:
        save_format = "h5" if ends_as_hdf5 else "tf"
    elif save_format.lower().strip() not in _FORMATS:
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    save_format = _FORMATS[save_format.lower().strip()]
    if save_format == "tf" and ends_as_hdf5:
        raise ValueError(
            f'save_weights got save_format="tf"/"tensorflow", but the filepath ("{filepath}") '
            'looks like an HDF5 file. Omit the ".h5"/".keras" when saving in TensorFlow format.'
        )
    if not may_write(f"{filepath}.index" if save_format == "tf" else filepath, overwrite):
        return
    if save_format == "h5":
        with hdf5.opened(filepath, "w") as file:
            hdf5.write_layers(file, model.layers)
        return
    ObjectGraph(model)  # an optimizer makes its counter of steps when asked; `_session` fills it
    write_objects(model, filepath, _session())
    folder = os.path.dirname(filepath) or "."
    checkpoint_state.update_checkpoint_state(folder, filepath, [filepath], save_relative_paths=True)


def load_weights(model: Any, filepath: Any, by_name: bool = False) -> Any:
    """Gives the variables the values that `save_weights` or `save` wrote.

    Args:
      model: the model.
      filepath: what they were called with.
      by_name: whether layers get the values of their names; otherwise all get them in order.

    Returns: for a checkpoint what was found, as `tf.train.Checkpoint.restore` does.
    Raises:
      ValueError: when the layers do not fit.
      NotFoundError: when there is no such checkpoint.
    """
    if not hdf5.names_hdf5(filepath) and not hdf5.is_hdf5(filepath):
        return _load_checkpoint(model, os.fspath(filepath), by_name)
    if not model.built:
        raise ValueError(
            "Unable to load weights saved in HDF5 format into a subclassed Model which has not "
            "created its variables yet. Call the Model first, then load the weights."
        )
    with hdf5.opened(filepath, "r") as file:
        whole = "layer_names" not in file.attrs and "model_weights" in [*file]
        group = hdf5.member(file, "model_weights") if whole else file
        hdf5.read_layers(group, model.layers, by_name)
    return None


def _load_checkpoint(model: Any, path: str, by_name: bool) -> CheckpointLoadStatus:
    if by_name:
        raise NotImplementedError(
            "Weights may only be loaded based on topology into Models when loading "
            "TensorFlow-formatted weights (got by_name=True to load_weights)."
        )
    status = CheckpointLoadStatus(model, CheckpointReader(path))
    session = _session()
    status.run_restore_ops(session)
    if model.built:
        status.assert_nontrivial_match()
    status.wait(_session)
    return status


def _session() -> Any:
    """The session that holds the variables of a graph."""
    return None if stacks.outermost().runs_at_once else get_session()


# ---- SavedModels ---------------------------------------------------------------------------------


def asset(folder: Any) -> str:
    """The path of the description of the layers in a SavedModel."""
    return os.path.join(os.fspath(folder), "assets", "saved_model.json")


def checkpoint(folder: Any) -> str:
    """The path of the variables in a SavedModel, without a suffix."""
    return os.path.join(os.fspath(folder), "variables", "variables")


def write_json(path: str, value: Any) -> None:
    """Writes JSON to a file, whose folder is made."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with written_aside(path) as file:
        file.write(json.dumps(value, default=plain).encode())


def read_json(path: str) -> Any:
    """Reads the JSON of a file."""
    return json.loads(read_bytes(path))


def export_saved_model(
    model: Any,
    saved_model_path: Any,
    custom_objects: Mapping[str, Any] | None = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel.

    Args:
      model: the model, which is built.
      saved_model_path: a folder that is empty or not there yet.
      custom_objects: classes and functions of the program, by name.
      as_text, input_signature: accepted.
      serving_only: whether the description of the layers is left out, and the optimizer.

    Raises:
      NotImplementedError: when a class of the program was never called in a graph.
    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
      >>> tf.keras.experimental.export_saved_model(model, "/tmp/exported")
      >>> tf.keras.experimental.load_from_saved_model("/tmp/exported").output_shape
      (None, 2)
    """
    folder = os.fspath(saved_model_path)
    if not getattr(model, "_is_graph_network", False):
        if not model.inputs or stacks.outermost().runs_at_once:
            raise NotImplementedError(
                "A model of a class of the program is exported from the graph that it was called "
                "in, and this one was called in none. Its variables can be saved by save_weights."
            )
        _save_graph(model, backend.get_session(), folder)
        return
    values = model.get_weights()
    with Graph().as_default(), Session() as session:
        backend.set_learning_phase(0)
        with custom_object_scope(custom_objects or {}):
            again = type(model).from_config(model.get_config(), custom_objects)
        again.set_weights(values)
        _save_graph(again, session, folder, Saver(ObjectGraph(again).variables, sharded=True))
        write_objects(again, checkpoint(folder), session)
    if not serving_only:
        write_json(asset(folder), model._described())
        if getattr(model, "optimizer", None) is not None:
            ObjectGraph(model)  # an optimizer makes its counter of steps when asked
            at_once = stacks.outermost().runs_at_once
            write_objects(model, checkpoint(folder), None if at_once else backend.get_session())


def _save_graph(model: Any, session: Any, folder: str, saver: Any = None) -> None:
    inputs = dict(zip(model.input_names, model.inputs, strict=True))
    outputs = dict(zip(model.output_names, model.outputs, strict=True))
    with session.graph.as_default():
        simple_save(session, folder, inputs, outputs, saver=saver)


# ---- models --------------------------------------------------------------------------------------


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
      filepath: the file.
      overwrite: whether a file that is there is replaced; otherwise the user is asked.
      include_optimizer: whether the optimizer and its variables are written.
      save_format: "h5"; a SavedModel is written by `export_saved_model`.
      signatures: accepted.

    Raises:
      NotImplementedError: when the model is a class of the program.
    """
    if save_format == "tf" and not hdf5.names_hdf5(filepath):
        raise NotImplementedError(
            "A whole model is saved in HDF5 format. For a SavedModel, use "
            "`tf.keras.experimental.export_saved_model`."
        )
    if not model._is_graph_network and not hasattr(model, "pop"):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models, because such models are "
            "defined via the body of a Python method, which isn't safely serializable. Consider "
            "using `save_weights`, in order to save the weights of the model."
        )
    if not may_write(os.fspath(filepath), overwrite):
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
    names = ("loss", "metrics", "weighted_metrics", "loss_weights")
    described = {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    compiled = dict(zip(names, model._arguments, strict=True))
    return {**compiled, "sample_weight_mode": None, "optimizer_config": described}


def _written(value: Any) -> bytes:
    return json.dumps(value, default=plain).encode()
