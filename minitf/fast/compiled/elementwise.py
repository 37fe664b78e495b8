"""Elementwise programs by one compiled loop that reads them: a small machine with wide registers.

A register holds 512 numbers, so a handful of them fit the first cache. The loop takes a block of
the operands, goes through the steps, each a run over registers that vectorizes, and writes the
block of the result:

    block of x ─┐                                                   ┌─> block of y
    filled  w ──┼─> multiply-add ─> r1 ─> tanh ─> r2 ─> multiply ───┘
    filled  1 ──┘

Reading a step costs as much as computing a hundred numbers, so nothing has to be compiled for one
program alone. Truth values are 1 and 0 here. Operands of the whole shape are read where they lie,
and so are rows longer than a register; what is spread fills a register of its own.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.core.kernels.threads import split
from minitf.fast.blocks.elementwise import Layout
from minitf.fast.blocks.reductions import sizes_left
from minitf.fast.compiled import _math
from minitf.fast.compiled._loops import loop
from minitf.fast.compiled._math import at, inlined
from minitf.fast.kernels import elementwise as kernels
from minitf.fast.kernels.program import COLUMN, ROW, Program

F = np.float32
BLOCK = 512  # numbers in a register; with more, memory waits while they are computed
_PIECE = 2_000_000  # elements times steps, about 50 us
_SHORT = 16  # numbers: the sums of shorter rows are left to BLAS
_TOGETHER = 256  # blocks that are added up one by one; more would lose digits


@inlined
def _truth(condition):
    return F(1) if condition else F(0)


@inlined
def _sign(x):
    return F(1) if x > F(0) else (F(-1) if x < F(0) else x)


def _unary(function: Any) -> Any:
    f = inlined(function)

    @inlined
    def run(code, d, a, b, c):
        for i in range(d.size):
            d[i] = f(a[i])

    return run


def _binary(function: Any) -> Any:
    f = inlined(function)

    @inlined
    def run(code, d, a, b, c):
        for i in range(d.size):
            d[i] = f(a[i], b[i])

    return run


def _ternary(function: Any) -> Any:
    f = inlined(function)

    @inlined
    def run(code, d, a, b, c):
        for i in range(d.size):
            d[i] = f(a[i], b[i], c[i])

    return run


#: What the machine can do: each a run over one register, d = f(a, b, c).
_RUNS = {
    "copy": _unary(lambda a: a),
    "add": _binary(lambda a, b: a + b),
    "subtract": _binary(lambda a, b: a - b),
    "multiply": _binary(lambda a, b: a * b),
    "divide": _binary(lambda a, b: a / b),
    "multiply_add": _ternary(lambda a, b, c: a * b + c),
    "multiply_subtract": _ternary(lambda a, b, c: a * b - c),
    "subtract_multiply": _ternary(lambda a, b, c: a - b * c),
    "maximum": _binary(lambda a, b: _math.maximum(a, b)),
    "minimum": _binary(lambda a, b: _math.minimum(a, b)),
    "negative": _unary(lambda a: -a),
    "square": _unary(lambda a: a * a),
    "absolute": _unary(lambda a: abs(a)),
    "sign": _unary(lambda a: _sign(a)),
    "floor": _unary(lambda a: _math.floor(a)),
    "ceil": _unary(lambda a: _math.ceil(a)),
    "rint": _unary(lambda a: _math.rint(a)),
    "sqrt": _unary(lambda a: np.sqrt(a)),
    "rsqrt": _unary(lambda a: _math.rsqrt(a)),
    "exp": _unary(lambda a: _math.exp(a)),
    "expm1": _unary(lambda a: _math.expm1(a)),
    "log": _unary(lambda a: _math.log(a)),
    "log1p": _unary(lambda a: _math.log1p(a)),
    "tanh": _unary(lambda a: _math.tanh(a)),
    "sigmoid": _unary(lambda a: _math.sigmoid(a)),
    "softplus": _unary(lambda a: _math.softplus(a)),
    "erf": _unary(lambda a: _math.erf(a)),
    "power": _binary(lambda a, b: _math.power(a, b)),
    "where": _ternary(lambda a, b, c: b if a != F(0) else c),
    "greater": _binary(lambda a, b: _truth(a > b)),
    "greater_equal": _binary(lambda a, b: _truth(a >= b)),
    "less": _binary(lambda a, b: _truth(a < b)),
    "less_equal": _binary(lambda a, b: _truth(a <= b)),
    "equal": _binary(lambda a, b: _truth(a == b)),
    "not_equal": _binary(lambda a, b: _truth(a != b)),
    "isnan": _unary(lambda a: _truth(a != a)),
    "isinf": _unary(lambda a: _truth(abs(a) == F(np.inf))),
    "isfinite": _unary(lambda a: _truth(abs(a) < F(np.inf))),
    "logical_and": _binary(lambda a, b: _math.minimum(a, b)),
    "logical_or": _binary(lambda a, b: _math.maximum(a, b)),
    "logical_not": _unary(lambda a: F(1) - a),
}

#: The number by which `_step` knows each.
CODES = {name: code for code, name in enumerate(_RUNS)}


def _chosen(runs: list[Any], first: int = 0) -> Any:
    """One function for all runs, which are numbered from `first`: it goes to the one that it needs.

    A tree of choices between halves: compiled code has no list of functions to index.
    """
    if len(runs) == 1:
        return runs[0]
    middle = first + len(runs) // 2
    low, high = _chosen(runs[: middle - first], first), _chosen(runs[middle - first :], middle)

    @inlined
    def step(code, d, a, b, c):
        if code < middle:
            low(code, d, a, b, c)
        else:
            high(code, d, a, b, c)

    return step


_step = _chosen(list(_RUNS.values()))


@loop()
def _total(x):
    total = F(0)
    for i in range(x.size):
        total += x[i]
    return total


@loop(f"void(int64[:,::1], int64[:,::1], float32[::1]{', int64' * 7})")
def _run(code, operands, constants, registers, out, sums, over, width, start, stop):
    """Runs a program over the rows from `start` to `stop`.

    Registers are numbered: one an operand, one a constant, then those that steps write. In each
    place of `where` stands the address of what is in a register now.

    Args:
      code: [steps, 5]: what, the register to write, and up to three to read.
      operands: [n, 2]: the address and the kind.
      constants: [n].
      registers: how many there are.
      out: the address of the result, seen as a matrix [rows, width].
      sums: the address of sums of the last register; 0: the last step writes the result.
      over: what is added up. 0: each block by itself. -1: each row, or each block of a longer one.
        Above: so many rows at a time, to a block's length.
    """
    memory = np.empty(registers * BLOCK + 16, F)
    skipped = (-memory.ctypes.data % 64) // 4  # a line of the cache holds 16 numbers
    scratch = memory[skipped : skipped + registers * BLOCK].reshape(registers, BLOCK)
    where = np.empty(registers, np.int64)
    for r in range(registers):
        where[r] = scratch[r:].ctypes.data
    count = operands.shape[0]
    for k in range(count):
        if operands[k, 1] == 0:
            scratch[k, :] = at(operands[k, 0], 1)[0]
        elif operands[k, 1] == 1 and width <= BLOCK:
            row = at(operands[k, 0], width)
            for i in range(BLOCK // width):
                scratch[k, i * width : (i + 1) * width] = row
    for k in range(constants.size):
        scratch[count + k, :] = constants[k]
    rows = max(1, BLOCK // width)
    long = width > BLOCK
    for first in range(start, stop, rows):
        high = min(rows, stop - first)
        for column in range(0, width, BLOCK):
            size = min(BLOCK, width - column) if long else high * width
            place = 4 * (first * width + column)
            for k in range(count):
                address, kind = operands[k, 0], operands[k, 1]
                if kind == 3:
                    where[k] = address + place
                elif kind == 1 and long:
                    where[k] = address + 4 * column
                elif kind == 2:
                    values = at(address + 4 * first, high)
                    if long:
                        scratch[k, :size] = values[0]
                    else:
                        for i in range(high):
                            scratch[k, i * width : (i + 1) * width] = values[i]
            for s in range(code.shape[0]):
                target = out + place if code[s, 1] < 0 else where[code[s, 1]]
                _step(
                    code[s, 0],
                    at(target, size),
                    at(where[code[s, 2]], size),
                    at(where[code[s, 3]], size),
                    at(where[code[s, 4]], size),
                )
            if sums:
                values = at(where[registers - 1], size)
                if over > 0:
                    line = first // over * (width if long else rows * width)
                    found = at(sums + 4 * (line + column), size)
                    for i in range(size):
                        found[i] += values[i]
                else:
                    parts = high if over and not long else 1
                    line = (first if over else first // rows) * -(-width // BLOCK)
                    found = at(sums + 4 * (line + column // BLOCK), parts)
                    for i in range(parts):
                        found[i] = _total(values[i * size // parts : (i + 1) * size // parts])


class _Machine:
    """A program as `_run` takes it.

    Args:
      program: its steps, all of which the machine knows.
    """

    def __init__(self, program: Program) -> None:
        self.kinds = [each.kind for each in program.operands]
        self.constants = np.array(program.constants, F)
        self.registers = program.first
        free: list[int] = []
        place = dict(enumerate(range(program.first)))
        rows: list[list[int]] = []
        steps = _with_products(program)
        last_use = {v: number for number, _, args in steps for v in args}
        for number, op, args in steps:
            read = [place[v] for v in args]
            # its own register is none that it reads: runs over one and the same do not vectorize
            place[number] = free.pop() if free else self.registers
            self.registers = max(self.registers, place[number] + 1)
            for value in dict.fromkeys(args):
                if last_use[value] == number and value >= program.first:
                    free.append(place[value])
            rows.append([CODES[op], place[number], *read, *[read[0]] * (3 - len(read))])
        rows[-1][1] = -1  # the result is written where it belongs
        self.code = np.array(rows)
        # the same for a result that takes the place of an operand: it is copied there at the end
        own = self.registers
        last = [rows[-1][0], own, *rows[-1][2:]]
        self.copied = np.array([*rows[:-1], last, [CODES["copy"], -1, *[own] * 3]])
        self.summed = self.copied[:-1]


def _with_products(program: Program) -> list[tuple[int, str, tuple[int, ...]]]:
    """The steps (number of the result, name, arguments), a product and a sum in one."""
    uses = [v for step in program.steps for v in step.args]
    made = {
        number: step.args if step.op == "multiply" else step.args * 2
        for number, step in enumerate(program.steps, program.first)
        if step.op in ("multiply", "square") and uses.count(number) == 1
    }
    result, gone = [], set()
    for number, step in enumerate(program.steps, program.first):
        op, args = step.op, step.args
        if op in ("add", "subtract"):
            place = next((i for i, v in enumerate(args) if v in made), None)
            if place is not None:
                gone.add(args[place])
                factors, other = made[args[place]], args[1 - place]
                op = {"add": "multiply_add", "subtract": "multiply_subtract"}[op]
                if op == "multiply_subtract" and place:
                    op, args = "subtract_multiply", (other, *factors)
                else:
                    args = (*factors, other)
        result.append((number, op, args))
    return [each for each in result if each[0] not in gone]


@lru_cache(maxsize=512)
def _machine(program: Program) -> _Machine | None:
    """The program for the machine; None when it has something that the machine cannot do."""
    known = program.dtype == F and all(step.op in CODES for step in program.steps)
    return _Machine(program) if known else None


def _address(array: Any) -> int:
    """Where the elements of an array are; NumPy's own way to ask takes four times as long."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except TypeError:  # it is read-only
        return array.__array_interface__["data"][0]


