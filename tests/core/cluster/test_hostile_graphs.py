"""A peer may send a task any graph and any fields: none runs, none hangs it, none upsets it."""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.service.worker import as_bytes
from minitf.core.cluster.wire.channel import Channel, Talk
from minitf.core.cluster.wire.framing import FramingError
from minitf.core.graph import errors
from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.plan.subgraph import prune, to_node_defs
from tests import hostile

SEED = 30
DEVICE = "/job:local/replica:0/task:0/device:CPU:0"
#: what a handler may answer: anything but what a fault of its own looks like
FAULTS = (errors.InternalError, errors.UnknownError, errors.DataLossError, errors.UnavailableError)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server.create_local_server()
    yield server
    assert Channel(server.address).call("status").fields["incarnation"] == server.incarnation
    server.stop()


class Peer:
    """A process that speaks to a task, without a session around it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.channel = Channel(server.address)
        self.session = self.call("create_session").fields["session"]
        self.found: Counter[str] = Counter()

    def call(self, method: str, fields: dict | None = None, arrays: Any = ()) -> Any:
        return self.channel.call(method, fields or {}, arrays, timeout=20.0)

    def outcome(self, method: str, fields: Any, arrays: Any = ()) -> Any:
        """Calls, and counts what came of it; returns the answer if there was one."""
        try:
            answer = self.call(method, fields, arrays)
        except errors.DeadlineExceededError as error:
            hung = "did not answer" in error.message
            self.found[f"hung: {method} {fields!r}"[:200] if hung else "timed out"] += 1
        except FAULTS as error:
            self.found[f"fault: {method} {fields!r}: {error}"[:400]] += 1
        except errors.OpError as error:
            self.found[f"refused with {type(error).__name__}"] += 1
        else:
            self.found["answered"] += 1
            return answer
        return None

    @property
    def wrong(self) -> list[str]:
        return [each for each in self.found if each.startswith(("hung", "fault"))]

    # ---- graphs --------------------------------------------------------------------------

    def try_graph(self, data: Any, fetches: int, feeds: list) -> None:
        """Registers a graph with both services, and runs it where it was taken."""
        graph = [as_bytes(json.dumps(data))]
        given = {"session": self.session, "fetches": fetches, "traced": False}
        made = self.outcome("make_callable", given, graph)
        if made is not None:
            callable_ = {"session": self.session, "callable": made.fields["callable"]}
            self.outcome("run_callable", {**callable_, "timeout_ms": 500}, feeds)
        given = {"fetches": fetches, "traced": True, "incarnations": {}}
        made = self.outcome("register_graph", given, graph)
        if made is not None:
            run = {"handle": made.fields["handle"], "step": random.getrandbits(60) | 1}
            self.outcome("run_graph", {**run, "timeout_ms": 500}, feeds)
            self.outcome("explain", {"handle": made.fields["handle"]})
            self.outcome("deregister_graph", {"handles": [made.fields["handle"]]})


def wire_form(graph: tf.Graph, values: dict) -> tuple[dict, int, list]:
    """A graph as a client sends it, placed already: its data, how many fetches, and the feeds."""
    operations = graph.get_operations()
    kinds = ("_ref", "resource", "variant")
    fetches = [t for op in operations for t in op.outputs if not t.dtype.name.endswith(kinds)]
    feeds = [graph.get_tensor_by_name(name) for name in values]
    nodes = prune(fetches, [op for op in operations if not op.outputs], feeds)
    args = sorted((n for n in nodes if n.type == "_Arg"), key=lambda n: n.attrs["index"])
    given = [values[node.attrs["tensor_name"]] for node in args]
    for index, node in enumerate(args):
        node.attrs["index"] = index
    for node in nodes:
        node.device = DEVICE
    data = json.loads(GraphDef(to_node_defs(nodes)).to_json())
    return data, len(fetches), given


def _walk(peer: Peer, places: int, rng: random.Random, graphs: list) -> None:
    values = hostile.hostile_values(rng)
    for name, graph, feeds in graphs:
        data, fetches, given = wire_form(graph, feeds)
        if places <= 10:  # the graph as it is, so that we know that it would be taken
            before = peer.found["answered"]
            peer.try_graph(data, fetches, given)
            assert peer.found["answered"] >= before + 4, (name, peer.found)
        for path in hostile.chosen_places(data, rng, places):
            peer.try_graph(hostile.replaced(data, path, next(values)), fetches, given)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_text_of_a_peers_graph_runs(server: Server) -> None:
    graphs = hostile.sample_graphs()[::4] + hostile.program_graphs()
    with hostile.Canary() as canary:
        peer = Peer(server)
        _walk(peer, 6, random.Random(SEED), graphs)
        assert canary.calls == 0
    assert not peer.wrong, "\n".join(peer.wrong)
    assert peer.found["refused with InvalidArgumentError"] > 500, peer.found


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_text_of_many_peers_graphs_runs(server: Server) -> None:
    """MINITF_HOSTILE says how many calls: docs/security.md has the figures of a long run."""
    wanted = int(os.environ.get("MINITF_HOSTILE", "5000"))
    graphs = hostile.sample_graphs() + hostile.program_graphs()
    rng = random.Random(SEED + 1)
    with hostile.Canary() as canary:
        peer = Peer(server)
        while peer.found.total() < wanted:
            _walk(peer, 12, rng, graphs)
        assert canary.calls == 0
    print(peer.found.most_common(8))  # noqa: T201
    assert not peer.wrong, "\n".join(peer.wrong)


# ---- fields of calls ---------------------------------------------------------------------------


def _good_calls(peer: Peer) -> dict[str, tuple[dict, list]]:
    """For every method of a task, fields and arrays that it takes."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        tf.square(x, name="y")
    data, fetches, feeds = wire_form(graph, {"x:0": np.ones(3, np.float32)})
    text = [as_bytes(json.dumps(data))]
    session = {"session": peer.session}
    made = peer.call("make_callable", {**session, "fetches": fetches, "traced": False}, text)
    registered = {"fetches": fetches, "traced": False, "incarnations": {"/job:local/task:0": 7}}
    handle = {"handle": peer.call("register_graph", registered, text).fields["handle"]}
    other = peer.call("register_graph", registered, text).fields["handle"]
    run = {**session, "callable": made.fields["callable"]}
    key = f"{DEVICE};{DEVICE};x:0"
    peer.call("cleanup_graph", {"step": 77, "reason": "a step that asking for does not wait"})
    closing = peer.call("create_session").fields["session"]
    return {
        "ping": ({}, []),
        "status": ({}, []),
        "traffic": ({"cursor": 0}, []),
        "create_session": (
            {"allow_soft_placement": True, "log_device_placement": False,
             "device_filters": ["/job:local"], "operation_timeout_in_ms": 9000,
             "isolate_session_state": True}, []),
        "make_callable": ({**session, "fetches": fetches, "traced": False}, text),
        "run_callable": ({**run, "run": 3, "timeout_ms": 900, "stats": True}, feeds),
        "give_up_run": ({**session, "run": 12345}, []),
        "explain_callable": (run, []),
        "close_session": ({"session": closing}, []),
        "register_graph": (registered, text),
        "run_graph": (
            {**handle, "step": 5, "timeout_ms": 900, "stats": False, "graphs": True,
             "master": "/job:local/task:0", "talk": True}, feeds),
        "recv_tensor": ({"step": 77, "keys": [key]}, []),
        "cleanup_graph": ({"step": 6, "reason": "why"}, []),
        "explain": (handle, []),
        "deregister_graph": ({"handles": [other], "isolated": "8.9"}, []),
        "reset": ({"containers": ["", "a"]}, []),
        "reset_cluster": ({"containers": ["b"], "device_filters": ["/job:local"]}, []),
    }  # fmt: skip


