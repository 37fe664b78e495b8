"""The student's end of a class cluster: this machine runs a task of the lecturer's training.

    tf.cluster.join(address, key)                                   in a notebook, or
    MINITF_CLASS_KEY=KEY python -m minitf join ADDRESS [--name NAME]  in a terminal; Ctrl-C ends it

The key stands before the command: on a machine of many users all see the command lines of others.

The key has three parts: `gate.ticket.fingerprint`. The last says whom to talk to, the second that
one was invited, and the first keeps everybody else from the lecturer's port. The machine listens
nowhere: it connects to the lecturer, and answers over some of these connections. It runs no
operation that reaches files or Python functions. `classroom` is the other end.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import re
import socket
import sys
import threading
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from minitf.core.cluster.cluster_spec import ClusterSpec, check_address
from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.server import SWITCH_INTERVAL
from minitf.core.cluster.service.worker import WorkerService, serve_worker
from minitf.core.cluster.wire.call import Call, Fields
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.cluster.wire.transport import TransportOptions, connect
from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.untrusted import LARGEST_INDEX
from minitf.core.runtime.run.devices import make_devices
from minitf.library.clusters.certificates import Papers, make_request
from minitf.library.clusters.classroom import KEY_VARIABLE, LONGEST_NAME, MOST_SPARE, STAY, proof_of
from minitf.library.clusters.snapshots import read_snapshot
from minitf.library.clusters.voting import Question, vote_in_terminal

PATIENCE = 20.0  # seconds in which a lecturer's machine that fell silent may answer again
REFUSED = ("files", "python")
#: What the lecturer may ask of this machine's task.
FOR_LECTURER = frozenset(
    "ping status register_graph deregister_graph run_graph recv_tensor cleanup_graph traffic reset "
    "explain".split()
)
_KEY = re.compile(r"([\w\-]+)\.([\w\-]+)\.([0-9a-f]{64})")


class Lending(AbstractContextManager["Lending"]):
    """This machine's part in a class cluster; `join` makes it.

    Args:
      address: "host:port" of the lecturer's machine.
      key: of the line that the lecturer shows.
      name: what the lecturer shall see.

    Attributes:
      name: what it sees.
      task: the task that runs here, "/job:worker/task:3".
      ended: why it is over; empty while it is not.
      question: what the lecturer asks now, or None.
    """

    question: Question | None = None

    def __init__(self, address: str, key: str, name: str | None = None):
        parts = _KEY.fullmatch(key.strip())
        if parts is None:
            raise errors.InvalidArgumentError.of(
                "The key of a class cluster has three parts, gate.ticket.fingerprint: paste all "
                f"of the line, which begins with {KEY_VARIABLE}="
            )
        gate, ticket, lecturer = parts.groups()
        self._address = check_address(address)
        name = (name or f"{getpass.getuser()}@{socket.gethostname()}")[:LONGEST_NAME]
        private, request = make_request(name)
        stranger = Channel(address, TransportOptions(gate, Papers("", "", lecturer)))
        asked = {"name": name, "request": request, "cores": os.cpu_count() or 1}
        asked["proof"] = proof_of(ticket, lecturer, name, request)
        enrolled = Fields(stranger.call("enrol", asked, timeout=10.0))
        stranger.close()
        self.name, index = enrolled.text("name"), enrolled.whole("index", 0, LARGEST_INDEX)
        self.task = task_name("worker", index)
        self.ended = ""
        options = TransportOptions(gate, Papers(enrolled.text("certificate"), private, lecturer))
        self._server = TaskServer(self.task, options)
        own = {"lends": True, "task": self.task, "incarnation": self._server.incarnation}
        self._lent = replace(options, identity=own)
        self._peers = Peers(self.task, options, self._server.tap)
        here = "localhost:0"  # nobody connects to it
        self._peers.set_cluster(ClusterSpec({"ps": {0: address}, "worker": {index: here}}))
        worker = WorkerService(make_devices(None, "worker", index), self._peers, REFUSED)
        serve_worker(self._server, worker)
        self._server.guard = _guard
        self._server.attend()
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
        self._channel = Channel(address, options)
        self._over = threading.Event()
        self._staying = threading.Thread(target=self._stay, name="minitf-lending", daemon=True)
        self._staying.start()

    def traffic(self) -> dict[str, Any]:
        """Returns the same snapshot that the lecturer's `TrafficView` shows."""
        return Fields(self._channel.call("watch", timeout=5.0)).read("snapshot", read_snapshot)

    def vote(self, choice: int, question: Question | None = None) -> None:
        """Answers the lecturer's question; a later choice replaces it.

        Args:
          choice: its number, from 1.
          question: the one that is answered; `self.question` unless given.
        Raises:
          FailedPreconditionError: when nothing is asked, or something else by now.
          InvalidArgumentError: when there is no such choice.
        """
        asked = question or self.question
        if asked is None:
            raise errors.FailedPreconditionError.of("No question is asked.")
        self._channel.call("vote", {"number": asked.number, "choice": choice - 1}, timeout=5.0)

    def wait(self) -> str:
        """Lends the machine until the lecturer ends it, or Ctrl-C does; returns why it is over."""
        try:
            while not self._over.wait(0.5):
                pass
        except KeyboardInterrupt:
            self.leave()
        return self.ended

    def leave(self) -> None:
        """Takes the machine back; the training goes on without it."""
        if not self.ended:
            self._end("This machine has left the class cluster.")
            try:
                self._channel.call("leave", timeout=2.0)
            except errors.OpError:  # it learns of it from the silence
                pass
            self._channel.close()
            self._staying.join(STAY + 2.0)  # a process that ends now breaks no connecting off

    def __exit__(self, *exc_info: object) -> None:
        self.leave()

    def __repr__(self) -> str:
        state = self.ended or f"lends {os.cpu_count()} cores as {self.task}"
        return f"<Lending {self.name} to {self._address}: {state}>"

    def _stay(self) -> None:
        heard = time.monotonic()
        while not self.ended:
            try:
                answer = Fields(self._channel.call("stay", timeout=STAY + 5.0))
                over, wanted = answer.text("over"), answer.whole("wanted")
                self.question = answer.read("question", Question.read, None)
                for _ in range(0 if over else min(wanted, MOST_SPARE)):  # over these it may ask
                    self._server.serve(connect(self._address, self._lent))
                heard = time.monotonic()
            except (errors.UnavailableError, errors.DeadlineExceededError, OSError) as error:
                if time.monotonic() - heard > PATIENCE:
                    self._end(f"The lecturer's machine does not answer any more: {error}")
                self._over.wait(0.3)
            except errors.OpError as error:
                self._end(error.message)
            else:
                if over:
                    self._end(over)

    def _end(self, reason: str) -> None:
        self.ended = self.ended or reason
        self._server.stop()
        self._peers.close()
        self._over.set()


