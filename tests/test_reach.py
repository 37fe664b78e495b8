"""The script that says what people's code reaches: its closure, and the list of exceptions."""

from pathlib import Path

import pytest

from scripts import reach

PACKAGE = """
from minitf.other import square

TABLE = {"square": square}


class Shape:
    def area(self):
        return square(self.side)

    def name(self):
        return "shape"


def used():
    return Shape().area()


def unused():
    return lonely()


def lonely():
    return 1


@square.gradient
def _square_grad(dy):
    return dy
"""
OTHER = """
@op("Square", "x: T -> y: T")
def square(x):
    return x * x


def call_by_type():
    return call("Square", 2)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> reach.Code:
    (tmp_path / "minitf").mkdir()
    (tmp_path / "minitf/package.py").write_text(PACKAGE)
    (tmp_path / "minitf/other.py").write_text(OTHER)
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    return reach.Code()


class _From:
    def __init__(self, *names: str) -> None:
        self.keys = {("minitf.package", name) for name in names}
        self.attributes: set[str] = set()
        self.modules: set[str] = set()


def _names(found: reach.Closure) -> set[str]:
    return {name for _, name in found.reached}


def test_what_a_function_names_is_reached(code: reach.Code) -> None:
    found = _names(reach.Closure(code, _From("used")))
    assert {"used", "Shape", "Shape.area", "square", "_square_grad"} <= found
    assert found.isdisjoint({"unused", "lonely", "Shape.name", "call_by_type"})


def test_lines_that_are_not_reached_are_counted(code: reach.Code) -> None:
    found = reach.Closure(code, _From("used"))
    module = code.modules["minitf.package"]
    left = sorted(each.name for each in reach.unreached(code, found) if each.module == module.name)
    assert left == ["Shape.name", "TABLE", "lonely", "unused"]
    assert len(module.code) - len(found.lines(module)) == 7
