"""A dot product, added up by one thread and by a tree of threads, with every partial sum.

    one thread   t=1  x0*w0      t=2  + x1*w1      t=3  + x2*w2  ...                N steps
    N threads    t=1  all products     t=2  pairs of them     t=3  pairs of those   1 + log2 N steps

A step of a thread is one multiplication with the addition of its result, or one addition. T threads
first share the products: in N / T steps each adds up its own. Then T sums are added in pairs. Sums
are made in the vectors' own dtype, one addition at a time, so that they show its rounding too.

The dot product of two vectors, added up by one thread and by many, step by step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline, Table
from minitf_widgets.reductions.picture import dot_product_svg

__all__ = ["DotProduct", "MOST", "Round", "Sums", "number", "rounds_of", "sums_of"]

MOST = 65_536  # elements


def number(value: Any, digits: int = 4) -> str:
    """A number as short as it can be read.

    Example:
      >>> number(3.14159), number(12345678.0), number(np.float32(0.1)), number(7)
      ('3.142', '1.235e7', '0.1', '7')
    """
    text = f"{float(value):.{digits}g}"
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


@dataclasses.dataclass(frozen=True)
class Round:
    """What the threads of the tree do in one step.

    Attributes:
      level: 0 for products, which each thread adds to its sum; later ones for sums of two sums.
      first, count: which results of the level are made: first, ..., first + count - 1.
      active: how many threads work; a number without a partner is handed on by none.
    """

    level: int
    first: int
    count: int
    active: int


@dataclasses.dataclass(frozen=True)
class Sums:
    """All numbers that come up on the way.

    Attributes:
      a, b: the vectors.
      threads: of the tree.
      running: the sum of one thread after each step.
      levels: the products, the sum of each thread unless it has one product, and what each level
        of the tree makes of these; the last one is the sum.
      exact: the dot product without rounding.
    """

    a: np.ndarray
    b: np.ndarray
    threads: int
    running: np.ndarray
    levels: list[np.ndarray]
    exact: float


def sums_of(a: Any, b: Any, threads: int) -> Sums:
    """Adds a dot product up in both ways.

    Args:
      a, b: vectors of one length, 1 to 65,536.
      threads: of the tree; thread t takes the products t, t + threads, t + 2 threads, ...
    Raises:
      ValueError: when they are none, or their lengths differ.
    Example:
      >>> made = sums_of([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], threads=2)
      >>> [level.tolist() for level in made.levels]
      [[0.5, 1.0, 1.5], [2.0, 1.0], [3.0]]
      >>> made.running.tolist()
      [0.5, 1.5, 3.0]
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or a.shape != b.shape or not 1 <= a.size <= MOST or a.dtype.kind not in "iuf":
        raise ValueError(
            f"DotProduct needs two vectors of 1 to {MOST:,} numbers and of one length, "
            f"got {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}."
        )
    levels = [a * b]
    if threads < a.size:
        shares = np.zeros((-(-a.size // threads), threads), levels[0].dtype)
        shares.ravel()[: a.size] = levels[0]
        levels.append(np.add.accumulate(shares)[-1])
    while levels[-1].size > 1:
        below = levels[-1]
        sums = below[0::2].copy()
        sums[: below.size // 2] += below[1::2]
        levels.append(sums)
    running = np.add.accumulate(levels[0])
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    return Sums(a, b, threads, running, levels, float(exact))


def rounds_of(sizes: Sequence[int], threads: int) -> list[Round]:
    """What a tree's threads do, step by step.

    Args:
      sizes: how many results each level has, see `Sums.levels`.
      threads: how many work at the same time.
    Example:
      >>> [each.active for each in rounds_of([8, 4, 2, 1], 8)]
      [8, 4, 2, 1]
      >>> [each.active for each in rounds_of([8, 4, 2, 1], 4)]
      [4, 4, 2, 1]
    """
    products = range(0, sizes[0], threads)
    rounds = [Round(0, at, n := min(threads, sizes[0] - at), n) for at in products]
    first = 2 if threads < sizes[0] else 1  # the threads' own sums need no step of their own
    for level in range(first, len(sizes)):
        rounds.append(Round(level, 0, sizes[level], sizes[level - 1] // 2))  # an odd one waits
    return rounds


SIZES = (4, 8, 10, 16, 32, 64, 100, 256, 1024)  # what the page offers
MOST_DRAWN = 2048  # results of one level that the page gets; of a longer one it draws a bar


class DotProduct(PictureWidget):
    """Shows why a dot product suits many threads: one thread beside a tree of additions.

    One thread multiplies and adds N times. With N threads all products are made in one step, and
    sums of two, of four, ... follow: log2 N steps more. The work is the same; the depth is not.
    With fewer threads, each first multiplies and adds its share of the products.

    Args:
      a: a vector, or how many elements 1, 2, 3, ... to take. Numbers keep their dtype.
      b: a vector of the same length; 0.1 each by default.
      threads: how many work at the same time in the tree; as many as elements by default.
      **traits: any other trait.
    Attributes:
      step: the moment shown: 0 is before the first step. A new view shows the end.
      elements: how many elements there are; may be set where `a` was a number.
    Raises:
      ValueError: when these are no vectors of one length, or `threads` is not positive.
    Example:
      >>> view = DotProduct()          # the sum of 1 * 0.1 + 2 * 0.1 + ... + 256 * 0.1
      >>> view.steps
      {'one thread': 256, 'tree': 9}
    """

    _esm = STATIC / "reductions.js"
    _css = STATIC / "reductions.css"

    kind = traitlets.Unicode("dot", help="which view the page draws").tag(sync=True)
    sums = traitlets.Dict(help="all numbers on the way").tag(sync=True)
    rounds = traitlets.List(help="what the tree's threads do in each step").tag(sync=True)
    threads = traitlets.Int(1, min=1, help="of the tree").tag(sync=True)
    elements = traitlets.Int(1, min=1, max=MOST).tag(sync=True)
    free = traitlets.Bool(False, help="whether `elements` may be changed").tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self, a: Any = 256, b: Any = None, *, threads: int | None = None, **traits: Any
    ) -> None:
        free = np.ndim(a) == 0 and b is None
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        given = np.arange(1.0, int(a) + 1) if np.ndim(a) == 0 else np.asarray(a)
        self._follow = threads is None
        threads = threads or max(1, given.size)
        self._sums = sums_of(given, np.full(given.shape, 0.1) if b is None else b, threads)
        traits = {"threads": threads, "step": given.size, **traits}
        super().__init__(elements=given.size, free=free, **traits)
        self._tell(self._sums)

    @property
    def steps(self) -> dict[str, int]:
        """How many steps each way takes."""
        return {"one thread": self._sums.a.size, "tree": len(self.rounds)}

    @property
    def active(self) -> list[int]:
        """How many threads of the tree work in each step."""
        return [each["active"] for each in self.rounds]

    @property
    def results(self) -> dict[str, float]:
        """The sum as each way makes it, and without rounding."""
        made = self._sums
        ways = {"one thread": made.running[-1].item(), "tree": made.levels[-1][0].item()}
        return {**ways, "exact": made.exact}

    def _tell(self, made: Sums) -> None:
        self._sums = made
        sizes = [level.size for level in made.levels]
        short = [level.tolist() if level.size <= MOST_DRAWN else [] for level in made.levels]
        with self.hold_sync():
            self.sums = {
                "a": made.a.tolist(),
                "b": made.b.tolist(),
                "running": made.running.tolist(),
                "sizes": sizes,
                "levels": short,
                "exact": made.exact,
                "dtype": str(made.levels[0].dtype),
            }
            self.rounds = [dataclasses.asdict(each) for each in rounds_of(sizes, made.threads)]
            self.step = min(self.step, sizes[0])

    @traitlets.observe("threads")
    def _share(self, change: Mapping[str, Any]) -> None:
        if self._sums.threads != self.threads:
            self._tell(sums_of(self._sums.a, self._sums.b, self.threads))

    @traitlets.observe("elements")
    def _resize(self, change: Mapping[str, Any]) -> None:
        if not self.free or self.elements == self._sums.a.size:
            return
        given, ended = np.arange(1.0, self.elements + 1), self.step == self._sums.a.size
        threads = self.elements if self._follow else self.threads
        made = sums_of(given, np.full(given.shape, 0.1), threads)
        with self.hold_sync():
            self._tell(made)
            self.threads = threads
            if ended:
                self.step = self.elements

    def offline(self) -> Offline:
        made = ("sums", "rounds", "threads", "step")
        counts = [1 << place for place in range(self.elements.bit_length())]
        return Offline(
            [
                Table(("threads",), ("sums", "rounds"), [{"threads": count} for count in counts]),
                Table(("elements",), made, [{"elements": n} for n in SIZES if self.free]),
            ]
        )

    def to_svg(self) -> str:
        rows = []
        for place, level in enumerate(self._sums.levels):
            active = [each["active"] for each in self.rounds if each["level"] == place]
            what = ("sum" if place else "product") + "s" * (level.size != 1)
            steps = f", {len(active)} step{'s' * (len(active) != 1)}" if active else ""
            rows.append(f"{level.size:,} {what}{steps}")
        texts = [[number(value, 6) for value in level] for level in self._sums.levels]
        return dot_product_svg(self.to_text().partition("\n")[0], texts, rows)

    def to_text(self) -> str:
        steps, results = self.steps, self.results
        return (
            f"A dot product of {self._sums.a.size:,} elements: one thread takes "
            f"{steps['one thread']:,} steps, a tree of {self.threads:,} threads {steps['tree']:,}."
            f"\nOne thread: {results['one thread']!r}. Tree: {results['tree']!r}. "
            f"Without rounding: {results['exact']!r}.\nActive threads in each step of the tree: "
            + ", ".join(map(str, self.active[:20]))
            + (", ..." if len(self.active) > 20 else "")
        )
