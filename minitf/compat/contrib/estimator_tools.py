"""`tf.contrib.estimator`: heads by their older names, and additions to an estimator."""

from __future__ import annotations

from typing import Any

from minitf.core.train.optimizer import Optimizer
from minitf.library.numeric.clip import clip_by_global_norm


class _Clipped(Optimizer):
    """An optimizer whose gradients together are no longer than `norm`."""

    def __init__(self, optimizer: Optimizer, norm: float) -> None:
        super().__init__(False, optimizer.get_name())
        self._optimizer, self._norm = optimizer, norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        gradients, variables = zip(*grads_and_vars)
        clipped, _ = clip_by_global_norm(gradients, self._norm)
        pairs = list(zip(clipped, variables))
        return self._optimizer.apply_gradients(pairs, global_step, name)


def clip_gradients_by_norm(optimizer: Optimizer, clip_norm: float) -> Optimizer:
    """An optimizer that shortens its gradients when they are longer than `clip_norm` together."""
    return _Clipped(optimizer, clip_norm)
