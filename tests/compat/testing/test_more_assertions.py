"""Assertions from Abseil: each holds, and each fails with what it says."""

import os
from typing import Any

import pytest

import minitf as tf


class Case(tf.test.TestCase):
    def runTest(self) -> None:
        """Nothing: the tests below call the assertions."""


HOLDS: list[tuple[str, tuple, tuple]] = [
    ("assertContainsInOrder", (["a", "b"], "xaxb"), (["b", "a"], "xaxb")),
    ("assertNotStartsWith", ("abc", "b"), ("abc", "a")),
    ("assertNotEndsWith", ("abc", "b"), ("abc", "c")),
    ("assertRegexMatch", ("abc", ["x", "b."]), ("abc", ["x", "^b"])),
    ("assertUrlEqual", ("http://a/b?x=1&y=2", "http://a/b?y=2&x=1"), ("http://a/b", "http://a/c")),
    ("assertJsonEqual", ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'), ("[1]", "[2]")),
    ("assertSequenceStartsWith", ([1, 2], (1, 2, 3)), ([2], (1, 2, 3))),
    ("assertContainsSubsequence", ([1, 2, 3], [1, 3]), ([1, 2, 3], [3, 1])),
    ("assertContainsExactSubsequence", ([1, 2, 3], [2, 3]), ([1, 2, 3], [1, 3])),
    ("assertTotallyOrdered", ([1, 1.0], [2]), ([2], [1])),
    ("assertSameStructure", ({"a": [1, 2]}, {"a": [1, 2]}), ({"a": [1, 2]}, {"a": [1, 3]})),
    ("assertMappingEqual", ({"a": 1}, {"a": 1}), ({"a": 1}, {"b": 1})),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 1.0 + 1e-9}), ({"a": 1.0}, {"a": 1.1})),
    ("assertIsSubclass", (bool, int), (int, bool)),
    ("assertNotIsSubclass", (int, bool), (bool, int)),
]


@pytest.mark.parametrize(("name", "right", "wrong"), HOLDS, ids=[each[0] for each in HOLDS])
def test_each_assertion(name: str, right: tuple, wrong: tuple) -> None:
    case: Any = Case()
    getattr(case, name)(*right)
    with pytest.raises(AssertionError):
        getattr(case, name)(*wrong)


def test_where_structures_differ() -> None:
    with pytest.raises(AssertionError, match=r"a\['x'\]\[1\] is 2 but b\['x'\]\[1\] is 3"):
        Case().assertSameStructure({"x": [1, 2]}, {"x": [1, 3]})


def test_files_are_gone_after_the_test() -> None:
    case = Case()
    folder = case.create_tempdir("inner")
    file = folder.create_file("a/b.txt", "text")
    other = case.create_tempfile("c.txt", b"bytes")
    assert (file.read_text(), other.read_text()) == ("text", "bytes")
    assert os.path.isdir(folder) and os.fspath(other).endswith("c.txt")
    case.doCleanups()
    assert not os.path.exists(folder) and not os.path.exists(other)
