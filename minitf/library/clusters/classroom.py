"""A class cluster: students lend their machines to the training in the lecturer's notebook.

    lecturer   room = tf.cluster.invite("192.168.1.5:2222")      shows one line to paste
    student    pastes it in a terminal                           and is a worker of it
    lecturer   room.train(build, steps=1000)

              lecturer  /job:ps/task:0                       student  /job:worker/task:i
    enrol     request for a certificate, proof of ticket <--  (TLS; the key names the certificate)
              certificate                                -->
    stay      "how many connections do you want?"        <--  again and again
    lent      register_graph, run_graph                  -->  over connections the student has made
    recv      recv_tensor: parameters for its own part   <--
    vote      a choice, when the lecturer has asked      <--

Nobody connects to a student's machine: it has no open port. It runs graphs, but no operation that
reaches files or Python functions. The variables are on the lecturer's machine, and each member has
a session of its own there, so that one who comes late or leaves disturbs nobody else.

The other end stands in `lending`.
"""

from __future__ import annotations

import contextlib
import hmac
import html
import itertools
import logging
import secrets
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec, check_address
from minitf.core.cluster.service.master import Master
from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.server import SWITCH_INTERVAL
from minitf.core.cluster.service.worker import WorkerService, serve_worker
from minitf.core.cluster.wire.call import Answer, Call, Fields, Reply, rendezvous_key
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors, stacks
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.graph import Graph
from minitf.core.runtime.run.devices import make_devices
from minitf.core.runtime.session.config import ConfigProto
from minitf.core.runtime.session.session import Session
from minitf.core.train.device_setter import replica_device_setter
from minitf.core.variables.initialization import global_variables, report_uninitialized_variables
from minitf.library.clusters.certificates import Authority, fingerprint
from minitf.library.clusters.snapshots import TrafficCollector
from minitf.library.clusters.voting import Poll

logger = logging.getLogger("tensorflow")

LECTURER = task_name("ps", 0)
STAY = 0.8  # seconds until a member is answered that there is nothing to say: no heartbeat yet
GONE_AFTER = 10.0  # seconds without a word from a member
COMES_BACK = 2.0  # seconds for a member whose connection broke
SPARE = 2  # connections that a member has ready for the lecturer
MOST_SPARE = 16
MOST_MEMBERS = 1000  # who are known, those who fell silent too
PER_ADDRESS = 4  # members from one machine
LONGEST_NAME = 40
KEY_VARIABLE = "MINITF_CLASS_KEY"  # in the line: other users of a machine see command lines

#: What a member may ask of the lecturer's task.
FOR_MEMBERS = frozenset("ping stay vote leave watch recv_tensor cleanup_graph".split())
REMOVED = "The lecturer has removed this machine from the class cluster."
CLOSED = "The lecturer has closed the class cluster."
#: What a step fails with when its member is gone for a moment,
_LOST = (errors.UnavailableError, errors.AbortedError, errors.CancelledError)
#: and what else may be otherwise at the next try.
_MAY_PASS = (
    *_LOST,
    errors.ResourceExhaustedError,
    errors.DeadlineExceededError,
    errors.InternalError,
    errors.UnknownError,
)
PATIENCE = 60.0  # seconds in which a member shall make a step
PAUSE = 0.5  # seconds before it tries again


@dataclass(eq=False)
class Member:
    """A student's machine in a class cluster.

    Attributes:
      name: what the student goes by.
      index: of its task, never used again for another.
      address: where it connects from.
      cores: that it has.
      since: when it joined, seconds since the epoch.
    """

    name: str
    index: int
    address: str
    cores: int
    since: float = field(default_factory=time.time)
    _seen: float = field(default_factory=time.monotonic, repr=False)
    _out: bool = field(default=False, repr=False)  # for good: it has left, or was removed
    _request: str = field(default="", repr=False)
    _certificate: str = field(default="", repr=False)  # its fingerprint
    _wanting: int = field(default=0, repr=False)  # calls that wait for a connection
    _spare: list[Any] = field(default_factory=list, repr=False)
    _connections: Any = field(default_factory=weakref.WeakSet, repr=False)

    @property
    def device(self) -> str:
        """Its task, for `tf.device`: "/job:worker/task:3"."""
        return task_name("worker", self.index)

    @property
    def host(self) -> str:
        """The machine that it connects from."""
        return self.address.rpartition(":")[0]

    @property
    def _is_gone(self) -> bool:
        return self._out or self._seen < time.monotonic() - GONE_AFTER

    def __str__(self) -> str:
        return f"{self.name} ({self.device}, {self.address})"


