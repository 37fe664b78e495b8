"""What whole datasets end in, inside of a step: a file, their only element, results by key."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.formats.file_io import written_aside
from minitf.library.formats.records import TFRecordWriter
from minitf.library.input.data.each import take_dataset_op
from minitf.library.input.data.iterator_ops import some_numbers
from minitf.library.input.data.runtime import Context, Element, Source

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
