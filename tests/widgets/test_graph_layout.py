"""Layered placement: wires run down, nothing overlaps."""

from __future__ import annotations

import random

import pytest
from minitf_widgets.graph.layout import Item, Link, isotonic, layered


def overlaps(items, corners):
    rects = [(x, y, x + i.width, y + i.height) for i, (x, y) in zip(items, corners)]
    return [
        (a, b)
        for k, a in enumerate(rects)
        for b in rects[:k]
        if a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01
    ]


def test_isotonic_keeps_what_is_wanted_where_it_can():
    assert isotonic([0.0, 30.0], [1.0, 1.0], [10.0]) == [0.0, 30.0]
    assert isotonic([0.0, 0.0, 50.0], [1.0, 3.0, 1.0], [8.0, 8.0]) == [-6.0, 2.0, 50.0]


def test_nothing_at_all():
    assert layered([], []).width == 0


def test_a_chain_is_straight():
    items = [Item(60, 30), Item(100, 30), Item(60, 30)]
    placed = layered(items, [Link(0, 1), Link(1, 2)])
    assert [y for _, y in placed.corners] == [0, 70, 140]
    for route in placed.routes:
        assert route[0][0] == pytest.approx(route[-1][0], abs=0.5)


def test_a_long_wire_runs_beside_the_boxes():
    items = [Item(60, 30)] * 4
    placed = layered(items, [Link(0, 1, 8.0), Link(1, 2, 8.0), Link(2, 3, 8.0), Link(0, 3)])
    lane = placed.routes[3]
    for x, y in lane[1:-1]:
        for (left, top), item in zip(placed.corners[1:3], items):
            assert not (left <= x <= left + item.width and top <= y <= top + item.height)


def test_cycles_keep_their_direction():
    placed = layered([Item(60, 30)] * 2, [Link(0, 1), Link(1, 0)])
    down, up = placed.routes
    assert down[0][1] < down[-1][1]
    assert up[0][1] > up[-1][1]


def test_entry_and_exit_stand_first_and_last():
    items = [Item(60, 30), Item(60, 30), Item(0, 0, 0, 0, -1), Item(0, 0, 0, 0, 1)]
    placed = layered(items, [Link(2, 0), Link(0, 3), Link(1, 0)])
    assert placed.corners[2][1] == 0
    assert placed.corners[3][1] == placed.height


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_do_not_overlap(seed):
    rng = random.Random(seed)
    number = rng.randint(5, 40)
    items = [Item(rng.randint(40, 160), rng.choice([30, 44, 200])) for _ in range(number)]
    links = []
    for _ in range(number * 2):
        a, b = rng.sample(range(number), 2)
        links.append(Link(a, b, rng.choice([0.4, 1.0, 8.0])))
    placed = layered(items, links)
    assert overlaps(items, placed.corners) == []
    for link, route in zip(links, placed.routes):
        for end, (x, y) in ((link.source, route[0]), (link.target, route[-1])):
            left, top = placed.corners[end]
            assert left - 0.01 <= x <= left + items[end].width + 0.01
            assert top - 0.01 <= y <= top + items[end].height + 0.01
