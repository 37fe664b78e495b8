"""The operations of a `Saver`: which tensors are written under which names, and where.

    one device     save/SaveV2                      save/RestoreV2 -> save/Assign -> restore_all
    sharded        a SaveV2 beside the variables of each device, then MergeV2Checkpoints; a
                   RestoreV2 for each device

What is saved is a `SaveableObject`; for a variable that is the variable and its name.

On a cluster each device writes what it holds (SaveV2 beside the variables, into a directory for the
moment) and MergeV2Checkpoints makes one checkpoint of the parts. The files themselves are the
affair of minitf/library/formats/checkpoint_files.py and checkpoint_reader.py.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.device_spec import canonical_name, cpu_of
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.messages import Message
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.kernels.host import on_host
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops.array import identity, placeholder_with_default, shape
from minitf.core.ops.array_shaping import reshape as reshape_op
from minitf.core.variables.variable_def import SaveableObject, SaveSpec
from minitf.core.variables.variables import VARIABLE_OP_TYPES, Variable
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


@dataclass
class SaverDef(Message):
    """The names of a saver's nodes, and how many checkpoints it keeps.

    Args:
      filename_tensor_name: the tensor to feed with the checkpoint's path.
      save_tensor_name: the tensor that, fetched, writes a checkpoint.
      restore_op_name: the operation that reads one.
      max_to_keep: how many checkpoints are kept; 0 for all.
      sharded: whether each device writes a file of its own.
      keep_checkpoint_every_n_hours: how often one is kept for good.
      version: 2, the only one there is.
    """

    LEGACY = 0
    V1 = 1
    V2 = 2

    filename_tensor_name: str = ""
    save_tensor_name: str = ""
    restore_op_name: str = ""
    max_to_keep: int = 0
    sharded: bool = False
    keep_checkpoint_every_n_hours: float = 0.0
    version: int = 2


class VariableSaveable(SaveableObject):
    """A variable."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name)], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Any:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape_op(value, restored_shapes[0])
        validate = restored_shapes is None and self.op.shape.is_fully_defined()
        return state_ops.assign(self.op, value, validate_shape=validate)


