"""Calls between tasks: replies, errors, deadlines, and what a caller learns of a peer's end."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from minitf.core.cluster.wire.call import Call
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.task_server import TaskServer, server_in_this_process
from minitf.core.cluster.wire.transport import TransportOptions
from minitf.core.graph import errors

TASK = "/job:ps/task:0"


@pytest.fixture
def server() -> Iterator[TaskServer]:
    server = TaskServer(TASK)
    server.handle("echo", lambda call: (call.fields, call.arrays))
    server.handle("fail", _fail)
    server.start("localhost:0")
    yield server
    server.stop()


def _fail(call: Call) -> Any:
    if call.fields.get("how") == "op":
        raise errors.OutOfRangeError(None, "an op", "End of sequence")
    raise KeyError("missing")


def test_a_call_returns_fields_arrays_and_its_size(server: TaskServer) -> None:
    channel = Channel(server.address)
    sent = [np.arange(5), np.float64(1.5), np.ones((700, 300), "f4")]
    fields, arrays, received, size, _ = channel.call("echo", {"a": [1, "b"]}, sent)
    assert fields == {"a": [1, "b"]}
    for got, expected in zip(arrays, sent, strict=True):
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype
    assert 840_000 < received < size < 841_000
    assert channel.incarnation == server.incarnation
    assert server_in_this_process(server.address) is server
    assert server_in_this_process(server.address.replace("localhost", "127.0.0.1")) is server
    assert server_in_this_process("localhost:1") is None


def test_a_received_array_is_never_overwritten(server: TaskServer) -> None:
    channel = Channel(server.address)
    kept = []
    for i in range(20):
        array = np.full(400_000, i, "f4")
        kept.append(channel.call("echo", arrays=[array])[1][0])
        view = channel.call("echo", arrays=[array])[1][0][::2]
        kept.append(view)
    for i, array in enumerate(kept):
        assert (array == i // 2).all()


def test_handlers_errors_reach_the_caller(server: TaskServer) -> None:
    channel = Channel(server.address)
    with pytest.raises(errors.OutOfRangeError, match="End of sequence") as caught:
        channel.call("fail", {"how": "op"})
    assert caught.value.node_def == "an op"
    with pytest.raises(errors.InternalError, match="KeyError: 'missing'"):
        channel.call("fail")
    with pytest.raises(errors.InvalidArgumentError, match="cannot travel"):
        channel.call("echo", arrays=[object()])
    server.handle("object", lambda call: ({}, [object()]))
    with pytest.raises(errors.InvalidArgumentError, match="cannot travel"):
        channel.call("object")
    assert channel.call("echo", {"still": "here"})[0] == {"still": "here"}


def test_an_unknown_handler_is_a_refusal_and_a_closed_connection(server: TaskServer) -> None:
    channel = Channel(server.address)
    with pytest.raises(errors.UnimplementedError, match="no handler 'eval'"):
        channel.call("eval", {"code": "1"})
    assert not channel._idle
    assert channel.call("ping")[0] == {"incarnation": server.incarnation}


def test_many_threads_share_a_channel(server: TaskServer) -> None:
    channel, failures = Channel(server.address), []

    def work(n: int) -> None:
        for i in range(50):
            fields, arrays, *_ = channel.call("echo", {"n": n}, [np.full(1000, i)])
            if fields["n"] != n or (arrays[0] != i).any():
                failures.append((n, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_deadline_ends_a_call(server: TaskServer) -> None:
    release = threading.Event()
    server.handle("wait", lambda call: (release.wait(5) and {} or {}, ()))
    channel = Channel(server.address)
    start = time.monotonic()
    with pytest.raises(errors.DeadlineExceededError, match="did not answer wait in 0.1 s"):
        channel.call("wait", timeout=0.1)
    assert time.monotonic() - start < 2
    release.set()
    assert channel.call("ping", timeout=5)[0]


def test_a_caller_that_goes_away_is_noticed(server: TaskServer) -> None:
    gone = threading.Event()

    def wait(call: Call) -> Any:
        call.on_disconnect = gone.set
        gone.wait(10)
        return {}, ()

    server.handle("wait", wait)
    with pytest.raises(errors.DeadlineExceededError):
        Channel(server.address).call("wait", timeout=0.1)
    assert gone.wait(3)


def test_a_stopped_server_closes_its_connections(server: TaskServer) -> None:
    channel = Channel(server.address, TransportOptions(connect_timeout=0.2))
    channel.call("ping")
    server.stop()
    with pytest.raises(errors.UnavailableError):
        channel.call("ping")
    assert server_in_this_process(server.address) is None


def test_the_traffic_handler_reports_the_tap(server: TaskServer) -> None:
    server.tap.record(3, "W:0", "recv_tensor", TASK, "/job:worker/task:0", 44, 1.0, 2.0)
    report = Channel(server.address).call("traffic", {"cursor": 0}).fields
    assert report["task"] == TASK
    assert report["counters"] == {f"{TASK}|/job:worker/task:0": {"messages": 1, "bytes": 44}}
    assert report["events"][0]["tensor"] == "W:0"
    assert Channel(server.address).call("traffic", {"cursor": report["cursor"]})[0]["events"] == []
