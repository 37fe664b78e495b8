"""`tf.train.Coordinator`: lets several threads stop together, and brings their errors to one place.

main thread                          each thread
coord = Coordinator()                while not coord.should_stop():
threads = [...]; start them              ...                # or coord.request_stop(error)
coord.join(threads)   <── all have ended; the first error is raised here
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from minitf.core.graph import errors, logging

_POLL = 0.1  # seconds between looks at whether all threads have ended by themselves


class Coordinator:
    """Coordinates the end of a group of threads.

    Args:
      clean_stop_exception_types: exceptions that mean a normal end; by default `OutOfRangeError`,
        which says that the data came to its end.
    Example:
      >>> number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
      >>> sess.run(tf.local_variables_initializer())
      >>> coord = tf.train.Coordinator()
      >>> threads = tf.train.start_queue_runners(sess, coord)
      >>> try:
      ...     while not coord.should_stop():
      ...         print(sess.run(number))
      ... except tf.errors.OutOfRangeError:
      ...     print("done")
      ... finally:
      ...     coord.request_stop()
      0
      1
      2
      done
      >>> coord.join(threads)
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._registered_threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop; the first exception given is raised by `join`.

        Args:
          ex: an exception, or what `sys.exc_info()` returned, or None.
        Raises:
          the exception: when the threads have been joined already, so that nobody would see it.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if error is not None and self._joined:
                raise error
            if not self._stop_event.is_set():
                if error is not None and not isinstance(error, self._clean_stop_exception_types):
                    logging.info(
                        "Error reported to Coordinator: %s, %s",
                        type(error),
                        getattr(error, "message", error),
                    )
                    self._error = error
                self._stop_event.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for, and the error with it."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop_event.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context in which an exception asks for a stop, and goes no further.

        Example:
          >>> coord = tf.train.Coordinator()
          >>> with coord.stop_on_exception():
          ...     while not coord.should_stop():
          ...         raise tf.errors.OutOfRangeError(None, None, "no more work")
          >>> coord.should_stop()
          True
        """
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is asked for.

        Args:
          timeout: how long at most, in seconds.
        Returns: whether one was asked for.
        """
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread that `join` waits for."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until a stop is asked for, or all threads have ended; then until they have ended.

        Args:
          threads: the threads, beside those registered.
          stop_grace_period_secs: how long they may take to end after the stop, in seconds.
          ignore_live_threads: whether it is no error when some do not.
        Raises:
          the exception that was given to `request_stop`.
          RuntimeError: when threads are still running after the grace period.
        """
        with self._lock:
            everyone = self._registered_threads.union(threads or ())
        while any(t.is_alive() for t in everyone) and not self.wait_for_stop(_POLL):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in everyone:
            while thread.is_alive() and (left := deadline - time.monotonic()) > 0:
                thread.join(min(left, 1.0))
        alive = [thread.name for thread in everyone if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._error is not None:
                raise self._error
        if alive:
            text = "Coordinator stopped with threads still running: " + " ".join(sorted(alive))
            if not ignore_live_threads:
                raise RuntimeError(text)
            logging.info("%s", text)

    @property
    def joined(self) -> bool:
        """Whether `join` has ended."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception given to `request_stop`, if there was one."""
        with self._lock:
            if self._error is not None:
                raise self._error


class LooperThread(threading.Thread):
    """A thread that calls a function again and again until its coordinator stops.

    Args:
      coord: the coordinator.
      timer_interval_secs: the time from one call to the next, in seconds; None: at once.
      target: the function; by default `run_loop`, which a subclass overrides.
      args, kwargs: its arguments.
    Raises:
      ValueError: when `coord` is no Coordinator.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Any = None,
        kwargs: dict | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._loop_target = target
        self._loop_args = tuple(args or ())
        self._loop_kwargs = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = None,
        kwargs: dict | None = None,
    ) -> LooperThread:
        """Makes and starts a thread that calls `target(*args, **kwargs)` again and again."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.time()
                while not self._coord.wait_for_stop(max(due - time.time(), 0.0)):
                    due += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first turn."""

    def stop_loop(self) -> None:
        """Called after the last turn."""

    def run_loop(self) -> None:
        """One turn."""
        if self._loop_target is not None:
            self._loop_target(*self._loop_args, **self._loop_kwargs)
