"""What whole datasets end in, inside of a step: a file, their only element, results by key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import written_aside
from minitf.library.formats.records import TFRecordWriter
from minitf.library.input.data.each import FUNCTION, take_dataset_op
from minitf.library.input.data.iterator_ops import dataset_op, some_numbers
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Function,
    Source,
)

_NO_SAMPLES = "it writes a file; tests/library/data/test_ends.py runs it"


def elements_of(ctx: Any, source: Source) -> Any:
    """The elements of a dataset, whose threads and files are given back at the end."""
    context = Context(ctx.device)
    cursor = source.iterate(context)
    try:
        yield from cursor
    finally:
        context.close()
        cursor.close()


@op(
    "DatasetToTFRecord",
    "input_dataset: variant, filename: string, compression_type: string ->",
    reaches="files",
    differentiable=False,
    host_only=True,
    no_samples=_NO_SAMPLES,
)
def dataset_to_tf_record_op(
    ctx: Any, input_dataset: Any, filename: Any, compression_type: Any
) -> None:
    """Writes strings to a file of records, which is there when it is whole."""
    with written_aside(bytes(filename).decode()) as file:
        with TFRecordWriter(file.name, bytes(compression_type).decode()) as writer:
            for (record,) in elements_of(ctx, input_dataset):
                writer.write(bytes(record))


@op(
    "DatasetToSingleElement",
    "dataset: variant -> components: N*output_types",
    differentiable=False,
    host_only=True,
    alias=True,
    program=lambda folder: [
        (
            dataset_to_single_element_op(
                take_dataset_op(some_numbers(), np.int64(1)),
                output_types=(dtypes.int64,),
                output_shapes=(TensorShape(()),),
            ),
            [np.int64(0)],
        )
    ],
)
def dataset_to_single_element_op(
    ctx: Any, dataset: Any, *, output_types: Any, output_shapes: Any
) -> Element:
    """Gives the only element of a dataset."""
    found = None
    for element in elements_of(ctx, dataset):
        if found is not None:
            raise invalid("Dataset had more than one element.")
        found = element
    if found is None:
        raise invalid("Dataset was empty.")
    return found


dataset_to_single_element_op.shape(lambda dataset, *, output_shapes, **attrs: list(output_shapes))


class GroupByReducer(Cursor):
    """A result for each key, of a function of all its elements; the keys are in order."""

    kept = ("_results",)

    def __init__(
        self, context: Context, source: Source, key: Function, init: Function, reduce: Function,
        finalize: Function,
    ) -> None:  # fmt: skip
        self._input = source.iterate(context)
        self._key, self._init = key.bind(context), init.bind(context)
        self._reduce, self._finalize = reduce.bind(context), finalize.bind(context)
        self._results: list[Element] | None = None

    def next(self) -> Element:
        if self._results is None:
            states: dict[int, Element] = {}
            for element in self._input:
                key = int(self._key(element)[0])
                state = states.get(key) or self._init((np.int64(key),))
                states[key] = self._reduce((*state, *element))
            self._results = [self._finalize(states[key]) for key in sorted(states)]
        if not self._results:
            raise EndOfSequence
        return self._results.pop(0)


@dataset_op(
    "ExperimentalGroupByReducerDataset",
    "input_dataset: variant, other_arguments: N*?",
    no_samples=FUNCTION,
)
def group_by_reducer_dataset_op(
    xp: Any, input_dataset: Any, other_arguments: Any, *, key_func: FuncGraph,
    init_func: FuncGraph, reduce_func: FuncGraph, finalize_func: FuncGraph,
    captured: Sequence[int], **attrs: Any,
) -> Source:  # fmt: skip
    """A result for each key; `captured` says how many of the other arguments each function has."""
    rest, functions = iter(other_arguments), []
    for graph, count in zip((key_func, init_func, reduce_func, finalize_func), captured):
        functions.append(Function(graph, [next(rest) for _ in range(count)]))
    return Source(GroupByReducer, input_dataset, *functions)
