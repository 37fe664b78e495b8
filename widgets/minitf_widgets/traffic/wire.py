"""Traffic snapshots on their way to the browser: checked once, then packed into one buffer.

A running cluster is asked a few times a second for a snapshot (a dict, see `clean_snapshot`). What
the page needs of it leaves as a single little-endian buffer, because a thousand events as one
buffer cost a third of a millisecond where a growing list of dicts costs a tenth of a second.

    cluster.traffic() -> clean_snapshot -> FreshEvents -> pack_tick -> page (src/traffic/wire.ts)

    header  4s magic "MTFT", u16 version, u16 zero, f64 time,
            u32 tasks, links, events, waits, marks, strings, string bytes      44 bytes
    task    u32 name, address, incarnation, flags (1 = alive)                  16 bytes each
    link    u32 source, destination, f64 messages, bytes                       24 bytes each
    event   i64 step, f64 bytes, start, end, u32 tensor, kind, source, dest.   48 bytes each
    wait    u32 task, what, text, f64 seconds (see waits.py)                   20 bytes each
    mark    f64 time, u32 name, f64 value: a number of the training            20 bytes each
    strings u32 offsets[strings + 1], then UTF-8 text; every u32 above is an index in here

Each buffer stands alone: a page that joins late, or misses one, needs none of the earlier ones.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from minitf_widgets.traffic.waits import explain_waits

MAGIC = b"MTFT"
VERSION = 2

_HEADER = struct.Struct("<4sHHdIIIIIII")
_TASK = struct.Struct("<IIII")
_LINK = struct.Struct("<IIdd")
_EVENT = struct.Struct("<qdddIIII")
_WAIT = struct.Struct("<IIId")
_MARK = struct.Struct("<dId")

_EVENT_FIELDS = {
    "step": int,
    "tensor": str,
    "kind": str,
    "source": str,
    "destination": str,
    "bytes": int,
    "start": float,
    "end": float,
}


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
            "tasks": [_clean_task(task) for task in snapshot["tasks"]],
            "counters": {
                _clean_key(key): {"messages": int(c["messages"]), "bytes": int(c["bytes"])}
                for key, c in sorted(snapshot["counters"].items())
            },
            "events": [_clean_event(event) for event in snapshot["events"]],
            "waits": explain_waits([_clean_waits(task) for task in snapshot["tasks"]]),
            "marks": [],
        }
    except KeyError as error:
        raise ValueError(f"A traffic snapshot lacks {error.args[0]!r}.") from None
    except (TypeError, AttributeError) as error:
        raise ValueError(f"A traffic snapshot cannot be read: {error}.") from None


def _clean_task(task: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "task": str(task["task"]),
        "address": str(task.get("address", "")),
        "alive": bool(task["alive"]),
        "incarnation": str(task.get("incarnation", "")),
    }


def _clean_waits(task: Mapping[str, Any]) -> dict[str, Any]:
    texts = ("step", "node", "type", "of")
    waits = [
        {**{part: str(line[part]) for part in texts}, "seconds": float(line["seconds"])}
        for line in task.get("waits") or ()
    ]
    return {"task": str(task["task"]), "waits": waits}


def _clean_key(key: str) -> str:
    if key.count("|") != 1:
        raise ValueError(f"A traffic counter is named 'source|destination', not {key!r}.")
    return key


def _clean_event(event: Any) -> dict[str, Any]:
    if isinstance(event, Mapping):
        return {name: kind(event[name]) for name, kind in _EVENT_FIELDS.items()}
    return {name: kind(getattr(event, name)) for name, kind in _EVENT_FIELDS.items()}


class FreshEvents:
    """Lets each event through once, however often the snapshots repeat it; memory is bounded."""

    def __init__(self, capacity: int = 4096):
        self._seen: OrderedDict[tuple, None] = OrderedDict()
        self._capacity = capacity

    def __call__(self, events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the events of `events` not seen before, by start time."""
        fresh = []
        for event in events:
            identity = tuple(event.values())
            if identity not in self._seen:
                self._seen[identity] = None
                fresh.append(event)
        while len(self._seen) > self._capacity:
            self._seen.popitem(last=False)
        fresh.sort(key=lambda event: event["start"])
        return fresh


