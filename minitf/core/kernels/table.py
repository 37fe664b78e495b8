"""The table of kernels: each has a reference in NumPy, and may have faster tiers.

    softmax(xp, x) ──> numba ──refuses──> scipy ──> blocks ──refuses──> numpy: serves everything

The reference is the plain formula. `blocks` is NumPy as well, in blocks that fit the caches, over
several threads; `scipy` and `numba` need those packages. A tier returns `NotImplemented`, as
Python's operators do, for arguments that it does not support: another dtype or layout, or too
little work. The reference also runs on GPUs: its first argument is `xp`, NumPy or CuPy. Faster
tiers run on the CPU only, and have no such argument.

    @kernel(compiled="pooling", takes=lambda x, axes: placed(axes, x.shape))
    def max_pool(xp, x, axes): ...              # the reference

    @max_pool.tier("numba")                     # in compiled/pooling.py
    def _(x, axes): ...

Machine code does not check bounds. So `takes` checks the shapes, places and ranges that the loops
of the faster tiers support; only the reference gets other arguments. `contiguous` and
machine_code.py check the memory of each array.

All tiers of a kernel give equal results up to rounding; the tests compare them, entry by entry.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

#: From the one that is always there to the fastest.
TIERS = ("numpy", "blocks", "scipy", "numba")

_array = np.ndarray
_WORTH_LOADING = 4096  # elements: smaller arrays alone never load the compiled tier


def _allowed() -> tuple[str, ...]:
    """The tiers that MINITF_TIERS allows, as 'numpy,scipy'; all when it is not set.

    Raises:
      ValueError: when it names one that does not exist.
    """
    text = os.environ.get("MINITF_TIERS", "")
    if not text:
        return TIERS
    asked = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in asked if name not in TIERS]
    if unknown:
        raise ValueError(f"MINITF_TIERS={text!r}: {unknown[0]!r} is none of {', '.join(TIERS)}.")
    return tuple(name for name in TIERS if name in asked or name == "numpy")


_numba_is_wanted = False  # whether the compiled kernels of any file were asked for

#: The tiers that this process may use.
allowed = _allowed()

#: Every kernel by name.
TABLE: dict[str, Kernel] = {}

_requests: list[Callable[[str], None]] = []


def compile_by(request: Callable[[str], None]) -> None:
    """Registers the function that loads a file of compiled kernels, given its name."""
    _requests.append(request)


def contiguous(kinds: str, *arrays: Any) -> bool:
    """Whether arrays are contiguous, aligned, not empty, and all of one of some types.

    Args:
      kinds: NumPy's letters of the types, as "fd".
    """
    kind = arrays[0].dtype
    if kind.char not in kinds or not kind.isnative:
        return False
    for each in arrays:  # no generator: this is asked before most kernels of small steps
        flags = each.flags
        if each.dtype != kind or not (each.size and flags.c_contiguous and flags.aligned):
            return False
    return True


class Kernel:
    """One entry of the table. Calling it runs the fastest tier that accepts the arguments.

    Args:
      reference: `(xp, *args) -> result`, in NumPy or CuPy.
      compiled: the file of `compiled/` that has a tier for it, "" for none.
      takes: `(*args) -> bool`, whether faster tiers may be asked. None: they look themselves.
    """

    def __init__(
        self,
        reference: Callable[..., Any],
        compiled: str = "",
        takes: Callable[..., bool] | None = None,
    ) -> None:
        functools.update_wrapper(self, reference)
        self.name: str = reference.__name__
        self.compiled = compiled
        self.takes = takes
        self.tiers: dict[str, Callable[..., Any]] = {"numpy": reference}
        self._reference = reference
        self._faster: tuple[Callable[..., Any], ...] = ()
        self._on_gpu: tuple[Callable[..., Any], ...] = ()
        self._arrange()

    def __call__(self, xp: Any, *args: Any) -> Any:
        faster = self._faster if xp is np else self._on_gpu
        if faster and (self.takes is None or self.takes(*args)):
            for run in faster:
                result = run(*args) if xp is np else run(xp, *args)
                if result is not NotImplemented:
                    return result
        return self._reference(xp, *args)

    def tier(self, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declares a faster tier: a function of the arguments after `xp`, which may refuse.

        Raises:
          ValueError: when there is no such tier.
        """
        if name not in TIERS:
            raise ValueError(f"{name!r} is none of the tiers {', '.join(TIERS)}.")

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self.tiers[name] = function
            self._arrange()
            return function

        return add

    def on_gpu(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares a faster way on GPUs: it takes `xp`, too, and may refuse."""
        self._on_gpu = (function,)
        return function

    def _arrange(self) -> None:
        """Puts the tiers in the order in which they are asked."""
        ready = [self.tiers[t] for t in reversed(TIERS[1:]) if t in self.tiers and t in allowed]
        if self.compiled and "numba" in allowed and "numba" not in self.tiers:
            ready.insert(0, self._ask_for_compiled)
        self._faster = tuple(ready)

    def _ask_for_compiled(self, *args: Any) -> Any:
        """Loads the compiled tier when the first array is large.

        Once numba has been loaded for a kernel, arrays of every size load it.
        """
        global _numba_is_wanted
        for each in args:
            if type(each) is _array:
                if _numba_is_wanted or each.size >= _WORTH_LOADING:
                    _numba_is_wanted = True
                    self._faster = tuple(f for f in self._faster if f != self._ask_for_compiled)
                    for request in _requests:
                        request(self.compiled)
                break
        return NotImplemented


def kernel(
    compiled: str = "", takes: Callable[..., bool] | None = None
) -> Callable[[Callable[..., Any]], Kernel]:
    """Enters the decorated reference `(xp, *args)` into the table under its own name."""

    def enter(reference: Callable[..., Any]) -> Kernel:
        made = Kernel(reference, compiled, takes)
        if made.name in TABLE:
            raise ValueError(f"There are two kernels named {made.name!r}.")
        TABLE[made.name] = made
        return made

    return enter
