"""Live without a browser: controls, curves, pictures, the loop, messages as a page sends them."""

from __future__ import annotations

import dataclasses
import os
import signal
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("anywidget")

from minitf_widgets import Choice, Live, Monitor, ScalingView, Slider  # noqa: E402
from minitf_widgets.chart import Curve, chart_svg, stacked, ticks  # noqa: E402
from minitf_widgets.live.controls import as_control  # noqa: E402
from minitf_widgets.offline import keep  # noqa: E402
from minitf_widgets.pictures import as_picture, png  # noqa: E402

import minitf as tf  # noqa: E402

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>'


class Page:
    """The other end of a Live: keeps what is sent, and sends as src/live/index.ts does."""

    def __init__(self, live: Live) -> None:
        self.sent: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.live = live
        self.number = 0
        live.send = self._take  # type: ignore[method-assign]

    def _take(self, content: dict[str, Any], buffers: Any = None) -> None:
        self.sent.append(content)
        self.times.append(time.monotonic())

    def tell(self, kind: str, **content: Any) -> None:
        self.number += 1
        self.live._on_message(None, {"type": kind, "number": self.number, **content}, [])

    def press(self, what: str) -> None:
        self.tell("do", what=what)

    def later(self, seconds: float, *actions: Any) -> threading.Thread:
        def act() -> None:
            for action in actions:
                time.sleep(seconds)
                action()

        thread = threading.Thread(target=act)
        thread.start()
        return thread

    @property
    def curves(self) -> dict[str, tuple[list[float], list[Any]]]:
        """The curves as the page has them, out of all news."""
        curves: dict[str, tuple[list[float], list[Any]]] = {}
        for news in (each for each in self.sent if each["type"] == "news"):
            for _, name, start, xs, ys, _, _ in news["curves"]:
                mine = curves.setdefault(name, ([], []))
                assert start <= len(mine[0]), "a hole in the curve"
                mine[0][start:], mine[1][start:] = xs, ys
        return curves


