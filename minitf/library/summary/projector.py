"""The embedding projector: what it is to show, told in a file beside the checkpoints."""

from __future__ import annotations

import os
from typing import Any

from minitf.library.formats.file_io import open_file
from minitf.library.formats.summary_protos import projector_protos

_FILE = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Leaves the configuration of the projector where TensorBoard looks for it.

    Args:
      summary_writer: the `FileWriter` of the folder that has the checkpoints.
      config: a `ProjectorConfig`.
    Raises:
      ValueError: when the writer has no folder.
    Example:
      >>> projector = tf.contrib.tensorboard.plugins.projector
      >>> config = projector.ProjectorConfig()
      >>> config.embeddings.add().tensor_name = "embedding:0"
      >>> projector.visualize_embeddings(tf.summary.FileWriter("/tmp/log"), config)
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    with open_file(os.path.join(logdir, _FILE), "w") as file:
        file.write(str(config))


def __getattr__(name: str) -> Any:
    if name in ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"):
        return getattr(projector_protos(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
