"""How the elements of a dataset reach the replicas.

    global batches    [8, 784]  --cut-->    [4, 784] for replica 0, [4, 784] for replica 1
    replica batches   [4, 784], [4, 784], ...  --deal-->  one for each replica in turn

Both are one operation, whose elements are those of all replicas side by side. With several workers
each one cuts the same global batch and keeps its own rows, so that together they compute what one
machine would. A last batch that is too small is cut all the same: a replica may get no row at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import errors, stacks
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.distribute.replicas import InputContext
from minitf.library.distribute.values import regroup
from minitf.library.input.data import structure
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Source,
    counting,
    dataset_op,
)
from minitf.library.input.data.dataset import Dataset, made


class Cut(Cursor):
    """The rows of each element, shared out to so many replicas; some of them are here."""

    def __init__(self, context: Context, source: Source, replicas: int, here: range) -> None:
        super().__init__(context, source)
        self._replicas, self._here = replicas, here

    def next(self) -> Element:
        element = self._input.next()
        for part in element:
            if np.ndim(part) == 0:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    "Input shape should have at least one dimension: a dataset that "
                    "is distributed has batches as elements.",
                )
        sizes = [-(-len(part) // self._replicas) for part in element]
        return tuple(
            part[i * size : (i + 1) * size]
            for i in self._here
            for part, size in zip(element, sizes, strict=True)
        )


class Deal(Cursor):
    """As many elements together as there are replicas here; empty ones fill up the last turn."""

    def __init__(self, context: Context, source: Source, here: range) -> None:
        super().__init__(context, source)
        self._here = here

    def next(self) -> Element:
        elements = self._input.some(len(self._here))
        if not elements:
            raise EndOfSequence
        empty = tuple(part[:0] if np.ndim(part) else part for part in elements[0])
        elements += [empty] * (len(self._here) - len(elements))
        return tuple(part for element in elements for part in element)


@dataset_op(
    "ReplicasDataset",
    "input_dataset: variant, replicas: int64, first: int64, last: int64",
    shown=(
        lambda: replicas_dataset_op(
            counting(np.int64(3)), np.int64(1), np.int64(0), np.int64(1), cuts=False
        ),
        [0, 1, 2],
    ),
)
def replicas_dataset_op(
    source: Source, replicas: int, first: int, last: int, *, cuts: bool
) -> Source:
    """The elements of the replicas from `first` to before `last`, side by side."""
    here = range(first, last)
    return Source(Cut, source, replicas, here) if cuts else Source(Deal, source, here)


class DistributedDataset(structure.Elemental):
    """A dataset for the replicas of a strategy: `for` in Python or in a `tf.function`, iterators.

    Args:
      dataset: its elements are those of all replicas here, side by side.
      replicas: how many there are here.
    """

    def __init__(self, dataset: Dataset, replicas: int) -> None:
        self._dataset, self._replicas = dataset, replicas
        self._element_spec = dataset.element_spec[0]  # of the element of each replica

    def _grouped(self, element: Any) -> Any:
        return element[0] if self._replicas == 1 else regroup(element, always_wrap=True)

    def __iter__(self) -> Any:
        return DistributedIterator(iter(self._dataset), self)

    def _staged_steps(self) -> Callable[[], tuple[Tensor, Any]]:
        step = self._dataset._staged_steps()

        def grouped() -> tuple[Tensor, Any]:
            found, element = step()
            return found, self._grouped(element)

        return grouped

    def make_initializable_iterator(self, shared_name: str | None = None) -> DistributedIterator:
        """An iterator that starts whenever its initializer runs."""
        return DistributedIterator(self._dataset.make_initializable_iterator(shared_name), self)

    def make_one_shot_iterator(self) -> DistributedIterator:
        """An iterator that starts by itself and runs once."""
        return DistributedIterator(self._dataset.make_one_shot_iterator(), self)


class DistributedIterator(structure.Elemental):
    """A place in a `DistributedDataset`.

    Args:
      iterator: a place in the dataset behind it.
      dataset: the dataset.
    """

    def __init__(self, iterator: Any, dataset: DistributedDataset) -> None:
        self._iterator, self._dataset = iterator, dataset
        self._element_spec = dataset.element_spec

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    next = __next__

    def get_next(self, name: str | None = None) -> Any:
        """The next elements, a `PerReplica` where there are several replicas.

        Raises (when it runs):
          OutOfRangeError: behind the last one.
        """
        return self._dataset._grouped(self._iterator.get_next(name))

    @property
    def initializer(self) -> Any:
        """The operation that starts it."""
        return self._iterator.initializer

    def initialize(self) -> list:
        """The operations that start it; a program runs them. None under eager execution."""
        if stacks.executing_eagerly():
            self._iterator = iter(self._dataset._dataset)
            return []
        return [self._iterator.initializer]


def shared_out(dataset: Any, here: int, context: InputContext, cuts: bool) -> DistributedDataset:
    """A dataset whose elements are those of the replicas of this program, side by side.

    Args:
      dataset: the dataset.
      here: the number of replicas of this program.
      context: which of the pipelines this one is.
      cuts: whether its elements are global batches, to be cut; else each is for one replica.
    """
    if isinstance(dataset, DistributedDataset):
        return dataset
    total, first = context.num_replicas_in_sync, context.input_pipeline_id * here
    if context.num_input_pipelines == 1 or total == here:  # nobody waits for other workers
        total, first = here, 0
    spec = dataset.element_spec
    if cuts:
        spec = structure.map_nest(
            lambda leaf: structure.with_shape(leaf, lambda s: _part(s, total)), spec
        )
    elif here > 1:
        spec = structure.map_nest(lambda leaf: structure.with_shape(leaf, _any_number), spec)
    whole = (spec,) * here
    if here == total == 1:
        cuts = False
    ends = (np.int64(total), np.int64(first), np.int64(first + here))
    tensor = made(replicas_dataset_op, whole, dataset._variant_tensor, *ends, cuts=cuts)
    return DistributedDataset(Dataset(tensor, whole, [dataset]), here)


def started(dataset: DistributedDataset) -> DistributedIterator:
    """An iterator over it; in a graph, the program starts it."""
    if stacks.executing_eagerly():
        return iter(dataset)
    return dataset.make_initializable_iterator()


def _part(shape: Any, replicas: int) -> TensorShape:
    """The shape of one replica's rows."""
    sizes = as_shape(shape)
    if not sizes.ndims:
        if sizes.ndims == 0:
            raise ValueError("Input shape should have at least one dimension.")
        return sizes
    rows = sizes.as_list()[0]
    known = None if rows is None or rows % replicas else rows // replicas
    return TensorShape([known]).concatenate(sizes[1:])


def _any_number(shape: Any) -> TensorShape:
    """The shape of rows of which there may be none."""
    sizes = as_shape(shape)
    return TensorShape([None]).concatenate(sizes[1:]) if sizes.ndims else sizes
