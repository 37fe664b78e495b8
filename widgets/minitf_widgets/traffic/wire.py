"""Traffic snapshots on their way to the browser: checked once, then packed as one text.

A running cluster is asked a few times a second for a snapshot (a dict, see `clean_snapshot`). All
that the page needs of it leaves as JSON, in which names that come again and again stand once:

    cluster.traffic() -> clean_snapshot -> FreshEvents -> pack_tick -> page (src/traffic/wire.ts)

    {"version": 3, "time": seconds, "tasks": [{...}], "waits": [{...}, see explain_waits],
     "names":  ["/job:ps/task:0", "W/read:0", ...],
     "links":  [[source, destination, messages, bytes], ...],
     "events": [[tensor, kind, source, destination, "step", bytes, start, end], ...],
     "marks":  [[time, name of a number of the training, "value"], ...]}

Names in rows are places in `names`; times in rows are seconds after the snapshot's own; steps and
values are texts, since JavaScript's numbers do not hold every step, nor JSON's every value. Each
text stands alone: a page that joins late, or misses one, needs none of the earlier ones.

What a task waits for, in words: from the lines that tasks tell of their running steps.

    worker 1  _Recv sync_token_q_Dequeue:0 of ps 1 --.  the same step
    ps 1      sync_token_q_Dequeue (QueueDequeueV2) <-'
    => worker 1: "waits for sync_token_q_Dequeue on ps 1: the queue is empty"

Outside of steps a task tells what it imports, and that it asks for variables without a value.
A task that waits for another is asked again there, as far as the chain of one step goes, so that
what is told is the cause. Whoever only computes is told so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minitf_widgets.chart import format_bytes

VERSION = 3
_LONG_WAIT = 1.0  # seconds after which a wait is worth a word
_NAMED = ("tensor", "kind", "source", "destination")


def parse_task(task: str) -> tuple[str, int | None]:
    """Returns job and index: "/job:ps/task:1" -> ("ps", 1); other text is a job of its own."""
    job = re.search(r"/job:([^/]+)", task)
    index = re.search(r"/task:(\d+)", task)
    return (job[1] if job else task), (int(index[1]) if index else None)


def task_label(task: str) -> str:
    """Returns a task's short name: "/job:ps/task:1" -> "ps 1"."""
    job, index = parse_task(task)
    return job if index is None else f"{job} {index}"


def short_label(task: str) -> str:
    """Returns a task's name for a small box: "/job:worker/task:15" -> "w15"."""
    job, index = parse_task(task)
    return job[:6] if index is None else f"{job if job == 'ps' else job[:1]}{index}"


def total_text(counts: Iterable[Mapping[str, int]]) -> str:
    """Returns "1,204 messages, 12.3 MB" for the counts of some links."""
    given = list(counts)
    size = format_bytes(sum(count["bytes"] for count in given))
    return f"{sum(count['messages'] for count in given):,} messages, {size}"


def wait_texts(tick: Mapping[str, Any]) -> list[str]:
    """Returns a line for each wait of a clean snapshot that is long enough to be told."""
    waits = [wait for wait in tick["waits"] if wait["seconds"] >= _LONG_WAIT]
    return [f"{task_label(w['task'])} {w['text']}, for {w['seconds']:.0f} s" for w in waits]


_TASK = {"task": str, "address": str, "alive": bool, "incarnation": str}
_WAIT = {**dict.fromkeys(("step", "node", "type", "of"), str), "seconds": float}
_EVENT = {"step": int, **dict.fromkeys(_NAMED, str), "bytes": int, "start": float, "end": float}