class ClassCluster(contextlib.AbstractContextManager["ClassCluster"]):
    """The lecturer's end of a class cluster; `invite` makes it. Showing it shows the line to paste.

    Args:
      address: "host:port" by which students reach this machine.
      config: a ConfigProto for the lecturer's own task.

    Attributes:
      per_address: how many members may come from one machine.
    """

    def __init__(
        self, address: str, config: ConfigProto | None = None, per_address: int = PER_ADDRESS
    ):
        self.per_address = per_address
        self._authority = Authority()
        self._gate, self._ticket = secrets.token_hex(9), secrets.token_hex(9)
        self._changed = threading.Condition()
        self._members: dict[int, Member] = {}  # who is here, by the index of their tasks
        self._known: dict[str, Member] = {}  # whoever was let in, by their certificates
        self._indices = itertools.count()
        self._closed = False
        self._poll: Poll | None = None
        options = TransportOptions(self._gate, self._authority.papers, dial=self._dial)
        self._server = server = TaskServer(LECTURER, options)
        self._peers = Peers(LECTURER, options, server.tap)
        self._worker = WorkerService(make_devices(config, "ps", 0), self._peers)
        server.master = Master(self._worker, self._peers, server.incarnation)
        serve_worker(server, self._worker)
        for method in (self._enrol, self._stay, self._vote, self._leave, self._watch):
            server.handle(method.__name__.strip("_"), method)
        server.take, server.guard = self._take, self._guard
        self._collector = TrafficCollector(self._ask)
        try:
            server.start(address)
        except OSError as error:
            raise errors.UnknownError.of(f"Could not listen at {address}: {error}") from None
        self._set_cluster()
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))

    # ---- for the lecturer --------------------------------------------------------------------

    @property
    def line(self) -> str:
        """What a student pastes; another one after a removal."""
        key = f"{self._gate}.{self._ticket}.{self._authority.papers.fingerprint}"
        return f"{KEY_VARIABLE}={key} python -m minitf join {self._server.address}"

    @property
    def members(self) -> list[Member]:
        """Who is in now."""
        with self._changed:
            for member in [each for each in self._members.values() if each._is_gone]:
                self._drop(member)
            return list(self._members.values())

    @property
    def target(self) -> str:
        """The target for a Session in this process; a session knows who was in when it opened."""
        return f"grpc://{self._server.address}"

    def remove(self, name: str, alone: bool = False) -> list[str]:
        """Sends a member away, and all that have enrolled from its machine under other names.

        Their certificates hold no more, and the line becomes another. The others stay. A step that
        such a member took part in fails with UnavailableError.

        Args:
          name: of the member.
          alone: whether the others from its address stay, as where many students share one.
        Returns: the names of those sent away.
        Raises:
          NotFoundError: when nobody here has that name.
        """
        with self._changed:
            named = {each.name: each for each in self._known.values() if not each._out}
            if name not in named:
                there = ", ".join(named) or "nobody"
                raise errors.NotFoundError.of(f"No member is named {name!r}; there is {there}")
            host = named[name].host
            sent = [each for each in named.values() if each.name == name or each.host == host]
            sent = [named[name]] if alone else sent
            self._ticket = secrets.token_hex(9)
            for member in sent:
                member._out = True
                self._drop(member)
            return [member.name for member in sent]

    def train(
        self,
        build: Callable[[Member], Any],
        steps: int,
        on_step: Callable[[Member, Any], Any] | None = None,
        patience: float = PATIENCE,
    ) -> dict[str, int]:
        """Trains on the machines of all members, asynchronously, until so many steps are made.

        A member whose step fails disturbs nobody else. What may pass, as memory that was full, is
        tried again for a while; after that, or after another error, or when nothing comes from its
        machine, this training goes on without it. The log names each such member, and why.

        Args:
          build: `build(member)` makes, in a graph of its own, what one member computes. Variables
            come to this machine, the rest to the member's. It returns what a step fetches, or a
            function `step(session)`. Files and Python functions are for this machine:
            `with tf.device("/job:ps/task:0")`.
          steps: of all members together; those who come later take their share.
          on_step: called with the member and what its step returned, one call at a time.
          patience: seconds in which a member shall make a step.
        Returns: how many steps each member has made, by name.
        Raises:
          OpError: when the training goes on without any of those who are in; the error of one.
        Example:
          >>> room.train(lambda member: minimize(loss(member.index)), 500)  # doctest: +SKIP
        """
        return _Training(self, build, steps, on_step, patience).run()

    def ask(
        self, question: str, choices: Sequence[str], on_change: Callable[[], Any] = lambda: None
    ) -> Poll:
        """Asks the members a question, in place of an earlier one; their terminals show it.

        Args:
          question: one sentence.
          choices: two to nine.
          on_change: called after each vote, in another thread, and after `again`.
        Returns: the poll, with `counts`, `again` and `close`.
        Raises:
          ValueError: when a text is empty or not printable, or the choices are too many.
        Example:
          >>> poll = room.ask("How often?", ["once", "twice"])  # doctest: +SKIP
        """
        self._poll = Poll(question, choices, on_change)
        return self._poll

    def traffic(self) -> dict[str, Any]:
        """Returns a snapshot of the traffic between all tasks, as `TrafficView` shows it.

        Members get the same. The tasks are asked at most five times a second.
        """
        with self._changed:
            known = sorted(self._known.values(), key=lambda member: member.index)
        tasks = [(each.device, f"{each.name}, {each.address}") for each in known]
        return self._collector.collect([(LECTURER, self._server.address), *tasks])

    def close(self) -> None:
        """Ends the class cluster, and tells the members so."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        deadline = time.monotonic() + 1.0
        while self._members and time.monotonic() < deadline:
            time.sleep(0.02)
        self._server.stop()
        self._peers.close()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rows = [f"  {m.name}: {m.device}, {m.cores} cores, {m.address}" for m in self.members]
        return "\n".join([self.line, f"<ClassCluster {len(rows)} members>", *rows])

    def _repr_html_(self) -> str:
        return f"Paste in a terminal:<pre>{html.escape(repr(self))}</pre>"

    # ---- calls of members --------------------------------------------------------------------

    def _take(self, connection: Any) -> bool:
        """Keeps a connection that a member lends; others are served."""
        if "lends" not in connection.peer_info:
            return False
        member = self._of(connection)
        with self._changed:
            if member is None or member._out or len(member._spare) >= MOST_SPARE:
                connection.close()
            else:
                member._connections.add(connection)
                member._spare.append(connection)
                self._changed.notify_all()
        return True

    def _of(self, connection: Any) -> Member | None:
        return self._known.get(fingerprint(connection.certificate or b""))

    def _guard(self, method: str, call: Call) -> None:
        """Lets a stranger enrol, and a member call what its part of a step needs."""
        member = self._of(call.connection)
        if member is None:
            if method == "enrol":
                return
            raise errors.UnauthenticatedError.of("Only members of the class cluster may ask this.")
        member._connections.add(call.connection)
        if member._out:
            raise errors.PermissionDeniedError.of(REMOVED)
        if method not in FOR_MEMBERS:
            raise errors.PermissionDeniedError.of(f"A member may not call {method!r}.")
        if method == "cleanup_graph":
            if not self._worker.takes_part(member.device, Fields(call).step()):
                raise errors.PermissionDeniedError.of(f"{member.device} takes no part in the step.")
        if method == "recv_tensor":
            for key in Fields(call).listed("keys", rendezvous_key):
                if key.receiving_task != member.device:
                    raise errors.PermissionDeniedError.of(
                        f"{member.device} asks for a tensor of {key.receiving_task}."
                    )

    def _enrol(self, call: Call) -> Reply:
        given = Fields(call)
        name, request = given.text("name"), given.text("request")
        cores, proof = given.whole("cores", 1, 1 << 20), given.text("proof")
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            raise errors.InvalidArgumentError.of(
                f"A name has 1 to {LONGEST_NAME} printable characters, not {name[:100]!r}"
            )
        address = call.connection.peer.rpartition("/")[2]
        with self._changed:
            expected = proof_of(self._ticket, self._authority.papers.fingerprint, name, request)
            if not hmac.compare_digest(proof.encode(), expected.encode()) or self._closed:
                raise errors.UnauthenticatedError.of(
                    "This line is not, or no longer, the class cluster's: ask for the one shown "
                    "now."
                )
            if any(each._request == request for each in self._known.values()):
                raise errors.PermissionDeniedError.of("This request was used before.")
            certificate = self._authority.sign(request, name)
            member = Member(name, next(self._indices), address, cores)
            self._make_room(member.host)
            taken = {each.name for each in self._known.values() if not each._out}
            others = (f"{name} {i}" for i in itertools.count(2))
            if name in taken:
                member.name = next(other for other in others if other not in taken)
            member._request, member._certificate = request, fingerprint(certificate)
            self._known[member._certificate] = member
        return {"certificate": certificate, "index": member.index, "name": member.name}, ()

    def _make_room(self, host: str) -> None:
        """Forgets who left or has been silent for longest, where another one would be too many."""
        known = list(self._known.values())
        of_host = [member for member in known if member.host == host]
        machine = f"one machine, {host} (tf.cluster.invite(..., per_address=) allows more)"
        bounds = (of_host, self.per_address, machine), (known, MOST_MEMBERS, "a class cluster")
        for crowd, most, where in bounds:
            gone = [member for member in crowd if member._is_gone]
            if len(crowd) >= most and not gone:
                raise errors.ResourceExhaustedError.of(f"{most} members are all for {where}.")
            if len(crowd) >= most:
                first = min(gone, key=lambda member: (not member._out, member._seen))
                self._known.pop(first._certificate, None)
                self._drop(first)

    def _stay(self, call: Call) -> Reply:
        """Answers how many connections the member shall make, once it is some, or after a while."""
        member = self._of(call.connection)
        assert member is not None  # `_guard` has seen to it

        def gone() -> None:
            member._seen = min(member._seen, time.monotonic() - GONE_AFTER + COMES_BACK)

        call.on_disconnect = gone

        def wanted() -> int:
            return SPARE + member._wanting - len(member._spare)

        with self._changed:
            member._seen = time.monotonic()
            if self._members.setdefault(member.index, member) is member and not self._closed:
                self._set_cluster()
            self._changed.wait_for(
                lambda: self._closed or member._out or wanted() > 0, timeout=STAY
            )
            over = CLOSED if self._closed else REMOVED if member._out else ""
            if over:
                self._members.pop(member.index, None)
            asked = self._poll and self._poll.question
            question = asdict(asked) if asked else {}
            return {"wanted": max(wanted(), 0), "over": over, "question": question}, ()

    def _vote(self, call: Call) -> Reply:
        member, given, poll = self._of(call.connection), Fields(call), self._poll
        if member is None or poll is None:
            raise errors.FailedPreconditionError.of("No question is asked.")
        poll.vote(member.index, given.whole("number"), given.whole("choice"))
        return {}, ()

    def _leave(self, call: Call) -> Reply:
        member = self._of(call.connection)
        with self._changed:
            if member is not None and member.index in self._members:
                member._out = True
                self._drop(member, call.connection)
        return {}, ()

    def _watch(self, call: Call) -> Reply:
        return {"snapshot": self.traffic()}, ()

    # ---- the machinery -----------------------------------------------------------------------

    def _dial(self, address: str, seconds: float) -> Any:
        """Returns a connection that the member at an address has lent."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                member = next((m for m in self._members.values() if m.address == address), None)
                if member is None:
                    raise ConnectionRefusedError(f"{address} has left the class cluster")
                while member._spare:
                    connection = member._spare.pop(0)
                    self._changed.notify_all()  # another is wanted
                    if not connection.peer_is_gone():
                        return connection
                member._wanting += 1
                try:
                    self._changed.notify_all()
                    if not self._changed.wait(max(deadline - time.monotonic(), 0.0)):
                        raise TimeoutError(f"{member.name} lends no connection")
                finally:
                    member._wanting -= 1

    def _drop(self, member: Member, but: Any = None) -> None:
        """Takes a member out; with the lock."""
        self._members.pop(member.index, None)
        member._spare.clear()
        self._set_cluster()
        self._cut(member, but)
        self._changed.notify_all()

    def _cut(self, member: Member, but: Any = None) -> None:
        """Ends the calls of a member and those to it; one that is in makes new connections."""
        for connection in list(member._connections):
            if connection is not but:
                connection.interrupt()

    def _set_cluster(self) -> None:
        tasks = {each.index: each.address for each in self._members.values()}
        spec: dict[str, Any] = {"ps": {0: self._server.address}}
        self._peers.set_cluster(ClusterSpec({**spec, "worker": tasks} if tasks else spec))

    def _ask(self, task: str, cursor: int) -> Answer:
        fields = {"cursor": cursor}
        if task == LECTURER:
            return Answer(*self._server.answer("traffic", Call(fields, ())))
        return self._peers.channel(task).call("traffic", fields, timeout=1.0)


