"""The data of `tf.contrib.slim`: records in files, decoded item by item, read through queues.

decoder = slim.tfexample_decoder.TFExampleDecoder(features, {"image": Image(), ...})
dataset = slim.dataset.Dataset(files, tf.TFRecordReader, decoder, num_samples=100, ...)
provider = slim.dataset_data_provider.DatasetDataProvider(dataset)
[image, label] = provider.get(["image", "label"])       # one example; then tf.train.batch
"""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from minitf.core.gradients.cond import case, cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.sparse_tensor import SparseTensor as Sparse
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_or
from minitf.core.ops.math import add_n
from minitf.core.ops.reductions import reduce_prod
from minitf.library.formats.file_io import glob
from minitf.library.graph_tools.functional import map_fn
from minitf.library.images.image_codec import decode_image, decode_jpeg
from minitf.library.input.queues.coordinator import Coordinator
from minitf.library.input.queues.producers import string_input_producer
from minitf.library.input.queues.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner, start_queue_runners
from minitf.library.input.readers.readers import ReaderBase
from minitf.library.parsing.example_parsing import (
    FixedLenFeature,
    parse_single_example,
    parse_single_sequence_example,
)
from minitf.library.parsing.parsing import decode_raw
from minitf.library.sparse.sparse import sparse_tensor_to_dense
from minitf.library.sparse.sparse_shaping import sparse_reshape
from minitf.library.summary import summary

# ---- from features to items ----------------------------------------------------------------


class ItemHandler(ABC):
    """Makes one item of the parsed features of an example.

    Args:
      keys: the name, or the names, of the features.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = list(keys) if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> list[str]:
        """The names of the features."""
        return self._keys

    @abstractmethod
    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Makes the item of the features by name."""


def _dense(value: Any, default: Any = 0) -> Any:
    if not isinstance(value, Sparse):
        return value
    if value.dtype == dtypes.string and default == 0:
        default = ""
    return sparse_tensor_to_dense(value, default)


