"""`tf.contrib.skflow.monitors` of TensorFlow 0.8: they print the loss, and stop the training early.

Unlike those of `tf.contrib.learn`, which they are, too, they watch the loss alone, at each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.compat.contrib import monitors
from minitf.core.graph import logging
from minitf.library.sessions.session_run_hook import SessionRunArgs


class BaseMonitor(monitors.BaseMonitor):
    """Prints the mean loss every few steps.

    Args:
      print_steps: how often.
      early_stopping_rounds: stops when the loss has not fallen for so many steps.
      verbose: 0 prints nothing.

    Attributes:
      min_loss, min_loss_i: the smallest loss, and the step it was at.
      all_train_loss_buffer: the losses of all steps.
    """

    def __init__(
        self, print_steps: int = 100, early_stopping_rounds: int | None = None, verbose: int = 1
    ) -> None:
        self.print_steps, self.verbose = print_steps, verbose
        self.early_stopping_rounds = early_stopping_rounds
        self.min_loss, self.min_loss_i, self.steps = np.inf, 0, -1
        self.all_train_loss_buffer: list[float] = []
        self._losses = {"train": self.all_train_loss_buffer}

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._estimator._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps += 1
        self.all_train_loss_buffer.append(run_values.results)
        watched = self._watched(run_context.session)
        if watched[-1] < self.min_loss:
            self.min_loss, self.min_loss_i = watched[-1], self.steps
        if self.verbose and self.steps % self.print_steps == 0:
            for kind, losses in self._losses.items():
                mean = np.mean(losses[-self.print_steps :])
                print(f"Step #{self.steps}, avg. {kind} loss: {mean:.5f}")
        if self.steps - self.min_loss_i >= (self.early_stopping_rounds or np.inf):
            logging.info("Stopping. Best step: %s, loss %s.", self.min_loss_i, self.min_loss)
            run_context.request_stop()

    def _watched(self, session: Any) -> list[float]:
        """The losses, the last of which decides when to stop."""
        return self.all_train_loss_buffer


class ValidationMonitor(BaseMonitor):
    """Computes the loss on other data after each step, and may stop the training by it.

    Args:
      val_X, val_y: features and labels.
      n_classes: accepted; the estimator knows it.
      print_steps, early_stopping_rounds: see `BaseMonitor`.

    Attributes:
      all_val_loss_buffer: the losses on these data after each step.
    """

    def __init__(
        self, val_X: Any, val_y: Any, n_classes: int = 0,  # noqa: N803, their name
        print_steps: int = 100, early_stopping_rounds: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(print_steps, early_stopping_rounds)
        self._data = val_X, val_y
        self.all_val_loss_buffer: list[float] = []
        self._losses["val"] = self.all_val_loss_buffer

    def _watched(self, session: Any) -> list[float]:
        estimator = self._estimator
        feeds = dict(zip(estimator._fed, map(np.asarray, self._data)))
        self.all_val_loss_buffer.append(session.run(estimator._loss, feeds))
        return self.all_val_loss_buffer
