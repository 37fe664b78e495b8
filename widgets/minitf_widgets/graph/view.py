"""The graph widget: a graph to zoom into, open scope by scope, search and question.

    page                                   Python
    click on a box      --selected-->      details of the op; boxes on the way to it open
    Enter, double click --expanded-->      build_scene lays out what is visible
    search box          --query---->       matches
    draws               <--scene, details, matches--

    play bar            --step---->        the picture of that step
                        <--recording--     view.run(sess, fetches): one real run

Python decides and lays out, the page draws: the same scene makes the static picture. Every trait
may be set from either side.
"""

from __future__ import annotations

import contextlib
import gc
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import traitlets
from IPython.core.interactiveshell import InteractiveShell

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.chart import counted
from minitf_widgets.graph.details import describe, inner_nodes, run_bytes, run_times
from minitf_widgets.graph.model import Box, GraphModel
from minitf_widgets.graph.picture import draw_svg
from minitf_widgets.graph.run import names_of, outline, places_of_steps, record, shown
from minitf_widgets.graph.scene import ROOM, build_scene
from minitf_widgets.offline import Offline, Row, Table

__all__ = ["GraphView"]

MAX_BOXES = 240  # more on one picture help nobody: scopes opened first are closed again
MAX_ASIDE = 120  # while there are fewer, all that is auxiliary opens, too
MOST_OFFLINE = 120  # scenes that a page without Python has
FIRST_BOXES = 12  # what opens by itself in a small graph
MAIN_BOXES = 24  # the same with the one scope in which most of the main flow is
MAIN_HEIGHT = 560  # of a drawing in which scopes open by themselves


