"""The exercise sheets and the builder's track: nbgrader releases and grades them as it should.

`exercise_answers/hard_coded` holds answers that know what the visible checks show and nothing else:
every visible check must hold for them (in the builder's track, few), and every hidden one fail.
`exercise_answers/half_right` holds the mistakes that students make, with the points that what
remains is worth.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cells import Cells

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "notebooks" / "exercises"
ANSWERS = Path(__file__).parent / "exercise_answers"
BUILDERS = ROOT / "notebooks" / "builders"
# Where a sheet is: those of the lessons, and the builder's track.
HOMES = {
    folder.name: home for home in (EXERCISES, BUILDERS) for folder in (home / "source").iterdir()
}
SHEETS = sorted(HOMES)
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


# nbgrader takes seconds to import, so one process does what its commands do, for all sheets.
GRADER = """
import json, os, sys, warnings

warnings.simplefilter("ignore")
from nbgrader.apps import NbGrader
from nbgrader.apps.api import NbGraderAPI

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the commands print must not mix with the answers
app = NbGrader()
app.load_config_file()
api = NbGraderAPI(config=app.config)
for line in sys.stdin:
    command, sheet, *rest = json.loads(line)
    if command == "scores":
        with api.gradebook as book:
            graded = book.assignment_submissions(sheet)
            answer = {each.student.id: [each.score, each.max_score] for each in graded}
    elif command == "to_read":
        with api.gradebook as book:
            graded = book.assignment_submissions(sheet)
            answer = {each.student.id: each.needs_manual_grade for each in graded}
    else:
        answer = getattr(api, command)(sheet, *rest)
    print(json.dumps(answer), file=answers, flush=True)