def _waits(method: str, fields: dict) -> bool:
    """Whether a call is good, and waits for a step that nobody runs."""
    step = fields.get("step")
    return method == "recv_tensor" and type(step) is int and step != 77


def test_every_method_of_a_task_is_asked(server: Server) -> None:
    peer = Peer(server)
    assert set(_good_calls(peer)) == set(server._server._handlers)


def test_every_field_is_looked_at(server: Server) -> None:
    with hostile.Canary() as canary:
        peer = Peer(server)
        values = [*hostile.TEXTS, *hostile.OTHERS, b"\0", 2**62, 2**62 + 1, 10**12, 10**13, -0.0]
        for method, (fields, arrays) in _good_calls(peer).items():
            for path in hostile.places(fields):
                for value in values:
                    bad = hostile.replaced(fields, path, value)
                    if not _waits(method, bad) and method not in ("close_session",):
                        peer.outcome(method, bad, arrays)
            for name in fields:
                peer.outcome(method, {k: v for k, v in fields.items() if k != name}, arrays)
            for other in ([], [np.ones(3)], [np.ones((2, 2), np.uint8)], [b"{"], [b"a", b"b"]):
                peer.outcome(method, fields, other)
        assert canary.calls == 0
    assert not peer.wrong, "\n".join(peer.wrong)
    assert peer.found["refused with InvalidArgumentError"] > 1000, peer.found


