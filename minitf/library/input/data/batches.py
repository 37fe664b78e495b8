"""Several elements as one: batch, padded_batch, group_by_window; and back: unbatch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.library.eager.type_specs import TensorSpec
from minitf.library.formats.file_io import torn
from minitf.library.input.data import structure
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Source,
    counting,
    dataset_op,
    int64,
)
from minitf.library.input.data.functions import Function, TracedFunction
from minitf.library.input.data.order import every
from minitf.library.input.data.structure import DatasetSpec, rows_of

if TYPE_CHECKING:
    from minitf.library.input.data.dataset import Dataset

_ONE, _TWO = np.int64(1), np.int64(2)

# ---- batch -------------------------------------------------------------------------------


@dataset_op(
    "BatchDatasetV2",
    "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    shown=(
        lambda: Batch.op(counting(), _TWO, np.bool_(False)),
        [np.array([0, 1]), np.array([2, 3]), np.array([4])],
    ),
)
class Batch(Cursor):
    """Several elements as one."""

    def __init__(self, context: Context, source: Source, size: int, drop_remainder: bool) -> None:
        super().__init__(context, source)
        self._size, self._least = size, size if drop_remainder else 1

    @classmethod
    def source(cls, source: Source, size: int, drop_remainder: bool, *rest: Any) -> Source:
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        return Source(cls, source, size, drop_remainder, *rest)

    @staticmethod
    def length(source: Source, size: int, drop_remainder: bool, *rest: Any) -> float:
        return every(size, source.length() + (0 if drop_remainder else size - 1))

    def next(self) -> Element:
        batch, count = self.together()
        if count < self._least:
            raise EndOfSequence
        return batch

    def together(self) -> tuple[Element, int]:
        """The next elements as one, and how many they are."""
        rows = self._input.rows(self._size)
        return rows, len(rows[0]) if rows else self._size


def batch(self: Dataset, batch_size: Any, drop_remainder: Any = False) -> Dataset:
    """Several elements as one, along a new first axis.

    Args:
      batch_size: how many.
      drop_remainder: whether to leave out what is left at the end and fills no batch.
    Raises (when it runs):
      InvalidArgumentError: when the shapes of elements differ.
    """
    size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
    spec = structure.batched(self.element_spec, known_size(size, drop))
    return self._then(Batch.op, size, drop, spec=spec)


def truth(value: Any) -> Tensor:
    """A bool that a program gives, as an input of an operation."""
    return convert_to_tensor(value, dtype=dtypes.bool, name="drop_remainder")


def known_size(size: Tensor, drop: Tensor) -> int | None:
    """The size of all batches, where it is known: when none is smaller."""
    known, dropped = constant_value(size), constant_value(drop)
    return int(known) if known is not None and dropped is not None and bool(dropped) else None


# ---- padded_batch ------------------------------------------------------------------------


@dataset_op(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N*int64, padding_values: M*?, "
    "drop_remainder: bool",
    shown=(
        lambda: PaddedBatch.op(counting(), _ONE, [np.zeros(0, np.int64)], [_ONE], np.bool_(False)),
        [np.array([0]), np.array([1])],
    ),
)
class PaddedBatch(Batch):
    """Several elements of different sizes as one, each filled up.

    Args:
      shapes: of the components, -1 where the largest in the batch counts.
      fill: what each component is filled up with.
    """

    def __init__(
        self,
        context: Context,
        source: Source,
        size: int,
        drop_remainder: bool,
        shapes: Sequence[Any],
        fill: Sequence[Any],
    ) -> None:
        super().__init__(context, source, size, drop_remainder)
        self._shapes, self._fill = shapes, fill

    @classmethod
    def source(cls, source: Source, size: int, shapes: Any, fill: Any, drop: bool) -> Source:  # type: ignore[override]
        return super().source(source, size, drop, [shape.tolist() for shape in shapes], fill)

    def together(self) -> tuple[Element, int]:
        elements = self._input.some(self._size)
        if not elements:
            raise EndOfSequence
        columns = zip(zip(*elements), self._shapes, self._fill, strict=True)
        return tuple(_padded(i, *column) for i, column in enumerate(columns)), len(elements)


def _padded(component: int, values: Sequence[Any], shape: Sequence[int], fill: Any) -> Any:
    sizes = list(shape)
    for value in values:
        own = getattr(value, "shape", ())
        if len(own) != len(shape):
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {len(shape)} but got element with rank {len(own)}"
            )
        for axis, (limit, size) in enumerate(zip(shape, own)):
            if limit < 0:
                sizes[axis] = max(sizes[axis], size)
            elif size > limit:
                raise torn("Attempted to pad to a smaller size than the input element.")
    kind = getattr(values[0], "dtype", np.dtype(object))
    whole = np.full((len(values), *sizes), fill, kind)
    for i, value in enumerate(values):
        whole[(i, *map(slice, getattr(value, "shape", ())))] = value
    return whole


def padded_batch(
    self: Dataset,
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
    own = self.element_spec
    specs = structure.flatten(own)
    if any(not isinstance(spec, TensorSpec) for spec in specs):
        raise TypeError("Batching of padded sparse tensors is not currently supported")
    if padded_shapes is None:
        padded_shapes = self.output_shapes
    shapes: list[Tensor] = structure.flatten(
        structure.map_up_to(own, _padded_shape, padded_shapes, self.output_shapes)
    )
    if padding_values is None:
        values = [_zero_of(spec.dtype) for spec in specs]
    else:
        whole = structure.map_up_to(own, lambda each: [each], padding_values)
        values = [_padding_of(*each, spec) for each, spec in zip(structure.flatten(whole), specs)]
    size, drop = int64(batch_size, "batch_size"), truth(drop_remainder)
    first = TensorShape([known_size(size, drop)])
    padded = [
        TensorSpec(first.concatenate(_shape_of_sizes(shape)), each.dtype)
        for shape, each in zip(shapes, specs, strict=True)
    ]
    spec = structure.pack(own, padded)
    return self._then(PaddedBatch.op, size, shapes, values, drop, spec=spec)


def _padded_shape(padded: Any, shape: TensorShape) -> Tensor:
    """A shape to fill up to, as a vector with -1 for what is unknown.

    Raises:
      TypeError, ValueError: when it is no such vector, or does not fit the shape of the elements.
    """
    try:
        sizes = padded
        if not isinstance(padded, Tensor):
            sizes = np.array([-1 if size is None else size for size in as_shape(padded).as_list()])
    except (TypeError, ValueError):
        sizes = padded
    tensor = convert_to_tensor(sizes, preferred_dtype=dtypes.int64, name="padded_shape")
    wanted = f"Padded shape {padded} must be a 1-D tensor of tf.int64 values, but its"
    if tensor.shape.ndims not in (None, 1):
        raise ValueError(f"{wanted} shape was {tensor.shape}.")
    if tensor.dtype.base_dtype != dtypes.int64:
        raise TypeError(f"{wanted} element type was {tensor.dtype.name}.")
    found = _shape_of_sizes(tensor)
    if None not in (found.ndims, shape.ndims):
        pairs = zip(found.as_list(), shape.as_list(), strict=False)
        known = [pair for pair in pairs if None not in pair]
        if found.ndims != shape.ndims or any(size < least for size, least in known):
            raise ValueError(
                f"The padded shape {found} is not compatible with the corresponding input "
                f"component shape {shape}."
            )
    return tensor


def _shape_of_sizes(sizes: Tensor) -> TensorShape:
    """The shape of which a vector holds the sizes, -1 for what is unknown."""
    known = constant_value(sizes)
    if known is not None:
        return TensorShape([None if size < 0 else int(size) for size in known])
    rank = sizes.shape.num_elements()
    return TensorShape(None if rank is None else [None] * rank)


def _zero_of(dtype: Any) -> Tensor:
    """What is filled up with by default."""
    return convert_to_tensor("" if dtype == dtypes.string else np.zeros((), dtype.numpy_dtype))


def _padding_of(value: Any, spec: TensorSpec) -> Tensor:
    """What is filled up with, as a tensor.

    Raises:
      TypeError, ValueError: when it is no scalar of the component's type.
    """
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype.base_dtype != spec.dtype:
        raise TypeError(
            "Invalid `padding_values`. `padding_values` values type "
            f"{tensor.dtype.base_dtype} does not match type {spec.dtype} of the corresponding "
            "input component."
        )
    return tensor


# ---- unbatch -----------------------------------------------------------------------------


@dataset_op(
    "ExperimentalUnbatchDataset",
    "input_dataset: variant",
    shown=(lambda: Unbatch.op(Batch.op(counting(), _TWO, np.bool_(True))), [0, 1, 2, 3]),
)
class Unbatch(Cursor):
    """The rows of each element."""

    def __init__(self, context: Context, source: Source) -> None:
        super().__init__(context, source)
        self._rows: Element = ((),)
        self._place = 0

    def next(self) -> Element:
        while self._place >= len(self._rows[0]):
            self._rows, self._place = tuple(map(rows_of, self._input.next())), 0
            count = len(self._rows[0])
            for i, component in enumerate(self._rows):
                if len(component) != count:
                    raise invalid(
                        "Input element must have the same batch size in each component. Component "
                        f"0 had size {count} but component {i} had size, {len(component)}."
                    )
        self._place += 1
        return tuple([component[self._place - 1] for component in self._rows])


def unbatch(self: Dataset) -> Dataset:
    """The rows of each element.

    Raises:
      ValueError: when a component is a scalar, or they have unequal numbers of rows.
    """
    if any(leaf.shape.ndims == 0 for leaf in structure.flatten(self.element_spec)):
        raise ValueError("Cannot unbatch an input with scalar components.")
    structure.common_rows(self.element_spec)
    return self._then(Unbatch.op, spec=structure.unbatched(self.element_spec))


def unbatch_all() -> Callable[[Dataset], Dataset]:
    """As `Dataset.unbatch`, for `Dataset.apply`."""
    return unbatch


# ---- group_by_window ---------------------------------------------------------------------


class Elements(Cursor):
    """Elements that are there already."""

    length = staticmethod(len)

    def __init__(self, context: Context, elements: Sequence[Element]) -> None:
        self._elements = iter(elements)

    def next(self) -> Element:
        for element in self._elements:
            return element
        raise EndOfSequence


@dataset_op(
    "ExperimentalGroupByWindowDataset",
    "input_dataset: variant, other_arguments: N*?",
    no_samples="its functions are graphs; tests/library/data/test_dataset.py runs it",
)
class GroupByWindow(Cursor):
    """What a function makes of windows of elements of one key."""

    def __init__(
        self, context: Context, source: Source, key: Function, reduce: Function, size: Function
    ) -> None:
        super().__init__(context, source)
        self._context = context
        self._key, self._reduce = key.bind(context), reduce.bind(context)
        self._window_size = size.bind(context)
        self._groups: dict[int, tuple[int, list[Element]]] = {}
        self._has_more = True
        self._now: Cursor | None = None

    @classmethod
    def source(
        cls,
        source: Source,
        other_arguments: Any,
        *,
        key_func: FuncGraph,
        reduce_func: FuncGraph,
        window_size_func: FuncGraph,
        captured: tuple,
    ) -> Source:
        """`captured` says how many of the other arguments are of each function."""
        rest, functions = list(other_arguments), []
        graphs = (key_func, reduce_func, window_size_func)
        for graph, count in zip(graphs, captured, strict=True):
            functions.append(Function(graph, rest[:count]))
            del rest[:count]
        return Source(cls, source, *functions)

    def next(self) -> Element:
        while True:
            if self._now is None:
                key, elements = self._next_window()
                window = Source(Elements, elements)
                self._now = self._reduce((np.int64(key), window))[0].iterate(self._context)
            try:
                return self._now.next()
            except EndOfSequence:
                self._now.close()
                self._now = None

    def _next_window(self) -> tuple[int, list[Element]]:
        while self._has_more:
            try:
                element = self._input.next()
            except EndOfSequence:
                self._has_more = False
                break
            key = int(self._key(element)[0])
            if key not in self._groups:
                size = int(self._window_size((np.int64(key),))[0])
                if size <= 0:
                    raise invalid(f"Window size must be greater than zero, but got {size}.")
                self._groups[key] = size, []
            size, group = self._groups[key]
            group.append(element)
            if len(group) == size:
                del self._groups[key]
                return key, group
        for key in sorted(self._groups):
            return key, self._groups.pop(key)[1]
        raise EndOfSequence


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Callable[[Dataset], Dataset]:
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
        found = key.result_spec
        if not isinstance(found, TensorSpec) or not key_spec.is_compatible_with(found):
            raise ValueError(
                f"`key_func` must return a single tf.int64 scalar tensor. Got {found}."
            )
        name = "tf.data.experimental.group_by_window()"
        reduce = TracedFunction(reduce_func, name, (key_spec, DatasetSpec(dataset.element_spec)))
        if not isinstance(reduce.result_spec, DatasetSpec):
            raise TypeError("`reduce_func` must return a `Dataset` object.")
        size = TracedFunction(size_of, name, key_spec)
        functions = (key, reduce, size)
        return dataset._then(
            GroupByWindow.op,
            [tensor for each in functions for tensor in each.captured],
            spec=reduce.result_spec.element_spec,
            key_func=key.graph,
            reduce_func=reduce.graph,
            window_size_func=size.graph,
            captured=tuple(len(each.captured) for each in functions),
        )

    return transform
