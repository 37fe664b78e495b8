"""`tf.train.Coordinator` and `QueueRunner`: threads that keep queues filled, and stop together.

    start_queue_runners ──▶ one thread an enqueue op:  while not coord.should_stop(): run(enqueue)
                            one more:                  wait for the stop, then run(cancel)

    main thread                          each thread
    coord = Coordinator()                while not coord.should_stop():
    threads = [...]; start them              ...                # or coord.request_stop(error)
    coord.join(threads)   <── all have ended; the first error is raised here

Where no thread can start, as in a browser, who waits for a queue lets its runners take turns.
When the data ends, the last of the threads closes the queue, and whoever dequeues gets an
`OutOfRangeError` once the queue is empty.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph import errors, logging, stacks
from minitf.core.graph.graph import Graph
from minitf.core.graph.messages import Message
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Operation
from minitf.core.kernels.threads import can_start
from minitf.core.runtime.session.session import BaseSession
from minitf.library.input.queues.queues import QueueBase
from minitf.library.input.queues.states import Filler

_POLL = 0.1  # seconds between looks at whether all threads have ended by themselves


class Coordinator:
    """Coordinates the end of a group of threads.

    Args:
      clean_stop_exception_types: exceptions that mean a normal end; by default `OutOfRangeError`,
        which says that the data came to its end.

    Attributes:
      joined: whether `join` has ended.

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
        self.joined = False
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
            if error is not None and self.joined:
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
            self.joined = False
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
            self.joined = True
            self._registered_threads = set()
            if self._error is not None:
                raise self._error
        if alive:
            text = "Coordinator stopped with threads still running: " + " ".join(sorted(alive))
            if not ignore_live_threads:
                raise RuntimeError(text)
            logging.info("%s", text)

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


# ---- queue runners -----------------------------------------------------------------------


@dataclass
class QueueRunnerDef(Message):
    """The names of a queue runner's operations.

    Args:
      queue_name: the queue's operation.
      enqueue_op_name: the operations that fill it.
      close_op_name: closes it.
      cancel_op_name: closes it and cancels pending enqueues.
      queue_closed_exception_types: the codes of errors that mean the end of the data.
    """

    queue_name: str = ""
    enqueue_op_name: list[str] = field(default_factory=list)
    close_op_name: str = ""
    cancel_op_name: str = ""
    queue_closed_exception_types: list[int] = field(default_factory=list)

    def find(self, graph: Graph, scope: str | None) -> list[Any]:
        """The queue's operation, those that fill it, and the two that close it."""
        names = [self.queue_name, *self.enqueue_op_name, self.close_op_name, self.cancel_op_name]
        return [graph.as_graph_element(f"{scope}/{name}" if scope else name) for name in names]

    def closed_types(self) -> tuple[type[errors.OpError], ...]:
        """The errors that mean the end of the data."""
        codes = self.queue_closed_exception_types
        return tuple(errors.exception_type_from_error_code(code) for code in codes)


