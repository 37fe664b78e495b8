"""Calls between tasks: a TaskServer answers by handler name, a Channel asks.

    Channel.call("recv_tensor", {...})              TaskServer
       own thread, a free connection   ------->     the connection's thread -> handler(Call)
                                       <-------     reply, or an error with TensorFlow's code

A call has its connection to itself until the reply has come; calls at the same time have different
ones. So a message needs no number, and a large tensor of one call never delays another.

What can go wrong, and how the caller learns of it:
  the peer's process ends        its socket closes              UnavailableError within milliseconds
  the peer hangs or is stopped   heartbeats are not answered    UnavailableError
  the peer was restarted         another incarnation number     AbortedError
  the caller goes away           the server sees its socket     the call's `on_disconnect` runs
  the server has no room         it says so                     the call takes another connection

A server has room for MAX_CONNECTIONS. To let one more in it closes the one that has been idle for
the longest; only when every connection is in a call is a new one turned away.

After a call its connection is kept for the next one only when the reply was read to the last byte
and nobody interrupted it. Otherwise it is closed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import secrets
import socket
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, NoReturn

from minitf.core.cluster.cluster_spec import check_address
from minitf.core.cluster.wire import handshake, inproc, monitor
from minitf.core.cluster.wire.failures import decode_error, derived, encode_error
from minitf.core.cluster.wire.fields import Fields
from minitf.core.cluster.wire.talk import Talk
from minitf.core.cluster.wire.traffic import CAPACITY, SAMPLE, TrafficTap, as_plain
from minitf.core.cluster.wire.transport import TransportOptions, event_loop_thread
from minitf.core.graph import errors
from minitf.core.graph.op_def import load_all_ops
from minitf.core.runtime.run.executor import threads

logger = logging.getLogger("tensorflow")

MAX_CONNECTIONS = 512  # of one server
MAX_HERE = 1 << 16  # of one that is reached from its own process alone
IDLE_KEPT = 60.0  # seconds that a client keeps a connection which it does not use
TRUSTED = 0.02  # seconds after a call in which its connection is used again without a look at it
LONG_CALL = 0.25  # seconds after which a call's caller is looked at

Reply = tuple[dict[str, Any], Any]
Handler = Callable[["Call"], Reply]
_offered: dict[str, Callable[[TaskServer, Call], Reply]] = {}


def offer(method: str, handler: Callable[[TaskServer, Call], Reply]) -> None:
    """Lets every task answer the calls of a library's operations, named `library.method`."""
    _offered[method] = handler


@dataclass
class Call:
    """One request, as its handler sees it.

    Attributes:
      fields: the plain data of the request.
      arrays: its arrays.
      nbytes: its size on the wire, 0 within one process.
      connection: the connection it came over, None within one process.
      on_disconnect: set by a handler that may take long: called when the caller has gone away.
      on_reply: set by a handler: called with the size of the reply once it has been sent.
    """

    fields: dict[str, Any]
    arrays: Any
    nbytes: int = 0
    connection: Any = None
    on_disconnect: Callable[[], None] | None = None
    on_reply: Callable[[int], None] | None = None
    started: float = field(default_factory=time.monotonic)