def clean_snapshot(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `snapshot` in plain Python types, complete, in a fixed order; raises if it is none.

    Args:
      snapshot: "tasks", a list of dicts with "task", "address", "alive", "incarnation";
        "counters", a dict "source|destination" -> {"messages", "bytes"}; "events", a list of dicts
        or objects with step, tensor, kind, source, destination, bytes, start and end (seconds);
        "time", seconds on the same clock as the events. A task may have "waits", a list of dicts
        with "step", "node", "type", "of" and "seconds": where its running steps stand.
    Returns: a new dict of the same form; incarnations and steps are exact, as strings and ints.
      "waits" says in words what tasks wait for, "marks" is an empty list for
      (time, name, number) of the training.
    Raises:
      ValueError: when a part is missing or cannot be read, naming the part.
    Example:
      >>> clean_snapshot({"tasks": [], "counters": {}, "events": [], "time": 1})["time"]
      1.0
    """
    try:
        return {
            "time": float(snapshot["time"]),
            "tasks": [_clean(task, _TASK) for task in snapshot["tasks"]],
            "counters": {
                _clean_key(key): _clean(count, {"messages": int, "bytes": int})
                for key, count in sorted(snapshot["counters"].items())
            },
            "events": [_clean(event, _EVENT) for event in snapshot["events"]],
            "waits": explain_waits(
                {
                    str(task["task"]): [_clean(wait, _WAIT) for wait in task.get("waits") or ()]
                    for task in snapshot["tasks"]
                }
            ),
            "marks": [],
        }
    except KeyError as error:
        raise ValueError(f"A traffic snapshot lacks {error.args[0]!r}.") from None
    except (TypeError, AttributeError) as error:
        raise ValueError(f"A traffic snapshot cannot be read: {error}.") from None


def _clean_key(key: str) -> str:
    if key.count("|") != 1:
        raise ValueError(f"A traffic counter is named 'source|destination', not {key!r}.")
    return key


def _clean(thing: Any, kinds: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """Returns the parts of a dict or object in plain types."""
    parts = thing if isinstance(thing, Mapping) else {name: getattr(thing, name) for name in kinds}
    return {name: kind(parts[name]) for name, kind in kinds.items()}


class FreshEvents:
    """Lets each event through once, however often the snapshots repeat it; memory is bounded."""

    def __init__(self, capacity: int = 4096):
        self._seen: dict[tuple[Any, ...], None] = {}
        self._capacity = capacity

    def __call__(self, events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the events of `events` not seen before, by start time."""
        given = {tuple(event.values()): event for event in events}
        fresh = [event for identity, event in given.items() if identity not in self._seen]
        self._seen |= dict.fromkeys(given)
        while len(self._seen) > self._capacity:
            del self._seen[next(iter(self._seen))]
        return sorted(fresh, key=lambda event: event["start"])


def pack_tick(tick: Mapping[str, Any]) -> str:
    """Packs a clean snapshot into the text drawn at the top of this file.

    Args:
      tick: what `clean_snapshot` returned, its events reduced to the fresh ones.
    Returns: JSON of ASCII letters, without line ends; about 50 of them an event.
    """
    names: dict[str, int] = {}

    def place(text: str) -> int:
        return names.setdefault(text, len(names))

    now = tick["time"]
    links = [
        [*map(place, key.split("|")), count["messages"], count["bytes"]]
        for key, count in tick["counters"].items()
    ]
    events = []
    for event in tick["events"]:
        named = [place(event[part]) for part in _NAMED]
        start, end = round(event["start"] - now, 7), round(event["end"] - now, 7)
        events.append([*named, str(event["step"]), event["bytes"], start, end])
    marks = [
        [round(time - now, 7), name, str(value).replace("inf", "Infinity")]
        for time, name, value in tick["marks"]
    ]
    packed = {"version": VERSION, "links": links, "events": events, "marks": marks}
    kept = {part: tick[part] for part in ("time", "tasks", "waits")}
    return json.dumps({**packed, **kept, "names": list(names)}, separators=(",", ":"))


def unpack_tick(packed: str) -> dict[str, Any]:
    """Returns what `pack_tick` packed."""
    data = json.loads(packed)
    names, now = data["names"], data["time"]
    events = []
    for *named, step, size, start, end in data["events"]:
        tensor, kind, source, destination = (names[each] for each in named)
        times = (round(now + start, 7), round(now + end, 7))
        row = (int(step), tensor, kind, source, destination, size, *times)
        events.append(dict(zip(_EVENT, row, strict=True)))
    return {
        "time": now,
        "tasks": data["tasks"],
        "counters": {
            f"{names[source]}|{names[destination]}": {"messages": messages, "bytes": size}
            for source, destination, messages, size in data["links"]
        },
        "events": events,
        "waits": data["waits"],
        "marks": [
            (round(now + time, 7), name, float(value)) for time, name, value in data["marks"]
        ],
    }


_MOST = 3  # waits told of one task
_FOR_OTHERS = ("_Recv", "run_graph")
_POLL = "report_uninitialized_variables"
# Operations that wait, by a part of their type: why that may take long.
_REASONS = {
    "Dequeue": "the queue is empty",
    "Enqueue": "the queue is full",
    "TakeGradient": "fewer gradients have come than it averages",
    "BarrierTake": "the barrier has too few elements",
    "BarrierInsert": "the barrier is full",
    "Unstage": "nothing is staged",
    "Collective": "not all members of the group have come",
    "ReaderRead": "the reader's queue of files is empty",
    "IteratorGetNext": "the input pipeline has no element ready",
}


def explain_waits(lines: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Says of each task with running steps what they stand in, the longest first.

    Args:
      lines: by the task, as it tells them in the "waits" of a snapshot.
    Returns: dicts with "task", "what" (an operation or a tensor), "text" (a sentence without its
      subject) and "seconds".
    Example:
      >>> take = {"step": "7", "node": "q/take", "type": "QueueDequeueV2", "of": "", "seconds": 3.0}
      >>> explain_waits({"/job:ps/task:0": [take]})[0]["text"]
      'waits in q/take: the queue is empty'
    """
    found = []
    for task, own in lines.items():
        steps: dict[str, list[Mapping[str, Any]]] = {}
        for line in own:
            steps.setdefault(line["step"], []).append(line)
        told: dict[str, dict[str, Any]] = {}
        for line in sorted(map(_chief, steps.values()), key=lambda line: -line["seconds"]):
            what, text = _explain(task, line, lines)
            wait = {"task": task, "what": what, "text": text, "seconds": line["seconds"]}
            told.setdefault(text, wait)
        found += list(told.values())[:_MOST]
    return found


def _chief(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of one step in one task: what runs there, or else what is received, or else who is asked."""
    order = {"run_graph": 0, "_Recv": 1}
    return max(lines, key=lambda line: order.get(line["type"], 2))


def _explain(
    task: str, line: Mapping[str, Any], lines: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[str, str]:
    passed = {task}
    last = line
    while last["type"] in _FOR_OTHERS and last["of"] not in passed:
        passed.add(last["of"])
        there = [each for each in lines.get(last["of"], ()) if each["step"] == line["step"]]
        if not there:
            break
        task, last = last["of"], _chief(there)
    if last["type"] in _FOR_OTHERS:
        what = last["node"].partition(",")[0].removeprefix("^").partition(":")[0]
        end = task_label(last["of"])
        return what or end, f"waits for {what} of {end}" if what else f"waits for {end}"
    if line["type"] == "import":
        return line["node"], f"imports {line['node']}"
    if line["type"] == _POLL:
        return "the variables", "waits for the variables: another task initializes them"
    name = last["node"].partition(",")[0]
    reason = next((why for part, why in _REASONS.items() if part in last["type"]), None)
    end, computes = task_label(task), f"computes {name}".rstrip()
    if line["type"] in _FOR_OTHERS:
        if reason is None:
            return name or end, f"waits while {end} {computes}"
        return name, f"waits for {name} on {end}: {reason}"
    return name or end, computes if reason is None else f"waits in {name}: {reason}"
