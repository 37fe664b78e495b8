"""`tf.data.Dataset`: what an input pipeline is written with.

    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    dataset = dataset.shuffle(1000).map(augment, num_parallel_calls=4).batch(32).prefetch(1)

Each call adds one operation, whose value is the description of a dataset (see cursors.py), and
returns a new `Dataset` around it. Nothing is read before an iterator asks for an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.library.checks.logging_ops import Assert
from minitf.library.eager import script_ops
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.input.data import (
    batches,
    mapping,
    order,
    prefetching,
    sources,
    structure,
    whole_datasets,
)
from minitf.library.input.data.cursors import int64, on_host
from minitf.library.input.data.functions import TracedFunction
from minitf.library.input.data.iterators import EagerIterator, Iterator, initializable, one_shot
from minitf.library.input.data.options import Options, options_op, set_stats_aggregator_op
from minitf.library.input.data.structure import pack_rows
from minitf.library.input.whole_files import matching_files


def made(make: OpDef, spec: Any, *inputs: Any, **attrs: Any) -> Tensor:
    """The tensor of a dataset with such elements, on the processor of its task."""
    return on_host(make, *inputs, **structure.types_and_shapes(spec), **attrs)


class Dataset(structure.Elemental):
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
    def _type_spec(self) -> structure.DatasetSpec:
        return structure.DatasetSpec(self._element_spec)

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
        return Dataset(made(sources.whole_op, spec, structure.components_of(element)), spec)

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
            pack_rows(leaf) if isinstance(leaf, SparseTensor) else structure.component_of(leaf)
            for leaf in leaves
        ]
        return Dataset(made(sources.Slices.op, spec, components), spec)

    @staticmethod
    def range(*args: Any) -> Dataset:
        """A dataset of numbers, by the rules of Python's `range`.

        Args:
          *args: stop; start and stop; or start, stop and step.
        Raises:
          ValueError: when there are no arguments, or more than three.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = {1: (0, *args, 1), 2: (*args, 1)}.get(len(args), args)
        numbers = [
            int64(each, name) for each, name in zip((start, stop, step), ("start", "stop", "step"))
        ]
        spec = TensorSpec([], dtypes.int64)
        return Dataset(made(sources.Range.op, spec, *numbers), spec)

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
            check = partial(sources.checked_element, types=types, shapes=shapes)
            return map(check, generator(*values))

        token, kept = script_ops.keep_function(elements)
        inputs = [convert_to_tensor(arg) for arg in (() if args is None else args)]
        dataset = Dataset(made(sources.Generated.op, spec, inputs, token=token), spec)
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
        tensor = made(order.Zip.op, spec, [each._variant_tensor for each in flat])
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

    # ---- transformations, each of which stands below its operation and its cursor -----------

    def _then(
        self,
        make: OpDef,
        *inputs: Any,
        spec: Any = None,
        others: Sequence[Dataset] = (),
        **attrs: Any,
    ) -> Dataset:
        """The dataset that an operation makes of this one, and of others.

        Args:
          make: the operation.
          *inputs: its inputs behind this dataset's tensor.
          spec: of its elements; they are alike by default.
          others: the other datasets among the inputs.
          **attrs: its attributes.
        """
        spec = self._element_spec if spec is None else spec
        tensor = made(make, spec, self._variant_tensor, *inputs, **attrs)
        return Dataset(tensor, spec, [self, *others])

    def _trace(self, function: Callable[..., Any], method: str) -> TracedFunction:
        return TracedFunction(function, f"Dataset.{method}()", self._element_spec)

    take, skip, shard = order.take, order.skip, order.shard
    repeat, concatenate = order.repeat, order.concatenate
    shuffle, cache = order.shuffle, order.cache
    batch, padded_batch, unbatch = batches.batch, batches.padded_batch, batches.unbatch
    map = map_with_legacy_function = mapping.map_elements
    filter = filter_with_legacy_function = mapping.filter_elements
    flat_map, interleave = mapping.flat_map, mapping.interleave
    prefetch = prefetching.prefetch
    reduce = whole_datasets.reduce

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number and an element."""
        return Dataset.zip((Dataset.range(start, dtypes.int64.max), self))

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function makes of the whole dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` object. Got "
                f"{type(dataset)}."
            )
        return dataset

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
        dataset = self._then(options_op, keeps_order=keeps_order, threads=threads)
        stats = merged.experimental_stats
        if (aggregator := stats.aggregator) is not None:
            prefix = stats.prefix or ""
            dataset = dataset._then(set_stats_aggregator_op, aggregator._resource, prefix=prefix)
        dataset._given_options = merged
        return dataset


structure.DatasetSpec.value_type = Dataset

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
