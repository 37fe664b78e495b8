"""The client of calls: a `Channel` sends a request, a `Pending` waits for its answer.

Each call has a connection of its own until its reply has come. A message therefore needs no number,
and a large tensor of one call never delays another call.

Failures, and their errors:
  the peer's process ends        its socket closes              UnavailableError within milliseconds
  the peer hangs or is stopped   heartbeats are not answered    UnavailableError
  the peer was restarted         another incarnation number     AbortedError
  the server is full             it refuses the connection      the call uses another connection

After a call the connection is kept for the next one only when the reply was read to the last byte
and the call was not interrupted. Otherwise it is closed.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from minitf.core.cluster.cluster_spec import check_address
from minitf.core.cluster.wire import handshake
from minitf.core.cluster.wire.call import Answer, Fields, decode_error, derived, rendezvous_key
from minitf.core.cluster.wire.connection import watch
from minitf.core.cluster.wire.framing import FramingError
from minitf.core.cluster.wire.transport import TransportOptions, connect
from minitf.core.graph import errors, untrusted
from minitf.core.graph.process import in_child
from minitf.core.runtime.run.executor import threads
from minitf.core.runtime.run.rendezvous import Key

# ---- tensors during a call ----------------------------------------------------------------
#
# The connection of a `run_graph` call is idle between request and reply. The two tasks use it for
# the tensors of the step, so that a training step needs four messages and wakes no further thread:
#
#     worker task (master of the step)              parameter server
#       run_graph(step)            ------------->     W, b are sent
#                                  <-------------     {tensors: [W, b]}
#       gradients are computed
#       {tensors: [dW, db]}        ------------->     W -= dW, ...
#                                  <-------------     reply
#
# Both ends are programs that run in one thread each. The tensors that a program sends are collected
# until it waits, and then sent in one message. All other tasks ask for tensors with `recv_tensor`.
#
# A step may be aborted while one end waits for the other. Between two messages the waiting thread
# is woken, and the connection stays usable for the reply and for later calls. A message that has
# begun is read or sent to its end: it may be the reply with the reason. The connection is closed
# only when the other end is stuck in a message for seconds.

STUCK_AFTER = 5.0  # seconds for a message to end whose step was aborted


class _Interrupted(Exception):
    """The step was aborted, and the talk is between two messages."""


class Talk:
    """One end of such a connection.

    Args:
      connection: of the call.
      task: the task at the other end.
      fail: gets an error of the connection, and raises the error for the step.
    """

    def __init__(self, connection: Any, task: str, fail: Callable[[BaseException], NoReturn]):
        self.task = task
        self.reply: tuple[dict[str, Any], list[Any], int] | None = None  # of the call, if it came
        self._connection = connection
        self._fail = fail
        self._outgoing: dict[Key, Any] = {}
        self._arrived: list[tuple[list[Key], list[Any], int]] = []
        self._deadline: float | None = None
        self._interrupted: float | None = None  # since when, as `time.monotonic()`
        connection.notice_quiet()

    def put(self, key: Key, value: Any) -> None:
        """Adds a tensor to the next message."""
        self._outgoing[key] = value

    def flush(self) -> None:
        """Sends the tensors that were put, unless the step was aborted."""
        if not self._outgoing:
            return
        keys = [key.text for key in self._outgoing]
        values = [value for key, value in self._outgoing.items() if not key.is_control]
        self._outgoing = {}
        if self._interrupted is not None:
            return
        self._connection.look = self._look
        try:
            self._connection.send_reading_ahead({"tensors": keys}, values)
        except (OSError, EOFError) as error:
            self._fail(error)
        finally:
            self._connection.look = None

    def receive(self, deadline: float | None) -> list[tuple[list[Key], list[Any], int]]:
        """Waits for one message; returns (keys, tensors, bytes) of each one that has arrived.

        The list is empty when the call's reply is there, or when the wait was interrupted.

        Args:
          deadline: a `time.monotonic()` time, or None.
        Raises:
          TimeoutError: when the deadline is over.
        """
        if not self._arrived and self.reply is None:
            self._deadline = deadline
            self._connection.look = self._look
            try:
                self._take()
            except _Interrupted:
                pass
            except TimeoutError:
                raise
            except (OSError, EOFError) as error:
                self._fail(error)
            finally:
                self._connection.look = None
        arrived, self._arrived = self._arrived, []
        return arrived

    def interrupt(self) -> None:
        """Ends the wait of the thread that talks; callable from another thread."""
        self._interrupted = time.monotonic()

    def _look(self, between: bool) -> None:
        """Called by the waiting thread while nothing comes; see `Connection.look`."""
        now = time.monotonic()
        if self._interrupted is not None:
            if between:
                raise _Interrupted
            if now - self._interrupted > STUCK_AFTER:
                raise ConnectionError(f"{self.task} is stuck in a message")
        elif between and self._deadline is not None and now > self._deadline:
            raise TimeoutError

    def _take(self) -> None:
        fields, arrays, nbytes = self._connection.receive()
        if "tensors" not in fields:
            self.reply = (fields, arrays, nbytes)
            return
        try:
            keys = untrusted.listed(fields["tensors"], "The field 'tensors'", rendezvous_key)
        except ValueError as error:
            raise FramingError(f"{self.task} sends tensors without their names: {error}") from None
        empty = [key.is_control for key in keys]
        if empty.count(False) != len(arrays):
            raise FramingError(f"{self.task} sends {len(arrays)} tensors under other names")
        rest = iter(arrays)
        values = [None if nothing else next(rest) for nothing in empty]
        self._arrived.append((keys, values, nbytes))


# ---- calls --------------------------------------------------------------------------------

logger = logging.getLogger("tensorflow")

IDLE_KEPT = 60.0  # seconds that a client keeps a connection which it does not use
TRUSTED = 0.02  # seconds after a call in which its connection is used again without a look at it


class Pending:
    """A call whose request has been sent. It owns its connection until the reply has come.

    Args:
      channel, connection: of the call.
      method: for messages.
      timeout: seconds, for messages.

    Attributes:
      began: the `time.monotonic()` time of its start.
      sent: the size of the request in bytes.
      talk: the exchange of tensors between request and reply, or None.
      on_lost: called, from another thread, when the peer does not answer heartbeats.
    """

    def __init__(self, channel: Channel, connection: Any, method: str, timeout: float | None):
        self._channel = channel
        self._connection = connection
        self._method = method
        self._timeout = timeout
        self._request: tuple[dict[str, Any], Any] = ({}, ())
        self.began = 0.0
        self.sent = 0
        self.talk: Talk | None = None
        self.on_lost: Callable[[], None] | None = None

    def send(self, request: dict[str, Any], arrays: Any) -> None:
        """Sends the request."""
        connection = self._connection
        self._request = request, arrays
        connection.used = self.began = time.monotonic()
        self._channel._active[connection] = self
        try:
            if connection.timeout != self._timeout:
                connection.settimeout(self._timeout)
            self.sent = connection.send(request, arrays)
        except BaseException as error:
            self.fail(error)

    def talk_with(self, task: str) -> Talk:
        """Starts sending and receiving tensors over the call's connection."""
        self.talk = Talk(self._connection, task, self.fail)
        return self.talk

    @property
    def connection(self) -> Any:
        """The call's connection, for a method that sends more than a request."""
        return self._connection

    @property
    def is_ready(self) -> bool:
        """Whether a part of the reply was read already, so that `select` would not report it."""
        return self._connection.is_ready or (self.talk is not None and self.talk.reply is not None)

    def fileno(self) -> int:
        """The socket's descriptor, so that `select` can wait for several replies."""
        return self._connection.fileno()

    def finish(self, within: float | None = None) -> Answer:
        """Waits for the reply.

        Args:
          within: seconds to wait for each part of the reply, for a caller that can do without it;
            the call's own limit when None.
        Raises:
          UnavailableError: when the peer disconnects.
          DeadlineExceededError: when the call's time limit is over.
          OpError: the error of the handler.
        """
        connection, channel = self._connection, self._channel
        try:
            if within is not None:
                connection.settimeout(within)
            if self.talk is not None and self.talk.reply is not None:
                fields, arrays, received = self.talk.reply
            else:
                fields, arrays, received = connection.receive()
            while "tensors" in fields:  # of a step that has failed here
                fields, arrays, received = connection.receive()
        except TimeoutError as error:
            if within is None:
                self.fail(error)
            self.drop()
            late = f"{channel.address} did not answer {self._method} in time"
            raise derived(errors.DeadlineExceededError.of(late)) from None
        except BaseException as error:
            self.fail(error)
        mine = channel._active.pop(connection, None) is not None  # or somebody has interrupted it
        if "refused" in fields or not mine:
            connection.close()
        if "refused" in fields:
            if fields.get("again") and self.talk is None:
                self._connection = channel._connection(self._timeout)
                self.send(*self._request)
                return self.finish(within)
            raise errors.UnimplementedError.of(
                f"{channel.address} refused {self._method}: {fields['refused']}"
            )
        if mine:
            channel._idle.append(connection)
        if "error" in fields:
            raise decode_error(fields)
        origin = f"The answer of {channel.address} to {self._method}: "
        return Answer(fields, arrays, received, self.sent, origin)

    def interrupt(self) -> None:
        """Ends the call from another thread: `finish` fails, and the peer sees a disconnect.

        It has no effect after the reply: another call may use the connection by now.
        """
        if self._channel._active.pop(self._connection, None) is not None:
            self._connection.interrupt()

    def drop(self) -> None:
        """Closes the connection without waiting for the reply."""
        self._channel._active.pop(self._connection, None)
        self._connection.close()

    def fail(self, error: BaseException) -> NoReturn:
        """Closes the connection, whose state is unknown, and raises the error for the caller."""
        self.drop()
        if isinstance(error, TypeError | ValueError | OverflowError):  # a value cannot travel
            raise errors.InvalidArgumentError.of(str(error)) from error
        if isinstance(error, TimeoutError):
            raise errors.DeadlineExceededError.of(
                f"Deadline Exceeded: {self._channel.address} did not answer {self._method} in "
                f"{self._timeout:.3g} s"
            ) from None
        if isinstance(error, EOFError | OSError):
            raise self._channel._unavailable(error) from None
        raise error