@pytest.mark.parametrize(
    ("method", "field", "value", "text"),
    [
        ("run_graph", "step", "5", "The field 'step' must be a whole number from 1 to "),
        ("run_graph", "step", True, "The field 'step' must be a whole number from 1 to "),
        ("run_graph", "step", 2**62 + 1, "The field 'step' must be a whole number from 1 to "),
        ("run_graph", "handle", 1.0, "The field 'handle' must be a whole number from 1 to "),
        ("run_graph", "timeout_ms", -1, "The field 'timeout_ms' must be a whole number from 0 "),
        ("run_graph", "master", "ps", "The field 'master' must be the name of a task, got 'ps'"),
        ("run_graph", "stats", 1, "The field 'stats' must be true or false, got 1"),
        ("run_graph", "graphs", "yes", "The field 'graphs' must be true or false, got 'yes'"),
        ("register_graph", "isolated", 4, "The field 'isolated' must be a text, got 4"),
        ("reset", "containers", "abc", "The field 'containers' must be a list, got 'abc'"),
        ("reset_cluster", "containers", [3], "An element of the field 'containers' must be a text"),
        ("cleanup_graph", "reason", 3, "The field 'reason' must be a text, got 3"),
        ("recv_tensor", "keys", "abc", "The field 'keys' must be a list, got 'abc'"),
        ("recv_tensor", "keys", ["a;b"], "An element of the field 'keys' must be a key 'sender;"),
        ("register_graph", "incarnations", [], "The field 'incarnations' must be a table, got []"),
        ("register_graph", "fetches", 1000, "The field 'fetches' must be a whole number from 0 "),
        ("create_session", "device_filters", ["x"], "Unknown attribute 'x' is encountered while "),
        ("run_callable", "callable", 5, "No such callable handle: 5"),
    ],
)
def test_a_field_that_does_not_do_is_named(
    server: Server, method: str, field: str, value: Any, text: str
) -> None:
    peer = Peer(server)
    fields, arrays = _good_calls(peer)[method]
    with pytest.raises(errors.InvalidArgumentError) as info:
        peer.call(method, {**fields, field: value}, arrays)
    assert info.value.message.startswith(text)


def test_feeds_are_those_that_the_graph_takes(server: Server) -> None:
    peer = Peer(server)
    calls = _good_calls(peer)
    for method in ("run_graph", "run_callable"):
        fields, feeds = calls[method]
        for bad in ([], [*feeds, *feeds], [np.ones(4, "f")], [np.ones(3)], [b"text"]):
            with pytest.raises(errors.InvalidArgumentError, match="feed"):
                peer.call(method, fields, bad)