class _Failed(Exception):
    """A member's step has failed, and `_blame` has said what becomes of it."""


class _Training:
    """One call of `ClassCluster.train`: a thread, a graph and a session for each member."""

    def __init__(
        self, room: ClassCluster, build: Any, steps: int, on_step: Any, patience: float
    ) -> None:
        self._room, self._build, self._on_step, self._patience = room, build, on_step, patience
        self._left = steps  # that nobody has begun
        self._running: set[Member] = set()  # who has begun one
        self._waited: dict[Member, float] = {}  # since when a member is waited for
        self._errors: dict[Member, errors.OpError] = {}  # the last one since its last step
        self._without: dict[Member, errors.OpError] = {}  # who takes no part any more, and why
        self._over = False
        self._made: dict[str, int] = {}
        self._failed: list[BaseException] = []  # what the program itself has raised
        self._changed = threading.Condition()
        self._initializing = threading.Lock()
        self._telling = threading.Lock()

    def run(self) -> dict[str, int]:
        """Begins with whoever is in and whoever comes, until the steps are made."""
        threads: dict[Member, threading.Thread] = {}
        try:
            while not self._failed and (self._left or self._running):
                if self._room._closed:
                    raise errors.CancelledError.of(CLOSED)
                members = self._room.members
                if members and self._without.keys() >= set(members):
                    raise self._without[members[0]]
                for member in members if self._left else ():
                    begun = member in threads and threads[member].is_alive()
                    if not begun and member not in self._without:
                        thread = threading.Thread(target=self._work, args=(member,), daemon=True)
                        threads[member] = thread
                        thread.start()
                with self._changed:
                    self._changed.wait(0.1)
                self._look_after()
        finally:
            self._over = True
            deadline = time.monotonic() + STAY
            for thread in threads.values():
                thread.join(max(deadline - time.monotonic(), 0.0))
        if self._failed:
            raise self._failed[0]
        return self._made

    def _look_after(self) -> None:
        """Goes on without those who were waited for too long, and waits for nobody who is away."""
        late, members = time.monotonic() - self._patience, self._room.members
        for member in [each for each in list(self._waited) if each not in members]:
            self._waited.pop(member, None)
            self._errors.pop(member, None)
        for member in [each for each, since in list(self._waited.items()) if since < late]:
            last, why = self._errors.get(member), f"made no step in {self._patience:g} s"
            silent = errors.DeadlineExceededError.of(f"{member} {why}")
            self._go_on_without(member, last or silent, f"{why}; {last.message}" if last else why)
            self._room._cut(member)

    def _go_on_without(self, member: Member, error: errors.OpError, why: str) -> None:
        logger.warning("%s takes no part in this training any more: %s", member, why)
        self._without[member] = error
        self._waited.pop(member, None)
        self._end(member, made=False)

    @contextlib.contextmanager
    def _waiting(self, member: Member) -> Iterator[None]:
        """A context in which a member is waited for, and what its machine raises is its own."""
        self._waited.setdefault(member, time.monotonic())
        try:
            yield
        except errors.OpError as error:
            if member in self._room.members and member not in self._without:
                self._blame(member, error)
            raise _Failed from error
        if member not in self._errors:
            self._waited.pop(member, None)

    def _blame(self, member: Member, error: errors.OpError) -> None:
        if not isinstance(error, _MAY_PASS):
            self._go_on_without(member, error, error.message)
            return
        if not isinstance(error, _LOST) and member not in self._errors:
            logger.warning("%s tries again for %g s: %s", member, self._patience, error.message)
        self._errors[member] = error

    def _work(self, member: Member) -> None:
        try:
            graph = Graph()
            setter = replica_device_setter(1, LECTURER, member.device)
            with graph.as_default(), stacks.device(setter):
                made = self._build(member)
                variables = global_variables()
                with stacks.device(LECTURER):
                    missing = report_uninitialized_variables(variables)
            config = ConfigProto(device_filters=[LECTURER, member.device])
            step = made if callable(made) else lambda session: session.run(made)
            with self._waiting(member):
                session = Session(self._room.target, graph, config)
            with session:
                with self._initializing, self._waiting(member):  # so that each is initialized once
                    names = {name.decode() for name in session.run(missing)}
                    session.run([v.initializer for v in variables if v.op.name in names])
                while self._begin(member):
                    with self._waiting(member):
                        values = step(session)
                        self._errors.pop(member, None)
                    if self._end(member, made=True) and self._on_step is not None:
                        with self._telling:
                            self._on_step(member, values)
        except _Failed:
            time.sleep(PAUSE)  # one that is still in begins again
        except BaseException as error:
            self._failed.append(error)
        finally:
            self._end(member, made=False)
            with self._changed:
                self._changed.notify_all()

    def _begin(self, member: Member) -> bool:
        with self._changed:
            if self._over or not self._left or member in self._without:
                return False
            self._left -= 1
            self._running.add(member)
            return True

    def _end(self, member: Member, made: bool) -> bool:
        """Counts the step that a member has begun; one that it has not made somebody else makes."""
        with self._changed:
            if member not in self._running:
                return False
            self._running.discard(member)
            if made:
                self._made[member.name] = self._made.get(member.name, 0) + 1
            else:
                self._left += 1
            return True


