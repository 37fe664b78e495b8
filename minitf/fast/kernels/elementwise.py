"""Runs elementwise programs on arrays: the steps one after the other, or a function of them all.

    program ──> small arrays: `straight`, Python of its own, whose every line is one ufunc
            ├─> fast/blocks: x[:2048] ──step──> scratch ──step──> scratch ──step──> y[:2048], ...
            ├─> fast/compiled: the same with smaller blocks and quicker steps
            └─> a GPU: one kernel written in CUDA

One operation after the other reads and writes arrays larger than the caches at every step; the
faster tiers keep what lies between the operands and the result in the second-level cache. A program
may end in a reduction: then the result is never whole, but summed up block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.kernels.dense import erf
from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.table import kernel
from minitf.fast.kernels.program import FULL, PRIMITIVES, ROW, SCALAR, Program, expanded

WORK = 240_000  # elements times cost: below, other ways than `straight` cost more than they save


def _lies(kind: int, given: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an operand lies in the whole shape as its kind says."""
    rank = len(whole)
    if kind == FULL or len(given) > rank:
        return given == whole
    ones = (1,) * rank
    sizes = ones[len(given) :] + given
    if kind == SCALAR:
        return sizes == ones
    if kind == ROW:
        return any(sizes == ones[:k] + whole[k:] for k in range(rank + 1))
    return any(sizes == whole[:k] + ones[k:] for k in range(rank + 1))


def _takes(program: Program, *operands: Any) -> bool:
    """Whether the operands have shapes that a program was made for; NumPy would spread others."""
    whole = operands[program.full].shape
    return all(
        _lies(each.kind, np.shape(x), whole)
        for each, x in zip(program.operands, operands, strict=True)
    )


@kernel(
    compiled="elementwise",
    takes=lambda program, out, *operands: _takes(program, *operands),
)
def elementwise(xp: Any, program: Program, out: Any, *operands: Any) -> Any:
    """The result of a program, step by step.

    Args:
      program: the steps.
      out: the array to write it into, which may be one of the operands; a new one when None. The
        reference always makes a new one.
      operands: arrays and numbers, as the program has them; one at least is FULL.
    """
    return in_numpy(program).stepwise(*operands)


class Ending(NamedTuple):
    """The reduction with which a program ends.

    Args:
      name: "sum", "mean", "max" or "min".
      kernel: of the operation, `(xp, array, axis=, keep_dims=)`.
      axis: the axes; None: all.
      keep_dims: whether they stay, with size 1.
    """

    name: str
    kernel: Callable[..., Any]
    axis: tuple[int, ...] | None
    keep_dims: bool

    def __call__(self, xp: Any, array: Any) -> Any:
        return self.kernel(xp, array, axis=self.axis, keep_dims=self.keep_dims)

    def fits(self, rank: int) -> bool:
        """Whether an array of so many axes has those that are reduced."""
        return all(-rank <= axis < rank for axis in self.axis or ())

    def over(self, rank: int) -> list[int]:
        """The axes that are reduced, of so many."""
        return sorted(range(rank) if self.axis is None else {a % rank for a in self.axis})

    def text(self, inner: str) -> str:
        """How a reader writes the reduction of a program."""
        body, where, shared = inner.partition(" where ")
        axis = "" if self.axis is None else f", axis={[*self.axis]}"
        return f"{self.name}({body}{axis}){where}{shared}"


@kernel(
    compiled="elementwise",
    takes=lambda program, ending, *operands: (
        _takes(program, *operands) and ending.fits(operands[program.full].ndim)
    ),
)
def reduced_elementwise(xp: Any, program: Program, ending: Ending, *operands: Any) -> Any:
    """The result of a program, reduced; faster tiers never write the whole of it.

    Args:
      program: the steps.
      ending: the reduction.
      operands: as of `elementwise`; one that is FULL has at least one element.
    """
    return ending(xp, elementwise(xp, program, None, *operands))