def test_controls_give_their_values_as_attributes() -> None:
    live = Live(rate=Slider(0.01, 1.0, 0.1, log=True), momentum=[0.0, 0.9], nesterov=False)
    assert (live.rate, live.momentum, live.nesterov) == (0.1, 0.0, False)
    assert live.values == {"rate": 0.1, "momentum": 0.0, "nesterov": False}
    with pytest.raises(AttributeError, match="Live has no 'ratte'; its controls: rate, momentum"):
        _ = live.ratte
    assert Live(blur=Slider(0, 9, 4)).blur == 4  # a method of ipywidgets
    assert not hasattr(live, "blur")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: Live(plot=Slider(0, 1)), ValueError, "cannot be named 'plot'"),
        (lambda: Live(x=Slider(0, 1)), ValueError, "cannot be named 'x'"),
        (lambda: Live(rate=0.1), TypeError, "A control is a Slider"),
        (lambda: Slider(1, 1), ValueError, "from low to high, not 1 to 1"),
        (lambda: Slider(0, 1, log=True), ValueError, "starts above 0"),
        (lambda: Slider(0, 1, 2), ValueError, "2 is not between 0 and 1"),
        (lambda: Choice(), ValueError, "at least one value"),
        (lambda: Choice("a", value="b"), ValueError, "'b' is none of the choices a"),
        (lambda: Live(rate=Slider(0, 1)).set(rat=1), ValueError, "no control named 'rat'"),
        (lambda: Live().plot(0, loss=np.zeros(3)), ValueError, r"loss has shape \(3,\)"),
        (lambda: as_picture(3), TypeError, "SVG text, an array or a figure, not int"),
        (lambda: as_picture(np.zeros((2, 2, 2))), TypeError, r"shape \(2, 2, 2\) is no image"),
    ],
)
def test_mistakes_are_told(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize(
    ("control", "sent", "value"),
    [
        (Slider(0, 10), 3.0, 3),
        (Slider(0.0, 1.0), 7, 1.0),
        (Slider(0.0, 1.0), "0.5", 0.5),
        (Choice("a", "b"), 1, "b"),
        (Choice({"plain": 0.0, "fast": 0.9}), 1, 0.9),
        (as_control(True), 0, False),
    ],
)
def test_what_the_page_sends_is_a_value_of_the_control(control: Any, sent: Any, value: Any) -> None:
    assert control.take(sent) == value
    assert type(control.take(sent)) is type(value)
    assert control.take(control.sent(value)) == value


def test_nonsense_from_the_page_changes_nothing() -> None:
    live = Live(rate=Slider(0.0, 1.0, 0.5), kind=["a", "b"])
    page = Page(live)
    page.tell("values", values={"rate": "x", "kind": 7, "other": 1, "plot": 3})
    page.tell("values", values={"rate": float("nan")})
    page.tell("values", values=[1])
    page.tell("nothing")
    live._on_message(None, "text", [])
    assert live.values == {"rate": 0.5, "kind": "a"}
    assert [each["number"] for each in page.sent if each["type"] == "taken"] == [1, 2, 3, 4]


def test_curves_grow_on_the_page_without_a_hole() -> None:
    live = Live()
    page = Page(live)
    for step in live.steps(10_000):
        live.plot(step, loss=1 / (step + 1))
        if step % 100 == 0:
            live.plot(step, accuracy=step, panel="accuracy")
        if step == 5000:
            page.tell("hello")
    xs, ys = page.curves["loss"]
    assert xs[-1] == 9999 and ys[-1] == 1 / 10_000
    assert 2000 <= len(xs) <= 4000 and xs == sorted(xs)
    assert page.curves["accuracy"][1] == list(range(0, 10_000, 100))


def test_messages_are_few_and_the_sender_pays_little() -> None:
    live = Live()
    page = Page(live)
    start = time.perf_counter()
    for step in live.steps(20_000):
        live.plot(step, loss=0.5)
    took = time.perf_counter() - start
    assert took / 20_000 < 2e-4
    assert len(page.sent) <= took / 0.04 + 3


def test_numbers_that_json_does_not_know_arrive() -> None:
    live = Live()
    page = Page(live)
    for value in (1.0, float("nan"), float("inf"), -np.inf, np.float32(2)):
        live.plot(loss=value)
    live._send_news(whole=True)
    assert page.curves["loss"] == ([0, 1, 2, 3, 4], [1.0, "nan", "Infinity", "-Infinity", 2.0])


def test_a_step_back_begins_the_curve_anew() -> None:
    live = Live()
    for _ in range(2):
        for step in live.steps(3):
            live.plot(step, loss=step)
    assert live._curves["", "loss"].xs == [0, 1, 2]


def test_stop_ends_the_loop_and_the_cell_goes_on() -> None:
    live = Live()
    page = Page(live)
    thread = page.later(0.1, lambda: page.press("stop"))
    seen = 0
    for _ in live.steps():
        seen += 1
        time.sleep(0.001)
    thread.join()
    assert 0 < seen < 1000
    assert live.to_text().startswith(f"Live: stopped at step {seen:,}")


def test_pause_single_steps_and_going_on() -> None:
    live = Live()
    page = Page(live)
    seen = []
    thread = page.later(
        0.15,
        lambda: (page.press("pause"), time.sleep(0.05), seen.append(steps)),
        lambda: (seen.append(steps), page.press("step")),
        lambda: (seen.append(steps), page.press("step"), page.press("step")),
        lambda: (seen.append(steps), page.press("run")),
        lambda: page.press("stop"),
    )
    steps = 0
    for _ in live.steps():
        steps += 1
        time.sleep(0.002)
    thread.join()
    paused, later, one, three = seen
    assert (later - paused, one - later, three - one) == (0, 1, 2)
    assert steps > three + 5
    told = [each["status"] for each in page.sent if each["type"] == "news"]
    held = {each["step"] for each in told if each["mode"] == "pause" and each["held"]}
    assert min(held) == paused  # and not the step that still ran when the page asked


def test_the_page_is_told_how_fast_the_loop_is_and_how_long_it_takes() -> None:
    live = Live()
    live._mode, live._step = "run", 12_345
    assert live._status()["words"] == "step 12,345"
    live._total = 20_000
    live._pace.extend([(0.0, 12_325), (10.0, 12_345)])
    assert live._status()["words"] == "step 12,345 of 20,000 · 2 steps/s · 64 min left"
    assert live.to_text() == "Live: running at step 12,345 of 20,000"


def test_a_page_that_asks_for_a_pause_is_told_when_it_begins() -> None:
    live = Live()
    page = Page(live)
    for step in live.steps(2):
        if step == 0:
            page.press("pause")
            assert live.to_text().startswith("Live: pausing at step 0")
            threading.Timer(0.3, page.press, ["run"]).start()
    told = [each["status"] for each in page.sent if each["type"] == "news"]
    assert {each["step"] for each in told if each["mode"] == "pause" and each["held"]} == {1}


@pytest.fixture
def own_interrupts() -> Iterator[None]:
    """Ctrl-C as Python has it, whatever a library of another test has made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_ends_the_loop_after_its_step_and_a_second_one_at_once(
    own_interrupts: None,
) -> None:
    live = Live()
    before = signal.getsignal(signal.SIGINT)
    for step in live.steps(100):
        if step == 3:
            os.kill(os.getpid(), signal.SIGINT)
    assert step == 3
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        for _ in live.steps(100):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_in_the_loop_passes_through() -> None:
    live = Live()
    with pytest.raises(ZeroDivisionError):
        for step in live.steps(10):
            1 / (3 - step)
    assert live.to_text().startswith("Live: broken off at step 3 of 10")


def test_nothing_waits_where_nobody_watches() -> None:
    live = Live()
    start = time.perf_counter()
    assert len(list(live.steps(500, per_second=5))) == 500
    assert time.perf_counter() - start < 1


def test_a_slider_moved_while_the_loop_runs_counts_at_once() -> None:
    live = Live(rate=Slider(0.0, 1.0, 0.0))
    page = Page(live)
    thread = page.later(0.05, lambda: page.tell("values", values={"rate": 0.75}))
    for _ in live.steps(5000):
        time.sleep(0.001)
        if live.rate:
            break
    thread.join()
    assert live.rate == 0.75


def test_a_picture_is_drawn_with_the_controls_it_names() -> None:
    live = Live(width=Slider(1, 50, 30), other=[1, 2])
    page = Page(live)
    calls = []

    @live.draw
    def bar(width):
        """A bar."""
        calls.append(width)
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20"/>'

    page.tell("values", values={"width": 45})
    news = [each for each in page.sent if "picture" in each][-1]
    assert calls == [30, 45]
    assert (news["picture"]["width"], news["picture"]["alt"]) == (45, "A bar.")
    assert live.to_text() == "Live: A bar.; width = 45, other = 1"
    live.set(width=3)
    assert calls == [30, 45, 3]


def test_a_slider_is_tried_where_it_can_stand() -> None:
    assert Slider(0.0, 2.0, 1.0, step=0.5).some(40) == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert Slider(0, 29).some(40) == list(range(30))
    assert Slider(0.0, 1.0).some(3) == [0.0, 0.5, 1.0]


def test_an_error_of_the_drawing_function_is_told_and_passes() -> None:
    def draw(y):
        if y == 2:
            raise RuntimeError("<b>two</b>")
        return SVG

    live = Live(draw=draw, y=Slider(0, 3))
    page = Page(live)
    page.tell("values", values={"y": 2})
    assert page.sent[-2]["problem"] == "RuntimeError: <b>two</b>"
    page.tell("values", values={"y": 3})
    assert page.sent[-2]["problem"] == ""


def test_redraw_in_a_loop_is_not_more_often_than_can_be_seen() -> None:
    calls = []
    live = Live(draw=lambda: calls.append(0) or SVG)
    for _ in live.steps(2000):
        live.redraw()
    assert 2 <= len(calls) < 20


def test_arrays_become_png() -> None:
    data = png(np.array([[0.0, 1.0], [0.5, np.nan]]))
    assert struct.unpack(">II", data[16:24]) == (2, 2)
    start = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[start - 4 : start])
    rows = zlib.decompress(data[start + 4 : start + 4 + size])
    assert rows == bytes([0, 0, 255, 0, 128, 0])
    assert as_picture(np.zeros((28, 28))).width == 28 * 8
    assert as_picture(np.zeros((500, 2000, 3), np.uint8)).width == 648


def test_figures_become_svg_and_are_closed() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = plt.figure(figsize=(3, 2))
    picture = as_picture(figure)
    assert picture.href.startswith("data:image/svg+xml")
    assert (round(picture.width), round(picture.height)) == (288, 192)
    assert not plt.get_fignums()


def test_the_static_picture_has_all_curves_and_escapes_names() -> None:
    live = Live(title="<b>", draw=lambda: SVG, rate=Slider(0.01, 1.0, 0.1, log=True))
    for step in live.steps(5):
        live.plot(step, **{"<i>&": step}, panel="<u>")
        live.plot(step, loss=float("nan"))
    root = ElementTree.fromstring(live.to_svg())
    texts = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert {"<b>", "<u>", "<i>& 4", "loss NaN", "finished, 5 steps; rate = 0.1"} <= set(texts)
    assert [node for node in root.iter() if node.tag.endswith("image")]
    assert "<i>&: 0 at step 0, 4 at 4, least 0, most 4" in live.to_text()


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("ys", [[], [5.0], [0.0, 0.0], [1e-9, 1e9], [float("inf")], [-1.0, 1.0]])
def test_charts_of_all_kinds_of_numbers_can_be_drawn(ys: list[float], log: bool) -> None:
    text = stacked("t", [(chart_svg([Curve("a", list(range(len(ys))), ys)], log_y=log), 200)])
    ElementTree.fromstring(text)
    assert "nan" not in text and "inf" not in text


def test_ticks_are_round_and_few() -> None:
    assert ticks(-0.31, 0.3) == [-0.2, 0, 0.2]
    assert ticks(1e-6, 1e6, log=True)[:2] == [1e-6, 1e-3]


def test_a_notebook_run_without_a_page_waits_for_nobody_and_keeps_the_picture() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    source = """
import time
from minitf_widgets import Live, Slider
started = time.perf_counter()
live = Live(rate=Slider(0.0, 1.0, 0.5))
for step in live.steps(300, per_second=10):
    live.plot(step, loss=1 / (1 + step))
print(time.perf_counter() - started)
"""
    plain = "live.plot(1000, loss=5.0)"
    cells = [nbformat.v4.new_code_cell(each) for each in (source, plain)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    (seconds,) = [float(each.text) for each in outputs if each.output_type == "stream"]
    assert seconds < 5
    (text,) = [each.data["text/plain"] for each in outputs if "text/html" in each.get("data", {})]
    assert text.startswith("Live: finished, 300 steps; loss 5; rate = 0.5")


# ---- A drawing function that calls `curve` and `say` in place of returning a picture.


def test_curves_follow_the_sliders_also_on_a_page_without_python():
    live = Live(x="t", power=Slider(1, 3, 1))

    @live.draw
    def powers(power):
        """Powers of a number."""
        live.curve("power", [1, 2, 3], [number**power for number in (1, 2, 3)])
        live.say(f"to the power of {power}")

    assert "power: 1 at t 1, 3 at 3" in live.to_text()
    live.set(power=3)
    assert "27 at 3" in live.to_text() and "to the power of 3" in live.to_text()
    kept = keep(live)
    assert kept is not None
    answers = kept["answers"]
    text = "".join(answers["pool"])
    assert '[["","power",0,[1.0,2.0,3.0],[1.0,4.0,9.0]' in text and "to the power of 2" in text
    assert len(answers["said"]) == 4  # hello, and three places of the slider
    live.close()


# ---- Monitor: curves, pause, stop and rate in loops, `fit`, estimators and monitored sessions.


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    made.compile(tf.keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
    return made


DATA = np.ones((64, 3), np.float32), np.ones((64, 1), np.float32)


def curves(monitor):
    return {f"{panel}/{name}": each.ys for (panel, name), each in monitor._curves.items()}


def test_each_metric_has_a_chart_which_its_validation_shares() -> None:
    monitor = Monitor()
    monitor.plot(0, loss=1, val_loss=2, accuracy=3, test_accuracy=4)
    assert set(curves(monitor)) == {
        "loss/loss", "loss/val_loss", "accuracy/accuracy", "accuracy/test_accuracy",
    }  # fmt: skip


def test_fit_is_watched(graph) -> None:
    monitor = Monitor()
    model().fit(*DATA, batch_size=16, epochs=3, validation_split=0.25, verbose=0,
                callbacks=[monitor.callback()])  # fmt: skip
    seen = curves(monitor)
    names = set(seen)
    assert len(seen["loss/loss"]) == 9 and len(seen["loss/val_loss"]) == 3
    assert len(names) == 4
    assert monitor._total == 9
    assert monitor.to_text().startswith("Training: finished, 9 steps; loss ")


def test_the_slider_sets_the_rate_of_the_optimizer(graph) -> None:
    trained = model()
    monitor = Monitor(rate=True)
    page = Page(monitor)
    rates = []

    class Turn(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            rates.append(float(tf.keras.backend.get_value(trained.optimizer.lr)))
            if batch == 2:
                page.tell("values", values={"rate": 0.5})

    trained.fit(*DATA, batch_size=16, verbose=0, callbacks=[monitor.callback(), Turn()])
    assert rates == pytest.approx([0.05, 0.05, 0.05, 0.5])


def test_stop_ends_fit_after_the_batch(graph) -> None:
    monitor = Monitor()
    page = Page(monitor)

    class Stop(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            if batch == 1:
                page.press("stop")

    model().fit(*DATA, batch_size=16, epochs=50, verbose=0, callbacks=[Stop(), monitor.callback()])
    assert monitor.to_text().startswith("Training: stopped at step 2 of 200")


def test_pause_holds_fit(graph) -> None:
    monitor = Monitor()
    page = Page(monitor)
    timer = threading.Timer(0.4, lambda: page.press("run"))

    class Hold(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            if batch == 1:
                page.press("pause")
                timer.start()

    start = time.perf_counter()
    model().fit(*DATA, batch_size=16, verbose=0, callbacks=[Hold(), monitor.callback()])
    assert time.perf_counter() - start > 0.35
    timer.join()


def training(graph):
    rate = tf.Variable(0.1, trainable=False, name="rate")
    w = tf.Variable(4.0)
    loss = tf.square(w - 1.0, name="cost")
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
    return rate, loss, train


def test_a_monitored_session_is_watched_stopped_and_turned(graph) -> None:
    rate, loss, train = training(graph)
    monitor = Monitor(rate=True)
    page = Page(monitor)
    hook = monitor.hook({"loss": loss, "again": "cost:0"}, rate=rate, steps=20)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert monitor.rate == pytest.approx(0.1)
        for _ in range(5):
            session.run(train)
        page.tell("values", values={"rate": 0.5})
        session.run(train)
        assert session.run(rate) == pytest.approx(0.5)
        page.press("stop")
        session.run(train)
        assert session.should_stop()
    assert monitor._total == 20
    assert curves(monitor)["loss/loss"] == pytest.approx(curves(monitor)["again/again"])
    assert monitor.to_text().startswith("Training: stopped at step 7 of 20")


def test_an_estimator_is_watched_and_stopped(tmp_path) -> None:
    def model_fn(features, labels, mode):
        _, loss, train = training(None)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def input_fn():
        return tf.data.Dataset.from_tensors((1.0, 1.0)).repeat()

    monitor = Monitor()
    estimator = tf.estimator.Estimator(model_fn, model_dir=str(tmp_path))
    estimator.train(input_fn, hooks=[monitor.hook(steps=6)], steps=6)
    seen = curves(monitor)["loss/loss"]
    assert len(seen) == 6 and seen[-1] < seen[0]
    estimator.train(input_fn, hooks=[monitor.hook()], steps=4)
    assert len(curves(monitor)["loss/loss"]) == 10
    assert monitor.to_text().startswith("Training: finished, 10 steps")


def test_only_hooks_are_taken_for_hooks(tmp_path) -> None:
    assert isinstance(Monitor().hook(), tf.train.SessionRunHook)
    assert not isinstance(Monitor().callback(), tf.train.SessionRunHook)
    assert issubclass(tf.train.StopAtStepHook, tf.train.SessionRunHook)
    assert not isinstance(Monitor().hook(), tf.train.StopAtStepHook)


def test_a_slider_of_ones_own() -> None:
    assert Monitor(rate=Slider(0.1, 1.0, 0.3)).rate == 0.3
    with pytest.raises(AttributeError, match="Monitor has no 'rate'"):
        _ = Monitor().rate


# ---- ScalingView: the cost model's numbers, sliders, and measured points beside them.


MODEL, RESNET = tf.cluster.CostModel("v100"), tf.cluster.RESNET50


def curve(view, name, panel="speedup"):
    each = view._curves[panel, name]
    return dict(zip(each.xs, each.ys))


def test_the_curves_are_those_of_the_model() -> None:
    view = ScalingView(MODEL, RESNET)
    for method, name in [("ring", "ring"), ("tree", "tree"), ("async", "ps, async")]:
        for n in (1, 8, 64):
            step = MODEL.step(RESNET, n, method)
            assert curve(view, name)[n] == pytest.approx(step.efficiency * n)
            assert curve(view, name, "milliseconds a step")[n] == pytest.approx(step.seconds * 1e3)


def test_sliders_change_a_copy_of_the_model() -> None:
    view = ScalingView(MODEL, RESNET)
    page = Page(view)
    before = curve(view, "ring")[64]
    page.tell("values", values={"network": 0.01})
    slow, behind = curve(view, "ring")[64], curve(view, "ps, async")[64]
    assert slow < before
    page.tell("values", values={"batch": 1024})
    assert curve(view, "ring")[64] > slow
    page.tell("values", values={"ps": 16})
    assert curve(view, "ps, async")[64] > behind
    page.tell("values", values={"workers": 2})
    assert view._said.startswith("With 2 workers: ring ")
    assert MODEL.hardware == tf.cluster.HARDWARE["v100"]


def test_measured_points_stand_beside() -> None:
    point = tf.cluster.Point("training", 0.2, replicas=2)
    points = [dataclasses.replace(point, seconds=0.1, replicas=1), point]
    view = ScalingView(MODEL, RESNET, points)
    assert curve(view, "measured") == {1: 1, 2: 1}
    assert curve(view, "measured", "milliseconds a step") == {1: 100, 2: 200}
    assert view._curves["speedup", "measured"].points
    view = ScalingView(MODEL, RESNET, {1: 1250, 8: 10_000})
    assert curve(view, "measured") == {1: 1, 8: 8}
    view.set(batch=64)
    assert view._said.endswith("(Measured with batch 128.)")


def test_a_machine_without_limits_is_drawn() -> None:
    hardware = tf.cluster.Hardware("dream", flops=1e12)
    ElementTree.fromstring(ScalingView(tf.cluster.CostModel(hardware), RESNET).to_svg())
