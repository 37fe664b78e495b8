"""Speed, and nothing else: with this folder gone every program gives the same results, later.

    passes     rewrites of plans: LSTM cells, pooled convolutions, products that update
    kernels    references of the kernels that those passes ask for
    blocks, scipy_tiers, compiled   the faster tiers of the table of kernels
    cuda       GPUs through CuPy

Importing it registers everything with the core, which knows nothing of it.
"""

from minitf.fast import blocks, cuda, passes, scipy_tiers
from minitf.fast import loader as library

__all__ = ["blocks", "cuda", "library", "passes", "scipy_tiers"]
