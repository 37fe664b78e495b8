"""Elementwise programs: what several operations compute of each element, as one list of steps.

    maximum(x * w + b, 0)      values   0  x    FULL      an operand of the whole shape
                                        1  w    ROW       ... spread over the leading axes
                                        2  b    SCALAR
                                        3  0.0            a constant
                               steps    4  multiply 0 1
                                        5  add      4 2
                                        6  maximum  5 3   the result

Operations declare what they compute as formulas, in Python; `Builder` reads those into steps. The
same list is then run by NumPy and by compiled loops, or written as a kernel for a card: see
elementwise.py.
"""

from __future__ import annotations

import ast
import itertools
import string
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

#: How an operand lies in the whole shape, cut into rows: which of both its elements vary with.
SCALAR, ROW, COLUMN, FULL = range(4)


class Primitive(NamedTuple):
    """What one step can do.

    Args:
      text: how a reader writes it.
      card: the same in CUDA, when that differs.
      meaning: a formula of other primitives for those who do not have it; "" for a NumPy ufunc.
      logical: whether it says true or false.
      cost: how long NumPy takes, in additions.
    """

    text: str
    card: str = ""
    meaning: str = ""
    logical: bool = False
    cost: int = 1


def _call(cost: int, name: str, card: str = "", meaning: str = "") -> Primitive:
    return Primitive(f"{name}({{0}})", f"{card or name}({{0}})", meaning, cost=cost)


PRIMITIVES: dict[str, Primitive] = {
    "add": Primitive("{0} + {1}"),
    "subtract": Primitive("{0} - {1}"),
    "multiply": Primitive("{0} * {1}"),
    "divide": Primitive("{0} / {1}", cost=2),
    "negative": Primitive("-{0}"),
    "square": Primitive("square({0})", "{0} * {0}"),
    "absolute": _call(1, "abs", "fabs"),
    "maximum": Primitive("maximum({0}, {1})", "({0} > {1} || {0} != {0} ? {0} : {1})", cost=4),
    "minimum": Primitive("minimum({0}, {1})", "({0} < {1} || {0} != {0} ? {0} : {1})", cost=4),
    "sign": Primitive("sign({0})", "({0} > 0 ? T(1) : {0} < 0 ? T(-1) : {0})", cost=7),
    "floor": _call(2, "floor"),
    "ceil": _call(2, "ceil"),
    "rint": _call(1, "rint"),
    "sqrt": _call(6, "sqrt"),
    "exp": _call(7, "exp"),
    "expm1": _call(6, "expm1"),
    "log": _call(5, "log"),
    "log1p": _call(6, "log1p"),
    "tanh": _call(4, "tanh"),
    "sin": _call(9, "sin"),
    "cos": _call(9, "cos"),
    "power": Primitive("power({0}, {1})", "pow({0}, {1})", cost=50),
    "erf": _call(50, "erf"),
    "sigmoid": Primitive(
        "sigmoid({0})", "T(1) / (T(1) + exp(-{0}))", "1 / (1 + exp(-{0}))", cost=11
    ),
    "softplus": _call(20, "softplus", "", "maximum({0}, 0) + log1p(exp(-abs({0})))"),
    "rsqrt": _call(8, "rsqrt", "", "1 / sqrt({0})"),
    "where": Primitive("where({0}, {1}, {2})", "({0} ? {1} : {2})", cost=8),
    "greater": Primitive("{0} > {1}", logical=True),
    "greater_equal": Primitive("{0} >= {1}", logical=True),
    "less": Primitive("{0} < {1}", logical=True),
    "less_equal": Primitive("{0} <= {1}", logical=True),
    "equal": Primitive("{0} == {1}", logical=True),
    "not_equal": Primitive("{0} != {1}", logical=True),
    "isnan": Primitive("isnan({0})", logical=True),
    "isinf": Primitive("isinf({0})", logical=True),
    "isfinite": Primitive("isfinite({0})", logical=True),
    "logical_and": Primitive("{0} & {1}", "({0} && {1})", logical=True),
    "logical_or": Primitive("{0} | {1}", "({0} || {1})", logical=True),
    "logical_not": Primitive("~{0}", "!{0}", logical=True),
}


class Operand(NamedTuple):
    """An array that a program reads.

    Args:
      kind: SCALAR, ROW, COLUMN or FULL.
      logical: whether it holds true and false.
    """

    kind: int = FULL
    logical: bool = False


class Step(NamedTuple):
    """One primitive, applied to values: operands, constants and results of earlier steps.

    Args:
      op: its name.
      args: numbers of values.
      origin: which of the operations that were put together it serves.
    """

    op: str
    args: tuple[int, ...]
    origin: int = 0


