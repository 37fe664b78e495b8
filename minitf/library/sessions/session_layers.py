"""The layers of a monitored session, each of which knows only the next one.

    Recoverable      makes a new session when a worker or parameter server was lost
      └─ Coordinated   ends the threads that belong to the session, and raises their errors
           └─ Hooked     calls the hooks round each run
                └─ Session

A lost worker or parameter server shows as `AbortedError` or `UnavailableError`. The session that
met it is given up: variables come from the last checkpoint, and the run is made once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.runtime.session.config import RunMetadata, RunOptions
from minitf.library.input.queues.runner import Coordinator, start_queue_runners
from minitf.library.sessions.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

_PREEMPTION = (errors.AbortedError, errors.UnavailableError)
_NO_OPTIONS, _NO_METADATA = RunOptions(), RunMetadata()  # of a run that nobody asked to trace


class SessionCreator:
    """Makes sessions: the first one, and another after each failure."""

    def create_session(self) -> Any:
        """Makes a session that is ready for use."""
        raise NotImplementedError(f"create_session is not implemented for {type(self).__name__}.")


class Hooked:
    """Calls the hooks round each run."""

    def __init__(self, sess: Any, hooks: Sequence[SessionRunHook]) -> None:
        self.session = sess
        self._hooks = hooks
        self._should_stop = False

    def should_stop(self) -> bool:
        return self._should_stop

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        if self._should_stop:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        feeds: dict = {}
        asked: list[tuple[SessionRunHook, Any]] = []
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asked.append((hook, request.fetches))
            if request.feed_dict:
                _check_apart(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
            if request.options:
                options = _merged(options, request.options)
        if feeds and feed_dict:
            _check_apart(feeds, feed_dict, "Same tensor is fed by a SessionRunHook and user.")
            feeds.update(feed_dict)
        feeds = feeds or feed_dict
        if options is not None and run_metadata is None:
            run_metadata = RunMetadata()
        # One flat tuple: the session finds its step by it, without a look into nested structures.
        kind = type(fetches) if type(fetches) in (list, tuple) else None
        own = fetches if kind else (fetches,)
        hooks_own = [each for _, each in asked]
        values = self.session.run(
            (*own, *hooks_own), feed_dict=feeds, options=options, run_metadata=run_metadata
        )
        result = kind(values[: len(own)]) if kind else values[0]
        results = {hook: value for (hook, _), value in zip(asked, values[len(own) :], strict=True)}
        options, run_metadata = options or _NO_OPTIONS, run_metadata or _NO_METADATA
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(results.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return result


def _check_apart(feeds: dict, more: dict, message: str) -> None:
    both = set(feeds) & set(more)
    if both:
        raise RuntimeError(f"{message} Conflict(s): {both}")


def _merged(options: Any, more: Any) -> Any:
    """Options that ask for what either asks for."""
    if options is None:
        return more
    merged = RunOptions()
    merged.__dict__.update(options.__dict__)
    for name in ("trace_level", "timeout_in_ms", "output_partition_graphs"):
        setattr(merged, name, max(getattr(options, name), getattr(more, name)))
    return merged


class Coordinated:
    """Ends the threads that belong to a session, and raises their errors."""

    def __init__(self, hooked: Hooked, coord: Coordinator, stop_grace_period_secs: float) -> None:
        self.hooked = hooked
        self.coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def should_stop(self) -> bool:
        self.coord.raise_requested_exception()
        return self.coord.should_stop() or self.hooked.should_stop()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.hooked.run(*args, **kwargs)
        except _PREEMPTION:
            raise
        except Exception:
            # When a thread failed first, as an input pipeline does, this run only suffered from it.
            try:
                self.coord.raise_requested_exception()
            except _PREEMPTION:
                raise
            except Exception:  # noqa: S110  (the run's own error tells more)
                pass
            raise

    def close(self) -> None:
        self.coord.request_stop()
        try:
            self.coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            self.hooked.session.close()


@dataclass(eq=False)
class Creator:
    """Makes the layers for each new session."""

    session_creator: SessionCreator
    hooks: Sequence[SessionRunHook]
    stop_grace_period_secs: float
    tf_sess: Any = None
    coord: Coordinator | None = None

    def create(self) -> Coordinated:
        self.tf_sess = self.session_creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        if stacks.get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self.hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        hooked = Hooked(self.tf_sess, self.hooks)
        return Coordinated(hooked, self.coord, self.stop_grace_period_secs)


class Recoverable:
    """Makes a new session when a worker or parameter server was lost."""

    def __init__(self, creator: Creator) -> None:
        self._creator = creator
        self._layers: Coordinated | None = self._create()

    def _create(self) -> Coordinated:
        while True:
            try:
                return self._creator.create()
            except _PREEMPTION as error:
                logging.info(
                    "An error was raised while a session was being created. This may be due to a "
                    "preemption of a connected worker or parameter server. A new session will be "
                    "created. Error: %s",
                    error,
                )

    def should_stop(self) -> bool:
        if self._layers is None:
            return True
        try:
            return self._layers.should_stop()
        except _PREEMPTION as error:
            self._lost(error)
            self._layers = self._create()
            return False
        except Exception:
            return True

    def run(self, *args: Any) -> Any:
        return self.retried(lambda layers: layers.run(*args))

    def retried(self, use: Callable[[Coordinated], Any]) -> Any:
        """Calls `use` with the layers, and with new ones as long as it loses them."""
        while True:
            try:
                if self._layers is None:
                    self._layers = self._create()
                return use(self._layers)
            except _PREEMPTION as error:
                self._lost(error)

    def _lost(self, error: BaseException) -> None:
        logging.info(
            "An error was raised. This may be due to a preemption in a connected worker or "
            "parameter server. The current session will be closed and a new session will be "
            "created. Error: %s",
            error,
        )
        self.close()

    def close(self) -> None:
        layers, self._layers = self._layers, None
        if layers is not None:
            try:
                layers.close()
            except _PREEMPTION as error:
                logging.error("An error occurred when attempting to close the session: %s", error)
