"""The timeline widget: who did what when in a step, and what waited for what.

page                               Python
click on a bar   --selected-->     linked with a GraphView: shows the operation there
scrubs           --step----->      to_text, to_svg tell of that step
Chrome trace     --message-->      the trace, as a file for chrome://tracing or Perfetto
draws            <--steps---

Steps as plain data for the page, and one of them as a static picture.

    Step -> {"lanes": [...], "bars": [[lane, start, length, name, ...], ...], "arrows": [...], ...}

Bars are rows of numbers and texts, in the order of `FIELDS`, since a step may have thousands.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import traitlets

from minitf.core.runtime.run.step_stats import StepStats
from minitf.library.graph_tools.timeline import Timeline
from minitf_widgets import svg
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.chart import counted, format_bytes
from minitf_widgets.colors import GREY, color_of, device_looks, inked, mix
from minitf_widgets.graph.scene import KINDS, quantity
from minitf_widgets.offline import Offline
from minitf_widgets.svg import LIGHT
from minitf_widgets.timeline.steps import Step, read_steps, stats_of, traced

__all__ = ["FIELDS", "TimelineView", "draw_svg", "step_data"]


class TimelineView(PictureWidget):
    """Shows when each operation of a step ran, on every device and task, and what it waited for.

    The threads of an input pipeline (prefetch, parallel map) stand as lanes beside the devices.

    Args:
      run_metadata: of a run with FULL_TRACE, or a list of such for several steps.
      **traits: initial values of the traits below.

    Attributes:
      selected: name of the selected operation, or of a scope, as in a GraphView; '' for none.
      step: which of the steps is shown, from 0 on.
      color_by: "kind" of operation or "device".
      show_critical: whether what the end of the step waited for is lit.

    Raises:
      ValueError: when a run was not traced.

    Example:
      >>> view = TimelineView.of(sess, loss, {x: batch})
      >>> view                                # as the last line of a cell: shows it
      >>> view.link(graph_view)               # a bar selected here is an op selected there
    """

    _esm = STATIC / "timeline.js"
    _css = STATIC / "timeline.css"

    steps = traitlets.List(help="what is drawn, see step_data").tag(sync=True)
    step = traitlets.Int(0, help="which step is shown").tag(sync=True)
    selected = traitlets.Unicode("", help="name of the selected operation").tag(sync=True)
    color_by = traitlets.Enum(("device", "kind"), "kind").tag(sync=True)
    show_critical = traitlets.Bool(True, help="whether the critical path is lit").tag(sync=True)

    def __init__(self, run_metadata: Any, **traits: Any) -> None:
        self._read(run_metadata)
        super().__init__(steps=[step_data(step) for step in self._steps], **traits)
        self.on_msg(self._message)

    @classmethod
    def of(
        cls, sess: Any, fetches: Any, feed_dict: Any = None, *, steps: int = 1, **traits: Any
    ) -> TimelineView:
        """Runs `fetches` with a trace and shows the run.

        The first run compiles the program and is not shown. For one step three more are run, and
        the one of middle length is shown, since whatever else the machine does disturbs some.

        Args:
          sess: a session.
          fetches, feed_dict: as for `sess.run`.
          steps: how many runs to show, one after the other.
          **traits: as for the class.
        """
        shown = traced(sess, fetches, feed_dict, 3 if steps == 1 else steps)
        if steps == 1:
            lengths = [step.length for step in read_steps(stats_of(shown))]
            shown = [shown[lengths.index(sorted(lengths)[1])]]
        return cls(shown, **traits)

    def update(self, run_metadata: Any) -> None:
        """Shows other runs; `run_metadata` is as for the class."""
        self._read(run_metadata)
        with self.hold_sync():
            self.steps = [step_data(step) for step in self._steps]
            self.step = min(self.step, len(self._steps) - 1)
        self.update_picture()

    def chrome_trace(self) -> str:
        """Returns the shown step in the trace format of Chrome, as `Timeline` writes it."""
        return Timeline(StepStats.from_dict(self._stats[self.step])).generate_chrome_trace_format()

    def to_svg(self) -> str:
        caption = self.to_text().partition("\n")[0]
        return draw_svg(self._steps[self.step], self.color_by, caption)

    def to_text(self) -> str:
        """Returns the shown step in words: its length, how busy each lane was, the slowest ops."""
        step = self._steps[self.step]
        of = f"Step {self.step + 1} of {len(self._steps)}: " if len(self._steps) > 1 else ""
        operations = sum(bar.kind not in ("send", "wait", "pipeline") for bar in step.bars)
        length = quantity(step.length, "time")
        lines = [
            f"{of}{counted(operations, 'operation')} in {length} on "
            f"{counted(len(step.lanes), 'lane')}, {counted(len(step.arrows), 'transfer')}"
        ]
        lines += [f"  {lane.label}: busy {lane.busy / step.length:.0%}" for lane in step.lanes]
        lines.append("Slowest operations:")
        for row in step.slowest():
            lines.append(
                f"  {row['name']} ({row['op']}) on {step.lanes[row['lane']].label}: "
                f"{quantity(row['micros'], 'time')}"
            )
        return "\n".join(lines)

    def _read(self, run_metadata: Any) -> None:
        self._stats = stats_of(run_metadata)
        self._steps = read_steps(self._stats)

    def offline(self) -> Offline:
        """The Chrome trace; all else is the page's own."""
        return Offline(said=[{"do": "chrome_trace"}])

    def show_op(self, name: str) -> None:
        """Selects the bars of an operation."""
        self.selected = name

    @traitlets.observe("selected")
    def _tell(self, change: Mapping[str, Any]) -> None:
        self.selected_op = self.selected or None

    @traitlets.validate("step")
    def _check_step(self, proposal: Mapping[str, Any]) -> int:
        return min(max(proposal["value"], 0), len(self._steps) - 1)

    @traitlets.observe("step", "color_by")
    def _repaint(self, change: Mapping[str, Any]) -> None:
        self.update_picture()

    def _message(self, _: Any, content: Mapping[str, Any], buffers: Any) -> None:
        if content.get("do") == "chrome_trace":
            self.send({"chrome_trace": self.chrome_trace()})


