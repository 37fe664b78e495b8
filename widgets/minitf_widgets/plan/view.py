"""The widget of a session's plan: its passes one by one, and other placements tried.

    page                                       Python
    slides over the passes   --stage------->   to_text, to_svg
    clicks on a line, a box  --selected---->   the GraphView inside opens the way to the operation
    drags a box to a device  --placement--->   Trial: a copy of the session, run once
    "Measure"                --message----->   both placements in turn; trial
    draws     <--passes, scene, where, marks, devices, trial---

The picture of the graph is that of a `GraphView`, which is not shown itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.chart import format_bytes
from minitf_widgets.graph.model import device_key, short_device
from minitf_widgets.graph.view import GraphView
from minitf_widgets.offline import Offline, Table
from minitf_widgets.plan.passes import box_fates, devices_of, draw_plan, read_passes
from minitf_widgets.plan.placing import Trial, device_function, measured, predicted

__all__ = ["ExplainView"]

CODE = """import re

PLACEMENT = {placement}

def place(op):
    path = re.sub(r"gradients(_\\d+)?/|_grad\\b", "", op.name).split("/")
    scopes = ("/".join(path[:end]) for end in range(len(path), 0, -1))
    return next((PLACEMENT[scope] for scope in scopes if scope in PLACEMENT), op.device)

with tf.device(place):
    ...  # build the model here, its training step too
