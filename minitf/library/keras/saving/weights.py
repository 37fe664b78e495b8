"""`model.save_weights` and `model.load_weights`: in HDF5, or as a checkpoint of TensorFlow."""

from __future__ import annotations

import os
from typing import Any

from minitf.core.graph import stacks
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.keras.backend.session import get_session
from minitf.library.keras.saving import hdf5
from minitf.library.saving import checkpoint_state
from minitf.library.saving.object_checkpoint import CheckpointLoadStatus, write_objects
from minitf.library.saving.object_graph import ObjectGraph

_FORMATS = {"tensorflow": "tf", "tf": "tf", "hdf5": "h5", "h5": "h5", "keras": "h5"}


def may_write(path: str, overwrite: bool) -> bool:
    """Whether a file may be written: it is not there, or the user says so."""
    if overwrite or not os.path.isfile(path):
        return True
    answer = ""
    while answer not in ("y", "n"):
        answer = input(f"[WARNING] {path} already exists - overwrite? [y/n]").strip().lower()
    return answer == "y"


def save_weights(model: Any, filepath: Any, overwrite: bool, save_format: str | None) -> None:
    """Writes the variables of a model; see `Network.save_weights`."""
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


def load_weights(model: Any, filepath: Any, by_name: bool, skip_mismatch: bool) -> Any:
    """Gives the variables of a model values from a file; see `Network.load_weights`."""
    if skip_mismatch and not by_name:
        raise ValueError(
            "When calling model.load_weights, skip_mismatch can only be set to True when by_name "
            "is True."
        )
    if not hdf5.is_file(filepath) and not hdf5.names_hdf5(filepath):
        if not hdf5.is_hdf5(filepath):
            return _load_checkpoint(model, os.fspath(filepath), by_name)
    if not model.built:
        raise ValueError(
            "Unable to load weights saved in HDF5 format into a subclassed Model which has not "
            "created its variables yet. Call the Model first, then load the weights."
        )
    with hdf5.opened(filepath, "r") as file:
        whole = "layer_names" not in file.attrs and "model_weights" in [*file]
        group = hdf5.member(file, "model_weights") if whole else file
        if by_name:
            hdf5.read_layers_by_name(group, model.layers, skip_mismatch)
        else:
            hdf5.read_layers(group, model.layers)
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
