"""A seeded fuzzer against every method of a task: it answers or closes, never dies, never grows.

    a good call  --> its fields    replaced, renamed, dropped, of another method, nested deep
    of a method  --> its frame     bits flipped, bytes cut out, doubled and put in, wrong lengths
                 --> its end       cut off in the middle, or followed by more

`MINITF_FUZZ=100000 make test ARGS="-m long -k messages"` makes it long.
"""

import os
import random
import resource
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import framing, handshake, task_server
from minitf.core.cluster.wire.channel import Channel
from minitf.core.graph import errors
from minitf.library.distribute.collectives.links import WireLink
from tests import hostile

from .conftest import eventually
from .test_hostile_bytes import _read_frame
from .test_hostile_graphs import DEVICE, Peer, _good_calls, _waits

ANSWER_WITHIN = 20.0  # seconds; the machine may be crowded
#: what a handler answers only by a fault of its own
FAULTS = (errors.INTERNAL, errors.UNKNOWN, errors.DATA_LOSS)
FRESH = 150  # messages until sessions, graphs and callables are made anew


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    # What has come over a link of a collective operation is kept for a minute; here it is not.
    monkeypatch.setattr(WireLink, "await_end", lambda link: None)
    server = Server.create_local_server()
    yield server
    assert Channel(server.address).call("status").fields["incarnation"] == server.incarnation
    server.stop()


def calls_of(peer: Peer) -> dict[str, tuple[dict, list]]:
    """For every method that a task answers, fields and arrays that it takes."""
    offered = {
        "collectives.link": ({"scope": "s", "source": DEVICE, "target": DEVICE}, []),
        "collectives.join": (
            {"group": "g", "size": 1, "role": "", "device": DEVICE, "nonce": 3, "after": 0}, []),
        "collectives.abort": ({"scope": "s", "code": 14, "reason": "why"}, []),
    }  # fmt: skip
    return {**_good_calls(peer), **offered}


