"""The optimizers of Keras: a formula each, where `tf.train` has none, and a rule.

Where an update stands in another file, `tf.train` has an optimizer of the same formula.

Optimizers by their names, as `compile("adam")` uses them, and those of `tf.train`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.updates import apply_adam, apply_gradient_descent, update
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.session import epsilon as default_epsilon
from minitf.library.keras.objects import deserialize_keras_object, serialize_keras_object
from minitf.library.keras.optimizers.base import OptimizerV2
from minitf.library.optimizers.optimizers import (
    apply_adadelta,
    apply_centered_rms_prop,
    apply_rms_prop,
)


def _in_unit_range(momentum: Any) -> bool:
    """Whether a momentum is used at all.

    Raises:
      ValueError: when it is a number, and not from 0 to 1.
    """
    if isinstance(momentum, (int, float)):
        if momentum < 0 or momentum > 1:
            raise ValueError("`momentum` must be between [0, 1].")
        return momentum > 0
    return True


# ---- gradient descent ----------------------------------------------------------------------------


@update("ApplyKerasMomentum", "var accum", "lr grad momentum")
def apply_keras_momentum(xp, var, accum, grad, lr, momentum, *, use_nesterov=False):
    """accum = momentum * accum - lr * grad; var += accum, or with Nesterov's look ahead."""
    accum *= momentum
    accum -= lr * grad
    var += momentum * accum - lr * grad if use_nesterov else accum


class SGD(OptimizerV2):
    """Steps against the gradient, with a momentum where one is given.

    Args:
      learning_rate: a number, a tensor, or a function that returns one.
      momentum: how much of the last step is kept, 0 to 1.
      nesterov: look ahead along the momentum.
      name: the name; further arguments are those of `OptimizerV2`.

    Example:
      >>> tf.enable_eager_execution()
      >>> v = tf.Variable(1.0)
      >>> tf.keras.optimizers.SGD(0.25).minimize(lambda: v * v, [v])
      >>> v.numpy()
      0.5
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._settle(learning_rate, kwargs, momentum=momentum)
        self._keep(nesterov=nesterov)
        self._rule = Rule(apply_gradient_descent, ("learning_rate",))
        if _in_unit_range(momentum):
            names = ("learning_rate", "momentum")
            switch = {"use_nesterov": nesterov}
            self._rule = Rule(apply_keras_momentum, names, {"momentum": 0.0}, switch)

    def _update(self, gradient: Any, var: Variable, rates: list[Any]) -> Any:
        if not isinstance(gradient, IndexedSlices) or self._rule.slots or var.constraint:
            return super()._update(gradient, var, rates)
        steps = gradient.values * rates[0]  # rows may come twice
        return var.scatter_sub(IndexedSlices(steps, gradient.indices))


# ---- Adam and its kin ----------------------------------------------------------------------------


_ADAM = "beta1_power beta2_power lr beta1 beta2 epsilon grad"


@update("ApplyAdamWithAmsgrad", "var m v vhat", _ADAM)
def apply_amsgrad(xp, var, m, v, vhat, grad, beta1_power, beta2_power, lr, beta1, beta2, epsilon):
    """Adam, divided by the root of the largest v so far."""
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * (grad * grad - v)
    vhat[...] = xp.maximum(vhat, v)
    var -= lr * xp.sqrt(1 - beta2_power) / (1 - beta1_power) * (m / (xp.sqrt(vhat) + epsilon))


class Adam(OptimizerV2):
    """The Adam algorithm (Kingma and Ba, 2014).

    Args:
      learning_rate: a number, a tensor, or a function that returns one.
      beta_1, beta_2: how slowly the first and the second moment forget.
      epsilon: keeps the division from zero.
      amsgrad: divide by the largest second moment so far (Reddi and others, 2018).
      name: the name; further arguments are those of `OptimizerV2`.
    """

    _rows_alone = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._settle(learning_rate, kwargs, beta_1=beta_1, beta_2=beta_2)
        self._keep(epsilon=epsilon or default_epsilon(), amsgrad=amsgrad)
        names = "beta_1_power beta_2_power learning_rate beta_1 beta_2 epsilon"
        slots = dict.fromkeys(["m", "v", "vhat"] if amsgrad else ["m", "v"], 0.0)
        self._rule = Rule(apply_amsgrad if amsgrad else apply_adam, tuple(names.split()), slots)


# ---- RMSprop -------------------------------------------------------------------------------------


@update("ApplyKerasRMSProp", "var rms", "lr rho epsilon grad")
def apply_keras_rms_prop(xp, var, rms, grad, lr, rho, epsilon):
    """rms += (1 - rho) * (grad**2 - rms); var -= lr * grad / (sqrt(rms) + epsilon)."""
    rms += (1 - rho) * (grad * grad - rms)
    var -= lr * (grad / (xp.sqrt(rms) + epsilon))


@update("ApplyKerasCenteredRMSProp", "var rms mg", "lr rho epsilon grad")
def apply_keras_centered_rms_prop(xp, var, rms, mg, grad, lr, rho, epsilon):
    """RMSprop that divides by the root of the gradient's variance, rms - mg**2, never below 0."""
    rms += (1 - rho) * (grad * grad - rms)
    mg += (1 - rho) * (grad - mg)
    var -= lr * (grad / (xp.sqrt(xp.maximum(rms - mg * mg, 0)) + epsilon))


