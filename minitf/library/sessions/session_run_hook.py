"""`SessionRunHook`: what a program adds to the runs of a monitored session.

begin                          the graph may still grow
after_create_session           also after each recovery
  before_run -> SessionRunArgs     what the hook wants fetched and fed besides the caller's
  after_run  <- SessionRunValues   what it got; `run_context.request_stop()` ends the training
end                            the last chance to use the session
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import Any, NamedTuple


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
