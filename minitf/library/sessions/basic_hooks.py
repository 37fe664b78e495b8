"""What hooks of monitored sessions are; those that only look: stop, log, wait, watch for NaN.

What writes files is in saving_hooks.

Many act every so many steps or seconds; a `SecondOrStepTimer` tells them when. What a hook fetches
together with a training step may be the global step before or after that step; whoever decides by
it asks once more when it seems to be time.

A `SessionRunHook` is what a program adds to the runs of a monitored session:

    begin                          the graph may still grow
    after_create_session           also after each recovery
      before_run -> SessionRunArgs     what the hook wants fetched and fed besides the caller's
      after_run  <- SessionRunValues   what it got; `run_context.request_stop()` ends the training
    end                            the last chance to use the session
"""

from __future__ import annotations

import abc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import errors, logging, stacks
from minitf.library.sessions.training_util import required_global_step

# ---- what a hook is --------------------------------------------------------------------


class SessionRunArgs(NamedTuple):
    """What to run.

    Args:
      fetches: as for `Session.run`.
      feed_dict: as for `Session.run`.
      options: a `RunOptions`.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a run gave.

    Args:
      results: the values of the hook's fetches.
      options: the options of the run.
      run_metadata: what the run told about itself.
    """

    results: Any
    options: Any
    run_metadata: Any


@dataclass(eq=False)
class SessionRunContext:
    """What a hook may know of a run.

    Args:
      original_args: the caller's own `SessionRunArgs`.
      session: the session that runs, without any hooks.

    Attributes:
      stop_requested: whether someone asked for the end.
    """

    original_args: SessionRunArgs
    session: Any
    stop_requested: bool = field(default=False, init=False)

    def request_stop(self) -> None:
        """Asks for the end: `should_stop()` of the session becomes true after this run."""
        self.stop_requested = True


class _ByMethods(abc.ABCMeta):
    """Takes for a hook what has all methods of one, so that packages which do not import this one
    can offer hooks, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        methods = [name for name in vars(SessionRunHook) if not name.startswith("_")]
        return super().__instancecheck__(instance) or (
            cls is SessionRunHook and all(hasattr(type(instance), name) for name in methods)
        )


class SessionRunHook(metaclass=_ByMethods):
    """Base of the hooks; a subclass overrides what it needs."""

    def begin(self) -> None:
        """Is called once, while the graph may still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Is called when there is a new session: at the start, and after a recovery.

        Args:
          session: the new session.
          coord: the coordinator of the threads that belong to it.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Is called before each run; what it returns is run together with the caller's fetches."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Is called after each run that did not fail."""

    def end(self, session: Any) -> None:
        """Is called at the end, unless that is an error."""


# ---- hooks that look -------------------------------------------------------------------


class SecondOrStepTimer:
    """Tells when to act, every so many seconds or steps.

    Args:
      every_secs: the interval in seconds.
      every_steps: the interval in steps.

    Raises:
      ValueError: unless one of them is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Begins anew."""
        self._step: int | None = None
        self._time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time, at this step."""
        if self._step is None:
            return True
        if self._step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._time + self._every_secs
        return step >= self._step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that something was done at this step; returns the seconds and steps since then."""
        now, before, self._step = time.time(), self._step, step
        seconds, self._time = now - self._time, now
        return (None, None) if before is None else (seconds, step - before)

    def last_triggered_step(self) -> int | None:
        """The step when something was last done."""
        return self._step


class StepHook(SessionRunHook):
    """Base of the hooks that act by the global step, which they fetch with every run.

    Attributes:
      _timer: says when it is time, for those that ask `_due`.
      _steps_per_run: how many steps a run makes, as with loops on a TPU.
    """

    _timer: SecondOrStepTimer
    _steps_per_run = 1

    def begin(self) -> None:
        self._global_step = required_global_step(type(self).__name__)

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        return SessionRunArgs(self._global_step)

    def _now(self, session: Any) -> int:
        """The global step."""
        return int(session.run(self._global_step))

    def _due(self, run_context: Any, run_values: Any) -> int | None:
        """The global step when it is time to act; None when it is not."""
        if self._timer.should_trigger_for_step(int(run_values.results) + self._steps_per_run):
            step = self._now(run_context.session)
            if self._timer.should_trigger_for_step(step):
                return step
        return None


def _element(thing: Any) -> Any:
    """The tensor or operation that a hook is asked to watch."""
    graph = stacks.get_default_graph()
    if not isinstance(thing, str):
        if getattr(thing, "graph", None) is not graph:
            raise ValueError(
                f"Passed {thing} should have graph attribute that is equal to current graph "
                f"{graph}."
            )
        return thing
    if ":" in thing:
        return graph.as_graph_element(thing)
    element = graph.as_graph_element(thing + ":0")
    if len(element.op.outputs) > 1:
        raise ValueError(
            f"Name {thing} is ambiguous, as this `Operation` has multiple outputs (at least 2)."
        )
    return element


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors, at level INFO.

    Args:
      tensors: tensors or their names, as a list or as a dict from tags.
      every_n_iter: the interval in runs.
      every_n_secs: the interval in seconds.
      at_end: log at the end as well.
      formatter: makes the text from a dict of values.

    Raises:
      ValueError: when no interval is given, or two.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict], str] | None = None,
    ) -> None:
        self._only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not self._only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tag_order = sorted(tensors)
        else:
            self._tag_order = list(tensors)
            tensors = {item: item for item in tensors}
        self._tensors = tensors
        self._formatter = formatter
        self._at_end = at_end
        self._timer = SecondOrStepTimer(
            every_secs=every_n_secs, every_steps=1 if self._only_at_end else every_n_iter
        )

    def begin(self) -> None:
        self._timer.reset()
        self._count = 0
        self._current = {tag: _element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        self._wanted = not self._only_at_end and self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._current) if self._wanted else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._wanted:
            self._log(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._current))

    def _log(self, values: dict) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        if self._formatter:
            logging.info(self._formatter(values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tag_order)
        if seconds is None:
            logging.info("%s", text)
        else:
            logging.info("%s (%.3f sec)", text, seconds)


class StopAtStepHook(StepHook):
    """Asks for the end at a global step.

    Args:
      num_steps: how many steps to go on.
      last_step: the step at which to stop.

    Raises:
      ValueError: unless one of them is given.
    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> count = step.assign_add(1)
      >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(3)]) as session:
      ...     while not session.should_stop():
      ...         print(session.run(count))
      1
      2
      3
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = self._now(session) + (self._num_steps or 0)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        last = self._last_step or 0
        if run_values.results + 1 >= last and self._now(run_context.session) >= last:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number any more."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends the training when the loss is not a number.

    Args:
      loss_tensor: the loss.
      fail_on_nan_loss: raise `NanLossDuringTrainingError`; else only stop.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        run_context.request_stop()


# ---- the rest ----------------------------------------------------------------------------


class FinalOpsHook(SessionRunHook):
    """Runs something at the end.

    Args:
      final_ops: what to fetch.
      final_ops_feed_dict: what to feed.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops = final_ops
        self._feed_dict = final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What it gave."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)
        except (errors.OutOfRangeError, StopIteration) as error:
            logging.warning("An OutOfRangeError or StopIteration exception is raised: %s", error)
            raise


class FeedFnHook(SessionRunHook):
    """Feeds what a function returns, in every run.

    Args:
      feed_fn: returns a feed_dict.
    """

    def __init__(self, feed_fn: Callable[[], dict]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
