"""`tf.contrib.session_bundle.exporter`: models for TensorFlow Serving, as of before saved models.

    00000007/            the global step
      export-....        a checkpoint
      export.meta        the graph; its collections say by which tensors a client asks
      assets/            further files

The messages of the collections are those of TensorFlow's `manifest.proto`. A MetaGraph is a
protocol buffer, and what is appended to one is read as a part of it: so the collections are.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.convert import constant_value
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.wire import field
from minitf.library.saving.saver import Saver
from minitf.library.sessions.training_util import global_step

INIT_OP_KEY = "serving_init_op"
SIGNATURES_KEY = "serving_signatures"
ASSETS_KEY = "serving_assets"
ASSETS_DIRECTORY = "assets"


class Path(NamedTuple):
    """A folder of a step, and the step."""

    path: str
    export_version: int


@dataclass(frozen=True)
class Signature:
    """A message that says which tensors a client feeds and gets."""

    data: bytes

    def SerializeToString(self) -> bytes:
        """The message's bytes."""
        return self.data


def _binding(tensor: Any) -> bytes:
    return field(1, tensor.name.encode())


def _of(kind: int, tensors: Iterable[Any]) -> Signature:
    """A signature of a kind, whose fields are tensors in order; None leaves one out."""
    parts = [field(i, _binding(t)) for i, t in enumerate(tensors, 1) if t is not None]
    return Signature(field(kind, b"".join(parts)))


def regression_signature(input_tensor: Tensor, output_tensor: Tensor) -> Signature:
    """A client feeds examples, and gets numbers."""
    return _of(1, [input_tensor, output_tensor])


def classification_signature(
    input_tensor: Tensor, classes_tensor: Tensor | None = None, scores_tensor: Tensor | None = None
) -> Signature:
    """A client feeds examples, and gets classes, scores, or both."""
    return _of(2, [input_tensor, classes_tensor, scores_tensor])


def generic_signature(name_tensor_map: Mapping[str, Tensor]) -> Signature:
    """A client asks for tensors by names of its own."""
    return Signature(field(3, _entries({k: _binding(t) for k, t in name_tensor_map.items()})))


def _entries(named: Mapping[str, bytes], number: int = 1) -> bytes:
    """A map from texts to messages."""
    pairs = (field(1, name.encode()) + field(2, data) for name, data in named.items())
    return b"".join(field(number, pair) for pair in pairs)


def _collection(key: str, kind: str, messages: Iterable[bytes]) -> bytes:
    """A collection of messages of a kind, as a part of a MetaGraph."""
    url = f"type.googleapis.com/tensorflow.serving.{kind}".encode()
    every = b"".join(field(1, field(1, url) + field(2, each)) for each in messages)
    return _entries({key: field(5, every)}, number=4)


def gfile_copy_callback(files_to_copy: Mapping[str, str], export_dir_path: Any) -> None:
    """Copies files, each under its new name, to a folder."""
    os.makedirs(os.fsdecode(export_dir_path), exist_ok=True)
    for path, name in files_to_copy.items():
        shutil.copy(path, os.path.join(os.fsdecode(export_dir_path), name))