class QueueRunner:
    """Holds the enqueue operations of a queue, and makes the threads that run them.

    Args:
      queue: the queue.
      enqueue_ops: the operations, one for each thread; an operation may be there several times.
      close_op: closes the queue; pending enqueues go on. Made when None.
      cancel_op: closes the queue, and cancels pending enqueues. Made when None.
      queue_closed_exception_types: errors of an enqueue operation that mean the end of the data;
        `OutOfRangeError` by default.
      queue_runner_def: the names of the operations in the default graph, in place of all others.
      import_scope: the scope that they were imported under.

    Attributes:
      exceptions_raised: the errors of threads that had no coordinator to tell.

    Raises:
      ValueError: when there is no queue or no operation.
    Example:
      >>> queue, coord = tf.FIFOQueue(10, tf.float32), tf.train.Coordinator()
      >>> qr = tf.train.QueueRunner(queue, [queue.enqueue(tf.random_normal([]))] * 4)
      >>> threads = qr.create_threads(sess, coord=coord, start=True)
      >>> coord.request_stop()
      >>> coord.join(threads)
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Operation] | None = None,
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
        queue_closed_exception_types: tuple[type[BaseException], ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            found = queue_runner_def.find(stacks.get_default_graph(), import_scope)
            queue, *enqueue_ops, close_op, cancel_op = found
            queue_closed_exception_types = queue_runner_def.closed_types() or None  # an older one
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        kinds = queue_closed_exception_types
        if kinds is not None and not (
            isinstance(kinds, tuple)
            and kinds
            and all(isinstance(k, type) and issubclass(k, errors.OpError) for k in kinds)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {kinds}"
            )
        self.queue = queue
        self.enqueue_ops = list(enqueue_ops)
        self.close_op = queue.close() if close_op is None else close_op
        self.cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self.queue_closed_exception_types: tuple[type[BaseException], ...] = kinds or (
            errors.OutOfRangeError,
        )
        self._lock = threading.Lock()
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self.exceptions_raised: list[BaseException] = []

    @property
    def name(self) -> str:
        """The queue's name."""
        return self.queue.name

    def to_proto(self) -> QueueRunnerDef:
        """Returns the names of the operations."""
        queue = self.queue.queue_ref.op if isinstance(self.queue, QueueBase) else self.queue
        ops = [queue, *self.enqueue_ops, self.close_op, self.cancel_op]
        first, *fill, close, cancel = (op.name for op in ops)
        codes = [kind(None, None, "").error_code for kind in self.queue_closed_exception_types]  # type: ignore[attr-defined]
        return QueueRunnerDef(first, fill, close, cancel, codes)

    @staticmethod
    def from_proto(
        queue_runner_def: QueueRunnerDef, import_scope: str | None = None
    ) -> QueueRunner:
        """Makes the queue runner for operations that stand in the default graph already."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    def create_threads(
        self,
        sess: BaseSession,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Makes the threads for a session; none when they are running for it already.

        Args:
          sess: the session.
          coord: hears of errors, and tells the threads when to stop.
          daemon: whether the program may end while they run.
          start: whether to start them.
        """
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self.enqueue_ops)
            self.exceptions_raised = []
        jobs = [(op.name, self._run(sess, op, coord)) for op in self.enqueue_ops]
        if coord is not None:
            jobs.append(("close_on_stop", self._close_on_stop(sess, coord)))
        threads = []
        for name, turns in jobs:
            thread = threading.Thread(
                target=deque(maxlen=0).extend,  # takes all turns, and keeps nothing
                args=(turns,),
                name=f"QueueRunnerThread-{self.name}-{name}",
                daemon=daemon,
            )
            if coord is not None:
                coord.register_thread(thread)
            if start and can_start():
                thread.start()
            elif start:
                Filler(turns)
            threads.append(thread)
        return threads

    def _run(
        self, sess: BaseSession, enqueue_op: Operation, coord: Coordinator | None
    ) -> Generator[bool, None, None]:
        """One thread: fills the queue until the data ends, a stop is asked for or it fails."""
        counted = True
        try:
            enqueue = self._enqueuer(sess, enqueue_op)
            while not (_is_closed(sess) or (coord is not None and coord.should_stop())):
                try:
                    enqueue()
                except self.queue_closed_exception_types:
                    counted = False
                    if self._one_less(sess) == 0:
                        self._close(sess, self.close_op)
                    return
                yield True
        except Exception as error:
            given_up = isinstance(error, errors.CancelledError)
            if given_up and coord is not None and coord.joined:
                return  # the session was closed, and this wait with it
            if coord is None:
                logging.error("Exception in QueueRunner: %s", error)
                with self._lock:
                    self.exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            if counted:
                self._one_less(sess)

    def _enqueuer(self, sess: BaseSession, enqueue_op: Operation) -> Callable[[], Any]:
        """What a thread calls again and again."""
        return sess.make_callable(enqueue_op)

    def _one_less(self, sess: BaseSession) -> int:
        with self._lock:
            left = self._runs.get(sess, 1) - 1  # a collection may have taken both, in any order
            self._runs[sess] = left
            return left

    def _close_on_stop(self, sess: BaseSession, coord: Coordinator) -> Generator[bool, None, None]:
        """The last thread: ends the waiting of the others when a stop is asked for."""
        limit = None if can_start() else 0.0
        while not (coord.wait_for_stop(limit) or limit is None or _is_closed(sess)):
            yield False
        self._close(sess, self.cancel_op)

    @staticmethod
    def _close(sess: BaseSession, op: Operation) -> None:
        try:
            sess.run(op)
        except Exception as error:  # closed already, or the session is
            logging.debug("Ignored exception: %s", error)


def _is_closed(sess: BaseSession) -> bool:
    return not can_start() and getattr(sess, "_closed", False)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to a collection, whose runners `start_queue_runners` starts together."""
    stacks.add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all queue runners of the graph.

    Args:
      sess: the session; the default one when None.
      coord: as of `QueueRunner.create_threads`.
      daemon: whether the program may end while they run.
      start: whether to start them, or only to make them.
      collection: where the queue runners are.
    Returns: the threads.
    Raises:
      ValueError: when there is no session.
      TypeError: when `sess` is none.
    """
    if sess is None:
        sess = stacks.get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if not hasattr(sess, "make_callable") or not hasattr(sess, "graph"):
            raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        runners = stacks.get_collection(collection)
    threads: list[threading.Thread] = []
    for runner in runners:
        threads += runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    return threads
