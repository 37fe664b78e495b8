"""Which checkpoints a directory holds: the small text file `checkpoint`, and what goes with it.

    model_checkpoint_path: "model.ckpt-20"            the newest
    all_model_checkpoint_paths: "model.ckpt-10"       those that were kept, oldest first
    all_model_checkpoint_paths: "model.ckpt-20"

The file is TensorFlow's, word for word, so that tools which look for the newest checkpoint find it.
Paths in it may be relative to the directory; then the directory may move.
"""

from __future__ import annotations

import ast
import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import logging
from minitf.core.graph.messages import Message
from minitf.library.formats.checkpoint_reader import index_name
from minitf.library.formats.file_io import regular, write_whole


@dataclass
class CheckpointState(Message):
    """What the file `checkpoint` says.

    Args:
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all that are kept, oldest first.
      all_model_checkpoint_timestamps: when each was written, in seconds since 1970.
      last_preserved_timestamp: when a checkpoint was last kept for good.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0


def _state_file(save_dir: str, latest_filename: str | None) -> str:
    return os.path.join(save_dir, latest_filename or "checkpoint")


def _parsed(text: str) -> CheckpointState:
    state = CheckpointState()
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        key = key.strip()
        if not key and not colon or key.startswith("#"):
            continue
        known = getattr(state, key)
        parsed = ast.literal_eval(value.strip())
        if isinstance(known, list):
            known.append(parsed)
        else:
            setattr(state, key, parsed)
    return state


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Returns the state to write into `save_dir`; paths become relative to it when it is relative.

    Raises:
      ValueError: when there are timestamps and not one for each path.
    """
    paths = list(all_model_checkpoint_paths or [])
    times = list(all_model_checkpoint_timestamps or [])
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    if not os.path.isabs(save_dir):
        model_checkpoint_path, *paths = (
            path if os.path.isabs(path) else os.path.relpath(path, save_dir)
            for path in (model_checkpoint_path, *paths)
        )
    return CheckpointState(model_checkpoint_path, paths, times, last_preserved_timestamp or 0.0)


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
    save_relative_paths: bool = False,
) -> None:
    """Writes the file `checkpoint` of a directory.

    Args:
      save_dir: the directory.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all that are kept, oldest first.
      latest_filename: another name for the file.
      all_model_checkpoint_timestamps: when each was written, in seconds since 1970.
      last_preserved_timestamp: when a checkpoint was last kept for good.
      save_relative_paths: write paths relative to `save_dir`.
    Raises:
      RuntimeError: when a checkpoint has the name of the file.
    """
    path = _state_file(save_dir, latest_filename)
    newest, every = model_checkpoint_path, list(all_model_checkpoint_paths or [])
    if save_relative_paths:
        newest, *every = (
            os.path.relpath(each, save_dir) if os.path.isabs(each) else each
            for each in (newest, *every)
        )
    state = generate_checkpoint_state_proto(
        save_dir, newest, every, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  "
            "Please use a different save path."
        )
    write_whole(path, str(state).encode())


def get_checkpoint_state(
    checkpoint_dir: str, latest_filename: str | None = None
) -> CheckpointState | None:
    """Returns what the file `checkpoint` of a directory says, with full paths; None without one.

    Args:
      checkpoint_dir: the directory.
      latest_filename: another name for the file.
    Raises:
      ValueError: when the file names no checkpoint.
    Example:
      >>> saver = tf.train.Saver([tf.Variable(1.0)])
      >>> state = tf.train.get_checkpoint_state("/tmp/train")
      >>> if state and state.model_checkpoint_path:
      ...     saver.restore(sess, state.model_checkpoint_path)
    """
    path = _state_file(os.fsdecode(checkpoint_dir), latest_filename)
    if not os.path.exists(path):
        return None
    try:
        with open(path, encoding="utf-8", opener=regular) as file:
            state = _parsed(file.read())
    except (OSError, ValueError, SyntaxError, AttributeError) as error:
        logging.warning("%s: %s", type(error).__name__, error)
        logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError("Invalid checkpoint state loaded from " + os.fsdecode(checkpoint_dir))
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [
        os.path.join(checkpoint_dir, each) for each in state.all_model_checkpoint_paths
    ]
    return state


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint of that name.

    Args:
      checkpoint_prefix: its name, as `Saver.save` returns it.
    Example:
      >>> tf.train.checkpoint_exists("/tmp/nothing/m-7")
      False
    """
    return os.path.exists(index_name(os.fsdecode(checkpoint_prefix)))


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """Returns the newest checkpoint of a directory as the file `checkpoint` tells; None without.

    Args:
      checkpoint_dir: the directory.
      latest_filename: another name for the file.
    Example:
      >>> v = tf.Variable(3.0)
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "/tmp/run/m", global_step=7)
      >>> tf.train.latest_checkpoint("/tmp/run") == path
      True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """Returns when each checkpoint was written, in seconds since 1970; missing ones are skipped."""
    return [
        os.stat(index_name(prefix)).st_mtime
        for prefix in checkpoint_prefixes
        if checkpoint_exists(prefix)
    ]


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """Returns the name of the graph's file beside a checkpoint."""
    return f"{checkpoint_filename}.{meta_graph_suffix}"


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: Any = None, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint: its graph, then its index, then its data.

    Args:
      checkpoint_prefix: the checkpoint.
      checkpoint_format_version: not used; here since TensorFlow has it.
      meta_graph_suffix: how the name of the graph's file ends.
    """
    escaped = glob.escape(checkpoint_prefix)
    for path in (
        meta_graph_filename(checkpoint_prefix, meta_graph_suffix),
        index_name(checkpoint_prefix),
        *glob.glob(escaped + ".data-?????-of-?????"),
    ):
        if os.path.exists(path):
            os.remove(path)
