"""The process that translates the compiled tier: `python -m minitf.fast [FILE ...]`.

A folder is filled under another name and renamed once it is whole, so that nobody ever sees half of
one, and two processes that translate the same file do not disturb each other.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minitf.fast import loader, translations

_ABANDONED = 3600.0  # seconds after which nobody is at work on a folder any more


def main(arguments: list[str]) -> int:
    """Translates the named files of `compiled/`, or all of them."""
    if not loader.available():
        print("numba is not installed: the kernels run in NumPy and SciPy. (pip: minitf[fast])")
        return 0
    if arguments and hasattr(os, "nice"):  # somebody else is at work on this machine
        os.nice(15)
    os.umask(os.umask(0o077) | 0o022)  # what others may write is not run
    translations.translating = True
    for name in arguments or loader.names():
        if translations.find(name) is None:
            start = time.perf_counter()
            with making(name) as folder:
                loader.fetch(name, folder)
            took, where = time.perf_counter() - start, translations.find(name)
            print(f"{name}: translated in {took:.1f} s: {where}", flush=True)
    return 0


@contextmanager
def making(name: str) -> Iterator[Path]:
    """Lends an empty folder; what is in it at the end becomes the translation of `name`.

    Raises:
      OSError: when nothing can be written, not even in the system's temporary folder.
    """
    title = translations.title(name)
    place, side = _begin(title)
    try:
        yield side
        (side / translations.TALLY).write_text(translations.seal(side))
        try:
            side.rename(place / title)
        except OSError:
            if not translations.is_whole(place / title):  # or another process was quicker
                raise
        _clear(place, title)
    finally:
        shutil.rmtree(side, ignore_errors=True)


def _begin(title: str) -> tuple[Path, Path]:
    """Makes a folder to translate into; returns the place and the folder."""
    for place in translations.places():
        side = place / f"{title}.{os.getpid()}.{time.time_ns():x}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place / title) and not translations.is_whole(place / title):
                shutil.rmtree(place / title)  # harmed, or another user's, who may not let us
            side.mkdir()  # as the user's umask has it: others are to read it
        except OSError:
            continue
        return place, side
    raise OSError("No folder can be written to keep translated kernels in.")


def _clear(place: Path, title: str) -> None:
    """Removes what nobody will read again: begun and abandoned, or made from an older source."""
    name, machine, _ = title.split("-")
    for other in place.glob(f"{name}-{machine}-*"):
        begun = other.suffix != ""
        try:
            old = begun and time.time() - other.stat().st_mtime > _ABANDONED
        except OSError:
            continue
        # In a user's folder an older source may belong to another installation.
        if old or not begun and other.name != title and place.parent == translations.FOLDER:
            shutil.rmtree(other, ignore_errors=True)
