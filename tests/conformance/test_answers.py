"""What is kept of TensorFlow's answers, and what it is compared with."""

import platform
from pathlib import Path

import pytest

from tests.conformance.answers import Answers
from tests.conformance.case import Case


class Asked:
    """Stands for TensorFlow: it counts, and tells the places of this machine."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def ask(self, source: str, folder: str | None = None) -> dict:
        self.sources.append(source)
        shown = {"0": f"{folder}/a in {platform.node()}, running on {platform.node()}."}
        return {"id": len(self.sources), "shown": shown, "error": None}


def test_each_case_is_asked_once_and_dropped_with_its_program(tmp_path: Path) -> None:
    oracle = Asked()
    one, two = Case("a/one", "show(folder)\n"), Case("b/two", "show(2)\n")
    assert Answers(tmp_path).update([one, two], oracle) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json.gz", "b.json.gz"]
    before = (tmp_path / "a.json.gz").read_bytes()
    changed = Case("a/three", "show(folder, 3)\n")
    assert Answers(tmp_path).update([one, changed], oracle) == 1
    assert oracle.sources == [one.source, two.source, changed.source]
    assert [path.name for path in tmp_path.iterdir()] == ["a.json.gz"]
    assert (tmp_path / "a.json.gz").read_bytes() != before
    with pytest.raises(LookupError, match="run `make answers`"):
        Answers(tmp_path).ask(two.source)


def test_an_answer_names_the_places_of_the_machine_that_reads_it(tmp_path: Path) -> None:
    case = Case("a/one", "show(folder)\n")
    Answers(tmp_path).update([case], Asked())
    host = platform.node()
    told = Answers(tmp_path).ask(case.source, "/elsewhere")
    assert told == {"shown": {"0": f"/elsewhere/a in {host}, running on {host}."}, "error": None}