def test_handles_cannot_be_guessed(server: Server) -> None:
    peer = Peer(server)
    calls = _good_calls(peer)
    handles = [peer.session]
    for method, name in (("create_session", "session"), ("make_callable", "callable"),
                         ("register_graph", "handle")):  # fmt: skip
        handles += [peer.call(method, *calls[method]).fields[name] for _ in range(20)]
    assert len(set(handles)) == 61 and all(0 < handle < 2**62 for handle in handles)
    assert sum(handle > 2**52 for handle in handles) > 50
    gaps = {b - a for a, b in zip(handles, handles[1:], strict=False)}
    assert len(gaps) == 60


# ---- graphs that are wrong as a whole ------------------------------------------------------------


def _node(name: str, op: str, inputs: tuple = (), **attr: Any) -> dict:
    return {"name": name, "op": op, "input": list(inputs), "device": DEVICE, "attr": attr}


_FLOAT = {"type": "DT_FLOAT"}
_X = _node(
    "_arg_x_0", "_Arg", index={"i": 0}, dtype=_FLOAT, tensor_name={"s": "x:0"},
    _output_types={"list": [_FLOAT]}, _output_shapes={"list": [{"shape": {"dim": []}}]},
)  # fmt: skip
_Y = _node("_retval_x_0_0", "_Retval", ("_arg_x_0",), index={"i": 0})


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([_X, _X, _Y], "Node '_arg_x_0' is not unique"),
        ([_Y], "Node '_retval_x_0_0': Unknown input node '_arg_x_0'"),
        ([_X, {**_Y, "input": ["_arg_x_0:1"]}], "is not among the outputs of that node"),
        ([_X, {**_Y, "input": []}], "do not match 0 inputs specified"),
        ([_X, {**_Y, "attr": {"index": {"i": 1}}}], "_Retval are not numbered from 0 on"),
        ([{**_X, "attr": {**_X["attr"], "index": {"i": 3}}}, _Y], "_Arg are not numbered"),
        ([{**_X, "attr": {**_X["attr"], "dtype": {"type": "DT_INT32"}}}, _Y],
         "its outputs cannot be of the types"),
        ([{**_X, "attr": {**_X["attr"], "_output_shapes": {"list": []}}}, _Y],
         "the numbers of its types and shapes differ"),
        ([{**_X, "device": "/job:x/task:0/device:CPU:0"}, _Y], "has no device"),
        ([_node("f", "_Fused", group={"s": "x"}, dtype=_FLOAT)], "Op type not registered '_Fused'"),
        ([_node("f", "_ShareOf")], "Op type not registered '_ShareOf'"),
    ],
)  # fmt: skip
def test_a_graph_that_does_not_hold_together_is_refused(
    server: Server, nodes: list, text: str
) -> None:
    peer = Peer(server)
    fields = {"fetches": sum(n["op"] == "_Retval" for n in nodes), "traced": False,
              "incarnations": {}}  # fmt: skip
    with pytest.raises((errors.InvalidArgumentError, errors.NotFoundError)) as info:
        peer.call("register_graph", fields, [as_bytes(json.dumps({"node": nodes}))])
    assert text in info.value.message


def test_a_client_sends_no_sends_and_receives(server: Server) -> None:
    peer = Peer(server)
    recv = _node("r", "_Recv", tensor_name={"s": "x:0"}, send_device={"s": DEVICE},
                 recv_device={"s": DEVICE}, dtype=_FLOAT)  # fmt: skip
    fields = {"session": peer.session, "fetches": 0, "traced": False}
    with pytest.raises(errors.NotFoundError, match="'_Recv'"):
        peer.call("make_callable", fields, [as_bytes(json.dumps({"node": [recv]}))])


class _Line:
    """A connection on which one message has come."""

    def __init__(self, fields: dict, arrays: list) -> None:
        self._message = fields, arrays, 0

    def receive(self) -> Any:
        return self._message

    def notice_quiet(self) -> None:
        """It is never quiet."""


