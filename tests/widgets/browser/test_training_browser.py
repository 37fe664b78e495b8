"""Monitor, Descent, TensorView and ScalingView in a real JupyterLab."""

from __future__ import annotations

from xml.etree import ElementTree

from playwright.sync_api import expect

from tests.widgets.browser.test_live_browser import press, words

MODEL = """
import numpy as np
import minitf as tf
from minitf_widgets import Descent, Monitor, ScalingView, TensorView
rng = np.random.default_rng(0)
xs = rng.normal(size=200).astype(np.float32)
ys = (2 * xs - 1 + rng.normal(0, 0.5, 200)).astype(np.float32)
x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
w, b = tf.Variable(0.0, name="w"), tf.Variable(3.0, name="b")
loss = tf.reduce_mean(tf.square(w * x + b - y))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
DESCENT = "descent = Descent(loss, [w, b], session=sess, feeds={x: xs, y: ys}); descent"
TENSORS = """
tensor = TensorView((2, 3, 4), expression="x[1:, ::2]")
meeting = TensorView((3, 1), (4,))
display(tensor, meeting)
"""
SCALING = """
scaling = ScalingView(tf.cluster.CostModel("v100"), tf.cluster.RESNET50, {8: 1e4})
scaling
"""
FIT = """
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile(tf.keras.optimizers.SGD(0.001), "mse")
monitor = Monitor(rate=True)
"""
LONG = """
history = model.fit(xs[:, None], ys, batch_size=10, epochs=1_000_000, verbose=0,
                    callbacks=[monitor.callback()])
after = True
"""


def saved(page, root) -> tuple[set[str | None], int]:
    """The texts of the saved SVG, and the size of the saved PNG."""
    with page.expect_download() as download:
        root.get_by_role("button", name="Save the picture as SVG").click()
    tree = ElementTree.parse(download.value.path()).getroot()
    with page.expect_download() as picture:
        root.get_by_role("button", name="Save the picture as PNG").click()
    return {node.text for node in tree.iter()}, picture.value.path().stat().st_size


def test_the_rate_of_fit_is_turned_while_it_trains_and_stop_ends_it(open_notebook):
    book = open_notebook([MODEL, FIT + LONG], run=False)
    page = book.page
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    words(page, "steps/s")
    slider = page.get_by_label("rate", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", "0.001")  # the model's own
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    press(page, "Pause")
    words(page, "paused at step")
    press(page, "One step")
    press(page, "Go on")
    page.wait_for_timeout(200)
    press(page, "Stop")
    words(page, "stopped at step")
    book.wait_for_idle()
    assert book.value("after")
    rate = book.value("float(tf.keras.backend.get_value(model.optimizer.lr))")
    assert rate > 0.001 and abs(rate - book.value("monitor.rate")) < 1e-6 * rate
    assert len(book.sources()) == 2


def test_descent_is_played_bent_and_begun_elsewhere(open_notebook):
    book = open_notebook([MODEL, DESCENT])
    page = book.page
    root = page.locator(".mtfw-descent")
    expect(root.locator(".mtfd-ball")).to_have_count(3)
    ball = root.locator(".mtfd-ball").first
    end = ball.get_attribute("transform")
    press(page, "Reset: back to the start")
    start = ball.get_attribute("transform")
    assert start != end
    page.emulate_media(reduced_motion="reduce")
    press(page, "Play descent")
    root.locator(".mtfw-play-words:text-is('step 2')").wait_for()
    press(page, "Pause descent")
    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("End")
    root.get_by_label("Position in descent").press("End")
    before = book.value("descent.paths()['batch'][-1].tolist()")
    root.get_by_label("rate", exact=True).press("ArrowRight")
    assert book.wait_for_python(f"descent.paths()['batch'][-1].tolist() != {before}") < 1
    surface = root.locator(".mtfd-svg")
    surface.click(position={"x": 300, "y": 40})
    assert book.wait_for_python("descent._start.tolist() != [0, 3]") < 1
    point = book.value("descent._start.tolist()")
    root.locator(".mtfd-floor").focus()
    for key in ("ArrowLeft", "ArrowUp", "Enter", "b", "a", "x", "d", "d"):
        page.keyboard.press(key)
    assert book.wait_for_python(f"descent._start.tolist() != {point}") < 1
    assert len(book.sources()) == 2
    assert book.wait_for_python("np.array(sess.run([w, b])).tolist() == [0, 3]") < 1
    for theme in ("light", "dark"):
        book.theme(theme)
        assert not book.faults_of_access(".mtfw-descent")
    texts, size = saved(page, root)
    assert {"w", "b", "step", "loss", "stochastic"} <= texts and size > 20_000


def test_tensors_are_cut_and_meet(open_notebook):
    book = open_notebook([MODEL, TENSORS])
    page = book.page
    views = page.locator(".mtfw-tensor")
    tensor, meeting = views.nth(0), views.nth(1)
    expect(tensor.locator(".mtfx-lit")).to_have_count(8)
    field = tensor.get_by_label("expression")
    field.fill("reduce_sum(x, axis=1)")
    assert book.wait_for_python("tensor.expression.startswith('reduce')") < 1
    tensor.locator("[data-id='result5']").hover()
    expect(tensor.locator(".mtfx-source")).to_have_count(3)
    tensor.locator(".mtfx-floor").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.type("baxdd")
    assert tensor.locator(".mtfx-words").inner_text().startswith("result[")
    field.fill("x[<b>")
    tensor.locator(".mtfx-wrong:has-text('Type a slice')").wait_for()
    expect(meeting.locator(".mtfx-ghost[data-id]")).to_have_count(9 + 8)
    meeting.get_by_label("a", exact=True).fill("[3, 2]")
    meeting.locator(".mtfx-wrong:has-text('Incompatible shapes: [3,2] vs. [4].')").wait_for()
    expect(meeting.locator(".mtfx-bad")).to_have_count(2)
    assert len(book.sources()) == 2
    for theme in ("light", "dark"):
        book.theme(theme)
        assert not book.faults_of_access(".mtfw-tensor")
    texts, size = saved(page, meeting)
    assert {"a", "b", "axis 0", "axis 1"} <= texts and size > 3000


def test_scaling_follows_its_sliders(open_notebook):
    book = open_notebook([MODEL, SCALING])
    page = book.page
    page.locator(".mtfl-said:has-text('With 8 workers: ring 7.9×')").wait_for()
    page.get_by_label("network speed ×").press("Home")
    assert book.wait_for_python("scaling.network == 0.001") < 1
    page.get_by_label("workers", exact=True).press("Home")
    page.locator(".mtfl-said:has-text('With 1 worker:')").wait_for()
    texts, size = saved(page, page.locator(".mtfw-live"))
    assert {"speedup", "milliseconds a step", "ring", "measured"} <= texts and size > 10_000
