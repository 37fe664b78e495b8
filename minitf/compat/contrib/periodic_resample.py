"""`tf.contrib.periodic_resample`: depth into width and height, as in sub-pixel convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import reshape


def periodic_resample(values: Any, shape: Any, name: str | None = None) -> Tensor:
    """Makes some axes longer out of another one.

    An axis that grows r times takes r numbers after each other from the axis that shrinks (Shi et
    al., "Real-Time Single Image and Video Super-Resolution", 2016).

    Args:
      values: a tensor; the size of an axis that does not grow may be unknown.
      shape: the wanted shape, with None or -1 for the axis that shrinks.
      name: the name of the scope.
    Returns: a tensor of that shape.
    Raises:
      ValueError: when not just one axis shrinks, another one would, or sizes are not known.
    Example:
      >>> sess.run(tf.contrib.periodic_resample.periodic_resample([[0, 1, 2, 3], [4, 5, 6, 7]], [4, None]))
      array([[0, 1],
             [2, 3],
             [4, 5],
             [6, 7]], dtype=int32)
    """  # noqa: E501
    with name_scope(name, "PeriodicResample", [values]):
        values = convert_to_tensor(values)
        wanted = [-1 if each is None else int(each) for each in shape]
        if len(wanted) != values.shape.ndims:
            raise ValueError(
                f"periodic_resample expects the rank of the input tensor, {values.shape.ndims}, to "
                f"be the same as the length of the desired shape, {len(wanted)}."
            )
        shrinking = [axis for axis, each in enumerate(wanted) if each < 1]
        if len(shrinking) != 1:
            which = "only" if shrinking else "at least"
            raise ValueError(
                f"periodic_resample expects {which} one index to be marked as adjustable."
            )
        given = [
            want if size is None else size
            for size, want in zip(values.shape.as_list(), wanted, strict=True)
        ]
        places = _places(given, wanted, shrinking[0])
        return reshape(gather(reshape(values, [-1]), places.ravel()), list(places.shape))


def _places(given: list[int], wanted: list[int], axis: int) -> np.ndarray:
    """Where in the flat input each number of the output stands."""
    for number, (size, want) in enumerate(zip(given, wanted, strict=True)):
        if number == axis:
            if size < 1:
                raise ValueError(f"periodic_resample needs to know the size of dimension {number}.")
        elif want < size:
            raise ValueError(
                "periodic_resample expects the size of non-adjustable dimensions be at least as "
                f"large as size of input tensor. Dimension {number} input tensor has size {size}, "
                f"desired shape has size {want}."
            )
    others = [want for number, want in enumerate(wanted) if number != axis]
    left = int(np.prod(given) // np.prod(others))
    if left < 1:
        raise ValueError(
            f"periodic_resample found that the adjustable dimension, {axis}, isn't greater than "
            f"zero, {left}."
        )
    output = [left if number == axis else want for number, want in enumerate(wanted)]
    index = list(np.indices(output))
    turn, factor = np.zeros(output, np.int64), 1
    for number in range(len(output)):
        grows = -(-output[number] // given[number])
        if number != axis:
            turn += factor * (index[number] % grows)
            index[number] = index[number] // grows
        factor *= grows
    index[axis] = turn * left + index[axis]
    return np.ravel_multi_index(index, given)
