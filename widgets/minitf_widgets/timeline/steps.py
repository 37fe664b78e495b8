"""The stats of a step read as lanes of bars, and what each bar has waited for.

    StepStats ──> Step: lanes   GPU:0        ████ MatMul ██ Relu ░░░ waits ░░░ ██ Square
                                                      └───transfer────┐   ▲
                                GPU:1        ░░░░░░░░░ waits ░░░░░░░░ ██ MatMul ██

A device runs its operations one after another, so an operation starts when the last of these has
ended: the one before it on its device, its inputs, or the sending of what it receives. That last
one is what it *waited for*; following it back from the end of the step gives the critical path.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import minitf as tf
from minitf_widgets.graph.model import Node, device_key, short_device

__all__ = ["Bar", "Lane", "Step", "read_steps", "stats_of", "traced"]

TRANSFER = re.compile(r"_(send|recv)_(control_)?(.+?)(?:_\d+)?(_to_\d+)$")
PIPELINE = "/input_pipeline"
WORDS = {"PrefetchDataset": "prefetch", "ParallelMapDataset": "map"}


@dataclasses.dataclass
class Bar:
    """One operation's run.

    Args:
      name: as the step stats have it.
      op: its type.
      node: the graph's operation that it belongs to; of a transfer what is sent; '' for none.
      lane: index of its lane.
      start, length: microseconds, the start from that of the step on.
      size: bytes of what it made.
      inputs: names of what it reads.
      kind: as in a GraphView, or "send", "wait" (for what was sent) or "pipeline".
    """

    name: str
    op: str
    node: str
    lane: int
    start: float
    length: float
    size: int
    inputs: tuple[str, ...]
    kind: str
    waited: int = -1  # index of the bar it waited for
    why: str = ""  # what that is: "input", "transfer" or "turn"
    critical: bool = False

    @property
    def end(self) -> float:
        return self.start + self.length


@dataclasses.dataclass
class Lane:
    """What runs one after another: a device, or a thread of the input pipeline."""

    label: str
    device: str
    is_pipeline: bool = False
    simulated: bool = False
    busy: float = 0.0  # microseconds spent on anything but waiting


@dataclasses.dataclass
class Step:
    """One run. `arrows` are transfers: indices of the sending and of the receiving bar, bytes."""

    lanes: list[Lane]
    bars: list[Bar]
    length: float
    arrows: list[tuple[int, int, int]]

    def slowest(self, number: int = 10) -> list[dict[str, Any]]:
        """The operations that took longest, waiting left out, each with all of its runs."""
        rows: dict[tuple[str, int], dict[str, Any]] = {}
        for bar in self.bars:
            if bar.kind in ("wait", "pipeline"):
                continue
            key = (bar.node if bar.kind != "send" else bar.name, bar.lane)
            first = {
                "name": key[0],
                "node": bar.node,
                "op": bar.op.lstrip("_"),
                "runs": 0,
                "micros": 0.0,
                "lane": bar.lane,
                "critical": False,
            }
            row = rows.setdefault(key, first)
            row["runs"] += 1
            row["micros"] += bar.length
            row["critical"] |= bar.critical
        return sorted(rows.values(), key=lambda row: -row["micros"])[:number]


def traced(sess: Any, fetches: Any, feed_dict: Any, count: int) -> list[Any]:
    """The RunMetadata of `count` runs, after one more run, which compiles the program."""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    runs = [tf.RunMetadata() for _ in range(count + 1)]
    for metadata in runs:
        sess.run(fetches, feed_dict, options=options, run_metadata=metadata)
    return runs[1:]


def stats_of(run_metadata: Any) -> list[Mapping[str, Any]]:
    """The step stats of one RunMetadata, or of several, as plain data.

    Args:
      run_metadata: of a run with FULL_TRACE, or a list of such; also as plain mappings.
    Raises:
      TypeError: when one of them is none of these.
      ValueError: when one of them has no step stats.
    """
    several = isinstance(run_metadata, (list, tuple))
    found = []
    for number, each in enumerate(run_metadata if several else [run_metadata]):
        stats = each.get("step_stats", each) if isinstance(each, Mapping) else each
        stats = getattr(stats, "step_stats", stats)
        if hasattr(stats, "to_dict"):
            stats = stats.to_dict()
        if not isinstance(stats, Mapping):
            raise TypeError(f"a RunMetadata is needed, not {type(each)!r}")
        if not stats.get("dev_stats"):
            raise ValueError(
                f"Run {number} was not traced: it needs options=tf.RunOptions(trace_level="
                "tf.RunOptions.FULL_TRACE) and run_metadata=..."
            )
        found.append(stats)
    if not found:
        raise ValueError("At least one RunMetadata is needed.")
    return found


def read_steps(stats: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Reads the stats of several steps of one program: their lanes are the same ones."""
    steps = [
        [
            (device["device"], _in_order(device.get("node_stats", [])))
            for device in each["dev_stats"]
        ]
        for each in stats
    ]
    lanes = _lanes(steps, {name for each in stats for name in _simulated(each)})
    return [_step(each, lanes) for each in steps]


