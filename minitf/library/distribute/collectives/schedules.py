"""Who sends what to whom, and when: the algorithms of all-reduce and all-gather as data.

    ring, 3 members, a tensor in 3 pieces            tree (halving, then doubling), 2 members
      step 0   0 ─0→ 1   1 ─1→ 2   2 ─2→ 0   +         step 0   0 ─1→ 1   1 ─0→ 0   +
      step 1   0 ─2→ 1   1 ─0→ 2   2 ─1→ 0   +         step 1   0 ─0→ 1   1 ─1→ 0
      step 2   0 ─1→ 1   1 ─2→ 2   2 ─0→ 0
      step 3   0 ─0→ 1   1 ─1→ 2   2 ─2→ 0           naive: all to member 0, and back from there

A `Schedule` is plain data: `ops` runs it over links between devices and tasks, `all_reduce` here
runs it in one thread, step by step, to be looked at, and a widget can draw it. With N members and a
tensor of B bytes, each member sends

    ring     2 (N-1)/N B    in 2 (N-1) steps     the fewest bytes that there can be
    tree     2 (N-1)/N B    in 2 log2 N steps    when N is a power of two; fewer steps
    naive    B; member 0: (N-1) B                in 2 steps
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

ALGORITHMS = ("ring", "tree", "naive")


class Transfer(NamedTuple):
    """One message of a schedule.

    Attributes:
      step: when: all transfers of one step may happen at the same time.
      source, target: the members that send and receive it, from 0 on.
      first, last: the pieces of the tensor that it holds: first, ..., last - 1.
      adds: whether the target adds it to its own pieces, or takes it over.
      final: whether all members have a part in these pieces now.
    """

    step: int
    source: int
    target: int
    first: int
    last: int
    adds: bool
    final: bool


class Schedule(NamedTuple):
    """An algorithm for a number of members.

    Attributes:
      members: how many there are.
      pieces: how many parts the tensor is cut into.
      transfers: the messages, by step.
    """

    members: int
    pieces: int
    transfers: tuple[Transfer, ...]

    @property
    def steps(self) -> list[list[Transfer]]:
        """The transfers of each step."""
        steps: list[list[Transfer]] = [
            [] for _ in range(self.transfers[-1].step + 1 if self.transfers else 0)
        ]
        for transfer in self.transfers:
            steps[transfer.step].append(transfer)
        return steps


@functools.lru_cache(maxsize=256)
def schedule(algorithm: str, members: int) -> Schedule:
    """The steps of an algorithm.

    Args:
      algorithm: of all-reduce "ring", "tree" (halving and doubling) or "naive"; "gather" is
        all-gather around a ring.
      members: how many take part.
    Raises:
      ValueError: when there is no such algorithm, or fewer than one member.
    Example:
      >>> for transfer in tf.cluster.schedule("ring", 2).transfers:
      ...     print(transfer.step, transfer.source, "->", transfer.target, transfer.adds)
      0 0 -> 1 True
      0 1 -> 0 True
      1 0 -> 1 False
      1 1 -> 0 False
    """
    if algorithm not in _WRITERS:
        raise ValueError(
            f"There is no algorithm {algorithm!r}: it is one of {', '.join(ALGORITHMS)}."
        )
    if members < 1:
        raise ValueError(f"No schedule for {members} members.")
    pieces, write = _WRITERS[algorithm]
    transfers = tuple(write(members)) if members > 1 else ()
    return Schedule(members, pieces(members), transfers)


def bounds(count: int, pieces: int) -> list[int]:
    """Where the pieces of `count` elements begin, and the last one ends; sizes differ by one."""
    return [count * i // pieces for i in range(pieces + 1)]


# ---- the algorithms ----------------------------------------------------------------------


def _largest_power(n: int) -> int:
    return 1 << (n.bit_length() - 1)


def _ring_reduce(n: int) -> Iterator[Transfer]:
    for k in range(n - 1):  # a piece goes round and grows: reduce-scatter
        for r in range(n):
            piece = (r - k) % n
            yield Transfer(k, r, (r + 1) % n, piece, piece + 1, True, k == n - 2)
    for k in range(n - 1):  # it goes round again, complete: all-gather
        for r in range(n):
            piece = (r + 1 - k) % n
            yield Transfer(n - 1 + k, r, (r + 1) % n, piece, piece + 1, False, True)


def _ring_gather(n: int) -> Iterator[Transfer]:
    for k in range(n - 1):
        for r in range(n):
            piece = (r - k) % n
            yield Transfer(k, r, (r + 1) % n, piece, piece + 1, False, True)


def _tree_reduce(n: int) -> Iterator[Transfer]:
    """Members beyond a power of two give their tensor to another one first, and get it back."""
    power = _largest_power(n)
    step = int(power < n)
    for r in range(power, n):
        yield Transfer(0, r, r - power, 0, power, True, power == 1)
    half = power // 2
    while half:  # each keeps half of what it has, and gives the other half away
        for r in range(power):
            first = (r & ~(2 * half - 1)) + (0 if r & half else half)
            yield Transfer(step, r, r ^ half, first, first + half, True, half == 1)
        step, half = step + 1, half // 2
    half = 1
    while half < power:
        for r in range(power):
            first = r & ~(half - 1)
            yield Transfer(step, r, r ^ half, first, first + half, False, True)
        step, half = step + 1, 2 * half
    for r in range(power, n):
        yield Transfer(step, r - power, r, 0, power, False, True)


def _naive_reduce(n: int) -> Iterator[Transfer]:
    for r in range(1, n):
        yield Transfer(0, r, 0, 0, 1, True, r == n - 1)
    for r in range(1, n):
        yield Transfer(1, 0, r, 0, 1, False, True)


#: How many pieces there are for n members, and the transfers.
_WRITERS: dict[str, tuple[Callable[[int], int], Callable[[int], Iterator[Transfer]]]] = {
    "ring": (lambda n: n, _ring_reduce),
    "tree": (_largest_power, _tree_reduce),
    "naive": (lambda n: 1, _naive_reduce),
    "gather": (lambda n: n, _ring_gather),
}

# ---- step by step, to be looked at -------------------------------------------------------


class Moved(NamedTuple):
    """One message of an all-reduce, with what it held.

    Attributes:
      transfer: who sent it to whom, and when.
      values: what travelled.
      result: what the target has in these pieces afterwards.
    """

    transfer: Transfer
    values: np.ndarray
    result: np.ndarray


class Reduced(NamedTuple):
    """What `all_reduce` returns.

    Attributes:
      results: the arrays of all members afterwards, all equal.
      steps: the messages of each step.
      sent: how many bytes each member has sent.
    """

    results: list[np.ndarray]
    steps: list[list[Moved]]
    sent: list[int]


def all_reduce(arrays: Sequence[Any], algorithm: str = "ring", record: bool = True) -> Reduced:
    """Adds arrays by the steps of an algorithm, in this thread, one step after the other.

    It shows what `CollectiveReduce` does between devices and tasks: the steps are the same.

    Args:
      arrays: one for each member, all of one shape and dtype.
      algorithm: "ring", "tree" or "naive".
      record: whether to keep what each message held.
    Raises:
      ValueError: when the arrays differ, or there is no such algorithm.
    Example:
      >>> done = tf.cluster.all_reduce([[1.0, 2.0], [10.0, 20.0]])
      >>> done.results[0].tolist()
      [11.0, 22.0]
      >>> [(each.transfer.source, each.values.tolist()) for each in done.steps[0]]
      [(0, [1.0]), (1, [20.0])]
    """
    given = [np.asarray(array) for array in arrays]
    if not given or any((g.shape, g.dtype) != (given[0].shape, given[0].dtype) for g in given):
        told = ", ".join(f"{g.dtype}{list(g.shape)}" for g in given)
        raise ValueError(f"All members must have one shape and dtype, got {told or 'no arrays'}.")
    plan = schedule(algorithm, len(given))
    cuts = bounds(given[0].size, plan.pieces)
    flat = [g.reshape(-1).copy() for g in given]
    steps: list[list[Moved]] = []
    sent = [0] * len(flat)
    for transfers in plan.steps:
        places = [slice(cuts[t.first], cuts[t.last]) for t in transfers]
        messages = [flat[t.source][p].copy() for t, p in zip(transfers, places, strict=True)]
        moved = []
        for each, place, values in zip(transfers, places, messages, strict=True):
            mine = flat[each.target][place]
            if each.adds:
                mine += values
            else:
                mine[...] = values
            sent[each.source] += values.nbytes
            moved.append(Moved(each, values, mine.copy()) if record else None)
        steps.append([each for each in moved if each is not None])
    return Reduced([f.reshape(given[0].shape) for f in flat], steps, sent)
