"""ScalingView: the cost model's numbers, sliders, and measured points beside them."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree

import pytest

pytest.importorskip("anywidget")

from minitf_widgets import ScalingView  # noqa: E402

import minitf as tf  # noqa: E402
from tests.widgets.test_live import Page  # noqa: E402

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
    before = view.speedups()
    page.tell("values", values={"network": 0.01})
    slow = view.speedups()
    assert slow["ring"][64] < before["ring"][64]
    page.tell("values", values={"batch": 1024})
    assert view.speedups()["ring"][64] > slow["ring"][64]
    page.tell("values", values={"ps": 16})
    assert view.speedups()["async"][64] > slow["async"][64]
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


def test_the_table_of_a_model_brings_all() -> None:
    table = MODEL.scaling(RESNET, (1, 2, 4, 8), ("ring", "ps"), ps=2, beside={"the talk": {8: 1e4}})
    view = ScalingView(table)
    assert view.ps == 2 and curve(view, "the talk")[8] == pytest.approx(8, rel=0.01)
    assert {name for _, name in view._curves} == {"linear", "ring", "ps, sync", "the talk"}
    texts = {node.text for node in ElementTree.fromstring(view.to_svg()).iter()}
    assert {"workers", "speedup", "milliseconds a step"} <= texts


def test_a_machine_without_limits_is_drawn() -> None:
    hardware = tf.cluster.Hardware("dream", flops=1e12)
    ElementTree.fromstring(ScalingView(tf.cluster.CostModel(hardware), RESNET).to_svg())


def test_a_workload_is_needed() -> None:
    with pytest.raises(TypeError, match=r"needs a workload, as tf.cluster.RESNET50"):
        ScalingView(MODEL)