class Exporter:
    """Writes models for TensorFlow Serving.

    Args:
      saver: saves the variables; what it would remove stays.
    """

    def __init__(self, saver: Saver) -> None:
        self._saver = Saver(saver_def=saver.as_saver_def())
        self._saver.set_last_checkpoints_with_time([])
        self._collections: bytes | None = None
        self._assets: dict[str, str] = {}

    def init(
        self, graph_def: Any = None, init_op: Any = None, clear_devices: bool = False,
        default_graph_signature: Signature | None = None,
        named_graph_signatures: Mapping[str, Signature] | None = None,
        assets_collection: Any = None,
        assets_callback: Callable[[Mapping[str, str], Any], None] = gfile_copy_callback,
    ) -> None:  # fmt: skip
        """Says what is exported.

        Args:
          graph_def: accepted; the graph is that of the session.
          init_op: an operation that runs after loading.
          clear_devices: whether nodes are written without devices.
          default_graph_signature, named_graph_signatures: how clients ask.
          assets_collection: constant texts, the paths of further files.
          assets_callback: copies these files.
        Raises:
          RuntimeError: when it is called twice.
          TypeError: when `init_op` is no operation, or a path no constant text.
        """
        paths = [(_path(tensor), tensor) for tensor in assets_collection or ()]
        self._assets = {path: os.path.basename(path) for path, _ in paths}
        if self._collections is not None:
            raise RuntimeError("init should be called only once")
        if init_op is not None:
            if not isinstance(init_op, Operation):
                raise TypeError(f"init_op needs to be an Operation: {init_op}")
            stacks.add_to_collection(INIT_OP_KEY, init_op)
        default = default_graph_signature.data if default_graph_signature else b""
        named = {name: each.data for name, each in (named_graph_signatures or {}).items()}
        signatures = (field(1, default) if default else b"") + _entries(named, 2)
        parts = [_collection(SIGNATURES_KEY, "Signatures", [signatures])]
        if paths:
            files = [field(1, _binding(t)) + field(2, self._assets[p].encode()) for p, t in paths]
            parts.append(_collection(ASSETS_KEY, "AssetFile", files))
        self._collections = b"".join(parts)
        self._clear_devices, self._callback = clear_devices, assets_callback

    def export(
        self, export_dir_base: str, global_step_tensor: Any, sess: Any = None,
        exports_to_keep: Callable[[list[Path]], list[Path]] | None = None,
    ) -> str:  # fmt: skip
        """Writes the model of a step.

        Args:
          export_dir_base: the folder of all steps.
          global_step_tensor: a tensor, or its name; gives the folder its name, of eight digits.
          sess: the session.
          exports_to_keep: from the folders of all steps to those that stay; None for all.
        Returns: the folder.
        Raises:
          RuntimeError: without `init`, and when the folder exists.
        """
        if self._collections is None:
            raise RuntimeError("init must be called first")
        step = sess.graph.as_graph_element(global_step_tensor)
        folder = os.path.join(export_dir_base.rstrip("/"), f"{global_step(sess, step):08d}")
        if os.path.exists(folder):
            raise RuntimeError(
                "Overwriting exports can cause corruption and are not allowed. Duplicate export "
                f"dir: {folder}"
            )
        aside = f"{folder}-tmp"
        os.makedirs(aside, exist_ok=True)
        path = os.path.join(aside, "export")
        self._saver.save(sess, path, write_meta_graph=False)
        with sess.graph.as_default():
            self._saver.export_meta_graph(f"{path}.meta", clear_devices=self._clear_devices)
        with open(f"{path}.meta", "rb+") as file:
            if file.read(1) == b"{":
                logging.warning(
                    "The graph has nodes that TensorFlow lacks; no signatures are told."
                )
            else:
                file.seek(0, os.SEEK_END)
                file.write(self._collections)
        if self._assets and self._callback is not None:
            self._callback(self._assets, os.path.join(aside, ASSETS_DIRECTORY))
        os.rename(aside, folder)
        if exports_to_keep is not None:
            base = os.path.dirname(folder)
            every = [Path(os.path.join(base, name), int(name)) for name in os.listdir(base)
                     if re.fullmatch(r"\d{8}", name)]  # fmt: skip
            kept = exports_to_keep(every)
            for each in every:
                if each not in kept:
                    shutil.rmtree(each.path)
        return folder


def _path(tensor: Any) -> str:
    """The path in a constant."""
    if not isinstance(tensor, Tensor):
        raise TypeError("tensor is not a Tensor")
    if tensor.op.type != "Const":
        raise TypeError("Only constants tensor are supported")
    if tensor.dtype != dtypes.string:
        raise TypeError("File paths should be string")
    value = constant_value(tensor)
    if not value:
        raise ValueError(f"invalid asset filepath tensor {tensor}")
    found: Any = value
    return os.fsdecode(found.item() if hasattr(found, "item") else found)
