"""Initializers of `tf.contrib.framework` that take a matrix out of a checkpoint, word by word.

Rows, or columns, or both stand for words of a vocabulary. Each word of the new one takes the row
that it had; what is missing, and the rows of unknown words at the end, come of an initializer.

    new: sun rain snow + 1 unknown       old: rain sun       rows: 1  0  fresh  fresh
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.comparisons import where_v2
from minitf.core.variables.initializers import truncated_normal_initializer, zeros_initializer
from minitf.library.saving import save_restore
from minitf.library.saving.warm_start import places_of, words_of


def _old_places(new: str | None, old: str | None, old_size: int, begin: int, count: int) -> Any:
    """Where the words from `begin` on were in the old vocabulary; -1 for those that were not."""
    if not new or not old:
        return np.arange(begin, begin + count)
    return places_of(words_of(new)[begin : begin + count], old, old_size)


def load_and_remap_matrix_initializer(
    ckpt_path: Any, old_tensor_name: str, new_row_vocab_size: int, new_col_vocab_size: int,
    old_row_vocab_size: int = -1, old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None, old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None, num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0, initializer: Callable | None = None, max_rows_in_memory: int = -1,
) -> Callable:  # fmt: skip
    """An initializer of a float32 matrix, which may be partitioned by rows.

    Args:
      ckpt_path: the checkpoint.
      old_tensor_name: the matrix in it.
      new_row_vocab_size: how many rows it has, without those of unknown words.
      new_col_vocab_size: how many columns.
      old_row_vocab_size: how many words of the old file count; -1 for all.
      old_row_vocab_file: the words of the rows in the checkpoint; None when they are the same.
      new_row_vocab_file: the words of the rows.
      old_col_vocab_file: likewise of the columns.
      new_col_vocab_file: likewise.
      num_row_oov_buckets: how many rows of unknown words follow.
      num_col_oov_buckets: how many columns.
      initializer: makes what is missing; zeros by default.
      max_rows_in_memory: accepted.
    Raises:
      TypeError: when `initializer` cannot be called; later, when the type is not float32.
      ValueError: later, when the shape does not fit, or one of two files is given, or none.
    """
    make = zeros_initializer() if initializer is None else initializer
    if not callable(make):
        raise TypeError(
            f"initializer must be callable, instead of being {make} of type {type(make)}."
        )
    files = {
        "row": (old_row_vocab_file, new_row_vocab_file),
        "col": (old_col_vocab_file, new_col_vocab_file),
    }
    rows_in_all = new_row_vocab_size + num_row_oov_buckets
    columns_in_all = new_col_vocab_size + num_col_oov_buckets

    def initialize(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Tensor:
        shape = [int(size) for size in shape]
        if dtype != dtypes.float32:
            raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {shape}")
        if shape[1] != columns_in_all:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({new_col_vocab_size}) + "
                f"num_col_oov_buckets ({num_col_oov_buckets}) = {columns_in_all}, but received "
                f"shape: {shape}"
            )
        for kind, (old, new) in files.items():
            if bool(old) != bool(new):
                raise ValueError(
                    f"old_{kind}_vocab_file and new_{kind}_vocab_file must both be specified or "
                    f"left unspecified. old_{kind}_vocab_file='{old}', "
                    f"new_{kind}_vocab_file='{new}'"
                )
        if not any(old for old, _ in files.values()):
            raise ValueError(
                "Must provide either row or column vocab files. If no remapping is necessary, "
                "consider using `tf.contrib.framework.init_from_checkpoint` instead."
            )
        begin = 0 if partition_info is None else partition_info.var_offset[0]
        if begin + shape[0] > rows_in_all:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {begin} rows have already "
                "been initialized, which would exceed expected total row count of "
                f"new_row_vocab_size ({new_row_vocab_size}) + num_row_oov_buckets "
                f"({num_row_oov_buckets}) = {rows_in_all}."
            )
        known = max(0, min(shape[0], new_row_vocab_size - begin))
        if not known:
            return convert_to_tensor(make(shape))
        rows = _old_places(new_row_vocab_file, old_row_vocab_file, old_row_vocab_size, begin, known)
        columns = _old_places(new_col_vocab_file, old_col_vocab_file, -1, 0, new_col_vocab_size)
        path = ckpt_path[0] if isinstance(ckpt_path, (list, tuple)) else ckpt_path
        (value,) = save_restore.restore_v2(path, [old_tensor_name], [""], dtypes=(dtype,))
        value = gather(gather(value, np.maximum(rows, 0)), np.maximum(columns, 0), axis=1)
        missing = (rows < 0)[:, None] | (columns < 0)
        if missing.any():
            fresh = reshape(make([int(missing.sum()), 1]), [-1])
            turn = np.maximum(np.cumsum(missing).reshape(missing.shape) - 1, 0)
            value = where_v2(missing, gather(fresh, turn), value)
        if shape[0] > known:
            value = concat([value, make([shape[0] - known, new_col_vocab_size])], 0)
        if num_col_oov_buckets:
            value = concat([value, make([shape[0], num_col_oov_buckets])], 1)
        value.set_shape(shape)
        return value

    return initialize


def load_embedding_initializer(
    ckpt_path: Any, embedding_tensor_name: str, new_vocab_size: int, embedding_dim: int,
    old_vocab_file: str, new_vocab_file: str, old_vocab_size: int = -1, num_oov_buckets: int = 0,
    initializer: Callable | None = None, max_rows_in_memory: int = -1,
) -> Callable:  # fmt: skip
    """`load_and_remap_matrix_initializer` of an embedding: new words are drawn, by default."""
    return load_and_remap_matrix_initializer(
        ckpt_path, embedding_tensor_name, new_vocab_size, embedding_dim, old_vocab_size,
        old_vocab_file, new_vocab_file, num_row_oov_buckets=num_oov_buckets,
        initializer=initializer
        or truncated_normal_initializer(stddev=1.0 / math.sqrt(embedding_dim)),
    )  # fmt: skip


def load_linear_multiclass_bias_initializer(
    ckpt_path: Any, bias_tensor_name: str, new_class_vocab_size: int, old_class_vocab_file: str,
    new_class_vocab_file: str, num_class_oov_buckets: int = 0, initializer: Callable | None = None,
    max_rows_in_memory: int = -1,
) -> Callable:  # fmt: skip
    """`load_and_remap_matrix_initializer` of biases, [classes, 1]."""
    return load_and_remap_matrix_initializer(
        ckpt_path, bias_tensor_name, new_class_vocab_size, 1,
        old_row_vocab_file=old_class_vocab_file, new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets, initializer=initializer,
    )  # fmt: skip


def load_variable_slot_initializer(
    ckpt_path: Any, old_tensor_name: str, primary_partition_info: Any, new_row_vocab_size: int,
    new_col_vocab_size: int, old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None, old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None, num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0, initializer: Callable | None = None, max_rows_in_memory: int = -1,
) -> Callable:  # fmt: skip
    """`load_and_remap_matrix_initializer` of a slot, which lies where its variable does.

    Args:
      primary_partition_info: where the part of the variable lies.
    """
    make = load_and_remap_matrix_initializer(
        ckpt_path, old_tensor_name, new_row_vocab_size, new_col_vocab_size, -1, old_row_vocab_file,
        new_row_vocab_file, old_col_vocab_file, new_col_vocab_file, num_row_oov_buckets,
        num_col_oov_buckets, initializer,
    )  # fmt: skip
    return lambda shape, dtype=dtypes.float32, partition_info=None: make(
        shape, dtype, primary_partition_info
    )
