"""The page about the journey shows what the passes make of its programs today."""

from scripts.show_passes import BEGIN, END, PAGE, PROGRAMS, page
from tests.compiled import whole_house


@whole_house
def test_the_page_shows_what_each_pass_does() -> None:
    text = PAGE.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert page(text) == text, "python scripts/show_passes.py writes it anew"
    for name in (name for program in PROGRAMS for name in program.passes):
        assert f"passes/{name}.py`" in text, f"{name} no longer changes its program"
