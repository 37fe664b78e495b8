"""Small functions of `tf.contrib.framework` about graphs, shapes and tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.comparisons import equal
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import add_n
from minitf.core.ops.reductions import reduce_all, reduce_sum
from minitf.library.checks.assertions import assert_scalar, ensure_shape


def get_graph_from_inputs(op_input_list: Sequence[Any], graph: Any = None) -> Any:
    """The graph of some tensors: the given one, theirs, or the default one.

    Raises:
      ValueError: when they are of several graphs, or of another than the given one.
    """
    found, first = graph, None
    for each in op_input_list:
        own = getattr(each, "graph", None)
        if own is None:
            continue
        if found is None:
            found, first = own, each
        elif own is not found and graph is not None:
            raise ValueError(f"{each} is not from the passed-in graph.")
        elif own is not found:
            raise ValueError(f"{each} must be from the same graph as {first}.")
    return found or stacks.get_default_graph()


def get_placeholders(graph: Graph) -> list[Tensor]:
    """The placeholders of a graph."""
    ops = graph.get_operations()
    return [op.outputs[0] for op in ops if op.type.startswith("Placeholder")]


def assert_scalar_int(tensor: Any, name: str | None = None) -> Tensor:
    """The tensor, which is an integer scalar.

    Raises:
      ValueError: when it is not.
    """
    with stacks.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return assert_scalar(tensor, name=scope)


def with_shape(expected_shape: Any, tensor: Tensor) -> Tensor:
    """The tensor, checked to have a shape: now if that is known, else while the graph runs.

    Args:
      expected_shape: sizes, or a vector of them that the graph computes.
      tensor: the tensor.

    Raises:
      ValueError: when it is known to have another.
    """
    if isinstance(expected_shape, Tensor):
        sizes = expected_shape, shape_of(tensor)
        right = Assert(reduce_all(equal(*sizes)), ["Wrong shape for tensor.", *sizes])
        with stacks.control_dependencies([right]):
            return identity(tensor)
    if not tensor.shape.is_fully_defined():
        return ensure_shape(tensor, expected_shape)
    if not tensor.shape.is_compatible_with(expected_shape):
        raise ValueError(
            f"Invalid shape for tensor {tensor.name}, expected {expected_shape}, got "
            f"{tensor.shape}."
        )
    return tensor


def with_same_shape(expected_tensor: Any, tensor: Any) -> Tensor:
    """The second tensor, checked to have the shape of the first one."""
    with stacks.name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        expected_tensor.shape.assert_is_compatible_with(tensor.shape)
        return with_shape(shape_of(expected_tensor), tensor)


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of all elements of all tensors."""
    if not tensors:
        raise ValueError("No tensors provided.")
    with stacks.name_scope(name, "reduce_sum_n", list(tensors)) as scope:
        sums = [reduce_sum(each) for each in tensors]
        return add_n(sums, name=scope)
