"""Loads the compiled tier in the background: nothing ever waits for a compiler.

    first call of a kernel on a large array ──> request("pooling")
        in a thread:  translated already? ──no──> another process translates it, at low priority
                      load the translation ──> its kernels are in the table from now on

Until then, and where numba is missing, the other tiers serve. `python -m minitf.fast`
translates everything ahead; `make` does so when it installs the `fast` extra. translations.py
knows where translations lie. A folder is filled under another name and renamed once it is whole, so
that nobody ever sees half of one, and two processes that translate the same file do not disturb
each other.

A process that ends must not leave a thread inside LLVM: Python ends threads that wait for its lock
on the spot, and there that aborts the process. So the end waits for the threads: a tenth of a
second at the most, for what is loaded is machine code (machine_code.py).
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import os
import queue
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minitf.core.graph.process import in_child
from minitf.core.kernels import table
from minitf.core.kernels.threads import can_start
from minitf.fast import translations
from minitf.fast.c_libraries import hold_blas_threads
from minitf.fast.machine_code import extension

if TYPE_CHECKING:
    import subprocess

_PACKAGE = "minitf.fast.compiled"
_OF_SCIPY = ("scipy.linalg._fblas", "scipy.sparse._sparsetools")  # what kernels use of it
_PATIENCE = 5.0  # seconds, should a thread hang all the same; it takes a tenth of one to stop


class _Loader:
    """The threads that load: one for the compiled files, one for each module of other packages."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._asked: set[str] = set()
        self._lock = threading.Lock()
        self._settled = threading.Condition(self._lock)
        self._open = 0  # requests that are not settled
        self._threads: list[threading.Thread] = []
        self._serving = False
        self._closing = False
        self._translator: subprocess.Popen[bytes] | None = None

    def request(self, name: str) -> None:
        """Asks for a file of `compiled/`, or a module by its dotted name; returns at once."""
        with self._lock:
            if name in self._asked or self._closing or not can_start():
                return
            self._asked.add(name)
            self._open += 1
            if not self._threads:
                atexit.register(self.close)
            if "." in name:  # must not wait for a translation
                self._start(self._settle, name)
            elif not self._serving:
                self._serving = True
                self._start(self._serve)
        if "." not in name:
            self._requests.put(name)

    def _start(self, run: Callable[..., None], *args: str) -> None:
        thread = threading.Thread(target=run, args=args, name="minitf-kernels", daemon=True)
        self._threads.append(thread)
        thread.start()

    def ready(self, timeout: float) -> bool:
        """Waits until all that was asked for is settled; returns whether it is."""
        with self._settled:
            return self._settled.wait_for(lambda: not self._open, timeout)

    def close(self) -> None:
        """Stops loading, so that the process can end."""
        self._closing = True
        self._requests.put(None)
        if self._translator is not None:
            self._translator.kill()
        for thread in self._threads:
            thread.join(_PATIENCE)

    def _serve(self) -> None:
        while (name := self._requests.get()) is not None and not self._closing:
            self._settle(name)

    def _settle(self, name: str) -> None:
        try:
            self.load(name)
        except Exception as error:  # the other tiers go on serving
            if self._closing:
                return
            message = f"The faster kernels of '{name}' cannot be used: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=1)
        finally:
            with self._settled:
                self._open -= 1
                self._settled.notify_all()

    def load(self, name: str) -> None:
        """Loads a file of `compiled/`, translated before if need be, or an extension module."""
        if self._closing:
            return
        if "." in name:
            _modules[name] = extension(name)
        else:
            folder = translations.find(name)
            if folder is None:
                self.translate(name)
                folder = translations.find(name)
            if folder is None:
                raise RuntimeError("nothing is left of its translation")
            fetch(name, folder)
        hold_blas_threads(name)

    def translate(self, *names: str) -> None:
        """Has another process translate files of `compiled/`, and waits for it."""
        import subprocess  # 6 ms and 1 MB, for what most programs never do

        self._translator = subprocess.Popen(
            [sys.executable, "-P", str(translations.FOLDER.parent / "__main__.py"), *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is meant for the program, not for this
        )
        if self._closing:  # `close` may have come before there was anything to kill
            self._translator.kill()
        _, said = self._translator.communicate()
        if self._translator.returncode:
            lines = said.decode(errors="replace").strip().splitlines()
            raise RuntimeError(lines[-1] if lines else "the translator ended")


def fetch(name: str, folder: Path) -> None:
    """Imports a file of `compiled/`, whose machine code lies in a folder, or goes there."""
    translations.in_use[name] = folder
    importlib.import_module(f"{_PACKAGE}.{name}")


_loader = _Loader()


def ready(timeout: float) -> bool:
    """Waits until all that was asked for is settled; returns whether it is."""
    return _loader.ready(timeout)


@in_child
def _forget() -> None:
    """In a process that was forked the threads are gone; what they had loaded is there."""
    global _loader
    _loader = _Loader()


def available() -> bool:
    """Whether numba is installed, and neither MINITF_TIERS nor NUMBA_DISABLE_JIT forbids it."""
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    allowed = "numba" in table.allowed and not switched_off
    return allowed and importlib.util.find_spec("numba") is not None


def request(name: str) -> None:
    """Asks for the compiled kernels of one file of `compiled/`; returns at once."""
    if available():
        _loader.request(name)


table.compile_by(request)

_modules: dict[str, Any] = {}  # what was asked for of other packages; None while it is loaded


def optional(name: str) -> Any:
    """An extension module of SciPy; None where there is no SciPy and while it is being loaded.

    The first call asks for it, and no step waits for it.
    """
    if name not in _modules:
        _modules[name] = None
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            _loader.request(name)
    return _modules[name]


def names() -> list[str]:
    """The files of `compiled/` that hold kernels."""
    return sorted(p.stem for p in translations.FOLDER.glob("*.py") if not p.stem.startswith("_"))


def load_all() -> None:
    """Loads every faster tier now, in this thread: for tests and benchmarks."""
    if importlib.util.find_spec("scipy") is not None:
        for name in _OF_SCIPY:
            _loader.load(name)
    if available():
        if missing := [name for name in names() if translations.find(name) is None]:
            _loader.translate(*missing)
        for name in names():
            _loader.load(name)


# ---- the process that translates ---------------------------------------------------------------


_ABANDONED = 3600.0  # seconds after which nobody is at work on a folder any more


def main(arguments: list[str]) -> int:
    """Translates the named files of `compiled/`, or all of them."""
    if not available():
        print("numba is not installed: the kernels run in NumPy and SciPy. (pip: minitf[fast])")
        return 0
    if arguments and hasattr(os, "nice"):  # somebody else is at work on this machine
        os.nice(15)
    os.umask(os.umask(0o077) | 0o022)  # what others may write is not run
    translations.translating = True
    wanted = [name for name in arguments or names() if translations.find(name) is None]
    start = time.perf_counter()
    for done, name in enumerate(wanted):
        said = f"Translating kernels for this processor: {done} of {len(wanted)} files are done"
        print(said, end="\r", flush=True)
        if translations.find(name) is None:  # or another process was quicker
            with making(name) as folder:
                fetch(name, folder)
    if wanted:
        took = f"Kernels are translated for this processor, in {time.perf_counter() - start:.0f} s."
        print(took.ljust(len(said)))
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
        _remove(side)


def _begin(title: str) -> tuple[Path, Path]:
    """Makes a folder to translate into; returns the place and the folder."""
    for place in translations.places():
        side = place / f"{title}.{os.getpid()}.{time.time_ns():x}"
        try:
            place.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(place / title) and not translations.is_whole(place / title):
                _remove(
                    place / title, ignore_errors=False
                )  # harmed, or another user's, who may not let us
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
            _remove(other)


def _remove(folder: Path, ignore_errors: bool = True) -> None:
    import shutil  # 3 ms that only the translator needs

    shutil.rmtree(folder, ignore_errors)
