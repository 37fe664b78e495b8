"""Optimizers of `tf.train` beside gradient descent, momentum and Adam: a formula each, and a rule.

Adagrad     accumulator <- accumulator + gradient^2
            var         <- var - learning_rate * gradient / sqrt(accumulator)

proximal    var <- sign(var) * max(|var| - rate * l1, 0) / (1 + rate * l2), after a step of Adagrad:
            the minimum of what l1 and l2 ask for near it; with l1 many weights become zero

Adadelta    accum        <- rho * accum + (1 - rho) * gradient^2
            step          = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * gradient
            accum_update <- rho * accum_update + (1 - rho) * step^2
            var          <- var - learning_rate * step

RMSProp     rms      <- decay * rms + (1 - decay) * gradient^2
            momentum <- momentum_rate * momentum + learning_rate * gradient / sqrt(rms + epsilon)
            var      <- var - momentum
            centered: less the square of the gradient's average, an estimate of the variance

Ftrl        accum  <- accum + gradient^2         "follow the regularized leader", for sparse models
            linear <- linear + gradient - (accum_new^-p - accum^-p) / learning_rate * var
            var    <- 0 where |linear| <= l1,
                      else (sign(linear) * l1 - linear) / (accum^-p / lr + 2 * l2)
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import TensorLike
from minitf.core.ops.math import maximum
from minitf.core.ops.updates import update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.initializers import ones_initializer
from minitf.core.variables.variables import Variable

# ---- Adagrad -------------------------------------------------------------------------------------


@update("ApplyAdagrad", "var accum", "lr grad", compiled="updates")
def apply_adagrad(xp, w, a, g, lr, *, update_slots=True):
    """accum += grad**2; var -= lr * grad / sqrt(accum)."""
    if update_slots:
        a += g * g
    w -= lr * (g / xp.sqrt(a))


def check_positive(name: str, value: float) -> None:
    """Raises a ValueError unless a slot starts above zero."""
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")


class AdagradOptimizer(Optimizer):
    """The Adagrad algorithm (Duchi, Hazan and Singer, 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      initial_accumulator_value: where the accumulators start; positive.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/Adagrad`).

    Raises:
      ValueError: when `initial_accumulator_value` is not positive.
    Example:
      >>> x = tf.Variable(4.0)
      >>> step = tf.train.AdagradOptimizer(0.1).minimize(tf.square(x))
      >>> sess.run(tf.global_variables_initializer())
      >>> sess.run(step)
      >>> sess.run(x).round(3)
      3.9
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._rule = Rule(
            apply_adagrad,
            settings=("learning_rate",),
            slots={"accumulator": initial_accumulator_value},
        )


# ---- Adagrad with proximal steps -----------------------------------------------------------------


_SETTINGS = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength")


def _shrink(xp, w, rate, l1, l2):
    """Moves w towards zero, and no further."""
    if l1 > 0:
        w[...] = xp.copysign(xp.maximum(xp.absolute(w) - rate * l1, 0), w)
    w /= 1 + rate * l2


@update("ApplyProximalAdagrad", "var accum", "lr l1 l2 grad")
def apply_proximal_adagrad(xp, w, a, g, lr, l1, l2):
    """Adagrad, then a step towards zero that l1 and l2 ask for."""
    a += g * g
    w -= lr * (g / xp.sqrt(a))
    _shrink(xp, w, lr / xp.sqrt(a), l1, l2)


class ProximalAdagradOptimizer(Optimizer):
    """Adagrad with proximal steps (Duchi and Singer, 2009).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      initial_accumulator_value: where the accumulators start; positive.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slot (`W/ProximalAdagrad`).

    Raises:
      ValueError: when `initial_accumulator_value` is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._rule = Rule(
            apply_proximal_adagrad,
            _SETTINGS,
            slots={"accumulator": initial_accumulator_value},
            constants=True,
        )


# ---- Adadelta ------------------------------------------------------------------------------------


@update("ApplyAdadelta", "var accum accum_update", "lr rho epsilon grad")
def apply_adadelta(xp, w, a, u, g, lr, rho, eps):
    """accum and accum_update follow the squares of gradients and updates; the ratio of their roots
    is the step size.
    """
    a *= rho
    a += (1 - rho) * (g * g)
    move = xp.sqrt(u + eps) / xp.sqrt(a + eps) * g
    u *= rho
    u += (1 - rho) * (move * move)
    w -= lr * move


class AdadeltaOptimizer(Optimizer):
    """The Adadelta algorithm (Zeiler, 2012).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one; 1 in the paper.
      rho: how slowly the averages forget.
      epsilon: what the first step is made of; keeps the division from zero.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Adadelta`).
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._rule = Rule(
            apply_adadelta,
            settings=("lr", "rho", "epsilon"),
            slots={"accum": 0.0, "accum_update": 0.0},
            suffix="_t",
        )


