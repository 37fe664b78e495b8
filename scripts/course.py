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
            roster.csv, grades.csv, points/SHEET.csv
            nbgrader.log             what nbgrader said, where something failed

nbgrader does the work; this calls it in the right order. Without a SHEET it does all of them.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import jupyter_sooner
import lab
import nbformat
from nbclient import NotebookClient
from nbgrader.api import Gradebook

EXERCISES = lab.NOTEBOOKS / "exercises"
PLACES = {EXERCISES: "exercises", lab.NOTEBOOKS / "builders": "builders"}
SHEETS = ("source/*/*.ipynb",)
COLUMNS = ("id", "first_name", "last_name", "email")
ROSTER = f"{','.join(COLUMNS)}\nann,Ann,Example,ann@example.org\n"
LOG = "nbgrader.log"


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
        place, kind = next(
            (each for each in PLACES.items() if (each[0] / "source" / sheet).exists()),
            (EXERCISES, "exercises"),
        )
        _try_out(folder, sheet, place)
        _nbgrader(folder, "generate_assignment", "--force", sheet)
        with _zip(folder / "handout" / f"{sheet}.zip") as packed:
            for path in sorted((folder / "release" / sheet).iterdir()):
                packed.write(path, f"minitf/{kind}/release/{sheet}/{path.name}")
            lesson = lab.NOTEBOOKS / f"{sheet}.ipynb"
            if lesson.exists():
                packed.write(lesson, f"minitf/{lesson.name}")
        print(f"handout/{sheet}.zip")


