"""The dot product of two vectors, added up by one thread and by many, step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline, Table
from minitf_widgets.reductions.picture import dot_product_svg
from minitf_widgets.reductions.sums import MOST, number, rounds_of, sums_of

__all__ = ["DotProduct"]

SIZES = (4, 8, 10, 16, 32, 64, 100, 256, 1024)  # what the page offers
MOST_DRAWN = 2048  # results of one level that the page gets; of a longer one it draws a bar


class DotProduct(PictureWidget):
    """Shows why a dot product suits many threads: one thread beside a tree of additions.

    One thread multiplies and adds N times. With N threads all products are made in one step, and
    sums of two, of four, ... follow: log2 N steps more. The work is the same; the depth is not.

    Args:
      a: a vector, or how many elements 1, 2, 3, ... to take. Numbers keep their dtype.
      b: a vector of the same length; 0.1 each by default.
      threads: how many work at the same time in the tree; as many as elements by default.
      **traits: any other trait.
    Attributes:
      step: the moment shown: 0 is before the first step.
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
        self._free = np.ndim(a) == 0 and b is None
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        given = np.arange(1.0, int(a) + 1) if np.ndim(a) == 0 else np.asarray(a)
        self._sums = sums_of(given, np.full(given.shape, 0.1) if b is None else b)
        self._follow = threads is None
        traits = {"threads": threads or given.size, **traits}
        super().__init__(elements=given.size, free=self._free, **traits)
        self._tell()

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

    def _tell(self) -> None:
        made = self._sums
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
            self._count({})
            self.step = min(self.step, max(sizes[0], len(self.rounds)))

    @traitlets.observe("threads")
    def _count(self, change: Mapping[str, Any]) -> None:
        sizes = [level.size for level in self._sums.levels]
        self.rounds = [dataclasses.asdict(each) for each in rounds_of(sizes, self.threads)]

    @traitlets.observe("elements")
    def _resize(self, change: Mapping[str, Any]) -> None:
        if not self._free or self.elements == self._sums.a.size:
            return
        given = np.arange(1.0, self.elements + 1)
        self._sums = sums_of(given, np.full(given.shape, 0.1))
        with self.hold_sync():
            if self._follow:
                self.threads = self.elements
            self._tell()

    def offline(self) -> Offline:
        made = ("sums", "rounds", "threads", "step")
        counts = [1 << place for place in range(self.elements.bit_length())]
        return Offline(
            [
                Table(("threads",), ("rounds",), [{"threads": count} for count in counts]),
                Table(("elements",), made, [{"elements": n} for n in SIZES if self.free]),
            ]
        )

    def to_svg(self) -> str:
        rows = []
        for place, level in enumerate(self._sums.levels):
            active = [each["active"] for each in self.rounds if each["level"] == place]
            what = ("sum" if place else "product") + "s" * (level.size != 1)
            rows.append(f"{level.size:,} {what}, {len(active)} step{'s' * (len(active) != 1)}")
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
