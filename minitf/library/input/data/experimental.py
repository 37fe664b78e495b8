"""`tf.data.experimental`: transformations for `dataset.apply`, and further sources.

    dataset.apply(tf.data.experimental.shuffle_and_repeat(1000, count=3))

`tf.contrib.data` has the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, less_equal, logical_and
from minitf.core.ops.reductions import reduce_min
from minitf.library.eager.type_specs import (
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
)
from minitf.library.input.data import structure
from minitf.library.input.data.arguments import int64, known_size, made, seeds_of, truth
from minitf.library.input.data.dataset import Dataset, DatasetSpec
from minitf.library.input.data.each import (
    ignore_errors_dataset_op,
    scan_dataset_op,
    take_while_dataset_op,
    unique_dataset_op,
)
from minitf.library.input.data.ends import (
    dataset_to_single_element_op,
    dataset_to_tf_record_op,
    group_by_reducer_dataset_op,
)
from minitf.library.input.data.functions import TracedFunction, check_truth, trace_state
from minitf.library.input.data.iterator_ops import on_host
from minitf.library.input.data.memory import random_dataset_op
from minitf.library.input.data.nested import (
    directed_interleave_dataset_op,
    group_by_window_dataset_op,
    weighted_choice_dataset_op,
)
from minitf.library.input.data.order import (
    batch_dataset_op,
    shuffle_and_repeat_dataset_op,
    sparse_batch_dataset_op,
)
from minitf.library.input.data.parallel import (
    AUTOTUNE,
    map_and_batch_dataset_op,
    parallel_interleave_dataset_op,
)
from minitf.library.input.data.ragged import pack_ragged
from minitf.library.sparse.ragged import RaggedTensor

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


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Pairs of a number and an element."""
    return lambda dataset: dataset.enumerate(start)


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


