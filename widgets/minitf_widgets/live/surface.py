"""A loss of two numbers: its value anywhere, its slope, its floor, and its picture from above.

    Surface(lambda a, b: ...)                                 a Python function
    Surface(loss, [w, b], session, feeds={x: xs, y: ys})      a tensor and two variables

Slopes are differences of values, so whatever can be evaluated can be walked on. A tensor's loss is
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

from minitf_widgets.pictures import Picture, as_picture

__all__ = ["Surface"]

_BANDS = 14
_GRID = 36


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
        if len(self._variables) == 1:
            shape = self._variables[0].shape.as_list()
            self._variables[0].load(np.reshape([a, b], shape), self._session)
        else:
            for variable, value in zip(self._variables, (a, b)):
                variable.load(np.reshape(value, variable.shape.as_list()), self._session)
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

    def slope(self, point: np.ndarray, rows: Any = None) -> np.ndarray:
        """The gradient at a point, out of values beside it."""
        slope = np.zeros(2)
        for i in range(2):
            beside = np.zeros(2)
            beside[i] = 1e-3 * max(1.0, abs(point[i]))
            slope[i] = self(point + beside, rows) - self(point - beside, rows)
            slope[i] /= 2 * beside[i]
        return slope

    def floor(self, start: np.ndarray) -> np.ndarray:
        """Walks downhill from `start` to where it goes down no more."""
        point, value, length = start.astype(float), self(start), 0.1
        for _ in range(60):
            slope = self.slope(point)
            size = float(np.linalg.norm(slope))
            if not (math.isfinite(size) and size > 1e-9):
                break
            for _ in range(25):
                below = point - length * slope
                found = self(below)
                if found < value:
                    point, value, length = below, found, length * 2
                    break
                length /= 4
            else:
                break
        return point

    def bend(self, point: np.ndarray) -> float:
        """The largest curvature at a point; above a rate of 2 / curvature descent diverges."""
        matrix = np.zeros((2, 2))
        for i in range(2):
            beside = np.zeros(2)
            beside[i] = 1e-2 * max(1.0, abs(point[i]))
            matrix[i] = (self.slope(point + beside) - self.slope(point - beside)) / (2 * beside[i])
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
