"""All-reduce step by step, with real numbers: ring, tree and naive.

    tf.cluster.all_reduce(tensors, "ring") -> .results .steps .sent -> a run: plain data

A run is a dict that both pictures draw: `members` (their names), `pieces` (elements in each),
`start` (what each member has in each piece, as text), `steps` (the moves), `bytes` of one tensor,
`most` that a member sends, `row` of the table of algorithms, and `parts`, how much of the sum is
where. A move is a dict: `source`, `target`, pieces `first` to `last` - 1, whether it `adds`,
`bytes`, `sent` and `result` (texts of what travelled, and of what the target has then, by piece).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline, Table
from minitf_widgets.reductions.dot import number
from minitf_widgets.reductions.picture import all_reduce_svg

__all__ = ["AllReduce", "from_steps", "parts_in", "theory"]

ALGORITHMS = ("ring", "tree", "naive")
OFFLINE = (2, 3, 4, 5, 6, 8, 12, 16)  # how many members a page without Python knows
MOST = 32  # members that are drawn
HEAD = ["", "steps", "messages", "bytes sent by the busiest member", "theory"]
MOST_SHOWN = 3  # numbers of a piece that are written out


class AllReduce(PictureWidget):
    """Shows how the members of a group come to have the sum of all their tensors.

    Args:
      source: `tf.cluster.all_reduce`, or a function like it; runs all three algorithms.
      tensors: one for each member, all of one shape; or how many members there are, which have
        1 2 3 ..., 10 20 30 ..., 100 200 300 ...
      algorithm: the one to show first, "ring", "tree" or "naive".
      **traits: any other trait.
    Attributes:
      step: the moment shown: 0 is before the first step.
      members: how many there are; may be set where `tensors` was a number.
    Raises:
      TypeError: when `source` is no such function.
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
    runs = traitlets.Dict(help="the runs by algorithm").tag(sync=True)
    algorithm = traitlets.Unicode("", help="which run is shown").tag(sync=True)
    members = traitlets.Int(4, min=2, max=MOST).tag(sync=True)
    free = traitlets.Bool(False, help="whether `members` may be changed").tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self, source: Any, tensors: Any = 4, algorithm: str = ALGORITHMS[0], **traits: Any
    ) -> None:
        if not callable(source):
            raise TypeError(f"AllReduce needs tf.cluster.all_reduce, not {type(source).__name__}.")
        self._reduce, free = source, np.ndim(tensors) == 0
        runs = self._run(tensors)
        _check(algorithm, runs)
        members = len(runs[algorithm]["members"])
        super().__init__(runs=runs, algorithm=algorithm, members=members, free=free, **traits)

    @property
    def steps(self) -> dict[str, int]:
        """How many steps each run takes."""
        return {name: len(run["steps"]) for name, run in self.runs.items()}

    def bytes_sent(self, algorithm: str | None = None) -> list[int]:
        """How many bytes each member sends in a run, the one that is shown by default."""
        return _sent(self.runs[algorithm or self.algorithm])

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

    def offline(self) -> Offline:
        counts = [{"members": count} for count in OFFLINE if self.free]
        return Offline([Table(("members",), ("runs", "step"), counts)])

    def to_svg(self) -> str:
        run = self.runs[self.algorithm]
        title = f"All-reduce of {len(run['members'])} members: {self.algorithm}"
        rows = [[name, *each["row"]] for name, each in self.runs.items()]
        return all_reduce_svg(title, run, [HEAD, *rows])

    def to_text(self) -> str:
        run = self.runs[self.algorithm]
        told = [
            "{}: {} steps, {} messages, a member sends up to {} bytes (theory: {}).".format(
                name, *each["row"]
            )
            for name, each in self.runs.items()
        ]
        head = f"All-reduce of {len(run['members'])} members over {run['bytes']:,} bytes each."
        return "\n".join([head, *told])


def _scale(member: int) -> float:
    """1, 10, 100, 1000; beyond that sums would be long, and tell the members apart no more."""
    return float(10 ** (member % 4)) if member < 4 else float(member)


def _check(algorithm: str, runs: Mapping[str, Any]) -> None:
    if algorithm not in runs:
        raise ValueError(f"There is no {algorithm!r} here: it is one of {', '.join(runs)}.")


