"""The Python process: which code belongs to the program, garbage collection, and forks.

    <frozen runpy>, ipykernel, asyncio, IPython      what starts the program
      a cell of a notebook, train.py, model.py       the program
        minitf, NumPy, the standard library          what the program calls

An operation keeps the lines that made it, and an error shows them. The lines between the kernel of
a notebook and its cell, about twenty, are left out.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep

# What calls a program, or a function of it, without being part of it.
_STARTERS = frozenset(
    "IPython asyncio concurrent dask distributed ipykernel ipykernel_launcher.py nbclient runpy.py "
    "threading.py tornado traitlets".split()
)


@functools.cache
def starts_programs(filename: str) -> bool:
    """Whether a file runs before the program's first line."""
    return filename.startswith("<frozen") or _installed_as(filename) in _STARTERS


@functools.cache
def is_of_program(filename: str) -> bool:
    """Whether a file is the user's: not minitf's, Python's or an installed package's.

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


# ---- garbage -----------------------------------------------------------------------------
#
# Python's collector walks over all that lives while many objects are made.

_frozen_by_others = False  # remembered, since Python counts what is frozen one by one


@contextmanager
def no_collections(for_good: bool = False) -> Iterator[None]:
    """A context without garbage collection.

    A plan or an import makes ten thousands of small objects and hardly any garbage. The collector
    would walk over all objects several times: a third of the time of a plan, a sixth of an import.

    Args:
      for_good: whether the new objects stay, as modules do. They are then moved to the oldest
        generation.
    """
    global _frozen_by_others
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good and not _frozen_by_others:
            _frozen_by_others = gc.get_freeze_count() > 0
            if not _frozen_by_others:
                gc.freeze()  # all that lives goes to one side,
                gc.unfreeze()  # and from there to the oldest generation
        if was_on:
            gc.enable()


# ---- forks -------------------------------------------------------------------------------


def in_child(work: Callable[[], None]) -> Callable[[], None]:
    """Lets each forked child call `work` first, where processes can fork; a decorator."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=work)
    return work
