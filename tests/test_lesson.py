"""Every lesson runs from top to bottom, and is stored without outputs.

The cells run in a process that has forked; `make test-long` runs each lesson in a kernel, too.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from scripts import lite
from tests.cells import Cells
from tests.compiled import whole_project

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100  # of fixed width that fit a cell of a window of 1280 pixels, the file list open
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
BY_NAME = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
NUMBERED = pytest.mark.parametrize(
    "lesson", [each for each in LESSONS if each.stem[0].isdigit()], ids=lambda path: path.stem
)


def test_there_is_a_first_lesson() -> None:
    assert "00-first-light" in [lesson.stem for lesson in LESSONS]


@BY_NAME
def test_a_lesson_is_stored_without_outputs(lesson: Path) -> None:
    notebook = json.loads(lesson.read_text())
    assert "widgets" not in notebook["metadata"]
    for cell in notebook["cells"]:
        assert cell["id"]
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@BY_NAME
def test_a_cell_that_answers_a_question_does_not_show_the_answer(lesson: Path) -> None:
    for cell in json.loads(lesson.read_text())["cells"]:
        shown = re.findall(r'guess\.compare\((?:"[^"]*"|[\d.]+)\)', "".join(cell["source"]))
        assert not shown, (cell["id"], shown)


@BY_NAME
def test_diagrams_of_a_lesson_do_not_wrap(lesson: Path) -> None:
    for cell in json.loads(lesson.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            blocks = "".join(cell["source"]).split("```")[1::2]
            lines = [line for block in blocks for line in block.splitlines()]
            assert max(map(len, lines), default=0) <= COLUMNS, cell["id"]


def _with_solutions(lesson: Path) -> dict:
    """The lesson; behind each exercise its solution is checked, and its dots are put back."""
    notebook = json.loads(lesson.read_text())
    cells, solution = [], ""
    for cell in notebook["cells"]:
        cells.append(cell)
        text = "".join(cell["source"])
        if re.fullmatch(r"exercise-\d", cell["id"]):
            solution = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-1]
        elif re.fullmatch(r"exercise-\d-answer", cell["id"]):
            stub = re.search(r"^[\w, ]+ = \.\.\..*$", text, re.MULTILINE)
            if stub:
                solved = text[: stub.start()] + solution + text[stub.end() :]
                cells.append({**cell, "id": f"{cell['id']}-solved", "source": solved})
                cells.append({**cell, "id": f"{cell['id']}-again", "source": stub[0]})
    return {**notebook, "cells": cells}


@pytest.fixture(scope="module")
def in_process() -> Iterator[Cells]:
    running = Cells()
    yield running
    running.close()


@pytest.mark.slow
@whole_project
@BY_NAME
def test_a_lesson_runs_and_its_solutions_get_all_ticks(lesson: Path, in_process: Cells) -> None:
    cells = [c for c in _with_solutions(lesson)["cells"] if c["cell_type"] == "code"]
    told = in_process.run(lesson.parent, ["".join(cell["source"]) for cell in cells])
    for cell, outcome in zip(cells, told, strict=True):
        tags = cell["metadata"].get("tags", ())
        assert not outcome["error"] or "raises-exception" in tags, (cell["id"], outcome["error"])
        if cell["id"].endswith("-solved"):
            said = outcome["printed"]
            assert "✓" in said or "check(" not in "".join(cell["source"])
            assert "✗" not in said and "○" not in said, (cell["id"], said)


NO_THREADS = """import socket, subprocess, threading
def refuse(*_, **__): raise RuntimeError("can't start new thread")
def nothing(*_, **__): raise OSError("not in a browser")
threading.Thread.start = refuse
socket.socket = type("socket", (socket.socket,), {"__init__": nothing})
socket.socketpair = socket.create_server = socket.create_connection = nothing
subprocess.Popen.__init__ = nothing"""
#: How many cells of lessons need processes or threads: what Dask, faults and old programs do.
NEED_PROCESSES = {"13": 5, "14": 12, "15": 5, "16": 8, "17": 1}
QUICK = ("00", "03", "06")  # lessons that run so in each `make test`


def _code_cells(lesson: Path) -> list[dict]:
    return [c for c in json.loads(lesson.read_text())["cells"] if c["cell_type"] == "code"]


def test_nearly_all_cells_run_in_a_browser() -> None:
    cells = [cell for each in LESSONS if each.stem[0].isdigit() for cell in _code_cells(each)]
    assert sum(NEED_PROCESSES.values()) <= 0.06 * len(cells)
    assert not NEED_PROCESSES.keys() & {name[:2] for name in lite.LESSONS}


@pytest.mark.slow
@whole_project
@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(each, marks=[] if each.stem[:2] in QUICK else pytest.mark.long, id=each.stem)
        for each in LESSONS
        if each.stem[0].isdigit()
    ],
)
def test_a_lesson_needs_no_threads_and_no_sockets(lesson: Path, in_process: Cells) -> None:
    cells = _code_cells(lesson)
    told = in_process.run(lesson.parent, [NO_THREADS, *("".join(c["source"]) for c in cells)])
    assert not told[0]["error"]
    failed = {
        cell["id"]: outcome["error"]
        for cell, outcome in zip(cells, told[1:], strict=True)
        if outcome["error"] and "raises-exception" not in cell["metadata"].get("tags", ())
    }
    assert len(failed) <= NEED_PROCESSES.get(lesson.stem[:2], 0), failed


@pytest.mark.slow
@whole_project
@pytest.mark.parametrize(
    "lesson",
    [LESSONS[0], *(pytest.param(each, marks=pytest.mark.long) for each in LESSONS[1:])],
    ids=lambda path: path.stem,
)
def test_a_lesson_runs_in_a_kernel(lesson: Path) -> None:
    command = [sys.executable, "scripts/run_notebooks.py", str(lesson)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr


@BY_NAME
def test_plotting_and_bookkeeping_stay_out_of_the_cells(lesson: Path) -> None:
    for cell in json.loads(lesson.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and ("plt." in text or "axis." in text):
            assert len(text.splitlines()) <= 15, cell["id"]


@NUMBERED
def test_a_lesson_asks_before_it_tells_and_has_exercises_with_hints(lesson: Path) -> None:
    cells = {cell["id"]: cell for cell in json.loads(lesson.read_text())["cells"]}
    sources = {name: "".join(cell["source"]) for name, cell in cells.items()}
    code = "\n".join(sources[name] for name in cells if cells[name]["cell_type"] == "code")
    assert code.count("Predict(") >= 3
    assert code.count("Predict(") <= code.count(".compare(")
    for name, cell in cells.items():  # the question is on the screen once
        asks = sources[name].startswith("guess = Predict(")
        assert cell["metadata"].get("jupyter", {}).get("source_hidden", False) == asks, name
    for words in ("| **Time** |", "| **You will be able to** |", "| **You need** |"):
        assert words in sources["title"]
    exercises = [name for name in sources if re.fullmatch(r"exercise-\d", name)]
    minutes = int(re.search(r"\*\*Time\*\* \| (\d+) minutes", sources["title"])[1])
    assert minutes / (len(exercises) + 1) <= 12
    for name in exercises:
        assert re.match(r"### Exercise \d \(\d+ minutes\)", sources[name])
        assert "<summary>Hint 1</summary>" in sources[name]
        assert "<summary>Solution</summary>" in sources[name]
        assert f"{name}-answer" in sources


@NUMBERED
def test_a_lesson_has_something_to_turn_or_to_step(lesson: Path) -> None:
    text = lesson.read_text()
    live = r"(TimelineView|TrafficView|ExplainView|TensorView|AllReduce|DotProduct|Monitor|Live)\b"
    live += r"|Descent\(|ScalingView\(|FilterView\(|interact\(|\.run\(sess"
    assert re.search(live, text)


@BY_NAME
def test_links_between_lessons_lead_somewhere(lesson: Path) -> None:
    for cell in json.loads(lesson.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join("".join(cell["source"]).split("```")[0::2])
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                assert (lesson.parent / target).exists(), (cell["id"], target)


def _counter_examples() -> list[tuple[str, str]]:
    """What the page for instructors lets a class run, and what it says that this shows."""
    page = (ROOT / "docs" / "teaching.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if re.match(r"\| \d\d\.\d", line)]
    return [("\n".join(re.findall(r"`(.+?)`", row[3])), row[4].strip(" |`")) for row in rows]


@pytest.mark.parametrize(("code", "shown"), _counter_examples())
def test_a_counter_example_shows_what_the_page_says(
    code: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with tf.Graph().as_default():
        exec(code, {"np": np, "tf": tf, "sess": tf.Session})
    assert shown in capsys.readouterr().out