FIELDS = ("lane", "start", "length", "name", "op", "node", "kind", "size", "waited", "why")
WIDTH, GUTTER, ROW, TOP = 960.0, 168.0, 34.0, 34.0
WORDS = {
    "send": ("sends", GREY),
    "wait": ("waits for a tensor", GREY),
    "pipeline": ("input pipeline", color_of("input")),
}


def kinds_of(step: Step) -> dict[str, tuple[str, str]]:
    """The kinds of the step's bars: what the legend says, and the colour."""
    seen = {bar.kind for bar in step.bars}
    return {kind: told for kind, told in (KINDS | WORDS).items() if kind in seen}


def lane_looks(step: Step) -> list[dict[str, str]]:
    """The colour and the mark of each lane: those of its device in a GraphView."""
    looks = device_looks({lane.device for lane in step.lanes})
    own = [looks[lane.device] for lane in step.lanes]
    return [{"color": look.color, "marker": look.marker} for look in own]


def step_data(step: Step) -> dict[str, Any]:
    """One step for the page."""
    looks = lane_looks(step)
    lanes = [
        {**dataclasses.asdict(lane), "busy": round(lane.busy / step.length, 4), **look}
        for lane, look in zip(step.lanes, looks, strict=True)
    ]
    return {
        "length": step.length,
        "lanes": lanes,
        "bars": [[getattr(bar, field) for field in FIELDS] for bar in step.bars],
        "critical": [index for index, bar in enumerate(step.bars) if bar.critical],
        "arrows": [list(arrow) for arrow in step.arrows],
        "slowest": step.slowest(),
        "kinds": {kind: list(pair) for kind, pair in kinds_of(step).items()},
    }


def draw_svg(step: Step, color_by: str, caption: str) -> str:
    """Draws the whole step.

    Args:
      step: which.
      color_by: "device" or "kind".
      caption: said first to readers who hear the picture.
    Returns: the text of an SVG document.
    """
    looks, kinds = lane_looks(step), kinds_of(step)
    scale = (WIDTH - GUTTER - 16) / step.length
    height = TOP + ROW * len(step.lanes) + 44
    out = []
    for tick in range(5):
        x = GUTTER + (WIDTH - GUTTER - 16) * tick / 4
        line = f"M{x:.1f} {TOP - 8:g}V{height - 40:g}"
        out.append(svg.path(line, stroke=LIGHT.muted, stroke_opacity=0.3))
        how = {"anchor": "end" if tick == 4 else "start", "size": 11, "fill": LIGHT.muted}
        out.append(svg.text(x, TOP - 14, quantity(step.length * tick / 4, "time"), **how))
    for index, lane in enumerate(step.lanes):
        y, name = TOP + ROW * index, f"{looks[index]['marker']} {lane.label}"
        out.append(svg.text(12, y + 13, name, bold=True, fill=LIGHT.ink))
        busy = f"busy {lane.busy / step.length:.0%}"
        out.append(svg.text(12, y + 27, busy, size=10.5, fill=LIGHT.muted))
    for bar in step.bars:
        own = bar.kind in WORDS or color_by == "kind"
        color = kinds[bar.kind][1] if own else looks[bar.lane]["color"]
        x, y, width = GUTTER + bar.start * scale, TOP + ROW * bar.lane + 4, bar.length * scale
        waits = bar.kind == "wait"
        how = {
            "fill": mix(color, LIGHT.ground, 0.12 if waits else 0.55),
            "stroke": LIGHT.ink if bar.critical else inked(color),
            "stroke_width": 1.6 if bar.critical else 0.6,
            "stroke_dasharray": "3 2" if waits else None,
            "says": f"{bar.name}, {quantity(bar.length, 'time')}",
        }
        out.append(svg.rect(x, y, max(width, 1), ROW - 12, **how))
        if width > 7 * len(bar.op) + 6 and not waits:
            how = {"anchor": "middle", "size": 10.5, "fill": LIGHT.ink}
            out.append(svg.text(x + width / 2, y + 15, bar.op.lstrip("_"), **how))
    for source, target, size in step.arrows:
        a, b = step.bars[source], step.bars[target]
        x1, x2 = GUTTER + a.end * scale, GUTTER + b.end * scale
        y1, y2 = (TOP + ROW * bar.lane + ROW / 2 - 2 for bar in (a, b))
        says = f"{a.node}, {format_bytes(size)}"
        out.append(svg.path(f"M{x1:.1f} {y1:g}L{x2:.1f} {y2:g}", stroke=LIGHT.wire, says=says))
        out.append(svg.circle(x2, y2, 2.5, fill=LIGHT.wire))
    x, y = 12.0, height - 26
    for words, ground in [*kinds.values()] if color_by == "kind" else ():
        fill = mix(ground, LIGHT.ground, 0.55)
        out.append(svg.rect(x, y, 14, 11, rx=3, fill=fill, stroke=ground))
        out.append(svg.text(x + 20, y + 10, words, size=11.5, fill=LIGHT.ink))
        x += 36 + 6.4 * len(words)
    return svg.document(WIDTH, height, *out, title=caption)
