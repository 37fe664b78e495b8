"""A whole dataset in one step: reduced, as its only element, in a file; and how long it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.file_io import written_aside
from minitf.library.formats.records import TFRecordWriter as FileWriter
from minitf.library.input.data import structure
from minitf.library.input.data.cursors import (
    INFINITE,
    Context,
    Element,
    Source,
    counting,
    of_numbers,
    on_host,
)
from minitf.library.input.data.functions import Function, trace_state

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

_SHOWN = {"output_types": (dtypes.int64,), "output_shapes": (TensorShape(()),)}


def _elements(context: Context, source: Source) -> Iterator[Element]:
    """The elements of a dataset, whose threads and files are given back at the end."""
    cursor = source.iterate(context)
    try:
        yield from cursor
    finally:
        context.close()
        cursor.close()


# ---- reduce ------------------------------------------------------------------------------


@op(
    "ReduceDataset",
    "input_dataset: variant, arguments: N*? -> components: N*output_types",
    program=lambda folder: [
        (
            reduce_op(
                counting(),
                [np.int64(0)],
                f=of_numbers(lambda s, x: [s + x], 2),
                state_size=1,
                **_SHOWN,
            ),
            [np.int64(10)],
        )
    ],
    differentiable=False,
    host_only=True,
    alias=True,
)
def reduce_op(
    ctx: Any,
    input_dataset: Any,
    arguments: Any,
    *,
    f: FuncGraph,
    state_size: int,
    output_types: Any,
    output_shapes: Any,
) -> Element:
    """What a function makes of all elements; arguments: the state, then what `f` captured."""
    context = Context(ctx.device)
    state = tuple(arguments[:state_size])
    call = Function(f, arguments[state_size:]).bind(context)
    for element in _elements(context, input_dataset):
        state = call((*state, *element))
    return state


def reduce(self: Dataset, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
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
    function, spec = trace_state(self.element_spec, state, reduce_func, "Dataset.reduce()")
    components = structure.components_of(state)
    tensors = on_host(
        reduce_op,
        self._variant_tensor,
        [*components, *function.captured],
        f=function.graph,
        state_size=len(components),
        **structure.types_and_shapes(spec),
    )
    return structure.element_from(spec, tensors)


# ---- the only element --------------------------------------------------------------------


@op(
    "DatasetToSingleElement",
    "dataset: variant -> components: N*output_types",
    differentiable=False,
    host_only=True,
    alias=True,
    program=lambda folder: [(single_element_op(counting(np.int64(1)), **_SHOWN), [np.int64(0)])],
)
def single_element_op(ctx: Any, dataset: Any, *, output_types: Any, output_shapes: Any) -> Element:
    """Gives the only element of a dataset."""
    found = None
    for element in _elements(Context(ctx.device), dataset):
        if found is not None:
            raise invalid("Dataset had more than one element.")
        found = element
    if found is None:
        raise invalid("Dataset was empty.")
    return found


for _each in (reduce_op, single_element_op):
    _each.shape(lambda *inputs, output_shapes, **attrs: list(output_shapes))


def get_single_element(dataset: Dataset) -> Any:
    """The one element of a dataset, as tensors.

    Raises (when it runs):
      InvalidArgumentError: when the dataset has none, or more.
    """
    _check_dataset(dataset, "`dataset`.")
    spec = dataset.element_spec
    kinds = structure.types_and_shapes(spec)
    tensors = on_host(single_element_op, dataset._variant_tensor, **kinds)
    return structure.element_from(spec, tensors)


def _check_dataset(dataset: Any, name: str) -> None:
    if not isinstance(dataset, structure.DatasetSpec.value_type):
        raise TypeError(
            f"Invalid {name} Expected a `tf.data.Dataset` object but got {type(dataset)}."
        )


# ---- files -------------------------------------------------------------------------------


@op(
    "DatasetToTFRecord",
    "input_dataset: variant, filename: string, compression_type: string ->",
    reaches="files",
    host_only=True,
    no_samples="it writes a file; tests/library/data/test_ends.py runs it",
)
def to_tf_record_op(ctx: Any, input_dataset: Any, filename: Any, compression_type: Any) -> None:
    """Writes strings to a file of records, which is there when it is whole."""
    with written_aside(bytes(filename).decode()) as file:
        with FileWriter(file.name, bytes(compression_type).decode()) as writer:
            for (record,) in _elements(Context(ctx.device), input_dataset):
                writer.write(bytes(record))


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
        _check_dataset(dataset, "`dataset.`")
        spec = dataset.element_spec
        wanted = TensorSpec([], dtypes.string)
        if not isinstance(spec, TensorSpec) or not wanted.is_compatible_with(spec):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got a dataset which produces elements with shapes {dataset.output_shapes} "
                f"and types {dataset.output_types}."
            )
        return on_host(to_tf_record_op, dataset._variant_tensor, *self._texts)


# ---- cardinality -------------------------------------------------------------------------


@op(
    "ExperimentalDatasetCardinality",
    "input_dataset: variant -> cardinality: int64",
    host_only=True,
    program=lambda folder: [(cardinality_op(counting()), np.int64(5))],
)
def cardinality_op(xp: Any, input_dataset: Source) -> Any:
    """Gives how many elements a dataset has; -1: it never ends, -2: nobody knows."""
    length = input_dataset.length()
    if length == INFINITE:
        return np.int64(INFINITE_CARDINALITY)
    return np.int64(UNKNOWN_CARDINALITY if np.isnan(length) else length)


cardinality_op.shape(scalar_shape)


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements a dataset has: int64, or one of two constants.

    The number follows from that of the datasets it is made of: a batch of 32 has 1/32 as many;
    after `filter` nobody knows, and TensorFlow 1.15 says so after `map`, too.

    Returns: the number; `INFINITE_CARDINALITY` when it never ends, `UNKNOWN_CARDINALITY` when that
      cannot be known without walking over it.
    Example:
      >>> data = tf.data.Dataset.range(10).batch(4)
      >>> sess.run(tf.data.experimental.cardinality(data))
      3
    """
    return cardinality_op(dataset._variant_tensor)
