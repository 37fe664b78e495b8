"""`tensorflow.python.training.saver_test_utils`: something to save that is no variable."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.op_def import call
from minitf.library.saving.saver_builder import SaveableObject, SaveSpec


class CheckpointedOp:
    """A table from strings to numbers, with its own way into a checkpoint.

    Args:
      name: its name, which its two tensors in the checkpoint begin with.
      table_ref: an existing table.
    """

    def __init__(self, name: str, table_ref: Any = None) -> None:
        if table_ref is None:
            table_ref = call(
                "MutableHashTableV2", key_dtype=dtypes.string, value_dtype=dtypes.float32, name=name
            )
        self.table_ref = table_ref
        self._name = name
        self._saveable = _TableSaveable(self, name)
        stacks.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def saveable(self) -> SaveableObject:
        """What a saver takes."""
        return self._saveable

    def insert(self, keys: Any, values: Any) -> Any:
        """Adds the operation that puts keys into the table."""
        return call("LookupTableInsertV2", self.table_ref, keys, values)

    def lookup(self, keys: Any, default: Any) -> Any:
        """The values of keys."""
        return call("LookupTableFindV2", self.table_ref, keys, default)

    def keys(self) -> Any:
        """All keys."""
        return self._export()[0]

    def values(self) -> Any:
        """All values."""
        return self._export()[1]

    def _export(self) -> Any:
        return call(
            "LookupTableExportV2", self.table_ref, Tkeys=dtypes.string, Tvalues=dtypes.float32
        )


class _TableSaveable(SaveableObject):
    def __init__(self, table: CheckpointedOp, name: str) -> None:
        keys, values = table._export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: list[Any], restored_shapes: Any) -> Any:
        return call("LookupTableImportV2", self.op.table_ref, *restored_tensors)


CheckpointedOp.CustomSaveable = _TableSaveable  # type: ignore[attr-defined]
