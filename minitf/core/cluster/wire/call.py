"""A call between tasks as data: the request, the answer, its fields, and its error.

A step that fails in one task fails in the others as well. Errors that follow from another are
marked as derived, so that a master finds the cause.

    {"step": 7, "handle": "7"}  --step()------------> 7
                                --handle("handle")--> InvalidArgumentError: The field ...

A peer may send any plain data, also in an answer. `Fields` checks types and ranges; everything else
is an InvalidArgumentError, and changes nothing. For an answer the error has the peer's address.
Handles of objects that a task keeps for peers cannot be guessed: `new_handle` draws them.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import reprlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import errors, untrusted
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import GraphDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.untrusted import Reader
from minitf.core.runtime.plan.received_nodes import from_node_defs
from minitf.core.runtime.plan.subgraph import Node
from minitf.core.runtime.run.rendezvous import Key
from minitf.core.runtime.session.config import RunMetadata, RunOptions

Reply = tuple[dict[str, Any], Any]


@dataclass
class Call:
    """A request, for its handler.

    Attributes:
      fields: the plain data of the request.
      arrays: its arrays.
      nbytes: its size on the wire, 0 within one process.
      connection: its connection, None within one process.
      on_disconnect: set by a slow handler: called when the caller has disconnected.
      on_reply: set by a handler: called with the size of the reply after sending.
    """

    fields: dict[str, Any]
    arrays: Any
    nbytes: int = 0
    connection: Any = None
    on_disconnect: Callable[[], None] | None = None
    on_reply: Callable[[int], None] | None = None
    started: float = field(default_factory=time.monotonic)


class Answer(NamedTuple):
    """The answer to a call.

    Args:
      fields, arrays: of the reply.
      received: the size of the reply on the wire, in bytes.
      sent: the size of the request.
      origin: the beginning of error messages: the peer and the method.
    """

    fields: dict[str, Any]
    arrays: list[Any]
    received: int = 0
    sent: int = 0
    origin: str = ""


# ---- errors -------------------------------------------------------------------------------


def encode_error(error: errors.OpError) -> dict[str, Any]:
    """Converts an error to a reply."""
    op = getattr(error.op, "name", error.op)
    reply = {
        "error": int(error.error_code),
        "message": str(error.message).encode(errors="backslashreplace").decode(),
        "op": op if isinstance(op, str) else None,
    }
    return {**reply, "derived": True} if is_derived(error) else reply


def decode_error(reply: dict[str, Any]) -> errors.OpError:
    """Converts a reply to an error; `.node_def` is the name of the operation, or None."""
    code = reply["error"]
    if type(code) is not int or not 0 < code <= errors.UNAUTHENTICATED:
        code = errors.UNKNOWN
    op = reply.get("op")
    named = op if type(op) is str else None
    error = errors.make_error(code, str(reply.get("message", "")), named)
    return derived(error) if reply.get("derived") is True else error


def derived(error: errors.OpError) -> errors.OpError:
    """Marks an error as a consequence of another error.

    The mark `located` keeps the executor from adding the name of another operation.
    """
    error.derived = error.located = True  # type: ignore[attr-defined]
    return error


def is_derived(error: BaseException) -> bool:
    """Whether `derived` has marked an error."""
    return bool(getattr(error, "derived", False))


# ---- fields -------------------------------------------------------------------------------

LARGEST_STEP = 2**62  # 30 random bits of a master, and its own count of 32
LONGEST_TIMEOUT = 10**12  # milliseconds; more than sockets can wait
_HANDLE_BITS = 62
_LONG_KEY = 1000  # characters; what is remembered of peers is bounded
_REQUIRED: Any = object()

_TASK = re.compile(r"/job:[A-Za-z0-9_.\-]+/task:[0-9]{1,9}")


def table(value: Any, what: str, each: Reader, key: Reader = untrusted.text) -> dict[str, Any]:
    """Returns a table whose names are checked by `key`, and whose values by `each`.

    Raises:
      ValueError: when it is no such table.
    """
    if type(value) is not dict:
        raise ValueError(f"{what} must be a table, got {reprlib.repr(value)}")
    named = f"A name in {what[:1].lower()}{what[1:]}"
    return {key(name, named): each(item, what) for name, item in value.items()}


def entries(parts: Mapping[str, Reader]) -> Reader:
    """Returns a reader of tables with exactly these entries, or of lists in this order."""

    def read(value: Any, what: str) -> dict[str, Any]:
        if type(value) is list and len(value) == len(parts):
            value = dict(zip(parts, value))
        if type(value) is not dict or value.keys() != parts.keys():
            raise ValueError(f"{what} must have {', '.join(parts)}, got {reprlib.repr(value)}")
        return {name: part(value[name], f"{what}: '{name}'") for name, part in parts.items()}

    return read


def parts_of(made: type) -> dict[str, Reader]:
    """Returns readers for the fields (int, str, float) of a dataclass, for `entries`."""
    readers: dict[Any, Reader] = {
        "int": untrusted.whole,
        "str": untrusted.text,
        "float": untrusted.number,
    }
    return {each.name: readers[each.type] for each in dataclasses.fields(made)}


def new_handle() -> int:
    """Draws a handle that cannot be guessed, for an object that a task keeps for others."""
    return secrets.randbits(_HANDLE_BITS) | 1


class Fields:
    """The fields and arrays of a call or an answer.

    Args:
      call: the call, or the answer, whose errors name the peer.
    """

    def __init__(self, call: Call | Answer):
        self._fields = call.fields
        self._arrays = call.arrays
        self._origin = getattr(call, "origin", "")

    def whole(
        self, name: str, low: int = 0, high: int = untrusted.LARGEST, default: Any = _REQUIRED
    ) -> int:
        """Returns a whole number from `low` to `high`."""
        return self.read(name, lambda v, what: untrusted.whole(v, what, low, high), default)

    def handle(self, name: str) -> int:
        """Returns a handle from `new_handle`."""
        return self.whole(name, 1, 1 << _HANDLE_BITS)

    def step(self) -> int:
        """Returns the number of a step."""
        return self.whole("step", 1, LARGEST_STEP)

    def timeout(self, name: str) -> int:
        """Returns a time limit in milliseconds; 0 for no limit."""
        return self.whole(name, 0, LONGEST_TIMEOUT, default=0)

    def truth(self, name: str, default: Any = _REQUIRED) -> bool:
        """Returns a truth value."""
        return self.read(name, untrusted.truth, default)

    def text(self, name: str, default: Any = _REQUIRED) -> str:
        """Returns a text."""
        return self.read(name, untrusted.text, default)

    def task(self, name: str) -> str:
        """Returns the name of a task; None without such a field."""
        return self.read(name, task_of_cluster, None)

    def run_options(self) -> tuple[RunOptions | None, RunMetadata | None]:
        """Returns the options of a run, and an empty record for its metadata if that is wanted."""
        if self._fields.keys().isdisjoint(("timeout_ms", "stats", "graphs")):
            return None, None
        timeout = self.timeout("timeout_ms")
        stats, graphs = self.truth("stats", False), self.truth("graphs", False)
        options = None
        if timeout or graphs:
            options = RunOptions(timeout_in_ms=timeout, output_partition_graphs=graphs)
        return options, RunMetadata() if stats or graphs else None

    def listed(
        self, name: str, each: untrusted.Reader = untrusted.text, default: Any = _REQUIRED
    ) -> list[Any]:
        """Returns a list of texts, or of values that `each` reads."""
        return self.read(name, lambda v, what: untrusted.listed(v, what, each), default)

    def incarnations(self, name: str) -> dict[str, int]:
        """Returns the incarnations of tasks by name."""
        return self.read(name, lambda v, what: table(v, what, untrusted.whole, task_of_cluster))

    def graph(self, inner: Sequence[str]) -> tuple[list[Node], int]:
        """Returns the nodes of a graph, and the number of its results: the field "fetches".

        Args:
          inner: the types of the runtime's own nodes that are allowed.
        """
        data: Any = self._arrays[0] if len(self._arrays) == 1 else None
        if getattr(data, "dtype", None) != np.uint8 or data.ndim != 1:
            raise errors.InvalidArgumentError.of("A graph comes as one array of bytes.")
        try:
            graph_def = GraphDef.from_json(data.tobytes())
        except ValueError as error:
            raise errors.InvalidArgumentError.of(str(error)) from None
        nodes = from_node_defs(graph_def.node, inner)
        fetches = self.whole("fetches", 0, len(nodes))
        for kind, count in (("_Arg", None), ("_Retval", fetches)):
            places = sorted(node.attrs["index"] for node in nodes if node.type == kind)
            if places != list(range(len(places) if count is None else count)):
                raise errors.InvalidArgumentError.of(
                    f"The nodes of type {kind} are not numbered from 0 on, each once."
                )
        return nodes, fetches

    def read(self, name: str, read: untrusted.Reader, default: Any = _REQUIRED) -> Any:
        """Reads a field with `read`, which raises a ValueError for a bad value."""
        what = f"The field '{name}'"
        if name in self._fields:
            return self._checked(lambda: read(self._fields[name], what))
        if default is _REQUIRED:
            raise errors.InvalidArgumentError.of(f"{self._origin}{what} is missing.")
        return default

    def document(self, read: Callable[[str], Any] = str) -> Any:
        """Reads a text from the only array with `read`; it may be too long for a field."""
        if len(self._arrays) != 1 or type(self._arrays[0]) is not bytes:
            raise errors.InvalidArgumentError.of(f"{self._origin}A text must be its one array.")
        return self._checked(lambda: read(self._arrays[0].decode()))

    def take_metadata(self) -> RunMetadata:
        """Removes the metadata of a run, the last array, and returns it."""
        try:
            return RunMetadata.FromString(self._arrays.pop().tobytes())
        except Exception as error:  # whatever the form of a peer's JSON does to its readers
            reason = f"{self._origin}The stats of the run cannot be read: {error!r}"
            raise errors.InvalidArgumentError.of(reason) from None

    def _checked(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (ValueError, RecursionError) as error:
            raise errors.InvalidArgumentError.of(f"{self._origin}{error}") from None


class Values:
    """The number, types and shapes of the feeds or fetches of a graph.

    Sessions and kernels check their values themselves; values of peers are checked here.

    Args:
      nodes: of the graph; its `_Arg`s and `_Retval`s are numbered from 0 on.
      verb: "feed" for its feeds, "fetch" for its fetches.
    """

    def __init__(self, nodes: Sequence[Node], verb: str = "feed"):
        kind = "_Arg" if verb == "feed" else "_Retval"
        ends = sorted((n for n in nodes if n.type == kind), key=lambda n: n.attrs["index"])
        self._expected = [Expected.of(*(n.inputs[0] if n.inputs else (n, 0))) for n in ends]
        self._verb = verb

    def check(self, values: Sequence[Any], origin: str = "") -> None:
        """Checks the values of a run.

        Args:
          values: the values.
          origin: the beginning of error messages: whose answer they are.
        Raises:
          InvalidArgumentError: when they do not fit the graph.
        """
        if len(values) != len(self._expected):
            raise errors.InvalidArgumentError.of(
                f"{origin}Expected {len(self._expected)} values to {self._verb}, got {len(values)}"
            )
        for value, expected in zip(values, self._expected):
            expected.check(value, f"{origin}Cannot {self._verb}")


class Expected(NamedTuple):
    """The type and shape that a value of a peer must have, and the name of its node."""

    dtype: DType
    shape: TensorShape
    name: str

    @staticmethod
    def of(node: Node, index: int) -> Expected:
        """Returns the type and shape of an output of a node."""
        return Expected(node.dtypes[index].base_dtype, node.shapes[index], node.name)

    def check(self, value: Any, cannot: str) -> None:
        """Checks a value; the error message begins with `cannot`.

        Raises:
          InvalidArgumentError: when it has another type or shape.
        """
        given = getattr(value, "dtype", object)  # a scalar of strings is bytes
        if given != self.dtype.numpy_dtype or not self.shape.is_compatible_with(np.shape(value)):
            raise errors.InvalidArgumentError.of(
                f"{cannot} value of type {given} and shape {np.shape(value)} for '{self.name}', "
                f"which has type {self.dtype.name} and shape {self.shape}"
            )


def rendezvous_key(value: Any, what: str) -> Key:
    """Returns the key of a rendezvous for the `text` that a peer sent.

    It is only looked up, so its parts may be anything.

    Raises:
      ValueError: when the text is no key.
    """
    read = _read_key if len(untrusted.text(value, what)) < _LONG_KEY else _read_key.__wrapped__
    key = read(value)
    if key is None:
        raise ValueError(f"{what} must be a key 'sender;receiver;tensor', got {value[:200]!r}")
    return key


@functools.lru_cache(maxsize=4096)  # all steps of a program send the same
def _read_key(text: str) -> Key | None:
    parts = text.split(";")
    return Key.of(*parts) if len(parts) == 3 else None


def task_of_cluster(value: Any, what: str) -> str:
    """Returns the name of a task, "/job:worker/task:1".

    Raises:
      ValueError: when the value is no such name.
    """
    if not _TASK.fullmatch(untrusted.text(value, what)):
        raise ValueError(f"{what} must be the name of a task, got {value[:200]!r}")
    return value