def _sent(run: Mapping[str, Any]) -> list[int]:
    """How many bytes each member sends."""
    sent = [0] * len(run["members"])
    for move in (move for step in run["steps"] for move in step):
        sent[move["source"]] += move["bytes"]
    return sent


def _whole(run: dict[str, Any], algorithm: str) -> dict[str, Any]:
    """A run with what both pictures need beside the moves."""
    size, most = run["bytes"], max(_sent(run))
    expected = theory(algorithm, len(run["members"]))
    factor = f"2 (N−1)/N = {expected:.3g}" if algorithm == "ring" else f"{expected:.3g}"
    row = [
        str(len(run["steps"])),
        f"{sum(map(len, run['steps'])):,}",
        f"{most:,}",
        f"{factor} × {size:,} = {expected * size:,.0f}",
    ]
    return {**run, "most": most, "row": row, "parts": parts_in(run)}


def _texts(values: np.ndarray, sizes: Sequence[int]) -> list[str]:
    """Of each of the pieces that `values` holds: its first numbers."""
    texts, at = [], 0
    for size in sizes:
        shown = " ".join(number(value) for value in values[at : at + min(size, MOST_SHOWN)])
        texts.append(shown + (" …" if size > MOST_SHOWN else ""))
        at += size
    return texts


def from_steps(tensors: Sequence[Any], done: Any) -> dict[str, Any]:
    """A run from what `tf.cluster.all_reduce` returned for these tensors.

    Args:
      tensors: what the members had; empty where it is not known.
      done: its result, with `results`, `steps` and `sent`, with its messages kept.
    Raises:
      TypeError: when it is none, or has no messages.
    """
    try:
        steps, whole = done.steps, np.asarray(done.results[0])
        moves = [(each.transfer, np.ravel(each.values), each.result) for s in steps for each in s]
    except (AttributeError, IndexError, TypeError):
        raise TypeError(f"This is no result of tf.cluster.all_reduce: {done!r}.") from None
    if len(done.results) > 1 and not moves and whole.size:
        raise TypeError("The result has no messages: call all_reduce with record=True.")
    count = max((move.last for move, _, _ in moves), default=1)
    sizes = [whole.size * (i + 1) // count - whole.size * i // count for i in range(count)]
    item = whole.itemsize

    def told(each: Any) -> dict[str, Any]:
        move, held = each.transfer, sizes[each.transfer.first : each.transfer.last]
        return {
            **{key: int(getattr(move, key)) for key in ("source", "target", "first", "last")},
            "adds": bool(move.adds),
            "bytes": sum(held) * item,
            "sent": _texts(np.ravel(each.values), held),
            "result": _texts(np.ravel(each.result), held),
        }

    return {
        "members": [f"member {i}" for i in range(len(done.results))],
        "pieces": sizes,
        "start": [_texts(np.ravel(np.asarray(tensor)), sizes) for tensor in tensors],
        "steps": [[told(each) for each in step] for step in steps],
        "bytes": whole.nbytes,
    }


def theory(algorithm: str, members: int) -> float:
    """How often a tensor's bytes the member that sends most has to send.

    Example:
      >>> theory("ring", 4), theory("tree", 4), theory("naive", 4)
      (1.5, 1.5, 3)
    """
    if algorithm == "naive" or members == 1:
        return members - 1
    power = 1 << (members.bit_length() - 1)
    if algorithm == "tree" and power < members:  # those beyond the power of two get all of it
        return 2 * (power - 1) / power + 1
    return 2 * (members - 1) / members


def parts_in(run: Mapping[str, Any]) -> list[list[list[int]]]:
    """After each step, and before the first: how many members' numbers are in each piece.

    Returns: counts by step, member and piece.
    """
    members, pieces = len(run["members"]), len(run["pieces"])
    have = [[{member} for _ in range(pieces)] for member in range(members)]
    counts = [[[len(piece) for piece in row] for row in have]]
    for step in run["steps"]:
        before = [[set(piece) for piece in row] for row in have]
        for move in step:
            for piece in range(move["first"], move["last"]):
                sent = before[move["source"]][piece]
                mine = have[move["target"]][piece]
                have[move["target"]][piece] = mine | sent if move["adds"] else set(sent)
        counts.append([[len(piece) for piece in row] for row in have])
    return counts
