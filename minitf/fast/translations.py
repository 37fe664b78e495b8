"""Where translations of the compiled tier lie, and which of them are whole.

    compiled/conv.py ──translated──> PLACE/conv-1f0c93ab-77e2d014/   object code, and `whole`
                                          machine ─┘        └─ source

A place is beside the code, which serves everybody who shares an installation, or a cache folder of
one user, where the code cannot be written. What a folder holds stands in its name, and no path is
part of it: an installation that is copied or moved takes its translations along. loader.py fills
it. Every program with large arrays looks here, so what is slow to import stays out.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "compiled"
TALLY = "whole"  # the file with a hash of the others

#: The folder with the machine code of each file that is being loaded or translated.
in_use: dict[str, Path] = {}

#: Whether this process is the translator: it sets this before it imports the first loop.
translating = False


def find(name: str) -> Path | None:
    """The folder with the translation of a file of `compiled/`, or None where it has none.

    A translation is for one source, helpers included, one numba, one Python and one processor.
    """
    called = title(name)
    return next((p / called for p in places() if is_whole(p / called)), None)


def title(name: str) -> str:
    """The name of the folder of a translation: the file, the machine that it is for, the source."""
    helpers = [*sorted(FOLDER.glob("_*.py")), FOLDER.parent / "machine_code.py"]
    source = [p.read_bytes() for p in (*helpers, FOLDER / f"{name}.py")]
    return f"{name}-{_digest(repr(_machine()).encode())}-{_digest(*source)}"


@functools.cache
def _machine() -> tuple[str, ...]:
    """What object code is made by and made for."""
    import llvmlite.binding as llvm

    return (
        *(_version(package) for package in ("numba", "llvmlite")),
        sys.version,
        llvm.get_process_triple(),
        os.environ.get("NUMBA_CPU_NAME") or llvm.get_host_cpu_name(),
        os.environ.get("NUMBA_CPU_FEATURES") or llvm.get_host_cpu_features().flatten(),
    )


def _version(package: str) -> str:
    """As `importlib.metadata` has it, whose import takes as long as that of all kernels."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for found in Path(folder).parent.glob(f"{package}-*-info"):
            return found.name.removeprefix(f"{package}-").rpartition(".")[0]
    return ""


def _digest(*texts: bytes) -> str:
    import hashlib  # which brings OpenSSL along: 4 MB, and 4 ms that an import need not take

    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def places() -> Iterator[Path]:
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
    if hasattr(os, "getuid"):  # for those who have no home
        temporary = Path(os.environ.get("TMPDIR") or "/tmp", f"minitf-{os.getuid()}")
        with contextlib.suppress(OSError):
            temporary.mkdir(mode=0o700, exist_ok=True)
            if _is_ours(temporary):  # or somebody else stands in its place
                yield temporary


def _is_ours(path: Path) -> bool:
    """Whether nobody writes there but this user, root, and who may change the code anyway."""
    found, owners = path.lstat(), (0, os.getuid(), FOLDER.stat().st_uid)
    return found.st_uid in owners and not (found.st_mode & 0o022 or stat.S_ISLNK(found.st_mode))


def seal(folder: Path) -> str:
    """A hash of all that a folder holds, but for itself."""
    files = [p for p in sorted(folder.iterdir()) if p.name != TALLY]
    return _digest(*(part for p in files for part in (p.name.encode(), p.read_bytes())))


def is_whole(folder: Path) -> bool:
    """Whether all is there as it was made, and by nobody else: it is run as code.

    Sweepers of temporary folders take old files out of it one by one.
    """
    try:
        ours = not hasattr(os, "getuid") or all(map(_is_ours, (folder, *folder.iterdir())))
        return ours and (folder / TALLY).read_bytes() == seal(folder).encode()
    except OSError:
        return False
