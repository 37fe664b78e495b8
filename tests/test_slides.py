"""What becomes of a lesson's cells on the slides."""

import nbformat.v4 as v4
import pytest

pytest.importorskip("nbconvert")

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from scripts import slides  # noqa: E402


def kinds(*cells) -> list[tuple[str, str]]:
    arranged = slides.arrange(v4.new_notebook(cells=list(cells))).cells
    return [(each.metadata["slideshow"]["slide_type"], each.source) for each in arranged]


def code(lines: int, output: bool = True):
    outputs = [v4.new_output("stream", text="1\n")] * output
    return v4.new_code_cell("\n".join(["x"] * lines), outputs=outputs)


def test_a_section_is_a_slide_and_its_prose_is_for_the_speaker() -> None:
    text = "## 1. Walk\n\nDown we go.\n\nA lot of words.\n\n$$f(x)$$"
    assert kinds(v4.new_markdown_cell(text)) == [
        ("slide", "## 1. Walk\n\nDown we go.\n\n$$f(x)$$"),
        ("notes", "A lot of words."),
    ]
    assert kinds(v4.new_markdown_cell("### On")) == [("subslide", "### On")]


def test_an_answer_comes_after_the_question() -> None:
    asked = v4.new_markdown_cell("Some words.\n\n**Predict.** How many?")
    assert [kind for kind, _ in kinds(asked, code(2), code(2))] == [
        "subslide",
        "notes",
        "fragment",
        "subslide",
    ]


def test_long_code_shows_only_what_it_prints() -> None:
    cell = code(30)
    assert [kind for kind, _ in kinds(cell)] == ["subslide"]
    assert cell.metadata.tags == ["outputs-only"]
    assert [kind for kind, _ in kinds(code(30, output=False))] == ["skip"]


def test_what_was_set_by_hand_stays() -> None:
    cell = code(30)
    cell.metadata["slideshow"] = {"slide_type": "slide"}
    assert kinds(cell) == [("slide", cell.source)]


def test_folded_solutions_are_notes() -> None:
    text = "## Task\n\n<details>\n<summary>Solution</summary>\n\nx = 1\n\n</details>"
    assert [kind for kind, _ in kinds(v4.new_markdown_cell(text))] == ["slide", "notes"]


def test_a_question_is_asked_without_its_answer() -> None:
    source = 'guess = Predict("How many?", ["one", "two"])\nguess'
    output = v4.new_output("display_data", {"text/html": "It is two"})
    asked = v4.new_code_cell(source, outputs=[output])
    assert kinds(asked, code(2)) == [
        ("subslide", "**Predict.** How many?\n\n- one\n- two"),
        ("fragment", "x\nx"),
    ]