def unique() -> Transformation:
    """Each element once."""
    return lambda dataset: dataset._then(unique_dataset_op)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first of which a function says False."""

    def transform(dataset: Dataset) -> Dataset:
        function = dataset._trace(predicate, "take_while")
        check_truth(function)
        inputs = function.captured
        return dataset._then(take_while_dataset_op, inputs, predicate=function.graph)

    return transform


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """A function of each element and of what it remembered of those before.

    Args:
      initial_state: what it remembers at first.
      scan_func: from the state and an element to the new state and an element.
    """

    def transform(dataset: Dataset) -> Dataset:
        state = structure.as_element(initial_state)

        def new_state(now: Any, element: Any) -> Any:
            result = scan_func(now, element)
            if not isinstance(result, (list, tuple)) or len(result) != 2:
                raise TypeError(
                    "The scan function must return a pair comprising the new state and the output "
                    "value."
                )
            return result[0]

        _, spec = trace_state(dataset.element_spec, state, new_state, "Dataset.scan()")
        function = TracedFunction(
            lambda now, element: tuple(scan_func(now, element)),
            "Dataset.scan()",
            (spec, dataset.element_spec),
        )
        components = structure.components_of(state)
        return dataset._then(
            scan_dataset_op,
            [*components, *function.captured],
            spec=function.result_spec[1],
            f=function.graph,
            state_size=len(components),
        )

    return transform


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """Several arrays of different sizes as one sparse tensor.

    Args:
      batch_size: how many.
      row_shape: how large each may be; None where the largest in the batch counts.
    """

    def transform(dataset: Dataset) -> Dataset:
        shape = as_shape(row_shape)
        sizes = np.array([-1 if size is None else size for size in shape.as_list()], np.int64)
        spec = SparseTensorSpec(TensorShape([None]).concatenate(shape), dataset.element_spec.dtype)
        inputs = int64(batch_size, "batch_size"), int64(sizes, "row_shape")
        return dataset._then(sparse_batch_dataset_op, *inputs, spec=spec)

    return transform


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """Several arrays of different sizes as one ragged tensor; others are batched as ever.

    Args:
      batch_size: how many.
      drop_remainder: whether to leave out what is left at the end and fills no batch.
      row_splits_dtype: the type of the row splits of new ragged tensors.
    Example:
      >>> data = tf.data.Dataset.range(4).map(tf.range)
      >>> data = data.apply(tf.data.experimental.dense_to_ragged_batch(2))
      >>> sess.run(data.make_one_shot_iterator().get_next()).to_list()
      [[], [0]]
    """

    def ragged(spec: Any) -> Any:
        if not isinstance(spec, TensorSpec) or spec.shape.ndims is None:
            return spec
        open_axes = [axis for axis, size in enumerate(spec.shape.as_list()) if size is None]
        if not open_axes:
            return spec
        return RaggedTensorSpec(spec.shape, spec.dtype, open_axes[-1], row_splits_dtype)

    def as_variant(spec: Any, value: Any) -> Any:
        if not isinstance(spec, RaggedTensorSpec) or not isinstance(value, Tensor):
            return value
        rank, kind = spec.ragged_rank, spec.row_splits_dtype
        if not rank:  # the only row of a tensor
            return pack_ragged(RaggedTensor.from_row_splits(value, [0, shape_of(value)[0]]), True)[
                0
            ]
        return pack_ragged(RaggedTensor.from_tensor(value, ragged_rank=rank, row_splits_dtype=kind))

    def transform(dataset: Dataset) -> Dataset:
        spec = structure.map_nest(ragged, dataset.element_spec)

        def rows(*element: Any) -> Any:
            whole = element if isinstance(spec, tuple) else element[0]
            return structure.map_nest(as_variant, spec, whole)

        size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
        several = structure.batched(spec, known_size(size, drop))
        return dataset.map(rows)._then(batch_dataset_op, size, drop, spec=several)

    return transform


# ---- several datasets --------------------------------------------------------------------


def _choose(selector: Tensor, datasets: Sequence[Dataset], **attrs: Any) -> Dataset:
    spec = datasets[0].element_spec
    for each in datasets[1:]:
        spec = structure.common_spec(spec, each.element_spec)
    tensors = [each._variant_tensor for each in datasets]
    chosen = made(directed_interleave_dataset_op, spec, selector, tensors, **attrs)
    return Dataset(chosen, spec, datasets)


def _check_alike(datasets: Sequence[Dataset]) -> None:
    first = datasets[0]
    for i, each in enumerate(datasets[1:], 1):
        if each.output_types != first.output_types or each.output_classes != first.output_classes:
            raise TypeError(
                f"The datasets[0] and datasets[{i}] must have the same types and classes; got "
                f"{first.output_types} and {each.output_types}."
            )


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: Any = None, seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:  # fmt: skip
    """Takes each element from a dataset that is drawn at random.

    Args:
      datasets: those to draw from.
      weights: a number for each, or a dataset of such vectors; all equal when None.
      seed: of the draws.
      stop_on_empty_dataset: whether the first that is empty ends it all.
    Raises:
      ValueError: when there are not as many weights as datasets.
    """
    datasets = list(datasets)
    _check_alike(datasets)
    if weights is None:
        weights = np.ones(len(datasets))
    if isinstance(weights, Dataset):
        given = weights._variant_tensor
    else:
        given = convert_to_tensor(weights, name="weights")
        if not given.shape.is_compatible_with([len(datasets)]):
            raise ValueError("`weights` must be a vector of length `len(datasets)`.")
    spec = TensorSpec([], dtypes.int64)
    numbers = made(weighted_choice_dataset_op, spec, given, *seeds_of(seed))
    # Graphs for TensorFlow 1.15 must not name an attribute that it does not know.
    attrs = {"stop_on_empty_dataset": True} if stop_on_empty_dataset else {}
    return _choose(numbers, datasets, **attrs)


def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset) -> Dataset:
    """Takes each element from the dataset whose number another dataset gives.

    Raises:
      TypeError: when the other dataset's elements are no int64 scalars.
    """
    spec = choice_dataset.element_spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(
        TensorSpec([], dtypes.int64)
    ):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    datasets = list(datasets)
    _check_alike(datasets)
    return _choose(choice_dataset._variant_tensor, datasets)


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


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Batches elements of similar length together, padded to one size.

    Args:
      element_length_func: from the components of an element to its length, an int32.
      bucket_boundaries: the lengths at which a new bucket begins.
      bucket_batch_sizes: how many elements a batch of each bucket has; one more than boundaries.
      padded_shapes, padding_values: as of `Dataset.padded_batch`.
      pad_to_bucket_boundary: whether unknown sizes become the boundary of the bucket, less one.
      no_padding: whether elements of one batch have one size anyway.
      drop_remainder: whether to leave out last batches that are smaller.
    Raises:
      ValueError: when the numbers of boundaries and sizes do not fit.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
    lowest = np.array([np.iinfo(np.int32).min, *bucket_boundaries], np.int32)
    highest = np.array([*bucket_boundaries, np.iinfo(np.int32).max], np.int32)
    sizes = np.array(bucket_batch_sizes, np.int64)

    def bucket_of(*element: Any) -> Any:
        length = cast(element_length_func(*element), dtypes.int32)
        fits = logical_and(less_equal(lowest, length), less(length, highest))
        return reduce_min(_places_of(fits))

    def padded_shape(shape: TensorShape, bucket: Any) -> Any:
        end = cast(gather(highest, bucket), dtypes.int64) - 1
        return convert_to_tensor([end if size is None else size for size in shape.as_list()])

    def batch(bucket: Any, grouped: Dataset) -> Dataset:
        size = gather(sizes, bucket)
        if no_padding:
            return grouped.batch(size, drop_remainder=drop_remainder)
        shapes = grouped.output_shapes if padded_shapes is None else padded_shapes
        if pad_to_bucket_boundary:
            shapes = structure.map_up_to(
                grouped.element_spec, lambda shape: padded_shape(as_shape(shape), bucket), shapes
            )
        return grouped.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return lambda dataset: dataset.apply(
        group_by_window(bucket_of, batch, window_size_func=lambda bucket: gather(sizes, bucket))
    )


def _places_of(fits: Tensor) -> Tensor:
    """The numbers of the buckets that fit; of others a number that is no bucket's."""
    count = fits.shape.num_elements()
    places = np.arange(count, dtype=np.int64)
    return cast(fits, dtypes.int64) * (places - count) + np.int64(count)


