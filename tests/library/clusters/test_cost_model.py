"""The cost model: a fit finds what was there, and predictions can be worked out by hand."""

import math

import numpy as np
import pytest

import minitf as tf
from minitf.library.clusters.cost_model import EPOCHS, IMAGENET, TRAFFIC

CostModel, Hardware, Point = tf.cluster.CostModel, tf.cluster.Hardware, tf.cluster.Point

TRUE = Hardware("true", flops=5e10, bandwidth=1e9, latency=20e-6, overhead=80e-6)
#: One second of arithmetic and 100 MB of gradients a step, with which sums are easy.
PLAIN = tf.cluster.Workload("plain", flops=1e9, nbytes=1e8, batch=10)
EASY = CostModel(Hardware("easy", flops=1e10, bandwidth=1e9, latency=0.01))


def noisy_points(noise: float) -> list[Point]:
    rng = np.random.default_rng(7)
    exact = CostModel(TRUE)
    points = [Point("ping", 1.0, messages=2) for _ in range(6)]
    points += [Point("pull", 1.0, 2, size, 0, 1) for size in (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)]
    points += [Point("compute", 1.0, flops=f, steps=1) for f in (1e6, 1e7, 1e8, 1e9, 3e9, 1e10)]
    return [
        Point(p.kind, exact.seconds(p) * rng.uniform(1 - noise, 1 + noise), *p.counts)
        for p in points
    ]


@pytest.mark.parametrize("noise,within", [(0.0, 1e-9), (0.05, 0.06)])
def test_a_fit_finds_the_numbers_that_made_the_points(noise: float, within: float) -> None:
    found = CostModel.fit(noisy_points(noise), name="found").hardware
    for number in ("flops", "bandwidth", "latency", "overhead"):
        assert getattr(found, number) == pytest.approx(getattr(TRUE, number), rel=within)
    assert found.source == "fitted to 12 measured points"


def test_the_error_is_that_on_points_which_were_held_out() -> None:
    points = [*noisy_points(0.0), Point("training", 2e-3, 2, 8e5, 4e7, 1)]
    model = CostModel.fit(points, check="training")
    assert [p.kind for p in model.checked] == ["training"]
    predicted = 2 * 20e-6 + 8e5 / 1e9 + 4e7 / 5e10 + 80e-6
    assert model.errors() == [pytest.approx(abs(predicted / 2e-3 - 1))]
    assert repr(model) == (
        "CostModel of this machine: 50 Gflop/s, 1 GB/s, 20 µs a message, 80 µs a step "
        "(fitted to 18 measured points; on 1 others it is off by 14%, at most by 14%)"
    )
    thirds = CostModel.fit(points[:-1])
    assert len(thirds.checked) == 6 and max(thirds.errors()) < 1e-6


def test_what_the_points_cannot_tell_costs_nothing() -> None:
    model = CostModel.fit([Point("compute", f / 1e9, flops=f, steps=1) for f in (1e6, 1e7)])
    assert model.hardware.flops == pytest.approx(1e9)
    assert model.hardware.bandwidth == math.inf and model.hardware.latency == 0.0
    # time that shrinks with the messages would be a negative latency
    odd = [Point("a", 1.0, 0, 100), Point("b", 1.8, 5, 200), Point("c", 2.9, 10, 300)]
    assert CostModel.fit(odd, check="none").hardware.latency == 0.0


