"""An optimizer around another: what it does not do itself, the one inside does."""

from __future__ import annotations

from typing import Any

from minitf.core.train.optimizer import Optimizer


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