"""


class ExplainView(PictureWidget):
    """Shows what a session makes of a graph, pass by pass, and lets one try other placements.

    Args:
      sess: a session.
      fetches: as for `sess.run`.
      feed_dict: as for `sess.run`; for the passes alone a list of what is fed will do.
      **traits: initial values of the traits below.

    Attributes:
      stage: which pass is shown: 0 is the program as the graph stands, -1 what runs.
      selected: id of the selected box, as in a GraphView.
      placement: name of an operation or of a scope -> the device to try it on.
      trial: what came of that: transfers, times predicted and measured.
      fates: for each pass, by name of an operation what became of it: "pruned", "folded", "merged",
        "removed" or "fused".

    Example:
      >>> view = ExplainView(sess, [loss, train], {x: batch})
      >>> view                                # as the last line of a cell: shows it
      >>> view.placement = {"layer2": "/device:GPU:1"}
      >>> view.measure()                      # or the button
      >>> print(view.code())                  # to paste, for `with tf.device(place):`
    """

    _esm = STATIC / "plan.js"
    _css = STATIC / "plan.css"

    passes = traitlets.List(help="what is drawn, see read_passes").tag(sync=True)
    stage = traitlets.Int(0, help="which pass is shown").tag(sync=True)
    scene = traitlets.Dict(help="the graph's picture").tag(sync=True)
    marks = traitlets.List(help="for each pass, box id -> what became of it").tag(sync=True)
    where = traitlets.Dict(help="operation -> id of the box that shows it").tag(sync=True)
    selected = traitlets.Unicode("", help="id of the selected box").tag(sync=True)
    expanded = traitlets.List(traitlets.Unicode(), help="ids of the open scopes").tag(sync=True)
    devices = traitlets.List(help="of the session").tag(sync=True)
    placement = traitlets.Dict(help="what is tried: operation or scope -> device").tag(sync=True)
    trial = traitlets.Dict(help="what came of it").tag(sync=True)

    def __init__(self, sess: Any, fetches: Any, feed_dict: Any = None, **traits: Any) -> None:
        self._asked = (sess, fetches, feed_dict)
        self._lock = threading.RLock()  # around the trials: clicks come in another thread
        self._trials: dict[str, Trial] = {}
        explanation = sess.explain(fetches, feed_dict or ())
        self.fates: list[dict[str, str]] = []
        self._graph = GraphView(sess.graph, devices_of(explanation), room=500.0)
        self._names = [op.name for op in sess.graph.get_operations()]
        super().__init__()
        self.devices = [
            {
                "name": device_key(each.name),
                "label": short_device(device_key(each.name)),
                "simulated": "simulated" in each.description,
            }
            for each in sess.list_devices()
        ]
        self._graph.observe(self._redraw, "scene")
        for name in ("selected", "expanded", "selected_op"):
            traitlets.link((self._graph, name), (self, name))
        self._show(explanation)
        self.on_msg(self._message)
        for name, value in traits.items():
            setattr(self, name, value)

    def offline(self) -> Offline:
        """Scenes with each scope opened and closed; a placement needs a session."""
        tries = self._graph.openings([{}])
        scenes = Table(("expanded",), ("scene", "marks", "where"), tries)
        measured = [{"do": "measure"}] if self.placement else []
        return Offline([scenes], asks=["placement"], said=measured)

    def show_op(self, name: str) -> None:
        """Selects an operation."""
        self._graph.show_op(name)

    def measure(self, seconds: float = 1.0) -> dict[str, float]:
        """Times the present and the tried placement in turn, on copies of the session.

        Args:
          seconds: about how long.
        Returns: the medians of a step in seconds, by "now" and "tried".
        """
        with self._lock:
            one, other = self._trial({}), self._trial(self.placement)
            now, tried, runs = measured(one, other, seconds)
            self.trial = {**self._compared(one, other), "measured": [now, tried], "runs": runs}
        self.update_picture()
        return {"now": now, "tried": tried}

    def device_function(self) -> Callable[[Any], str]:
        """The placement as a function, for `with tf.device(view.device_function()):`."""
        return device_function(dict(self.placement))

    def code(self) -> str:
        """The placement as code to paste."""
        return CODE.replace("{placement}", json.dumps(dict(self.placement), indent=4))

    def to_svg(self) -> str:
        caption = self.to_text().partition("\n")[0]
        shown = self.passes[self.stage]
        return draw_plan(shown, self.scene, self.marks[self.stage], caption)

    def to_text(self) -> str:
        """Returns the shown pass in words, and its program."""
        shown = self.passes[self.stage]
        place = f"Pass {self.stage} of {len(self.passes) - 1}"
        lines = [f"{place}, {shown['name']}: {shown['purpose']}"]
        lines += [f"{mark or ' '} {text}" for mark, text, _ in shown["rows"]]
        for device in self.placement.items():
            lines.append("placed: {} on {}".format(*device))
        if (times := self.trial.get("measured")) is not None:
            lines.append("measured: {:.3g} s before, {:.3g} s with it".format(*times))
        return "\n".join(lines)

    # ---- what is drawn -------------------------------------------------------------------

    def _show(self, explanation: Any) -> None:
        with self.hold_sync():
            told = read_passes(explanation, self._names)
            self.fates = [each["fates"] for each in told]
            self.passes = [{**each, "fates": sorted({*each["fates"].values()})} for each in told]
            self.stage = self.stage
            self._redraw(None)

    def _redraw(self, change: Any) -> None:
        """Takes the GraphView's picture over, and tells where in it operations and fates are."""
        members = self._graph.members()
        opened = {box["id"] for box in self._graph.scene["boxes"] if box["open"]}
        closed = {box: names for box, names in members.items() if box not in opened}
        with self.hold_sync():
            self.where = {name: box for box, names in closed.items() for name in names}
            self.marks = [box_fates(closed, fates) for fates in self.fates]
            self.scene = self._graph.scene
        self.update_picture()

    @traitlets.validate("stage")
    def _check_stage(self, proposal: Mapping[str, Any]) -> int:
        number, count = proposal["value"], len(self.passes)
        return max(number + count, 0) if number < 0 else min(number, count - 1)

    @traitlets.observe("stage")
    def _repaint(self, change: Mapping[str, Any]) -> None:
        self.update_picture()

    # ---- placement -----------------------------------------------------------------------

    def _trial(self, placement: Mapping[str, str]) -> Trial:
        """The copy for a placement; besides that for the present one only the last is kept."""
        key = json.dumps(dict(placement), sort_keys=True)
        if key not in self._trials:
            for other in [each for each in self._trials if each != "{}" and key != "{}"]:
                self._trials.pop(other).close()
            self._trials[key] = Trial(*self._asked, placement)
        return self._trials[key]

    @traitlets.observe("placement")
    def _try(self, change: Mapping[str, Any]) -> None:
        with self._lock:
            try:
                one, other = self._trial({}), self._trial(self.placement)
            except Exception as error:  # whatever the program raises is for the reader
                self.trial = {"problem": str(error).partition("\n")[0]}
                return
            self._graph.update(self._asked[0].graph, devices_of(other.explanation))
            self._show(other.explanation)
            self.trial = self._compared(one, other)
        self.update_picture()

    def _compared(self, one: Trial, other: Trial) -> dict[str, Any]:
        rows = []
        for key in sorted({**one.transfers, **other.transfers}):
            news = "gone" if key not in other.transfers else "" if key in one.transfers else "new"
            rows.append([*key, other.transfers.get(key, one.transfers.get(key)), news])
        now = predicted(one.step, one.step)  # a trace costs time itself, so only the ratio counts
        return {
            "transfers": rows,
            "code": self.code(),
            "counts": [len(one.transfers), len(other.transfers)],
            "bytes": [format_bytes(sum(trial.transfers.values())) for trial in (one, other)],
            "predicted": predicted(one.step, other.step) / now if now else 1.0,
        }

    def _message(self, _: Any, content: Mapping[str, Any], buffers: Any) -> None:
        if content.get("do") == "measure":
            try:
                self.measure()
            except Exception as error:
                self.trial = {**self.trial, "problem": str(error).partition("\n")[0]}
