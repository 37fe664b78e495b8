"""What if: recorded steps of a cluster, simulated with other servers, networks and workers.

    recording ──read_messages──> messages: what each was sent after, and the work before it
    messages ──spread──> among other servers ──retime──> the same messages at other times

A recording says when a message arrived, not what it waited for. The protocol says that: in a step a
task sends after all that it has received in it, and a worker begins a step when all of its last one
has arrived. The time between is the sender's work and the network's share. The cost model tells the
network's: a latency, and bytes over a bandwidth.

    worker 0  ▐ work ▌─ gradients ─┐                 ┌─> ▐ work ▌
    ps 0                           └─> ▐ work ▌─ reply ─┘

The link of a task carries one large message at a time in each direction. All else stays as it was
recorded: how long a task works, and how long it waits for others meanwhile. So synchronous
training, whose workers wait for each other in a queue of a server, is not for this simulation.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from minitf_widgets.chart import Row, format_bytes, format_value
from minitf_widgets.colors import PALETTE, look_of
from minitf_widgets.figure import Panel
from minitf_widgets.live.controls import Slider
from minitf_widgets.live.live import Live
from minitf_widgets.pictures import Picture
from minitf_widgets.traffic.wire import task_label

__all__ = ["Message", "WhatIf", "placed", "read_messages", "retime", "spread"]

_SERVER = "/job:ps/task:"
_MOST, _DRAWN, _PACKET = 100, 3, 1500  # steps of a worker to simulate, and to draw; bytes

Step = tuple[str, int]  # a worker, and the number of its step


class Message(NamedTuple):
    """A message of a step.

    Attributes:
      step, sender, receiver, nbytes: as recorded.
      after: the places of the messages that its sender had received, in this step or the last one.
      begin, sent, end: seconds: when the sender began its work on it, sent it, and it arrived.
    """

    step: Step
    sender: str
    receiver: str
    nbytes: float
    after: tuple[int, ...]
    begin: float
    sent: float
    end: float


def _whole_steps(events: Iterable[Any]) -> dict[Step, list[Any]]:
    """The messages of each worker's last steps, from a time in which all workers were at work."""
    found: dict[Step, list[Any]] = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: event.end):
        workers = [e for e in (event.source, event.destination) if not e.startswith(_SERVER)]
        if event.step and event.kind in ("run_graph", "recv_tensor") and len(workers) == 1:
            found[workers[0], event.step].append(event)
    whole: dict[str, list[list[Any]]] = collections.defaultdict(list)
    for (worker, _), own in found.items():
        calls = [event.source == worker for event in own if event.kind == "run_graph"]
        if calls[:1] == [True] and 2 * sum(calls) == len(calls):  # each request has its reply
            whole[worker].append(own)
    last = [steps[len(steps) // 4 :][-_MOST:] for steps in whole.values()]  # the first ones warm up
    since = max((steps[0][0].start for steps in last), default=0.0)
    until = min((steps[-1][-1].end for steps in last), default=0.0)
    kept = [(worker, own) for worker, steps in whole.items() for own in steps]
    return {(w, o[0].step): o for w, o in kept if since <= o[0].start and o[-1].end <= until}


def read_messages(events: Iterable[Any], hardware: Any) -> list[Message]:
    """Finds what each message between workers and servers was sent after, and when.

    Args:
      events: of a `tf.cluster.Recording`. Steps with a missing message are left out.
      hardware: of the cost model; its latency and bandwidth are those of the recorded network.
    """
    made: list[Message] = []
    last: dict[str, list[int]] = collections.defaultdict(list)  # received in a worker's last step
    for (worker, number), own in _whole_steps(events).items():
        got = collections.defaultdict(list, {worker: [*last[worker]]})
        for place, event in enumerate(own, len(made)):
            carried = hardware.latency + event.bytes / hardware.bandwidth
            asks = event.kind == "run_graph" and event.source == worker  # recorded when it leaves
            after, sent = tuple(got[event.source]), event.end - carried * (not asks)
            begin = max((made[before].end for before in after), default=event.start)
            ends = event.source, event.destination, event.bytes
            made.append(Message((worker, number), *ends, after, begin, sent, sent + carried))
            got[event.destination].append(place)
        last[worker] = got[worker][len(last[worker]) :]
    return made


def placed(tables: Sequence[float], servers: int, pieces: int) -> list[float]:
    """The share of the bytes that each server holds, if each table goes to the emptiest server.

    Args:
      tables: their bytes.
      servers: how many servers there are.
      pieces: into how many parts the largest table is cut.
    Example:
      >>> placed([400.0, 100.0], 2, 1), placed([400.0, 100.0], 2, 2)
      ([0.8, 0.2], [0.6, 0.4])
    """
    *rest, largest = sorted(tables)
    held = [0.0] * servers
    for size in sorted([*rest, *[largest / pieces] * pieces], reverse=True):
        held[held.index(min(held))] += size
    return [each / sum(tables) for each in held]


def spread(messages: Iterable[Message], shares: Sequence[float]) -> list[Message]:
    """Divides the messages to and from servers among servers that hold these shares of the bytes.

    A server works on its part as long as it was recorded for the whole.
    """
    made: list[Message] = []
    places: list[range] = []
    for message in messages:
        end = "sender" if message.sender.startswith(_SERVER) else "receiver"
        before = [place for old in message.after for place in places[old]]
        first = len(made)
        for server, share in enumerate(shares):
            there: dict[str, Any] = {end: f"{_SERVER}{server}", "nbytes": message.nbytes * share}
            piece = message._replace(**there)
            own = (place for place in before if made[place].receiver == piece.sender)
            made += [piece._replace(after=tuple(own))] * (share > 0)
        places.append(range(first, len(made)))
    return made


def retime(messages: list[Message], hardware: Any, slower: Mapping[str, float]) -> list[Message]:
    """Sends the messages again, each after the same messages and the same work.

    Args:
      messages: of `read_messages` or `spread`.
      hardware: the network: its latency and its bandwidth.
      slower: by task, by what factor its work takes longer.
    """
    made = list(messages)
    queue: list[tuple[float, int]] = []  # what is sent next
    heirs: dict[int, list[int]] = collections.defaultdict(list)
    missing = [len(message.after) for message in messages]
    busy: dict[tuple[str, str], float] = {}  # until when a link is

    def work(place: int) -> None:
        message = messages[place]
        begin = max((made[before].end for before in message.after), default=message.begin)
        seconds = message.sent - message.begin  # below 0: faster than the cost model
        seconds *= slower.get(message.sender, 1.0) if seconds > 0 else 1.0
        made[place] = message._replace(begin=begin, sent=begin + seconds)
        heapq.heappush(queue, (begin + seconds, place))

    for place, message in enumerate(messages):
        for before in message.after:
            heirs[before].append(place)
        if not message.after:
            work(place)
    while queue:
        now, place = heapq.heappop(queue)
        message = made[place]
        seconds = message.nbytes / hardware.bandwidth
        end = now + seconds
        if message.nbytes > _PACKET:  # smaller ones pass between the packets of large ones
            out, into = (message.sender, "out"), (message.receiver, "in")
            now = max(now, busy.get(out, now))
            end = max(now, busy.get(into, now)) + seconds
            busy |= {out: now + seconds, into: end}
        made[place] = message._replace(end=end + hardware.latency)
        for heir in heirs[place]:
            missing[heir] -= 1
            if not missing[heir]:
                work(heir)
    return made


def _paces(messages: Iterable[Message]) -> dict[str, float]:
    """Seconds a step, by worker."""
    found: dict[str, list[Message]] = collections.defaultdict(list)
    for message in messages:
        found[task_label(message.step[0])].append(message)
    return {
        worker: (max(m.end for m in own) - min(m.begin for m in own)) / len({m.step for m in own})
        for worker, own in sorted(found.items())
    }


def _told(paces: Mapping[str, float]) -> str:
    return ", ".join(f"{format_value(1e3 * s)} ms ({name})" for name, s in [*paces.items()][:4])


class WhatIf(Live):
    """Shows recorded steps beside the same steps simulated, with what the sliders say.

    The upper bars in the lane of a task are its work, with the number of the step; the lower bars
    are the messages that it sends.

    Args:
      recording: a `tf.cluster.Recording` of asynchronous training with parameter servers, with
        every message (`tf.cluster.record`).
      model: a `tf.cluster.CostModel` of the machine of the recording.
      tables: the bytes of each table on the servers, for the sliders that place them; one table by
        default.
    Attributes:
      recorded, simulated: by worker, the seconds of a step.
      error: the relative error of the simulation while no slider has moved.
    Raises:
      ValueError: when the recording has no whole step.
    Example:
      >>> view = WhatIf(recording, tf.cluster.CostModel.fit(points, check="training"))
      >>> view.set(network=1.0)               # Gbit/s
      >>> view.simulated
      {'worker 0': 0.0091, 'worker 1': 0.0092}
    """

    def __init__(self, recording: Any, model: Any, tables: Sequence[float] = (1.0,)) -> None:
        true, self._model, self._tables = model.hardware, model, tables
        self._messages = read_messages(recording.events, true)
        if not self._messages:
            raise ValueError("The recording has no whole step of a worker and parameter servers.")
        steps = dict.fromkeys(message.step for message in self._messages)
        workers = sorted({worker for worker, _ in steps})
        self._few = {s for w in workers for s in [s for s in steps if s[0] == w][:_DRAWN]}
        tasks = {message.receiver for message in self._messages}
        self._servers, self._slowed = sum(t.startswith(_SERVER) for t in tasks), workers[-1]
        self.recorded = _paces(self._messages)
        self.simulated = _paces(retime(self._messages, true, {}))
        self.error = max(abs(self.simulated[w] / s - 1) for w, s in self.recorded.items())
        speed = min(8e-9 * true.bandwidth, 1000.0)
        super().__init__(
            title="What if: recorded steps, and the same steps simulated",
            servers=Slider(self._servers, self._servers + 3, label="parameter servers"),
            pieces=Slider(1, 4, label="pieces of the largest table"),
            slow=Slider(1, 10, label=f"{task_label(self._slowed)} slower ×"),
            latency=Slider(0, 20, label="more latency, ms"),
            network=Slider(min(0.01, speed / 2), speed, speed, log=True, label="network, Gbit/s"),
        )
        self.draw(self._draw)

    def _draw(self, servers: int, pieces: int, slow: int, latency: int, network: float) -> Any:
        """Bars of the recorded and the simulated steps, a lane for each task."""
        true, messages = self._model.hardware, self._messages
        limits = min(true.bandwidth, network * 1e9 / 8), true.latency + latency / 1e3
        hardware = dataclasses.replace(true, bandwidth=limits[0], latency=limits[1])
        if (servers, pieces) != (self._servers, 1):
            messages = spread(messages, placed(self._tables, servers, pieces))
        made = retime(messages, hardware, {self._slowed: slow})
        self.simulated = _paces(made)
        self.say(
            f"A step, simulated: {_told(self.simulated)}. Recorded: {_told(self.recorded)}. "
            f"Error while no slider has moved: {self.error:.1%}. {self._model!r}"
        )
        rows = self._lanes(self._messages, true, "recorded")
        rows += self._lanes(made, hardware, "simulated")
        panel = Panel(rows=rows, x="milliseconds", title="above: work; below: messages sent")
        return Picture("", 640.0, panel.height, drawn=panel.sent["drawn"])

    def _lanes(self, messages: list[Message], hardware: Any, what: str) -> list[Row]:
        shown = [message for message in messages if message.step in self._few]
        first = min(message.begin for message in shown)
        bars: dict[str, list[tuple[float, float, str, int]]] = collections.defaultdict(list)
        for m in shown:
            left = m.end - hardware.latency - m.nbytes / hardware.bandwidth  # when its turn came
            begin, sent, left, end = (1e3 * (at - first) for at in (m.begin, m.sent, left, m.end))
            work, size = f"step {m.step[1]}", format_bytes(m.nbytes)
            bars[task_label(m.sender)] += [(begin, sent, work, 0), (left, end, size, 1)]
        looks = {task: look_of(task) or PALETTE[-1] for task in sorted(bars)}
        return [Row(f"{task}, {what}", looks[task].color, bars[task]) for task in looks]
