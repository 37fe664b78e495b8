"""Controls, a picture and growing curves beside a loop of the student's own: the `Live` helper.

    live = Live(rate=Slider(0.01, 1.0, 0.1, log=True), momentum=Choice(0.0, 0.9))
    for step in live.steps(2000):        # pause, single step and stop of the page act here
        _, loss = sess.run([train, cost], {lr: live.rate})
        live.plot(step, loss=loss)       # sent 20 times a second at most

    @live.draw                           # drawn again while a slider moves; the latest value wins
    def bowl(rate): ...

The cell goes on while it is watched. Three threads meet here, all state they share is guarded:

    the cell    steps, plot, redraw   --.             .-- messages of the page, in a thread of the
    the sender  20 Hz, what is new    --+-- _lock ----'   kernel's (or between cells: see below)

JupyterLab 4.4 and later with ipykernel 7 delivers messages while a cell runs. Older ones keep them
until it ends: then controls keep their values, the buttons do nothing, and the page says so. Where
nobody watches (nbconvert, a terminal) nothing waits.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import itertools
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import traitlets
from IPython import get_ipython
from IPython.display import display

from minitf_widgets.base import STATIC, PictureWidget
from minitf_widgets.chart import Curve, chart_svg, counted, format_value, sendable, stacked
from minitf_widgets.live.controls import as_control
from minitf_widgets.offline import Offline
from minitf_widgets.pictures import Picture, as_picture

__all__ = ["Live"]

_PERIOD = 0.05  # seconds between two messages
_REST = 1.0  # seconds after which a sender without news ends
_OFFLINE = 40  # values of its controls that are drawn for a page without Python
_MOST = 4000  # points of a curve; then every second one goes
_ALIVE = ("run", "pause", "stop")
_WORDS = {
    "run": "running",
    "pausing": "pausing",
    "pause": "paused",
    "stop": "stopping",
    "stopped": "stopped",
    "done": "finished",
    "broken": "broken off",
}


@dataclasses.dataclass
class _Growing(Curve):
    """A curve with how much of it the page has."""

    xs: list[float] = dataclasses.field(default_factory=list)
    ys: list[float] = dataclasses.field(default_factory=list)
    sent: int = 0

    def add(self, x: float, y: float) -> None:
        if self.xs and x <= self.xs[-1]:  # another run of the loop
            self.xs, self.ys, self.sent = [], [], 0
        if len(self.xs) >= _MOST:
            self.xs, self.ys, self.sent = self.xs[::2], self.ys[::2], 0
        self.xs.append(x)
        self.ys.append(y)


class Live(PictureWidget):
    """Controls, curves that grow, and a picture drawn anew, around a loop or a function.

    It shows itself as the value of a cell, or when `steps` begins. The value of a control is an
    attribute: `live.rate`.

    Args:
      title: what it is about.
      x: the name of the horizontal axis.
      log_x: whether horizontal axes are logarithmic.
      log_y: whether vertical axes are logarithmic at first.
      draw: a function of the controls' values; see `draw`.
      controls: by name a `Slider`, a `Choice`, a bool (a checkbox), or a list of values.

    Raises:
      TypeError: when a control is nothing of these.
      ValueError: when a control has the name of something that a Live has, as "plot".

    Example:
      >>> live = Live(rate=Slider(0.01, 1.0, 0.1, log=True), momentum=[0.0, 0.9])
      >>> live.rate
      0.1
    """

    _esm = STATIC / "live.js"
    _css = STATIC / "live.css"

    spec = traitlets.Dict().tag(sync=True)
    _answers = False  # whether more than the value changes when a reader moves a control

    def __init__(
        self,
        *,
        title: str = "",
        x: str = "step",
        log_x: bool = False,
        log_y: bool = False,
        draw: Callable[..., Any] | None = None,
        **controls: Any,
    ) -> None:
        taken = [name for name, text in (("title", title), ("x", x)) if not isinstance(text, str)]
        for name in [*taken, *controls]:
            if name in taken or (hasattr(type(self), name) and name not in ("blur", "focus")):
                raise ValueError(
                    f"A control cannot be named {name!r}: {type(self).__name__} has "
                    "something of that name."
                )
        self._controls = {name: as_control(each) for name, each in controls.items()}
        self._values = {name: each.value for name, each in self._controls.items()}
        self._lock = threading.Condition()  # guards all below, and _values
        self._curves: dict[tuple[str, str], _Growing] = {}
        self._mode, self._singles, self._interrupted = "idle", 0, False
        self._held = False  # whether the loop waits: a pause begins when its step has ended
        self._step, self._total, self._began = -1, None, 0.0  # type: int, int | None, float
        self._pace: deque[tuple[float, int]] = deque(maxlen=30)
        self._image: Picture | None = None
        self._image_sent, self._image_due, self._problem, self._said = True, False, "", ""
        self._news, self._sender = False, None  # type: bool, threading.Thread | None
        self._stale = False  # whether the static picture is older than the state
        self._sending, self._drawing = threading.Lock(), threading.RLock()
        self._heard = threading.Event()
        self._function: Callable[..., Any] | None = None
        self._drawn = 0.0
        super().__init__(
            spec={
                "title": title,
                "x": x,
                "log_x": log_x,
                "log_y": log_y,
                "controls": [
                    {"name": name, "label": each.label_of(name), **each.spec()}
                    for name, each in self._controls.items()
                ],
            }
        )
        self.on_msg(self._on_message)
        if draw is not None:
            self.draw(draw)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name not in values:
            known = ", ".join(values) or "none"
            raise AttributeError(f"{type(self).__name__} has no {name!r}; its controls: {known}")
        with self._lock:
            return values[name]

    # Names that ipywidgets has methods of, and filters and lenses have controls of.
    blur = property(lambda self: self.__getattr__("blur"))
    focus = property(lambda self: self.__getattr__("focus"))

    @property
    def values(self) -> dict[str, Any]:
        """The values of all controls, by name."""
        with self._lock:
            return dict(self._values)

    def set(self, **values: Any) -> None:
        """Moves controls, also on the page.

        Raises:
          ValueError: for a value that a control does not have.
        """
        unknown = [name for name in values if name not in self._controls]
        if unknown:
            raise ValueError(f"There is no control named {unknown[0]!r}.")
        taken = {n: self._controls[n].take(self._controls[n].sent(v)) for n, v in values.items()}
        with self._lock:
            self._values.update(taken)
        self.send({"type": "values", "values": self._sent_values()})
        if self._function is not None:
            self.redraw()
        self._changed(taken, {})

    def steps(self, count: int | None = None, *, per_second: float | None = None) -> Iterator[int]:
        """Counts from 0 while the page lets it: pause, single step and stop act between steps.

        Stop ends the loop as if it had come to its end, and so does Kernel > Interrupt (Ctrl-C);
        a second Ctrl-C is a KeyboardInterrupt as ever.

        Args:
          count: how many steps; without end when None.
          per_second: at most so many, for a loop too fast to be watched; where nobody watches it
            runs as fast as it can.
        Returns: an iterator of step numbers.
        """
        watched = self._begin(count)
        if per_second and watched:
            self._heard.wait(1.0)  # the page is about to be drawn
        pause = 1 / per_second if per_second and watched else 0.0
        end = "broken"
        try:
            with self._interruptible():
                for step in itertools.count() if count is None else range(count):
                    if not self._may_go(step, pause):
                        end = "stopped"
                        return
                    yield step
                with self._lock:
                    self._step += 1
                end = "done"
        finally:
            self._finish(end)

    def plot(self, step: float | None = None, /, *, panel: str = "", **values: Any) -> None:
        """Lets curves grow by a point each.

        A step that is not after the last one of a curve starts the curve anew.

        Args:
          step: where on the horizontal axis; by default one after the curve's last.
          panel: which chart, by the name of its vertical axis.
          values: a number for each curve, by its name.
        Raises:
          ValueError: when a value is not one number.
        """
        numbers = {name: _number(name, value) for name, value in values.items()}
        with self._lock:
            for name, number in numbers.items():
                curve = self._curves.setdefault((panel, name), _Growing(name))
                x = (curve.xs[-1] + 1 if curve.xs else 0) if step is None else float(step)
                curve.add(x, number)
            self._touch()

    def curve(
        self,
        name: str,
        xs: Iterable[float],
        ys: Iterable[float],
        *,
        panel: str = "",
        points: bool = False,
        style: int | None = None,
    ) -> None:
        """Shows a whole curve, in place of one of that name.

        Args:
          name, panel: of the curve and of its chart.
          xs, ys: its points, from left to right.
          points: whether they are marks without a line, as for what was measured.
          style: its place in `minitf_widgets.colors.PALETTE`; by default that of a thing of its
            name in colors.json, or its place in its chart.
        """
        pairs = [(float(x), _number(name, y)) for x, y in zip(xs, ys)]
        with self._lock:
            xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
            self._curves[panel, name] = _Growing(name, xs, ys, style, points)
            self._touch()

    def say(self, text: str) -> None:
        """Shows a line of text below the controls, in place of the last one."""
        with self._lock:
            self._said = text
            self._touch()

    def draw(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Makes `function` the picture: it is called with the values of the controls it names.

        It returns SVG text, an array [height, width] or [height, width, 3] (an image), or a
        Matplotlib figure, or None where it moves curves instead. It is called again whenever a
        control moves. An error in it is told on the page. Works as a decorator.
        """
        names = inspect.signature(function).parameters
        every = any(each.kind is each.VAR_KEYWORD for each in names.values())
        chosen = [name for name in self._controls if every or name in names]

        def call() -> Any:
            values = self.values
            return function(**{name: values[name] for name in chosen})

        self._function = call
        self._alt = (inspect.getdoc(function) or function.__name__).partition("\n")[0]
        self._render()
        return function

    def redraw(self) -> None:
        """Calls the function of `draw` again; in a loop of `steps` 20 times a second at most."""
        with self._lock:
            soon = self._mode == "run" and time.monotonic() < self._drawn + _PERIOD
            self._image_due = soon
        if not soon:
            self._render()

    def to_svg(self) -> str:
        with self._lock:
            panels: dict[str, list[Curve]] = {}
            for (panel, _), each in self._curves.items():
                panels.setdefault(panel, []).append(copy.deepcopy(each))
            picture = self._image
        note = "; ".join(filter(None, [self._status_text(), self._values_text(), self._said]))
        parts = [(picture.element(self._alt), picture.height)] if picture else []
        x, log_y = self.spec["x"], self.spec["log_y"]
        for panel, curves in panels.items():
            chart = chart_svg(curves, x=x, y=panel, log_x=self.spec["log_x"], log_y=log_y)
            parts.append((chart, 200.0))
        return stacked(self._name(), parts, note)

    def to_text(self) -> str:
        with self._lock:
            curves = copy.deepcopy([*self._curves.values()])
        last = ", ".join(f"{each.name} {format_value(each.ys[-1])}" for each in curves)
        said = [self._status_text(), last, self._values_text(), self._said]
        if self._image is not None:
            said.insert(0, self._alt)
        lines = [f"{self._name()}: {'; '.join(filter(None, said)) or 'nothing yet'}"]
        lines += [each.told(self.spec["x"]) for each in curves]
        return "\n".join(lines)

    def update_picture(self) -> None:
        self._stale = False
        super().update_picture()

    def close(self) -> None:
        """Takes the live view away; the static picture stays."""
        if self.__dict__.get("_shown"):  # it may be half made, and Python at its end
            with contextlib.suppress(ValueError, ImportError, AttributeError):
                get_ipython().events.unregister("post_run_cell", self._after_cell)
        super().close()

    def _ipython_display_(self) -> None:
        shell = get_ipython()
        if not self._shown and shell is not None:
            shell.events.register("post_run_cell", self._after_cell)
        super()._ipython_display_()

    def _after_cell(self, *_: Any) -> None:
        if self._mode in _ALIVE:
            self._finish("broken")  # an error ended what cannot tell its end, as `fit`
        elif self._stale:
            self.update_picture()

    # the loop

    def _begin(self, count: int | None) -> bool:
        """Begins a loop, shows the Live where it is not shown; returns whether it is watched."""
        kernel = getattr(get_ipython(), "kernel", None)
        if kernel is not None and not self._shown:
            display(self)
        with self._lock:
            self._mode, self._singles, self._total = "run", 0, count
            self._step, self._began = -1, time.monotonic()
            self._pace.clear()
        return _watched(kernel)

    def _may_go(self, step: int, pause: float = 0.0) -> bool:
        """Waits while the page says so; returns whether the loop goes on."""
        with self._lock:
            self._step = step
            due = self._began + step * pause
            while not self._interrupted and self._mode != "stop":
                if self._mode == "pause":
                    if self._singles:
                        self._singles -= 1
                        break
                    self._held = True
                    self._pace.clear()
                    self._touch()
                    self._lock.wait(0.2)
                    due = time.monotonic()
                elif (left := due - time.monotonic()) > 0:
                    self._lock.wait(min(left, 0.2))
                else:
                    break
            if pause:
                self._began = max(self._began, due - step * pause)
            self._held = False
            now = time.monotonic()
            if not self._pace or now > self._pace[-1][0] + 0.1:
                self._pace.append((now, step))
            self._touch()
            return not self._interrupted and self._mode != "stop"

    def _finish(self, end: str) -> None:
        with self._lock:
            self._mode, self._interrupted = end, False
        if self._image_due:
            self._render()
        self._touch()
        self._send_news()
        self.update_picture()

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Makes the first SIGINT end the loop after the step at work."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: Any) -> None:
            if self._interrupted and callable(before):
                before(number, frame)
            self._interrupted = True

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is interrupt:
                signal.signal(signal.SIGINT, before)

    # the picture

    def _render(self) -> None:
        """Draws; the page gets the picture with the next news."""
        if self._function is None:
            return
        with self._drawing:
            made = self._function()
            picture = None if made is None else as_picture(made)
            with self._lock:
                self._image, self._image_sent, self._image_due = picture, False, False
                self._problem, self._drawn = "", time.monotonic()
                self._touch()

    # to the page

    def _touch(self) -> None:
        """Wakes the sender; called with the lock held or not."""
        with self._lock:
            self._stale = True
            if self._news:
                return
            self._news = True
            if self._sender is None:
                self._sender = threading.Thread(target=self._send_all, name="live", daemon=True)
                try:
                    self._sender.start()
                except RuntimeError:  # no threads, as in a browser: at once
                    self._sender = None
            self._lock.notify_all()
            if self._sender is None:
                self._send_news()

    def _send_all(self) -> None:
        while True:
            with self._lock:
                if not self._news:
                    self._lock.wait_for(lambda: self._news, _REST)
                if not self._news:
                    self._sender = None
                    break
            self._send_news()
            time.sleep(_PERIOD)
        if self._stale and self._mode not in _ALIVE:
            self.update_picture()  # the reader has turned controls, and rests

    def _send_news(self, whole: bool = False) -> None:
        """Sends what the page does not have yet, or all of it."""
        with self._sending:
            with self._lock:
                message = self._news_message(whole)
                self._news = False
            self.send(message)

    def _news_message(self, whole: bool) -> dict[str, Any]:
        curves = []
        for (panel, name), each in self._curves.items():
            start = 0 if whole else each.sent
            if start < len(each.xs) or whole:
                ys = sendable(each.ys[start:])
                curves.append([panel, name, start, each.xs[start:], ys, each.points, each.style])
                each.sent = len(each.xs)
        message: dict[str, Any] = {"type": "news", "curves": curves, "status": self._status()}
        if self._image is not None and (whole or not self._image_sent):
            message["picture"] = {**dataclasses.asdict(self._image), "alt": self._alt}
            self._image_sent = True
        message["problem"], message["said"] = self._problem, self._said
        if whole:
            message["values"] = self._sent_values()
        return message

    def _sent_values(self) -> dict[str, Any]:
        with self._lock:
            return {name: self._controls[name].sent(v) for name, v in self._values.items()}

    def _status(self) -> dict[str, Any]:
        state = {"mode": self._mode, "held": self._held, "step": self._step, "total": self._total}
        return {**state, "words": self._status_text(page=True)}

    # from the page

    def _on_message(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, dict):
            return
        self._heard.set()
        kind = content.get("type")
        if kind == "hello":
            self._send_news(whole=True)
        elif kind == "values" and isinstance(content.get("values"), dict):
            self._take(content["values"], content)
        elif kind == "do":
            self._do(content.get("what"))
        else:
            self._asked(content)
        self.send({"type": "taken", "number": content.get("number")})

    def _take(self, sent: dict[str, Any], content: dict[str, Any]) -> None:
        taken = {}
        for name, value in sent.items():
            # The page sends what its controls have; anything else is no value.
            with contextlib.suppress(TypeError, ValueError, KeyError):
                taken[name] = self._controls[name].take(value)
        with self._lock:
            self._values.update(taken)
            self._touch()
        if self._function is not None:
            try:
                self._render()
            except Exception as error:  # it is the student's function: told, and drawn again later
                with self._lock:
                    self._problem = f"{type(error).__name__}: {error}"
        self._changed(taken, content)
        if self._function is not None or self._answers:
            self._send_news()

    def _changed(self, values: dict[str, Any], content: dict[str, Any]) -> None:
        """Called with what was changed, and the page's message if a reader did; for subclasses."""

    def _asked(self, content: dict[str, Any]) -> None:
        """Called with a message of a kind that a Live does not know; for subclasses."""

    def offline(self) -> Offline:
        """The curves as they are, and what is drawn for values all over the controls."""
        tries: list[dict[str, Any]] = []
        if (self._answers or self._function is not None) and self._controls:
            each = max(3, round(_OFFLINE ** (1 / len(self._controls))))
            grid = itertools.product(*(control.some(each) for control in self._controls.values()))
            now = self._sent_values()
            tries = [
                {**now, name: value}  # one control alone: every step of it, where they are few
                for name, control in self._controls.items()
                for value in control.some(_OFFLINE)
            ]
            tries += [dict(zip(self._controls, values, strict=True)) for values in grid]
            tries = [each for place, each in enumerate(tries) if each not in tries[:place]]
            tries.sort(key=lambda values: sum(values[name] != now[name] for name in now))
        said = [{"type": "values", "values": values} for values in tries[: 2 * _OFFLINE]]
        return Offline(said=[{"type": "hello"}, *said])

    def _do(self, what: Any) -> None:
        with self._lock:
            if self._mode not in ("run", "pause"):
                return
            if what in ("pause", "run", "stop"):
                self._mode = what
            elif what == "step":
                self._mode, self._singles = "pause", self._singles + 1
            self._touch()
            self._lock.notify_all()

    # in words

    def _name(self) -> str:
        return self.spec["title"] or type(self).__name__

    def _values_text(self) -> str:
        return ", ".join(
            f"{spec['label']} = {self._controls[spec['name']].text(self.values[spec['name']])}"
            for spec in self.spec["controls"]
        )

    def _status_text(self, page: bool = False) -> str:
        """Says where the loop is; on the page, while it runs, also how fast."""
        with self._lock:
            mode, step, total = self._mode, max(self._step, 0), self._total
            pace = list(self._pace)
            if mode == "pause" and not self._held:
                mode = "pausing"
        if mode not in _WORDS:
            return ""
        if mode == "done":
            return f"{_WORDS[mode]}, {counted(step, 'step')}"
        place = f"step {step:,}{f' of {total:,}' if total else ''}"
        if not page or mode != "run":
            return f"{_WORDS[mode]} at {place}"
        parts = [place]
        if len(pace) > 1:
            (t0, s0), (t1, s1) = pace[0], pace[-1]
            speed = (s1 - s0) / max(t1 - t0, 1e-9)
            parts.append(f"{format_value(speed, 2)} steps/s")
            left = (total - s1) / speed if total and speed > 0 else 0.0
            if left >= 1:
                parts.append(f"{left:.0f} s left" if left < 90 else f"{left / 60:.0f} min left")
        return " · ".join(parts)


def _watched(kernel: Any) -> bool:
    """Whether a person may see the page: a front end that could ask for input runs the cell."""
    if kernel is None:
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin"))


def _number(name: str, value: Any) -> float:
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"{name} has shape {array.shape}; a curve grows by one number a step.")
    return float(array.reshape(())[()])