def invite(
    address: str, config: ConfigProto | None = None, per_address: int = PER_ADDRESS
) -> ClassCluster:
    """Opens a class cluster on this machine, and shows the line by which students join it.

    Args:
      address: "host" or "host:port" by which students reach this machine. It listens there, or,
        where only others know the machine by it (behind a router, in a container), at that port.
      config: a ConfigProto for the task of this machine.
      per_address: how many members may come from one machine; more where students share one, or
        come through one router.
    Returns: the cluster, with `line`, `members`, `train`, `remove`, `traffic` and `close`.
    Raises:
      ImportError: when the package cryptography is missing.
      InvalidArgumentError: when the address says nothing to others, as "0.0.0.0".
      UnknownError: when the address cannot be listened at.
    Example:
      >>> room = tf.cluster.invite("192.168.1.5:2222")  # doctest: +SKIP
    """
    address = check_address(address if ":" in address else f"{address}:0")
    if address.rpartition(":")[0] in ("", "0.0.0.0", "[::]"):
        raise errors.InvalidArgumentError.of(
            f"{address} is no address by which others reach this machine: name one, as it is in "
            "the network of the class"
        )
    return ClassCluster(address, config, per_address)


def proof_of(ticket: str, lecturer: str, name: str, request: str) -> str:
    """What only a holder of the ticket can say of a request; it is of no use for another."""
    text = "\n".join([lecturer, name, request])
    return hmac.new(ticket.encode(), text.encode(), "sha256").hexdigest()
