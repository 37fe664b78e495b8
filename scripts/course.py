"""An instructor's course: a folder outside the clone, its sheets, its grades; see docs/teaching.md.

    python scripts/course.py make FOLDER              makes it, or brings it up to date
    python scripts/course.py open FOLDER [ARGS]       JupyterLab with Formgrader, on it
    python scripts/course.py release FOLDER [SHEET..] zip files for students
    python scripts/course.py grade FOLDER [SHEET..]   collects, grades, feedback, grades.csv

    FOLDER/ source/SHEET/            with solutions and hidden checks: yours to change
            release/, handout/       what students get; handout/SHEET.zip is to be given away
            downloaded/SHEET/archive what they sent: notebooks, or the zip file of a Moodle
            submitted/, autograded/  nbgrader's; gradebook.db holds the points
            feedback/, handout/SHEET-feedback.zip
            roster.csv, grades.csv

nbgrader does the work; this calls it in the right order. Without a SHEET it does all of them.
"""

import argparse
import csv
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import lab
from nbgrader.api import Gradebook

EXERCISES = lab.NOTEBOOKS / "exercises"
PLACES = {EXERCISES: "exercises", lab.NOTEBOOKS / "builders": "builders"}
SHEETS = ("source/*/*.ipynb",)
ROSTER = "id,first_name,last_name,email\nann,Ann,Example,ann@example.org\n"


def make(folder: Path) -> None:
    """Makes a course's folder, or brings it up to date; what was changed there stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    if lab.ROOT in [folder, *folder.parents]:
        raise SystemExit(f"{folder} is in the clone, where git would see the students' work")
    for place in PLACES:
        for name in lab.hand_out(folder, place, SHEETS):
            print(f"You have changed this sheet, and there is a new version beside yours: {name}")
    for name, content in {
        "nbgrader_config.py": (EXERCISES / "nbgrader_config.py").read_text(),
        "roster.csv": ROSTER,
    }.items():
        if not (folder / name).exists():
            (folder / name).write_text(content)
    (folder / "exchange").mkdir(exist_ok=True)
    print(f"The course is in {folder}. Its students are those of roster.csv.")


def release(folder: Path, sheets: list[str]) -> None:
    """Makes what students get, and a zip file of it with the lesson that it links to."""
    for sheet in sheets or _sheets(folder):
        _nbgrader(folder, "generate_assignment", "--force", sheet)
        kind = next(
            (PLACES[each] for each in PLACES if (each / "source" / sheet).exists()), "exercises"
        )
        with _zip(folder / "handout" / f"{sheet}.zip") as packed:
            for path in sorted((folder / "release" / sheet).iterdir()):
                packed.write(path, f"minitf/{kind}/release/{sheet}/{path.name}")
            lesson = lab.NOTEBOOKS / f"{sheet}.ipynb"
            if lesson.exists():
                packed.write(lesson, f"minitf/{lesson.name}")
        print(f"handout/{sheet}.zip")


def grade(folder: Path, sheets: list[str], timeout: int) -> None:
    """Grades whatever was handed in; a cell that takes longer than `timeout` seconds has failed."""
    _nbgrader(folder, "db", "student", "import", "roster.csv")
    for sheet in sheets or _sheets(folder):
        if (folder / "downloaded" / sheet / "archive").is_dir():
            _nbgrader(folder, "zip_collect", "--force", sheet)
        if not list(folder.glob(f"submitted/*/{sheet}")):
            continue
        limit = f"--ExecutePreprocessor.timeout={timeout}"
        # One student's notebook that cannot be graded at all must not keep the others from it.
        _nbgrader(folder, "autograde", "--force", limit, sheet, check=False)
        for given in sorted(folder.glob(f"submitted/*/{sheet}")):  # a kernel may start too late
            student = given.parent.name
            if not list(folder.glob(f"autograded/{student}/{sheet}/*.ipynb")):
                again = ("--force", limit, "--student", student, sheet)
                _nbgrader(folder, "autograde", *again, check=False)
        _nbgrader(folder, "generate_feedback", "--force", sheet)
        with _zip(folder / "handout" / f"{sheet}-feedback.zip") as packed:
            for path in sorted(folder.glob(f"feedback/*/{sheet}/*.html")):
                packed.write(path, path.relative_to(folder / "feedback"))
    _write_grades(folder)


def _write_grades(folder: Path) -> None:
    """Writes grades.csv, a row a student and sheet, and shows it."""
    rows = [("student", "sheet", "score", "of", "to read", "too slow")]
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for each in sorted(
            (given for sheet in book.assignments for given in sheet.submissions),
            key=lambda given: (given.student.id, given.name),
        ):
            graded = folder / "autograded" / each.student.id / each.name / f"{each.name}.ipynb"
            slow = graded.read_text().count('"ename": "CellTimeoutError"') if graded.exists() else 0
            to_read = "yes" if each.needs_manual_grade else ""
            score = f"{each.score:g}" if graded.exists() else "not graded"
            rows.append(
                (each.student.id, each.name, score, f"{each.max_score:g}", to_read, slow or "")
            )
    draft = folder / ".grades.csv.part"
    with draft.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    draft.replace(folder / "grades.csv")
    for row in rows:
        print(f"{row[0]:<20} {row[1]:<32} {row[2]:>10} {row[3]:>4} {row[4]:>8} {row[5]:>9}")
    print("\nThis is grades.csv. `to read` waits for you in Formgrader: make formgrader")


def _zip(path: Path) -> zipfile.ZipFile:
    path.parent.mkdir(exist_ok=True)
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)


def _sheets(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "source").iterdir() if path.is_dir())


def _nbgrader(folder: Path, *arguments: str, check: bool = True) -> None:
    """Runs one of nbgrader's commands in the course; what it says is shown if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        if check:
            raise SystemExit(f"nbgrader {' '.join(arguments)} failed; what it said is above")


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description="A course: make, open, release, grade.")
    parser.add_argument("command", choices=["make", "open", "release", "grade"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--timeout", type=int, default=120, help="seconds for a cell")
    asked, rest = parser.parse_known_args()
    # nbgrader starts programs that stand beside this Python by their names alone.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    folder = asked.folder.expanduser().resolve()
    if asked.command != "make" and not (folder / "nbgrader_config.py").exists():
        raise SystemExit(f"{folder} is no course; `make course` makes one")
    if asked.command == "make":
        make(folder)
    elif asked.command == "release":
        release(folder, rest)
    elif asked.command == "grade":
        grade(folder, rest, asked.timeout)
    else:
        print(f"Serving the course in {folder} to this machine only. Ctrl-C stops it.")
        print("Formgrader is in the menu Nbgrader.")
        os.chdir(folder)  # where Formgrader looks for the course
        lab.open_lab(folder, "--LabApp.default_url=/lab", *rest, configs=())


if __name__ == "__main__":
    main()
