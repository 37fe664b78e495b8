"""All-reduce as the widget shows it: from the steps of `tf.cluster.all_reduce`, or from messages.

    tf.cluster.all_reduce(tensors, "ring") -> .results .steps .sent --+
                                                                      |--> a run: plain data
    a recording's messages of kind "collective" ----------------------+

A run is a dict that both pictures draw: `members` (their names), `pieces` (elements in each),
`start` (what each member has in each piece, as text), `steps` (the moves), `bytes` of one tensor.
A move is a dict: `source`, `target`, pieces `first` to `last` - 1, whether it `adds`, `bytes`,
`sent` and `result` (the texts of what travelled, and of what the target has then, by piece).
What a recording's messages held is not known: their runs have no texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["arrange", "from_events", "from_steps", "number", "parts_in", "theory"]

MOST_SHOWN = 3  # numbers of a piece that are written out


def number(value: Any, digits: int = 4) -> str:
    """A number as short as it can be read.

    Example:
      >>> number(3.14159), number(12345678.0), number(np.float32(0.1)), number(7)
      ('3.142', '1.235e7', '0.1', '7')
    """
    text = f"{float(value):.{digits}g}"
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


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


# ---- from the messages of a run -----------------------------------------------------------


def from_events(events: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """The collective operations that a recording's messages belong to.

    Each member has an operation of its own, with a name of its own. In one run all members come to
    them in the same order, so the n-th of one belongs to the n-th of the others.

    Args:
      events: messages with `step`, `tensor`, `kind`, `source`, `destination`, `bytes`, `start` and
        `end`, as attributes or items.
    Returns: {"run 1, grads/CollectiveReduce": a run with `algorithm`}, by the time of their end.
    """
    fields = [each if isinstance(each, Mapping) else _Fields(each) for each in events]
    found = sorted((each for each in fields if each["kind"] == "collective"), key=_end)
    met: dict[tuple[int, str], list[str]] = defaultdict(list)  # by run and member: names
    operations: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for each in found:
        names = met[each["step"], each["destination"]]
        if each["tensor"] not in names:
            names.append(each["tensor"])
        operations[each["step"], names.index(each["tensor"])].append(each)
    places = {step: place for place, step in enumerate(dict.fromkeys(s for s, _ in operations), 1)}
    runs = {}
    for (step, _), messages in operations.items():
        name = min({each["tensor"] for each in messages}, key=lambda text: (len(text), text))
        runs[f"run {places[step]}, {name}"] = arrange(messages)
    return runs


def _end(message: Any) -> float:
    return message["end"]


class _Fields:
    """An object's attributes, as items."""

    def __init__(self, event: Any) -> None:
        self._event = event

    def __getitem__(self, name: str) -> Any:
        return getattr(self._event, name)


def arrange(messages: Sequence[Any]) -> dict[str, Any]:
    """Puts the messages of one all-reduce into steps.

    Each link keeps the order, and a member takes its messages in the order of the steps. So the
    n-th that a member receives is of step n; only those who wait for all others, and those beyond
    a power of two, are out of this order.

    Args:
      messages: as `from_events` finds them.
    Returns: a run without texts, with `algorithm` and `seconds`.
    """
    ordered = sorted(messages, key=_end)
    names = sorted({each[end] for each in ordered for end in ("source", "destination")})
    number_of = {name: place for place, name in enumerate(names)}
    pairs = [(number_of[each["source"]], number_of[each["destination"]]) for each in ordered]
    algorithm, places = _steps(pairs, len(names))
    steps: list[list[dict[str, Any]]] = [[] for _ in range(max(places, default=-1) + 1)]
    for (source, target), place, each in zip(pairs, places, ordered, strict=True):
        move = {"source": source, "target": target, "first": 0, "last": 0, "adds": False}
        steps[place].append({**move, "bytes": int(each["bytes"]), "sent": [], "result": []})
    sent: Counter[int] = Counter()
    for (source, _), each in zip(pairs, ordered, strict=True):
        sent[source] += int(each["bytes"])
    most = max(sent.values(), default=0)
    return {
        "members": [name.replace("/job:", "").replace("/task:", " ") for name in names],
        "pieces": [],
        "start": [],
        "steps": steps,
        "bytes": round(most / theory(algorithm, len(names))) if most else 0,
        "algorithm": algorithm,
        "seconds": ordered[-1]["end"] - min(each["start"] for each in ordered),
    }


def _steps(pairs: Sequence[tuple[int, int]], members: int) -> tuple[str, list[int]]:
    """The algorithm that fits to who sent to whom, and the step of each message."""
    sends = Counter(source for source, _ in pairs)
    hub = pairs[0][1]
    if all(hub in pair for pair in pairs) and all(sends[m] == 1 for m in sends if m != hub):
        return "naive", [int(source == hub) for source, _ in pairs]
    # Those beyond a power of two give all they have first, and get it back last.
    beyond = {m for m, count in sends.items() if count == 1} if max(sends.values()) > 1 else set()
    received: Counter[int] = Counter()
    places = []
    for source, target in pairs:
        if source in beyond:
            places.append(0)
        elif target in beyond:
            places.append(-1)
        else:
            places.append(received[target] + bool(beyond))
            received[target] += 1
    last = max(places) + 1
    places = [last if place < 0 else place for place in places]
    ring = all(len({t for s, t in pairs if s == member}) == 1 for member in range(members))
    return "ring" if ring else "tree", places
