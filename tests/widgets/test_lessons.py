"""Lessons: questions, terminals, the filter, figures and drawings."""

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

mpl = pytest.importorskip("matplotlib")
mpl.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from minitf_widgets import GraphView  # noqa: E402
from minitf_widgets.lessons import (  # noqa: E402
    FilterView,
    Predict,
    Terminals,
    check,
    drawings,
    show_error,
)
from minitf_widgets.lessons.cells import lstm_svg  # noqa: E402
from minitf_widgets.lessons.drawings import Diary, belt_svg, draw_course  # noqa: E402
from minitf_widgets.lessons.figures import INK, figure_html, follow_theme  # noqa: E402

import minitf as tf  # noqa: E402


def test_a_choice_is_compared(capsys):
    guess = Predict("Which of the two?", ["one", "two"])
    assert guess.right is None
    guess.guess = "one"
    guess.compare("two")
    assert guess.right is False
    assert guess.verdict == "You guessed one ✗. The answer: two."
    assert "(x) one" in guess.to_text()
    with pytest.raises(ValueError, match="none of the choices"):
        guess.compare("three")


def test_the_code_need_not_tell_the_answer(capsys):
    guess = Predict("Which of these?", ["one", "two"])
    guess.compare(choice=2)
    assert guess.answer == "two"
    with pytest.raises(ValueError, match="no choice 3"):
        guess.compare(choice=3)


def test_a_number_may_be_a_little_off():
    guess = Predict("How much?", unit="MB", within=0.1)
    guess.guess = "12.5 or so"
    guess.compare(12.0)
    assert guess.right
    assert guess.verdict == "You guessed 12.5 or so MB ✓. The answer: 12 MB."
    guess.guess = "no idea"
    assert guess.right is False


def test_one_of_something_is_singular():
    guess = Predict("How many are left?", unit="steps")
    guess.guess = "2"
    guess.compare(1)
    assert guess.verdict == "You guessed 2 steps ✗. The answer: 1 step."


def test_words_are_compared_without_commas_and_brackets():
    guess = Predict("Which shape?", text=True)
    guess.guess = "64 32"
    guess.compare("(64, 32)")
    assert guess.verdict == "You guessed 64 32 ✓. The answer: (64, 32)."
    guess.guess = "64, 3"
    assert guess.right is False
    guess.compare([64, 3])
    assert guess.right
    order = Predict("Which order?", text=True)
    order.guess = "sync async"
    order.compare("async, sync")
    assert order.right is False


def test_a_click_in_a_graph_is_a_guess():
    with tf.Graph().as_default() as graph:
        tf.square(tf.constant(2.0, name="two"), name="four")
    view = GraphView(graph)
    guess = Predict("Which is it?", click=view)
    view.selected = "two"
    view.selected = ""
    assert guess.guess == "two"  # the last that was selected
    view.selected = "four"
    guess.compare("four")
    assert guess.verdict == "You guessed four ✓."
    view.selected = "two"
    assert guess.guess == "four"


def test_without_a_guess_it_goes_on():
    guess = Predict("And without one?")
    guess.compare(3)
    assert guess.verdict == "The answer: 3. (You made no guess.)"


def test_a_question_that_is_asked_again_keeps_its_guess():
    Predict("Again?", ["yes", "no"]).guess = "yes"
    assert Predict("Again?", ["yes", "no"]).guess == "yes"


def test_ticks(capsys):
    check(..., {"never asked": lambda answer: 1 / 0})
    check((1, ...), {"never asked either": lambda pair: 1 / 0})
    check(4, {"it is even": lambda answer: answer % 2 == 0})
    check(0, {"one over it is finite": lambda answer: 1 / answer})
    first, half, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("○ not answered yet") and half == first
    assert second == "✓ it is even"
    assert third == "✗ one over it is finite (ZeroDivisionError: division by zero)"


def test_ticks_of_an_exercise_whose_check_would_tell_the_answer(capsys):
    check({"a": "in", "b": "in"}, "13.2")
    check(4_810, "0.3")
    assert capsys.readouterr().out.splitlines() == [
        "✓ a",
        "✗ b",
        "✗ c (KeyError: 'c')",
        "✓ both layers, weights and biases",
    ]


def test_errors_on_purpose_are_shown(capsys):
    assert show_error(lambda: [].pop()) == "IndexError"
    assert show_error(lambda: None) == "nothing"
    assert capsys.readouterr().out.startswith("IndexError: pop from empty list")


def test_a_cell_is_called_by_its_number(monkeypatch, capsys):
    class Shell:
        class compile:  # noqa: N801
            format_code_name = {"/tmp/ipykernel_7/123.py": ("Cell", "In[4]")}.get

    def fail() -> None:
        raise ValueError("made at /tmp/ipykernel_7/123.py:3, not at /usr/lib/9.py:1")

    monkeypatch.setattr("minitf_widgets.lessons.quiz.get_ipython", lambda: Shell)
    show_error(fail)
    assert "made at cell [4]:3, not at /usr/lib/9.py:1" in capsys.readouterr().out


# ---- Terminals of a lesson: one program, started once for each task.


