"""`MethodNameUpdater`: which kinds of use the signatures of a saved model say that they are.

updater = tf.saved_model.signature_def_utils.MethodNameUpdater("/tmp/model")
updater.replace_method_name("serving_default", "tensorflow/serving/regress", tags="serve")
updater.save()          saved_model.pb is written again; the variables stay
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from minitf.library.formats import wire
from minitf.library.formats.file_io import naming, read_bytes, written_aside
from minitf.library.saving import saved_model_constants as names


class MethodNameUpdater:
    """Changes the kinds of signatures in a file.

    Args:
      export_dir: the directory of the saved model.
    Raises:
      OSError: when there is no saved model.
      ValueError: when its file is torn.
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = os.fsdecode(export_dir)
        self._path = path = os.path.join(self._folder, names.SAVED_MODEL_FILENAME_PB)
        if not os.path.isfile(path):
            raise OSError(f"SavedModel file does not exist at: {path}")
        with naming(path):
            self._parts: list[tuple[int, Any]] = list(wire.fields(read_bytes(path)))

    def replace_method_name(self, signature_key: str, method_name: str, tags: Any = None) -> None:
        """Changes one signature.

        Args:
          signature_key: its name.
          method_name: the new kind.
          tags: the tags of the graph; all graphs when None.
        Raises:
          ValueError: when there is no such signature, a name is empty, or the file is torn.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
        found = False
        with naming(self._path):
            for place, (number, value) in enumerate(self._parts):
                if number == 2 and (wanted is None or wanted == _tags(value)):
                    changed, there = _changed(value, signature_key, method_name)
                    found = found or there
                    self._parts[place] = number, changed
        if not found:
            raise ValueError(
                f"MetaGraphDef associated with tags {tags!r} and signature_key {signature_key!r} "
                "could not be found in SavedModel."
            )

    def save(self, new_export_dir: Any = None) -> None:
        """Writes the model.

        Args:
          new_export_dir: another directory, which gets the variables, too; the same when None.
        """
        folder = self._folder
        if new_export_dir is not None:
            folder = os.fsdecode(new_export_dir)
            shutil.copytree(self._folder, folder, dirs_exist_ok=True)
        with written_aside(os.path.join(folder, names.SAVED_MODEL_FILENAME_PB)) as file:
            file.write(_joined(self._parts))


def _joined(parts: list[tuple[int, Any]]) -> bytes:
    return b"".join(wire.field(number, value) for number, value in parts)


def _tags(meta_graph: bytes) -> set[str]:
    info: Any = dict(wire.fields(meta_graph)).get(1, b"")
    return {wire.text_of(value) for number, value in wire.fields(info) if number == 4}


def _changed(meta_graph: bytes, key: str, method_name: str) -> tuple[bytes, bool]:
    """The graph with another kind for one of its signatures; and whether that is there."""
    parts: list[tuple[int, Any]] = list(wire.fields(meta_graph))
    found = False
    for place, (number, value) in enumerate(parts):
        if number != 5:
            continue
        entry: dict[int, Any] = dict(wire.fields(value))
        if wire.text_of(entry.get(1, b"")) != key:
            continue
        kept = [each for each in wire.fields(entry.get(2, b"")) if each[0] != 3]
        signature = _joined([*kept, (3, method_name.encode())])
        parts[place] = number, _joined([(1, key.encode()), (2, signature)])
        found = True
    return _joined(parts), found