@dataclass(frozen=True)
class Reducer:
    """How elements of one key become a result.

    init_func: from a key to the first state.
    reduce_func: from a state and an element to the next state.
    finalize_func: from the last state to the result.
    """

    init_func: Callable[..., Any]
    reduce_func: Callable[..., Any]
    finalize_func: Callable[..., Any]


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Makes one result of all elements of a key.

    Args:
      key_func: from the components of an element to an int64.
      reducer: how.
    Raises:
      ValueError: when key_func gives something else.
    """

    def transform(dataset: Dataset) -> Dataset:
        name = "tf.data.experimental.group_by_reducer()"
        number = TensorSpec([], dtypes.int64)
        key = dataset._trace(key_func, "group_by_reducer")
        if not isinstance(key.result_spec, TensorSpec) or key.result_spec != number:
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but "
                f"it returned {key.result_spec}."
            )
        init = TracedFunction(reducer.init_func, name, number)
        reduce, state = trace_state(
            dataset.element_spec, init.result_spec, reducer.reduce_func, name
        )
        finalize = TracedFunction(reducer.finalize_func, name, state)
        functions = (key, init, reduce, finalize)
        return dataset._then(
            group_by_reducer_dataset_op,
            [tensor for each in functions for tensor in each.captured],
            spec=finalize.result_spec,
            key_func=key.graph,
            init_func=init.graph,
            reduce_func=reduce.graph,
            finalize_func=finalize.graph,
            captured=tuple(len(each.captured) for each in functions),
        )

    return transform


# ---- devices -----------------------------------------------------------------------------


def prefetch_to_device(device: str, buffer_size: int | None = None) -> Transformation:
    """Makes elements ahead for a device; the last transformation.

    The elements wait in the memory of the processor: the step that takes one brings it to the
    device of the operation that reads it.

    Args:
      device: its name.
      buffer_size: how many elements are made ahead; found by itself when None.
    Raises:
      ValueError: when there is no such name.
    """
    DeviceSpec.from_string(device)
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Elements for a device: the step that takes one brings it there, where it is read.

    Args:
      target_device: its name.
      source_device: the device of the pipeline.
    Raises:
      ValueError: when there is no such name.
    """
    DeviceSpec.from_string(target_device)
    return lambda dataset: dataset


# ---- further sources ---------------------------------------------------------------------


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:  # noqa: N802
    """Counts without end.

    Args:
      start: the first number.
      step: from one to the next.
      dtype: of the numbers.
    """
    first, by = (convert_to_tensor(each, dtype=dtype) for each in (start, step))
    return Dataset.from_tensors(0).repeat(None).apply(scan(first, lambda now, _: (now + by, now)))


class RandomDataset(Dataset):
    """Uniform random 64-bit numbers without end.

    Args:
      seed: see `tf.set_random_seed`.
    """

    def __init__(self, seed: Any = None) -> None:
        spec = TensorSpec([], dtypes.int64)
        super().__init__(made(random_dataset_op, spec, *seeds_of(seed)), spec)


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


def get_structure(dataset_or_iterator: Any) -> Any:
    """The spec of its elements."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "`dataset_or_iterator` must be a Dataset or Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


def to_variant(dataset: Dataset) -> Tensor:
    """The tensor that stands for a dataset, as functions may take and give it."""
    return dataset._variant_tensor


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """The dataset that a tensor stands for.

    Args:
      variant: what `to_variant` gave.
      structure: the specs of its elements, as `dataset.element_spec` has them.
    Example:
      >>> numbers = tf.data.Dataset.range(3)
      >>> variant = tf.data.experimental.to_variant(numbers)
      >>> again = tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64))
      >>> element = tf.data.make_one_shot_iterator(again).get_next()
      >>> [sess.run(element) for _ in range(3)]
      [0, 1, 2]
    """
    return Dataset(variant, structure)


# ---- what is known of elements, under the names of 1.13 ------------------------------------


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:  # noqa: N802
    """A `TensorSpec`; the type comes first."""
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:  # noqa: N802
    """A `SparseTensorSpec`; the type comes first."""
    return SparseTensorSpec(shape, dtype)


def TensorArrayStructure(  # noqa: N802
    dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """A `TensorArraySpec`; the type comes first."""
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:  # noqa: N802
    """A `RaggedTensorSpec`; the type comes first."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)
