"""TensorFlow's answers to the cases, kept in files: the tests compare with these.

    make answers          asks TensorFlow what is not kept yet, and drops what no case asks any more
    MINITF_ORACLE=live    makes the tests ask TensorFlow itself; `make test-long` does

There is one file a family. It has each answer as JSON text by the hash of the case's program. What
differs from machine to machine stands in it as `<folder>` (of the case), `<host>` and `<root>`.
"""

import gzip
import hashlib
import json
import platform
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .case import Case
from .oracle import RUNNER, Oracle

FOLDER = Path(__file__).with_name("kept")


def key_of(source: str) -> str:
    """The hash by which the answer to a program is kept."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


class Answers:
    """What TensorFlow has answered; to be asked as an `Oracle` is.

    Raises:
      LookupError: when `ask` gets a program whose answer is not kept.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._families: dict[str, dict[str, str]] = {
            path.name.removesuffix(".json.gz"): json.loads(gzip.decompress(path.read_bytes()))
            for path in sorted(folder.glob("*.json.gz"))
        }
        self._kept = {key: text for each in self._families.values() for key, text in each.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def ask(self, source: str, folder: str | None = None) -> Mapping[str, Any]:
        """TensorFlow's answer to a program that may fill `folder`."""
        text = self._kept.get(key_of(source))
        if text is None:
            raise LookupError("TensorFlow's answer to this program is not kept: run `make answers`")
        for here, kept in _places(folder):
            text = text.replace(kept, here)
        told: Mapping[str, Any] = json.loads(text)
        return told

    def update(self, cases: Iterable[Case], oracle: Oracle) -> int:
        """Keeps the answers to just these cases.

        Returns: how many had to be asked.
        """
        wanted: dict[str, dict[str, str]] = {}
        asked = 0
        for case in cases:
            key = key_of(case.source)
            family = wanted.setdefault(case.name.partition("/")[0], {})
            if key not in self._kept:
                asked += 1
            family[key] = self._kept.get(key) or _answer(case.source, oracle)
        for family in self._families.keys() - wanted:
            (self._folder / f"{family}.json.gz").unlink()
        for family, kept in wanted.items():
            if kept != self._families.get(family):
                whole = gzip.compress(json.dumps(kept, indent=0).encode(), mtime=0)
                (self._folder / f"{family}.json.gz").write_bytes(whole)
        return asked


def _answer(source: str, oracle: Oracle) -> str:
    with tempfile.TemporaryDirectory() as room:
        folder = str(Path(room, "folder")) if "folder" in source else None
        told = oracle.ask(source, folder)
    text = json.dumps({key: value for key, value in told.items() if key != "id"})
    for here, kept in _places(folder):
        text = text.replace(here, kept)
    return text


def _places(folder: str | None) -> list[tuple[str, str]]:
    """What differs from machine to machine, and what stands for it."""
    places = [
        (f"running on {platform.node()}.", "running on <host>."),
        (str(RUNNER.parents[2]), "<root>"),
    ]
    return [*places, (folder, "<folder>")] if folder else places
