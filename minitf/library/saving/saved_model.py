"""Saved models: graphs with their variables, signatures and files, in one directory.

export_dir/
  saved_model.pb               the MetaGraphs, one for each set of tags
  variables/variables.*        one checkpoint that they share
  assets/                      files that the graphs read, such as vocabularies

SavedModelBuilder writes it; `load` takes one graph of it into a session.
"""

from __future__ import annotations

import filecmp
import itertools
import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.variables import initialization
from minitf.library.formats.file_io import naming
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving.meta_graph import (
    AssetFileDef,
    CollectionDef,
    MetaGraphDef,
    MetaInfoDef,
    SavedModel,
    SignatureDef,
    export_meta_graph,
    read_message,
    write_message,
)
from minitf.library.saving.saver import Saver, import_meta_graph
from minitf.library.saving.signatures import build_tensor_info, predict_signature_def


class SavedModelBuilder:
    """Writes a saved model.

    Args:
      export_dir: a directory that is empty or not there yet.

    Raises:
      AssertionError: when it is not empty.
    Example:
      >>> x = tf.placeholder(tf.float32, [None, 2])
      >>> signature = tf.saved_model.predict_signature_def({"x": x}, {"y": x * 2.0})
      >>> builder = tf.saved_model.builder.SavedModelBuilder("/tmp/model")
      >>> builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
      >>> builder.save()
      b'/tmp/model/saved_model.pb'
    """

    def __init__(self, export_dir: str) -> None:
        export_dir = os.fsdecode(export_dir)
        if os.path.isdir(export_dir) and os.listdir(export_dir):
            raise AssertionError(
                f"Export directory {export_dir} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified "
                f"directory: {export_dir}"
            )
        os.makedirs(export_dir, exist_ok=True)
        self._export_dir = export_dir
        self._saved_model = SavedModel(names.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        **more: Any,
    ) -> None:
        """Adds the default graph, and saves the variables of a session. Comes first.

        Args:
          sess: the session.
          tags: what the graph is meant for.
          signature_def_map: its signatures by name.
          assets_collection: string constants that hold paths of files to take along.
          legacy_init_op: the former name of `main_op`.
          clear_devices: leave all devices open.
          main_op: is run when the model is loaded.
          strip_default_attrs: not used; here since TensorFlow has it.
          saver: saves the variables; a new `Saver` by default.
          more: `assets_list` and `init_op`, other names of `assets_collection` and `main_op`, and
            `train_op`, which those who train on find in the collection "saved_model_train_op".
        Raises:
          AssertionError: when the variables were saved before.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        self._check(signature_def_map, legacy_init_op, more.get("train_op"))
        saver = saver or Saver(sharded=True, allow_empty=True)
        folder = os.path.join(self._export_dir, names.VARIABLES_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, names.VARIABLES_FILENAME)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        self._has_saved_variables = True
        given = (signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op)
        self.add_meta_graph(tags, *given, saver=saver, **more)

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Mapping[str, SignatureDef] | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
        *,
        assets_list: Sequence[Tensor] | None = None,
        init_op: Operation | None = None,
        train_op: Operation | Tensor | None = None,
    ) -> None:
        """Adds the default graph, which uses the variables that were saved before.

        The arguments are those of `add_meta_graph_and_variables`.

        Raises:
          AssertionError: when no variables were saved yet, or a signature lacks names or types.
          ValueError: for a `legacy_init_op` in a graph that has one.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._check(signature_def_map, legacy_init_op, train_op)
        if train_op is not None:
            stacks.add_to_collection(names.TRAIN_OP_KEY, train_op)
        main_op = main_op or init_op or legacy_init_op
        if main_op is not None:
            stacks.get_default_graph().clear_collection(names.MAIN_OP_KEY)
            stacks.add_to_collection(names.MAIN_OP_KEY, main_op)
        meta_graph = export_meta_graph(
            meta_info_def=MetaInfoDef(tags=list(tags)),
            saver_def=(saver or Saver(sharded=True, allow_empty=True)).saver_def,
            clear_devices=clear_devices,
        )
        meta_graph.signature_def = dict(signature_def_map or {})
        assets = assets_collection or assets_list or ()
        meta_graph.asset_file_def = [self._take(tensor) for tensor in assets]
        logging.info("Assets added to graph." if assets else "No assets to save.")
        self._saved_model.meta_graphs.append(meta_graph)

    @staticmethod
    def _check(signatures: Mapping[str, SignatureDef] | None, legacy: Any, train_op: Any) -> None:
        key = names.LEGACY_INIT_OP_KEY
        if legacy is not None and stacks.get_collection(key):
            raise ValueError(
                f"Graph already contains one or more entries under the collection {key}."
            )
        if train_op is not None and not isinstance(train_op, (Tensor, Operation)):
            raise TypeError(f"train_op needs to be a Tensor or Op: {train_op}")
        for key, signature in (signatures or {}).items():
            if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
                raise KeyError(
                    f'SignatureDef map key "{key}" is reserved. Please use a different key.'
                )
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                if not info.name and not info.coo_sparse:
                    missing = "one of the 'encoding' fields (e.g., name or coo_sparse)"
                elif not info.dtype:
                    missing = "the dtype field"
                else:
                    continue
                where = "All TensorInfo protos used in the SignatureDefs"
                raise AssertionError(f"{where} must have {missing} set: {info}")

    def _take(self, tensor: Tensor) -> AssetFileDef:
        """Copies the file that a constant names; one of the same name and content is there once."""
        source = tensor.op.attrs["value"].item()
        source = source.decode() if isinstance(source, bytes) else source
        folder = os.path.join(self._export_dir, names.ASSETS_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        base = name = os.path.basename(source)
        for count in itertools.count(1):
            path = os.path.join(folder, name)
            if not os.path.exists(path) or filecmp.cmp(source, path, shallow=False):
                break
            name = f"{base}_{count}"
        shutil.copyfile(source, path)
        return AssetFileDef(name, build_tensor_info(tensor))

    def save(self, as_text: bool = False) -> bytes:
        """Writes `saved_model.pb`, or `saved_model.pbtxt`, and returns its path."""
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        write_message(path, self._saved_model, as_text, leave_out=True)
        logging.info("SavedModel written to: %s", path)
        return path.encode()


def simple_save(
    session: Any,
    export_dir: str,
    inputs: Mapping[str, Tensor],
    outputs: Mapping[str, Tensor],
    legacy_init_op: Operation | None = None,
    saver: Saver | None = None,
) -> None:
    """Saves the default graph for serving, with one signature.

    Args:
      session: holds the variables.
      export_dir: a directory that is empty or not there yet.
      inputs: what to feed, by name.
      outputs: what to fetch, by name.
      legacy_init_op: is run when the model is loaded.
      saver: saves the variables; a new `Saver` by default.
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [names.SERVING],
        {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=stacks.get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
        saver=saver,
    )
    builder.save()


# ---- loading -----------------------------------------------------------------------------


def _model_file(export_dir: str) -> str | None:
    files = (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT)
    paths = [os.path.join(export_dir, name) for name in files]
    return next((path for path in paths if os.path.isfile(path)), None)


def maybe_saved_model_directory(export_dir: str) -> bool:
    """Whether a directory holds a saved model."""
    return _model_file(os.fsdecode(export_dir)) is not None


def parse_saved_model(export_dir: str) -> SavedModel:
    """Reads the graphs of a saved model.

    Raises:
      OSError: when there is none, or its file is torn.
    """
    export_dir = os.fsdecode(export_dir)
    path = _model_file(export_dir)
    if path is None:
        raise OSError(
            f"SavedModel file does not exist at: {export_dir}{os.sep}"
            f"{{{names.SAVED_MODEL_FILENAME_PBTXT}|{names.SAVED_MODEL_FILENAME_PB}}}"
        )
    return read_message(path, SavedModel)


def load(
    sess: Any,
    tags: Sequence[str],
    export_dir: str,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Adds a graph of a saved model to the session's graph, and restores its variables.

    Then it runs the `main_op` of the file, whatever that is: load only models that you trust.

    Args:
      sess: the session.
      tags: the tags of the graph.
      export_dir: the directory.
      import_scope: a name scope to put everything under.
      saver_kwargs: more arguments of `import_meta_graph`.
    Returns: the graph's message, with its signatures.
    Raises:
      RuntimeError: when no graph has these tags.
      OSError: when there is no saved model.
    Example:
      >>> x = tf.placeholder(tf.float32, [None, 2], name="x")
      >>> tf.saved_model.simple_save(sess, "/tmp/doubled", {"x": x}, {"y": x * 2.0})
      >>> with tf.Graph().as_default(), tf.Session() as other:
      ...     model = tf.saved_model.loader.load(other, ["serve"], "/tmp/doubled")
      >>> model.signature_def["serving_default"].inputs["x"].name
      'x:0'
    """
    export_dir = os.fsdecode(export_dir)
    path = str(_model_file(export_dir))
    meta_graph = _with_tags(parse_saved_model(export_dir), tags)
    with sess.graph.as_default():
        with naming(path, ()):
            saver = import_meta_graph(meta_graph, import_scope=import_scope, **saver_kwargs)
        folder, file = names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME
        if saver is not None:
            saver.restore(sess, os.path.join(export_dir, folder, file))
        else:
            logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
    prefix = f"{import_scope}/" if import_scope else ""
    folder = os.path.join(export_dir, names.ASSETS_DIRECTORY)
    assets = meta_graph.asset_file_def
    feeds = {prefix + a.tensor_info.name: os.path.join(folder, a.filename) for a in assets}
    with naming(path):
        ops = [sess.graph.as_graph_element(prefix + name) for name in init_ops(meta_graph)]
    for op in ops:
        sess.run(op, feed_dict=feeds)
    return meta_graph


def _with_tags(model: SavedModel, tags: Sequence[str]) -> MetaGraphDef:
    """The graph of a model that has these tags.

    Raises:
      RuntimeError: when there is none.
    """
    wanted = {tags} if isinstance(tags, str) else set(tags)
    available = [set(graph.meta_info_def.tags) for graph in model.meta_graphs]
    if wanted not in available:
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(sorted(wanted)).strip('[]')} could not be "
            f"found in SavedModel, with available tags '{available}'. To inspect available "
            "tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
        )
    found = model.meta_graphs[available.index(wanted)]
    if found.asset_file_def:
        assets = [asset.to_dict() for asset in found.asset_file_def]
        found.collection_def[names.ASSETS_KEY] = CollectionDef(objects=assets)
    return found


# ---- what runs when a model is loaded ----------------------------------------------------


def init_ops(meta_graph: MetaGraphDef) -> list[str]:
    """The names of what a model runs when it is loaded."""
    keys = (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY)
    found = [n for k in keys for n in meta_graph.collection_def.get(k, CollectionDef()).nodes]
    if names.INIT_OP_SIGNATURE_KEY in meta_graph.signature_def:  # of TensorFlow 2
        (info,) = meta_graph.signature_def[names.INIT_OP_SIGNATURE_KEY].outputs.values()
        found.append(info.name.partition(":")[0])
    return found


def main_op() -> Operation:
    """Returns an operation that initializes all variables and lookup tables."""
    return control_ops.group(
        initialization.global_variables_initializer(),
        initialization.local_variables_initializer(),
        initialization.tables_initializer(),
    )