@pytest.mark.parametrize(
    ("keys", "arrays"),
    [("a;b;c:0", [1]), ([1], [1]), (["a;b;c:0"], []), (["a;b;^c"], [1]), ({"a;b;c:0": 1}, [1])],
)
def test_tensors_on_the_way_of_a_call_come_with_their_names(keys: Any, arrays: list) -> None:
    heard = []
    talk = Talk(_Line({"tensors": keys}, arrays), "/job:ps/task:0", heard.append)
    talk.receive(None)
    assert len(heard) == 1 and isinstance(heard[0], FramingError)


# ---- servers without files, and without Python -----------------------------------------------


def _refused(server: Server, fetch: Any) -> errors.PermissionDeniedError:
    with (
        tf.Session(server.target, graph=fetch.graph) as sess,
        pytest.raises(tf.errors.PermissionDeniedError) as info,
    ):
        sess.run(fetch)
    return info.value


@pytest.fixture(params=["here", "in another process"])
def guarded(request: pytest.FixtureRequest) -> Iterator[Server]:
    server = Server({"local": ["localhost:0"]}, refuse=["files", "python"])
    if request.param != "here":  # so that a session does not find it in this process
        request.getfixturevalue("monkeypatch").setattr(
            "minitf.core.cluster.service.remote_session.server_in_this_process",
            lambda address: None,
        )
    yield server
    server.stop()


def test_a_server_may_refuse_files_and_python(guarded: Server, tmp_path: Any) -> None:
    path = str(tmp_path / "file")
    with tf.Graph().as_default():
        saver = tf.train.Saver([tf.get_variable("v", [])])
        table = tf.contrib.lookup.HashTable(tf.contrib.lookup.TextFileInitializer(
            path, tf.string, 0, tf.int64, 1), -1)  # fmt: skip
        reaching = {
            "ReadFile": tf.read_file(path),
            "WriteFile": tf.write_file(path, "text"),
            "MatchingFiles": tf.matching_files(path + "*"),
            "SaveV2": saver.as_saver_def().save_tensor_name,
            "RestoreV2": saver.as_saver_def().restore_op_name,
            "TextLineReaderV2": tf.TextLineReader().read(tf.train.string_input_producer([path]))[1],
            "InitializeTableFromTextFileV2": table.initializer,
            "PrintV2": tf.print("x", output_stream=f"file://{path}"),
            "PyFunc": tf.py_func(lambda: np.float32(1), [], tf.float32),
            "EagerPyFunc": tf.py_function(lambda: 1.0, [], tf.float32),
        }
        graph = tf.get_default_graph()
        for kind, fetch in reaching.items():
            fetch = graph.as_graph_element(fetch) if isinstance(fetch, str) else fetch
            message = _refused(guarded, fetch).message
            assert message.startswith(f"/job:local/task:0 does not run '{kind}' (node '"), kind
        inner = tf.cond(tf.placeholder_with_default(True, []), lambda: tf.read_file(path),
                        lambda: tf.constant(""))  # fmt: skip
        assert "'ReadFile'" in _refused(guarded, inner).message
        with tf.Session(guarded.target) as sess:  # all else runs
            assert sess.run(tf.add(1, 2)) == 3
            sess.run(tf.print("to the terminal"))
    assert not os.path.exists(path)


def test_a_server_refuses_nothing_by_default(server: Server, tmp_path: Any) -> None:
    with tf.Graph().as_default(), tf.Session(server.target) as sess:
        sess.run(tf.write_file(str(tmp_path / "file"), "text"))
        assert sess.run(tf.read_file(str(tmp_path / "file"))) == b"text"
        assert sess.run(tf.py_func(lambda: np.float32(1), [], tf.float32)) == 1


@pytest.mark.parametrize("refuse", ["files", ["file"], [""]])
def test_what_may_be_refused_has_names(refuse: Any) -> None:
    with pytest.raises(ValueError, match="`refuse` must be a list of files, python"):
        Server({"local": ["localhost:0"]}, refuse=refuse, start=False)
