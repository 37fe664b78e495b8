"""The sessions of `tensorflow.python.training.monitored_session` that wrap another session each.

A `MonitoredSession` of minitf has layers of its own (library/sessions/session_layers.py),
which know one another; these can be put around any session, in any order.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import errors
from minitf.library.input.queues.coordinator import Coordinator

_PREEMPTION = (errors.AbortedError, errors.UnavailableError)


class WrappedSession:
    """A session that hands everything on; subclasses say when to stop.

    Args:
      sess: a session, or another of these.
    """

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = hasattr(sess, "should_stop")

    @property
    def graph(self) -> Any:
        """The graph of the session."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """The address of the session."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether the session is closed, or it or the session inside asks to stop."""
        if self._sess is None or self._check_stop():
            return True
        return self._wrapped_is_stoppable and self._sess.should_stop()

    def _check_stop(self) -> bool:
        return False

    def close(self) -> None:
        """Closes the session inside; a second time does nothing."""
        if self._sess is not None:
            try:
                self._sess.close()
            except _PREEMPTION:
                pass
            finally:
                self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs in the session inside."""
        return self._sess.run(*args, **kwargs)


class CoordinatedSession(WrappedSession):
    """A session whose end is the end of a coordinator's threads.

    Args:
      sess: the session.
      coord: the coordinator.
      stop_grace_period_secs: how long to wait for the threads, in seconds.
    """

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Ends the threads and closes the session."""
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        finally:
            super().close()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs; what a thread raised counts more than what the run raises then."""
        try:
            return self._sess.run(*args, **kwargs)
        except _PREEMPTION:
            raise
        except Exception:
            self._coord.raise_requested_exception()
            raise


class RecoverableSession(WrappedSession):
    """A session that is made anew when a machine was lost.

    Args:
      sess_creator: an object with `create_session`.
    """

    def __init__(self, sess_creator: Any) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create())

    def _create(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except _PREEMPTION:
                continue

    def _check_stop(self) -> bool:
        try:
            return bool(self._wrapped_is_stoppable and self._sess._check_stop())
        except _PREEMPTION:
            self.close()
            self._sess = self._create()
            return False
        except Exception:  # it comes again from the run
            return True

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs, in another session if this one is lost."""
        while True:
            if self._sess is None:
                self._sess = self._create()
            try:
                return self._sess.run(*args, **kwargs)
            except _PREEMPTION:
                self.close()
