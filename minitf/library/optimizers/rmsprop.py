"""RMSProp: gradients divided by a moving average of their size.

    rms      <- decay * rms + (1 - decay) * gradient^2
    momentum <- momentum_rate * momentum + learning_rate * gradient / sqrt(rms + epsilon)
    var      <- var - momentum

The centered variant subtracts the square of the gradient's moving average from rms: an estimate of
the variance.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.likes import TensorLike
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.initializers import ones_initializer
from minitf.core.variables.variables import Variable


@update("ApplyRMSProp", "var ms mom", "lr rho momentum epsilon grad", compiled="updates")
def apply_rms_prop(xp, w, ms, mom, g, lr, rho, momentum, epsilon):
    """ms += (1 - rho) * (grad**2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + epsilon);
    var -= mom.
    """
    ms += (1 - rho) * (g * g - ms)
    _move(xp, w, mom, g, ms + epsilon, lr, momentum)


@update("ApplyCenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad")
def apply_centered_rms_prop(xp, w, mg, ms, mom, g, lr, rho, momentum, epsilon):
    """RMSProp that divides by the root of the gradient's variance, ms - mg**2, not of ms."""
    ms += (1 - rho) * (g * g - ms)
    mg += (1 - rho) * (g - mg)
    _move(xp, w, mom, g, ms - mg * mg + epsilon, lr, momentum)


def _move(xp, w, mom, g, size, lr, momentum):
    mom *= momentum
    mom += lr * (g / xp.sqrt(size))
    w -= mom


class RMSPropOptimizer(Optimizer):
    """The RMSProp algorithm (Tieleman and Hinton, 2012).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      decay: how slowly the moving averages forget.
      momentum: how much of the last step is kept.
      epsilon: keeps the division from zero.
      use_locking: accepted; an update always holds the variable's lock.
      centered: divide by an estimate of the standard deviation.
      name: the name scope of the updates, and the name of the slots (`W/RMSProp`, `W/RMSProp_1`).
    Example:
      >>> x = tf.Variable(4.0)
      >>> step = tf.train.RMSPropOptimizer(0.1).minimize(tf.square(x))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> sess.run(x).round(3)
      3.704
    """

    _rule: Rule

    def __init__(
        self,
        learning_rate: TensorLike,
        decay: Any = 0.9,
        momentum: TensorLike = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        slots = {"rms": ones_initializer(), "momentum": 0.0}
        self._rule = Rule(
            apply_centered_rms_prop if centered else apply_rms_prop,
            settings=("learning_rate", "decay", "momentum", "epsilon"),
            slots={"mg": 0.0, **slots} if centered else slots,
        )

    def _create_slots(self, var_list: list[Variable]) -> None:
        for variable in var_list:
            # The first one, as the names of the slots show, though the operation takes it second.
            self._make_slot(self._rule, variable, "rms", self._rule.slots["rms"])
            super()._create_slots([variable])