class TaskServer:
    """Answers calls at one address; what it can do is a table of handlers.

    Args:
      task: the task's name, "/job:ps/task:0".
      options: token, TLS and timeouts.
    Example:
      >>> server = TaskServer("/job:ps/task:0")
      >>> server.handle("double", lambda call: ({}, [2 * call.arrays[0]]))
      >>> server.start("localhost:2222")  # it takes the port  # doctest: +SKIP
    """

    def __init__(self, task: str, options: TransportOptions | None = None):
        self.task = task
        self.options = options or TransportOptions()
        self.incarnation = secrets.randbits(62) | 1
        self.tap = TrafficTap()
        self.address = ""
        self.kept: dict[str, Any] = {}  # what libraries keep for the task, by name
        self.peers: Any = None  # how it reaches the other tasks
        self.master: Any = None  # the task's master, for sessions in the same process
        self._handlers: dict[str, Handler] = {"ping": self._ping, "traffic": self._traffic}
        self._connections: dict[Any, Call | None] = {}
        self._idle: dict[Any, bool] = {}  # those between two calls, the longest idle first
        self._lock = threading.Lock()
        self._listener: Any = None
        self._attending = False
        self.stopped = threading.Event()  # set once the server has been stopped
        #: gets each connection that ended without notice; set by a service that keeps things
        self.on_end: Callable[[Any], None] | None = None
        #: gets each new connection; what it takes, returning True, is not served. Must not block
        self.take: Callable[[Any], bool] | None = None
        #: tells where the task's steps stand, when somebody asks for the traffic
        self.standing: Callable[[], list[dict[str, Any]]] = list
        #: looks at each call from another process, and raises what is to be the answer instead
        self.guard: Callable[[str, Call], None] | None = None

    def handle(self, method: str, handler: Handler) -> None:
        """Makes `handler` answer the calls named `method`."""
        self._handlers[method] = handler

    def handle_all(self, *handlers: Handler) -> None:
        """Makes each of the functions answer the calls of its name."""
        self._handlers |= {handler.__name__: handler for handler in handlers}

    def start(self, address: str) -> str:
        """Listens at "host:port" (port 0: a free one); returns the address with its real port.

        At "inproc://NAME" it takes connections of its own process. A host by which only others know
        this machine, such as a service of a cluster manager, and which may be unknown here until
        the task is up: then it listens on all addresses.
        """
        identity = {"task": self.task, "incarnation": self.incarnation}
        if inproc.is_here(address):
            inproc.listen(address, self.serve, identity)
            self.address = address
        else:
            listen = event_loop_thread().listen
            host, _, port = address.rpartition(":")
            try:
                self._listener = listen(address, self.serve, identity, self.options)
            except OSError as error:
                if not isinstance(error, socket.gaierror) and error.errno != errno.EADDRNOTAVAIL:
                    raise
                self._listener = listen(f"0.0.0.0:{port}", self.serve, identity, self.options)
            self.address = f"{host}:{self._listener.listen_address.rpartition(':')[2]}"
        _servers[_place(self.address)] = self
        self.attend()
        return self.address

    def attend(self) -> None:
        """Begins to look after callers; `start` does it, where the server listens."""
        self._attending = True
        monitor.watch(self)

    def stop(self) -> None:
        """Stops listening and closes every connection."""
        if not self._attending or self.stopped.is_set():
            return
        self.stopped.set()
        monitor.forget(self)
        _servers.pop(_place(self.address), None)
        if self._listener is not None:
            event_loop_thread().stop(self._listener)
        else:
            inproc.stop(self.address)
        with self._lock:
            connections = dict(self._connections)
        for connection, call in connections.items():
            connection.interrupt()
            if call is not None and call.on_disconnect is not None:
                call.on_disconnect()  # or a step that waits for others would stay

    def leave_to_parent(self) -> None:
        """In a forked child: the parent serves on, and the child holds none of its sockets.

        A socket that the child kept open would hide the end of the parent from its peers.
        """
        self.stopped = threading.Event()  # the old one's lock may belong to a thread of the parent
        self.stopped.set()
        self._lock = threading.Lock()
        monitor.forget(self)
        if self._listener is not None:
            self._listener.leave_to_parent()
        for connection in self._connections:
            connection.close()
        if self.master is not None:
            self.master.leave_to_parent()

    def answer(self, method: str, call: Call) -> Reply:
        """Runs a handler in the caller's thread, for callers in the same process.

        Raises:
          UnimplementedError: when no handler has that name.
        """
        handler = self._handler(method)
        if handler is None:
            raise errors.UnimplementedError.of(f"{self.task} has no handler {method!r}")
        return handler(call)

    def _handler(self, method: str) -> Handler | None:
        found = self._handlers.get(method)
        if found is None:
            if "." in method and method not in _offered:
                load_all_ops()  # libraries offer theirs when they are imported
            if method in _offered:
                found = self._handlers[method] = partial(_offered[method], self)
        return found

    def serve(self, connection: Any) -> None:
        """Answers, in a thread of its own, the calls that come over a connection."""
        if self.take is not None and self.take(connection):
            return
        work = self._serve
        with self._lock:
            most = MAX_HERE if inproc.is_here(self.address) else MAX_CONNECTIONS
            full = len(self._connections) >= most
            if self.stopped.is_set() or (full and not self._make_room()):
                work = self._turn_away
            else:
                self._connections[connection] = None
        threading.Thread(target=work, args=(connection,), name=self.task, daemon=True).start()

    def _make_room(self) -> bool:
        """Closes the connection that has been idle for the longest; False when none is idle."""
        while self._idle:
            with contextlib.suppress(RuntimeError):  # one came or went while we looked
                longest = next(iter(self._idle), None)
                if longest is not None and self._idle.pop(longest, False):
                    self._connections.pop(longest, None)
                    longest.stop_receiving()  # `_serve` does the rest
                    return True
        return False

    def _turn_away(self, connection: Any) -> None:
        connection.refuse(f"{self.task} has {MAX_CONNECTIONS} connections and takes no more")

    def _serve(self, connection: Any) -> None:
        idle = self._idle
        in_order = False
        try:
            while not self.stopped.is_set():
                idle[connection] = True
                with contextlib.suppress(EOFError):
                    connection.await_message()
                if not idle.pop(connection, False):  # `_make_room` was faster
                    in_order = True
                    connection.refuse(f"{self.task} needed the room", again=True)
                    return
                fields, arrays, nbytes = connection.receive()
                in_order = "bye" in fields
                if in_order:
                    return
                method = fields.pop("method", None)
                if method is None and "tensors" in fields:
                    continue  # for a step that failed here while they were on their way
                handler = self._handler(method) if type(method) is str else None
                if handler is None:
                    connection.refuse(f"{self.task} has no handler {method!r}")
                    return
                call = self._connections[connection] = Call(fields, arrays, nbytes, connection)
                fields, arrays = self._reply(method, handler, call)
                self._connections[connection] = None
                try:
                    sent = connection.send(fields, arrays)
                    if call.on_reply is not None:
                        call.on_reply(sent)
                except (
                    TypeError,
                    ValueError,
                    OverflowError,
                ) as error:  # nothing has been sent: a value cannot travel
                    refusal = errors.InvalidArgumentError.of(str(error))
                    connection.send(encode_error(refusal))
                del call, fields, arrays  # or a large array stays alive until the next call
        except EOFError:
            pass
        except ConnectionError as error:
            connection.refuse(str(error))
        except OSError:
            pass
        finally:
            idle.pop(connection, None)
            connection.close()
            with self._lock:
                self._connections.pop(connection, None)
            if self.on_end is not None and not in_order:
                self.on_end(connection)

    def _reply(self, method: str, handler: Handler, call: Call) -> Reply:
        try:
            if self.guard is not None:
                self.guard(method, call)
            return handler(call)
        except errors.OpError as error:
            return encode_error(error), ()
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{type(error).__name__}: {error} (in {where.name}, line {where.lineno})"
            return encode_error(errors.InternalError.of(message)), ()

    def look_after(self) -> None:
        """Tells the handlers of long calls whose callers have gone away; the monitor calls this."""
        now = time.monotonic()
        for connection, call in list(self._connections.items()):
            if (
                call is not None
                and call.on_disconnect is not None
                and now - call.started > LONG_CALL
                and connection.peer_is_gone()
            ):
                call.on_disconnect()

    def _ping(self, call: Call) -> Reply:
        return {"incarnation": self.incarnation}, ()

    def _traffic(self, call: Call) -> Reply:
        given = Fields(call)
        every = given.truth("every", False)
        limit = CAPACITY if every else SAMPLE
        cursor, events = self.tap.drain(given.whole("cursor", default=0), limit)
        fields = {
            "task": self.task,
            "incarnation": self.incarnation,
            "cursor": cursor,
            "counters": self.tap.counters(),
            "waits": self.standing(),
        }
        if given.truth("cluster", False):
            fields["cluster"] = {task: self.peers.address(task) for task in self.peers.tasks}
        if every:  # more than the header of a message takes
            return fields, [json.dumps(as_plain(events)).encode()]
        return {**fields, "events": as_plain(events)}, ()