"""


class Course:
    """A folder in which sheets are released and graded, away from the user's own settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy(EXERCISES / "nbgrader_config.py", folder)
        self._log = (folder / "log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-c", GRADER],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
                "HOME": str(folder),
                "PYTHONPATH": f"{ROOT}:{ROOT / 'widgets'}",  # this tree, whatever is installed
                "JUPYTER_PREFER_ENV_PATH": "1",
            },
        )

    def close(self) -> None:
        self._process.communicate()
        self._log.close()

    def _ask(self, command: str, *arguments: str) -> dict:
        print(json.dumps([command, *arguments]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, (self.folder / "log").read_text()
        return json.loads(answer)

    def nbgrader(self, command: str, *arguments: str) -> None:
        """Does one of nbgrader's commands: on a sheet, and perhaps for one student alone."""
        done = self._ask(command, *arguments)
        assert done["success"], done

    def release(self, sheet: str) -> None:
        shutil.copytree(HOMES[sheet] / "source" / sheet, self.folder / "source" / sheet)
        self.nbgrader("generate_assignment", sheet)

    def submit(self, sheet: str, student: str, answers: dict[str, str]) -> None:
        """Hands in what was released, with `answers` written into it."""
        notebook = json.loads((self.folder / "release" / sheet / f"{sheet}.ipynb").read_text())
        for cell in notebook["cells"]:
            if cell["id"] in answers:
                cell["source"] = answers[cell["id"]]
        folder = self.folder / "submitted" / student / sheet
        folder.mkdir(parents=True)
        (folder / f"{sheet}.ipynb").write_text(json.dumps(notebook))

    def scores(self, sheet: str) -> dict[str, tuple[float, float]]:
        """By student: the points reached, and the most that could be."""
        return {student: tuple(both) for student, both in self._ask("scores", sheet).items()}

    def to_read(self, sheet: str) -> dict[str, bool]:
        """By student: whether a person has to read something."""
        return self._ask("to_read", sheet)


def source(sheet: str) -> Path:
    """A sheet with its solutions."""
    return HOMES[sheet] / "source" / sheet / f"{sheet}.ipynb"


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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    made = Course(tmp_path_factory.mktemp("course"))
    yield made
    made.close()


@pytest.fixture(scope="module", params=SHEETS)
def sheet(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def released(sheet: str, course: Course) -> Path:
    """A sheet as students get it."""
    course.release(sheet)
    return course.folder / "release" / sheet / f"{sheet}.ipynb"


@pytest.fixture(scope="module")
def in_process() -> Iterator[Cells]:
    running = Cells()
    yield running
    running.close()


def submissions(sheet: str) -> dict[str, dict[str, str]]:
    """By student: what stands in the cells of the sheet that the student has changed."""
    solutions = sources(source(sheet), "-answer")
    del solutions["words-answer"]
    half, _ = prepared(sheet, "half_right")
    copied, _ = prepared(sheet, "hard_coded")
    assert set(half) == set(copied) == set(solutions)
    first = next(iter(solutions))
    diligent = {**solutions, first: solutions[first] + WARNS, "words-answer": "I think so."}
    return {"diligent": diligent, "hasty": half, "copier": copied, "lazy": {}}


def points_deserved(sheet: str) -> dict[str, int]:
    """By student: the points that a machine gives."""
    checks = cells(source(sheet))
    most = sum(
        checks[name]["metadata"]["nbgrader"]["points"] for name in sources(source(sheet), "-test")
    )
    assert most >= 10
    return {"diligent": most, "hasty": prepared(sheet, "half_right")[1], "copier": 0, "lazy": 0}


@pytest.fixture(scope="module")
def said(sheet: str, in_process: Cells) -> dict[str, dict[str, dict]]:
    """By student and cell: the outputs of the sheet that the student handed in, hidden checks in.

    As in nbgrader, an answer that a student has not written is what the release has there.
    """
    path = source(sheet)
    kept = cells(HOMES[sheet] / "release" / sheet / f"{sheet}.ipynb")
    found = {}
    for student, answers in submissions(sheet).items():
        code = {}
        for name, cell in cells(path).items():
            if cell["cell_type"] == "code":
                unchanged = kept[name] if name.endswith("-answer") else cell
                code[name] = answers.get(name, "".join(unchanged["source"]))
        found[student] = dict(zip(code, in_process.run(path.parent, list(code.values()))))
    return found


def checks_said(outputs: dict[str, dict]) -> dict[str, tuple[list[str], str, float]]:
    """By check: what it printed, what it showed below, and its value."""
    found = {}
    for name, cell in outputs.items():
        if name.endswith("-test"):
            [shown] = [data for data in cell["shown"] if "text/html" in data]
            value = float(shown["text/plain"])
            found[name] = cell["printed"].splitlines(), shown["text/html"], value
    return found


def test_a_release_has_no_solutions_and_no_hidden_checks(sheet: str, released: Path) -> None:
    text = released.read_text()
    assert "raise NotImplementedError()" in text
    for secret in ("SOLUTION", "HIDDEN", "Model answer", "| points | for |"):
        assert secret not in text
    kept = HOMES[sheet] / "release" / sheet / f"{sheet}.ipynb"
    again = f"nbgrader generate_assignment --force {sheet}, in {HOMES[sheet]}, writes it anew"
    assert sources(kept) == sources(released), again


def test_every_check_ticks_and_has_a_hidden_part(sheet: str) -> None:
    path = source(sheet)
    checks, texts = cells(path), sources(path)
    by_task: Counter[str] = Counter()
    for name, code in sources(path, "-test").items():
        points = checks[name]["metadata"]["nbgrader"]["points"]
        task = name.partition("-")[0]
        number, of = re.match(r"## (\d+)\. .*\((\d+) points\)", texts[task]).groups()
        worth = f"{points} of {of} points: "
        assert code.startswith(f"%%check task {number}, {worth}"), name
        shown, hidden = code.split("### BEGIN HIDDEN TESTS\n")
        assert re.fullmatch(r'print\(f?"✓ .*"\)', shown.splitlines()[-1]), name
        assert hidden.endswith("### END HIDDEN TESTS"), name
        by_task[task] += points
    for task, points in by_task.items():
        assert f"({points} points)" in texts[task].splitlines()[0]


def test_checks_are_folded_and_answers_are_not(sheet: str) -> None:
    for path in (source(sheet), HOMES[sheet] / "release" / sheet / f"{sheet}.ipynb"):
        for name, cell in cells(path).items():
            checks = "".join(cell["source"]).startswith("%%check")
            folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            assert folded == checks, (path, name)


def test_every_task_has_three_hints_and_a_place_in_the_lesson(sheet: str) -> None:
    path = source(sheet)
    texts = sources(path)
    for task in {name.partition("-")[0] for name in sources(path, "-test")}:
        for number in (1, 2, 3):
            assert f"<summary>Hint {number}</summary>\n\n" in texts[task]
        [(title, link, place)] = re.findall(
            r"explains it in \[(.+)\]\((\S+)#(\S+)\)\.$", texts[task], re.MULTILINE
        )
        lesson = (path.parent / link).resolve()
        words = "\n".join(sources(lesson).values())
        assert re.search(rf"^##+ {re.escape(title)}$", words, re.MULTILINE), (lesson.name, title)
        assert place == title.replace(" ", "-")


def test_a_sheet_gets_the_points_that_it_deserves(sheet: str, said: dict) -> None:
    reached = {
        student: sum(value for _, _, value in checks_said(outputs).values())
        for student, outputs in said.items()
    }
    assert reached == points_deserved(sheet)


def test_a_check_tells_how_far_an_answer_held(sheet: str, said: dict) -> None:
    for name, (printed, shown, value) in checks_said(said["diligent"]).items():
        assert [line[:2] for line in printed if line[:1] in "✓✗"] == ["✓ "], (name, printed)
        assert f"</b> {value:.0f} of " in shown, name
    # What is shown holds for the copier: otherwise nothing would be known of the hidden part.
    for name, (printed, shown, value) in checks_said(said["copier"]).items():
        marks = [line[:2] for line in printed if line[:1] in "✓✗"]
        # The builder's steps stand on one another, so that not even what is shown may hold there.
        assert marks == ["✓ ", "✗ "] or HOMES[sheet] == BUILDERS and marks[-1:] == ["✗ "], name
        assert "</b> 0 of " in shown and value == 0, name


def test_a_failure_is_told_in_few_lines_and_a_gap_in_one(sheet: str, said: dict) -> None:
    for name, (printed, _, _) in checks_said(said["hasty"]).items():
        assert len(printed) <= 12, name
    for name, outputs in said["lazy"].items():
        assert outputs["error"] in ([], ["○ not answered yet"]), name


@pytest.mark.parametrize("sheet", ["02-graphs-and-sessions", "1-your-session"])
def test_nbgrader_gives_the_same_points(sheet: str, course: Course) -> None:
    if not (course.folder / "release" / sheet).exists():
        course.release(sheet)
    for student, answers in submissions(sheet).items():
        course.submit(sheet, student, answers)
        course.nbgrader("autograde", sheet, student)
    deserved = points_deserved(sheet)
    most = deserved["diligent"] + 2  # the last task is read by a person
    assert course.scores(sheet) == {name: (points, most) for name, points in deserved.items()}
    students = ("diligent", "hasty", "copier", "lazy")
    assert course.to_read(sheet) == {name: name == "diligent" for name in students}
    lazy = cells(course.folder / "autograded" / "lazy" / sheet / f"{sheet}.ipynb")
    for name, cell in lazy.items():
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error":
                assert cell["metadata"]["tags"] == ["raises-exception"], name
                assert output["traceback"] == ["○ not answered yet"]
    course.nbgrader("generate_feedback", sheet, "diligent")
    page = (course.folder / "feedback" / "diligent" / sheet / f"{sheet}.html").read_text()
    told = re.findall(r"<b>✓</b> (\d) of \d points</div>", page)
    assert sum(map(int, told)) == deserved["diligent"]
