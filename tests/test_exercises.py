"""The exercise sheets: nbgrader releases them without solutions, and grades them as it should.

`exercise_answers/hard_coded` holds answers that know what the visible checks show and nothing else:
every visible check must hold for them, and every hidden one fail. `exercise_answers/half_right`
holds the mistakes that students make, with the points that what remains is worth.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

EXERCISES = Path(__file__).resolve().parent.parent / "notebooks" / "exercises"
ANSWERS = Path(__file__).parent / "exercise_answers"
SHEETS = sorted(folder.name for folder in (EXERCISES / "source").iterdir())
# Every cell after this writes to stderr, as a warning would.
WARNS = """

import sys
get_ipython().events.register("pre_run_cell", lambda info: print("beware", file=sys.stderr))
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(find_spec("nbgrader") is None, reason="nbgrader is not installed"),
]


def nbgrader(course: Path, *arguments: str) -> None:
    """Runs one of nbgrader's commands in a course's folder, away from the user's own settings."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        capture_output=True,
        text=True,
        timeout=600,
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


def cells(path: Path) -> dict[str, dict]:
    """The cells of a notebook by their ids, in order."""
    return {cell["id"]: cell for cell in json.loads(path.read_text())["cells"]}


def sources(path: Path, wanted: str = "") -> dict[str, str]:
    """What stands in the cells of a notebook whose ids end so."""
    found = cells(path).items()
    return {name: "".join(cell["source"]) for name, cell in found if name.endswith(wanted)}


def prepared(sheet: str, kind: str) -> tuple[dict[str, str], int]:
    """Answers out of `exercise_answers` by the ids of their cells, and the points they earn."""
    text = (ANSWERS / kind / f"{sheet}.py").read_text()
    _, *parts = re.split(r"^# %% (\S+-answer)(?:: (\d))?$", text, flags=re.MULTILINE)
    names, points, codes = parts[0::3], parts[1::3], parts[2::3]
    answers = {name: code.strip() for name, code in zip(names, codes)}
    return answers, sum(int(each or 0) for each in points)


def submit(course: Path, sheet: str, student: str, answers: dict[str, str]) -> None:
    """Hands in what was released, with `answers` written into it."""
    notebook = json.loads((course / "release" / sheet / f"{sheet}.ipynb").read_text())
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            cell["source"] = answers[cell["id"]]
    folder = course / "submitted" / student / sheet
    folder.mkdir(parents=True)
    (folder / f"{sheet}.ipynb").write_text(json.dumps(notebook))


def said(course: Path, sheet: str, student: str) -> dict[str, tuple[list[str], bool]]:
    """By check, of a graded sheet: the ticks that it printed, and whether it failed."""
    found = {}
    for name, cell in cells(course / "autograded" / student / sheet / f"{sheet}.ipynb").items():
        if name.endswith("-test"):
            printed = "".join("".join(each.get("text", "")) for each in cell["outputs"])
            ticks = [line for line in printed.splitlines() if line.startswith("✓")]
            found[name] = ticks, any(each["output_type"] == "error" for each in cell["outputs"])
    return found


@pytest.fixture(scope="module", params=SHEETS)
def sheet(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def course(sheet: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one sheet, which has been released."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(EXERCISES / "nbgrader_config.py", folder)
    shutil.copytree(EXERCISES / "source" / sheet, folder / "source" / sheet)
    nbgrader(folder, "generate_assignment", sheet)
    return folder


@pytest.fixture(scope="module")
def graded(sheet: str, course: Path) -> Path:
    """The same course: four students have handed the sheet in, and it has been graded."""
    solutions = sources(EXERCISES / "source" / sheet / f"{sheet}.ipynb", "-answer")
    half, _ = prepared(sheet, "half_right")
    copied, _ = prepared(sheet, "hard_coded")
    assert set(half) == set(copied) == set(solutions)
    first = next(iter(solutions))
    submit(course, sheet, "diligent", {**solutions, first: solutions[first] + WARNS})
    submit(course, sheet, "hasty", half)
    submit(course, sheet, "copier", copied)
    submit(course, sheet, "lazy", {})
    nbgrader(course, "autograde", sheet)
    return course


def test_a_release_has_no_solutions_and_no_hidden_checks(sheet: str, course: Path) -> None:
    released = course / "release" / sheet / f"{sheet}.ipynb"
    text = released.read_text()
    assert "raise NotImplementedError()" in text
    for secret in ("SOLUTION", "HIDDEN", "✓ 1 point", "✓ 2 points"):
        assert secret not in text
    kept = EXERCISES / "release" / sheet / f"{sheet}.ipynb"
    again = f"nbgrader generate_assignment --force {sheet}, in {EXERCISES}, writes it anew"
    assert sources(kept) == sources(released), again


def test_every_check_ticks_and_has_a_hidden_part(sheet: str) -> None:
    path = EXERCISES / "source" / sheet / f"{sheet}.ipynb"
    checks, texts = cells(path), sources(path)
    by_task: Counter[str] = Counter()
    for name, code in sources(path, "-test").items():
        points = checks[name]["metadata"]["nbgrader"]["points"]
        worth = f"{points} point" + "s" * (points > 1)
        assert code.startswith(f"# {worth}: "), name
        shown, hidden = code.split("### BEGIN HIDDEN TESTS\n")
        assert re.fullmatch(r'print\(f?"✓ .*"\)', shown.splitlines()[-1]), name
        assert hidden.endswith(f'print("✓ {worth}")\n### END HIDDEN TESTS'), name
        by_task[name.partition("-")[0]] += points
    for task, points in by_task.items():
        assert f"({points} points)" in texts[task].splitlines()[0]


def test_a_sheet_is_graded_as_it_deserves(sheet: str, graded: Path) -> None:
    reached = scores(graded, sheet)
    most = reached["diligent"][1]
    _, half = prepared(sheet, "half_right")
    assert most >= 10
    assert reached == {
        "diligent": (most, most),
        "hasty": (half, most),
        "copier": (0, most),
        "lazy": (0, most),
    }


def test_ticks_tell_how_far_an_answer_held(sheet: str, graded: Path) -> None:
    for name, (ticks, failed) in said(graded, sheet, "diligent").items():
        assert (len(ticks), failed) == (2, False), name
    # What is shown holds for the copier: otherwise nothing would be known of the hidden part.
    for name, (ticks, failed) in said(graded, sheet, "copier").items():
        assert (len(ticks), failed) == (1, True), name


def test_the_feedback_tells_the_points(sheet: str, graded: Path) -> None:
    nbgrader(graded, "generate_feedback", sheet, "--student", "diligent")
    page = (graded / "feedback" / "diligent" / sheet / f"{sheet}.html").read_text()
    told = re.findall(r"^(?:<pre>)?✓ (\d) points?(?:</pre>)?$", page, re.MULTILINE)
    assert sum(map(int, told)) == scores(graded, sheet)["diligent"][1]
