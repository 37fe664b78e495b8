"""`tf.contrib.learn.io`: input functions of arrays, batches of the records of files, tables.

Rows of arrays are shuffled unless told otherwise, and so are records.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.library.estimator import inputs
from minitf.library.formats.file_io import glob
from minitf.library.input.queues.batching import batch, shuffle_batch
from minitf.library.input.queues.producers import string_input_producer
from minitf.library.input.readers.readers import TFRecordReader
from minitf.library.parsing.example_parsing import parse_example


def numpy_input_fn(
    x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1, shuffle: bool = True,
    queue_capacity: int = 1000, num_threads: int = 1,
) -> Callable[[], Any]:  # fmt: skip
    """As `tf.estimator.inputs.numpy_input_fn`."""
    return inputs.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x: Any, y: Any = None, batch_size: int = 128, num_epochs: int | None = 1, shuffle: bool = True,
    queue_capacity: int = 1000, num_threads: int = 1, target_column: str = "target",
) -> Callable[[], Any]:  # fmt: skip
    """As `tf.estimator.inputs.pandas_input_fn`."""
    return inputs.pandas_input_fn(
        x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column
    )


def generator_input_fn(
    x: Callable[[], Any], target_key: Any = None, batch_size: int = 128,
    num_epochs: int | None = 1, shuffle: bool = True, queue_capacity: int = 1000,
    num_threads: int = 1, pad_value: Any = None,
) -> Callable[[], Any]:  # fmt: skip
    """Returns an input function of a generator.

    Args:
      x: makes a generator of dicts, each an example of NumPy values.
      target_key: which of them are labels, a name or several.
      pad_value: fills up values that are smaller in their last dimension; without `shuffle`.
      others: as of `numpy_input_fn`. A thread takes `batch_size` values, not examples, at once, and
        ends where a round begins: the last batch may hold some first examples.
    Raises:
      TypeError: when `x` is none, or `target_key` no name.
      KeyError: when names are missing, maybe later.
    """
    _of_kind(x, FunctionType, "x must be generator function")
    _of_kind(x(), GeneratorType, "x() must be generator")
    first = next(x())
    _of_kind(first, dict, "x() must yield dict")
    names = sorted(first)
    targets = [] if target_key is None else target_key
    targets = [targets] if isinstance(targets, str) else targets
    _of_kind(targets, Container, "target_key must be str or Container of str")
    for key in targets:
        _of_kind(key, str, "target_key must be str or Container of str")
        if key not in names:
            raise KeyError(f"target_key not in yielded dict. Expected {names} keys; got {key}")

    def input_fn() -> Any:
        if shuffle and pad_value is not None:
            raise NotImplementedError(
                "padding and shuffling data at the same time is not implemented"
            )
        shapes = [first[name].shape for name in names]
        if pad_value is not None:
            shapes = [(*shape[:-1], None) if shape else shape for shape in shapes]
        count = -(-batch_size // len(names))
        queue = inputs.filled_queue(
            [dtypes.as_dtype(first[name].dtype) for name in names],
            shapes,
            [_rounds(x, names, count, num_epochs, pad_value) for _ in range(num_threads)],
            queue_capacity,
            shuffle,
            queue_capacity // 4,
            num_epochs,
            padded=pad_value is not None,
        )
        take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        found = take(batch_size)
        features = dict(zip(names, found if isinstance(found, list) else [found]))
        labels = {key: features.pop(key) for key in targets}
        if not targets:
            return features
        return features, labels if len(labels) > 1 else labels[targets[0]]

    return input_fn


def _of_kind(value: Any, kind: type, message: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{message}; got {type(value).__name__}")


def _rounds(
    make: Callable[[], Any], names: list[str], count: int, num_epochs: int | None, pad: Any
) -> Iterator[list[np.ndarray]]:
    """`count` examples at once, by name, from one generator after the other."""
    rest, begun = make(), 0
    while not num_epochs or begun < num_epochs:
        examples = []
        for _ in range(count):
            example = next(rest, None)
            if example is None:
                rest, begun = make(), begun + 1
                example = next(rest)
            if any(name not in example for name in names):
                raise KeyError(
                    "key mismatch between dicts emitted by GenFun Expected "
                    f"{names} keys; got {example.keys()}"
                )
            examples.append(example)
        columns = [[example[name] for example in examples] for name in names]
        yield [np.asarray(column if pad is None else _padded(column, pad)) for column in columns]


def _padded(column: list[Any], value: Any) -> list[Any]:
    """Arrays of one size: the last dimension of the smaller ones is filled up."""
    if not np.ndim(column[0]):
        return column
    most = max(array.shape[-1] for array in column)
    before = [(0, 0)] * (column[0].ndim - 1)
    return [
        np.pad(array, [*before, (0, most - array.shape[-1])], constant_values=value)
        for array in column
    ]


# ---- records -----------------------------------------------------------------------------

KEY_FEATURE_NAME = "__key__"


def _files(pattern: Any) -> list[str]:
    """The files of a pattern, or of a list of them."""
    if not pattern:
        raise ValueError("No files given to dequeue_examples.")
    patterns = [pattern] if isinstance(pattern, str) else pattern
    names = [name for each in patterns for name in sorted(glob(each))]
    if not names:
        raise ValueError(f"No files match {pattern}.")
    return names


def read_keyed_batch_examples(
    file_pattern: Any, batch_size: int, reader: Callable[[], Any], randomize_input: bool = True,
    num_epochs: int | None = None, queue_capacity: int = 10000, num_threads: int = 1,
    read_batch_size: int = 1, parse_fn: Callable | None = None, name: str | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Any]:  # fmt: skip
    """Batches of the records of files, by a queue.

    Args:
      file_pattern: a pattern of files, or a list of them.
      batch_size: how many records.
      reader: makes a reader, such as the class `tf.TFRecordReader`.
      randomize_input: whether files and records come in random order.
      num_epochs: how often each comes; a last batch may be smaller then. For ever by default.
      queue_capacity: how many records wait.
      num_threads, read_batch_size: how many threads read, and how many records at once.
      parse_fn: changes the records before they wait.
      name, seed: the name scope; of the order.
    Returns: [batch] strings, the keys; and the records, [batch] strings or what `parse_fn` gives.
    Raises:
      ValueError: when there are no files, or the sizes do not go together.
    """
    if not batch_size or batch_size <= 0 or batch_size >= queue_capacity:
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}.")
    if read_batch_size <= 0:
        raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"Invalid num_threads {num_threads}.")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"Invalid num_epochs {num_epochs}.")
    with name_scope(name, "read_batch_examples"):
        files = string_input_producer(_files(file_pattern), num_epochs, randomize_input, seed)
        keys, records = reader().read_up_to(files, read_batch_size)
        parsed = parse_fn(records) if parse_fn else records
        given = parsed if isinstance(parsed, dict) else {"": parsed}
        options: dict[str, Any] = {
            "capacity": queue_capacity, "num_threads": num_threads, "enqueue_many": True,
            "allow_smaller_final_batch": num_epochs is not None,
        }  # fmt: skip
        tensors = {KEY_FEATURE_NAME: keys, **given}
        if randomize_input:
            found = shuffle_batch(
                tensors, batch_size, min_after_dequeue=queue_capacity // 2, seed=seed, **options
            )
        else:
            found = batch(tensors, batch_size, **options)
        keys = found.pop(KEY_FEATURE_NAME)
        return keys, found if isinstance(parsed, dict) else found[""]


def read_batch_examples(*args: Any, **kwargs: Any) -> Any:
    """Batches of records without keys; see `read_keyed_batch_examples`."""
    return read_keyed_batch_examples(*args, **kwargs)[1]


def read_keyed_batch_features(
    file_pattern: Any, batch_size: int, features: dict[str, Any], reader: Callable[[], Any],
    randomize_input: bool = True, num_epochs: int | None = None, queue_capacity: int = 10000,
    reader_num_threads: int = 1, feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2, parse_fn: Callable | None = None, name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Tensor, dict[str, Any]]:  # fmt: skip
    """Batches of parsed examples, with their keys.

    Args:
      features: by name a `FixedLenFeature`, `VarLenFeature` ..., as for `tf.parse_example`.
      feature_queue_capacity, num_enqueue_threads: accepted; examples are parsed as they come.
      others: those of `read_keyed_batch_examples`.
    """
    keys, records = read_keyed_batch_examples(
        file_pattern, batch_size, reader, randomize_input, num_epochs, queue_capacity,
        reader_num_threads, read_batch_size or batch_size, parse_fn, name,
    )  # fmt: skip
    return keys, parse_example(records, features)


def read_batch_features(
    file_pattern: Any, batch_size: int, features: dict[str, Any], reader: Callable[[], Any],
    randomize_input: bool = True, num_epochs: int | None = None, queue_capacity: int = 10000,
    feature_queue_capacity: int = 100, reader_num_threads: int = 1,
    num_enqueue_threads: int = 2, parse_fn: Callable | None = None, name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Batches of parsed examples; see `read_keyed_batch_features`."""
    return read_keyed_batch_features(
        file_pattern, batch_size, features, reader, randomize_input, num_epochs, queue_capacity,
        reader_num_threads, parse_fn=parse_fn, name=name, read_batch_size=read_batch_size,
    )[1]  # fmt: skip


