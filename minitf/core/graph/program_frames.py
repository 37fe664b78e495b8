"""Tells the lines of the user's program from those of what runs it.

    <frozen runpy>, ipykernel, asyncio, IPython      what starts the program
      a cell of a notebook, train.py, model.py       the program
        minitf, NumPy, the standard library          what the program calls

An operation remembers the lines that made it, and an error shows them. Between a notebook's kernel
and its cell lie some twenty lines that are nobody's business; a plain script has none.
"""

from __future__ import annotations

import functools
import os

PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep

# What calls a program, or a function of it, without being part of it.
_STARTERS = frozenset(
    "IPython asyncio concurrent dask distributed ipykernel ipykernel_launcher.py nbclient runpy.py "
    "threading.py tornado traitlets".split()
)


@functools.cache
def starts_programs(filename: str) -> bool:
    """Whether a file is one of those that lie between Python and the program's first line."""
    return filename.startswith("<frozen") or _installed_as(filename) in _STARTERS


@functools.cache
def is_of_program(filename: str) -> bool:
    """Whether a file is the user's own: neither minitf's, nor Python's, nor an installed package's.

    Args:
      filename: of a code object; that of a notebook's cell is a path that need not exist, that of
        a cell in a terminal begins with "<ipython-input".
    """
    if filename.startswith((PACKAGE, "<")):
        return filename.startswith("<ipython-input")
    return _installed_as(filename) is None


def _installed_as(filename: str) -> str | None:
    """The first name below site-packages or the standard library; None for files elsewhere."""
    for folder in ("site-packages", "dist-packages"):
        _, found, inside = filename.rpartition(f"{os.sep}{folder}{os.sep}")
        if found:
            return inside.partition(os.sep)[0]
    if filename.startswith(_STANDARD_LIBRARY):
        return filename.removeprefix(_STANDARD_LIBRARY).partition(os.sep)[0]
    return None
