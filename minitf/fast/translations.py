"""Where translations of the compiled tier lie, and which of them are whole.

    compiled/conv.py ──translated──> PLACE/conv-1f0c93ab-77e2d014/   object code, and `whole`
                                          machine ─┘        └─ source

A place is beside the code, which serves everybody who shares an installation, or a cache folder of
one user, where the code cannot be written. What a folder holds stands in its name, and no path is
part of it: an installation that is copied or moved takes its translations along. A folder is filled
under another name and renamed once it is whole, so that nobody ever sees half of one, and two
processes that translate the same file do not disturb each other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "compiled"
_TALLY = "whole"  # the file that says how many bytes the others have
_ABANDONED = 3600.0  # seconds after which nobody is at work on a folder any more

#: The folder with the machine code of each file that is being loaded or translated.
in_use: dict[str, Path] = {}

#: Whether this process is the translator: it sets this before it imports the first loop.
translating = False


def find(name: str) -> Path | None:
    """The folder with the translation of a file of `compiled/`, or None where it has none.

    A translation is for one source, helpers included, one numba, one Python and one processor.
    """
    title = _title(name)
    return next((p / title for p in _places() if _is_whole(p / title)), None)


@contextmanager
def making(name: str) -> Iterator[Path]:
    """Lends an empty folder; what is in it at the end becomes the translation of `name`.

    Raises:
      OSError: when nothing can be written, not even in the system's temporary folder.
    """
    title = _title(name)
    place, side = _begin(title)
    try:
        yield side
        (side / _TALLY).write_text(str(_bytes_in(side)))
        target = place / title
        if not _is_whole(target):
            shutil.rmtree(target, ignore_errors=True)  # somebody has taken files out of it
            try:
                side.rename(target)
            except OSError:
                if not _is_whole(target):  # or another process was quicker
                    raise
        _clear(place, title)
    finally:
        shutil.rmtree(side, ignore_errors=True)


def _title(name: str) -> str:
    """The name of the folder: the file, the machine that it is for, the source."""
    helpers = [*sorted(FOLDER.glob("_*.py")), FOLDER.parent / "machine_code.py"]
    source = [p.read_bytes() for p in (*helpers, FOLDER / f"{name}.py")]
    return f"{name}-{_digest(repr(_machine()).encode())}-{_digest(*source)}"


@functools.cache
def _machine() -> tuple[str, ...]:
    """What object code is made by and made for."""
    import llvmlite.binding as llvm

    return (
        *(importlib.metadata.version(package) for package in ("numba", "llvmlite")),
        sys.version,
        llvm.get_process_triple(),
        os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name(),
        os.environ.get("NUMBA_CPU_FEATURES") or llvm.get_host_cpu_features().flatten(),
    )


def _digest(*texts: bytes) -> str:
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def _places() -> Iterator[Path]:
    """The folders that may hold translations, in the order in which they are asked and filled."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen) / "minitf"
    yield FOLDER / "__pycache__"
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = os.path.expanduser("~")
    if os.path.isabs(cache):
        yield Path(cache) / "minitf" / "kernels"
    elif os.path.isabs(home) and os.path.isdir(home):
        yield Path(home) / ".cache" / "minitf" / "kernels"
    if (temporary := _temporary()) is not None:
        yield temporary


def _temporary() -> Path | None:
    """A folder for those who have no home; None when somebody else stands in its place.

    Everybody may write into the system's temporary folder, and what lies here is run as code.
    """
    if not hasattr(os, "getuid"):  # Windows gives each user a temporary folder
        return Path(tempfile.gettempdir()) / "minitf"
    folder = Path(tempfile.gettempdir()) / f"minitf-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if ours and not found.st_mode & 0o022 else None


def _begin(title: str) -> tuple[Path, Path]:
    """Makes a folder to translate into; returns the place and the folder."""
    for place in _places():
        side = place / f"{title}.{os.getpid()}.{time.time_ns():x}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            side.mkdir()  # as the user's umask has it: others are to read it
        except OSError:
            continue
        return place, side
    raise OSError("No folder can be written to keep translated kernels in.")


def _bytes_in(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.iterdir() if p.name != _TALLY)


def _is_whole(folder: Path) -> bool:
    """Whether all is there: sweepers of temporary folders take old files out of it one by one."""
    try:
        return int((folder / _TALLY).read_text()) == _bytes_in(folder)
    except (OSError, ValueError):
        return False


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
        if old or not begun and other.name != title and place.parent == FOLDER:
            shutil.rmtree(other, ignore_errors=True)
