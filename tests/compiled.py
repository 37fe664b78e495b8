"""The compiled kernels, for tests that hold with them and without them.

No test outside `tests/fast` imports `minitf.fast`: with that folder gone, all the others pass
(`make without-fast`). Those that hold the tiers of a kernel equal call `load_compiled` first; where
the folder is missing, fewer tiers are there to compare.
"""

import functools
import importlib
import importlib.util

import pytest

from minitf.core.kernels.table import Kernel, allowed

_IS_THERE = importlib.util.find_spec("minitf.fast") is not None

#: for tests of what describes or shows the whole project, pages and lessons
whole_project = pytest.mark.skipif(not _IS_THERE, reason="a package is missing: minitf/fast")


@functools.cache
def load_compiled() -> bool:
    """Loads the compiled tier of every kernel at once; returns whether there is one."""
    if not _IS_THERE:
        return False
    loader = importlib.import_module("minitf.fast.loader")
    loader.load_all()
    return bool(loader.available())


def serves(kernel: Kernel, tier: str) -> bool:
    """Whether a tier is there, and MINITF_TIERS lets programs use it."""
    return tier in allowed and tier in kernel.tiers


def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the tier of blocks take every array, and cut it into small ones."""
    if _IS_THERE:
        for name in ("_CACHED", "_FROM_MEMORY"):
            monkeypatch.setattr(f"minitf.fast.blocks.elementwise.{name}", 0)
        monkeypatch.setattr("minitf.fast.blocks.elementwise._BLOCK", 500)
