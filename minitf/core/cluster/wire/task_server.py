"""The server of calls: a `TaskServer` has a handler for each name.

    Channel.call("recv_tensor", {...})              TaskServer
       own thread, a free connection   ------->     the connection's thread -> handler(Call)
                                       <-------     reply, or an error with TensorFlow's code

A server has at most MAX_CONNECTIONS. For a new one it closes the connection that has been idle for
longest; it refuses a new one only when every connection is in a call. When a caller disconnects,
the call's `on_disconnect` runs.
"""

from __future__ import annotations

import contextlib
import errno
import json
import secrets
import socket
import threading
import time
import traceback
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from minitf.core.cluster.wire import handshake
from minitf.core.cluster.wire.call import Call, Fields, Reply, encode_error
from minitf.core.cluster.wire.channel import channels
from minitf.core.cluster.wire.connection import forget, watch
from minitf.core.cluster.wire.traffic import CAPACITY, SAMPLE, TrafficTap, as_plain
from minitf.core.cluster.wire.transport import (
    TransportOptions,
    is_here,
    listen,
    listen_here,
    stop_here,
)
from minitf.core.graph import errors
from minitf.core.graph.op_def import load_all_ops
from minitf.core.graph.process import in_child

MAX_CONNECTIONS = 512  # of one server
MAX_HERE = 1 << 16  # of one that is reached from its own process alone
LONG_CALL = 0.25  # seconds after which a call's caller is checked

Handler = Callable[[Call], Reply]
_offered: dict[str, Callable[[TaskServer, Call], Reply]] = {}


def offer(method: str, handler: Callable[[TaskServer, Call], Reply]) -> None:
    """Registers a handler for every task; a library names it `library.method`."""
    _offered[method] = handler


class TaskServer:
    """Answers calls at one address with a table of handlers.

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
        #: gets each connection that ended without notice; set by a service with state
        self.on_end: Callable[[Any], None] | None = None
        #: gets each new connection; returns True to keep it, unserved. Must not block
        self.take: Callable[[Any], bool] | None = None
        #: returns the states of the task's steps, for the call "traffic"
        self.standing: Callable[[], list[dict[str, Any]]] = list
        #: checks each call from another process; raises the error to answer with
        self.guard: Callable[[str, Call], None] | None = None

    def handle(self, method: str, handler: Handler) -> None:
        """Registers `handler` for the calls named `method`."""
        self._handlers[method] = handler

    def handle_all(self, *handlers: Handler) -> None:
        """Registers each of the functions for the calls of its name."""
        self._handlers |= {handler.__name__: handler for handler in handlers}

    def start(self, address: str) -> str:
        """Listens at "host:port" (port 0: a free one); returns the address with its real port.

        At "inproc://NAME" it accepts connections of its own process. If only other machines know
        the host name, such as a service of a cluster manager, it listens on all addresses.
        """
        identity = {"task": self.task, "incarnation": self.incarnation}
        if is_here(address):
            listen_here(address, self.serve, identity)
            self.address = address
        else:
            host, _, port = address.rpartition(":")
            try:
                self._listener = listen(address, self.serve, identity, self.options)
            except OSError as error:
                if not isinstance(error, socket.gaierror) and error.errno != errno.EADDRNOTAVAIL:
                    raise
                self._listener = listen(f"0.0.0.0:{port}", self.serve, identity, self.options)
            self.address = f"{host}:{self._listener.place[1]}"
        _servers[_place(self.address)] = self
        self.attend()
        return self.address

    def attend(self) -> None:
        """Starts to check callers; `start` calls it for a server that listens."""
        self._attending = True
        watch(self)

    def stop(self) -> None:
        """Stops listening and closes every connection."""
        if not self._attending or self.stopped.is_set():
            return
        self.stopped.set()
        forget(self)
        _servers.pop(_place(self.address), None)
        if self._listener is not None:
            self._listener.stop()
        else:
            stop_here(self.address)
        with self._lock:
            connections = dict(self._connections)
        for connection, call in connections.items():
            connection.interrupt()
            if call is not None and call.on_disconnect is not None:
                call.on_disconnect()  # or a step that waits for others would stay

    def leave_to_parent(self) -> None:
        """Closes a forked child's copies of the sockets; the parent goes on.

        A socket that the child kept open would hide the end of the parent from its peers.
        """
        self.stopped = threading.Event()  # the old one's lock may belong to a thread of the parent
        self.stopped.set()
        self._lock = threading.Lock()
        forget(self)
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
        """Answers the calls of a connection in a thread of its own."""
        if self.take is not None and self.take(connection):
            return
        work = self._serve
        with self._lock:
            most = MAX_HERE if is_here(self.address) else MAX_CONNECTIONS
            full = len(self._connections) >= most
            if self.stopped.is_set() or (full and not self._make_room()):
                work = self._turn_away
            else:
                self._connections[connection] = None
        try:
            threading.Thread(target=work, args=(connection,), name=self.task, daemon=True).start()
        except RuntimeError:  # the system has no more threads, or the program ends
            self._connections.pop(connection, None)
            connection.refuse(f"{self.task} has no thread for it", again=True)

    def _make_room(self) -> bool:
        """Closes the connection that has been idle for longest; False when none is idle."""
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
        """Calls `on_disconnect` of long calls whose callers have disconnected; see `watch`."""
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
            "waits": self.standing() + self.tap.asks(),
        }
        if given.truth("cluster", False):
            fields["cluster"] = {task: self.peers.address(task) for task in self.peers.tasks}
        if every:  # more than the header of a message takes
            return fields, [json.dumps(as_plain(events)).encode()]
        return {**fields, "events": as_plain(events)}, ()


def server_in_this_process(address: str) -> TaskServer | None:
    """Returns the task server of this process that listens at `address`, if there is one."""
    server = _servers.get(_place(address))
    host = address.rpartition(":")[0]
    if server is None or server.address == address or handshake.is_loopback(host):
        return server
    return None


def _place(address: str) -> str:
    """Returns the key of a server in its process: the port, or an "inproc" address."""
    return address if is_here(address) else address.rpartition(":")[2]


def cut_connections() -> None:
    """Ends every connection of this process, as a broken network does."""
    ends = [end for channel in list(channels) for end in (*channel._idle, *channel._active)]
    ends += [end for server in list(_servers.values()) for end in list(server._connections)]
    for end in ends:
        end.cut()


_servers: weakref.WeakValueDictionary[str, TaskServer] = weakref.WeakValueDictionary()


@in_child
def _after_fork() -> None:
    """A forked child serves nothing."""
    for server in list(_servers.values()):
        server.leave_to_parent()
    _servers.clear()
