"""The asking end of calls: a `Channel` sends a request, a `Pending` waits for its answer.

A call has its connection to itself until the reply has come; calls at the same time have different
ones. So a message needs no number, and a large tensor of one call never delays another.

What can go wrong, and how the caller learns of it:
  the peer's process ends        its socket closes              UnavailableError within milliseconds
  the peer hangs or is stopped   heartbeats are not answered    UnavailableError
  the peer was restarted         another incarnation number     AbortedError
  the server has no room         it says so                     the call takes another connection

After a call its connection is kept for the next one only when the reply was read to the last byte
and nobody interrupted it. Otherwise it is closed.
"""

from __future__ import annotations

import contextlib
import logging
import os
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
from minitf.core.cluster.wire.transport import (
    TransportOptions,
    connect_here,
    event_loop_thread,
    is_here,
)
from minitf.core.graph import errors, untrusted
from minitf.core.runtime.run.executor import threads
from minitf.core.runtime.run.rendezvous import Key

# ---- tensors on the way of a call ---------------------------------------------------------
#
# While a `run_graph` call is under way, its connection lies idle between request and reply. The two
# tasks use it for the tensors of the step, so that a training step costs four messages and wakes no
# thread that is not needed:
#
#     worker task (master of the step)              parameter server
#       run_graph(step)            ------------->     W, b are sent
#                                  <-------------     {tensors: [W, b]}
#       gradients are computed
#       {tensors: [dW, db]}        ------------->     W -= dW, ...
#                                  <-------------     reply
#
# Both ends are programs that run in one thread each. What a program sends is gathered until it
# waits for something, and then leaves in one message. Tasks that talk like this need not ask each
# other; all others ask with `recv_tensor`.
#
# A step may be given up while an end waits for the other. Between two messages the waiting thread
# is woken, and the connection stays good for the reply and for later calls. A message that has
# begun is read or sent to its end: it may be the reply that says why. Only when the other end is
# stuck in it for seconds the connection is closed, for nobody knows any more where it would go
# on.

STUCK_AFTER = 5.0  # seconds for a message to end whose step has been given up


class _Interrupted(Exception):
    """The step was given up, and the talk stands between two messages."""


