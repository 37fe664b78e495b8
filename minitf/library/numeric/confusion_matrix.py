"""Confusion matrices, and labels and predictions brought to one rank."""

from __future__ import annotations

from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, rank
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.math import add, maximum, multiply
from minitf.core.ops.reductions import reduce_max
from minitf.library.checks.assertions import assert_less, assert_non_negative
from minitf.library.numeric.coordinates import scatter_nd


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Takes a last axis of size 1 off whichever of the two has one more than expected.

    Args:
      labels, predictions: tensors.
      expected_rank_diff: how many axes more the predictions should have.
      name: the name of the scope.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        if labels.shape.ndims is not None and predictions.shape.ndims is not None:
            difference = predictions.shape.ndims - labels.shape.ndims
            if difference == expected_rank_diff + 1 and _ends_in_one(predictions):
                predictions = squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and _ends_in_one(labels):
                labels = squeeze(labels, [-1])
            return labels, predictions
        difference = rank(predictions) - rank(labels)
        if predictions.shape.ndims is None or _ends_in_one(predictions):
            predictions = squeezed_if(difference, expected_rank_diff + 1, predictions)
        if labels.shape.ndims is None or _ends_in_one(labels):
            labels = squeezed_if(difference, expected_rank_diff - 1, labels)
        return labels, predictions


def squeezed_if(difference: Tensor, wanted: int, tensor: Tensor) -> Tensor:
    """The tensor without its last axis, where the ranks differ by as much as wanted."""
    return cond(equal(difference, wanted), lambda: squeeze(tensor, [-1]), lambda: tensor)


def _ends_in_one(tensor: Tensor) -> bool:
    return tensor.shape[-1].value in (1, None)


def _checked(classes: Tensor, name: str, limit: Tensor | None) -> Tensor:
    """Numbers of classes, behind the assertions that they are in range."""
    tests = [assert_non_negative(classes, message=f"`{name}` contains negative values")]
    if limit is not None:
        tests.append(assert_less(classes, limit, message=f"`{name}` out of bound"))
    with control_dependencies([test for test in tests if test is not None]):
        return identity(classes)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """Counts which classes were predicted for which: rows are labels, columns predictions.

    Args:
      labels: [n] integers, the true classes.
      predictions: [n] integers.
      num_classes: how many classes there are; by default one more than the largest.
      dtype: the type of the counts.
      name: the name of the scope.
      weights: [n] numbers to count instead of 1.

    Returns: [num_classes, num_classes].
    Example:
      >>> sess.run(tf.confusion_matrix([1, 2, 4], [2, 2, 4]))[1, 2]
      1
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"),
            convert_to_tensor(predictions, name="predictions"),
        )
        labels = cast(labels, dtypes.int64)
        predictions = cast(predictions, dtypes.int64)
        if num_classes is None:
            count = add(maximum(reduce_max(predictions), reduce_max(labels)), 1)
        else:
            count = cast(convert_to_tensor(num_classes), dtypes.int64)
        limit = None if num_classes is None else count
        labels = _checked(labels, "labels", limit)
        predictions = _checked(predictions, "predictions", limit)
        dtype = dtypes.as_dtype(dtype)
        values = ones_like(predictions, dtype=dtype)
        if weights is not None:
            weights = convert_to_tensor(weights)
            predictions.shape.assert_is_compatible_with(weights.shape)
            values = multiply(values, cast(weights, dtype))
        places = stack([labels, predictions], axis=1)
        result = scatter_nd(places, values, stack([count, count]))
        if isinstance(num_classes, int):
            result.set_shape([num_classes, num_classes])
        return result
