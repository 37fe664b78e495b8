"""`tf.data.experimental`: transformations for `dataset.apply`, and further sources.

    dataset.apply(tf.data.experimental.shuffle_and_repeat(1000, count=3))

`tf.contrib.data` has the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.ops.cast import cast
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data import structure
from minitf.library.input.data.arguments import int64, known_size, seeds_of, truth
from minitf.library.input.data.dataset import Dataset, DatasetSpec
from minitf.library.input.data.each import ignore_errors_dataset_op
from minitf.library.input.data.ends import dataset_to_single_element_op, dataset_to_tf_record_op
from minitf.library.input.data.functions import TracedFunction
from minitf.library.input.data.iterator_ops import on_host
from minitf.library.input.data.nested import group_by_window_dataset_op
from minitf.library.input.data.order import shuffle_and_repeat_dataset_op
from minitf.library.input.data.parallel import (
    map_and_batch_dataset_op,
    parallel_interleave_dataset_op,
)

Transformation = Callable[[Dataset], Dataset]

# ---- transformations that two classic ones make up ---------------------------------------


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Shuffles and repeats, each repetition in an order of its own."""

    def transform(dataset: Dataset) -> Dataset:
        size = int64(buffer_size, "buffer_size")
        times = int64(-1 if count is None else count, "count")
        return dataset._then(shuffle_and_repeat_dataset_op, size, *seeds_of(seed), times)

    return transform


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: int | None = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Maps elements in parallel, and batches them.

    Args:
      map_func: from the components of an element to an element.
      batch_size: how many elements a batch has.
      num_parallel_batches: how many batches are computed at the same time.
      drop_remainder: whether to leave out a last batch that is smaller.
      num_parallel_calls: how many elements are computed at the same time.
    Raises:
      ValueError: when both numbers are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set."
        )

    def transform(dataset: Dataset) -> Dataset:
        function = dataset._trace(map_func, "map_and_batch")
        size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
        calls = num_parallel_calls
        if calls is None:
            calls = int(constant_value(size) or 1) * (num_parallel_batches or 1)
        spec = structure.batched(function.result_spec, known_size(size, drop))
        inputs = [function.captured, size, int64(calls, "num_parallel_calls"), drop]
        return dataset._then(map_and_batch_dataset_op, *inputs, spec=spec, f=function.graph)

    return transform


def unbatch() -> Transformation:
    """The rows of each element."""
    return lambda dataset: dataset.unbatch()


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """Interleaves datasets, each computed ahead by a thread of its own.

    Args:
      map_func: from the components of an element to a dataset.
      cycle_length: how many take turns.
      block_length: how many elements each gives at its turn.
      sloppy, buffer_output_elements, prefetch_input_elements: accepted; the order is kept.
    """

    def transform(dataset: Dataset) -> Dataset:
        function, spec = dataset._to_datasets(map_func, "parallel_interleave")
        sizes = [
            int64(each, name)
            for each, name in ((cycle_length, "cycle"), (block_length, "block"), (-1, "calls"))
        ]
        inputs = [function.captured, *sizes]
        return dataset._then(parallel_interleave_dataset_op, *inputs, spec=spec, f=function.graph)

    return transform


def ignore_errors() -> Transformation:
    """Leaves out the elements that cannot be computed."""
    return lambda dataset: dataset._then(ignore_errors_dataset_op)


# ---- groups ------------------------------------------------------------------------------


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Collects elements of one key, and makes a dataset of each full window of them.

    Args:
      key_func: from the components of an element to an int64.
      reduce_func: from a key and a dataset of elements to a dataset.
      window_size: how many elements a window has.
      window_size_func: the same, as a function of the key.
    Raises:
      ValueError: when neither or both sizes are given.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func, but not both.")

    def size_of(key: Any) -> Any:
        if window_size_func is not None:
            return cast(window_size_func(key), dtypes.int64)
        return convert_to_tensor(window_size, dtype=dtypes.int64)

    def transform(dataset: Dataset) -> Dataset:
        key_spec = TensorSpec([], dtypes.int64)
        key = dataset._trace(key_func, "group_by_window")
        if not isinstance(key.result_spec, TensorSpec) or not key_spec.is_compatible_with(
            key.result_spec
        ):
            raise ValueError(
                f"`key_func` must return a single tf.int64 scalar tensor. Got {key.result_spec}."
            )
        name = "tf.data.experimental.group_by_window()"
        arguments = (key_spec, DatasetSpec(dataset.element_spec))
        reduce = TracedFunction(reduce_func, name, arguments)
        if not isinstance(reduce.result_spec, DatasetSpec):
            raise TypeError("`reduce_func` must return a `Dataset` object.")
        size = TracedFunction(size_of, name, key_spec)
        functions = (key, reduce, size)
        return dataset._then(
            group_by_window_dataset_op,
            [tensor for each in functions for tensor in each.captured],
            spec=reduce.result_spec.element_spec,
            key_func=key.graph,
            reduce_func=reduce.graph,
            window_size_func=size.graph,
            captured=tuple(len(each.captured) for each in functions),
        )

    return transform


# ---- whole datasets ----------------------------------------------------------------------


def get_single_element(dataset: Dataset) -> Any:
    """The one element of a dataset, as tensors.

    Raises (when it runs):
      InvalidArgumentError: when the dataset has none, or more.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}."
        )
    spec = dataset.element_spec
    kinds = structure.types_and_shapes(spec)
    tensors = on_host(dataset_to_single_element_op, dataset._variant_tensor, **kinds)
    return structure.element_from(spec, tensors)


class TFRecordWriter:
    """Writes a dataset of strings to a file of records, when a step runs what `write` gives.

    Args:
      filename: the file.
      compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        texts = ("filename", filename), ("compression_type", compression_type or "")
        self._texts = [convert_to_tensor(each, dtypes.string, name=name) for name, each in texts]

    def write(self, dataset: Dataset) -> Any:
        """The operation that writes; under eager execution it has written.

        Raises:
          TypeError: when it is no dataset of scalar strings.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        wanted = TensorSpec([], dtypes.string)
        if not isinstance(spec, TensorSpec) or not wanted.is_compatible_with(spec):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got a dataset which produces elements with shapes {dataset.output_shapes} "
                f"and types {dataset.output_types}."
            )
        return on_host(dataset_to_tf_record_op, dataset._variant_tensor, *self._texts)
