"""Every lesson runs from top to bottom in a fresh kernel, and is stored without outputs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import whole_house

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100  # of fixed width that fit a cell of a window of 1280 pixels, the file list open
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
BY_NAME = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)


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
def test_diagrams_of_a_lesson_do_not_wrap(lesson: Path) -> None:
    for cell in json.loads(lesson.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            blocks = "".join(cell["source"]).split("```")[1::2]
            lines = [line for block in blocks for line in block.splitlines()]
            assert max(map(len, lines), default=0) <= COLUMNS, cell["id"]


@pytest.mark.slow
@whole_house
@BY_NAME
def test_a_lesson_runs(lesson: Path) -> None:
    command = [sys.executable, "scripts/run_notebooks.py", str(lesson)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
