"""Traffic snapshots on their way to the browser: checked once, then packed into one buffer.

A running cluster is asked a few times a second for a snapshot (a dict, see `clean_snapshot`). What
the page needs of it leaves as a single little-endian buffer, because a thousand events as one
buffer cost a third of a millisecond where a growing list of dicts costs a tenth of a second.

    cluster.traffic() -> clean_snapshot -> FreshEvents -> pack_tick -> page (src/traffic/wire.ts)

    header  4s magic "MTFT", u16 version, u16 zero, f64 time,
            u32 tasks, links, events, strings, string bytes, zero              40 bytes
    task    u32 name, address, incarnation, flags (1 = alive)                  16 bytes each
    link    u32 source, destination, f64 messages, bytes                       24 bytes each
    event   i64 step, f64 bytes, start, end, u32 tensor, kind, source, dest.   48 bytes each
    strings u32 offsets[strings + 1], then UTF-8 text; every u32 above is an index in here

Each buffer stands alone: a page that joins late, or misses one, needs none of the earlier ones.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

MAGIC = b"MTFT"
VERSION = 1

_HEADER = struct.Struct("<4sHHdIIIIII")
_TASK = struct.Struct("<IIII")
_LINK = struct.Struct("<IIdd")
_EVENT = struct.Struct("<qdddIIII")

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
        "time", seconds on the same clock as the events.
    Returns: a new dict of the same form; incarnations and steps are exact, as strings and ints.
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
        encoded = [text.encode() for text in self.index]
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
    text = strings.pack()
    header = _HEADER.pack(
        MAGIC,
        VERSION,
        0,
        tick["time"],
        len(tick["tasks"]),
        len(tick["counters"]),
        len(tick["events"]),
        len(strings.index),
        len(text) - 4 * (len(strings.index) + 1),
        0,
    )
    return header + bytes(body) + text


def json_tick(tick: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `tick` for a front end that takes no binary buffers; steps as strings, kept exact."""
    return {**tick, "events": [{**e, "step": str(e["step"])} for e in tick["events"]]}
