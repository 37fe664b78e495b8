"""`make lab` hands out copies of the lessons, and never writes to what a student changed."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from scripts import lab

ROOT = Path(__file__).resolve().parent.parent
LESSON = "01-tensors.ipynb"
SHEET = "exercises/release/01-tensors/01-tensors.ipynb"


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    """A small repository: a lesson, its sheet, and the sheet's solutions."""
    folder = tmp_path / "notebooks"
    for name in (LESSON, SHEET, SHEET.replace("release", "source")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("first")
    return folder


@pytest.fixture
def mine(tmp_path: Path, notebooks: Path) -> Path:
    """A student's folder, into which that has been handed out."""
    folder = tmp_path / "my-lessons"
    assert lab.hand_out(folder, notebooks) == []
    return folder


def texts(folder: Path) -> dict[str, str]:
    found = folder.rglob("*.ipynb")
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def test_students_get_lessons_and_sheets_but_no_solutions(mine: Path) -> None:
    assert texts(mine) == {LESSON: "first", SHEET: "first"}
    left = {path.name for path in mine.rglob("*") if path.is_file()} - {".given.json"}
    assert left == {Path(LESSON).name, Path(SHEET).name}


def test_every_real_lesson_is_handed_out_and_its_links_hold(tmp_path: Path) -> None:
    lab.hand_out(tmp_path)
    there = texts(tmp_path)
    assert set(there) == set(lab.lessons())
    assert not [name for name, text in there.items() if "BEGIN SOLUTION" in text]
    for name, text in there.items():
        for link in re.findall(r"\]\(([^)#:]+\.ipynb)\)", text):
            assert ((tmp_path / name).parent / link).exists(), f"{name} -> {link}"


def test_a_second_time_nothing_changes(mine: Path, notebooks: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in mine.rglob("*.ipynb")}
    (mine / LESSON).write_text("my answer")
    del stamps[mine / LESSON]
    assert lab.hand_out(mine, notebooks) == []
    assert texts(mine) == {LESSON: "my answer", SHEET: "first"}
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


def test_an_untouched_lesson_is_brought_up_to_date(mine: Path, notebooks: Path) -> None:
    (notebooks / LESSON).write_text("second")
    assert lab.hand_out(mine, notebooks) == []
    assert texts(mine) == {LESSON: "second", SHEET: "first"}


def test_a_changed_lesson_stays_and_the_new_one_comes_beside_it(
    mine: Path, notebooks: Path
) -> None:
    (mine / SHEET).write_text("my answer")
    (notebooks / SHEET).write_text("second")
    beside = SHEET.replace(".ipynb", "-updated.ipynb")
    assert lab.hand_out(mine, notebooks) == [beside]
    assert texts(mine) == {LESSON: "first", SHEET: "my answer", beside: "second"}
    assert lab.hand_out(mine, notebooks) == []

    (notebooks / SHEET).write_text("third")  # nobody has touched the one beside
    assert lab.hand_out(mine, notebooks) == []
    assert texts(mine)[beside] == "third"

    (mine / beside).write_text("my second answer")
    (notebooks / SHEET).write_text("fourth")
    third = SHEET.replace(".ipynb", "-updated-2.ipynb")
    assert lab.hand_out(mine, notebooks) == [third]
    assert texts(mine) == {
        LESSON: "first",
        SHEET: "my answer",
        beside: "my second answer",
        third: "fourth",
    }


def notebook(source: str | list[str], outputs: tuple[dict, ...] = (), **metadata: str) -> str:
    cell = {"cell_type": "code", "source": source, "outputs": list(outputs), "metadata": {}}
    return json.dumps({"cells": [cell], "metadata": metadata})


@pytest.mark.parametrize(
    ("saved", "kept"),
    [
        (notebook(["a\n", "b"], language="python"), False),  # it was opened, and saved by itself
        (notebook("a\nb"), False),
        (notebook("a\nc"), True),
        (notebook("a\nb", ({"output_type": "stream", "text": "1"},)), True),
    ],
)
def test_opening_a_lesson_changes_nothing(
    saved: str, kept: bool, mine: Path, notebooks: Path
) -> None:
    (notebooks / LESSON).write_text(notebook("a\nb"))
    lab.hand_out(mine, notebooks)
    (mine / LESSON).write_text(saved)
    (notebooks / LESSON).write_text(notebook("a new version"))
    beside = LESSON.replace(".ipynb", "-updated.ipynb")
    assert lab.hand_out(mine, notebooks) == ([beside] if kept else [])
    assert texts(mine)[LESSON] == (saved if kept else notebook("a new version"))


def test_what_is_thrown_away(mine: Path, notebooks: Path) -> None:
    (mine / LESSON).unlink()
    lab.hand_out(mine, notebooks)
    assert texts(mine)[LESSON] == "first", "a lesson comes back"

    (mine / LESSON).write_text("my answer")
    (notebooks / LESSON).write_text("second")
    [beside] = lab.hand_out(mine, notebooks)
    (mine / beside).unlink()
    assert lab.hand_out(mine, notebooks) == []
    assert beside not in texts(mine), "an update that was not wanted does not"
    (notebooks / LESSON).write_text("third")
    assert lab.hand_out(mine, notebooks) == [beside], "the next one does"


def test_an_update_taken_in_place_of_the_old_copy_is_untouched(mine: Path, notebooks: Path) -> None:
    (mine / LESSON).write_text("my answer")
    (notebooks / LESSON).write_text("second")
    [beside] = lab.hand_out(mine, notebooks)
    (mine / beside).replace(mine / LESSON)
    (notebooks / LESSON).write_text("third")
    assert lab.hand_out(mine, notebooks) == []
    assert texts(mine) == {LESSON: "third", SHEET: "first"}


@pytest.mark.parametrize("record", [None, "", "{", "[]"])
def test_without_a_record_everything_else_counts_as_changed(
    record: str | None, mine: Path, notebooks: Path
) -> None:
    if record is None:
        (mine / lab.RECORD).unlink()
    else:
        (mine / lab.RECORD).write_text(record)
    (notebooks / LESSON).write_text("second")
    [beside] = lab.hand_out(mine, notebooks)
    assert texts(mine) == {LESSON: "first", beside: "second", SHEET: "first"}


def test_the_folder_is_ignored_by_git() -> None:
    make = (ROOT / "Makefile").read_text()
    [folder] = re.findall(r"^LESSONS \?= (\S+)$", make, re.MULTILINE)
    if (ROOT / ".git").exists():
        command = ["git", "check-ignore", f"{folder}/{LESSON}", f"{folder}/{lab.RECORD}"]
        ignored = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
        assert ignored.split() == command[2:]
