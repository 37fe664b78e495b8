"""`tf.data.TextLineDataset`, `TFRecordDataset` and `FixedLengthRecordDataset`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data.arguments import int64, made
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.files import (
    fixed_length_record_dataset_op,
    text_line_dataset_op,
    tf_record_dataset_op,
)


class _FileDataset(Dataset):
    """A dataset of what files hold.

    Args:
      filenames: a scalar or vector of names, or a dataset of names.
      num_parallel_reads: how many files are read at the same time, in turns; None for one.
      read: makes the operation, from a tensor of names.
    """

    def __init__(
        self, filenames: Any, num_parallel_reads: Any, read: Callable[[Tensor], Tensor]
    ) -> None:
        spec = TensorSpec([], dtypes.string)
        if not isinstance(filenames, Dataset):
            names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
            if num_parallel_reads is None:
                super().__init__(read(names), spec)
                return
            filenames = Dataset.from_tensor_slices(names)

        def one_file(name: Tensor) -> Dataset:
            return Dataset(read(name), spec)

        if num_parallel_reads is None:
            whole = filenames.flat_map(one_file)
        else:
            whole = filenames.interleave(one_file, num_parallel_reads, 1, num_parallel_reads)
        super().__init__(whole._variant_tensor, spec, [filenames])


def _text(value: Any, name: str) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtype=dtypes.string, name=name)


def _size(value: Any, name: str, default: int = 256 * 1024) -> Tensor:
    return int64(default if value is None else value, name)


class _StringFiles(_FileDataset):
    """Files whose elements one operation reads, given nothing but how they are compressed."""

    _read_op: OpDef

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        options = _text(compression_type, "compression_type"), _size(buffer_size, "buffer_size")
        spec = TensorSpec([], dtypes.string)
        super().__init__(
            filenames, num_parallel_reads, lambda names: made(self._read_op, spec, names, *options)
        )


class TextLineDataset(_StringFiles):
    """The lines of text files, without their ends.

    Args:
      filenames: a name, several, or a dataset of names.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted.
      num_parallel_reads: how many files are read at the same time, in turns.
    Example:
      >>> with tf.gfile.GFile("/tmp/lines.txt", "w") as file:
      ...     file.write("one\\ntwo\\n")
      >>> line = tf.data.TextLineDataset("/tmp/lines.txt").make_one_shot_iterator().get_next()
      >>> sess.run(line)
      b'one'
    """

    _class_name = "TextLineDatasetV1"
    _read_op = text_line_dataset_op


class TFRecordDataset(_StringFiles):
    """The records of TFRecord files, as strings.

    Args:
      filenames, compression_type, buffer_size, num_parallel_reads: as of `TextLineDataset`.
    Raises (when it runs):
      DataLossError: when a record is damaged; names the file and the place.
    """

    _class_name = "TFRecordDatasetV1"
    _read_op = tf_record_dataset_op


class FixedLengthRecordDataset(_FileDataset):
    """Records of one length, as strings.

    Args:
      filenames: a name, several, or a dataset of names.
      record_bytes: the length.
      header_bytes, footer_bytes: what stands before and behind them in each file.
      buffer_size, compression_type, num_parallel_reads: as of `TextLineDataset`.
    """

    _class_name = "FixedLengthRecordDatasetV1"

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        sizes = [
            _size(header_bytes, "header_bytes", 0),
            _size(record_bytes, "record_bytes"),
            _size(footer_bytes, "footer_bytes", 0),
            _size(buffer_size, "buffer_size"),
        ]
        compression = _text(compression_type, "compression_type")
        spec = TensorSpec([], dtypes.string)
        super().__init__(
            filenames,
            num_parallel_reads,
            lambda names: made(fixed_length_record_dataset_op, spec, names, *sizes, compression),
        )