class Channel:
    """Calls one peer; any number of threads may use it at once.

    Args:
      address: "host:port" of the peer, or "inproc://NAME".
      options: token, TLS and timeouts.
    """

    def __init__(self, address: str, options: TransportOptions | None = None):
        self.address = check_address(address)
        self.options = options or TransportOptions()
        self.incarnation: int | None = None  # of the process that answered last
        self._idle: list[Any] = []  # connections that no call is using
        self._active: dict[Any, Pending] = {}  # connection -> the call it belongs to
        self._checking = False
        self._verdict = ""  # why the heartbeat gave the peer up
        channels.add(self)
        watch(self)

    def call(
        self,
        method: str,
        fields: dict[str, Any] | None = None,
        arrays: Any = (),
        timeout: float | None = None,
        incarnation: int | None = None,
    ) -> Answer:
        """Sends one request and waits for its reply: `begin(...).finish()`."""
        return self.begin(method, fields, arrays, timeout, incarnation).finish()

    def begin(
        self,
        method: str,
        fields: dict[str, Any] | None = None,
        arrays: Any = (),
        timeout: float | None = None,
        incarnation: int | None = None,
    ) -> Pending:
        """Sends one request; `finish()` waits for its reply.

        Args:
          method: the handler's name.
          fields: plain data.
          arrays: what `framing.encode` accepts.
          timeout: seconds to wait for a connection, and for each part of the reply; without it
            only heartbeats end the wait for a dead peer.
          incarnation: of the process that shall answer; None for any.
        Raises:
          UnavailableError: when the peer cannot be reached or disconnects.
          AbortedError: when another process answers at the address.
          InvalidArgumentError: when a value cannot be sent.
        """
        connection = self._connection(timeout)
        if incarnation is not None and connection.incarnation != incarnation:
            self._idle.append(connection)
            raise errors.AbortedError.of(
                f"The task at {self.address} is another process than before (incarnation "
                f"{connection.incarnation} vs. {incarnation}): it was probably restarted, and its "
                "variables are gone."
            )
        pending = Pending(self, connection, method, timeout)
        pending.send({"method": method, **fields} if fields else {"method": method}, arrays)
        return pending

    def post(
        self,
        method: str,
        fields: dict[str, Any],
        timeout: float,
        connect_timeout: float | None = None,
    ) -> threading.Event:
        """Sends a request from another thread, and ignores the answer.

        A peer that does not answer costs a connection and, for a few seconds, a thread.

        Args:
          timeout: seconds to wait for the answer, once there is a connection.
          connect_timeout: seconds to wait for a connection; those of the options when None.
        Returns: an event that is set after the answer or the timeout.
        """
        done = threading.Event()

        def work() -> None:
            try:
                if connect_timeout is not None:
                    self.connect(connect_timeout)
                self.call(method, fields, timeout=timeout)
            except errors.OpError as gone:
                logger.debug("%s did not hear %s: %s", self.address, method, gone)
            finally:
                done.set()

        threads.start(work)
        return done

    def connect(self, timeout: float) -> None:
        """Opens a connection for the next call, if there is none.

        Args:
          timeout: seconds to wait for the peer.
        Raises:
          UnavailableError: when it did not answer.
        """
        if not self._idle:
            self._idle.append(self._connect(timeout))

    def wait_until_ready(
        self, timeout: float, told: Callable[[errors.OpError], None] | None = None
    ) -> int:
        """Waits until the peer listens; returns its incarnation.

        It fails at once for reasons that will not change: another program answers at the port, or
        certificates do not fit. An unknown host name may be known later, and a silent peer may be
        busy; only a caller with `told` waits for these.

        Args:
          timeout: seconds to wait at most.
          told: called with the error of each failed attempt.
        Raises:
          UnavailableError: when the peer does not listen in time, or another program does.
          UnauthenticatedError: when token or certificates do not fit.
        """
        deadline = time.monotonic() + timeout
        said: errors.OpError | None = None  # by the last attempt that came to an end
        while True:
            try:
                left = max(0.1, deadline - time.monotonic())
                return Fields(self.call("ping", timeout=left)).whole("incarnation")
            except (errors.UnavailableError, errors.DeadlineExceededError) as error:
                reason = error.__context__  # what `_connect` met, behind TensorFlow's error
                if said is None or not isinstance(reason, handshake.UnfinishedError):
                    said = error
                passing = handshake.UnknownHostError | handshake.SilentError
                may_change = told is not None and isinstance(reason, passing)
                final = isinstance(reason, handshake.NoTaskError) and not may_change
                if final or time.monotonic() > deadline:
                    break
                if told is not None:
                    told(error)
                time.sleep(0.05)
        raise said

    def interrupt(self, verdict: str) -> None:
        """Ends every waiting call with UnavailableError."""
        self._verdict = verdict
        for pending in list(self._active.values()):
            pending.interrupt()
            if pending.on_lost is not None:
                pending.on_lost()

    def close(self) -> None:
        """Closes the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def leave_to_parent(self) -> None:
        """Closes a forked child's copies of the parent's connections."""
        for connection in (*self._idle, *self._active):
            connection.close()
        self._idle, self._active, self._checking = [], {}, False

    def _connection(self, timeout: float | None = None) -> Any:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                break
            recent = time.monotonic() - connection.used < TRUSTED and not connection.is_closed
            if recent or connection.idle_and_open():
                return connection
            connection.close()
        return self._connect(timeout)

    def _connect(self, timeout: float | None = None) -> Any:
        """Returns a new connection.

        Args:
          timeout: seconds; those of the options when None. A peer that has answered before may be
            silent for `frozen_after` seconds: it is stopped or busy.
        """
        options = self.options
        patience = options.frozen_after if self.incarnation is not None else 0.0
        deadline = time.monotonic() + (patience if timeout is None else min(patience, timeout))
        seconds = min(options.connect_timeout, timeout or options.connect_timeout)
        while True:
            try:
                connection = connect(self.address, options, seconds)
            except handshake.VersionError as error:
                raise errors.FailedPreconditionError.of(str(error)) from None
            except handshake.HandshakeError as error:
                raise errors.UnauthenticatedError.of(str(error)) from None
            except handshake.SilentError as error:
                if time.monotonic() >= deadline:
                    raise self._unavailable(error) from None
            except OSError as error:
                raise self._unavailable(error) from None
            else:
                self.incarnation = connection.incarnation
                self._verdict = ""
                return connection

    def _unavailable(self, error: BaseException) -> errors.OpError:
        self.close()
        if isinstance(error, handshake.NoTaskError):
            return errors.UnavailableError.of(str(error))
        reason = self._verdict or str(error) or type(error).__name__
        return errors.UnavailableError.of(
            f"Socket closed: the task at {self.address} is gone ({reason})"
        )

    def look_after(self) -> None:
        """Sends a heartbeat during long calls, and closes connections that are idle for long.

        The monitor calls this.
        """
        now = time.monotonic()
        with contextlib.suppress(IndexError):  # taken by a call meanwhile
            while now - self._idle[0].used > IDLE_KEPT:
                self._idle.pop(0).leave()
        if self._checking or not any(
            now - each.began > self.options.heartbeat for each in list(self._active.values())
        ):
            return
        self._checking = True
        threading.Thread(target=self._heartbeat, name="minitf-heartbeat", daemon=True).start()

    def _heartbeat(self) -> None:
        """Ends the waiting calls unless the peer answers within `frozen_after` seconds.

        A connection that fails is no proof: a crowded server may have closed it.
        """
        deadline = time.monotonic() + self.options.frozen_after
        try:
            while True:
                try:
                    self.call("ping", timeout=max(0.1, deadline - time.monotonic()))
                    return
                except errors.UnimplementedError:  # refused, for want of room: that is an answer
                    return
                except errors.OpError as error:
                    if not self._active:  # who waited has heard of the end
                        return
                    if time.monotonic() >= deadline:
                        self.interrupt(f"no answer to a heartbeat: {error.message}")
                        return
                time.sleep(0.05)
        finally:
            self._checking = False


def seconds_left(deadline: float | None) -> float | None:
    """Returns the seconds until a `time.monotonic()` time; None for no limit."""
    return None if deadline is None else max(0.001, deadline - time.monotonic())


@contextlib.contextmanager
def in_time(deadline: float | None) -> Iterator[None]:
    """Turns UnavailableError at or after `deadline` into DeadlineExceededError."""
    try:
        yield
    except errors.UnavailableError as error:
        if deadline is None or time.monotonic() < deadline - 0.05:
            raise
        raise errors.DeadlineExceededError.of(f"Deadline Exceeded ({error.message})") from None


channels: weakref.WeakSet[Channel] = weakref.WeakSet()


@in_child
def _after_fork() -> None:
    """A forked child opens its own connections."""
    for channel in list(channels):
        channel.leave_to_parent()
