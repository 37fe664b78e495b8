"""One member's part in a schedule: it sends, receives and adds, chunk by chunk, in one thread.

    receives   ─▶ chunk ─▶ scratch ─▶ result[...] = input[...] + scratch    (in the cache)
    sends      ◀─ input, or result as far as the receive before has come

A piece need not be complete before it goes on: what a chunk's addition gave is sent while the next
chunk arrives. Sends and receives are two generators; each goes on as far as it can and then yields,
and when neither can, the thread sleeps until a socket is ready or another member rings.

All members go through the transfers in the schedule's order, so that the first one that is not
through can always go on: no two members wait for each other for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import errors
from minitf.library.distribute.collectives.links import CHUNK, Bell, Head, Link
from minitf.library.distribute.collectives.schedules import Schedule, Transfer, bounds


class Part(NamedTuple):
    """A transfer as one of its two members sees it.

    Attributes:
      transfer: the transfer.
      start, stop: the elements that it holds.
      before: of a send, how many of this member's receives come in earlier steps.
      untouched: whether no receive before it brought these elements to this member.
    """

    transfer: Transfer
    start: int
    stop: int
    before: int
    untouched: bool


def parts(plan: Schedule, member: int, count: int) -> tuple[list[Part], list[Part]]:
    """The sends and the receives of one member, in order, for a tensor of `count` elements."""
    cuts = bounds(count, plan.pieces)
    sends: list[Part] = []
    receives: list[Part] = []
    for t in plan.transfers:
        if member not in (t.source, t.target):
            continue
        earlier = [r for r in receives if r.transfer.step < t.step or t.target == member]
        touched = any(r.transfer.first < t.last and t.first < r.transfer.last for r in earlier)
        made = Part(t, cuts[t.first], cuts[t.last], len(earlier), not touched)
        (sends if t.source == member else receives).append(made)
    return sends, receives


@dataclass
class Work:
    """What one member brings, and what all do with it.

    Args:
      value: the member's elements, [count], contiguous.
      result: where those of all members go, [count].
      fields: what the first message over each link says; all members must say the same.
      merge: adds two partial results: `merge(a, b, out=c)`.
      final: what is done with complete ones, in place; None for nothing.
      differs: makes the error for a member (its number) that says something else.
      check: raises when the member must not go on.
      step, name: of the step and the operation, for the log of the traffic.
    """

    value: np.ndarray
    result: np.ndarray
    fields: dict[str, Any]
    merge: Any
    final: Callable[[Any], None] | None
    differs: Callable[[int, dict[str, Any]], errors.OpError]
    check: Callable[[], None]
    step: int
    name: str


class Engine:
    """Runs one member's part.

    Args:
      plan: the schedule.
      member: which of its members this is.
      work: the data.
      links: gives the link to a member (True) or from it (False); None while it is not there yet.
      bell: wakes this thread.
    """

    def __init__(
        self,
        plan: Schedule,
        member: int,
        work: Work,
        links: Callable[[int, bool], Link | None],
        bell: Bell,
    ):
        self._sends, self._receives = parts(plan, member, len(work.result))
        self._work = work
        self._find = links
        self._bell = bell
        self._value = _bytes(work.value)
        self._result = _bytes(work.result)
        self._size = work.result.itemsize
        self._began = time.time()
        self._scratch = np.empty(CHUNK, np.uint8)
        self._current = 0  # which receive is under way
        self._arrived = 0  # up to which byte of the tensor it has come
        self._to_send: tuple[tuple[int, int], ...] = ()  # what to wait for, as of a link
        self._to_receive: tuple[tuple[int, int], ...] = ()

    def run(self) -> None:
        """Goes through the schedule.

        Raises:
          OpError: when another member differs or is gone, or the step is given up.
        """
        tasks = [self._send_all(), self._receive_all()]
        while tasks:
            if self._advance(tasks):
                continue
            self._work.check()
            self._bell.expect()
            if self._advance(tasks):  # something may have come before the bell was heard
                continue
            self._bell.wait({*self._to_receive, *self._to_send})

    @staticmethod
    def _advance(tasks: list[Iterator[bool]]) -> bool:
        """Goes on with both; whether either came further."""
        moved = False
        for task in list(tasks):
            try:
                moved |= next(task)
            except StopIteration:
                tasks.remove(task)
                moved = True
        return moved

    def _link(self, member: int, out: bool) -> Generator[bool, None, Link]:
        while (link := self._find(member, out)) is None:
            yield False
        return link

    # ---- sending ---------------------------------------------------------------------------

    def _send_all(self) -> Iterator[bool]:
        told: set[int] = set()
        for part in self._sends:
            to = part.transfer.target
            link = yield from self._link(to, True)
            fields = {} if to in told else self._work.fields
            told.add(to)
            head = link.head(fields, self._work.result.dtype, part.stop - part.start)
            yield from self._pour(link, head)
            source = self._value if part.untouched else self._result
            at, stop = part.start * self._size, part.stop * self._size
            while at < stop:
                ready = self._ready(part, at, stop)
                if ready == at:
                    self._to_send = ()
                    yield False
                    continue
                sent = link.send_some(source[at:ready])
                at += sent
                self._to_send = () if sent else link.to_send
                yield sent > 0
        self._to_send = ()

    def _pour(self, link: Link, view: memoryview) -> Iterator[bool]:
        while view:
            sent = link.send_some(view)
            view = view[sent:]
            self._to_send = () if sent else link.to_send
            if view:
                yield sent > 0

    def _ready(self, part: Part, at: int, stop: int) -> int:
        """Up to which byte a send may go: as far as the receives before it have come."""
        if self._current >= part.before:
            return stop
        last = self._receives[self._current]
        if self._current < part.before - 1:
            return at
        if not last.start <= part.start < last.stop:
            return at if last.start < part.stop and part.start < last.stop else stop
        return max(at, min(stop, self._arrived))

    # ---- receiving -------------------------------------------------------------------------

    def _receive_all(self) -> Iterator[bool]:
        known: set[int] = set()
        for part in self._receives:
            self._arrived = part.start * self._size
            sender = part.transfer.source
            self._to_receive = ()
            link = yield from self._link(sender, False)
            self._to_receive = link.to_receive
            fields, dtype, count = yield from _patiently(link.read_head())
            if sender not in known:
                known.add(sender)
                if fields != self._work.fields:
                    raise self._work.differs(sender, fields)
            if dtype != self._work.result.dtype.name or count != part.stop - part.start:
                raise self._work.differs(sender, {})
            if part.transfer.adds:
                yield from self._add(link, part)
            else:
                yield from self._take(link, part)
            nbytes = (part.stop - part.start) * self._size
            link.received(self._work.step, self._work.name, nbytes, self._began)
            yield True
            self._current += 1
        self._to_receive = ()

    def _take(self, link: Link, part: Part) -> Iterator[bool]:
        """Receives elements in place of this member's own."""
        stop = part.stop * self._size
        while self._arrived < stop:
            target = self._result[self._arrived : min(stop, self._arrived + CHUNK)]
            count = link.receive_some(target)
            self._arrived += count
            yield count > 0

    def _add(self, link: Link, part: Part) -> Iterator[bool]:
        """Receives elements chunk by chunk, and merges each into this member's own."""
        work, size = self._work, self._size
        mine = work.value if part.untouched else work.result
        final = work.final if part.transfer.final else None
        start = part.start
        while start < part.stop:
            want = min(CHUNK, (part.stop - start) * size)
            found = link.peek(want)
            if found is None:
                found = yield from self._fill(link, want)
            elif len(found) < size:
                yield False
                continue
            stop = start + len(found) // size
            out = work.result[start:stop]
            work.merge(mine[start:stop], found.view(out.dtype), out=out)
            link.skip(len(found))
            if final is not None:
                final(out)
            self._arrived = stop * size
            start = stop
            yield True

    def _fill(self, link: Link, want: int) -> Generator[bool, None, np.ndarray]:
        """Receives so many bytes into the scratch memory."""
        have, view = 0, self._scratch.data
        while have < want:
            count = link.receive_some(view[have:want])
            have += count
            if have < want:
                yield count > 0
        return self._scratch[:want]


def _patiently(head: Generator[None, None, Head]) -> Generator[bool, None, Head]:
    """Goes on with what only waits, as one of the engine's generators."""
    while True:
        try:
            next(head)
        except StopIteration as end:
            return end.value
        yield False


def _bytes(array: np.ndarray) -> memoryview:
    return array.view(np.uint8).data