class _Strings:
    """The string table of one buffer: text -> index, in order of first use."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.index.setdefault(text, len(self.index))

    def pack(self) -> bytes:
        encoded = [text.encode(errors="replace") for text in self.index]
        offsets = [0]
        for text in encoded:
            offsets.append(offsets[-1] + len(text))
        return struct.pack(f"<{len(offsets)}I", *offsets) + b"".join(encoded)


def pack_tick(tick: Mapping[str, Any]) -> bytes:
    """Packs a clean snapshot into the buffer drawn at the top of this file.

    Args:
      tick: what `clean_snapshot` returned, its events reduced to the fresh ones.
    Returns: the buffer; about 48 bytes an event.
    """
    strings = _Strings()
    body = bytearray()
    for task in tick["tasks"]:
        body += _TASK.pack(
            strings(task["task"]),
            strings(task["address"]),
            strings(task["incarnation"]),
            int(task["alive"]),
        )
    for key, count in tick["counters"].items():
        source, destination = key.split("|")
        body += _LINK.pack(strings(source), strings(destination), count["messages"], count["bytes"])
    for event in tick["events"]:
        body += _EVENT.pack(
            event["step"],
            event["bytes"],
            event["start"],
            event["end"],
            strings(event["tensor"]),
            strings(event["kind"]),
            strings(event["source"]),
            strings(event["destination"]),
        )
    for wait in tick["waits"]:
        texts = (strings(wait[part]) for part in ("task", "what", "text"))
        body += _WAIT.pack(*texts, wait["seconds"])
    for time, name, value in tick["marks"]:
        body += _MARK.pack(time, strings(name), value)
    text = strings.pack()
    header = _HEADER.pack(
        MAGIC,
        VERSION,
        0,
        tick["time"],
        len(tick["tasks"]),
        len(tick["counters"]),
        len(tick["events"]),
        len(tick["waits"]),
        len(tick["marks"]),
        len(strings.index),
        len(text) - 4 * (len(strings.index) + 1),
    )
    return header + bytes(body) + text


def unpack_tick(data: bytes) -> dict[str, Any]:
    """Returns what `pack_tick` packed."""
    _, version, _, time, *counts, count, _ = _HEADER.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"A traffic buffer of version {version}; this program reads {VERSION}.")
    at = _HEADER.size
    rows = []
    for kind, number in zip((_TASK, _LINK, _EVENT, _WAIT, _MARK), counts, strict=True):
        rows.append(list(kind.iter_unpack(data[at : at + kind.size * number])))
        at += kind.size * number
    tasks, links, events, waits, marks = rows
    offsets = struct.unpack_from(f"<{count + 1}I", data, at)
    at += 4 * (count + 1)
    texts = [data[at + a : at + b].decode() for a, b in zip(offsets, offsets[1:], strict=False)]
    return {
        "time": time,
        "tasks": [
            {"task": texts[t], "address": texts[a], "alive": bool(alive), "incarnation": texts[i]}
            for t, a, i, alive in tasks
        ],
        "counters": {
            f"{texts[s]}|{texts[d]}": {"messages": int(m), "bytes": int(b)} for s, d, m, b in links
        },
        "events": [
            dict(
                zip(
                    _EVENT_FIELDS,
                    (step, texts[t], texts[k], texts[s], texts[d], int(size), start, end),
                    strict=True,
                )
            )
            for step, size, start, end, t, k, s, d in events
        ],
        "waits": [
            {"task": texts[t], "what": texts[w], "text": texts[x], "seconds": s}
            for t, w, x, s in waits
        ],
        "marks": [(when, texts[n], value) for when, n, value in marks],
    }


def json_tick(tick: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `tick` for a front end that takes no binary buffers; steps as strings, kept exact."""
    return {**tick, "events": [{**e, "step": str(e["step"])} for e in tick["events"]]}


def unpack_stream(data: bytes) -> Iterator[dict[str, Any]]:
    """The snapshots of `History.stream`."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        yield unpack_tick(data[at + 4 : at + 4 + length])
        at += 4 + length