# ---- RMSProp -------------------------------------------------------------------------------------


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


# ---- Ftrl ----------------------------------------------------------------------------------------


@update("ApplyFtrl", "var accum linear", "grad lr l1 l2 lr_power", compiled="updates")
def apply_ftrl(xp, w, a, z, g, lr, l1, l2, power):
    """linear gathers the gradients less what they moved; var is its minimum with l1 and l2."""
    _ftrl(xp, w, a, z, g, g, lr, l1, l2, power)


@update("ApplyFtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power")
def apply_ftrl_v2(xp, w, a, z, g, lr, l1, l2, shrinkage, power):
    """Ftrl with a penalty on large weights that the accumulator does not see."""
    _ftrl(xp, w, a, z, g, g + 2 * shrinkage * w, lr, l1, l2, power)


def _ftrl(xp, w, a, z, g, seen, lr, l1, l2, power):
    """`seen` is the gradient that goes into `linear`."""
    new = a + g * g
    root = new**-power
    z += seen - (root - a**-power) / lr * w
    size = xp.maximum(xp.absolute(z) - l1, 0)
    w[...] = -xp.copysign(size, z) / (root / lr + 2 * l2)
    a[...] = new


class FtrlOptimizer(Optimizer):
    """The FTRL-Proximal algorithm (McMahan and others, 2013).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      learning_rate_power: how the learning rate falls; not positive, 0 for a fixed one.
      initial_accumulator_value: where the accumulators start; not negative.
      l1_regularization_strength: pulls variables to zero; not negative.
      l2_regularization_strength: makes large variables smaller; not negative.
      use_locking: accepted; an update always holds the variable's lock.
      name: the name scope of the updates, and the name of the slots (`W/Ftrl`, `W/Ftrl_1`).
      accum_name, linear_name: other names of the slots.
      l2_shrinkage_regularization_strength: a penalty on large variables; not negative.
      beta: of the paper; lowers the first steps.

    Raises:
      ValueError: when a number has the wrong sign.
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value {initial_accumulator_value:f} needs to be positive or "
                "zero"
            )
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        for key, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{key} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

        def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return ones_initializer()(shape, dtype) * initial_accumulator_value

        shrinks = l2_shrinkage_regularization_strength > 0.0
        self._rule = Rule(
            apply_ftrl_v2 if shrinks else apply_ftrl,
            settings=(
                "learning_rate",
                "l1_regularization_strength",
                "adjusted_l2_regularization_strength",
                *(["l2_shrinkage_regularization_strength"] if shrinks else []),
                "learning_rate_power",
            ),
            slots={"accum": start, "linear": 0.0},
            names={"accum": accum_name or name, "linear": linear_name or name},
        )

    def _adjusted_l2_regularization_strength(self) -> Any:
        """A setting: beta / (2 * learning rate) acts as more of l2 does."""
        rate = maximum(self._learning_rate, 1e-36)
        return self._l2_regularization_strength + self._beta / (2.0 * rate)


# ---- around another ------------------------------------------------------------------------------


class AroundOptimizer(Optimizer):
    """An optimizer around another, whose gradients and slots it has.

    Args:
      opt: the optimizer inside.
      use_locking, name: see `Optimizer`.
    """

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Those of the optimizer inside; see `Optimizer.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the optimizer inside."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The names of the slots of the optimizer inside."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """The variables of the optimizer inside."""
        return self._opt.variables()
