"""Assertions that TensorFlow's tests have from Abseil: texts, orders, structures, files."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import tempfile
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse


class MadeFile:
    """A file or a folder that a test made.

    Args:
      path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self.full_path = str(path)
        self._path = path

    def __fspath__(self) -> str:
        return self.full_path

    def read_text(self) -> str:
        """What is in the file."""
        return self._path.read_text()

    def write_text(self, text: str) -> None:
        """Replaces what is in the file."""
        self._path.write_text(text)

    def create_file(self, file_path: str = "file", content: str | bytes = "") -> MadeFile:
        """Makes a file in the folder."""
        path = self._path / file_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return MadeFile(path)

    def mkdir(self, dir_path: str = "folder") -> MadeFile:
        """Makes a folder in the folder."""
        path = self._path / dir_path
        path.mkdir(parents=True)
        return MadeFile(path)


class MoreAssertions(unittest.TestCase):
    """The assertions, and files that are gone after a test."""

    # ---- texts -------------------------------------------------------------------------------

    def assertContainsInOrder(self, strings: Any, target: str, msg: Any = None) -> None:
        """The texts stand in the target one after the other."""
        if isinstance(strings, str):
            strings = (strings,)
        at, last = 0, None
        for text in strings:
            found = target.find(text, at)
            if found < 0:
                where = "" if last is None else f" after '{last}'"
                self.fail(self._formatMessage(msg, f"Did not find '{text}'{where} in '{target}'"))
            at, last = found + len(text), text

    def assertNotStartsWith(self, actual: str, unexpected_start: str, msg: Any = None) -> None:
        """A text begins otherwise."""
        if actual.startswith(unexpected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does start with {unexpected_start!r}"))

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: Any = None) -> None:
        """A text ends otherwise."""
        if actual.endswith(unexpected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does end with {unexpected_end!r}"))

    def assertRegexMatch(
        self, actual_str: str, regexes: Sequence[str], message: Any = None
    ) -> None:
        """One of the patterns is found in the text."""
        if isinstance(regexes, (str, bytes)):
            self.fail("regexes is string or bytes; use assertRegex instead.")
        if not any(re.search(pattern, actual_str, re.MULTILINE) for pattern in regexes):
            text = f"{actual_str!r} does not match any of {list(regexes)!r}"
            self.fail(self._formatMessage(message, text))

    def assertUrlEqual(self, a: str, b: str, msg: Any = None) -> None:
        """Two addresses are the same, whatever the order of their parameters."""
        one, other = urlparse(a), urlparse(b)
        for part in ("scheme", "netloc", "path", "fragment"):
            self.assertEqual(getattr(one, part), getattr(other, part), msg)
        self.assertEqual(sorted(one.params.split(";")), sorted(other.params.split(";")), msg)
        first, second = (parse_qs(each.query, keep_blank_values=True) for each in (one, other))
        self.assertEqual(first, second, msg)

    def assertJsonEqual(self, first: str, second: str, msg: Any = None) -> None:
        """Two texts are the same as JSON."""
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    # ---- sequences ---------------------------------------------------------------------------

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Any = None) -> None:
        """A sequence begins with another one."""
        begins = list(whole)[: len(prefix)]
        if begins != list(prefix):
            text = f"prefix: {prefix!r} not found at start of whole: {whole!r}."
            self.fail(self._formatMessage(msg, text))

    def assertContainsSubsequence(self, container: Any, subsequence: Any, msg: Any = None) -> None:
        """The elements stand in the container in this order, perhaps with others between."""
        rest = iter(container)
        for element in subsequence:
            if element not in rest:  # which takes from the iterator as far as it looks
                text = (
                    f"{list(subsequence)!r} not a subsequence of {list(container)!r}. "
                    f"First non-matching element: {element!r}"
                )
                self.fail(self._formatMessage(msg, text))

    def assertContainsExactSubsequence(
        self, container: Any, subsequence: Any, msg: Any = None
    ) -> None:
        """The elements stand in the container in this order, with nothing between."""
        whole, part = list(container), list(subsequence)
        starts = range(len(whole) - len(part) + 1)
        if not any(whole[at : at + len(part)] == part for at in starts):
            text = f"{part!r} not an exact subsequence of {whole!r}."
            self.fail(self._formatMessage(msg, text))

    def assertTotallyOrdered(self, *groups: Sequence[Any], **kwargs: Any) -> None:
        """The groups rise, and within a group all are equal, by each of the comparisons."""
        msg = kwargs.get("msg")
        flat = [(place, each) for place, group in enumerate(groups) for each in group]
        for place, one in flat:
            for other_place, other in flat:
                self.assertEqual(one == other, place == other_place, msg)
                self.assertEqual(one != other, place != other_place, msg)
                self.assertEqual(one < other, place < other_place, msg)
                self.assertEqual(one <= other, place <= other_place, msg)
                self.assertEqual(one > other, place > other_place, msg)
                self.assertEqual(one >= other, place >= other_place, msg)

    # ---- structures --------------------------------------------------------------------------

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: Any = None
    ) -> None:
        """Two nests of lists, dicts and values are equal; the message says where they are not."""
        problems: list[str] = []
        _differences(a, b, aname, bname, problems)
        if problems:
            shown = "; ".join(problems[:20])
            self.fail(self._formatMessage(msg, shown))

    def assertMappingEqual(
        self, a: Mapping, b: Mapping, msg: Any = None, mapping_type: type = Mapping
    ) -> None:
        """Two mappings, of a certain type, are equal."""
        for each in (a, b):
            self.assertIsInstance(each, mapping_type, msg)
        self.assertSameStructure(dict(a), dict(b), msg=msg)

    def assertDictAlmostEqual(
        self, a: Mapping, b: Mapping, places: int | None = None, msg: Any = None,
        delta: float | None = None,
    ) -> None:  # fmt: skip
        """Two mappings have the same keys, and values that are nearly equal."""
        self.assertEqual(sorted(map(repr, a)), sorted(map(repr, b)), msg)
        for key in a:
            close: Any = {"places": places, "msg": msg, "delta": delta}
            self.assertAlmostEqual(a[key], b[key], **close)

    def assertIsSubclass(self, cls: type, superclass: type, msg: Any = None) -> None:
        """A class stands under another one."""
        if not issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is not a subclass of {superclass!r}"))

    def assertNotIsSubclass(self, cls: type, superclass: type, msg: Any = None) -> None:
        """A class does not stand under another one."""
        if issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is a subclass of {superclass!r}"))

    # ---- files -------------------------------------------------------------------------------

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> MadeFile:
        """Makes a folder that is gone after the test.

        Args:
          name: its name; any by default.
          cleanup: accepted.
        """
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        if name:
            folder = folder / name
            folder.mkdir(parents=True)
        return MadeFile(folder)

    def create_tempfile(
        self, file_path: str | None = None, content: str | bytes | None = None, **kwargs: Any
    ) -> MadeFile:
        """Makes a file that is gone after the test.

        Args:
          file_path: its path in a folder of its own.
          content: what is in it.
          kwargs: accepted.
        """
        return self.create_tempdir().create_file(file_path or "file", content or "")

    def enter_context(self, manager: contextlib.AbstractContextManager[Any]) -> Any:
        """Enters a context that is left after the test."""
        result = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return result


