"""What all tests share: one BLAS thread, Ctrl-C, skips with a reason, and what runs side by side.

    make test    three processes of pytest-xdist; each takes one group of tests after the other
    ARGS=-n0     all in this process, in the order of the files

A group is a file, but for those in `TOGETHER`: tests that start clusters never run beside others
of their kind, nor do those that drive a browser. The conformance cases are many, and two halves.
"""

import gc
import importlib
import importlib.util
import os
import signal
import sys
import threading
import zlib
from collections.abc import Iterator
from typing import Any

# Two BLAS threads that spin beside busy processes can be fifty times slower than one, and the
# cluster tests have such processes. NumPy reads this when it is imported, here and in subprocesses.
for _library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# Hundreds of tests start a Python that imports minitf: where bytecode is not kept, it would be
# translated anew for each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell without job control starts what runs in the background with Ctrl-C ignored, and children
# inherit that; Python then has no KeyboardInterrupt. The programs that tests interrupt need one.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402

pytest.register_assert_rewrite("tests.promises")

#: Where the paths of tests begin, and the group they belong to. Groups start in this order, those
#: that take longest first; files are taken after them.
TOGETHER = {
    "tests/core/cluster/": "clusters",
    "tests/talks/test_clusters.py": "clusters",
    "tests/compat/test_testing.py": "clusters",
    "tests/library/estimator/test_cluster.py": "clusters",
    "tests/library/distribute/test_collectives_of_tasks.py": "clusters",
    "tests/conformance/test_conformance.py": "cases",
    "tests/conformance/": "files of TensorFlow",
    "tests/widgets/browser/": "browser",
    "tests/test_exercises.py": "sheets",
    "tests/test_lesson.py": "lessons",
    "tests/programs/": "programs",
}


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process in which no thread can start, as in a browser."""
    from minitf.core.kernels.threads import can_start
    from minitf.library.input.queues.states import Filler

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    can_start.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert not can_start()
        yield
    can_start.cache_clear()
    Filler._all.clear()  # what runs in threads from now on shall not wait for these


def _why_no_gpu() -> str | None:
    """Says why the tests marked `gpu` cannot run here; None when they can."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed"
    runtime = importlib.import_module("cupy").cuda.runtime
    try:
        return None if runtime.getDeviceCount() else "there is no CUDA device"
    except runtime.CUDARuntimeError as error:
        return f"CUDA does not work here: {error}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests marked `long` unless asked for; skips those marked `gpu` without one.

    In a process of pytest-xdist, puts the groups that take longest first.
    """
    if "long" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[each for each in items if _is_long(each)])
        items[:] = [each for each in items if not _is_long(each)]
    if hasattr(config, "workerinput"):  # a process of pytest-xdist
        order = {group: place for place, group in enumerate(TOGETHER.values())}
        items.sort(key=lambda each: order.get(group_of(each.nodeid).rstrip(" 01"), len(order)))
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = _why_no_gpu() if marked else None
    if reason:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """Takes the tests themselves out of what each collection of garbage looks through."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deals the tests out to the processes of pytest-xdist in groups; see `group_of`."""
    loadscope = importlib.import_module("xdist.scheduler.loadscope")

    class Groups(loadscope.LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)


def group_of(nodeid: str) -> str:
    """Names the tests that run one after the other, as they stand, in one process."""
    path = nodeid.partition("::")[0]
    group = next((group for start, group in TOGETHER.items() if path.startswith(start)), path)
    return f"{group} {zlib.crc32(nodeid.encode()) % 2}" if group == "cases" else group


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None