def _in_order(nodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(nodes, key=lambda node: node["all_start_micros"])


Devices = list[tuple[str, list[dict[str, Any]]]]


def _simulated(stats: Mapping[str, Any]) -> list[str]:
    """The devices that are no cards, but the processor in their place."""
    told = {each["device"]: each.get("thread_names", {}) for each in stats["dev_stats"]}
    return [name for name in told if any("simulated" in text for text in told[name].values())]


def _lanes(steps: Iterable[Devices], simulated: set[str]) -> dict[tuple[str, int], Lane]:
    """The lanes of all steps, in order: each device, after it the threads of its pipeline."""
    found: dict[tuple[str, int], collections.Counter[str]] = {}
    for devices in steps:
        for device, nodes in devices:
            if not nodes:  # a program of nothing but constants
                found.setdefault((device, -1), collections.Counter())
            for node in nodes:
                thread = node.get("thread_id", 0) if device.endswith(PIPELINE) else -1
                found.setdefault((device, thread), collections.Counter())[node["op"]] += 1
    lanes, numbers = {}, collections.Counter[tuple[str, str]]()
    kind = {key: WORDS.get(next(iter(ops), ""), "threads") for key, ops in found.items()}
    for device, thread in sorted(found, key=lambda key: (key[0], kind[key], key[1])):
        key = device_key(device)
        if thread < 0:
            lanes[device, thread] = Lane(short_device(key), key, simulated=device in simulated)
            continue
        word = kind[device, thread]
        numbers[device, word] += 1
        task = " ".join(short_device(key).split()[:-1])
        label = f"{task} input: {word} {numbers[device, word]}".strip()
        lanes[device, thread] = Lane(label, key, is_pipeline=True)
    return lanes


def _step(devices: Devices, known: Mapping[tuple[str, int], Lane]) -> Step:
    lanes = [dataclasses.replace(lane, busy=0.0) for lane in known.values()]
    places = {key: index for index, key in enumerate(known)}
    starts = [node["all_start_micros"] for _, nodes in devices for node in nodes]
    first = min(starts, default=0)
    bars: list[Bar] = []
    for device, nodes in devices:
        is_pipeline = device.endswith(PIPELINE)
        for node in nodes:
            lane = places[device, node.get("thread_id", 0) if is_pipeline else -1]
            bars.append(_bar(node, lane, node["all_start_micros"] - first, is_pipeline))
            if bars[-1].kind != "wait":
                lanes[lane].busy += bars[-1].length
    bars.sort(key=lambda bar: (bar.lane, bar.start))
    arrows = _explain(bars, lanes)
    return Step(lanes, bars, max((bar.end for bar in bars), default=1.0), arrows)


def _bar(stats: Mapping[str, Any], lane: int, start: float, is_pipeline: bool) -> Bar:
    name, op = stats["node_name"], stats["op"]
    inputs = stats.get("timeline_label", "").partition("(")[2].rpartition(")")[0]
    kind, node = Node(name, op, "", (), {}, ()).kind, name
    if any(re.fullmatch(r"gradients(_\d+)?", part) for part in name.split("/")):
        kind = "gradients"
    if (found := TRANSFER.fullmatch(name)) and op in ("_Send", "_Recv"):
        kind, node = "send" if op == "_Send" else "wait", found[3]
    if is_pipeline:
        kind, node = "pipeline", ""  # of no operation of the graph that is run
    return Bar(
        name,
        op,
        node,
        lane,
        start,
        max(stats["all_end_rel_micros"], 1),
        stats.get("output_bytes", 0),
        tuple(i for i in inputs.split(", ") if i),
        kind,
    )


def _explain(bars: list[Bar], lanes: list[Lane]) -> list[tuple[int, int, int]]:
    """Finds what each bar waited for, and the critical path; returns the transfers."""
    made: dict[str, list[int]] = collections.defaultdict(list)
    for index, bar in enumerate(bars):
        made[bar.name].append(index)
    pipeline = sorted((bar.end, index) for index, bar in enumerate(bars) if bar.kind == "pipeline")
    arrows = []
    for index, bar in enumerate(bars):
        if bar.kind == "pipeline":
            continue
        before: list[tuple[float, str, int]] = []
        if index and bars[index - 1].lane == bar.lane:
            before.append((bars[index - 1].end, "turn", index - 1))
        for name in bar.inputs:
            done = [k for k in made[name] if k != index and bars[k].end <= bar.start + 1]
            same = [k for k in done if bars[k].lane == bar.lane]
            before += [(bars[k].end, "input", k) for k in (same or done)[-1:]]
        if bar.kind == "wait":
            for together in range(index, _end_of_group(bars, index)):
                sent = made[bars[together].name.replace("_recv", "_send", 1)]
                sent = [k for k in sent if bars[k].start <= bars[together].end] or sent
                if sent and together == index:
                    arrows.append((sent[-1], index, bars[sent[-1]].size))
                before += [(bars[k].end, "transfer", k) for k in sent[-1:]]
        elif bar.op.startswith("IteratorGetNext"):  # it ends when the pipeline has an element
            at = bisect.bisect(pipeline, (bar.end, len(bars))) - 1
            if at >= 0 and pipeline[at][0] > bar.start:
                before.append((*pipeline[at][:1], "input", pipeline[at][1]))
        if before:
            _, bar.why, bar.waited = max(before, key=lambda each: (each[0], each[1] != "turn"))
    _light(bars)
    return arrows


def _end_of_group(bars: list[Bar], index: int) -> int:
    """Where those end that were waited for together: the first has the time, the others follow."""
    end = index + 1
    while end < len(bars) and (bars[end].kind, bars[end].lane) == ("wait", bars[index].lane):
        if bars[end].length > 1:
            break
        end += 1
    return end


def _light(bars: list[Bar]) -> None:
    """Marks what the end of the step waited for, and what that waited for, back to its start."""
    steps = [index for index, bar in enumerate(bars) if bar.kind != "pipeline"]
    at = max(steps, key=lambda index: bars[index].end, default=-1)
    while at >= 0 and not bars[at].critical:
        bars[at].critical = True
        at = bars[at].waited
