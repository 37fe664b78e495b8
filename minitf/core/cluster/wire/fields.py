"""The fields of a call or an answer, each looked at before a handler uses it.

    {"step": 7, "handle": "7"}  --step()------------> 7
                                --handle("handle")--> InvalidArgumentError: The field ...

A peer may send any plain data. What a handler reads has the type and lies in the range that it was
made for; everything else is answered with an InvalidArgumentError, and changes nothing. Numbers by
which a peer speaks of what a task keeps for it cannot be guessed: `new_handle` draws them.
"""

from __future__ import annotations

import functools
import re
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import errors, outside
from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.plan.subgraph import Node, from_node_defs
from minitf.core.runtime.run.rendezvous import Key
from minitf.core.runtime.session.config import RunMetadata, RunOptions

if TYPE_CHECKING:
    from minitf.core.cluster.wire.rpc import Answer, Call

LARGEST_STEP = 2**62  # 30 random bits of a master, and its own count of 32
LONGEST_TIMEOUT = 10**12  # milliseconds; more than sockets can wait
_HANDLE_BITS = 62
_LONG_KEY = 1000  # characters; what is remembered of peers is bounded
_REQUIRED: Any = object()

_TASK = re.compile(r"/job:[A-Za-z0-9_.\-]+/task:[0-9]{1,9}")


def new_handle() -> int:
    """A number that nobody can guess, for what a task keeps for others."""
    return secrets.randbits(_HANDLE_BITS) | 1


class Fields:
    """The fields and arrays of a call.

    Args:
      call: the call.
    """

    def __init__(self, call: Call | Answer):
        self._fields = call.fields
        self._arrays = call.arrays

    def whole(
        self, name: str, low: int = 0, high: int = outside.LARGEST, default: Any = _REQUIRED
    ) -> int:
        """A whole number from `low` to `high`."""
        return self._read(name, lambda v, what: outside.whole(v, what, low, high), default)

    def handle(self, name: str) -> int:
        """A number that `new_handle` may have drawn."""
        return self.whole(name, 1, 1 << _HANDLE_BITS)

    def step(self) -> int:
        """The number of a step."""
        return self.whole("step", 1, LARGEST_STEP)

    def timeout(self, name: str) -> int:
        """How long something may take, in milliseconds; 0 for as long as it takes."""
        return self.whole(name, 0, LONGEST_TIMEOUT, default=0)

    def truth(self, name: str, default: Any = _REQUIRED) -> bool:
        """True or false."""
        return self._read(name, outside.truth, default)

    def text(self, name: str, default: Any = _REQUIRED) -> str:
        """A text."""
        return self._read(name, outside.text, default)

    def task(self, name: str) -> str:
        """The name of a task, None when there is no such field."""
        return self._read(name, task_of_cluster, None)

    def run_options(self) -> tuple[RunOptions | None, RunMetadata | None]:
        """The options of a run, and the record for what it tells when the caller wants that."""
        if self._fields.keys().isdisjoint(("timeout_ms", "stats", "graphs")):
            return None, None
        timeout = self.timeout("timeout_ms")
        stats, graphs = self.truth("stats", False), self.truth("graphs", False)
        options = None
        if timeout or graphs:
            options = RunOptions(timeout_in_ms=timeout, output_partition_graphs=graphs)
        return options, RunMetadata() if stats or graphs else None

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        return self._read(name, lambda v, what: outside.listed(v, what, outside.text))

    def handles(self, name: str) -> list[int]:
        """A list of numbers."""
        return self._read(name, lambda v, what: outside.listed(v, what, outside.whole))

    def keys(self, name: str) -> list[Key]:
        """A list of keys of a rendezvous."""
        return self._read(name, lambda v, what: outside.listed(v, what, rendezvous_key))

    def devices(self, name: str) -> list[str]:
        """A list of device names, whole or in part."""
        return self._read(name, lambda v, what: outside.listed(v, what, outside.device_name), [])

    def incarnations(self, name: str) -> dict[str, int]:
        """The incarnations of tasks, by their names."""
        return self._read(name, _incarnations)

    def graph(self, inner: Sequence[str]) -> tuple[list[Node], int]:
        """The nodes of a graph, and how many values it returns: the field "fetches".

        Args:
          inner: the types of a runtime's own nodes that may be in it.
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

    def _read(self, name: str, read: Callable[[Any, str], Any], default: Any = _REQUIRED) -> Any:
        if name not in self._fields:
            if default is _REQUIRED:
                raise errors.InvalidArgumentError.of(f"The field '{name}' is missing.")
            return default
        try:
            return read(self._fields[name], f"The field '{name}'")
        except ValueError as error:
            raise errors.InvalidArgumentError.of(str(error)) from None


class Feeds:
    """What a graph takes from its caller: how many values, of which types and shapes.

    A session looks at what it feeds; a peer may send anything.

    Args:
      nodes: of the graph; its `_Arg`s are numbered from 0 on.
    """

    def __init__(self, nodes: Sequence[Node]):
        args = sorted((n for n in nodes if n.type == "_Arg"), key=lambda n: n.attrs["index"])
        self._expected = [(n.dtypes[0].base_dtype, n.shapes[0], n.name) for n in args]

    def check(self, values: Sequence[Any]) -> None:
        """Looks at the values of a run.

        Raises:
          InvalidArgumentError: when they are not those that the graph takes.
        """
        if len(values) != len(self._expected):
            raise errors.InvalidArgumentError.of(
                f"Expected {len(self._expected)} feeds, got {len(values)}"
            )
        for value, (dtype, shape, name) in zip(values, self._expected, strict=True):
            given = getattr(value, "dtype", object)  # a scalar of strings is bytes
            if given != dtype.numpy_dtype or not shape.is_compatible_with(np.shape(value)):
                raise errors.InvalidArgumentError.of(
                    f"Cannot feed value of type {given} and shape {np.shape(value)} for "
                    f"'{name}', which has type {dtype.name} and shape {shape}"
                )


def rendezvous_key(value: Any, what: str) -> Key:
    """The key of a rendezvous of which a peer sent the `text`.

    It is only looked up, so its parts may be anything.

    Raises:
      ValueError: when it is none.
    """
    read = _read_key if len(outside.text(value, what)) < _LONG_KEY else _read_key.__wrapped__
    key = read(value)
    if key is None:
        raise ValueError(f"{what} must be a key 'sender;receiver;tensor', got {value[:200]!r}")
    return key


@functools.lru_cache(maxsize=4096)  # all steps of a program send the same
def _read_key(text: str) -> Key | None:
    parts = text.split(";")
    return Key.of(*parts) if len(parts) == 3 else None


def task_of_cluster(value: Any, what: str) -> str:
    """The name of a task, "/job:worker/task:1".

    Raises:
      ValueError: when it is none.
    """
    if not _TASK.fullmatch(outside.text(value, what)):
        raise ValueError(f"{what} must be the name of a task, got {value[:200]!r}")
    return value


def _incarnations(value: Any, what: str) -> dict[str, int]:
    if type(value) is not dict:
        raise ValueError(f"{what} must be a dictionary from tasks to their incarnations")
    return {
        task_of_cluster(task, f"A task in {what.lower()}"): outside.whole(
            number, f"The incarnation of {task}"
        )
        for task, number in value.items()
    }
