"""A figure of the lessons: panels of curves or of bars, drawn by the widgets' own charts.

    Figure([Panel(curves=[Curve("loss", range(3), [2.3, 1.1, 0.7])], x="step")])

A panel is curves over a number, or rows of bars along one. On the page the pointer reads values
off, and the arrow keys those of curves; the static picture has the panels below each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import traitlets

from minitf_widgets import svg
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.chart import Curve, chart_svg, rows_svg, sendable, stacked

__all__ = ["Figure", "Panel"]


class Panel:
    """A part of a figure: curves, or rows of bars.

    Args:
      curves, rows: what it shows, one of the two.
      x, title: what the horizontal axis measures, and what stands above rows.
      **axes: for curves, further arguments of `chart_svg`: y, log_x, log_y, ticks.
    """

    def __init__(
        self,
        curves: Sequence[Curve] = (),
        rows: Any = (),
        x: str = "",
        title: str = "",
        **axes: Any,
    ) -> None:
        if rows:
            self.drawn, self.height = rows_svg(rows, x=x, title=title)
            self.told = title or "; ".join(row.told() for row in rows)
            whole = svg.document(640, self.height, self.drawn, title=self.told, ground="")
            self.sent = {"drawn": whole}
        else:
            self.drawn, self.height = chart_svg(curves, x=x, height=230, **axes), 230.0
            self.told = "; ".join(curve.told(x) for curve in curves)
            plain = [dataclasses.asdict(each) | {"ys": sendable(each.ys)} for each in curves]
            self.sent = {"curves": plain, "x": x, **axes}


class Figure(PictureWidget):
    """Shows panels of curves or bars, with values to read off.

    Args:
      panels: what to show, in this order.
    Example:
      >>> Figure([Panel([Curve("cost", [1, 2], [3.0, 0.5])], x="step")])
      <Figure: cost: 3 at step 1, 0.5 at 2, least 0.5, most 3>
    """

    _esm = STATIC / "figure.js"
    _css = STATIC / "figure.css"

    panels = traitlets.List().tag(sync=True)

    def __init__(self, panels: Sequence[Panel]) -> None:
        self._panels = panels
        super().__init__(panels=[panel.sent for panel in panels])

    def to_svg(self) -> str:
        return stacked("", [(panel.drawn, panel.height) for panel in self._panels])

    def to_text(self) -> str:
        return "; ".join(panel.told for panel in self._panels)