def _guard(method: str, call: Call) -> None:
    if method not in FOR_LECTURER:
        raise errors.PermissionDeniedError.of(f"A machine that is lent does not answer {method!r}.")


def join(address: str, key: str, name: str | None = None) -> Lending:
    """Lends this machine to a class cluster, as a worker of the lecturer's training.

    It runs the lecturer's graphs, without files and Python functions, and opens no port.

    Args:
      address, key: of the line that the lecturer shows:
        `MINITF_CLASS_KEY=KEY python -m minitf join ADDRESS`.
      name: by which the lecturer knows it; user and machine unless given.
    Raises:
      ImportError: when the package cryptography is missing.
      UnauthenticatedError: when the key is not the one shown now, or another machine answers.
      UnavailableError: when nobody answers there.
    """
    return Lending(address, key, name)


def main(arguments: list[str]) -> None:
    """`MINITF_CLASS_KEY=KEY python -m minitf join ADDRESS`."""
    about = "Lends this machine to a class cluster, until Ctrl-C."
    parser = argparse.ArgumentParser("python -m minitf join", description=about)
    parser.add_argument("address", help="host:port of the lecturer's machine")
    parser.add_argument("--name", help="what the lecturer shall see")
    given = parser.parse_args(arguments)
    try:
        lending = join(given.address, os.environ.pop(KEY_VARIABLE, ""), given.name)
    except (ImportError, errors.OpError) as error:
        sys.exit(str(getattr(error, "message", error)))
    print(f"{lending!r}\nIt reads none of your files. Ctrl-C takes the machine back.", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        vote_in_terminal(lending, sys.stdin)
        lending.wait()
    lending.leave()
    print(lending.ended, flush=True)