class Line:
    """A connection of a peer that was let in, as bytes."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.sock = socket.create_connection((host, int(port)), timeout=ANSWER_WITHIN)
        hello = _read_frame(self.sock)
        answer = handshake.client_answer(hello, None, "server")
        self.send(framing.encode(answer))
        handshake.check_server(hello, answer, _read_frame(self.sock), None, "server")
        self.send(framing.encode({"body": {"pickle-protocol": 5, "compression": None}}))
        _read_frame(self.sock)

    def send(self, buffers: list) -> None:
        self.sock.sendall(b"".join(bytes(each) for each in buffers))

    def answers(self) -> Iterator[dict[str, Any]]:
        """All that the server says until it closes."""
        data = b""
        while True:
            try:
                piece = self.sock.recv(1 << 16)
            except ConnectionResetError:
                piece = b""
            if not piece:
                break
            data += piece
        while len(data) >= 16:
            header, payload = framing.parse_prelude(
                memoryview(data)[:16], "server", framing.AFTER_AUTHENTICATION
            )
            yield framing.parse_header(
                memoryview(data)[16 : 16 + header], payload, "s", framing.AFTER_AUTHENTICATION
            )[0]
            data = data[16 + header + payload :]


class Fuzzer:
    """Draws messages from a seed, and says what is wrong with the answers."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server, self.random = server, random.Random(seed)
        self.found: Counter[str] = Counter()
        self.values = hostile.hostile_values(self.random)
        self.refresh()

    def refresh(self) -> None:
        """Good calls to begin with; others have closed what they speak of, or cleared it."""
        self.calls = calls_of(Peer(self.server))

    def fields(self) -> tuple[str, dict, list]:
        """A call whose frame is good, and whose content may be anything."""
        draw = self.random
        method = draw.choice(list(self.calls))
        fields, arrays = self.calls[method]
        for _ in range(draw.randrange(1, 4)):
            kind = draw.randrange(6)
            places = list(hostile.places(fields))
            if kind == 0 and places:
                value = next(self.values)
                fields = hostile.replaced(fields, draw.choice(places), value)
            elif kind == 1 and fields:
                fields = {k: v for k, v in fields.items() if k != draw.choice(list(fields))}
            elif kind == 2:
                fields, arrays = self.calls[draw.choice(list(self.calls))]
            elif kind == 3:
                deep: Any = 1
                for _ in range(draw.choice((3, 40, 900))):
                    deep = [deep] if draw.random() < 0.5 else {"a": deep}
                fields = {**fields, draw.choice([*fields, "more"]): deep}
            elif kind == 4:
                arrays = [self.array() for _ in range(draw.randrange(4))]
            else:
                fields = {**fields, str(next(self.values)): next(self.values)}
        return method, fields, arrays

    def array(self) -> Any:
        """Any array that a frame can carry."""
        shape = [self.random.randrange(5) for _ in range(self.random.randrange(4))]
        dtype = self.random.choice(("f4", "f8", "i4", "u1", "?", "c8", "f2"))
        return np.zeros(shape, dtype) if self.random.random() < 0.8 else b"text\0"

    def broken(self, data: bytes) -> bytes:
        """The frame with some of its bytes changed."""
        draw, out = self.random, bytearray(data)
        for _ in range(draw.randrange(1, 6)):
            at = draw.randrange(len(out)) if out else 0
            kind = draw.randrange(6)
            if kind == 0 and out:
                out[at] ^= 1 << draw.randrange(8)
            elif kind == 1:
                del out[at : at + draw.randrange(1, 30)]
            elif kind == 2:
                out[at:at] = draw.randbytes(draw.randrange(1, 30))
            elif kind == 3:
                out[at:at] = out[at : at + draw.randrange(1, 60)]
            elif kind == 4 and len(out) >= 16:
                field = draw.choice((slice(4, 8), slice(8, 16)))
                size = field.stop - field.start
                number = draw.choice((0, 1, 2**31, 2**32 - 1, 2**62, 2**64 - 1, len(out)))
                out[field] = (number % (1 << 8 * size)).to_bytes(size, "little")
            elif out:
                out[at] = draw.choice((0, 0x80, 0xC1, 0xD4, 0xDC, 0xDF, 0xFF))
        return bytes(out)

    def shoot(self) -> None:
        """One connection: a message or some, broken or not; then what the server says to it."""
        line = Line(self.server.address)
        sent = []
        try:
            for _ in range(self.random.randrange(1, 4)):
                method, fields, arrays = self.fields()
                if _waits(method, fields):
                    continue
                try:
                    data = b"".join(
                        map(bytes, framing.encode({**fields, "method": method}, arrays))
                    )
                except (TypeError, ValueError, OverflowError, RecursionError):
                    continue  # it cannot travel
                if self.random.random() < 0.25:
                    data = self.broken(data)
                sent.append((method, str(fields)[:200]))
                line.sock.sendall(data[: self.random.choice((None, None, None, len(data) // 2))])
            line.sock.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError, OSError):
            pass  # it has closed already, which is an answer
        try:
            for answer in line.answers():
                if answer.get("error") in FAULTS:
                    self.found[f"fault: {answer} to one of {sent}"[:600]] += 1
                else:
                    kinds = ("error", "refused")
                    self.found[next((k for k in kinds if k in answer), "answered")] += 1
        except TimeoutError:
            self.found[f"hung: {sent}"[:600]] += 1
        finally:
            line.sock.close()

    def run(self, messages: int) -> None:
        """Sends so many, and looks whether a good call is still answered meanwhile."""
        channel = Channel(self.server.address)
        for i in range(messages):
            if i % FRESH == 0:
                self.refresh()
                assert channel.call("status")
            self.shoot()
        channel.close()


def _check(server: Server, messages: int, seed: int) -> None:
    with hostile.Canary() as canary:
        fuzzer = Fuzzer(server, seed)
        assert set(server._server._handlers) | set(task_server._offered) <= set(fuzzer.calls)
        fuzzer.run(50)
        threads = threading.active_count()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        fuzzer.run(messages)
        assert canary.calls == 0
    wrong = [each for each in fuzzer.found if each.startswith(("fault", "hung"))]
    assert not wrong, f"{len(wrong)} kinds\n" + "\n".join(wrong[:10])
    for kind in ("answered", "error", "refused"):
        assert fuzzer.found[kind] > messages / 50, fuzzer.found
    assert eventually(lambda: threading.active_count() <= threads + 1)
    assert eventually(lambda: not server._worker._steps)
    assert eventually(lambda: not any(server._server._connections.values()))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 150 << 10  # kilobytes
    print(dict(fuzzer.found))  # noqa: T201


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_thousand_connections_with_hostile_messages(server: Server) -> None:
    _check(server, 1000, seed=5)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_many_connections_with_hostile_messages(server: Server) -> None:
    _check(server, int(os.environ.get("MINITF_FUZZ", "20000")), seed=6)
