"""The exercise sheets: nbgrader releases them without solutions, and grades them as it should."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXERCISES = Path(__file__).resolve().parent.parent / "notebooks" / "exercises"
SHEETS = sorted(folder.name for folder in (EXERCISES / "source").iterdir())

pytestmark = pytest.mark.slow
pytest.importorskip("nbgrader", reason="the sheets are graded by nbgrader")


def nbgrader(course: Path, *arguments: str) -> None:
    """Runs one of nbgrader's commands in a course's folder, away from the user's own settings."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        capture_output=True,
        text=True,
        timeout=240,
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(course),
            "JUPYTER_PREFER_ENV_PATH": "1",
        },
    )
    assert done.returncode == 0, done.stderr


def scores(course: Path, sheet: str) -> dict[str, tuple[float, float]]:
    """By student: the points reached, and the most that could be."""
    database = course / "gradebook.db"
    code = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from nbgrader.api import Gradebook\n"
        "with Gradebook(f'sqlite:///{sys.argv[1]}') as book:\n"
        "    for each in book.assignment_submissions(sys.argv[2]):\n"
        "        print(each.student.id, each.score, each.max_score)\n"
    )
    command = [sys.executable, "-c", code, str(database), sheet]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in printed.splitlines()]
    return {student: (float(score), float(most)) for student, score, most in rows}


def cells(text: str) -> list[tuple[str, str]]:
    """The cells of a notebook, each by its id and its source."""
    return [(cell["id"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_is_released_without_solutions_and_graded(sheet: str, tmp_path: Path) -> None:
    shutil.copy(EXERCISES / "nbgrader_config.py", tmp_path)
    shutil.copytree(EXERCISES / "source" / sheet, tmp_path / "source" / sheet)
    nbgrader(tmp_path, "generate_assignment", sheet)
    released = tmp_path / "release" / sheet
    text = (released / f"{sheet}.ipynb").read_text()
    assert "SOLUTION" not in text
    assert "raise NotImplementedError()" in text
    kept = (EXERCISES / "release" / sheet / f"{sheet}.ipynb").read_text()
    again = f"nbgrader generate_assignment --force {sheet}, in {EXERCISES}, writes it anew"
    assert cells(kept) == cells(text), again

    shutil.copytree(released, tmp_path / "submitted" / "lazy" / sheet)
    shutil.copytree(tmp_path / "source" / sheet, tmp_path / "submitted" / "diligent" / sheet)
    nbgrader(tmp_path, "autograde", sheet)
    graded = scores(tmp_path, sheet)
    most = graded["diligent"][1]
    assert most >= 9
    assert graded == {"diligent": (most, most), "lazy": (0.0, most)}
