"""Regularizers: a loss of the size of weights."""

from __future__ import annotations

from typing import Any

from minitf.core.graph.convert import constant
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import square
from minitf.core.ops.reductions import reduce_sum
from minitf.library.keras.backend.session import cast_to_floatx, floatx
from minitf.library.keras.objects import Family, FromConfig


class Regularizer(FromConfig):
    """Base of regularizers: called with a tensor, it returns a scalar loss."""

    def __call__(self, x: Tensor) -> Any:
        """The loss; none here."""
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments.

        Raises:
          NotImplementedError: when the class does not give them.
        """
        raise NotImplementedError(f"{self} does not implement get_config()")


class L1L2(Regularizer):
    """l1 * sum(|x|) + l2 * sum(x**2).

    Args:
      l1: the factor of the first sum.
      l2: the factor of the second.

    Example:
      >>> float(sess.run(tf.keras.regularizers.l1_l2(1.0, 10.0)(tf.constant([1.0, -2.0]))))
      53.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = (float(cast_to_floatx(each or 0.0)) for each in (l1, l2))

    def __call__(self, x: Tensor) -> Tensor:
        if not self.l1 and not self.l2:
            return constant(0.0, floatx())
        loss: Any = 0.0
        if self.l1:
            loss += reduce_sum(self.l1 * absolute(x))
        if self.l2:
            loss += reduce_sum(self.l2 * square(x))
        return loss

    def get_config(self) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.l2}


def l1(l: float = 0.01) -> L1L2:  # noqa: E741  (the name that programs type)
    """l * sum(|x|)."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741
    """l * sum(x**2)."""
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """l1 * sum(|x|) + l2 * sum(x**2)."""
    return L1L2(l1, l2)


# Files of later releases have L1 and L2.
_TABLE = {"l1": l1, "l2": l2, "l1_l2": l1_l2, "L1L2": L1L2, "L1": L1L2, "L2": L1L2}

_family = Family("regularizer", _TABLE, makers=("l1", "l2", "l1_l2"))
get, serialize, deserialize = _family.get, _family.serialize, _family.deserialize