def read_batch_record_features(
    file_pattern: Any, batch_size: int, features: dict[str, Any], randomize_input: bool = True,
    num_epochs: int | None = None, queue_capacity: int = 10000, reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:  # fmt: skip
    """Batches of parsed examples of TFRecord files; see `read_keyed_batch_features`."""
    return read_batch_features(
        file_pattern, batch_size, features, TFRecordReader, randomize_input, num_epochs,
        queue_capacity, reader_num_threads=reader_num_threads, name=name,
    )  # fmt: skip


# ---- tables ------------------------------------------------------------------------------


def _numbers(table: Any, message: str) -> Any:
    """A table of pandas, checked to hold numbers."""
    if any(kind.kind not in "biuf" for kind in table.dtypes):
        raise ValueError(message)
    return table.values


def extract_pandas_data(data: Any) -> Any:
    """The numbers of a `DataFrame`, as floats; other data are returned as they are."""
    if not hasattr(data, "columns"):
        return data
    text = "Data types for extracting pandas data must be int, float, or bool."
    return _numbers(data, text).astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """The values of a `DataFrame`; other data are returned as they are."""
    return data.values if hasattr(data, "columns") else data


def extract_pandas_labels(labels: Any) -> Any:
    """The labels of a `DataFrame` of one column; others are returned as they are."""
    if not hasattr(labels, "columns"):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    text = "Data types for extracting labels must be int, float, or bool."
    return _numbers(labels, text)