@lru_cache(maxsize=512)
def function(
    xp: Any, program: Program, guarded: bool, ending: Ending | None = None
) -> Callable[..., Any]:
    """A function `(*operands, out=None)` that runs small arrays straight and large ones in blocks.

    Args:
      xp: NumPy or CuPy.
      program: the steps.
      guarded: whether the operands that are FULL may have different shapes after all.
      ending: how the result is reduced, if it is; then there is nothing to write into `out`.
    """
    if not on_cpu(xp) and ending:
        return lambda *operands, out=None: reduced_elementwise(xp, program, ending, *operands)
    if not on_cpu(xp):
        return lambda *operands, out=None: elementwise(xp, program, out, *operands)
    run = in_numpy(program)
    names = [f"x{i}" for i in range(len(program.operands))]
    full = [n for n, each in zip(names, program.operands, strict=True) if each.kind == FULL]
    scope: dict[str, Any] = {
        "straight": run.straight,
        "stepwise": run.stepwise,
        "elementwise": reduced_elementwise if ending else elementwise,
        "np": np,
        "program": program,
        "ending": ending,
        **(ending._asdict() if ending else {}),
    }
    every = ", ".join(names)
    second, start, end = "out", "", ""
    if ending:
        second, start, end = "ending", "kernel(np, ", ", axis=axis, keep_dims=keep_dims)"
    lines = [f"def fused({every}, out=None):"]
    if guarded and len(full) > 1:
        same = " and ".join(f"{full[0]}.shape == {n}.shape" for n in full[1:])
        lines += [f"if not ({same}):", f"    return {start}stepwise({every}){end}"]
    lines += [
        f"if {full[0]}.size > {WORK // program.cost}:",
        f"    return elementwise(np, program, {second}, {every})",
        f"return {start}straight({every}){end}",
    ]
    exec(compile("\n    ".join(lines), "<fused>", "exec"), scope)
    return scope["fused"]


# ---- program in numpy --------------------------------------------------------------------
#
# Elementwise programs as Python functions of NumPy's ufuncs: for small arrays, and for blocks.
#
#   maximum(x * w + b, 0)       def straight(x0, x1, x2):        def block(x0, x1, x2, out, f0, t0):
#                                   t0 = multiply(x0, x1)            multiply(x0, x1, t0)
#                                   add(t0, x2, t0)                  add(t0, x2, t0)
#                                   maximum(t0, c0, out=t0)          maximum(t0, f0, out=out)
#                                   return t0
#
# Every line writes over what is read no more. Constants are arrays without axes: NumPy takes them
# as they are, where a Python number costs it as much as three hundred additions.

_LACKS = frozenset(name for name, each in PRIMITIVES.items() if each.meaning)
_CHOICES = ("maximum", "minimum")  # NumPy wants `out=` here, and is slow where one is a number
_MANY = 1024  # elements

# ---- what NumPy does not have, or not fast -----------------------------------------------------