class ItemHandlerCallback(ItemHandler):
    """An item that a function makes of the features by name."""

    def __init__(self, keys: Any, func: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes [n, 4] of four features, by default "ymin", "xmin", "ymax", "xmax" after a prefix."""

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        keys = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        super().__init__([(prefix or "") + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        sides = [keys_to_tensors[key] for key in self._keys]
        values = [side.values if isinstance(side, Sparse) else side for side in sides]
        return transpose(concat([expand_dims(side, 0) for side in values], 0))


class Tensor(ItemHandler):
    """An item that is one feature, made dense.

    Args:
      tensor_key: its name.
      shape_keys: the name or names of features with its shape.
      shape: its shape.
      default_value: stands where there is none.
    """

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        sizes = shape_keys if isinstance(shape_keys, list) else [shape_keys] if shape_keys else []
        self._shape_keys, self._shape, self._default = sizes, shape, default_value
        super().__init__([tensor_key, *sizes])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        tensor, shape = keys_to_tensors[self._keys[0]], self._shape
        if self._shape_keys:
            shape = reshape(stack([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if shape is None:
            return _dense(tensor, self._default)
        if isinstance(tensor, Sparse):
            return _dense(sparse_reshape(tensor, shape), self._default)
        return reshape(tensor, shape)


class LookupTensor(Tensor):
    """A `Tensor` whose values are looked up in a table."""

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None,
        default_value: Any = "",
    ) -> None:  # fmt: skip
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """The item of one handler, or that of another where the first has no elements."""

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for word, each in ("Primary", handler), ("Backup", backup):
            if not isinstance(each, ItemHandler):
                raise ValueError(f"{word} handler is of type {type(each)} instead of ItemHandler")
        super().__init__([*handler.keys, *backup.keys])
        self._handler, self._backup = handler, backup

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        item = self._handler.tensors_to_item(keys_to_tensors)
        is_empty = equal(reduce_prod(shape_of(item)), 0)
        return cond(is_empty, lambda: self._backup.tensors_to_item(keys_to_tensors), lambda: item)


class SparseTensor(ItemHandler):
    """A sparse item, of a feature with places and one with values.

    Args:
      indices_key, values_key: their names; "indices" and "values" by default.
      shape_key: the name of the feature with its shape.
      shape: its shape, without `shape_key`.
      densify: whether to make it dense, with `default_value` where there is none.
    """

    def __init__(
        self, indices_key: str | None = None, values_key: str | None = None,
        shape_key: str | None = None, shape: Any = None, densify: bool = False,
        default_value: Any = 0,
    ) -> None:  # fmt: skip
        own = [indices_key or "indices", values_key or "values"]
        super().__init__([*own, shape_key] if shape_key else own)
        self._shape, self._densify, self._default = shape, densify, default_value

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        indices, values, *given = (keys_to_tensors[key] for key in self._keys)
        shape = _dense(given[0]) if given else self._shape or indices.dense_shape
        ids = reshape(cast(indices.values, dtypes.int64), [-1, 1])
        rank = shape_of(indices.indices)[1]
        places = concat([indices.indices[:, : rank - 1], ids], 1)
        result = Sparse(places, values.values, cast(shape, dtypes.int64))
        return _dense(result, self._default) if self._densify else result


class Image(ItemHandler):
    """An item that is a picture.

    Args:
      image_key: the feature with its bytes.
      format_key: the feature with their format; "raw" stands for the numbers themselves.
      shape: its shape, where all have one.
      channels: how many numbers a pixel has.
      dtype: their type.
      repeated: whether there are several pictures in an example.
      dct_method: accepted; there is one way to decode.
    """

    def __init__(
        self, image_key: str | None = None, format_key: str | None = None, shape: Any = None,
        channels: int = 3, dtype: Any = dtypes.uint8, repeated: bool = False, dct_method: str = "",
    ) -> None:  # fmt: skip
        super().__init__([image_key or "image/encoded", format_key or "image/format"])
        self._shape, self._channels, self._dtype = shape, channels, dtypes.as_dtype(dtype)
        self._repeated = repeated

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        contents, kind = (keys_to_tensors[key] for key in self._keys)
        if self._repeated:
            return map_fn(lambda x: self._decode(x, kind), contents, dtype=self._dtype)
        return self._decode(contents, kind)

    def _decode(self, contents: Any, kind: Any) -> Any:
        contents, kind = reshape(_dense(contents), []), reshape(_dense(kind), [])
        raw = logical_or(equal(kind, "raw"), equal(kind, "RAW"))

        def of_a_format() -> Any:
            if self._channels > 3:
                return decode_image(contents, self._channels, expand_animations=False)
            return decode_jpeg(contents, self._channels)  # also of PNG: it looks at the bytes

        image = case(
            [(raw, lambda: decode_raw(contents, self._dtype))],
            default=lambda: cast(of_a_format(), self._dtype),
        )
        if self._shape is not None:
            return reshape(image, self._shape)
        image.set_shape([None, None, self._channels])
        return image


class DataDecoder(ABC):
    """Makes tensors of the bytes of an example."""

    @abstractmethod
    def decode(self, data: Any, items: Any) -> list[Any]:
        """The tensors of some items."""

    @abstractmethod
    def list_items(self) -> list[str]:
        """The names of the items."""


class TFExampleDecoder(DataDecoder):
    """Decodes serialized `tf.train.Example`s.

    Args:
      keys_to_features: the features, see `tf.parse_single_example`.
      items_to_handlers: by the name of an item the `ItemHandler` that makes it.
    """

    def __init__(
        self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, ItemHandler]
    ) -> None:
        self._features, self._handlers = keys_to_features, items_to_handlers

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._handlers)

    def decode(self, serialized_example: Any, items: Iterable[str] | None = None) -> list[Any]:
        """Makes the items, all by default, of one example."""
        example = _shaped(parse_single_example(serialized_example, self._features), self._features)
        return self._items(example, items)

    def _items(self, parsed: dict[str, Any], items: Iterable[str] | None) -> list[Any]:
        handlers = [self._handlers[item] for item in items or self._handlers]
        return [each.tensors_to_item({k: parsed[k] for k in each.keys}) for each in handlers]


def _shaped(parsed: dict[str, Any], features: dict[str, Any]) -> dict[str, Any]:
    """The parsed features, those of one shape in it."""
    for key, feature in sorted(features.items()):
        if isinstance(feature, FixedLenFeature):
            parsed[key] = reshape(parsed[key], feature.shape)
    return parsed


class TFSequenceExampleDecoder(TFExampleDecoder):
    """Decodes serialized `tf.train.SequenceExample`s.

    Args:
      keys_to_context_features, keys_to_sequence_features: the features, see
        `tf.parse_single_sequence_example`.
      items_to_handlers: by the name of an item the `ItemHandler` that makes it.
    Raises:
      ValueError: when a name stands for two features.
    """

    def __init__(
        self, keys_to_context_features: dict[str, Any], keys_to_sequence_features: dict[str, Any],
        items_to_handlers: dict[str, ItemHandler],
    ) -> None:  # fmt: skip
        context, sequence = keys_to_context_features, keys_to_sequence_features
        if set(context) & set(sequence):
            raise ValueError(
                f"Context and sequence keys are not unique. \n Context keys: {list(context)} \n "
                f"Sequence keys: {list(sequence)}"
            )
        super().__init__(context, items_to_handlers)
        self._sequence = sequence

    def decode(self, serialized_example: Any, items: Iterable[str] | None = None) -> list[Any]:
        """Makes the items, all by default, of one example."""
        context, lists = parse_single_sequence_example(
            serialized_example, self._features, self._sequence
        )
        return self._items({**lists, **_shaped(context, self._features)}, items)


# ---- data sets, and reading them -----------------------------------------------------------


class Dataset:
    """What a data set is: files, a reader and a decoder; further words are kept.

    Args:
      data_sources: names of files, or patterns of names.
      reader: a class of readers, as `tf.TFRecordReader`.
      decoder: a `TFExampleDecoder` or its like.
      num_samples: how many examples there are.
      items_to_descriptions: what the items are, by name.
    """

    def __init__(
        self, data_sources: Any, reader: Any, decoder: Any, num_samples: Any,
        items_to_descriptions: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        vars(self).update(
            kwargs, data_sources=data_sources, reader=reader, decoder=decoder,
            num_samples=num_samples, items_to_descriptions=items_to_descriptions,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"This data set was made without {name!r}")


class DataProvider:
    """Gives tensors by the names of items.

    Args:
      items_to_tensors: the tensors.
      num_samples: how many examples there are.
    """

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: Any) -> None:
        self._items_to_tensors, self._num_samples = items_to_tensors, num_samples

    def get(self, items: Iterable[str]) -> list[Any]:
        """The tensors of some items.

        Raises:
          ValueError: when there is no such item.
        """
        items = list(items)
        missing = [item for item in items if item not in self._items_to_tensors]
        if missing:
            raise ValueError(f"Items {missing} not found in {self.list_items()}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._items_to_tensors)

    def num_samples(self) -> Any:
        """How many examples there are."""
        return self._num_samples


class DatasetDataProvider(DataProvider):
    """Reads examples of a data set through queues.

    Args:
      dataset: a `Dataset`.
      num_readers: how many readers work at once.
      reader_kwargs: arguments of the readers.
      shuffle: whether the files and the examples come in random order.
      num_epochs: how often all are read; None for ever.
      common_queue_capacity, common_queue_min: the size of the queue, and how much stays in it.
      record_key: the name under which the record's key is an item, too.
      seed: of the order.
      scope: the name of the scope.
    """

    def __init__(
        self, dataset: Any, num_readers: int = 1, reader_kwargs: Any = None, shuffle: bool = True,
        num_epochs: int | None = None, common_queue_capacity: int = 256,
        common_queue_min: int = 128, record_key: str = "record_key", seed: int | None = None,
        scope: str | None = None,
    ) -> None:  # fmt: skip
        key, record = parallel_read(
            dataset.data_sources, dataset.reader, num_epochs, num_readers, reader_kwargs, shuffle,
            None, common_queue_capacity, common_queue_min, seed, scope,
        )  # fmt: skip
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(record, items), strict=True))
        if record_key in tensors:
            raise ValueError(
                f"The item name used for `record_key` cannot also be used for a dataset item: "
                f"{record_key}"
            )
        super().__init__({**tensors, record_key: key}, dataset.num_samples)


def get_data_files(data_sources: Any) -> list[str]:
    """The names of files that names and patterns stand for.

    Raises:
      ValueError: when there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    else:
        files = glob(data_sources) if set("*?[") & set(data_sources) else [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


class ParallelReader(ReaderBase):
    """Several readers of one class, which fill a queue with the records that it hands on.

    Args:
      reader_class: as `tf.TFRecordReader`.
      common_queue: of pairs (key, value) of strings.
      num_readers: how many, each on a thread of its own.
      reader_kwargs: for the class.
    Raises:
      TypeError: when the queue holds anything else.
    """

    def __init__(
        self, reader_class: Any, common_queue: Any, num_readers: int = 4, reader_kwargs: Any = None
    ) -> None:
        if [kind.base_dtype for kind in common_queue.dtypes] != [_STRING, _STRING]:
            raise TypeError("common_queue must have exactly two tf.string items.")
        self.common_queue, self.num_readers = common_queue, num_readers
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        super().__init__(common_queue.queue_ref)

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record, and a queue runner that fills the queue."""
        self._fill_from(queue)
        return self.common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records, at most `num_records`, and a queue runner that fills the queue."""
        self._fill_from(queue)
        return self.common_queue.dequeue_up_to(num_records, name=name)

    def _fill_from(self, queue: Any) -> None:
        filling = [self.common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self.common_queue, filling))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records all readers together have read."""
        return add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files all readers together have read to their end."""
        return add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def single_pass_read(
    data_sources: Any, reader_class: Any, reader_kwargs: Any = None, scope: str | None = None
) -> Any:
    """The next record of some files, (key, value): each once, in order."""
    with stacks.name_scope(scope, "single_pass_read"):
        files = string_input_producer(
            get_data_files(data_sources), num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(files)


def parallel_read(
    data_sources: Any, reader_class: Any, num_epochs: int | None = None, num_readers: int = 4,
    reader_kwargs: Any = None, shuffle: bool = True, dtypes: Any = None, capacity: int = 256,
    min_after_dequeue: int = 128, seed: int | None = None, scope: str | None = None,
) -> Any:  # fmt: skip
    """The next record of some files, (key, value), read ahead by several readers into a queue.

    The arguments are those of `DatasetDataProvider`.
    """
    with stacks.name_scope(scope, "parallel_read"):
        files = string_input_producer(
            get_data_files(data_sources), num_epochs=num_epochs, shuffle=shuffle, seed=seed,
            name="filenames",
        )  # fmt: skip
        kinds = dtypes or [_STRING, _STRING]
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(
                capacity, min_after_dequeue, kinds, seed=seed, name="common_queue"
            )
        else:
            queue = FIFOQueue(capacity, kinds, name="common_queue")
        _measure_fill(queue, capacity)
        reader = ParallelReader(reader_class, queue, num_readers, reader_kwargs)
        return reader.read(files, name="dequeue")


_STRING = dtypes.string


def prefetch_queue(
    tensors: Any, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """A queue that computes batches ahead; `dequeue` gives one.

    Args:
      tensors: a list or a dict of the batch's tensors.
      capacity: how many batches it holds.
      num_threads: how many threads fill it.
      dynamic_pad: whether the shapes may have unknown sizes.
      shared_name: the name under which several sessions share it.
      name: the name of the scope.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = [tensors[key] for key in names] if names else list(tensors)
    with stacks.name_scope(name, "prefetch_queue", listed) as scope:
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        types, shapes = [each.dtype for each in listed], [each.shape for each in listed]
        queue = kind(capacity, types, shapes, names, shared_name)
        filling = queue.enqueue(tensors, name=scope)
        add_queue_runner(QueueRunner(queue, [filling] * num_threads))
        _measure_fill(queue, capacity)
        return queue


def _measure_fill(queue: Any, capacity: int) -> None:
    part = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
    summary.scalar(f"fraction_of_{capacity}_full", part)


class NestedQueueRunnerError(Exception):
    """`QueueRunners` stands inside another one."""


_running = threading.Lock()


@contextlib.contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """Runs the graph's queue runners for a block.

    Args:
      session: the session.
    Raises:
      NestedQueueRunnerError: inside of another.
    """
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    coord = Coordinator()
    try:
        threads = start_queue_runners(session, coord)
        yield
    finally:
        coord.request_stop()
        try:
            coord.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()
        _running.release()
