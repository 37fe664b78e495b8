"""Runs elementwise programs on arrays: small ones at once, large ones block by block.

    program ──> NumPy: x[:2048] ──step──> scratch ──step──> scratch ──step──> y[:2048], and so on
            ├─> compiled/elementwise.py: the same with smaller blocks and quicker steps
            └─> a card: one kernel written in CUDA

One operation after the other would read and write arrays larger than the caches at every step. In
blocks, what lies between the operands and the result never leaves the second-level cache.

A program that runs on a small array is Python of its own, `straight`, whose every line is one ufunc
that writes over what the line before made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from minitf.kernels.program import COLUMN, FULL, PRIMITIVES, ROW, SCALAR, Program, expanded
from minitf.kernels.table import kernel
from minitf.kernels.threads import split

_BLOCK = 1 << 15  # elements of which the handful of arrays of a block fit the second-level cache
_PIECE = 100_000  # elements times steps, about 50 us
SMALL = 8192  # elements: up to here a program runs straight

# ---- erf, which NumPy does not have ------------------------------------------------------------

_ERF = (
    (1.9867868559231283e-06, 0.0002845667186193168, 0.0038833676371723413, 0.0531018041074276,
     0.19354555010795593, 1.1283791065216064),
    (3.74202209059149e-05, 0.0011855775956064463, 0.01520729623734951, 0.11535017192363739,
     0.5048578381538391, 1.0),
)  # fmt: skip


def erf(x: Any, out: Any = None) -> Any:
    """The error function in single precision: x P(x^2) / Q(x^2), its argument between -4 and 4."""
    clipped = np.minimum(x, 4, out=np.empty_like(x))
    np.maximum(clipped, -4, out=clipped)
    square = np.square(clipped, np.empty_like(x))
    parts = []
    for first, *others in _ERF:
        value = np.multiply(square, first, np.empty_like(x))
        for number in others[:-1]:
            value += number
            value *= square
        value += others[-1]
        parts.append(value)
    clipped *= parts[0]
    result = np.divide(clipped, parts[1], clipped if out is None else out)
    np.minimum(result, 1, out=result)
    return np.maximum(result, -1, out=result)


# ---- NumPy -------------------------------------------------------------------------------------

_LACKS = frozenset(name for name, each in PRIMITIVES.items() if each.meaning)
_KEYWORD_OUT = ("maximum", "minimum")  # NumPy deprecates their third argument


class NumPyProgram:
    """A program as Python functions over NumPy arrays."""

    def __init__(self, program: Program) -> None:
        self.program = program = expanded(program, _LACKS)
        self._scope: dict[str, Any] = {
            f"c{i}": np.array(c, program.dtype) for i, c in enumerate(program.constants)
        }
        self._scope["empty"] = np.empty
        for step in program.steps:
            self._scope[step.op] = erf if step.op == "erf" else getattr(np, step.op)

    @cached_property
    def straight(self) -> Callable[..., Any]:
        """`(*operands) -> result`, for small arrays."""
        return self._written("straight", self._lines(""))

    @cached_property
    def block(self) -> Callable[..., Any]:
        """`(*operands, out)`: writes one block, in scratch memory of its own."""
        return self._written("block", self._lines("out"))

    def _written(self, name: str, lines: list[str]) -> Callable[..., Any]:
        operands = [f"x{i}" for i in range(len(self.program.operands))]
        parameters = [*operands, *(["out"] if name == "block" else [])]
        source = "\n    ".join([f"def {name}({', '.join(parameters)}):", *lines])
        exec(compile(source, f"<{name}>", "exec"), self._scope)
        return self._scope[name]

    def _lines(self, out: str) -> list[str]:
        """One line a step; results of the whole shape are written over those read no more."""
        program = self.program
        names = [f"x{i}" for i in range(len(program.operands))]
        names += [f"c{i}" for i in range(len(program.constants))]
        free: list[str] = []
        lines: list[str] = []
        last = program.first + len(program.steps) - 1
        for number, step in enumerate(program.steps, program.first):
            arguments = [names[v] for v in step.args]
            ends = [v for v in dict.fromkeys(step.args) if program.last_use[v] == number]
            free += [names[v] for v in ends if self._owns(v)]
            if not self._owns(number) or step.op == "where":
                target, name = "", f"v{number}"
            elif number == last and out:
                target = name = out
            elif free:
                target = name = free.pop()
            else:
                target, name = "", f"t{number}"
            if target and step.op in _KEYWORD_OUT:
                target = f"out={target}"
            call = f"{step.op}({', '.join([*arguments, *([target] if target else [])])})"
            lines.append(call if target else f"{name} = {call}")
            names.append(name)
        if out and names[-1] != out:
            lines.append(f"{out}[...] = {names[-1]}")
        return [*lines, f"return {names[-1]}"]

    def _owns(self, value: int) -> bool:
        """Whether a value is a float array of the whole shape that a step made."""
        program = self.program
        return (
            value >= program.first
            and program.kinds[value] == FULL
            and not program.is_logical(value)
        )

    def stepwise(self, *operands: Any) -> Any:
        """The result by plain broadcasting, of whatever shapes the operands have.

        Raises:
          ValueError: when they do not fit; `origin` tells the operation at which.
        """
        values: list[Any] = [*operands, *(self._scope[f"c{i}"] for i in range(self._constants()))]
        for step in self.program.steps:
            try:
                values.append(self._scope[step.op](*(values[v] for v in step.args)))
            except ValueError as error:
                error.origin = step.origin  # type: ignore[attr-defined]
                raise
        return values[-1]

    def _constants(self) -> int:
        return len(self.program.constants)


@lru_cache(maxsize=512)
def in_numpy(program: Program) -> NumPyProgram:
    """The program as functions, made once."""
    return NumPyProgram(program)


class Layout:
    """How the operands of a program lie in the result, seen as a matrix [rows, width].

    Args:
      program: what reads them.
      operands: the arrays.
    Attributes:
      fits: whether their shapes are those that the program was made for.
      shape: of the result.
    """

    def __init__(self, program: Program, operands: Sequence[Any]) -> None:
        kinds = [each.kind for each in program.operands]
        self.shape = operands[kinds.index(FULL)].shape
        size, width = operands[kinds.index(FULL)].size, 0
        self.fits = True
        for kind, each in zip(kinds, operands, strict=True):
            if kind == FULL:
                self.fits &= each.shape == self.shape
            elif kind == ROW:
                self.fits &= each.size == (width or each.size)
                width = each.size
            elif kind == COLUMN:
                own = size // max(each.size, 1)
                self.fits &= own == (width or own)
                width = own
        self.width = width or 1
        self.rows = size // self.width if self.width else 0
        self.fits &= self.rows * self.width == size
        self.size = size

    def target(self, out: Any, dtype: Any) -> Any:
        """The array for the result: `out`, or a new one where that does not do."""
        if out is None or out.shape != self.shape or not out.flags.c_contiguous:
            return np.empty(self.shape, dtype)
        return out


@kernel(compiled="elementwise")
def elementwise(xp: Any, program: Program, out: Any, *operands: Any) -> Any:
    """The result of a program, block by block.

    Args:
      program: the steps.
      out: the array to write it into, which may be one of the operands; a new one when None.
      operands: arrays and numbers, as the program has them; one at least is FULL.
    """
    if xp is not np:
        return on_card(xp, program)(*operands)
    run = in_numpy(program)
    layout = Layout(program, operands)
    if not layout.fits:
        return run.stepwise(*operands)
    out = layout.target(out, program.dtype)
    width, kinds = layout.width, [each.kind for each in program.operands]
    form = {
        FULL: (layout.rows, width),
        ROW: (1, width),
        COLUMN: (layout.rows, 1),
        SCALAR: (1, 1),
    }
    if not layout.size:
        return out
    views = [np.reshape(x, form[k]) for x, k in zip(operands, kinds, strict=True)]
    result = out.reshape(layout.rows, width)
    block = (
        _BLOCK // 2 if "erf" in (s.op for s in program.steps) else _BLOCK
    )  # it needs more arrays
    least = max(1, block // width)

    def piece(start: int, stop: int) -> None:
        for first in range(start, stop, least):
            rows = slice(first, min(first + least, stop))
            parts = [v[rows] if k & COLUMN else v for v, k in zip(views, kinds, strict=True)]
            run.block(*parts, result[rows])

    work = _PIECE * 4 // len(run.program.steps)  # a step takes about 0.15 ns an element
    split(piece, layout.rows, max(least, work // width))
    return out


@lru_cache(maxsize=512)
def function(xp: Any, program: Program, guarded: bool) -> Callable[..., Any]:
    """A function `(*operands, out=None)` that runs small arrays straight and large ones in blocks.

    Args:
      xp: NumPy or CuPy.
      program: the steps.
      guarded: whether the operands that are FULL may have different shapes after all.
    """
    if xp is not np:
        return on_card(xp, program)
    run = in_numpy(program)
    names = [f"x{i}" for i in range(len(program.operands))]
    full = [n for n, each in zip(names, program.operands, strict=True) if each.kind == FULL]
    scope = {
        "straight": run.straight,
        "stepwise": run.stepwise,
        "elementwise": elementwise,
        "np": np,
        "program": program,
    }
    every = ", ".join(names)
    lines = [f"def fused({every}, out=None):"]
    if guarded and len(full) > 1:
        same = " and ".join(f"{full[0]}.shape == {n}.shape" for n in full[1:])
        lines += [f"if not ({same}):", f"    return stepwise({every})"]
    lines += [
        f"if {full[0]}.size > {SMALL}:",
        f"    return elementwise(np, program, out, {every})",
        f"return straight({every})",
    ]
    exec(compile("\n    ".join(lines), "<fused>", "exec"), scope)
    return scope["fused"]


# ---- cards -------------------------------------------------------------------------------------


def card_source(program: Program) -> tuple[str, str, str]:
    """The program for `cupy.ElementwiseKernel`: its parameters, its result, its operation."""
    kind = {"f": "float32", "d": "float64", "e": "float16"}[program.dtype.char]
    parameters = ", ".join(
        f"{'bool' if each.logical else kind} x{i}" for i, each in enumerate(program.operands)
    )
    names = [f"x{i}" for i in range(len(program.operands))]
    names += [_literal(c) for c in program.constants]
    lines = [f"typedef {'double' if kind == 'float64' else 'float'} T;"]
    for number, step in enumerate(program.steps, program.first):
        each = PRIMITIVES[step.op]
        text = (each.card or each.text).format(*(names[v] for v in step.args))
        lines.append(f"{'bool' if each.logical else 'T'} v{number} = {text};")
        names.append(f"v{number}")
    return parameters, f"{kind} y", "\n".join([*lines, f"y = {names[-1]};"])


def _literal(number: float) -> str:
    if np.isfinite(number):
        return f"T({number!r})"
    return "T(NAN)" if np.isnan(number) else f"T({'-' * (number < 0)}INFINITY)"


@lru_cache(maxsize=512)
def on_card(xp: Any, program: Program) -> Callable[..., Any]:
    """The program as one kernel of CuPy."""
    lacking = frozenset(
        n for n in ("rsqrt", "softplus") if program.dtype.char == "d" or n != "rsqrt"
    )
    parameters, result, operation = card_source(expanded(program, lacking))
    return xp.ElementwiseKernel(parameters, result, operation, "fused")
