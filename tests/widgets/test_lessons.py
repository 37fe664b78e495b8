"""Lessons: questions, terminals, the filter, figures and drawings."""

import re
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from minitf_widgets import GraphView
from minitf_widgets.chart import Curve, Row
from minitf_widgets.colors import color_of, look_of
from minitf_widgets.figure import Figure, Panel
from minitf_widgets.lessons import FilterView, Predict, Terminals, check, drawings, show_error
from minitf_widgets.lessons.cells import draw_gates, draw_unrolled, lstm_svg
from minitf_widgets.lessons.drawings import Diary, belt_svg
from minitf_widgets.pictures import SIGNED, shades

import minitf as tf


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
    share = Predict("What share is left?", unit="%")
    share.guess = "3"
    assert share.to_text().endswith("Your guess: 3%")
    share.compare(2.5)
    assert share.verdict == "You guessed 3% ✗. The answer: 2.5%."


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


def test_a_class_is_asked_twice():
    pytest.importorskip("cryptography")
    with tf.cluster.invite("127.0.0.1") as room:
        key, *words = room.line.split()
        with tf.cluster.join(words[-1], key.partition("=")[2], "ana") as ana:
            guess = Predict("What does the class say?", ["one", "two"], room=room)
            assert guess.votes == [[0, 0]]
            while ana.question is None:
                time.sleep(0.02)
            ana.vote(2)
            assert guess.votes == [[0, 1]]
            first = ana.question
            guess.poll.again()
            while ana.question == first:
                time.sleep(0.02)
            ana.vote(1)
            assert guess.votes == [[0, 1], [1, 0]]
            assert "( ) one: 0, then 1 of the class" in guess.to_text()
            guess.compare("one")
            with pytest.raises(tf.errors.FailedPreconditionError):
                ana.vote(2, first)


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


# ---- The lessons' figures: curves and bars as widgets, all else as pictures.


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def shown(monkeypatch):
    """What the drawings have displayed."""
    found: list = []
    monkeypatch.setattr(drawings, "display", found.append)
    return found


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_curves_stand_in_panels_with_values_to_read_off(shown):
    drawings.draw_curves({"loss": [1, 2], "val_loss": [2, 3]}, {"accuracy": {0: 0.5, 9: np.inf}})
    [figure] = shown
    assert [panel["y"] for panel in figure.panels] == ["loss", "accuracy"]
    assert figure.panels[1]["curves"][0]["ys"] == [0.5, "Infinity"]
    assert "val_loss: 2 at epoch 1, 3 at 2, least 2, most 3" in figure.to_text()
    assert "val_loss 3" in texts(figure.to_svg())


def test_few_places_on_a_logarithmic_axis_are_named_themselves(shown):
    drawings.draw_curves({"speed": {1: 5.0, 32: 90.0}}, log="both")
    drawings.draw_curves({"error": [1.0, 2.0]}, ticks=[0.0, 0.003])
    both, named = (figure.panels[0] for figure in shown)
    assert both["ticks"] == [(1.0, "1"), (32.0, "32")] and both["log_x"] and both["log_y"]
    assert {"0.0", "0.003"} <= set(texts(shown[1].to_svg())) and not named["log_x"]


def test_bars_go_from_zero_to_both_sides(shown):
    drawings.draw_bars({"small": 1, "large": 20.5}, "ms")
    drawings.draw_bars({"small": 1, "large": -2}, "slope", ordered=False)
    assert shown[0].to_text() == "large 20.5; small 1"
    assert {"+1.000", "-2.000", "slope"} <= set(texts(shown[1].to_svg()))
    up, down = re.findall(r'<rect x="([\d.]+)" .*? width="([\d.]+)"', shown[1].panels[0]["drawn"])
    assert float(down[0]) + float(down[1]) == pytest.approx(float(up[0]))  # at zero


