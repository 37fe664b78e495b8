"""`tf.data.Dataset`: what an input pipeline is written with.

    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.shuffle(1000).map(augment, num_parallel_calls=4).batch(32).prefetch(1)

Each call adds one operation, whose value is the description of a dataset (see runtime.py), and
returns a new `Dataset` around it. Nothing is read before an iterator asks for an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.logging_ops import Assert
from minitf.library.eager import script_ops
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data import structure
from minitf.library.input.data.arguments import (
    RANGE,
    checked_element,
    cycle_of,
    int64,
    known_size,
    made,
    padded_shape,
    padding_of,
    seeds_of,
    shape_of_sizes,
    truth,
    zero_of,
)
from minitf.library.input.data.each import (
    filter_dataset_op,
    map_dataset_op,
    reduce_dataset_op,
    shard_dataset_op,
    skip_dataset_op,
    take_dataset_op,
)
from minitf.library.input.data.functions import TracedFunction, check_truth, trace_state
from minitf.library.input.data.iterator_ops import on_host, range_dataset_op
from minitf.library.input.data.iterators import EagerIterator, Iterator, initializable, one_shot
from minitf.library.input.data.memory import (
    generator_dataset_op,
    sparse_tensor_slice_dataset_op,
    tensor_dataset_op,
    tensor_slice_dataset_op,
)
from minitf.library.input.data.nested import (
    flat_map_dataset_op,
    interleave_dataset_op,
    zip_dataset_op,
)
from minitf.library.input.data.options import Options
from minitf.library.input.data.order import (
    batch_dataset_op,
    cache_dataset_op,
    concatenate_dataset_op,
    padded_batch_dataset_op,
    repeat_dataset_op,
    shuffle_dataset_op,
    unbatch_dataset_op,
    window_dataset_op,
)
from minitf.library.input.data.parallel import (
    AUTOTUNE,
    options_dataset_op,
    parallel_interleave_dataset_op,
    parallel_map_dataset_op,
    prefetch_dataset_op,
)
from minitf.library.input.data.ragged import pack_ragged
from minitf.library.input.data.sparse import pack_rows
from minitf.library.input.data.stats import set_stats_aggregator_dataset_op
from minitf.library.input.readers.files import matching_files
from minitf.library.sparse.ragged import RaggedTensor

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetSpec(structure.NestedSpec):
    """Describes a dataset that is a component of an element, as `window` gives them."""

    @property
    def value_type(self) -> type:
        """The class of what it describes."""
        return Dataset

    def _from_component(self, tensor: Tensor) -> Dataset:
        return Dataset(tensor, self.element_spec)


class Dataset:
    """A sequence of elements, each a tensor or a nest of tuples and dicts of tensors.

    `Dataset().range(3)`, as programs before TensorFlow 1.12 write it, is `Dataset.range(3)`.

    Args:
      variant_tensor: the tensor whose value describes it.
      element_spec: what is known of its elements.
      inputs: the datasets that it is made of.
    """

    _class_name = "DatasetV1Adapter"

    def __init__(
        self, variant_tensor: Any = None, element_spec: Any = None, inputs: Sequence[Dataset] = ()
    ) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._made_of = inputs  # a generator lives as long as what is made of it
        self._given_options = Options()
        for each in inputs:
            self._given_options = self._given_options.merge(each._given_options)

    # ---- what it is ----------------------------------------------------------------------

    def _inputs(self) -> list[Any]:
        return list(self._made_of)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    @property
    def element_spec(self) -> Any:
        """What is known of the elements: a nest of `TensorSpec`s and the like."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes of the components, nested as the elements are."""
        return structure.legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components, nested as the elements are."""
        return structure.legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the components, nested as the elements are."""
        return structure.legacy_classes(self._element_spec)

    def __repr__(self) -> str:
        shapes = structure.map_nest(str, self.output_shapes)
        types = structure.map_nest(repr, self.output_types)
        text = f"<{self._class_name} shapes: {shapes}, types: {types}>"
        return text.replace("'", "")

    # ---- iteration -----------------------------------------------------------------------

    def __iter__(self) -> EagerIterator:
        in_function = stacks.get_default_graph()._scopes.effects is not None
        if not stacks.executing_eagerly() and not in_function:
            raise RuntimeError(
                "__iter__() is only supported inside of tf.function or when eager execution is "
                "enabled."
            )
        return EagerIterator(self)

    def _staged_steps(self) -> Callable[[], tuple[Tensor, Any]]:
        """What a `for` loop in a graph asks for each turn: whether there is an element, and it."""
        return EagerIterator(self)._staged_steps()

    def make_one_shot_iterator(self) -> Any:
        """An iterator that starts by itself and runs once.

        Raises:
          ValueError: when the dataset depends on a placeholder, a variable or other state.
        """
        return EagerIterator(self) if stacks.executing_eagerly() else one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """An iterator that starts whenever its initializer runs.

        Args:
          shared_name: the name under which several sessions share it.
        Raises:
          RuntimeError: under eager execution.
        """
        if stacks.executing_eagerly():
            raise RuntimeError(
                "`make_initializable_iterator()` is not supported in eager mode. Use Python-style "
                "iteration instead."
            )
        return initializable(self, shared_name)

    def as_numpy_iterator(self) -> Any:
        """Yields the elements as arrays, under eager execution."""
        for element in self:
            yield structure.map_nest(lambda leaf: leaf.numpy(), element)

    # ---- making the next one -------------------------------------------------------------

    def _then(self, make: OpDef, *inputs: Any, spec: Any = None, **attrs: Any) -> Dataset:
        """The dataset that an operation makes of this one; its elements are alike by default."""
        spec = self._element_spec if spec is None else spec
        tensor = made(make, spec, self._variant_tensor, *inputs, **attrs)
        return Dataset(tensor, spec, [self])

    def _trace(
        self, function: Callable[..., Any], method: str, finish: Any = None
    ) -> TracedFunction:
        return TracedFunction(function, f"Dataset.{method}()", self._element_spec, finish)

    # ---- sources -------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """A dataset of one element.

        Args:
          tensors: the element.
        Example:
          >>> sess.run(tf.data.Dataset.from_tensors([1, 2]).make_one_shot_iterator().get_next())
          array([1, 2], dtype=int32)
        """
        element = structure.as_element(tensors)
        spec = structure.map_nest(structure.spec_of, element)
        return Dataset(made(tensor_dataset_op, spec, structure.components_of(element)), spec)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """A dataset of the rows of tensors.

        Args:
          tensors: a nest of tensors with the same number of rows.
        Raises:
          ValueError: when one is a scalar, or they have unequal numbers of rows.
        Example:
          >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
          >>> sess.run(dataset.make_one_shot_iterator().get_next())
          (1, b'a')
        """
        element = structure.as_element(tensors)
        leaves = structure.flatten(element)
        spec = structure.map_nest(structure.spec_of, element)
        structure.common_rows(spec)
        spec = structure.unbatched(spec)
        components = [
            pack_rows(leaf)
            if isinstance(leaf, SparseTensor)
            else pack_ragged(leaf, rows=True)
            if isinstance(leaf, RaggedTensor)
            else structure.component_of(leaf)
            for leaf in leaves
        ]
        return Dataset(made(tensor_slice_dataset_op, spec, components), spec)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """A dataset of the rows of a sparse tensor, as triples of indices, values and shape."""
        if isinstance(sparse_tensor, SparseTensorValue):
            sparse_tensor = SparseTensor.from_value(sparse_tensor)
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                f"`sparse_tensor` must be a `tf.SparseTensor` object.Was {type(sparse_tensor)}."
            )
        rank = sparse_tensor.dense_shape.shape[0] - 1
        spec = (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], sparse_tensor.dtype),
            TensorSpec([rank], dtypes.int64),
        )
        parts = sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape
        return Dataset(made(sparse_tensor_slice_dataset_op, spec, *parts), spec)

    @staticmethod
    def range(*args: Any) -> Dataset:
        """A dataset of numbers, by the rules of Python's `range`.

        Args:
          *args: stop; start and stop; or start, stop and step.
        Raises:
          ValueError: when there are no arguments, or more than three.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid arguments to RangeDataset: {args}"
                if args
                else "Invalid arguments to RangeDataset: ()"
            )
        start, stop, step = {1: (0, *args, 1), 2: (*args, 1)}.get(len(args), args)
        numbers = [int64(each, name) for each, name in zip((start, stop, step), RANGE)]
        spec = TensorSpec([], dtypes.int64)
        return Dataset(made(range_dataset_op, spec, *numbers), spec)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any,
        output_shapes: Any = None,
        args: Any = None,
    ) -> Dataset:
        """A dataset of what a Python generator yields.

        Args:
          generator: is called at each walk over the dataset; returns an iterable.
          output_types: a nest of dtypes, as the elements nest.
          output_shapes: a nest of shapes; unknown ones when None.
          args: tensors, whose values the generator is called with.
        Raises:
          TypeError: when it cannot be called.
          InvalidArgumentError (when it runs): when it yields something else.
        Example:
          >>> squares = lambda: (n * n for n in range(2, 9))
          >>> squares = tf.data.Dataset.from_generator(squares, tf.int32)
          >>> sess.run(squares.make_one_shot_iterator().get_next())
          4
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = structure.spec_from_legacy(output_types, output_shapes)
        types, shapes = structure.legacy_types(spec), structure.legacy_shapes(spec)

        def elements(*values: Any) -> Any:
            # No generator expression, which would be over after an element that does not fit.
            return map(lambda each: checked_element(each, types, shapes), generator(*values))  # noqa: C417

        token, kept = script_ops.keep_function(elements)
        inputs = [convert_to_tensor(arg) for arg in (() if args is None else args)]
        dataset = Dataset(made(generator_dataset_op, spec, inputs, token=token), spec)
        dataset._kept = kept  # type: ignore[attr-defined]
        return dataset

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """A dataset of elements side by side, as long as the shortest.

        Args:
          datasets: a nest of datasets: its elements nest so.
        Raises:
          TypeError: when there is something else in it.
        Example:
          >>> pairs = tf.data.Dataset.zip((tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)))
          >>> sess.run(pairs.make_one_shot_iterator().get_next())
          (0, 5)
        """
        for each in structure.flatten(datasets):
            if isinstance(each, list):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            if not isinstance(each, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(each)}."
                )
        flat = structure.flatten(datasets)
        spec = structure.pack(datasets, [each.element_spec for each in flat])
        tensor = made(zip_dataset_op, spec, [each._variant_tensor for each in flat])
        return Dataset(tensor, spec, flat)

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None) -> Dataset:
        """A dataset of the names of files.

        Args:
          file_pattern: a pattern as "/data/*.txt", or several.
          shuffle: whether in random order; True when None.
          seed: of the order.
        Raises (when it runs):
          InvalidArgumentError: when no file fits.
        """
        pattern = convert_to_tensor(file_pattern, dtype=dtypes.string, name="file_pattern")
        found = matching_files(pattern)
        count = shape_of(found, out_type=dtypes.int64)[0]
        message = ["No files matched pattern: ", pattern]
        check = Assert(count > 0, message, summarize=1, name="assert_not_empty")
        with stacks.control_dependencies([] if check is None else [check]):
            found = identity(found)
        dataset = Dataset.from_tensor_slices(found)
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(count, seed=seed)
        return dataset

    # ---- transformations -----------------------------------------------------------------

    def concatenate(self, dataset: Dataset) -> Dataset:
        """This dataset, and another behind it.

        Raises:
          TypeError: when their elements nest or are typed otherwise.
        """
        for what, read in (("types", get_output_types), ("classes", get_output_classes)):
            own, other = read(self), read(dataset)
            if own != other:
                raise TypeError(
                    f"Two datasets to concatenate have different {what} {own} and {other}"
                )
        both = self, dataset
        spec = structure.common_spec(*(each._element_spec for each in both))
        tensor = made(concatenate_dataset_op, spec, *(each._variant_tensor for each in both))
        return Dataset(tensor, spec, both)

    def prefetch(self, buffer_size: Any) -> Dataset:
        """Computes elements ahead, in a thread.

        Args:
          buffer_size: how many; `AUTOTUNE` (-1, or None) for as many as it takes.
        """
        size = AUTOTUNE if buffer_size is None else buffer_size
        return self._then(prefetch_dataset_op, int64(size, "buffer_size"))

    def repeat(self, count: Any = None) -> Dataset:
        """The dataset `count` times; without end for None or -1."""
        return self._then(repeat_dataset_op, int64(-1 if count is None else count, "count"))

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number and an element."""
        return Dataset.zip((Dataset.range(start, dtypes.int64.max), self))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """The elements in random order.

        Args:
          buffer_size: among how many elements the next one is chosen; the size of the dataset for
            a uniform order.
          seed: see `tf.set_random_seed`.
          reshuffle_each_iteration: whether every walk over it has an order of its own; True when
            None.
        """
        again = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        size = int64(buffer_size, "buffer_size")
        return self._then(shuffle_dataset_op, size, *seeds_of(seed), reshuffle_each_iteration=again)

    def cache(self, filename: Any = "") -> Dataset:
        """Keeps the elements of the first walk for those that follow.

        Args:
          filename: of the files that hold them; in memory when empty.
        """
        return self._then(cache_dataset_op, convert_to_tensor(filename, dtypes.string))

    def take(self, count: Any) -> Dataset:
        """The first `count` elements; all of them for -1."""
        return self._then(take_dataset_op, int64(count, "count"))

    def skip(self, count: Any) -> Dataset:
        """What comes behind the first `count` elements; nothing for -1."""
        return self._then(skip_dataset_op, int64(count, "count"))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Every `num_shards`-th element, from number `index` on: the part of one worker.

        Raises (when it runs):
          InvalidArgumentError: when there is no such part.
        """
        shards, place = int64(num_shards, "num_shards"), int64(index, "index")
        return self._then(shard_dataset_op, shards, place)

    def batch(self, batch_size: Any, drop_remainder: Any = False) -> Dataset:
        """Several elements as one, along a new first axis.

        Args:
          batch_size: how many.
          drop_remainder: whether to leave out what is left at the end and fills no batch.
        Raises (when it runs):
          InvalidArgumentError: when the shapes of elements differ.
        """
        size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
        spec = structure.batched(self._element_spec, known_size(size, drop))
        return self._then(batch_dataset_op, size, drop, spec=spec)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
    ) -> Dataset:
        """As `batch`, elements of different sizes filled up to one.

        Args:
          batch_size: how many.
          padded_shapes: a nest of shapes; what is unknown is as large as the largest in the batch.
          padding_values: a nest of scalars to fill up with; zeros and empty strings when None.
          drop_remainder: as of `batch`.
        Raises:
          ValueError, InvalidArgumentError: when an element is larger than its shape.
        """
        specs = structure.flatten(self._element_spec)
        if any(not isinstance(spec, TensorSpec) for spec in specs):
            raise TypeError("Batching of padded sparse tensors is not currently supported")
        if padded_shapes is None:
            padded_shapes = self.output_shapes
        shapes: list[Tensor] = structure.flatten(
            structure.map_up_to(self._element_spec, padded_shape, padded_shapes, self.output_shapes)
        )
        if padding_values is None:
            values = [zero_of(spec.dtype) for spec in specs]
        else:
            whole = structure.map_up_to(self._element_spec, lambda each: (each,), padding_values)
            values = [padding_of(each, spec) for each, spec in zip(structure.flatten(whole), specs)]
        size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
        first = TensorShape([known_size(size, drop)])
        spec = structure.pack(
            self._element_spec,
            [
                TensorSpec(first.concatenate(shape_of_sizes(shape)), each.dtype)
                for shape, each in zip(shapes, specs, strict=True)
            ],
        )
        return self._then(padded_batch_dataset_op, size, shapes, values, drop, spec=spec)

    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any = None) -> Dataset:
        """A function of each element.

        Args:
          map_func: from the components of an element to an element. It is traced to a graph, once.
          num_parallel_calls: how many elements are computed at the same time, in threads;
            `AUTOTUNE` for one a processor.
        Example:
          >>> dataset = tf.data.Dataset.range(3).map(lambda x: x * x)
          >>> next_element = dataset.batch(3).make_one_shot_iterator().get_next()
          >>> sess.run(next_element)
          array([0, 1, 4])
        """
        function = self._trace(map_func, "map")
        return self._map(function, num_parallel_calls)

    def _map(self, function: TracedFunction, num_parallel_calls: Any) -> Dataset:
        inputs, make = [function.captured], map_dataset_op
        if num_parallel_calls is not None:
            make = parallel_map_dataset_op
            inputs.append(convert_to_tensor(num_parallel_calls, dtypes.int32))
        with stacks.control_dependencies(function.waits_for):
            return self._then(make, *inputs, spec=function.result_spec, f=function.graph)

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of all the datasets that a function makes of the elements.

        Args:
          map_func: from the components of an element to a dataset.
        """
        function, spec = self._to_datasets(map_func, "flat_map")
        return self._then(flat_map_dataset_op, function.captured, spec=spec, f=function.graph)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = AUTOTUNE,
        block_length: Any = 1,
        num_parallel_calls: Any = None,
    ) -> Dataset:
        """As `flat_map`, taking turns among several of the datasets.

        Args:
          map_func: from the components of an element to a dataset.
          cycle_length: how many take turns; `AUTOTUNE` for one a processor.
          block_length: how many elements each gives at its turn.
          num_parallel_calls: whether they are computed at the same time, each in a thread.
        """
        function, spec = self._to_datasets(map_func, "interleave")
        cycle = cycle_of(cycle_length)
        inputs = [function.captured, int64(cycle, "cycle"), int64(block_length, "block_length")]
        make = interleave_dataset_op
        if num_parallel_calls is not None:
            make = parallel_interleave_dataset_op
            inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
        return self._then(make, *inputs, spec=spec, f=function.graph)

    def _to_datasets(self, map_func: Callable[..., Any], method: str) -> tuple[TracedFunction, Any]:
        """A function that gives a dataset, and the spec of the dataset's elements."""
        function = self._trace(map_func, method)
        if not isinstance(function.result_spec, DatasetSpec):
            raise TypeError(
                f"`map_func` must return a `Dataset` object. Got {function.result_spec}"
            )
        return function, function.result_spec.element_spec

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements of which a function says True.

        Args:
          predicate: from the components of an element to a scalar bool.
        Raises:
          ValueError: when it returns something else.
        """
        function = self._trace(predicate, "filter")
        check_truth(function)
        with stacks.control_dependencies(function.waits_for):
            return self._then(filter_dataset_op, function.captured, predicate=function.graph)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of the whole dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` object. Got "
                f"{type(dataset)}."
            )
        return dataset

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False
    ) -> Dataset:
        """Datasets of neighbouring elements, one for each component.

        Args:
          size: how many elements each has.
          shift: how far the next begins behind this one; `size` when None.
          stride: how far apart its elements are.
          drop_remainder: whether to leave out windows that are shorter.
        """
        numbers = [
            int64(each, name)
            for each, name in (
                (size, "size"),
                (size if shift is None else shift, "shift"),
                (stride, "stride"),
            )
        ]
        spec = structure.map_nest(DatasetSpec, self._element_spec)
        return self._then(window_dataset_op, *numbers, truth(drop_remainder), spec=spec)

    def unbatch(self) -> Dataset:
        """The rows of each element.

        Raises:
          ValueError: when a component is a scalar, or they have unequal numbers of rows.
        """
        if any(leaf.shape.ndims == 0 for leaf in structure.flatten(self._element_spec)):
            raise ValueError("Cannot unbatch an input with scalar components.")
        structure.common_rows(self._element_spec)
        return self._then(unbatch_dataset_op, spec=structure.unbatched(self._element_spec))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """What a function makes of all elements, one after the other.

        Args:
          initial_state: what it begins with.
          reduce_func: from what was made so far and an element to what is made then.
        Returns: tensors.
        Raises:
          TypeError: when what it returns is no state.
        Example:
          >>> total = tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x)
          >>> sess.run(total)
          10
        """
        state = structure.as_element(initial_state)
        function, spec = trace_state(self._element_spec, state, reduce_func, "Dataset.reduce()")
        components = structure.components_of(state)
        tensors = on_host(
            reduce_dataset_op,
            self._variant_tensor,
            [*components, *function.captured],
            f=function.graph,
            state_size=len(components),
            **structure.types_and_shapes(spec),
        )
        return structure.element_from(spec, tensors)

    # ---- options -------------------------------------------------------------------------

    def options(self) -> Options:
        """How the pipeline is run: a copy, whose change changes nothing."""
        return Options().merge(self._given_options)

    def with_options(self, options: Options) -> Dataset:
        """The same dataset, run otherwise.

        Args:
          options: what it says counts before what was said so far.
        """
        merged = self._given_options.merge(options)
        keeps_order = merged.experimental_deterministic is not False
        threads = merged.experimental_threading.private_threadpool_size or 0
        dataset = self._then(options_dataset_op, keeps_order=keeps_order, threads=threads)
        stats = merged.experimental_stats
        if (aggregator := stats.aggregator) is not None:
            prefix = stats.prefix or ""
            dataset = dataset._then(
                set_stats_aggregator_dataset_op, aggregator._resource, prefix=prefix
            )
        dataset._given_options = merged
        return dataset

    map_with_legacy_function = map
    filter_with_legacy_function = filter


# ---- functions ---------------------------------------------------------------------------


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """As `dataset.make_one_shot_iterator()`."""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Iterator:
    """As `dataset.make_initializable_iterator()`."""
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the components of its elements."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the components of its elements."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components of its elements."""
    return dataset_or_iterator.output_classes