class Program:
    """Steps over values; the last one is the result.

    Args:
      dtype: of the numbers.
      operands, constants, steps: the values, numbered in this order.
    """

    def __init__(
        self,
        dtype: Any,
        operands: Sequence[Operand],
        constants: Sequence[float],
        steps: Sequence[Step],
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.operands, self.constants = tuple(operands), tuple(constants)
        self.steps = tuple(steps)
        self.first = len(self.operands) + len(self.constants)  # number of the first step's result
        self.key = (self.dtype.char, self.operands, repr(self.constants), self.steps)
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def has(self, op: str) -> bool:
        """Whether a step is `op`."""
        return any(step.op == op for step in self.steps)

    @cached_property
    def cost(self) -> int:
        """How long an element takes in NumPy, in additions of about 0.05 ns."""
        return sum(PRIMITIVES[step.op].cost for step in self.steps)

    @cached_property
    def full(self) -> int:
        """The first operand of the whole shape."""
        return next(i for i, each in enumerate(self.operands) if each.kind == FULL)

    @cached_property
    def kinds(self) -> list[int]:
        """SCALAR, ROW, COLUMN or FULL of every value."""
        found = [o.kind for o in self.operands] + [SCALAR] * len(self.constants)
        for step in self.steps:
            found.append(0)
            for value in step.args:
                found[-1] |= found[value]
        return found

    @cached_property
    def last_use(self) -> dict[int, int]:
        """By value: the number of the last step's result that reads it."""
        return {v: self.first + i for i, step in enumerate(self.steps) for v in step.args}

    def is_logical(self, value: int) -> bool:
        """Whether a value is true or false."""
        if value < len(self.operands):
            return self.operands[value].logical
        return value >= self.first and PRIMITIVES[self.steps[value - self.first].op].logical

    def text(self, names: Sequence[str]) -> str:
        """The program as a reader would write it; what is used twice gets a letter.

        Args:
          names: of the operands.
        """
        texts = [(name, 9) for name in names]  # and how tightly they are bound
        texts += [(f"{c:.6g}", 9) for c in self.constants]
        uses = [v for step in self.steps for v in step.args]
        counted = (f"{c}{n or ''}" for n in itertools.count() for c in string.ascii_lowercase)
        letters = (letter for letter in counted if letter not in names)
        shared = []
        for number, step in enumerate(self.steps, self.first):
            formula = PRIMITIVES[step.op].text
            binding = _BINDING.get(formula.replace("{0}", "0").replace("{1}", "1"), 9)
            inside = []
            for place, value in enumerate(step.args):
                text, tight = texts[value]
                loose = tight < binding + (place > 0) and not formula.endswith(")")
                inside.append(f"({text})" if loose else text)
            text = formula.format(*inside)
            letter = next(letters) if uses.count(number) > 1 else ""
            if letter:
                shared.append(f"{letter} = {text}")
            texts.append((letter, 9) if letter else (text, binding))
        return texts[-1][0] + (f" where {', '.join(shared)}" if shared else "")


#: How tightly formulas with a sign bind; calls bind tighter.
_BINDING = {
    "0 & 1": 0,
    "0 | 1": 0,
    "0 + 1": 2,
    "0 - 1": 2,
    "0 * 1": 3,
    "0 / 1": 3,
    "-0": 4,
    "~0": 4,
}
_BINDING.update({f"0 {sign} 1": 1 for sign in (">", ">=", "<", "<=", "==", "!=")})


class Builder:
    """Puts a program together. Values are numbers of what is defined so far, equal ones once.

    Args:
      dtype: of the numbers.
    """

    def __init__(self, dtype: Any) -> None:
        self._dtype = np.dtype(dtype)
        self._defined: list[Any] = []  # operands, numbers and steps, in the order of definition
        self._numbers: dict[Any, int] = {}
        self.origin = 0  # of the steps to come

    def operand(self, kind: int = FULL, logical: bool = False) -> int:
        """One more array to read."""
        self._defined.append(Operand(kind, logical))
        return len(self._defined) - 1

    def constant(self, number: float) -> int:
        """A number."""
        return self._define(repr(float(number)), float(number))

    def step(self, op: str, *args: int) -> int:
        """The result of one more step."""
        shorter = self._shorter(op, args)
        if shorter is not None:
            return shorter
        return self._define((op, args), Step(op, tuple(args), self.origin))

    def _define(self, key: Any, definition: Any) -> int:
        if key not in self._numbers:
            self._defined.append(definition)
            self._numbers[key] = len(self._defined) - 1
        return self._numbers[key]

    def _shorter(self, op: str, args: Sequence[int]) -> int | None:
        """The same by fewer or faster steps, where there is a way."""
        at = self._defined
        if op == "negative":
            inner = at[args[0]]
            if isinstance(inner, float):
                return self.constant(-inner)
            return inner.args[0] if isinstance(inner, Step) and inner.op == op else None
        if op == "power" and isinstance(at[args[1]], float):
            x, exponent = args[0], at[args[1]]
            if exponent == 1:
                return x
            if exponent in (2, 3, 4):
                squared = self.step("square", x)
                last = {3: ("multiply", x), 4: ("multiply", squared)}.get(exponent)
                return self.step(last[0], squared, last[1]) if last else squared
            if exponent == -1:
                return self.step("divide", self.constant(1), x)
        if op == "multiply" and args[0] == args[1]:
            return self.step("square", args[0])
        if op == "divide" and at[args[0]] == 1.0:
            return self._reciprocal(args[1])
        if op == "add":
            return self._softplus(args)
        return None

    def _reciprocal(self, x: int) -> int | None:
        """sigmoid or rsqrt, if 1 / x is one of them."""
        below = self._defined[x]
        if isinstance(below, Step) and below.op == "sqrt":
            return self.step("rsqrt", *below.args)
        if isinstance(below, Step) and below.op == "add":
            parts = sorted(below.args, key=lambda v: self._defined[v] != 1.0)
            power = self._defined[parts[1]]
            if self._defined[parts[0]] == 1.0 and isinstance(power, Step) and power.op == "exp":
                return self.step("sigmoid", self.step("negative", power.args[0]))
        return None

    def _softplus(self, args: Sequence[int]) -> int | None:
        """softplus, if a sum is maximum(x, 0) + log1p(exp(-abs(x)))."""
        first, value = self._defined[args[0]], args[1]
        for op in ("log1p", "exp", "negative", "absolute"):
            step = self._defined[value]
            if not (isinstance(step, Step) and step.op == op):
                return None
            value = step.args[0]
        if isinstance(first, Step) and first.op == "maximum":
            if first.args[0] == value and self._defined[first.args[1]] == 0.0:
                return self.step("softplus", value)
        return None

    def formula(self, text: str, arguments: Sequence[int]) -> int:
        """The result of a formula.

        Args:
          text: with `{0}`, `{1}` for the arguments.
          arguments: values.
        Raises:
          KeyError: when something in it is no primitive.
        """
        names = {f"_{i}": value for i, value in enumerate(arguments)}
        return self._read(_tree(text.format(*names)), names)

    def _read(self, tree: Any, names: Mapping[str, int]) -> int:
        match tree:
            case ast.Name(id=name):
                return names[name]
            case ast.Constant(value=int() | float() as number):
                return self.constant(number)
            case ast.UnaryOp(op=op, operand=argument):
                return self.step(_OPERATORS[type(op)], self._read(argument, names))
            case ast.BinOp(op=op, left=left, right=right):
                parts = [self._read(left, names), self._read(right, names)]
                return self.step(_OPERATORS[type(op)], *parts)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                parts = [self._read(left, names), self._read(right, names)]
                return self.step(_OPERATORS[type(op)], *parts)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given):
                name = {"abs": "absolute"}.get(name, name)
                if name not in PRIMITIVES:
                    raise KeyError(name)
                return self.step(name, *(self._read(each, names) for each in given))
        raise KeyError(ast.dump(tree))

    def program(self, result: int) -> tuple[Program, list[int]]:
        """The program that computes one value, and which operands that needs."""
        needed = {result}
        for number in range(len(self._defined) - 1, -1, -1):
            if number in needed and isinstance(self._defined[number], Step):
                needed.update(self._defined[number].args)
        order = [
            number
            for kind in (Operand, float, Step)
            for number, each in enumerate(self._defined)
            if isinstance(each, kind) and number in needed
        ]
        new = {number: place for place, number in enumerate(order)}
        parts: dict[Any, list[Any]] = {Operand: [], float: [], Step: []}
        for number in order:
            each = self._defined[number]
            if isinstance(each, Step):
                each = each._replace(args=tuple(new[v] for v in each.args))
            parts[type(each)].append(each)
        asked = [number for number, each in enumerate(self._defined) if isinstance(each, Operand)]
        kept = [place for place, number in enumerate(asked) if number in needed]
        return Program(self._dtype, parts[Operand], parts[float], parts[Step]), kept


