"""Speed, and nothing else: with this folder gone every program gives the same results, later.

    passes     rewrites of plans: fused chains, LSTM cells, pooled convolutions, early updates
    kernels    references of the kernels that those passes ask for
    blocks, scipy_tiers, compiled   the faster tiers of the table of kernels
    cuda       GPUs through CuPy
    c_libraries                     what malloc and BLAS are told

Importing it registers everything with the core, which knows nothing of it; a pass is imported when
a plan has what it looks for, and `cuda` only where CuPy is installed.
"""

from importlib.util import find_spec

from minitf.fast import blocks, c_libraries, loader, passes, scipy_tiers

if find_spec("cupy") is not None:
    from minitf.fast import cuda  # noqa: F401

__all__ = ["blocks", "c_libraries", "loader", "passes", "scipy_tiers"]
