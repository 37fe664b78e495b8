"""Another placement, tried on a copy: its program, its transfers, its time.

    sess.graph ──> GraphDef ── other devices ──> a graph of its own ──> a session of its own
    sess       ──> the values of the variables ────────────────────────────┘

The reader's own session is asked for its devices and the values of its variables, and otherwise
left alone: even a step of training may be timed. Operations keep their names, so fetches and feeds
are found again.

A prediction needs no clock on the new placement: it takes the time that each operation needed where
it is now, and lets the devices run their operations in the order of the new programs, each waiting
for its inputs; what crosses between devices takes as long as such a crossing takes now.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import re
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import minitf as tf
from minitf_widgets.timeline.steps import Step, read_steps, stats_of, traced

__all__ = ["Trial", "device_function", "measured", "predicted"]

PATIENCE = 5000  # milliseconds for one run: a queue may be full, and nobody empties it
HANDOVER = 30.0  # microseconds from one device to another, where nothing crosses yet
BANDWIDTH = 5000.0  # bytes a microsecond
STARTS = ("MakeIterator", "InitializeTable", "LookupTableImport")
GRADIENT = re.compile(r"gradients(_\d+)?/|_grad\b")


def device_function(placement: Mapping[str, str]) -> Callable[[Any], str]:
    """A function for `tf.device` that puts operations where a placement says.

    Args:
      placement: name of an operation or of a scope -> device; the longest name counts. The gradient
        of an operation goes where the operation goes. All others stay where they ask to be.
    """

    def place(op: Any) -> str:
        path = GRADIENT.sub("", op.name).split("/")
        scopes = ("/".join(path[:end]) for end in range(len(path), 0, -1))
        return next((placement[scope] for scope in scopes if scope in placement), op.device)

    return place


class Trial:
    """A copy of a session with operations placed otherwise.

    Args:
      sess: the session.
      fetches, feed_dict: as for `sess.run`.
      placement: as for `device_function`.

    Attributes:
      step: one traced run.
      transfers: (tensor, from, to) -> bytes.
      explanation: of the copy's program.

    Raises:
      ValueError: for a session of a cluster, whose variables a copy would share.
    """

    def __init__(
        self, sess: Any, fetches: Any, feed_dict: Any, placement: Mapping[str, str]
    ) -> None:
        if sess.sess_str:
            raise ValueError(
                "A placement can be tried in a session of this process, not of a cluster."
            )
        if feed_dict and not isinstance(feed_dict, Mapping):
            raise ValueError("To try a placement, give feed_dict with values, as for sess.run.")
        graph_def = sess.graph.as_graph_def()
        place = device_function(placement)
        for node in graph_def.node:
            node.device = place(node)
        self._graph = tf.Graph()
        with self._graph.as_default():
            tf.import_graph_def(graph_def, name="")
        counts = collections.Counter(device.device_type for device in sess.list_devices())
        config = tf.ConfigProto(
            device_count=counts, allow_soft_placement=True, operation_timeout_in_ms=PATIENCE
        )
        self._sess = tf.Session(graph=self._graph, config=config)
        named, copied = sess.graph.as_graph_element, self._graph.as_graph_element
        self._fetches = tf.nest.map_structure(lambda each: copied(named(each).name), fetches)
        self._feeds = {named(key).name: value for key, value in (feed_dict or {}).items()}
        self._copy_variables(sess)
        self._start()
        self.explanation = self._sess.explain(self._fetches, self._feeds)
        self.step = self._traced()
        lanes, bars = self.step.lanes, self.step.bars
        self.transfers: dict[tuple[str, str, str], int] = {}
        for sent, received, size in self.step.arrows:
            here, there = bars[sent], bars[received]
            key = (here.node, lanes[here.lane].label, lanes[there.lane].label)
            self.transfers[key] = size

    def _copy_variables(self, sess: Any) -> None:
        """Runs each variable's initializer with the value that it has now, where it has one."""
        operations = sess.graph.get_operations()
        readers = {op.inputs[0].op: op for op in operations if op.type == "ReadVariableOp"}
        seen = set()
        for op in operations:
            if op.type not in ("Assign", "AssignVariableOp") or op.inputs[0].op in seen:
                continue
            variable = op.inputs[0].op
            seen.add(variable)
            reader = readers.get(variable) if op.type == "AssignVariableOp" else variable
            if reader is not None:
                try:
                    value = sess.run(reader.outputs[0])
                except tf.errors.FailedPreconditionError:
                    continue  # it has none
                self._sess.run(op.name, {op.inputs[1].name: value})

    def _start(self) -> None:
        """Runs what iterators and tables begin with; the first of several counts."""
        for op in reversed(self._graph.get_operations()):
            if op.type.startswith(STARTS):
                with contextlib.suppress(tf.errors.OpError):  # it wants to be fed
                    self._sess.run(op)

    def _traced(self) -> Step:
        runs = traced(self._sess, self._fetches, self._feeds, 3)
        return min(read_steps(stats_of(runs)), key=lambda step: step.length)

    def run(self) -> float:
        """Runs one step; returns its seconds."""
        start = time.perf_counter()
        self._sess.run(self._fetches, self._feeds)
        return time.perf_counter() - start

    def close(self) -> None:
        """Ends the copy."""
        self._sess.close()


def measured(one: Trial, other: Trial, seconds: float = 1.0) -> tuple[float, float, int]:
    """Times two placements in turn, so that whatever else the machine does meets both.

    Returns: the median of the seconds of a step of each, and how many steps of each there were.
    """
    for trial in (one, other):
        trial.run()
    times: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + seconds
    while len(times[0]) < 5 or time.perf_counter() < end:
        times[0].append(one.run())
        times[1].append(other.run())
    return statistics.median(times[0]), statistics.median(times[1]), len(times[0])


@dataclasses.dataclass
class _Costs:
    """What is taken over from a traced step."""

    operations: dict[str, float]
    handover: float

    @classmethod
    def of(cls, step: Step) -> _Costs:
        waits = [
            step.bars[b].end - step.bars[a].end
            for a, b, _ in step.arrows
            if step.bars[b].start <= step.bars[a].start
        ]
        operations = {bar.name: bar.length for bar in step.bars if bar.kind != "wait"}
        return cls(operations, max(statistics.median(waits), 1.0) if waits else HANDOVER)


def predicted(now: Step, tried: Step) -> float:
    """The seconds that a step should take.

    Args:
      now: a traced step of the present placement; the times are taken from here.
      tried: one of another placement; only the order of its programs is.
    """
    costs = _Costs.of(now)
    sent = {b: (a, size) for a, b, size in tried.arrows}
    ends: dict[int, float] = {}
    free = [0.0] * len(tried.lanes)

    def turn(index: int) -> tuple[float, bool]:
        """The order of a lane, and what is received after what was sent."""
        source = sent.get(index, (index, 0))[0]
        return max(tried.bars[index].end, tried.bars[source].end), index in sent

    for index in sorted(range(len(tried.bars)), key=turn):
        bar = tried.bars[index]
        if index in sent:
            source, size = sent[index]
            arrived = ends[source] + costs.handover + size / BANDWIDTH
            free[bar.lane] = max(free[bar.lane], arrived)
        elif bar.kind != "wait":
            free[bar.lane] += costs.operations.get(bar.name, 1.0)
        ends[index] = free[bar.lane]
    return max(free, default=0.0) / 1e6
