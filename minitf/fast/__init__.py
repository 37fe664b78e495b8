"""Speed, and nothing else: with this folder gone every program gives the same results, later.

    passes     rewrites of plans: LSTM cells, pooled convolutions, products that update
    kernels    references of the kernels that those passes ask for
    blocks, scipy_tiers, compiled   the faster tiers of the table of kernels
    cuda       GPUs through CuPy

Importing it registers everything with the core, which knows nothing of it; the tiers are imported
when a kernel is first called, a pass when a plan has what it looks for, and `cuda` only where CuPy
is installed.
"""

from functools import partial
from importlib import import_module
from importlib.util import find_spec

from minitf.core.kernels.table import tiers_come_late
from minitf.fast import passes

for _each in ("blocks", "scipy_tiers", "loader"):
    tiers_come_late(partial(import_module, f"minitf.fast.{_each}"))
if find_spec("cupy") is not None:
    from minitf.fast import cuda  # noqa: F401

__all__ = ["passes"]
