"""What a sheet's check shows, and what nbgrader reads of it."""

import re
from types import SimpleNamespace

import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell
from minitf_widgets.lessons.checks import load_ipython_extension

HEADING = "task 1, 2 of 3 points: a sum"


@pytest.fixture(scope="module")
def shell():
    made = InteractiveShell(history_length=0)
    made.history_manager.enabled = False
    load_ipython_extension(made)
    return made


def check(shell, cell: str, heading: str = HEADING):
    return shell.run_cell_magic("check", heading, cell)


def test_what_holds_has_its_points(shell, capsys):
    score = check(shell, "total = 1 + 1\nassert total == 2\nprint('✓ a sum')")
    assert repr(score) == "2.0"
    assert "2 of 3 points, if it also passes" in score._repr_html_()
    assert capsys.readouterr().out == "✓ a sum\n"
    assert shell.user_ns["total"] == 2  # later cells go on with it
    graded = check(shell, "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS")
    assert "</b> 2 of 3 points<" in graded._repr_html_()


def test_what_fails_is_told_by_its_message_alone(shell, capsys):
    score = check(shell, "assert False, 'the sum is < 3'")
    assert repr(score) == "0.0"
    assert capsys.readouterr().out == "✗ the sum is < 3\n"
    check(shell, "assert 1 == 2")
    assert capsys.readouterr().out == "✗ assert 1 == 2\n"


def test_an_exception_names_the_students_own_lines(shell, capsys):
    shell.run_cell("def inner(x):\n    return 1 / x\ndef answer(x):\n    return inner(x)\n")
    assert repr(check(shell, "answer(0)")) == "0.0"
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "✗ ZeroDivisionError: division by zero"
    assert [line.strip() for line in told[2::2]] == ["return inner(x)", "return 1 / x"]
    check(shell, "raise ValueError('\\n'.join(map(str, range(50))))")
    assert len(capsys.readouterr().out.splitlines()) <= 12


def test_a_cell_is_called_by_its_number(shell, capsys, monkeypatch):
    known = {"/tmp/ipykernel_7/123.py": ("Cell", "In[4]")}
    kernel = SimpleNamespace(compile=SimpleNamespace(format_code_name=known.get))
    monkeypatch.setattr("minitf_widgets.lessons.quiz.get_ipython", lambda: kernel)
    check(shell, "raise ValueError('made at /tmp/ipykernel_7/123.py:3')")
    assert capsys.readouterr().out == "✗ ValueError: made at cell [4]:3\n"


def test_a_gap_is_quiet(shell, capsys):
    shell.run_cell("def answer(x):\n    raise NotImplementedError()\n")
    score = check(shell, "answer(0)")
    assert repr(score) == "0.0" and "not answered yet" in score._repr_html_()
    assert capsys.readouterr().out == ""
    check(shell, "raise NotImplementedError('strings')")  # not the stub
    assert capsys.readouterr().out == "✗ NotImplementedError: strings\n"


def test_points_are_summed_by_task(shell):
    check(shell, "pass", "task 1, 2 of 3 points: a sum")
    check(shell, "assert False", "task 1, 1 of 3 points: more")
    check(shell, "pass", "task 2, 2 of 2 points: else")
    points = shell.run_line_magic("points", "")
    assert repr(points).splitlines() == [
        "task 1: 2 of 3 points",
        "task 2: 2 of 2 points",
        "total: 4 of 5 points",
    ]
    assert re.findall("<b>(.)</b>", points._repr_html_()) == ["✗", "✓", "○"]


def test_hostile_text_is_text(shell):
    heading = "task 3, 1 of 1 point: <img src=x onerror=alert(1)>"
    assert "<img" not in check(shell, "pass", heading)._repr_html_()


def test_a_heading_of_another_form_is_refused(shell):
    with pytest.raises(ValueError, match="task 2, 1 of 3 points"):
        check(shell, "pass", "task one")