def test_lanes_tell_the_whole_time_and_have_the_colours_of_workers(shown):
    drawings.draw_lanes({"run": [("read", 0, 1.0, 1.5), ("worker 1", 1, 1.5, 2.0)]}, until=0.7)
    [panel] = shown[0].panels
    assert shown[0].to_text() == "run: 1000 ms, the first 700 ms"
    assert "<title>read, 0: 0 to 500 milliseconds</title>" in panel["drawn"]
    assert "worker 1, 1" not in panel["drawn"]  # it ends too late
    drawings.draw_lanes({"run": [("worker 1", 1, 1.5, 2.0)]})
    assert f"--c:{look_of('worker 1').color}" in shown[1].panels[0]["drawn"]
    assert shown[0].to_text() in texts(shown[0].to_svg())


def test_points_may_share_a_place(shown):
    drawings.draw_curves({"one": ([1, 1], [2.0, 3.0])}, xlabel="x", points=True)
    [curve] = shown[0].panels[0]["curves"]
    assert curve["points"] and curve["xs"] == [1.0, 1.0] and curve["ys"] == [2.0, 3.0]


def test_a_figure_tells_all_its_panels():
    row = Row("a", color_of("ring"), [(0.0, 1.0, "one", 0)])
    figure = Figure([Panel([Curve("cost", [1, 2], [3.0, 0.5])], x="step"), Panel(rows=[row])])
    ElementTree.fromstring(figure.to_svg())
    told = "cost: 3 at step 1, 0.5 at 2, least 0.5, most 3; a one"
    assert repr(figure) == f"<Figure: {told}>"


def test_pictures_say_in_words_what_they_show(shown, tmp_path):
    drawings.draw_tiles({"one": [0, 11], "batches": [[1, 2], [3]]})
    (tmp_path / "one").write_bytes(b"\2" + bytes(11) + b"ab" + bytes(4))
    drawings.draw_bytes(tmp_path / "one")
    drawings.draw_stages(["prune"], "run")
    draw_unrolled([[0.0, 1.0]], [[-1.0, 0.5]])
    draw_gates({"memory": [[0.0, 1.0], [0.5, -1.0]]})
    words = [re.search('alt="(.*?)"', each.data)[1] for each in shown]
    assert words[0] == "one: 0 11; batches: [1, 2] [3]"
    assert words[2] == "prune once; then run every time"
    assert words[3].startswith("a cell unrolled: 1 steps") and words[4].endswith("a unit: memory")


def test_images_have_one_scale_and_a_caption_each(shown):
    grey = drawings.images_svg([[[0, 1]], [[1, 0]]], ["a", 7], numbers=True)
    assert texts(grey) == ["a", "0", "1", "7", "1", "0"]
    signed = drawings.images_svg([[[0.0, -4.0]]], ["a\nb"], signed=True)
    assert texts(signed) == ["a", "b", "4", "0", "-4"]
    assert "#ffffff" not in drawings.images_svg([[[0, 1]]])  # no ground of its own
    assert shades([[1.0]], -1, 1, SIGNED) == shades([[5.0]], -5, 5, SIGNED)
    assert drawings.draw_images([[[0, 1]]], ["a"]) is None  # a cell that ends so shows one thing
    assert len(shown) == 1 and "images: a" in shown[0].data


def test_images_below_each_other_stand_in_the_same_columns(shown):
    pair = [[[0.0, 1.0], [1.0, 0.0]]] * 3
    lefts = []
    for signed in (False, True):
        drawn = ElementTree.fromstring(drawings.images_svg(pair, "abc", signed=signed))
        lefts.append([each.get("x") for each in drawn.iter(f"{SVG}image")][:3])
    assert lefts[0] == lefts[1]


def test_a_diary_tells_who_worked_when():
    diary = Diary()
    assert diary.worker("read", 1)(np.int64(7)) == 7
    ((stage, element, start, end),) = diary.close()
    assert (stage, element) == ("read", 7) and end - start >= 0.001
    assert diary.close() == []


def test_an_lstm_is_drawn_with_its_numbers():
    values = dict.fromkeys(("c", "h", "new c", "new h", "candidate"), [0.0, -0.5])
    svg = lstm_svg({**values, **dict.fromkeys(("forget", "input", "output"), [1, 0.25])}, 1, "<b>")
    assert svg.count(">+0.25<") == 3 and "-0.50" in svg and "&lt;b&gt;" in svg
    assert 'width="21" height="7" fill="#009e73"' in svg  # a quarter open


# ---- The queue that a lesson draws: as many full places as it holds, and who waits.


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