class _Call:
    """A program and its operands, as `_run` takes them.

    Attributes:
      machine: the program; None where the machine is not the way to run it.
      layout: how the operands lie.
    """

    def __init__(self, program: Program, operands: Sequence[Any]) -> None:
        self.layout, machine = Layout(program, operands), _machine(program)
        worth = self.layout.size * program.cost >= kernels.WORK
        self.machine = machine if self.layout.fits and self.layout.size and worth else None
        self._operands = operands

    def run(self, code: Any, out: int, sums: int = 0, over: int = 0, whole: int = 1) -> None:
        """Runs the steps over all rows; several threads take a number of times `whole` each."""
        machine, layout = self.machine, self.layout
        assert machine is not None
        arrays = [
            np.ascontiguousarray(each, F) for each in self._operands
        ]  # alive until it is done
        table = np.array(list(zip(map(_address, arrays), machine.kinds, strict=True)))
        registers = machine.registers + (code is not machine.code)
        fixed = code, table, machine.constants, registers, out, sums, over, layout.width

        def piece(start: int, stop: int) -> None:
            _run(*fixed, start * whole, min(stop * whole, layout.rows))

        least = 1 + _PIECE // (len(code) * layout.width * whole)
        split(piece, -(-layout.rows // whole), least)


@kernels.elementwise.tier("numba")
def _(program: Program, out: Any, *operands: Any) -> Any:
    call = _Call(program, operands)
    if call.machine is None:
        return NotImplemented
    out = call.layout.target(out, F, operands)
    copied = any(each is out for each in operands)
    call.run(call.machine.copied if copied else call.machine.code, _address(out))
    return out


@kernels.reduced_elementwise.tier("numba")
def _(program: Program, ending: kernels.Ending, *operands: Any) -> Any:
    """Sums over all axes, over the first ones, and over the last ones."""
    sizes = operands[program.full].shape
    axes = ending.over(len(sizes))
    count = math.prod(sizes[axis] for axis in axes)
    if ending.name not in ("sum", "mean") or not axes or count < _SHORT:
        return NotImplemented
    call = _Call(program, operands)
    layout, left = call.layout, sizes_left(sizes, ending.axis, ending.keep_dims)
    if call.machine is None:
        return NotImplemented
    over, kept = 0, layout.size // count
    if kept > 1:
        first, last = axes[-1] == len(axes) - 1, axes[0] == len(sizes) - len(axes)
        width = kept if first else count
        cut = any(kind in (ROW, COLUMN) for kind in call.machine.kinds)
        if not (first or last) or (cut and layout.width != width):
            return NotImplemented
        layout.width, layout.rows = width, layout.size // width
        over = _TOGETHER * max(1, BLOCK // width) if first else -1
    whole = over if over > 0 else 1 if over else max(1, BLOCK // layout.width)
    lines = -(-layout.rows // whole)
    wide = max(1, BLOCK // layout.width) * layout.width if over > 0 else -(-layout.width // BLOCK)
    sums = np.zeros((lines, wide), F)
    call.run(call.machine.summed, 0, _address(sums), over, whole)
    if over > 0:
        sums = sums.reshape(-1, kept)
    total = np.add.reduce(sums, axis=0 if over > 0 else 1 if over else None)
    if ending.name == "mean":
        total = total / count
    return total.reshape(left) if left else total
