"""The table: tiers are asked from the fastest, may refuse, and are held to what is allowed."""

import subprocess
import sys

import numpy as np
import pytest

from minitf.core.kernels import table
from minitf.core.kernels.table import TABLE, Kernel


def doubled(xp, x):
    """The reference."""
    return ("numpy", x * 2)


def test_the_fastest_tier_that_accepts_serves(monkeypatch) -> None:
    monkeypatch.setattr(table, "allowed", table.TIERS)
    entry = Kernel(doubled)

    @entry.tier("scipy")
    def _(x):
        return ("scipy", x * 2) if x.dtype == np.float32 else NotImplemented

    @entry.tier("numba")
    def _(x):
        return ("numba", x * 2) if x.size > 2 else NotImplemented

    assert entry(np, np.ones(3, np.float32))[0] == "numba"
    assert entry(np, np.ones(2, np.float32))[0] == "scipy"
    assert entry(np, np.ones(2, np.int32))[0] == "numpy"
    assert entry("another module", np.ones(3))[0] == "numpy"  # faster tiers are the CPU's


def test_there_are_no_other_tiers_and_no_twins() -> None:
    with pytest.raises(ValueError, match="'fortran' is none of the tiers"):
        Kernel(doubled).tier("fortran")
    with pytest.raises(ValueError, match="two kernels named"):

        @table.kernel()
        def softmax(xp, x):
            """There is one already, once softmax.py is loaded."""

        @table.kernel()
        def softmax(xp, x):  # noqa: F811
            """And this is another."""


def test_large_arrays_ask_for_the_compiled_tier_once(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(table, "_requests", [asked.append])
    monkeypatch.setattr(table, "_numba_is_wanted", False)
    monkeypatch.setattr(table, "allowed", table.TIERS)
    entry = Kernel(doubled, compiled="somewhere")
    entry(np, np.ones(10))
    assert asked == []
    for _ in range(3):
        assert entry(np, np.ones(10_000))[0] == "numpy"  # which serves meanwhile
    assert asked == ["somewhere"]
    another = Kernel(doubled, compiled="elsewhere")
    another(np, np.ones(10))  # numba is being loaded anyway
    assert asked == ["somewhere", "elsewhere"]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_environment_names_tiers() -> None:
    bad = run("import minitf.core.kernels.table", MINITF_TIERS="numpy,fortran")
    assert "'fortran' is none of numpy, blocks, scipy, numba" in bad.stderr


def test_every_kernel_has_a_reference_with_a_sentence() -> None:
    assert len(TABLE) > 10
    for name, entry in TABLE.items():
        assert entry.tiers["numpy"].__doc__, name
