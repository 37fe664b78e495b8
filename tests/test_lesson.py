"""Every lesson runs from top to bottom in a fresh kernel, and is stored without outputs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
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


@pytest.mark.slow
@BY_NAME
def test_a_lesson_runs(lesson: Path) -> None:
    command = [sys.executable, "scripts/run_notebooks.py", str(lesson)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