def expanded(program: Program, missing: frozenset[str] | set[str]) -> Program:
    """The program without the primitives in `missing`: what they mean stands in their place."""
    if not any(step.op in missing for step in program.steps):
        return program
    builder = _Plain(program.dtype)
    values = [builder.operand(*each) for each in program.operands]
    values += [builder.constant(each) for each in program.constants]
    for step in program.steps:
        builder.origin = step.origin
        arguments = [values[v] for v in step.args]
        if step.op in missing:
            values.append(builder.formula(PRIMITIVES[step.op].meaning, arguments))
        else:
            values.append(builder.step(step.op, *arguments))
    return builder.program(values[-1])[0]


class _Plain(Builder):
    """A builder that takes every step as it is told."""

    def _shorter(self, op: str, args: Sequence[int]) -> int | None:
        return None


_OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.USub: "negative",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.BitAnd: "logical_and",
    ast.BitOr: "logical_or",
    ast.Invert: "logical_not",
}


@lru_cache(maxsize=256)
def is_known(text: str, arity: int) -> bool:
    """Whether a formula of some inputs has primitives only."""
    builder = Builder("f")
    try:
        builder.formula(text, [builder.operand() for _ in range(arity)])
    except KeyError:
        return False
    return True


@lru_cache(maxsize=256)
def _tree(text: str) -> Any:
    return ast.parse(text, mode="eval").body
