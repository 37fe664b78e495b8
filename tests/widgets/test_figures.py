"""Figures without a ground of their own, and the lessons' drawings."""

import base64
import re

import pytest

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from minitf_widgets.lessons import drawings  # noqa: E402
from minitf_widgets.lessons.cells import lstm_svg  # noqa: E402
from minitf_widgets.lessons.drawings import Diary, draw_course  # noqa: E402
from minitf_widgets.lessons.figures import INK, figure_html, follow_theme  # noqa: E402

import minitf as tf  # noqa: E402


@pytest.fixture(autouse=True)
def _style():
    with mpl.rc_context():
        follow_theme()
        yield
    plt.close("all")


def _svg(figure: Figure) -> str:
    found = re.search('base64,(.*?)"', figure_html(figure))
    return base64.b64decode(found[1]).decode()


def test_a_figure_has_no_ground_and_ink_for_both_themes():
    figure, axis = plt.subplots()
    axis.plot([1, 2, 3])
    axis.set(title="a title", xlabel="steps")
    text = _svg(figure)
    assert "#ffffff" not in text and "#000000" not in text.lower()
    assert f"fill: {INK}" in text
    assert 'alt="a title; steps"' in figure_html(figure)


def test_drawings(tmp_path):
    drawings.draw_tiles({"one": [0, 11], "batches": [[1, 2], [3]]})
    assert [text.get_text() for text in plt.gcf().axes[0].texts] == ["0", "11", "1", "2", "3"]
    drawings.draw_lanes({"run": [("read", 0, 0.0, 0.5), ("train", 0, 0.5, 1.0)]})
    assert plt.gcf().axes[0].get_title("left") == "run: 1000 ms"
    (tmp_path / "one").write_bytes(b"\2" + bytes(11) + b"ab" + bytes(4))
    drawings.draw_bytes(tmp_path / "one")
    assert len(plt.gcf().axes[0].patches) == 18
    drawings.draw_curves({"loss": [1, 2], "val_loss": [2, 3]}, {"accuracy": [1]})
    assert [axis.get_ylabel() for axis in plt.gcf().axes] == ["loss", "accuracy"]
    drawings.draw_images([[[0, 1]], [[1, 0]]], ["a", 7])
    assert [axis.get_title() for axis in plt.gcf().axes] == ["a", "7"]
    drawings.draw_bars({"small": 1, "large": 20.5}, "ms")
    assert [label.get_text() for label in plt.gca().get_yticklabels()] == ["large", "small"]
    assert [text.get_text().strip() for text in plt.gca().texts] == ["20.5", "1"]
    drawings.draw_bars({"small": 1, "large": -2}, "slope", ordered=False)
    assert [text.get_text().strip() for text in plt.gca().texts] == ["+1.000", "-2.000"]


def test_a_drawing_says_in_words_what_it_shows_and_may_be_handed_on():
    drawings.draw_tiles({"range(2)": [0, 1]})
    assert 'alt="range(2): 0 1"' in figure_html(plt.gcf())
    drawings.draw_bars({"run 1": 76.4, "run 2": 0.5}, "milliseconds")
    assert 'alt="milliseconds: run 1 76.4, run 2 0.5"' in figure_html(plt.gcf())
    drawings.draw_way(["prune"], "run")
    assert 'alt="prune once; then run every time"' in figure_html(plt.gcf())
    plt.close("all")
    handed = [
        drawings.draw_curves({"loss": [2.5, 1]}, show=False),
        drawings.draw_images([[[0]]], ["a\nb"], show=False),
        drawings.draw_orders({"shuffle(2)": [1, 0]}, show=False),
    ]
    assert [figure.get_label() for figure in handed] == [
        "curves over epoch: loss from 2.5 at 1 to 1 at 2, least 1, most 2.5",
        "pictures: a b",
        "what came out first; shuffle(2): 1 0 ...",
    ]
    assert not plt.get_fignums()


def test_a_diary_tells_who_worked_when():
    diary = Diary()
    assert diary.worker("read", 1)(np.int64(7)) == 7
    ((stage, element, start, end),) = diary.close()
    assert (stage, element) == ("read", 7) and end - start >= 0.001
    assert diary.close() == []


def test_an_all_reduce_ends_in_green():
    arrays = [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [4.0, 5.0, 6.0]]
    for algorithm, steps in (("ring", 4), ("tree", 4), ("naive", 2)):
        drawings.draw_all_reduce(arrays, tf.cluster.all_reduce(arrays, algorithm).steps)
        tables = [axis for axis in plt.gcf().axes if axis.texts]
        assert len(tables) == steps + 1
        assert [text.get_text() for text in tables[-1].texts] == ["15", "27", "39"] * 3
        assert all(patch.get_facecolor() == mpl.colors.to_rgba(drawings.GREEN)
                   for patch in tables[-1].patches)  # fmt: skip
        assert [text.get_text() for text in tables[0].texts[:3]] == ["1", "2", "3"]


def test_pictures_have_words_for_those_who_cannot_see_them():
    drawings.draw_curves({"cost": {0: 2.0, 10: 0.5, 20: 1.0}}, xlabel="step")
    words = "curves over step: cost from 2 at 0 to 1 at 20, least 0.5, most 2"
    assert f'alt="{words}"' in figure_html(plt.gcf())
    drawings.draw_images([[[1, 2]], [[3, 4]]], ["one", "other"], numbers=True)
    assert plt.gcf().get_label() == "pictures: one, other"
    assert [text.get_text() for text in plt.gcf().axes[1].texts] == ["3", "4"]
    draw_course()
    assert "17 what came after" in plt.gcf().get_label()


def test_pictures_below_each_other_stand_in_the_same_columns():
    pair = [[[0.0, 1.0], [1.0, 0.0]]] * 3
    lefts = []
    for signed in (False, True):
        drawings.draw_images(pair, ["a", "b", "c"], signed=signed)
        wide = plt.gcf().get_figwidth()
        lefts.append([axis.get_position().x0 * wide for axis in plt.gcf().axes[:3]])
    assert lefts[0] == pytest.approx(lefts[1])


def test_an_lstm_is_drawn_with_its_numbers():
    values = dict.fromkeys(("c", "h", "new c", "new h", "candidate"), [0.0, -0.5])
    svg = lstm_svg({**values, **dict.fromkeys(("forget", "input", "output"), [1, 0.25])}, 1, "<b>")
    assert svg.count(">+0.25<") == 3 and "-0.50" in svg and "&lt;b&gt;" in svg
    assert 'width="21" height="7" fill="#009e73"' in svg  # a quarter open