class Talk:
    """One end of such a connection.

    Args:
      connection: of the call.
      task: the task at the other end.
      fail: gets what went wrong with the connection, and raises what the step shall see.
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
        """Gives a tensor to the next message."""
        self._outgoing[key] = value

    def flush(self) -> None:
        """Sends what was put; nothing once the step has been given up."""
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
        """Waits for one message; returns (keys, tensors, bytes) of all that came since.

        Nothing comes when the call's reply is there, or when the wait was interrupted.

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
        """Ends the waiting of the thread that talks; callable from another thread."""
        self._interrupted = time.monotonic()

    def _look(self, between: bool) -> None:
        """What the waiting thread does while nothing comes; see `Connection.look`."""
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
    """A call whose request has been sent. Its connection belongs to it until the reply has come.

    Args:
      channel, connection: where it was sent.
      method: for messages.
      timeout: seconds, for messages.

    Attributes:
      began: the `time.monotonic()` time of its start.
      sent: the size of the request in bytes.
      talk: what goes on between request and reply, if something does.
      on_lost: called, from another thread, when the peer was found to be gone meanwhile.
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
        """The call's connection, for a method that sends more over it than a request."""
        return self._connection

    @property
    def is_ready(self) -> bool:
        """Whether a part of the reply was read already, so that `select` would not tell of it."""
        return self._connection.is_ready or (self.talk is not None and self.talk.reply is not None)

    def fileno(self) -> int:
        """The socket's descriptor, so that `select` can tell which of several replies is there."""
        return self._connection.fileno()

    def finish(self, within: float | None = None) -> Answer:
        """Waits for the reply.

        Args:
          within: seconds to wait for each part of the reply, for a caller who can do without it;
            the call's own limit when None.
        Raises:
          UnavailableError: when the peer goes away.
          DeadlineExceededError: when the call's time is over.
          OpError: what the handler raised.
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
        """Ends the call from another thread: `finish` fails, and the peer sees the caller go.

        Nothing happens when the reply has come: the connection may be another call's by now.
        """
        if self._channel._active.pop(self._connection, None) is not None:
            self._connection.interrupt()

    def drop(self) -> None:
        """Gives the call up: nobody waits for its reply any more."""
        self._channel._active.pop(self._connection, None)
        self._connection.close()

    def fail(self, error: BaseException) -> NoReturn:
        """Closes the connection, whose state nobody knows, and raises what callers expect."""
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
        """Sends one request; the caller does something else until it calls `finish()`.

        Args:
          method: the handler's name.
          fields: plain data.
          arrays: what `framing.encode` accepts.
          timeout: seconds to wait for a connection, and for each part of the reply; without one
            only the heartbeats end the wait for a dead peer.
          incarnation: the process the call is meant for, None for whoever lives there.
        Raises:
          UnavailableError: when the peer cannot be reached or goes away.
          AbortedError: when another process has taken the peer's place.
          InvalidArgumentError: when a value cannot travel.
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
        """Sends a request from another thread, and does not wait; an answer is not looked at.

        A peer that does not answer costs a connection and, for a few seconds, a thread.

        Args:
          timeout: seconds until it is given up, once there is a connection.
          connect_timeout: seconds until there must be one; that of the options when None.
        Returns: set when it was answered or given up.
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
        """Makes a connection ready for the next call.

        Args:
          timeout: seconds to wait for a peer that does not answer.
        Raises:
          UnavailableError: when it did not answer.
        """
        if not self._idle:
            self._idle.append(self._connect(timeout))

    def wait_until_ready(
        self, timeout: float, told: Callable[[errors.OpError], None] | None = None
    ) -> int:
        """Waits until the peer listens; returns its incarnation.

        It does not wait for what will not change: a port where another program answers, or
        certificates that do not fit. A host name that is unknown may be known later, and a peer
        that is silent may be busy; for these only a caller with `told` waits.

        Args:
          timeout: seconds to wait at most.
          told: gets each failed attempt.
        Raises:
          UnavailableError: when the peer does not listen in time, or something else does.
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
        """Closes the connections that no call is using."""
        while self._idle:
            self._idle.pop().close()

    def leave_to_parent(self) -> None:
        """In a forked child: the parent's connections stay the parent's."""
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
          timeout: seconds; None for what the options say. A peer that has answered before may be
            silent for `frozen_after` seconds: it is stopped or busy rather than something else.
        """
        options = self.options
        patience = options.frozen_after if self.incarnation is not None else 0.0
        deadline = time.monotonic() + (patience if timeout is None else min(patience, timeout))
        seconds = min(options.connect_timeout, timeout or options.connect_timeout)
        while True:
            try:
                if is_here(self.address):
                    connection = connect_here(self.address)
                else:
                    connection = event_loop_thread().connect(self.address, options, seconds)
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
        """Asks the peer of a long call whether it lives; closes what lies idle for long.

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

        A connection that fails says nothing yet: a crowded server may have closed it.
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
    """How long it is until a `time.monotonic()` time; None for no limit."""
    return None if deadline is None else max(0.001, deadline - time.monotonic())


@contextlib.contextmanager
def in_time(deadline: float | None) -> Iterator[None]:
    """Says of a peer that could not be reached before `deadline` that the time is over."""
    try:
        yield
    except errors.UnavailableError as error:
        if deadline is None or time.monotonic() < deadline - 0.05:
            raise
        raise errors.DeadlineExceededError.of(f"Deadline Exceeded ({error.message})") from None


channels: weakref.WeakSet[Channel] = weakref.WeakSet()


def _after_fork() -> None:
    """A forked child makes its own connections."""
    for channel in list(channels):
        channel.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
