"""Constraints: after each training step they bring a weight back to where it may be."""

from __future__ import annotations

from typing import Any, ClassVar

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.math import sqrt, square
from minitf.core.ops.reductions import reduce_sum
from minitf.library.keras.backend.session import epsilon
from minitf.library.keras.objects import Family, FromConfig
from minitf.library.numeric.clip import clip_by_value


class Constraint(FromConfig):
    """Base of constraints: called with a weight, it returns one that is allowed."""

    #: the constructor's arguments, by the names of the attributes that hold them
    _arguments: ClassVar[tuple[str, ...]] = ()

    def __call__(self, w: Any) -> Any:
        """The nearest weight that is allowed."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: getattr(self, name) for name in self._arguments}


def _norms(w: Any, axis: Any) -> Tensor:
    return sqrt(reduce_sum(square(w), axis, keepdims=True))


class MaxNorm(Constraint):
    """Weights whose norm is at most `max_value`.

    Args:
      max_value: the largest norm.
      axis: what the norm is taken over: 0 for the weights of a unit of a `Dense` layer, [0, 1, 2]
        for those of a filter of a `Conv2D` layer.
    """

    _arguments = ("max_value", "axis")

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Tensor:
        norms = _norms(w, self.axis)
        return w * (clip_by_value(norms, 0, self.max_value) / (epsilon() + norms))


class NonNeg(Constraint):
    """Weights that are not negative."""

    def __call__(self, w: Any) -> Tensor:
        return w * cast(greater_equal(w, 0.0), w.dtype.base_dtype)


class UnitNorm(Constraint):
    """Weights of norm 1.

    Args:
      axis: what the norm is taken over; see `MaxNorm`.
    """

    _arguments = ("axis",)

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Tensor:
        return w / (epsilon() + _norms(w, self.axis))


class MinMaxNorm(Constraint):
    """Weights whose norm is between two limits.

    Args:
      min_value: the smallest norm.
      max_value: the largest norm.
      rate: 1: the norm is within the limits after each step; less: it moves toward them.
      axis: what the norm is taken over; see `MaxNorm`.
    """

    _arguments = ("min_value", "max_value", "rate", "axis")

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Tensor:
        norms = _norms(w, self.axis)
        within = clip_by_value(norms, self.min_value, self.max_value)
        wanted = self.rate * within + (1 - self.rate) * norms
        return w * (wanted / (epsilon() + norms))


max_norm, non_neg, unit_norm = MaxNorm, NonNeg, UnitNorm
min_max_norm = MinMaxNorm

_TABLE = {
    **dict.fromkeys(("MaxNorm", "max_norm"), MaxNorm),
    **dict.fromkeys(("NonNeg", "non_neg"), NonNeg),
    **dict.fromkeys(("UnitNorm", "unit_norm"), UnitNorm),
    **dict.fromkeys(("MinMaxNorm", "min_max_norm"), MinMaxNorm),
}

_family = Family("constraint", _TABLE)
get, serialize, deserialize = _family.get, _family.serialize, _family.deserialize
