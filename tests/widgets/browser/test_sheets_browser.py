"""A student's sheet and an instructor's Formgrader in a real browser."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.test_exercises import EXERCISES, prepared
from tests.widgets.browser.conftest import ROOT, serving, surroundings

SHEET = "01-tensors-and-ranks"


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_points_gaps_and_pictures_can_be_seen(open_notebook, theme: str) -> None:
    book = open_notebook(EXERCISES / "release" / SHEET / f"{SHEET}.ipynb", theme=theme, run=False)
    answers, _ = prepared(SHEET, "half_right")
    del answers["vote-answer"]
    book.page.evaluate(
        """(answers) => {
          for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells)
            if (answers[cell.id]) cell.sharedModel.setSource(answers[cell.id]);
        }""",
        answers,
    )
    book.run_all()
    outputs = book.page.evaluate(
        """() => Array.from(window.jupyterapp.shell.currentWidget.content.model.cells)
          .flatMap((cell) => cell.toJSON().outputs ?? [])
          .map((each) => each.text ?? each.data['text/html'] ?? '').flat().join('\\n')"""
    )
    assert "<b>✓</b> 1 of 2 points, if it also passes" in outputs
    assert "✗ there is a nan: you divide by 0" in outputs
    assert "<b>○</b> not answered yet; this check gives 2 of 3 points" in outputs
    assert "total: " in outputs and "<img" in outputs
    assert book.faults_of_access(".jp-RenderedHTML") == []
    if folder := os.environ.get("MINITF_SCREENSHOTS"):
        for number, cell in enumerate(("pairs-rank-test", "tiles-test", "points")):
            book.page.evaluate(
                """(id) => {
              const panel = window.jupyterapp.shell.currentWidget.content;
              const at = panel.widgets.findIndex((each) => each.model.id === id);
              panel.activeCellIndex = at; panel.scrollToItem(at, 'end'); }""",
                cell,
            )
            book.page.wait_for_timeout(500)
            book.page.screenshot(path=f"{folder}/sheet-{theme}-{number}.png")


@pytest.mark.slow
def test_formgrader_shows_the_course(browser_context, tmp_path: pathlib.Path) -> None:
    program = str(ROOT / "scripts" / "course.py")
    course, environment = tmp_path / "course", surroundings(tmp_path)
    for command in (("make", str(course)), ("release", str(course), SHEET)):
        subprocess.run([sys.executable, program, *command], env=environment, check=True)
    with serving(tmp_path, environment, program, "open", str(course)) as address:
        page = browser_context.new_page()
        try:
            page.goto(f"{address}/formgrader/manage_assignments?token=test")
            page.wait_for_selector(f"text={SHEET}")
            text = page.inner_text("body")
            if folder := os.environ.get("MINITF_SCREENSHOTS"):
                page.screenshot(path=f"{folder}/formgrader.png")
            page.goto(f"{address}/lab?token=test")
            page.wait_for_selector(".lm-MenuBar >> text=Nbgrader")
        finally:
            page.close()
    assert "nbgrader_config.py" not in text  # the warning that there is no course here
    for name in sorted(path.name for path in (course / "source").iterdir()):
        assert name in text
