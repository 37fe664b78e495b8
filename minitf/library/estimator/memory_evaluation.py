"""A hook that evaluates in the midst of training, without a checkpoint in between.

training session ──values of variables──> a session of the evaluation ──> metrics, as events
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.evaluation import StopAfterNEvalsHook
from minitf.library.sessions.basic_hooks import SecondOrStepTimer
from minitf.library.sessions.session_run_hook import SessionRunHook


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates an estimator while it trains, with the variables as they are.

    Args:
      estimator: the estimator that trains.
      input_fn: see `Estimator.evaluate`.
      steps: how many batches; all when None.
      hooks: of the evaluation.
      name: of the evaluation.
      every_n_iter: how often, in steps.
    Raises:
      ValueError: when `every_n_iter` is not positive, or the training is one of several processes.
    """

    def __init__(
        self, estimator: Estimator, input_fn: Callable, steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None, name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:  # fmt: skip
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn, self._name = estimator, input_fn, name
        self._hooks = [*(hooks or ()), *([StopAfterNEvalsHook(steps)] if steps else ())]
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self) -> None:
        """Begins to count."""
        self._timer.reset()
        self._count = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates what training starts from."""
        if stacks.get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError(
                "InMemoryEvaluator does not support saveables other than global variables."
            )
        self._variables = {v.name: v for v in stacks.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        self._evaluate(session)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates when it is time."""
        self._count += 1
        if self._timer.should_trigger_for_step(self._count):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates what came out."""
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        values = session.run(self._variables)

        def fill(scaffold: Any, own: Any) -> None:
            for variable in own.graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
                if variable.name in values:
                    variable.load(values[variable.name], own)

        self._estimator._evaluation(self._input_fn, list(self._hooks), None, self._name, fill)
        self._timer.update_last_triggered_step(self._count)
