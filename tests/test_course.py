"""An instructor's round, as docs/teaching.md tells it: make, release, three submissions, grades."""

import csv
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_exercises import EXERCISES, ROOT, prepared, sources

SHEET = "02-graphs-and-sessions"

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(find_spec("nbgrader") is None, reason="nbgrader is not installed"),
]


def course(command: str, folder: Path, *arguments: str) -> str:
    """Runs scripts/course.py; returns what it printed."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "course.py"), command, str(folder), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(folder.parent), "PYTHONPATH": f"{ROOT}:{ROOT / 'widgets'}"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_round_of_three_students(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    course("make", folder)
    # As Excel writes it in half of Europe.
    roster = "\ufeffid;first_name;last_name;email\nann;Ann;A;a@b.c\nben;Ben;B;\nzoe;Zoe;Z;\n"
    (folder / "roster.csv").write_text(roster, encoding="utf-8")
    course("release", folder, SHEET)
    with zipfile.ZipFile(folder / "handout" / f"{SHEET}.zip") as given:
        path = f"minitf/exercises/release/{SHEET}/{SHEET}.ipynb"
        assert set(given.namelist()) == {f"minitf/{SHEET}.ipynb", path}
        sheet = given.read(path).decode()
    assert "SOLUTION" not in sheet and "Model answer" not in sheet

    right = sources(EXERCISES / "source" / SHEET / f"{SHEET}.ipynb", "-answer")
    right["words-answer"] = "The graph grows; build once, run often."
    half, points = prepared(SHEET, "half_right")
    endless = {**right, "build-answer": "def polynomial(x, coefficients):\n    while True: pass"}
    inbox = folder / "downloaded" / SHEET / "archive"
    inbox.mkdir(parents=True)
    # One through Moodle, one by mail, one that was put in nbgrader's place.
    with zipfile.ZipFile(inbox / "all.zip", "w") as moodle:
        inside = f"ann_4711_assignsubmission_file_/{SHEET}.ipynb"
        moodle.writestr(inside, answered(sheet, right))
    (inbox / f"ben_{SHEET} (1).ipynb").write_text(answered(sheet, half))
    (inbox / "dan_homework.ipynb").write_text(answered(sheet, right))
    (inbox / f"eve_{SHEET}.ipynb").write_text(answered(sheet, right)[:2000])
    place = folder / "submitted" / "cid" / SHEET
    place.mkdir(parents=True)
    (place / f"{SHEET}.ipynb").write_text(answered(sheet, endless))

    told = course("grade", folder, "--timeout", "20", SHEET)
    table = (folder / "grades.csv").read_text().splitlines()
    rows = {row["student"]: row for row in csv.DictReader(table)}
    assert {name: row["score"] for name, row in rows.items()} == {
        "ann": "10",
        "ben": f"{points:g}",
        "cid": "8",  # what does not run for ever is right
        "dan": "10",  # the only notebook of hers is the sheet, whatever its name
        "eve": "not graded",
        "zoe": "not handed in",
    }
    assert {name for name, row in rows.items() if row["to read"]} == {"ann", "cid", "dan"}
    assert [name for name, row in rows.items() if row["too slow"]] == ["cid"]
    assert {row["of"] for row in rows.values()} == {"12"}
    assert all(re.search(rf"^{name} ", told, re.MULTILINE) for name in rows)
    with zipfile.ZipFile(folder / "handout" / f"{SHEET}-feedback.zip") as packed:
        pages = packed.namelist()
    folders = ("ann_4711_assignsubmission_file_", "ben", "cid", "dan")
    assert sorted(pages) == [f"{name}/{SHEET}.html" for name in folders]
    assert "eve: not graded: " in told and "not a notebook, or only a part of one" in told
    assert "Not in roster.csv (misspelt?): cid, dan, eve\n" in told
    with (folder / "points" / f"{SHEET}.csv").open() as file:
        assert [row["points"] for row in csv.DictReader(file)] == ["10", f"{points:g}", "8", "10"]
    with zipfile.ZipFile(folder / "handout" / f"{SHEET}-feedback.zip") as packed:
        page = packed.read(f"cid/{SHEET}.html").decode()
    assert "stopped while it was still running" in page and "run_cell_magic" not in page

    again = course("grade", folder, "--timeout", "20", SHEET)
    assert f"{SHEET}: 1 to grade" in again and "  ann\n" not in again  # eve alone, who failed


def test_what_an_instructor_changed_stays(tmp_path: Path) -> None:
    course("make", tmp_path / "course")
    sheet = tmp_path / "course" / "source" / SHEET / f"{SHEET}.ipynb"
    mine = sheet.read_text().replace("A bank account", "A piggy bank")
    sheet.write_text(mine)
    course("make", tmp_path / "course")
    assert sheet.read_text() == mine
    assert "fail" not in course("release", tmp_path / "course", SHEET)
    sheet.write_text(mine.replace('== 50, \\"the balance', '== 51, \\"the balance'))
    told = course("release", tmp_path / "course", SHEET)
    assert "your own solutions fail the check counter-test:\n✗ the balance should be what" in told


def answered(sheet: str, answers: dict[str, str]) -> str:
    """A sheet with these answers in it."""
    notebook = json.loads(sheet)
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return json.dumps(notebook)
