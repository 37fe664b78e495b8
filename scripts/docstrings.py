"""Lists public functions and classes whose docstring lacks `Args:` or an example.

python scripts/docstrings.py names.tsv        # names in the first column, the most used first
python scripts/docstrings.py names.tsv 300    # the first 300 of them
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import minitf

USUAL = {"self", "name"}  # arguments that need no words


def lacking(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each name that can be called, and what its docstring lacks."""
    for name in names:
        try:
            thing = functools.reduce(getattr, name.split(".")[1:], minitf)
            arguments = set(inspect.signature(thing).parameters) - USUAL  # type: ignore[arg-type]
        except (AttributeError, TypeError, ValueError):
            continue
        doc = inspect.getdoc(thing) or ""
        told = {"Args": not arguments or "Args:" in doc, "Example": ">>>" in doc}
        yield name, [what for what, there in told.items() if not there]


def main(path: str, most: str = "300") -> None:
    """Prints what is lacking, and how much of it."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in lines if line.startswith("tf.")]
    rows = list(itertools.islice(lacking(names), int(most)))
    for name, lacks in rows:
        if lacks:
            print(f"{name}: {', '.join(lacks)}")
    for what in ("Args", "Example"):
        print(f"{sum(what in lacks for _, lacks in rows)} of {len(rows)} lack {what}")


if __name__ == "__main__":
    main(*sys.argv[1:])