def _try_out(folder: Path, sheet: str, place: Path) -> None:
    """Runs a sheet that was changed, and tells which checks its own solutions fail."""
    path = folder / "source" / sheet / f"{sheet}.ipynb"
    theirs = place / "source" / sheet / path.name
    if not path.exists() or (theirs.exists() and theirs.read_bytes() == path.read_bytes()):
        return
    book = nbformat.read(path, as_version=4)
    NotebookClient(
        book,
        timeout=120,
        allow_errors=True,
        extra_arguments=["--IPKernelApp.log_level=40"],
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell in book.cells:
        about = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" or not about.get("points"):
            continue
        reached = [each.data.get("text/plain") for each in cell.outputs if "data" in each]
        if f"{float(about['points'])}" not in reached:
            said = "".join(each.get("text", "") or each.get("evalue", "") for each in cell.outputs)
            print(
                f"{sheet}: your own solutions fail the check {about['grade_id']}:\n{said}".rstrip()
            )


def grade(folder: Path, sheets: list[str], timeout: int) -> None:
    """Grades whatever is new since the last time; a cell over `timeout` seconds has failed."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for student, row in _roster(folder).items():
            about = {name: (row.get(name) or "").strip() for name in COLUMNS[1:]}
            book.update_or_create_student(student, **about)
    (folder / LOG).unlink(missing_ok=True)
    for sheet in sheets or _sheets(folder):
        if (folder / "downloaded" / sheet / "archive").is_dir():
            _nbgrader(folder, "zip_collect", "--force", sheet)
        given = sorted(folder.glob(f"submitted/*/{sheet}"))
        if not given:
            continue
        marks = {each: _mark(folder, each, timeout) for each in given}
        for each, mark in marks.items():
            if (graded := _graded(folder, each)).is_dir() and not (graded / mark).exists():
                shutil.rmtree(graded)
        for _ in range(2):  # a kernel may start too late
            if left := [each for each in given if not _graded(folder, each).is_dir()]:
                print(f"{sheet}: {len(left)} to grade")
                # One notebook that cannot be graded at all must not keep the others from it.
                limit = f"--ExecutePreprocessor.timeout={timeout}"
                _nbgrader(folder, "autograde", limit, sheet, check=False)
        for each, mark in marks.items():
            if (graded := _graded(folder, each)).is_dir():
                (graded / mark).touch()
            else:
                print(f"{each.parent.name}: not graded: {_unfit(each)}")
        _nbgrader(folder, "generate_feedback", "--force", sheet)
        folders = _moodle_folders(folder, sheet)
        with _zip(folder / "handout" / f"{sheet}-feedback.zip") as packed:
            for path in sorted(folder.glob(f"feedback/*/{sheet}/*.html")):
                student = path.relative_to(folder / "feedback").parts[0]
                packed.write(path, f"{folders.get(student, student)}/{path.name}")
    _write_grades(folder)


def _graded(folder: Path, given: Path) -> Path:
    """Where nbgrader puts what it makes of a submission."""
    return folder / "autograded" / given.parent.name / given.name


def _mark(folder: Path, given: Path, timeout: int) -> str:
    """The name of an empty file in a graded folder, which tells what was graded, and how."""
    sheet = f"{given.name}.ipynb"
    own = sorted(given.glob("*.ipynb"))
    if len(own) == 1 and own[0].name != sheet:
        own = [own[0].rename(given / sheet)]  # "homework.ipynb": it can be nothing else
    digest = hashlib.sha256()
    for path in (folder / "source" / given.name / sheet, *own):
        digest.update(path.read_bytes())
    return f".graded-{digest.hexdigest()[:16]}-{timeout}"


def _unfit(given: Path) -> str:
    """Why a submission was not graded."""
    path = given / f"{given.name}.ipynb"
    if not path.exists():
        names = ", ".join(sorted(each.name for each in given.iterdir())) or "nothing"
        return f"no {path.name} was handed in, but {names}"
    try:
        json.loads(path.read_text())["cells"]
    except (ValueError, KeyError, TypeError):
        return f"{path.name} is not a notebook, or only a part of one"
    return f"{LOG} says why"


def _moodle_folders(folder: Path, sheet: str) -> dict[str, str]:
    """The folder of each student in a Moodle's zip file, which takes feedback in the same ones."""
    found = {}
    for path in (folder / "downloaded" / sheet / "archive").glob("*.zip"):
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                if match := re.match(r"([^/]+?)_\d+_assignsubmission_file_(?=/)", name):
                    found[match[1]] = match[0]
    return found


def _roster(folder: Path) -> dict[str, dict[str, str]]:
    """The lines of roster.csv by id; some programs write semicolons in place of commas."""
    text = (folder / "roster.csv").read_text(encoding="utf-8-sig")
    header = text.partition("\n")[0]
    rows = list(csv.DictReader(text.splitlines(), delimiter=";" if ";" in header else ","))
    if rows and "id" not in rows[0]:
        raise SystemExit(f"roster.csv needs a column `id` in its first line, which is: {header}")
    return {row["id"].strip(): row for row in rows if (row["id"] or "").strip()}


def _write_grades(folder: Path) -> None:
    """Writes grades.csv, a row a student and sheet, and points/SHEET.csv; shows the first."""
    roster = _roster(folder)
    rows = [("student", "sheet", "score", "of", "to read", "too slow")]
    (folder / "points").mkdir(exist_ok=True)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        strangers = {each.id for each in book.students} - set(roster)
        for sheet in sorted(each.name for each in book.assignments if each.submissions):
            given = {each.student.id: each for each in book.assignment_submissions(sheet)}
            graded = {}
            for student in sorted({*given, *roster}):
                place = folder / "autograded" / student / sheet / f"{sheet}.ipynb"
                each, out_of = given.get(student), f"{book.find_assignment(sheet).max_score:g}"
                if each is None or not place.exists():
                    told = "not graded" if each else "not handed in"
                    rows.append((student, sheet, told, out_of, "", ""))
                    continue
                slow = place.read_text().count('"ename": "CellTimeoutError"')
                to_read = "yes" if each.needs_manual_grade else ""
                graded[student] = f"{each.score:g}"
                rows.append((student, sheet, graded[student], out_of, to_read, f"{slow or ''}"))
            people = [{"id": each, **roster.get(each, {})} for each in graded]
            _write_csv(
                folder / "points" / f"{sheet}.csv",
                [(*COLUMNS, "points")]
                + [(*(each.get(name) for name in COLUMNS), graded[each["id"]]) for each in people],
            )
    _write_csv(folder / "grades.csv", rows)
    for row in rows:
        print(f"{row[0]:<20} {row[1]:<32} {row[2]:>13} {row[3]:>4} {row[4]:>8} {row[5]:>9}")
    print("\nThis is grades.csv. `to read` waits for you in Formgrader: make formgrader")
    if strangers:
        print(f"Not in roster.csv (misspelt?): {', '.join(sorted(strangers))}")


def _write_csv(path: Path, rows: list[tuple]) -> None:
    """Writes a table whole or not at all."""
    draft = path.with_name(f".{path.name}.part")
    with draft.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    draft.replace(path)


def _zip(path: Path) -> zipfile.ZipFile:
    path.parent.mkdir(exist_ok=True)
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)


def _sheets(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "source").iterdir() if path.is_dir())


def _nbgrader(folder: Path, *arguments: str, check: bool = True) -> None:
    """Runs one of nbgrader's commands in the course; what it says is kept if it fails."""
    command = [sys.executable, jupyter_sooner.__file__, *arguments]
    said = []
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        for line in running.stdout:
            said.append(line)
            if match := re.search(r"Autograding .*/autograded/(.+)/", line):
                print(f"  {match[1].partition('/')[0]}", flush=True)
    if running.returncode:
        with (folder / LOG).open("a") as log:
            log.writelines(said)
        if check:
            print("".join(said), file=sys.stderr)
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