class CopiesSaveable(SaveableObject):
    """A variable with copies on several devices: one value is kept, and goes back to all."""

    def __init__(self, var: Any, name: str) -> None:
        super().__init__(var, [SaveSpec(var._ref(), "", name)], name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Any:
        return self.op._restore(restored_tensors[0])


def _reference(variable: Any) -> Any:
    """What is written of a variable: its reference, so that the newest value is read."""
    return variable._ref() if hasattr(variable, "_ref") else variable


def op_list_to_dict(op_list: Any) -> dict[str, Any]:
    """Names the things to save: a variable is called as its operation, `W`.

    Raises:
      TypeError: when something cannot be saved.
      ValueError: when two have one name.
    """
    if not isinstance(op_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {op_list}")
    named: dict[str, Any] = {}
    for item in sorted(op_list, key=lambda each: each.name):
        if isinstance(item, SaveableObject):
            named[item.name] = item
            continue
        info = getattr(item, "_save_slice_info", None)
        if info is not None:  # the parts of one variable share a name
            parts = named.setdefault(info.full_name, [])
            if not isinstance(parts, list):
                raise ValueError(
                    f"Mixing slices and non-slices with the same name: {info.full_name}"
                )
            parts.append(item)
            continue
        name = item.name if hasattr(item, "_get_variable_list") else _checked(item).op.name
        if name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
        named[name] = item
    return named


def _checked(item: Any) -> Any:
    """`item`, which is a variable.

    Raises:
      TypeError: when it is none.
    """
    if isinstance(item, Operation):
        raise TypeError(f"can't convert Operation '{item.name}' to Tensor")
    if not isinstance(item, Variable) and not hasattr(item, "_as_ref_tensor"):
        if not isinstance(item, Tensor) or item.op.type not in VARIABLE_OP_TYPES:
            raise TypeError(f"Variable to save is not a Variable: {item}")
    return item


def saveables_of(names_to_saveables: Any) -> list[SaveableObject]:
    """The saveable objects of a dict or list of variables, by name.

    Raises:
      TypeError: when something cannot be saved.
      ValueError: when one thing would be saved twice.
    """
    if not isinstance(names_to_saveables, dict):
        names_to_saveables = op_list_to_dict(names_to_saveables)
    result: list[SaveableObject] = []
    seen: set[Any] = set()
    for name in sorted(names_to_saveables, key=str):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
        for saveable in _saveables_for(names_to_saveables[name], name):
            key = saveable.op
            key = key.op if hasattr(key, "op") else key
            if key in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(key)
            result.append(saveable)
    return result


def _saveables_for(item: Any, name: str) -> list[SaveableObject]:
    if isinstance(item, SaveableObject):
        return [item]
    parts = list(item) if isinstance(item, (list, tuple)) else None
    if parts is None and not isinstance(item, (Variable, Tensor)):
        parts = list(item) if hasattr(item, "_get_variable_list") else None
    if parts is None:
        _checked(item)
    saveables: list[SaveableObject] = []
    for part in [item] if parts is None else parts:
        info = getattr(part, "_save_slice_info", None)
        if info is None and parts is not None:
            raise ValueError(f"Slices must all be Variables with a slice: {part}")
        if getattr(part, "has_copies", False):
            saveables.append(CopiesSaveable(part, name))
            continue
        saveables.append(VariableSaveable(_reference(part), info.spec if info else "", name))
    return saveables


# ---- one file --------------------------------------------------------------------------


def save_op(filename_tensor: Tensor, saveables: Sequence[SaveableObject]) -> Operation:
    """Adds the operation that writes `saveables`."""
    specs = [spec for saveable in saveables for spec in saveable.specs]
    return save_v2(
        filename_tensor,
        [spec.name for spec in specs],
        [spec.slice_spec for spec in specs],
        [spec.tensor for spec in specs],
    )


def _add_save_ops(filename: Tensor, saveables: Sequence[SaveableObject]) -> Tensor:
    save = save_op(filename, saveables)
    return control_ops.with_dependencies([save], filename)


def add_restore_ops(
    filename: Tensor, saveables: Sequence[SaveableObject], reshape: bool, name: str
) -> Operation:
    """Adds the operation that reads `saveables`, and those that give them their values."""
    specs = [spec for saveable in saveables for spec in saveable.specs]
    with stacks.device("cpu:0"):
        values = restore_v2(
            filename,
            [spec.name for spec in specs],
            [spec.slice_spec for spec in specs],
            dtypes=tuple(spec.dtype for spec in specs),
        )
    assigned = []
    for saveable in saveables:
        shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
        mine, values = values[: len(saveable.specs)], values[len(saveable.specs) :]
        assigned.append(saveable.restore(mine, shapes))
    return control_ops.group(*assigned, name=name)


# ---- a file for each device ------------------------------------------------------------


def _add_sharded_save_ops(
    prefix: Tensor, per_device: Sequence[tuple[str, list[SaveableObject]]]
) -> Tensor:
    # No two savers, and no two programs, may use one directory for the moment.
    aside = f"_temp_{uuid.uuid4().hex}/part"
    with stacks.device("/device:CPU:*"):
        joined = prefix + constant(aside)
    shards = constant(len(per_device), name="num_shards")
    prefixes, saves = [], []
    for shard, (device, saveables) in enumerate(per_device):
        with stacks.device(cpu_of(device)):
            prefixes.append(sharded_filename(joined, shard, shards))
            saves.append(_add_save_ops(prefixes[-1], saveables))
    with (
        stacks.control_dependencies([save.op for save in saves]),
        stacks.device(cpu_of(per_device[-1][0])),
    ):
        merged = merge_v2_checkpoints(prefixes, prefix, delete_old_dirs=True)
        with stacks.control_dependencies([merged]):
            return identity(prefix)


def _add_sharded_restore_ops(
    filename: Tensor,
    per_device: Sequence[tuple[str, list[SaveableObject]]],
    reshape: bool,
) -> Operation:
    restored = []
    for device, saveables in per_device:
        with stacks.device(device):
            restored.append(add_restore_ops(filename, saveables, reshape, "restore_shard"))
    return control_ops.group(*restored, name="restore_all")


# ---- all of it -------------------------------------------------------------------------


def build(
    names_to_saveables: Any,
    reshape: bool,
    sharded: bool,
    max_to_keep: int,
    keep_checkpoint_every_n_hours: float,
    name: str | None,
    filename: str,
) -> SaverDef:
    """Adds the operations and returns their names; the arguments are those of `Saver`."""
    saveables = saveables_of(names_to_saveables)
    owners = [s.op for s in saveables if hasattr(s.op, "graph")]
    with stacks.name_scope(name, "save", owners):
        filename_tensor = placeholder_with_default(filename, shape=(), name="filename")
        filename_tensor = placeholder_with_default(filename_tensor, shape=(), name="Const")
        if sharded:
            per_device = _by_device(saveables)
            saved = _add_sharded_save_ops(filename_tensor, per_device)
            restored = _add_sharded_restore_ops(filename_tensor, per_device, reshape)
        else:
            saved = _add_save_ops(filename_tensor, saveables)
            restored = add_restore_ops(filename_tensor, saveables, reshape, "restore_all")
    return SaverDef(
        filename_tensor_name=filename_tensor.name,
        save_tensor_name=saved.name,
        restore_op_name=restored.name,
        max_to_keep=max_to_keep,
        sharded=sharded,
        keep_checkpoint_every_n_hours=float(keep_checkpoint_every_n_hours),
    )


def _shape_of(tensor: Tensor) -> Any:
    return tensor.shape if tensor.shape.is_fully_defined() else shape(tensor)


def _by_device(saveables: Sequence[SaveableObject]) -> list[tuple[str, list[SaveableObject]]]:
    groups: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        groups.setdefault(canonical_name(saveable.device), []).append(saveable)
    return sorted(groups.items())
