"""All-reduce step by step, with real numbers: ring, tree and naive, or what a cluster did."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline, Table
from minitf_widgets.reductions.collective import from_events, from_steps, parts_in, theory
from minitf_widgets.reductions.picture import all_reduce_svg

__all__ = ["AllReduce"]

ALGORITHMS = ("ring", "tree", "naive")
OFFLINE = (2, 3, 4, 5, 6, 8, 12, 16)  # how many members a page without Python knows
MOST = 32  # members that are drawn


class AllReduce(PictureWidget):
    """Shows how the members of a group come to have the sum of all their tensors.

    Args:
      source: what makes or made the steps:

        - `tf.cluster.all_reduce`, or a function like it: runs all three algorithms;
        - its result: shows that run;
        - a `tf.cluster.Recording`, or messages: shows the cluster's collective operations.
      tensors: one for each member, all of one shape; or how many members there are, which have
        1 2 3 ..., 10 20 30 ..., 100 200 300 ...; for a result, what the members had at first.
      algorithm: the one to show first, "ring", "tree" or "naive"; of a recording, the operation.
      **traits: any other trait.
    Attributes:
      step: the moment shown: 0 is before the first step.
      members: how many there are; may be set where `tensors` was a number.
    Raises:
      TypeError: when `source` is none of these.
      ValueError: for less than 2 or more than 32 members, or no such algorithm.
    Example:
      >>> view = AllReduce(tf.cluster.all_reduce, 4)
      >>> view.steps
      {'ring': 6, 'tree': 4, 'naive': 2}
      >>> AllReduce(tf.cluster.all_reduce, [[1.0, 2.0], [10.0, 20.0]]).bytes_sent()
      [16, 16]
    """

    _esm = STATIC / "reductions.js"
    _css = STATIC / "reductions.css"

    kind = traitlets.Unicode("all-reduce", help="which view the page draws").tag(sync=True)
    runs = traitlets.Dict(help="the runs by algorithm or operation").tag(sync=True)
    algorithm = traitlets.Unicode("", help="which run is shown").tag(sync=True)
    members = traitlets.Int(4, min=2, max=MOST).tag(sync=True)
    free = traitlets.Bool(False, help="whether `members` may be changed").tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self, source: Any, tensors: Any = 4, algorithm: str | None = None, **traits: Any
    ) -> None:
        self._reduce = source if callable(source) else None
        free = self._reduce is not None and np.ndim(tensors) == 0
        runs = self._run(tensors) if self._reduce else _made(source, tensors, algorithm)
        if algorithm is None:
            algorithm = next(iter(runs))
        _check(algorithm, runs)
        members = len(runs[algorithm]["members"])
        super().__init__(runs=runs, algorithm=algorithm, members=members, free=free, **traits)

    @property
    def steps(self) -> dict[str, int]:
        """How many steps each run takes."""
        return {name: len(run["steps"]) for name, run in self.runs.items()}

    def bytes_sent(self, algorithm: str | None = None) -> list[int]:
        """How many bytes each member sends in a run, the one that is shown by default."""
        run = self.runs[algorithm or self.algorithm]
        sent = [0] * len(run["members"])
        for move in (move for step in run["steps"] for move in step):
            sent[move["source"]] += move["bytes"]
        return sent

    def _run(self, tensors: Any) -> dict[str, dict[str, Any]]:
        if np.ndim(tensors) == 0:
            if not 2 <= tensors <= MOST:
                raise ValueError(f"AllReduce shows 2 to {MOST} members, not {tensors}.")
            size = math.lcm(tensors, 1 << (tensors.bit_length() - 1))  # pieces of equal size
            tensors = [np.arange(1.0, size + 1) * _scale(i) for i in range(tensors)]
        elif not all(isinstance(tensor, np.ndarray) for tensor in tensors):
            found = [np.asarray(tensor) for tensor in tensors]  # [1, 2] beside [1.5, 2.5] is fine
            tensors = [tensor.astype(np.result_type(*found)) for tensor in found]
        runs = {}
        for name in ALGORITHMS:
            assert self._reduce is not None
            runs[name] = _whole(from_steps(tensors, self._reduce(tensors, name)), name)
        return runs

    @traitlets.validate("algorithm")
    def _known(self, proposal: Mapping[str, Any]) -> str:
        _check(proposal["value"], self.runs)
        return proposal["value"]

    @traitlets.observe("algorithm")
    def _rewind(self, change: Mapping[str, Any]) -> None:
        self.step = min(self.step, len(self.runs[self.algorithm]["steps"]))

    @traitlets.observe("members")
    def _regroup(self, change: Mapping[str, Any]) -> None:
        if self.free and self.members != len(self.runs[self.algorithm]["members"]):
            with self.hold_sync():
                self.runs = self._run(self.members)
                self._rewind({})

    def _table(self) -> list[list[str]]:
        rows = [["", "steps", "messages", "bytes a member sends at most", "theory"]]
        for name, run in self.runs.items():
            sent = max(self.bytes_sent(name))
            messages = sum(map(len, run["steps"]))
            told = f"{run['theory']:.3g} × {run['bytes']:,} = {run['theory'] * run['bytes']:,.0f}"
            rows.append([name, str(len(run["steps"])), f"{messages:,}", f"{sent:,}", told])
        return rows

    def offline(self) -> Offline:
        counts = [{"members": count} for count in OFFLINE if self.free]
        return Offline([Table(("members",), ("runs", "step"), counts)])

    def to_svg(self) -> str:
        run = self.runs[self.algorithm]
        title = f"All-reduce of {len(run['members'])} members: {self.algorithm}"
        return all_reduce_svg(title, run, self._table())

    def to_text(self) -> str:
        run = self.runs[self.algorithm]
        told = [
            f"{name}: {steps} steps, {messages} messages, a member sends up to {sent} bytes "
            f"(theory: {expected})."
            for name, steps, messages, sent, expected in self._table()[1:]
        ]
        head = f"All-reduce of {len(run['members'])} members over {run['bytes']:,} bytes each."
        return "\n".join([head, *told])


def _scale(member: int) -> float:
    """1, 10, 100, 1000; beyond that sums would be long, and tell the members apart no more."""
    return float(10 ** (member % 4)) if member < 4 else float(member)


def _check(algorithm: str, runs: Mapping[str, Any]) -> None:
    if algorithm not in runs:
        raise ValueError(f"There is no {algorithm!r} here: it is one of {', '.join(runs)}.")


def _whole(run: dict[str, Any], algorithm: str) -> dict[str, Any]:
    """A run with what both pictures need beside the moves."""
    expected = theory(algorithm, len(run["members"]))
    return {**run, "algorithm": algorithm, "theory": expected, "parts": parts_in(run)}


def _made(source: Any, tensors: Any, algorithm: str | None) -> dict[str, dict[str, Any]]:
    """The runs of a result, or of a recording."""
    if hasattr(source, "results"):
        name = algorithm or "all-reduce"
        return {name: _whole(from_steps([] if np.ndim(tensors) == 0 else tensors, source), name)}
    events = source.get("events") if isinstance(source, Mapping) else source
    events = getattr(events, "events", events)
    if not hasattr(events, "__iter__"):
        raise TypeError(
            "AllReduce needs tf.cluster.all_reduce, its result, or a recording, not "
            f"{type(source).__name__}."
        )
    runs = {name: _whole(run, run["algorithm"]) for name, run in from_events(events).items()}
    if not runs:
        raise ValueError("There is no message of a collective operation among these.")
    return runs
