"""An optimizer of Keras whose loss is scaled; see `minitf/library/optimizers/loss_scale.py`.

In 1.15 a rewrite of graphs goes with loss scales: on GPUs it runs parts of them in float16. On a
CPU it does nothing, and here it does nothing anywhere: `enable_mixed_precision_graph_rewrite`
scales losses, and no type changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend import session as backend
from minitf.library.keras.objects import serialize_keras_object
from minitf.library.keras.optimizers import named
from minitf.library.keras.optimizers.base import OptimizerV2
from minitf.library.keras.policy import deserialize_scale
from minitf.library.optimizers import loss_scale as scales


class LossScaleOptimizer(OptimizerV2):
    """An optimizer whose loss is scaled, so that gradients do not vanish in float16.

    With `minimize` and in `Model.fit` it scales itself. Around a `tf.GradientTape` a program does:
    it gives the tape `get_scaled_loss(loss)`, and `get_unscaled_gradients(gradients)` to
    `apply_gradients`, which leaves a step out whose gradients are not finite.

    Args:
      optimizer: the optimizer of Keras.
      loss_scale: a number, "dynamic", or a `LossScale`.

    Raises:
      ValueError: when it is none, or clips gradients.
    """

    def __init__(self, optimizer: OptimizerV2, loss_scale: Any) -> None:
        if not isinstance(optimizer, OptimizerV2):
            raise ValueError(
                f'"optimizer" must be an instance of OptimizerV2, but got: {optimizer}'
            )
        for clip in ("clipnorm", "clipvalue"):
            value = getattr(optimizer, clip, None)
            if value is not None:
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {clip}. "
                    f"Optimizer {optimizer} has {clip} {value}"
                )
        super().__init__("LossScaleOptimizer")
        self._optimizer, self._loss_scale = optimizer, scales.get(loss_scale)
        assert self._loss_scale is not None
        backend.track_variables(self._loss_scale._weights.values())

    @property
    def loss_scale(self) -> scales.LossScale:
        """The `LossScale`: call it for the number."""
        assert self._loss_scale is not None
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """A loss, or a function that computes one, times the scale."""
        return scales.scaled(loss, self.loss_scale())

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> list[Any]:
        """The gradients of a scaled loss, divided by the scale; None stays None."""
        return scales.unscaled(grads, self.loss_scale())

    _scaled = get_scaled_loss

    def _clipped(self, found: Sequence[Any]) -> list[Any]:
        return self.get_unscaled_gradients(found)

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> list[Any]:
        scaled = self.get_scaled_loss(loss)
        pairs = self._optimizer._compute_gradients(scaled, var_list, grad_loss)
        found = self.get_unscaled_gradients([g for g, _ in pairs])
        return list(zip(found, [v for _, v in pairs], strict=True))

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> list[Any]:
        """The gradients of a loss, which is scaled on the way."""
        found = self._optimizer.get_gradients(self.get_scaled_loss(loss), params)
        return self.get_unscaled_gradients(found)

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables where all gradients are finite; the scale follows them.

        Raises:
          ValueError: when it is called where replicas meet.
        """
        pairs = list(grads_and_vars)
        place = stacks.strategies.top()
        if place is not None:
            if place.replica_context is None:
                raise ValueError("apply_gradients() must be called in a replica context.")
            return place.replica_context.merge_call(self._distributed_apply, args=(pairs,))
        self._create_all([v for g, v in pairs if g is not None])

        def step() -> Any:
            return self._optimizer.apply_gradients(pairs, name)

        return scales.perhaps(self.loss_scale.update([g for g, _ in pairs]), step, name)

    def _distributed_apply(self, strategy: Any, grads_and_vars: Any) -> Any:
        there = [(g, v) for g, v in grads_and_vars if g is not None]
        self._create_all([v for _, v in there])
        summed = strategy.extended.batch_reduce_to("SUM", there)

        def step() -> Any:
            return self._optimizer._distributed_apply(strategy, there)

        return scales.perhaps(self.loss_scale.update(summed), step)

    def _create_all(self, variables: Sequence[Variable]) -> None:
        with stacks.init_scope():
            self._optimizer._create_all(variables)

    # ---- what it has of the optimizer inside ---------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        """What the optimizer inside has, as its learning rate."""
        inside = self.__dict__.get("_optimizer")
        if inside is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(inside, name)

    def __setattr__(self, name: str, value: Any) -> None:
        inside = self.__dict__.get("_optimizer")
        if inside is not None and (name == "lr" or name in inside._hyper):
            setattr(inside, name, value)
        else:
            super().__setattr__(name, value)

    @property
    def iterations(self) -> Variable:
        """How many steps were made: a variable."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        self._optimizer.iterations = variable

    @property
    def weights(self) -> list[Variable]:
        """The variables of the optimizer inside."""
        return self._optimizer.weights

    def variables(self) -> list[Variable]:
        """The variables of the optimizer inside."""
        return self._optimizer.variables()

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the optimizer inside."""
        return self._optimizer.get_slot_names()

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """Slots belong to the optimizer inside.

        Raises:
          AttributeError: always.
        """
        raise AttributeError(
            "You cannot call get_slot on a LossScaleOptimizer. This limitation will be removed in "
            "the future."
        )

    def add_slot(self, var: Variable, slot_name: str, initializer: Any = "zeros") -> Variable:
        """Slots belong to the optimizer inside.

        Raises:
          AttributeError: always.
        """
        raise AttributeError(
            "You cannot call add_slot on a LossScaleOptimizer. This limitation will be removed in "
            "the future."
        )

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"base_optimizer": self._optimizer, "loss_scale": self._loss_scale}

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs: the optimizer and the scale."""
        return {
            "optimizer": named.serialize(self._optimizer),
            "loss_scale": serialize_keras_object(self._loss_scale),
        }

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> LossScaleOptimizer:
        """Makes the optimizer that `get_config` described."""
        inside = named.deserialize(config["optimizer"], custom_objects)
        return cls(inside, deserialize_scale(config["loss_scale"], custom_objects))


named.KNOWN["lossscaleoptimizer"] = LossScaleOptimizer
