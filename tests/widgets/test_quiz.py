"""Questions keep what was guessed; checks tick, and raise nothing."""

import pytest

pytest.importorskip("matplotlib")
from minitf_widgets.lessons import Predict, check, show_error  # noqa: E402


def test_a_choice_is_compared(capsys):
    guess = Predict("Which of the two?", ["one", "two"])
    assert guess.right is None
    guess.guess = "one"
    guess.compare("two")
    assert guess.right is False
    assert guess.verdict == "✗ The answer: two. You guessed one."
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
    assert guess.verdict == "✓ The answer: 12 MB. You guessed 12.5 or so MB."
    guess.guess = "no idea"
    assert guess.right is False


def test_without_a_guess_it_goes_on():
    guess = Predict("And without one?")
    guess.compare(3)
    assert guess.verdict == "The answer: 3. (You made no guess.)"


def test_a_question_that_is_asked_again_keeps_its_guess():
    Predict("Again?", ["yes", "no"]).guess = "yes"
    assert Predict("Again?", ["yes", "no"]).guess == "yes"


def test_hostile_words_are_text_in_the_picture():
    svg = Predict("<script>alert(1)</script>", ["</text>"]).to_svg()
    assert "<script>" not in svg and "&lt;/text&gt;" in svg


def test_ticks(capsys):
    check(..., {"never asked": lambda answer: 1 / 0})
    check((1, ...), {"never asked either": lambda pair: 1 / 0})
    check(4, {"it is even": lambda answer: answer % 2 == 0})
    check(0, {"one over it is finite": lambda answer: 1 / answer})
    first, half, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("○ not answered yet") and half == first
    assert second == "✓ it is even"
    assert third == "✗ one over it is finite (ZeroDivisionError: division by zero)"


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
