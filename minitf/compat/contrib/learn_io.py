"""`tf.contrib.learn.io`: input functions of arrays, batches of the records of files, tables.

Rows of arrays are shuffled unless told otherwise, and so are records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.file_io import glob
from minitf.library.input.queues.batching import batch, shuffle_batch
from minitf.library.input.queues.producers import string_input_producer
from minitf.library.parsing.example_parsing import parse_example

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
    file_pattern: Any,
    batch_size: int,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Any]:
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
            "capacity": queue_capacity,
            "num_threads": num_threads,
            "enqueue_many": True,
            "allow_smaller_final_batch": num_epochs is not None,
        }
        tensors = {KEY_FEATURE_NAME: keys, **given}
        if randomize_input:
            found = shuffle_batch(
                tensors, batch_size, min_after_dequeue=queue_capacity // 2, seed=seed, **options
            )
        else:
            found = batch(tensors, batch_size, **options)
        keys = found.pop(KEY_FEATURE_NAME)
        return keys, found if isinstance(parsed, dict) else found[""]


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Tensor, dict[str, Any]]:
    """Batches of parsed examples, with their keys.

    Args:
      features: by name a `FixedLenFeature`, `VarLenFeature` ..., as for `tf.parse_example`.
      feature_queue_capacity, num_enqueue_threads: accepted; examples are parsed as they come.
      others: those of `read_keyed_batch_examples`.
    """
    keys, records = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads,
        read_batch_size or batch_size,
        parse_fn,
        name,
    )
    return keys, parse_example(records, features)


def read_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: dict[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """Batches of parsed examples; see `read_keyed_batch_features`."""
    return read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads,
        parse_fn=parse_fn,
        name=name,
        read_batch_size=read_batch_size,
    )[1]
