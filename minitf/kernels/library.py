"""Loads the compiled tier in the background: nothing ever waits for a compiler.

    first call of a kernel on a large array ──> request("pooling")
        in a thread:  translated already? ──no──> another process translates it, at low priority
                      load it from numba's cache ──> its kernels are in the table from now on

Until then, and where numba is missing, the other tiers serve. `python -m minitf.kernels`
translates everything ahead; `make` does so when it installs the `fast` extra.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import os
import queue
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minitf.kernels import table
from minitf.kernels.blas import hold_blas_threads

_FOLDER = Path(__file__).resolve().parent / "compiled"
_PACKAGE = "minitf.kernels.compiled"
_OF_SCIPY = ("scipy.linalg.blas", "scipy.sparse._sparsetools")  # what kernels use of it
_PATIENCE = 5.0  # seconds that the end of the process gives a load to come to a stop


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
            if name in self._asked or self._closing:
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
            self._load(name)
        except Exception as error:  # the other tiers go on serving
            message = f"The faster kernels of '{name}' cannot be used: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=1)
        finally:
            with self._settled:
                self._open -= 1
                self._settled.notify_all()

    def _load(self, name: str) -> None:
        if "." in name:
            _load_now(name)
            return
        if not is_translated(name):
            self._translator = subprocess.Popen(
                [sys.executable, "-m", "minitf.kernels", name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is meant for the program, not for this
            )
            _, said = self._translator.communicate()
            if self._closing:
                return
            if self._translator.returncode:
                lines = said.decode(errors="replace").strip().splitlines()
                raise RuntimeError(lines[-1] if lines else "the translator ended")
        _load_now(name)


def _load_now(name: str) -> None:
    """Imports a file of `compiled/`, or a module of another package, by its dotted name."""
    if "." in name:
        _modules[name] = importlib.import_module(name)
    else:
        importlib.import_module(f"{_PACKAGE}.{name}")
    hold_blas_threads(name)


_loader = _Loader()


def ready(timeout: float) -> bool:
    """Waits until all that was asked for is settled; returns whether it is."""
    return _loader.ready(timeout)


def _forget() -> None:
    """In a process that was forked the threads are gone; what they had loaded is there."""
    global _loader
    _loader = _Loader()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def available() -> bool:
    """Whether numba is installed and MINITF_TIERS allows it."""
    return "numba" in table.allowed and importlib.util.find_spec("numba") is not None


def request(name: str) -> None:
    """Asks for the compiled kernels of one file of `compiled/`; returns at once."""
    if available():
        _loader.request(name)


table.request_compiled = request

_modules: dict[str, Any] = {}  # what was asked for of other packages; None while it is loaded


def optional(name: str) -> Any:
    """A module of SciPy, or None where there is no SciPy and while the module is being loaded.

    The first call asks for it; importing it takes longer than most steps, and none waits for it.
    """
    if name not in _modules:
        _modules[name] = None
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            _loader.request(name)
    return _modules[name]


def names() -> list[str]:
    """The files of `compiled/` that hold kernels."""
    return sorted(p.stem for p in _FOLDER.glob("*.py") if not p.stem.startswith("_"))


def load_all() -> None:
    """Loads every faster tier now, in this thread: for tests and benchmarks."""
    if importlib.util.find_spec("scipy") is not None:
        for name in _OF_SCIPY:
            _load_now(name)
    if available():
        for name in names():
            _load_now(name)


# ---- what is translated already ----------------------------------------------------------


def _stamp(name: str) -> Path:
    """The file that says that numba's cache holds `name`, for this source, numba and processor."""
    import llvmlite.binding
    import numba

    digest = 0
    for path in [*sorted(_FOLDER.glob("_*.py")), _FOLDER / f"{name}.py"]:
        digest = zlib.crc32(path.read_bytes(), digest)
    facts = (numba.__version__, sys.version, llvmlite.binding.get_host_cpu_name(), str(_FOLDER))
    digest = zlib.crc32(repr(facts).encode(), digest)
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(Path.home(), ".cache")
    return Path(root) / "minitf" / "kernels" / f"{name}-{digest:08x}"


def is_translated(name: str) -> bool:
    """Whether loading `name` takes no compiler."""
    try:
        return _stamp(name).exists()
    except OSError:
        return False


def translate(name: str) -> float:
    """Translates one file of `compiled/` into numba's cache; returns the seconds it took."""
    start = time.perf_counter()
    # numba looks at the file alone, not at the helpers that it has inlined.
    for stale in (_FOLDER / "__pycache__").glob(f"{name}.*.nb[ic]"):
        stale.unlink(missing_ok=True)
    importlib.import_module(f"{_PACKAGE}.{name}")
    stamp = _stamp(name)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:  # a home that cannot be written: the next process asks numba's cache again
        pass
    return time.perf_counter() - start


def main(arguments: list[str]) -> int:
    """Translates the named files of `compiled/`, or all of them."""
    if not available():
        print("numba is not installed: the kernels run in NumPy and SciPy. (pip: minitf[fast])")
        return 0
    if arguments and hasattr(os, "nice"):  # somebody else is at work on this machine
        os.nice(15)
    for name in arguments or names():
        if not is_translated(name):
            print(f"{name}: translated in {translate(name):.1f} s", flush=True)
    return 0