def where(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
    """`np.where` by the bits of the numbers: a processor guesses, and at random masks in vain."""
    kind = "i4" if y.dtype.itemsize == 4 else "i8"
    if condition.size < _MANY or x.dtype != y.dtype:
        result = np.where(condition, x, y)
        if out is not None:
            out[...] = result
        return result
    x, y = x.view(kind), y.view(kind)
    bits = condition.astype(kind)
    np.negative(bits, bits)
    chosen = np.bitwise_xor(bits & (x ^ y), y, *(() if out is None else (out.view(kind),)))
    return chosen.view(f"f{kind[1]}")


# ---- programs ----------------------------------------------------------------------------------


class NumPyProgram:
    """A program as Python functions over NumPy arrays.

    Attributes:
      filled: the constants that a block takes as arrays, by their values.
      floats, masks: how many arrays of numbers and of truth values it needs besides.
    """

    def __init__(self, program: Program) -> None:
        self.program = program = expanded(program, _LACKS)
        self._scope: dict[str, Any] = {
            f"c{i}": np.array(c, program.dtype) for i, c in enumerate(program.constants)
        }
        own = {"erf": erf, "where": where}
        for step in program.steps:
            self._scope[step.op] = own.get(step.op) or getattr(np, step.op)
        self.filled: list[float] = []
        self.floats = self.masks = 0

    @cached_property
    def straight(self) -> Callable[..., Any]:
        """`(*operands) -> result`, for small arrays."""
        return self._written("straight", *self._lines(of_block=False))

    @cached_property
    def block(self) -> Callable[..., Any]:
        """`(*operands, out, *filled, *scratch)`: computes one block."""
        return self._written("block", *self._lines(of_block=True))

    def _written(self, name: str, parameters: list[str], lines: list[str]) -> Callable[..., Any]:
        source = "\n    ".join([f"def {name}({', '.join(parameters)}):", *lines])
        exec(compile(source, f"<{name}>", "exec"), self._scope)
        return self._scope[name]

    def _lines(self, of_block: bool) -> tuple[list[str], list[str]]:
        """The parameters, and one line a step."""
        program = self.program
        parameters = [f"x{i}" for i in range(len(program.operands))]
        names = [*parameters, *(f"c{i}" for i in range(len(program.constants)))]
        free: dict[bool, list[str]] = {False: [], True: []}
        made: dict[bool, list[str]] = {False: [], True: []}
        filled: dict[str, float] = {}
        lines: list[str] = []
        last = program.first + len(program.steps) - 1
        for number, step in enumerate(program.steps, program.first):
            arguments = [names[v] for v in step.args]
            if of_block and step.op in _CHOICES:
                for place, value in enumerate(step.args):
                    if len(program.operands) <= value < program.first:
                        constant = program.constants[value - len(program.operands)]
                        arguments[place] = arguments[place].replace("c", "f")
                        filled[arguments[place]] = constant
            for v in dict.fromkeys(step.args):
                if program.last_use[v] == number and self._owns(v):
                    free[program.is_logical(v)].append(names[v])
            logical, target = program.is_logical(number), ""
            if not self._owns(number):
                name = f"v{number}"
            elif number == last and of_block:
                name = target = "out"
            elif free[logical]:
                name = target = free[logical].pop()
            else:
                name = f"{'tm'[logical]}{len(made[logical])}"
                made[logical].append(name)
                target = name if of_block else ""
            given = f"out={target}" if target and step.op in _CHOICES else target
            call = f"{step.op}({', '.join([*arguments, *([given] if given else [])])})"
            lines.append(call if target else f"{name} = {call}")
            names.append(name)
        if of_block:
            self.filled = list(filled.values())
            self.floats, self.masks = len(made[False]), len(made[True])
            return [*parameters, "out", *filled, *made[False], *made[True]], lines
        return parameters, [*lines, f"return {names[-1]}"]

    def _owns(self, value: int) -> bool:
        """Whether a value is an array of the whole shape that a step made."""
        return value >= self.program.first and self.program.kinds[value] == FULL

    def stepwise(self, *operands: Any) -> Any:
        """The result by plain broadcasting, of whatever shapes the operands have.

        Raises:
          ValueError: when they do not fit; `origin` tells the operation at which.
        """
        constants = (self._scope[f"c{i}"] for i in range(len(self.program.constants)))
        values: list[Any] = [*operands, *constants]
        for step in self.program.steps:
            try:
                values.append(self._scope[step.op](*(values[v] for v in step.args)))
            except ValueError as error:
                error.origin = step.origin  # type: ignore[attr-defined]
                raise
        return values[-1]


@lru_cache(maxsize=512)
def in_numpy(program: Program) -> NumPyProgram:
    """The program as functions, made once."""
    return NumPyProgram(program)