def test_a_program_is_started_as_one_task_after_the_other(tmp_path):
    (tmp_path / "who.py").write_text("import sys\nprint(sys.argv[-2:], flush=True)\n")
    terminals = Terminals("who.py", tmp_path, ps=1, workers=2)
    assert {job: len(hosts) for job, hosts in terminals.hosts.items()} == {"ps": 1, "worker": 2}
    assert str(terminals).count("python -m minitf who.py \\\n    --ps_hosts=localhost:") == 3
    terminals.start("ps", 0)
    terminals.start_task("/job:worker/task:1")
    assert list(terminals.running) == [("ps", 0), ("worker", 1)]
    assert terminals.said("worker", 1, timeout=60) == "['--job_name=worker', '--task_index=1']"
    terminals.stop()
    assert all(each.poll() is not None for each in terminals.running.values())


# ---- The filter on its way: the same answers as a convolution, on the page and in the picture.


EDGE = np.float32([[1, 1, 1], [0, 0, 0], [-1, -1, -1]])


def test_the_answers_are_those_of_a_convolution():
    picture = np.random.default_rng(0).random((8, 8)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        result = tf.nn.conv2d(
            picture[None, :, :, None], EDGE[:, :, None, None], strides=[1, 1, 1, 1], padding="VALID"
        )
        expected = sess.run(result)[0, :, :, 0]
    np.testing.assert_allclose(FilterView(picture, EDGE).answers, expected, atol=1e-5)


def test_what_cannot_slide_is_refused():
    with pytest.raises(ValueError, match="rank 2"):
        FilterView(np.zeros(8), EDGE)
    with pytest.raises(ValueError, match="no square"):
        FilterView(np.zeros((2, 2)), EDGE)
    view = FilterView(np.zeros((4, 4)), EDGE)
    with pytest.raises(ValueError, match="no square"):
        view.weights = [[1, 2, 3]]


def test_picture_and_words():
    view = FilterView(np.eye(4), [[2, 0], [0, 2]], place=5)
    ElementTree.fromstring(view.to_svg())
    assert "row 2, column 3 the response is 0.00" in view.to_text()
    view.place = 4
    assert "row 2, column 2 the response is 4.00" in view.to_text()


# ---- Figures without a ground of their own, and the lessons' drawings.


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
    drawings.draw_lanes({"run": [("read", 0, 0.0, 0.5), ("read", 1, 0.5, 1.0)]}, until=0.7)
    axis = plt.gcf().axes[0]
    assert axis.get_title("left") == "run: 1000 ms, the first 700 ms" and len(axis.patches) == 1
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
    drawings.draw_bars({"small": 1, "large": -2}, "gradient", ordered=False)
    assert [text.get_text().strip() for text in plt.gca().texts] == ["+1.000", "-2.000"]


def test_a_drawing_says_in_words_what_it_shows_and_may_be_handed_on():
    drawings.draw_tiles({"range(2)": [0, 1]})
    assert 'alt="range(2): 0 1"' in figure_html(plt.gcf())
    drawings.draw_bars({"run 1": 76.4, "run 2": 0.5}, "milliseconds")
    assert 'alt="milliseconds: run 1 76.4, run 2 0.5"' in figure_html(plt.gcf())
    drawings.draw_stages(["prune"], "run")
    assert 'alt="prune once; then run every time"' in figure_html(plt.gcf())
    plt.close("all")
    handed = [
        drawings.draw_curves({"loss": [2.5, 1]}, show=False),
        drawings.draw_images([[[0]]], ["a\nb"], show=False),
        drawings.draw_orders({"shuffle(2)": [1, 0]}, show=False),
    ]
    assert [figure.get_label() for figure in handed] == [
        "curves over epoch: loss from 2.5 at 1 to 1 at 2, least 1, most 2.5",
        "images: a b",
        "the first outputs; shuffle(2): 1 0 ...",
    ]
    assert not plt.get_fignums()


def test_a_diary_tells_who_worked_when():
    diary = Diary()
    assert diary.worker("read", 1)(np.int64(7)) == 7
    ((stage, element, start, end),) = diary.close()
    assert (stage, element) == ("read", 7) and end - start >= 0.001
    assert diary.close() == []


def test_pictures_have_words_for_those_who_cannot_see_them():
    drawings.draw_curves({"cost": {0: 2.0, 10: 0.5, 20: 1.0}}, xlabel="step")
    words = "curves over step: cost from 2 at 0 to 1 at 20, least 0.5, most 2"
    assert f'alt="{words}"' in figure_html(plt.gcf())
    drawings.draw_images([[[1, 2]], [[3, 4]]], ["one", "other"], numbers=True)
    assert plt.gcf().get_label() == "images: one, other"
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


# ---- The queue that a lesson draws: as many full places as it holds, and who waits.


SVG = "{http://www.w3.org/2000/svg}"


def places(svg: str) -> list[bool]:
    """Which places are full, from where one puts to where one takes."""
    boxes = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [box.get("fill") != "none" for box in boxes]


def test_the_first_to_be_taken_is_on_the_right() -> None:
    assert places(belt_svg(2, 5)) == [False, False, False, True, True]
    assert places(belt_svg(0, 3)) == [False] * 3


def test_who_waits_is_said_in_words() -> None:
    words = [
        each.text
        for each in ElementTree.fromstring(belt_svg(3, 3, putting=False)).iter(f"{SVG}text")
    ]
    assert words == ["puts: WAITS", "▸ takes"]
