"""The timeline widget: who did what when in a step, and what waited for what.

page                               Python
click on a bar   --selected-->     linked with a GraphView: shows the operation there
scrubs           --step----->      to_text, to_svg tell of that step
Chrome trace     --message-->      the trace, as a file for chrome://tracing or Perfetto
draws            <--steps---
"""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

import traitlets

import minitf as tf
from minitf.core.runtime.run.step_stats import StepStats
from minitf.library.graph_tools.timeline import Timeline
from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.offline import Offline
from minitf_widgets.timeline.scene import draw_svg, micros, step_data
from minitf_widgets.timeline.steps import read_steps, stats_of

__all__ = ["TimelineView"]


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

    steps = traitlets.List(help="what is drawn, see scene.step_data").tag(sync=True)
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
        traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        runs = [tf.RunMetadata() for _ in range(1 + (3 if steps == 1 else steps))]
        for metadata in runs:
            sess.run(fetches, feed_dict, options=traced, run_metadata=metadata)
        shown = runs[1:]
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

    def save_chrome_trace(self, path: str | pathlib.Path) -> None:
        """Writes the shown step to a file for chrome://tracing or Perfetto."""
        pathlib.Path(path).write_text(self.chrome_trace(), encoding="utf-8")

    def to_svg(self, theme: str = "light") -> str:
        """Returns the shown step as the text of an SVG document; `theme` is "light" or "dark"."""
        caption = self.to_text().partition("\n")[0]
        return draw_svg(self._steps[self.step], self.color_by, theme, caption)

    def to_text(self) -> str:
        """Returns the shown step in words: its length, how busy each lane was, the dearest ops."""
        step = self._steps[self.step]
        of = f"Step {self.step + 1} of {len(self._steps)}: " if len(self._steps) > 1 else ""
        operations = sum(bar.kind not in ("send", "wait", "pipeline") for bar in step.bars)
        lines = [
            f"{of}{operations} operations in {micros(step.length)} on {len(step.lanes)} lanes, "
            f"{len(step.arrows)} transfers"
        ]
        lines += [f"  {lane.label}: busy {lane.busy / step.length:.0%}" for lane in step.lanes]
        lines.append("Dearest operations:")
        for row in step.dearest():
            lines.append(
                f"  {row['name']} ({row['op']}) on {step.lanes[row['lane']].label}: "
                f"{micros(row['micros'])}"
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
