"""What all tests share: one BLAS thread, Ctrl-C, and a skip with a reason where there is no GPU."""

import importlib.util
import os
import signal

# Two BLAS threads that spin beside busy processes can be fifty times slower than one, and the
# cluster tests have such processes. NumPy reads this when it is imported, here and in subprocesses.
for _library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# A shell without job control starts what runs in the background with Ctrl-C ignored, and children
# inherit that; Python then has no KeyboardInterrupt. The programs that tests interrupt need one.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402


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
    """Leaves out the tests marked `long` unless asked for; skips those marked `gpu` without one."""
    if "long" not in config.option.markexpr:
        config.hook.pytest_deselected(items=[each for each in items if _is_long(each)])
        items[:] = [each for each in items if not _is_long(each)]
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = _why_no_gpu() if marked else None
    if reason:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None
