"""The operations that write variables to a checkpoint and read them back.

    variables --> SaveV2 --> files --> RestoreV2 --> Assign --> variables

On a cluster each device writes what it holds (SaveV2 beside the variables, into a directory for the
moment) and MergeV2Checkpoints makes one checkpoint of the parts. The files themselves are the
affair of minitf/library/formats/checkpoint_files.py and checkpoint_reader.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.kernels.host import on_host
from minitf.library.formats.checkpoint_files import merge_checkpoints, write_checkpoint
from minitf.library.formats.checkpoint_reader import CheckpointReader


def _program(folder: str) -> list:
    """Two tensors are saved, the checkpoint gets another name, and is read."""
    first, name, whole = f"{folder}/first", f"{folder}/model", np.array([b"", b""], np.object_)
    names = np.array([b"a", b"b"], np.object_)
    values: list[Any] = [np.arange(3.0), np.int32(7)]
    dtypes_of = {"dtypes": [dtypes.float64, dtypes.int32]}
    return [
        (save_v2(first, names, whole, values), None),
        (merge_v2_checkpoints([first], name), None),
        (restore_v2(name, names, whole, **dtypes_of), values),
    ]


def _text(value: Any) -> str:
    value = value.item() if isinstance(value, np.ndarray) else value
    return value.decode() if isinstance(value, bytes) else value


def _texts(values: Any) -> list[str]:
    return [_text(value) for value in np.ravel(values).tolist()]


# ---- SaveV2 ------------------------------------------------------------------------------


@op(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: N*? ->",
    reaches="files",
    program=_program,
)
def save_v2(
    ctx: Any, prefix: Any, tensor_names: Any, shape_and_slices: Any, tensors: Sequence[Any]
) -> None:
    """Writes tensors to a checkpoint."""
    arrays = [on_host(t) for t in tensors]
    write_checkpoint(_text(prefix), _texts(tensor_names), _texts(shape_and_slices), arrays)


# ---- RestoreV2 ---------------------------------------------------------------------------


@op(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: N*dtypes",
    alias=True,  # what it gives is a view of the file
    differentiable=False,
    reaches="files",
    program=_program,
)
def restore_v2(
    ctx: Any, prefix: Any, tensor_names: Any, shape_and_slices: Any, *, dtypes: Any
) -> list:
    """Reads tensors from a checkpoint.

    Raises:
      NotFoundError: when there is no such checkpoint, or no such tensor in it.
      InvalidArgumentError: when a tensor has another type.
      DataLossError: when a file is torn.
    """
    return CheckpointReader(_text(prefix)).read(
        _texts(tensor_names), _texts(shape_and_slices), dtypes
    )


# ---- ShardedFilename, MergeV2Checkpoints -------------------------------------------------


@op(
    "ShardedFilename",
    "basename: string, shard: int32, num_shards: int32 -> filename: string",
    samples=[lambda rng: (b"model", np.int32(1), np.int32(12), {})],
)
def sharded_filename(xp: Any, basename: Any, shard: Any, num_shards: Any) -> Any:
    """The name of one of several files: 'model-00000-of-00002'."""
    return f"{_text(basename)}-{int(shard):05d}-of-{int(num_shards):05d}".encode()


sharded_filename.shape(scalar_shape)


@op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string ->",
    reaches="files",
    program=_program,
)
def merge_v2_checkpoints(
    ctx: Any, checkpoint_prefixes: Any, destination_prefix: Any, *, delete_old_dirs: bool = True
) -> None:
    """Makes one checkpoint of those that several devices wrote."""
    prefixes = _texts(checkpoint_prefixes)
    if not prefixes:
        raise errors.InvalidArgumentError(None, None, "There are no checkpoints to merge.")
    merge_checkpoints(prefixes, _text(destination_prefix), delete_old_dirs)