class RMSprop(OptimizerV2):
    """Gradients divided by a moving average of their size (Tieleman and Hinton, 2012).

    Args:
      learning_rate: a number, a tensor, or a function that returns one.
      rho: how slowly the average forgets.
      momentum: how much of the last step is kept, 0 to 1.
      epsilon: keeps the division from zero.
      centered: divide by an estimate of the standard deviation.
      name: the name; further arguments are those of `OptimizerV2`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._settle(learning_rate, kwargs, rho=rho, momentum=momentum)
        self._keep(epsilon=epsilon or default_epsilon(), centered=centered)
        moves = _in_unit_range(momentum)
        self._rows_alone = moves
        names = ("learning_rate", "rho", *(["momentum"] if moves else []), "epsilon")
        slots = dict.fromkeys(["rms"] + ["momentum"] * moves + ["mg"] * centered, 0.0)
        if moves and centered:  # the operation takes them in another order
            slots = {"mg": 0.0, "rms": 0.0, "momentum": 0.0}
        kinds = {
            (False, False): apply_keras_rms_prop,
            (False, True): apply_keras_centered_rms_prop,
            (True, False): apply_rms_prop,
            (True, True): apply_centered_rms_prop,
        }
        self._rule = Rule(kinds[moves, centered], names, slots)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name in sorted(self._rule.slots, key=["rms", "momentum", "mg"].index):
            for var in var_list:
                self.add_slot(var, name)


# ---- Adagrad and Adadelta ------------------------------------------------------------------------


@update("ApplyAdagradV2", "var accum", "lr epsilon grad")
def apply_adagrad_v2(xp, var, accum, grad, lr, epsilon):
    """accum += grad**2; var -= lr * grad / (sqrt(accum) + epsilon)."""
    accum += grad * grad
    var -= lr * (grad / (xp.sqrt(accum) + epsilon))


class Adagrad(OptimizerV2):
    """A step size for each element, smaller the larger its gradients were (Duchi, 2011).

    Args:
      learning_rate: a number, a tensor, or a function that returns one.
      initial_accumulator_value: where the sums of squares start; not negative.
      epsilon: keeps the division from zero.
      name: the name; further arguments are those of `OptimizerV2`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value must be non-negative: {initial_accumulator_value}"
            )
        super().__init__(name, **kwargs)
        slots = {"accumulator": initial_accumulator_value}
        self._settle(learning_rate, kwargs)
        self._keep(initial_accumulator_value=initial_accumulator_value)
        self._keep(epsilon=epsilon or default_epsilon())
        self._rule = Rule(apply_adagrad_v2, ("learning_rate", "epsilon"), slots)


class Adadelta(OptimizerV2):
    """A step size for each element from the sizes of its gradients and steps (Zeiler, 2012).

    Args:
      learning_rate: a number, a tensor, or a function that returns one.
      rho: how slowly the averages forget.
      epsilon: what the first step is made of.
      name: the name; further arguments are those of `OptimizerV2`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float | None = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._settle(learning_rate, kwargs, rho=rho)
        self._keep(epsilon=epsilon or default_epsilon())
        slots = {"accum_grad": 0.0, "accum_var": 0.0}
        self._rule = Rule(apply_adadelta, ("learning_rate", "rho", "epsilon"), slots)


# ---- optimizers by name --------------------------------------------------------------------------


#: By name in small letters.
KNOWN: dict[str, Any] = {
    name.lower(): value
    for name, value in dict(globals()).items()
    if isinstance(value, type) and issubclass(value, OptimizerV2)
}


class TFOptimizer(OptimizerV2):
    """An optimizer of `tf.train`, for models to use.

    Args:
      optimizer: it.
      iterations: the variable to count steps in.
    """

    def __init__(self, optimizer: Optimizer, iterations: Variable | None = None) -> None:
        super().__init__("TFOptimizer")
        self.optimizer = optimizer
        if iterations is not None:
            self.iterations = iterations

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> list[Any]:
        """The gradients of a loss."""
        return [g for g, _ in self.optimizer.compute_gradients(loss, list(params))]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables by their gradients, and counts the step."""
        step = self.optimizer.apply_gradients(list(grads_and_vars), self.iterations, name)
        if not stacks.outermost().runs_at_once:
            backend.track_variables(self.optimizer.variables())
        return step

    @property
    def weights(self) -> list[Variable]:
        """Those of the optimizer are not known to Keras.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Optimizers of `tf.train` have no configuration.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """What the optimizer has, as its learning rate."""
        wrapped = self.__dict__.get("optimizer")
        if wrapped is None or name.startswith("__"):
            raise AttributeError(name)
        if name in ("lr", "learning_rate"):
            name = "_learning_rate" if hasattr(wrapped, "_learning_rate") else "_lr"
        return getattr(wrapped, name)


serialize = serialize_keras_object


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes the optimizer that a name or a dict stands for; of our names the case is open."""
    if isinstance(config, Mapping) and str(config.get("class_name")).lower() in KNOWN:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(config, KNOWN, custom_objects, "optimizer")


def get(identifier: Any) -> OptimizerV2:
    """The optimizer that was meant: one, one of `tf.train`, a name, or what `serialize` gave.

    Raises:
      ValueError: when it is none of these.
    """
    if isinstance(identifier, OptimizerV2):
        return identifier
    if isinstance(identifier, Optimizer):
        return TFOptimizer(identifier)
    if isinstance(identifier, Mapping):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError("Could not interpret optimizer identifier:", identifier)