class Answer(NamedTuple):
    """What came back from a call.

    Args:
      fields, arrays: of the reply.
      received: the size of the reply on the wire, in bytes.
      sent: the size of the request.
      origin: how messages about it begin: who has answered what.
    """

    fields: dict[str, Any]
    arrays: list[Any]
    received: int = 0
    sent: int = 0
    origin: str = ""


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
        _channels.add(self)
        monitor.watch(self)

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
        while True:
            try:
                left = max(0.1, deadline - time.monotonic())
                return Fields(self.call("ping", timeout=left)).whole("incarnation")
            except (errors.UnavailableError, errors.DeadlineExceededError) as error:
                reason = error.__context__  # what `_connect` met, behind TensorFlow's error
                passing = handshake.UnknownHostError | handshake.SilentError
                may_change = told is not None and isinstance(reason, passing)
                final = isinstance(reason, handshake.NoTaskError) and not may_change
                if final or time.monotonic() > deadline:
                    raise
                if told is not None:
                    told(error)
                time.sleep(0.05)

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
                if inproc.is_here(self.address):
                    connection = inproc.connect(self.address)
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


def server_in_this_process(address: str) -> TaskServer | None:
    """Returns the task server of this process that listens at `address`, if there is one."""
    server = _servers.get(_place(address))
    host = address.rpartition(":")[0]
    if server is None or server.address == address or handshake.is_loopback(host):
        return server
    return None


def _place(address: str) -> str:
    """What tells the servers of one process apart: the port, or the whole of another address."""
    return address if inproc.is_here(address) else address.rpartition(":")[2]


def cut_connections() -> None:
    """Ends every connection of this process, as a broken network does."""
    ends = [end for channel in list(_channels) for end in (*channel._idle, *channel._active)]
    ends += [end for server in list(_servers.values()) for end in list(server._connections)]
    for end in ends:
        end.cut()


_servers: weakref.WeakValueDictionary[str, TaskServer] = weakref.WeakValueDictionary()
_channels: weakref.WeakSet[Channel] = weakref.WeakSet()


def _after_fork() -> None:
    """A forked child is another process: it serves nothing, and makes its own connections."""
    for server in list(_servers.values()):
        server.leave_to_parent()
    _servers.clear()
    for channel in list(_channels):
        channel.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
