"""Gradient descent on the surface of a loss of two numbers: batch, mini-batch and stochastic.

    Descent(lambda a, b: a**2 + 10 * b**2)
    Descent(loss, [w, b], session=sess, feeds={x: xs, y: ys})

Each walker takes its steps in Python, by the gradient of the rows it sees; all start at one point
and see their rows in the same order whatever the rate, so that a change of the path is the doing of
the slider. The page plays the steps and asks for more at their end:

    page   values, from step n --> Python walks again from there --> walked: points --> page

A loss of two numbers: its value anywhere, its gradient, its floor, and its picture from above.

    Surface(lambda a, b: ...)                                 a Python function
    Surface(loss, [w, b], session, feeds={x: xs, y: ys})      a tensor and two variables

Gradients are differences of values, so any loss that can be evaluated will do. A tensor's loss is
evaluated with the student's own session: the variables are loaded with a point, the loss is run,
and in the end they have their own values again. Rows of what is fed are the examples.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf_widgets import svg
from minitf_widgets.base import STATIC
from minitf_widgets.chart import Curve, Scale, chart_svg, format_value, stacked
from minitf_widgets.colors import PALETTE, inked
from minitf_widgets.live.controls import Slider
from minitf_widgets.live.live import Live
from minitf_widgets.offline import Offline
from minitf_widgets.pictures import Picture, as_picture

__all__ = ["Descent", "Surface"]

_MOST = 600  # steps
_STYLES = (5, 4, 2)  # places in the palette: batch, mini-batch, stochastic
_SIZE = 300.0  # of the surface in the static picture


class Descent(Live):
    """Shows how gradient descent walks on a loss of two numbers.

    With data, three walkers start together: one sees all rows in each step (batch), one a few
    (mini-batch), one a single row (stochastic). The reader plays, scrubs, turns rate and momentum
    while they walk, and clicks where they shall start.

    Args:
      loss: a function of two numbers (and of the columns of `data`); or a scalar tensor.
      variables: of a tensor: two scalar variables, or one of two numbers.
      session: of a tensor: the session that has the variables. They keep their values, but for the
        moments in which it walks; so nothing else may train them then.
      feeds: of a tensor: arrays by placeholder, one row an example.
      data: of a function: arrays, one row an example; it is called with those of the step's rows.
      start: where the walk starts; by default the variables' values, or a corner of the view.
      ranges: what is shown, ((a0, a1), (b0, b1)); by default the way down from the start.
      rate: the first learning rate; by default one that arrives.
      batch: rows of the mini-batch.
      steps: how many steps are there at first.
      title: what stands above.
    Raises:
      ValueError: when the loss is a tensor without variables or session, or has not two numbers.
    Example:
      >>> Descent(lambda a, b: a**2 + 10 * b**2, start=(-3, 1))
      <Descent: Gradient descent: rate = 0.04, momentum = 0; after 40 steps: batch 0.0114>
    """

    _esm = STATIC / "descent.js"
    _css = STATIC / "descent.css"
    _answers = True

    def __init__(
        self,
        loss: Any,
        variables: Any = None,
        *,
        session: Any = None,
        feeds: Mapping[Any, Any] | None = None,
        data: Sequence[Any] = (),
        start: Sequence[float] | None = None,
        ranges: Sequence[Sequence[float]] | None = None,
        rate: float | None = None,
        batch: int = 16,
        steps: int = 40,
        title: str = "Gradient descent",
    ) -> None:
        self._surface = surface = Surface(loss, variables, session, feeds, data)
        with surface.at_work():
            first = np.array(start, float) if start is not None else surface.at_first
            if first is None:
                corner = [r[0] + 0.15 * (r[1] - r[0]) for r in ranges or ((-3, 3), (-3, 3))]
                first = np.array(corner)
            floor = surface.floor(first)
            if ranges is None:
                reach = np.maximum(1.35 * np.abs(first - floor), 0.35 * np.abs(first - floor).max())
                reach = np.maximum(reach, 1e-3 + 0.05 * np.abs(floor))
                ranges = [(m - r, m + r) for m, r in zip(floor.tolist(), reach.tolist())]
            # The greatest rate that may arrive.
            stable = float(f"{2 / surface.curvature(floor):.1g}")
            seen = surface.picture(ranges)
        rate = stable * (0.1 if surface.rows > 1 else 0.4) if rate is None else rate
        self._kinds = [("batch", surface.rows)]
        if surface.rows > 1:
            batch = min(batch, surface.rows)
            self._kinds += [(f"mini-batch of {batch}", batch), ("stochastic", 1)]
        self._start, self._floor, self._ranges, self._seen = first, floor, ranges, seen
        self._walks: list[list[tuple[np.ndarray, np.ndarray, float]]] = [[] for _ in self._kinds]
        super().__init__(
            title=title,
            rate=Slider(min(stable / 200, rate), max(stable * 3, rate), rate, log=True),
            momentum=Slider(0.0, 0.95, 0.0, step=0.05),
        )
        self.spec = {
            **self.spec,
            "names": list(surface.names),
            "ranges": [list(map(float, r)) for r in ranges],
            "image": seen.href,
            "floor": floor.tolist(),
            "most": _MOST,
            "walkers": [
                {"name": name, "style": style} for (name, _), style in zip(self._kinds, _STYLES)
            ],
        }
        self._walk(0, steps)

    def reset(self, start: Sequence[float] | None = None) -> None:
        """Walks again, from another point if one is given, as many steps as there are."""
        if start is not None:
            self._start = np.array(start, float)
        self._walk(0, len(self._walks[0]) - 1)
        self._send_walks()

    def paths(self) -> dict[str, np.ndarray]:
        """Returns the points of each walker: an array [steps + 1, 3] of both numbers and the loss.

        Example:
          >>> Descent(lambda a, b: a**2 + b**2, start=(1, 1)).paths()["batch"].shape
          (41, 3)
        """
        with self._lock:
            walks = [list(walk) for walk in self._walks]
        return {
            name: np.array([[*point, loss] for point, _, loss in walk])
            for (name, _), walk in zip(self._kinds, walks)
        }

    def _walk(self, begin: int, count: int) -> None:
        """Walks `count` steps from step `begin`, with what the sliders say now."""
        rate, momentum = self.rate, self.momentum
        with self._drawing, self._surface.at_work():
            walks = []
            for (_, size), old in zip(self._kinds, self._walks):
                walk = old[: begin + 1]
                if not begin or not walk:
                    walk = [(self._start, np.zeros(2), self._surface(self._start))]
                point, speed, _ = walk[-1]
                for step in range(len(walk) - 1, min(begin + count, _MOST)):
                    rows = None if size == self._surface.rows else self._rows(step, size)
                    speed = momentum * speed - rate * self._surface.gradient(point, rows)
                    point, loss = point + speed, math.inf
                    if np.isfinite(point).all():
                        loss = self._surface(point)
                    else:  # it is gone; there it stays
                        point, speed = walk[-1][0], np.zeros(2)
                    walk.append((point, speed, loss))
                walks.append(walk)
        with self._lock:
            self._walks = walks
            self._touch()

    def _rows(self, step: int, size: int) -> np.ndarray:
        """The rows of a step: all data in a new order each time round."""
        a_round = max(1, self._surface.rows // size)
        order = np.random.default_rng(step // a_round).permutation(self._surface.rows)
        return order[step % a_round * size :][:size]

    def _changed(self, values: dict[str, Any], content: dict[str, Any]) -> None:
        begin = _step(content.get("from"), len(self._walks[0]) - 1)
        self._walk(begin, max(len(self._walks[0]) - 1 - begin, 0))
        self._send_walks()

    def offline(self) -> Offline:
        made = super().offline()
        made.said = [{**each, "from": 0} if "values" in each else each for each in made.said]
        return made

    def _asked(self, content: dict[str, Any]) -> None:
        kind = content.get("type")
        if kind == "more":
            self._walk(len(self._walks[0]) - 1, 40)
            self._send_walks()
        elif kind == "start":
            point = content.get("point")
            if isinstance(point, list) and [type(p) in (int, float) for p in point] == [True] * 2:
                kept = [min(max(float(p), r[0]), r[1]) for p, r in zip(point, self._ranges)]
                self.reset(kept)

    def _send_news(self, whole: bool = False) -> None:
        super()._send_news(whole)
        if whole:
            self._send_walks()

    def _send_walks(self) -> None:
        walks = [
            [[_short(x) for x in (*point, loss)] for point, loss in zip(path[:, :2], path[:, 2])]
            for path in self.paths().values()
        ]
        self.send({"type": "walked", "walks": walks})

    def _looks(self) -> list[tuple[str, int, np.ndarray]]:
        return [(n, s, path) for (n, path), s in zip(self.paths().items(), _STYLES)]

    def to_svg(self) -> str:
        (a0, a1), (b0, b1) = self._ranges
        across, up = Scale((a0, a1), 58, 58 + _SIZE), Scale((b0, b1), _SIZE, 0)
        box = {"x": 58, "y": 0, "width": _SIZE, "height": _SIZE}
        clip = svg.element("clipPath", svg.element("rect", **box), id="view")
        ground = {"preserveAspectRatio": "none", "href": self._seen.href}
        parts = [clip, svg.element("image", **box, **ground)]
        for tick in across.ticks(4):
            parts.append(svg.text(across(tick), _SIZE + 16, format_value(tick), anchor="middle"))
        for tick in up.ticks(5):
            parts.append(svg.text(51, up(tick) + 4, format_value(tick), anchor="end"))
        names = self.spec["names"]
        parts.append(svg.text(58 + _SIZE / 2, _SIZE + 33, names[0], anchor="middle"))
        parts.append(svg.text(8, 12, names[1]))
        curves = []
        for name, style, path in self._looks():
            look = PALETTE[style]
            dots = [(across(a), up(b)) for a, b in np.clip(path[:, :2], -1e6, 1e6)]
            line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in dots)
            (x, y), how = dots[-1], {"stroke_width": 2, "stroke_dasharray": look.dash or None}
            way = svg.path(line, stroke=inked(look.color), **how)
            ball = svg.text(x, y + 5, look.marker, fill=inked(look.color), size=16, anchor="middle")
            parts.append(svg.group(way, ball, clip_path="url(#view)"))
            curves.append(Curve(name, range(len(path)), path[:, 2].tolist(), style))
        chart = chart_svg(curves, x="step", y="loss", log_y=bool((path[:, 2] > 0).all()))
        whole = [(svg.join(*parts), _SIZE + 40), (chart, 200.0)]
        return stacked(self._name(), whole, self._values_text())

    def to_text(self) -> str:
        paths = self.paths()
        last = ", ".join(f"{name} {format_value(path[-1, 2])}" for name, path in paths.items())
        steps = len(next(iter(paths.values()))) - 1
        lines = [f"{self._name()}: {self._values_text()}; after {steps} steps: {last}"]
        for name, path in paths.items():
            (a0, b0, l0), (a1, b1, l1) = path[0].tolist(), path[-1].tolist()
            f = format_value
            ends = f"({f(a0)}, {f(b0)}), loss {f(l0)}, to ({f(a1)}, {f(b1)}), loss {f(l1)}"
            lines.append(f"{name}: from {ends}")
        return "\n".join(lines)


def _step(sent: Any, last: int) -> int:
    return min(max(sent, 0), last) if isinstance(sent, int) else 0


def _short(value: float) -> float | str:
    return float(f"{value:.5g}") if math.isfinite(value) else "Infinity"


_BANDS = 14
_GRID = 36


def _slopes(function: Callable[..., Any], point: np.ndarray, reach: float) -> np.ndarray:
    """The slopes of a function in both directions, out of its values at `reach` beside a point."""
    steps = np.diag(reach * np.maximum(1.0, np.abs(point)))
    return np.array([(function(point + s) - function(point - s)) / (2 * s.max()) for s in steps])


class Surface:
    """The loss; see `Descent` for the arguments."""

    def __init__(
        self,
        loss: Any,
        variables: Any = None,
        session: Any = None,
        feeds: Mapping[Any, Any] | None = None,
        data: Sequence[Any] = (),
    ) -> None:
        if callable(loss):
            self.names = tuple(inspect.signature(loss).parameters)[:2]
            self._columns = [np.asarray(column) for column in data]
            self._function: Callable[..., Any] = loss
            self.at_first: np.ndarray | None = None
            self._variables: list[Any] = []
        else:
            many = isinstance(variables, (list, tuple))
            self._variables = list(variables) if many else [variables]
            if session is None or not hasattr(session, "run") or variables is None:
                raise ValueError("A loss that is a tensor needs its variables and session=sess.")
            self._loss, self._session, self._keys = loss, session, list(feeds or {})
            self._columns = [np.asarray(column) for column in (feeds or {}).values()]
            self._function = self._run
            self.at_first = np.concatenate([np.ravel(v) for v in self._values()]).astype(float)
            if self.at_first.size != 2:
                raise ValueError(
                    f"The variables have {self.at_first.size} numbers; a surface can be drawn "
                    "over two: two scalars, or one vector of two."
                )
            self.names = tuple(
                str(v.name).partition(":")[0] + (f"[{i}]" if len(self._variables) == 1 else "")
                for i, v in zip(range(2), self._variables * 2)
            )
        counts = {len(column) for column in self._columns if column.ndim}
        self.rows = counts.pop() if len(counts) == 1 else 0

    def _values(self) -> list[Any]:
        return list(self._session.run(self._variables))

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Gives the variables their own values back afterwards."""
        before = self._values() if self._variables else []
        try:
            yield
        finally:
            for variable, value in zip(self._variables, before):
                variable.load(value, self._session)

    def _run(self, a: float, b: float, *columns: np.ndarray) -> Any:
        values = np.split(np.array([a, b]), len(self._variables))
        for variable, value in zip(self._variables, values):
            variable.load(value.reshape(variable.shape.as_list()), self._session)
        return self._session.run(self._loss, dict(zip(self._keys, columns)))

    def __call__(self, point: Sequence[float], rows: Any = None) -> float:
        """The loss at a point, on some rows of the data or on all."""
        columns = [
            column if rows is None or not column.ndim else column[rows] for column in self._columns
        ]
        with np.errstate(all="ignore"):
            try:
                value = self._function(float(point[0]), float(point[1]), *columns)
            except (OverflowError, ZeroDivisionError):
                return math.inf
            return float(np.mean(value))

    def gradient(self, point: np.ndarray, rows: Any = None) -> np.ndarray:
        """The gradient at a point, out of values beside it."""
        return _slopes(lambda at: self(at, rows), point, 1e-3)

    def floor(self, start: np.ndarray) -> np.ndarray:
        """Walks downhill from `start` to where it goes down no more."""
        point, value, length = start.astype(float), self(start), 0.1
        for _ in range(60):
            gradient = self.gradient(point)
            size = float(np.linalg.norm(gradient))
            if not (math.isfinite(size) and size > 1e-9):
                break
            for _ in range(25):
                below = point - length * gradient
                found = self(below)
                if found < value:
                    point, value, length = below, found, length * 2
                    break
                length /= 4
            else:
                break
        return point

    def curvature(self, point: np.ndarray) -> float:
        """The largest curvature at a point; above a rate of 2 / curvature descent diverges."""
        matrix = _slopes(self.gradient, point, 1e-2)
        if not np.isfinite(matrix).all():
            return 1.0
        return max(float(np.abs(np.linalg.eigvalsh((matrix + matrix.T) / 2)).max()), 1e-6)

    def picture(self, ranges: Sequence[Sequence[float]], size: int = 360) -> Picture:
        """The loss seen from above, in bands of equal factors above the least; clear is low."""
        (a0, a1), (b0, b1) = ranges
        along, up = np.linspace(a0, a1, _GRID), np.linspace(b1, b0, _GRID)
        grid = np.array([[self((a, b)) for a in along] for b in up])
        finite = grid[np.isfinite(grid)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        grid = np.nan_to_num(grid, nan=high, posinf=high, neginf=low)
        # Twice as fine in each direction and smooth, then in bands.
        place = np.linspace(0, _GRID - 1, size)
        fine = np.array([np.interp(place, np.arange(_GRID), row) for row in grid])
        fine = np.array([np.interp(place, np.arange(_GRID), column) for column in fine.T]).T
        share = np.sqrt(np.clip((fine - low) / max(high - low, 1e-12), 0, 1))
        band = np.minimum((share * _BANDS).astype(int), _BANDS - 1)
        edge = np.zeros_like(band, bool)
        edge[:-1] |= band[:-1] != band[1:]
        edge[:, :-1] |= band[:, :-1] != band[:, 1:]
        image = np.zeros((size, size, 4), np.uint8)
        image[..., :3] = (0x78, 0x82, 0x90)  # all colours of the palette are seen on it
        image[..., 3] = 10 + band * (130 // _BANDS) + 70 * edge
        return as_picture(image)