@contextlib.contextmanager
def _garbage_later() -> Iterator[None]:
    """Puts garbage collection off: of the many small objects that a model is made of, none is any.

    Each collection would look through all that a notebook holds, for half of the time it takes.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class GraphView(PictureWidget):
    """Shows a graph.

    Args:
      graph: a `Graph`, a GraphDef, or a GraphDef's JSON as text or data.
      run_metadata: of a run of that graph; then boxes show the devices the ops ran on, and details
        their times.
      expanded: ids of the scopes to open at first; by default a small graph opens by itself.
      color_by: "device", "kind" of op, or "time" and "bytes" of the run that `run_metadata` tells
        of; by default the device where there are two.
      **traits: any other trait.
    Example:
      >>> view = GraphView(tf.get_default_graph())
      >>> view                                # as the last line of a cell: shows it
      >>> view.selected                       # what the reader clicked on
      'hidden1/MatMul'
      >>> view.run(sess, loss, {x: images})   # runs it once, then to be stepped through
      2.3025851
    """

    _esm = STATIC / "graph.js"
    _css = STATIC / "graph.css"

    scene = traitlets.Dict(help="what is drawn, see build_scene").tag(sync=True)
    selected = traitlets.Unicode("", help="id of the selected box, '' for none").tag(sync=True)
    expanded = traitlets.List(traitlets.Unicode(), help="ids of the open scopes").tag(sync=True)
    color_by = traitlets.Enum(("device", "kind", "time", "bytes"), "kind").tag(sync=True)
    lit = traitlets.List(traitlets.Unicode(), help="what `highlight` was asked for").tag(sync=True)
    show_gradients = traitlets.Bool(True, help="whether the gradient part is shown").tag(sync=True)
    query = traitlets.Unicode("", help="what is searched for").tag(sync=True)
    matches = traitlets.Dict(help="the query answered, and what it found").tag(sync=True)
    details = traitlets.Dict(help="about the selected box").tag(sync=True)
    recording = traitlets.Dict(help="the run that is shown, see Recorder").tag(sync=True)
    step = traitlets.Int(-1, help="the op of the run that is lit, from 0").tag(sync=True)
    breakpoints = traitlets.List(traitlets.Unicode(), help="where playing stops").tag(sync=True)
    stops = traitlets.List(traitlets.Int(), help="the steps of the breakpoints").tag(sync=True)

    room = traitlets.Float(ROOM, help="how wide the drawing should be at most")

    def __init__(
        self,
        graph: Any,
        run_metadata: Any = None,
        *,
        expanded: Iterable[str] | None = None,
        color_by: str | None = None,
        **traits: Any,
    ) -> None:
        self._read(graph, run_metadata)
        self._shown_by_run: int | None = None
        placed = [device for device in self._model.root.devices if device]
        first = self._small() if expanded is None else list(expanded)
        color_by = color_by or ("device" if len(placed) > 1 else "kind")
        self._ready = False  # the traits are set one by one: one drawing, after them all
        super().__init__(expanded=first, color_by=color_by, **traits)
        self.on_msg(self._message)
        self._ready = True
        self._draw()
        while expanded is None and self.expanded and self._is_large():  # rather closed than tiny
            self.expanded = self.expanded[:-1]

    def _is_large(self) -> bool:
        return self.scene["width"] > self.room or self.scene["height"] > MAIN_HEIGHT

    def update(self, graph: Any, run_metadata: Any = None) -> None:
        """Shows another graph, or the same one after it has grown; open scopes stay open.

        Args:
          graph, run_metadata: as for the class.
        """
        self._read(graph, run_metadata)
        with self.hold_sync():
            self.expanded = [name for name in self.expanded if name in self._model.boxes]
            self._needed = None
            self.lit = []
            if self.selected not in self._model.boxes:
                self.selected = ""
            self.breakpoints = [name for name in self.breakpoints if name in self._model.boxes]
            self.recording, self.step = {}, -1
            self._draw()
        self.update_picture()

    def _read(self, graph: Any, run_metadata: Any) -> None:
        self._devices, self._times = run_times(run_metadata)
        self._bytes = run_bytes(run_metadata)
        with _garbage_later():
            self._model = GraphModel(graph, self._devices)
        self._needed: set[str] | None = None

    def highlight(self, fetches: Any = None, feeds: Any = ()) -> list[str]:
        """Lights up what a run of `fetches` needs, and dims the rest: what the session prunes.

        Args:
          fetches: a name, an op, a tensor, or a list of them; None lights everything again.
          feeds: the same for what is fed (a feed_dict will do): nothing before it is needed.
        Returns: the names of the ops that run, in the order of the graph.
        Raises:
          KeyError: when the graph has no such op.
        Example:
          >>> view.highlight(loss)            # and not the optimizer
        """
        names = [] if fetches is None else names_of(fetches)
        fed = [*feeds] if isinstance(feeds, Mapping) else feeds
        return self._light(names, names_of(fed), names)

    def _light(self, names: list[str], fed: list[str], told: list[str]) -> list[str]:
        needed = self._model.needed(names, fed) if names else set()
        self._needed = needed if names else None
        if self.lit == told:
            self._draw()
        self.lit = told
        return [name for name in self._model.nodes if name in needed]

    def select(self, what: Any) -> None:
        """Selects and reveals a box.

        Args:
          what: the name of an op, a tensor ("a:0") or a scope, or anything with such a `name`.
        """
        self.selected = getattr(what, "name", what)

    def run(self, sess: Any, fetches: Any, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Runs `fetches` once, and shows the run: every value, op by op, to be stepped through.

        The view shows it where it stands already; one that nobody has shown yet appears. Ops that
        the fetches do not need are dimmed. Playing stops at `breakpoints` and where the first NaN
        or infinity was made. State changes once, as in any run. Every op runs by itself, as the
        graph says, so that its value can be seen; `sess.run` may fuse several.

        Args:
          sess: a session of the graph. One of a cluster, or one with hooks, cannot be watched: all
            needed tensors are then fetched in one run, and the picture says so.
          fetches, feed_dict: as for `sess.run`.
        Returns: what `sess.run` returns.
        Raises:
          OpError: of the op that failed, which the picture then shows.
        """
        graph = getattr(sess, "graph", None)
        known = len(self._model.nodes)
        if hasattr(graph, "get_operations") and len(graph.get_operations()) > known:
            self.update(graph)
        metadata = types.SimpleNamespace(step_stats=None)
        values, recording, error = record(self._model, sess, fetches, feed_dict, metadata)
        (_, self._times), self._bytes = run_times(metadata), run_bytes(metadata)
        self._needed, self.lit = None, []
        last = len(recording["steps"]) - 1
        with self.hold_sync():
            self.recording = recording
            self.step = recording["alarm"].get("step", last)
        self.update_picture()
        if not self._shown and InteractiveShell.initialized():
            self._ipython_display_()
            self._shown_by_run = _cell()
        if error is not None:
            raise error
        return values

    def _ipython_display_(self) -> None:
        """Shows the widget, but not twice in a cell that runs it and names it last."""
        if not self._shown or self._shown_by_run != _cell():
            super()._ipython_display_()

    def show_op(self, name: str) -> None:
        """Selects the box of an op, or the scope around one that the graph does not show."""
        path = name.removeprefix("^").partition(":")[0].split("/")
        around = ("/".join(path[:end]) for end in range(len(path), 0, -1))
        box = next((box for scope in around if (box := self._model.find(scope))), None)
        if box is not None and self._own_op(self.selected) != name:
            self.selected = box.id

    def _own_op(self, selected: str) -> str | None:
        """The name of the op of a box, also of a scope named like it."""
        box = self._model.boxes.get(selected)
        return box.own.name if box is not None and box.own is not None else None

    def members(self) -> dict[str, list[str]]:
        """Returns the names of the ops in each box that is shown, those of open scopes too."""
        found: dict[str, list[str]] = {box["id"]: [] for box in self.scene["boxes"]}
        for name in self._model.nodes:
            leaf = self._model.leaf(name)
            for box in leaf.chain if leaf is not None else ():
                if box.id in found:
                    found[box.id].append(name)
        return found

    def expand_all(self) -> None:
        """Opens all scopes of the main flow, then variables, then the others, while they fit."""
        names: list[str] = []
        shown = self._inside(self._model.root)
        rounds: list[list[Box]] = [list(self._model.root.children), [], []]
        for number, waiting in enumerate(rounds):
            limit = MAX_BOXES if number < 2 else MAX_ASIDE
            for box in waiting:
                own = 1 if box.own is not None else 0
                later = 2 if box.role not in ("main", "gradients") else own
                if later > number:
                    rounds[later].append(box)
                elif box.key is not box:
                    waiting += box.children if box.key is None else ()
                elif box.node is None and shown + self._inside(box) <= limit:
                    shown += self._inside(box)
                    names.append(box.id)
                    waiting += [child for one in (box, *box.mirrored) for child in one.children]
        self.expanded = names

    def to_svg(self) -> str:
        values = shown(self.scene, self.recording, self.step) if "run_at" in self.scene else None
        return draw_svg(self.scene, self.to_text().partition("\n")[0], values)

    def to_text(self) -> str:
        """Returns what is shown as an outline, one line a box, and the values of the run."""
        single, closed = self.scene["shown"]
        lines = [f"Graph of {counted(len(self._model.nodes), 'op')}"]
        if closed:
            scopes = counted(closed, "closed scope")
            lines[0] += f", shown as {counted(single, 'op')} and {scopes}"
        for box in self.scene["boxes"]:
            sub = f" ({box['sub']})" if box["sub"] else ""
            lines.append("  " * box["level"] + box["label"] + sub)
        lines += outline(self.recording, self.step) if self.recording else []
        return "\n".join(lines)

    def _small(self) -> list[str]:
        """Returns the scopes that open by themselves: those of a graph that fits at one glance."""
        names: list[str] = []
        main = [b for b in self._model.root.children if b.role == "main" and b.node is None]
        main = [box for box in main if box.own is None]
        shown = len(self._model.root.children)
        total = sum(box.count for box in main)
        for box in sorted(main, key=lambda box: -box.count):
            most = MAIN_BOXES if 2 * box.count > total else FIRST_BOXES
            if shown + len(box.children) <= most:
                names.append(box.id)
                shown += len(box.children)
        return names

    def _around(self, box: Box) -> list[str]:
        """Returns the ids of the scopes to open so that a box is seen."""
        return [above.key.id for above in box.chain[:-1] if above.key is not None]

    def _inside(self, box: Box) -> int:
        """Returns how many boxes come into sight when a scope opens."""
        return sum(len(one.children) for one in (box, *box.mirrored))

    @traitlets.validate("expanded")
    def _check_expanded(self, proposal: Mapping[str, Any]) -> list[str]:
        """Drops unknown names, adds the scopes around the new ones, and keeps to MAX_BOXES."""
        names: dict[str, None] = {}
        for name in proposal["value"]:
            box = self._model.boxes.get(name.rstrip("/"))
            if box is None or box.node is not None or box.key is None:
                continue
            if name not in self.expanded:
                for above in self._around(box):
                    names[above] = None
            names[box.key.id] = None
        order = list(names)
        kept = {*(self._around(self._model.boxes[order[-1]]) if order else ()), *order[-1:]}
        for name in [name for name in order if name not in kept]:
            if self._count(names) <= MAX_BOXES:
                break
            del names[name]
        return list(names)

    def _count(self, names: Iterable[str]) -> int:
        opened = set(names)
        number = self._inside(self._model.root)
        for name in opened:
            box = self._model.boxes[name]
            if all(above in opened for above in self._around(box)):
                number += self._inside(box)
        return number

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Mapping[str, Any]) -> str:
        name = proposal["value"]
        if not name:
            return ""
        box = self._model.find(name)
        if box is None:
            raise traitlets.TraitError(f"the graph has no op or scope named {name!r}")
        return box.id

    @traitlets.validate("step")
    def _check_step(self, proposal: Mapping[str, Any]) -> int:
        return max(-1, min(proposal["value"], len(self.recording.get("steps", ())) - 1))

    @traitlets.validate("breakpoints")
    def _check_breakpoints(self, proposal: Mapping[str, Any]) -> list[str]:
        """Keeps the ids of the boxes that are meant."""
        found = {name: self._model.find(name) for name in proposal["value"]}
        unknown = [name for name, box in found.items() if box is None]
        if unknown:
            raise traitlets.TraitError(f"the graph has no op or scope named {unknown[0]!r}")
        return list(dict.fromkeys(box.id for box in found.values() if box is not None))

    @traitlets.observe("breakpoints", "recording")
    def _find_stops(self, change: Mapping[str, Any]) -> None:
        leaves = [self._model.leaf(step["op"]) for step in self.recording.get("steps", ())]
        wanted = {self._model.boxes[name] for name in self.breakpoints}
        hit = [not wanted.isdisjoint(leaf.chain if leaf is not None else ()) for leaf in leaves]
        self.stops = [number for number, found in enumerate(hit) if found]
        if change["name"] == "recording":
            self._draw()
            if not change["new"]:
                self.update_picture()

    @traitlets.observe("step")
    def _stepped(self, change: Mapping[str, Any]) -> None:
        self.update_picture()

    @traitlets.observe("expanded", "color_by", "show_gradients", "lit")
    def _redraw(self, change: Mapping[str, Any]) -> None:
        self._draw()

    @traitlets.observe("selected")
    def _reveal(self, change: Mapping[str, Any]) -> None:
        box = self._model.boxes.get(self.selected) if self.selected else None
        self.details = {} if box is None else describe(self._model, box, self._times)
        self.selected_op = self._own_op(self.selected)
        if box is None:
            return
        if box.role in ("gradients", "plumbing") and not self.show_gradients:
            self.show_gradients = True
        closed = [name for name in self._around(box) if name not in self.expanded]
        if closed:
            self.expanded = [*self.expanded, *closed]

    @traitlets.observe("query")
    def _search(self, change: Mapping[str, Any]) -> None:
        found = [{"id": box.id, "op": self._kind(box)} for box in self._model.search(self.query)]
        self.matches = {"query": self.query, "found": found}

    def _kind(self, box: Box) -> str:
        return box.node.op if box.node else f"scope of {counted(box.count, 'op')}"

    def _draw(self) -> None:
        if not self._ready:
            return
        scene = build_scene(
            self._model,
            self.expanded,
            color_by=self.color_by,
            gradients=self.show_gradients,
            measured=self._times if self.color_by == "time" else self._bytes,
            needed=self._needed or {step["op"] for step in self.recording.get("steps", ())} or None,
            room=self.room,
        )
        scene["has_run"] = bool(self._times)
        if self.recording:
            scene["run_at"] = places_of_steps(self._model, self.recording, scene)
        self.scene = scene

    def _message(self, widget: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, Mapping) and content.get("do") == "expand_all":
            self.expand_all()
        elif isinstance(content, Mapping) and content.get("do") == "light":
            box = self._model.boxes.get(content.get("names") or "", self._model.root)
            names = [node.name for node in inner_nodes(box)] if box.id else []
            self._light(names, [], [box.id] if box.id else [])

    def offline(self) -> Offline:
        """Scenes with each scope opened and closed, and the details of every box."""
        boxes = [box for box in self._model.boxes.values() if box.id]
        looks = [
            {"color_by": color, "show_gradients": shown}
            for color in (self.color_by, *({"device", "kind"} - {self.color_by}))
            for shown in (self.show_gradients, not self.show_gradients)
        ]
        details = [Row({"selected": ""}, {"details": {}})]
        for box in boxes:
            told = describe(self._model, box, self._times)
            around = self._around(box)
            adds = {"expanded": around} if around else {}
            details.append(Row({"selected": box.id}, {"details": told}, adds))
        inputs = ("expanded", "color_by", "show_gradients")
        return Offline(
            [Table(inputs, ("scene",), self.openings(looks))],
            details,
            asks=["breakpoints"],
            said=[{"do": "expand_all"}],
            search={
                "query": "query",
                "answer": "matches",
                "index": [
                    [box.id, self._kind(box), box.label, int(box.role != "main")] for box in boxes
                ],
            },
        )

    def openings(self, looks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Open scopes and looks that a reader may come to, those that are near first."""
        boxes = self._model.boxes.values()
        scopes = [box.id for box in boxes if box.key is box and box.node is None]
        first = list(self.expanded)
        states: dict[tuple[str, ...], None] = {tuple(first): None, (): None}
        yield from ({"expanded": list(state), **look} for look in looks for state in states)
        reached = [first, []]
        for opened in reached:  # grows: what one more click leads to
            for scope in scopes:
                closed = [name for name in opened if name != scope]
                self.expanded = closed if scope in opened else [*opened, scope]
                if tuple(sorted(self.expanded)) not in states:
                    states[tuple(sorted(self.expanded))] = None
                    reached.append(list(self.expanded))
                    yield {"expanded": reached[-1], **looks[0]}
            if len(reached) > MOST_OFFLINE:
                break


def _cell() -> int:
    """The number of the notebook's cell that runs now."""
    return InteractiveShell.instance().execution_count
