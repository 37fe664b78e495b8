"""Functions over the rows of tensors: `map_fn`, `scan`, `foldl`, `foldr`.

    map_fn(f, xs)        [f(x0), f(x1), f(x2)]
    scan(f, xs)          [x0, f(x0, x1), f(f(x0, x1), x2)]
    foldl(f, xs)         f(f(x0, x1), x2)          foldr begins at the other end

Each is a `while_loop` over the places of `TensorArray`s: the rows are taken out of one, and the
results put into another. Gradients come with these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.library.graph_tools.tensor_array import TensorArray


class _Rows:
    """The rows of some tensors, taken one place at a time.

    Args:
      elems: the structure that the caller gave.
    """

    def __init__(self, elems: Any) -> None:
        self.structure = elems
        self.flat = [convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        for tensor in self.flat:
            if tensor.shape.ndims == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        sizes = [t.shape[0].value if t.shape.ndims is not None else None for t in self.flat]
        self.known: int | None = next((size for size in sizes if size is not None), None)
        self.count: Any = self.known
        if self.known is None:
            self.count = shape_of(self.flat[0])[0]
        self.readers = [
            TensorArray(t.dtype.base_dtype, size=self.count, infer_shape=True).unstack(t).read
            for t in self.flat
        ]

    def at(self, index: Any) -> Any:
        """The structure of the rows at one place."""
        return nest.pack_sequence_as(self.structure, [read(index) for read in self.readers])


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{fn.__name__ if hasattr(fn, '__name__') else fn} is not callable.")


def _in_turns(
    rows: _Rows,
    body: Callable[..., Any],
    variables: tuple,
    parallel_iterations: int | None,
    back_prop: bool,
    swap_memory: bool,
) -> Any:
    """Runs `body` for every row; its first loop variable counts the turns."""
    return while_loop(
        lambda turn, *_: turn < rows.count,
        body,
        variables,
        parallel_iterations=parallel_iterations or 10,
        back_prop=back_prop,
        swap_memory=swap_memory,
    )


class _Order(NamedTuple):
    """In which order an accumulation takes the rows, and what it begins with."""

    structure: Any  # of what is accumulated
    start: Any
    taken: int  # rows that are in `start` already
    first: Any  # the place of the first row
    place: Callable[[Any], Any]  # the place that a turn takes

    @classmethod
    def of(cls, rows: _Rows, elems: Any, initializer: Any, backwards: bool) -> _Order:
        last = rows.count - 1
        first = last if backwards else 0

        def place(turn: Any) -> Any:
            return last - turn if backwards else turn

        if initializer is None:
            return cls(elems, rows.at(first), 1, first, place)
        return cls(initializer, initializer, 0, first, place)


def _stacked(arrays: list[TensorArray], rows: int | None) -> list[Tensor]:
    results = [each.stack() for each in arrays]
    for tensor in results:
        if tensor.shape.ndims is not None:
            tensor.set_shape(TensorShape([rows]).concatenate(tensor.shape[1:]))
    return results


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Applies `fn` to each row, and stacks the results.

    Args:
      fn: from one row (or a structure of rows) to a tensor or a structure of tensors.
      elems: a tensor, or a structure of tensors with the same number of rows.
      dtype: the types of the results, in their structure; that of `elems` when None.
      parallel_iterations, swap_memory: accepted; rows are taken one after the other.
      back_prop: whether gradients flow through.
      infer_shape: whether all results have the same static shape.
      name: a name for the scope.
      fn_output_signature: a newer name of `dtype`.
    Raises:
      TypeError: when `fn` cannot be called, or returns other types or another structure.
      ValueError: when an element is a scalar.
    Example:
      >>> sess.run(tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])))
      array([1., 4., 9.], dtype=float32)
    """
    _check_callable(fn)
    dtype = fn_output_signature if dtype is None else dtype
    with name_scope(name, "map", nest.flatten(elems)):
        rows = _Rows(elems)
        wanted = dtype
        if wanted is None:
            wanted = nest.pack_sequence_as(elems, [t.dtype.base_dtype for t in rows.flat])
        kinds = nest.flatten(wanted)
        results = [TensorArray(each, rows.count, infer_shape=infer_shape) for each in kinds]

        def body(index: Any, arrays: list[TensorArray]) -> Any:
            found = fn(rows.at(index))
            nest.assert_same_structure(wanted, found)
            flat = nest.flatten(found)
            return index + 1, [a.write(index, v) for a, v in zip(arrays, flat, strict=True)]

        options = (parallel_iterations, back_prop, swap_memory)
        _, results = _in_turns(rows, body, (0, results), *options)
        return nest.pack_sequence_as(wanted, _stacked(results, rows.known))


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Accumulates `fn` over the rows, and stacks all that it gave on the way.

    Args:
      fn: from what was accumulated and one row to what is accumulated then.
      elems: a tensor, or a structure of tensors with the same number of rows.
      initializer: what is accumulated before the first row; the first row itself when None.
      parallel_iterations, swap_memory: accepted; rows are taken one after the other.
      back_prop: whether gradients flow through.
      infer_shape: whether what is accumulated keeps its static shape.
      reverse: whether to begin with the last row.
      name: a name for the scope.
    Returns: as many rows as `elems` has, in the structure of what is accumulated.
    Example:
      >>> sess.run(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])))
      array([1, 3, 6], dtype=int32)
    """
    _check_callable(fn)
    with name_scope(name, "scan", nest.flatten(elems)):
        rows = _Rows(elems)
        order = _Order.of(rows, elems, initializer, reverse)
        state = [convert_to_tensor(each) for each in nest.flatten(order.start)]
        arrays = [
            TensorArray(
                t.dtype.base_dtype,
                size=rows.count,
                element_shape=t.shape if infer_shape else None,
                infer_shape=infer_shape,
            )
            for t in state
        ]
        if order.taken:
            arrays = [a.write(order.first, t) for a, t in zip(arrays, state, strict=True)]

        def body(turn: Any, now: list[Tensor], arrays: list[TensorArray]) -> Any:
            place = order.place(turn)
            found = fn(nest.pack_sequence_as(order.structure, now), rows.at(place))
            nest.assert_same_structure(order.structure, found)
            flat = [convert_to_tensor(each) for each in nest.flatten(found)]
            written = [a.write(place, t) for a, t in zip(arrays, flat, strict=True)]
            return turn + 1, flat, written

        options = (parallel_iterations, back_prop, swap_memory)
        _, _, arrays = _in_turns(rows, body, (order.taken, state, arrays), *options)
        return nest.pack_sequence_as(order.structure, _stacked(arrays, rows.known))


def _fold(
    fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool, name: Any, options: tuple
) -> Any:
    _check_callable(fn)
    with name_scope(name, "foldr" if backwards else "foldl", nest.flatten(elems)):
        rows = _Rows(elems)
        order = _Order.of(rows, elems, initializer, backwards)
        state = nest.map_structure(convert_to_tensor, order.start)

        def body(turn: Any, now: Any) -> Any:
            return turn + 1, fn(now, rows.at(order.place(turn)))

        _, result = _in_turns(rows, body, (order.taken, state), *options)
        return nest.pack_sequence_as(order.structure, nest.flatten(result))


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Accumulates `fn` over the rows from the first to the last; the arguments are those of `scan`.

    Example:
      >>> sess.run(tf.foldl(lambda a, x: a + x, tf.constant([1, 2, 3])))
      6
    """
    options = (parallel_iterations, back_prop, swap_memory)
    return _fold(fn, elems, initializer, False, name, options)


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last row to the first."""
    options = (parallel_iterations, back_prop, swap_memory)
    return _fold(fn, elems, initializer, True, name, options)