def _differences(a: Any, b: Any, aname: str, bname: str, problems: list[str]) -> None:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in a:
            if key in b:
                _differences(a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]", problems)
            else:
                problems.append(
                    f"{aname} has [{key!r}] with value {a[key]!r} but it's missing in {bname}"
                )
        problems += [
            f"{aname} lacks [{key!r}] but {bname} has it with value {b[key]!r}"
            for key in b
            if key not in a
        ]
    elif all(isinstance(x, Sequence) and not isinstance(x, (str, bytes)) for x in (a, b)):
        for place in range(min(len(a), len(b))):
            _differences(a[place], b[place], f"{aname}[{place}]", f"{bname}[{place}]", problems)
        for place in range(len(b), len(a)):
            problems.append(f"{aname} has [{place}] with value {a[place]!r} but {bname} does not")
        for place in range(len(a), len(b)):
            problems.append(f"{aname} lacks [{place}] but {bname} has it with value {b[place]!r}")
    elif a != b:
        problems.append(f"{aname} is {a!r} but {bname} is {b!r}")


class StubOutForTesting:
    """Puts other things in the place of attributes, and takes them back.

    Example:
      >>> import math
      >>> stubs = tf.test.StubOutForTesting()
      >>> stubs.Set(math, "pi", 3)
      >>> math.pi
      3
      >>> stubs.UnsetAll()
      >>> round(math.pi, 2)
      3.14
    """

    def __init__(self) -> None:
        self._set: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces an attribute of an object, a class or a module."""
        old = getattr(parent, child_name)
        held = vars(parent).get(child_name) if hasattr(parent, "__dict__") else None
        if isinstance(held, (staticmethod, classmethod)):
            old = held
            new_child = staticmethod(new_child)
        self._set.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """As `Set`; it is replaced in the class that has it.

        Raises:
          AttributeError: when there is no such attribute.
        """
        classes = type.mro(obj) if isinstance(obj, type) else [obj, *type(obj).__mro__]
        for each in classes:
            if attr_name in vars(each):
                self._smart.append((each, attr_name, vars(each)[attr_name]))
                fixed = isinstance(vars(each)[attr_name], staticmethod)
                setattr(each, attr_name, staticmethod(new_attr) if fixed else new_attr)
                return
        raise AttributeError("Attribute not found.")

    def UnsetAll(self) -> None:
        """Takes back what `Set` did, the last first."""
        while self._set:
            setattr(*self._set.pop())

    def SmartUnsetAll(self) -> None:
        """Takes back what `SmartSet` did, the last first."""
        while self._smart:
            setattr(*self._smart.pop())

    def CleanUp(self) -> None:
        """Takes back everything."""
        self.SmartUnsetAll()
        self.UnsetAll()
