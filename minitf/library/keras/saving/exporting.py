"""Models as SavedModels: what they compute, for serving, and how they are built, to go on with.

    saved_model.pb                    the graph with its signature, as every SavedModel
    variables/                        a checkpoint of objects: the layers' variables, and the
                                      optimizer's, which the graph does not read
    assets/saved_model.json           the layers, as `model.to_json()` tells them
    assets/saved_model_training.json  optimizer, losses, metrics, when `model.save` wrote it

The graph is built anew from the description of the model, with the learning phase 0, so that
nothing of the training is in it. A model of a class of the program has no description: of it the
graph alone is written, and it must have been called in a graph.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph import Graph
from minitf.core.runtime.session.session import Session
from minitf.library.formats.file_io import read_bytes, written_aside
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.network_config import plain
from minitf.library.keras.objects import custom_object_scope
from minitf.library.saving.object_checkpoint import write_objects
from minitf.library.saving.object_graph import ObjectGraph
from minitf.library.saving.saved_model import simple_save
from minitf.library.saving.saver import Saver


def asset(folder: Any, name: str = "") -> str:
    """The path of one of the files of Keras in a SavedModel."""
    return os.path.join(os.fspath(folder), "assets", f"saved_model{name and '_'}{name}.json")


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
    *,
    include_optimizer: bool = True,
) -> None:
    """Writes a model as a SavedModel.

    Args:
      model: the model, which is built.
      saved_model_path: a folder that is empty or not there yet.
      custom_objects: classes and functions of the program, by name.
      as_text, input_signature: accepted.
      serving_only: whether the description of the layers is left out, and the optimizer.
      include_optimizer: whether the variables of the optimizer are written.

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
        if include_optimizer and getattr(model, "optimizer", None) is not None:
            ObjectGraph(model)  # an optimizer makes its counter of steps when asked
            at_once = stacks.outermost().runs_at_once
            write_objects(model, checkpoint(folder), None if at_once else backend.get_session())


def _save_graph(model: Any, session: Any, folder: str, saver: Any = None) -> None:
    inputs = dict(zip(model.input_names, model.inputs, strict=True))
    outputs = dict(zip(model.output_names, model.outputs, strict=True))
    with session.graph.as_default():
        simple_save(session, folder, inputs, outputs, saver=saver)