@pytest.mark.parametrize(
    "points,complaint",
    [
        ([], "0 points cannot tell 1 numbers"),
        ([Point("pull", 1.0, 2, 100, 0, 1)], "1 points cannot tell 3 numbers"),
        ([Point("ping", 0.0, 2)], "took 0.0 s"),
        ([Point("ping", math.nan, 2)], "took nan s"),
    ],
)
def test_too_few_points_are_refused(points: list[Point], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        CostModel.fit(points)


@pytest.mark.parametrize(
    "method,replicas,ps,messages,nbytes",
    [
        ("ring", 1, 1, 0, 0),
        ("ring", 2, 1, 2, 100),
        ("ring", 4, 1, 6, 150),
        ("tree", 1, 1, 0, 0),
        ("tree", 2, 1, 2, 200),
        ("tree", 5, 1, 6, 600),
        ("tree", 8, 1, 6, 600),
        ("ps", 1, 1, 2, 200),
        ("ps", 8, 1, 16, 1600),
        ("ps", 8, 2, 16, 800),
        ("ps", 2, 8, 16, 200),
    ],
)
def test_traffic_of_an_update(
    method: str, replicas: int, ps: int, messages: float, nbytes: float
) -> None:
    assert TRAFFIC[method](replicas, 100, ps) == (messages, pytest.approx(nbytes))


def test_a_step_is_arithmetic_and_traffic() -> None:
    one = EASY.step(PLAIN, 4)
    assert one.compute == pytest.approx(1.0)
    assert one.communication == pytest.approx(6 * 0.01 + 1.5 * 0.1)
    assert one.seconds == pytest.approx(1.21)
    assert one.images_per_second == pytest.approx(40 / 1.21)
    assert one.efficiency == pytest.approx(1 / 1.21)
    assert EASY.step(PLAIN, 8, "tree").communication == pytest.approx(6 * 0.01 + 6 * 0.1)
    assert EASY.step(PLAIN, 8, "ps", ps=2).communication == pytest.approx(0.16 + 0.8)


def test_asynchronous_replicas_wait_for_the_servers_alone() -> None:
    few = EASY.step(PLAIN, 2, "async")
    assert few.communication == pytest.approx(2 * 0.01 + 2 * 0.1)  # their own pull and push
    assert few.staleness == 1.0
    # a server takes an update in 0.12 s: more than 8.3 of them a second there are not
    assert EASY.step(PLAIN, 100, "async").images_per_second == pytest.approx(10 / 0.12)
    assert EASY.step(PLAIN, 100, "async", 2).images_per_second == pytest.approx(10 / 0.07)


def test_synchronous_replicas_wait_for_the_slowest_and_for_a_core() -> None:
    uneven = CostModel(Hardware("uneven", flops=1e10, jitter=0.1))
    assert uneven.step(PLAIN, 1).compute == pytest.approx(1.0)
    assert uneven.step(PLAIN, 8).compute == pytest.approx(1 + 0.1 * math.sqrt(2 * math.log(8)))
    assert uneven.step(PLAIN, 8, "async").compute == pytest.approx(1.0)
    shared = CostModel(Hardware("shared", flops=1e10, cores=2))
    assert shared.step(PLAIN, 2).images_per_second == pytest.approx(20.0)
    assert shared.step(PLAIN, 8).images_per_second == pytest.approx(20.0)


def test_the_figures_of_the_talk() -> None:
    table = tf.cluster.talk_scaling()
    one, _, _, eight = table.predictions["ring"]
    assert one.images_per_second == pytest.approx(1250)
    assert 9500 < eight.images_per_second < 10_000  # "close to 10,000"
    assert table.beside == {"the talk": {1: 1250.0, 8: 10_000.0}}
    alone = CostModel("talk_87_hours").step(tf.cluster.RESNET50, 1).images_per_second
    assert EPOCHS * IMAGENET / alone == pytest.approx(87 * 3600)


def test_from_87_hours_to_10_minutes() -> None:
    model, images = CostModel("talk_87_hours"), EPOCHS * IMAGENET
    for replicas, in_time in ((87 * 6, False), (2 * 87 * 6, True)):  # 522 if nothing were sent
        rate = model.step(tf.cluster.RESNET50, replicas).images_per_second
        assert (rate * 600 >= images) == in_time


def test_tables() -> None:
    table = EASY.scaling(PLAIN, (1, 4), ("ring", "ps"), beside={"<measured>": {4: 30.0}})
    title, head, first, last, model = str(table).splitlines()
    assert title == "plain, batch 10 a replica, 1 ps: images/s, and the share of linear scaling"
    assert head.split() == ["replicas", "ring", "ps", "<measured>"]
    assert first.split() == ["1", "10", "100%", "8", "82%"]
    assert last.split() == ["4", "33", "83%", "21", "53%", "30"]
    assert model == repr(EASY)
    page = table._repr_html_()
    assert "<th style='text-align:right'>&lt;measured&gt;</th>" in page
    assert page.count("<tr>") == 3
    wide = EASY.scaling(PLAIN)
    assert wide.replicas[-1] == 10_000 and len(wide.rows()) == 10


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="'abacus'; known are v100, talk_87_hours, classroom"):
        CostModel("abacus")
    with pytest.raises(ValueError, match="'star'; known are ring, tree, ps, async"):
        EASY.step(PLAIN, 2, "star")
    with pytest.raises(ValueError, match="0 replicas and 1 parameter servers"):
        EASY.step(PLAIN, 0)


def test_every_preset_says_where_its_numbers_come_from() -> None:
    for hardware in tf.cluster.HARDWARE.values():
        for number in ("flops", "bandwidth", "latency"):
            assert number in hardware.source or "all others" in hardware.source


@pytest.mark.slow
def test_this_machine_can_be_measured() -> None:
    pytest.importorskip("distributed")
    points = tf.cluster.measure(seconds=0.05)
    kinds = {point.kind for point in points}
    assert kinds == {"ping", "pull", "compute", "training"}
    model = CostModel.fit(points, check="training", cores=2)
    assert len(model.checked) == 2
    assert 0 < model.hardware.bandwidth < math.inf and 0 < model.hardware.flops < math.inf
