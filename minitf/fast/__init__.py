"""Speed, and nothing else: with this folder gone every program gives the same results, later.

    passes     rewrites of plans: LSTM cells, pooled convolutions, products that update
    kernels    references of the kernels that those passes ask for
    scipy_tiers, compiled   the second and the third tier of the table of kernels
    cuda       GPUs through CuPy

Importing it registers everything with the core, which knows nothing of it.
"""

from minitf.fast import cuda, passes, scipy_tiers
from minitf.fast import loader as library

__all__ = ["cuda", "library", "passes", "scipy_tiers"]
