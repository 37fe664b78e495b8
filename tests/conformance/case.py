"""The form of a conformance case, and tables that hold many of them in few lines."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One program that both libraries run.

    name: "family/what", unique.
    source: the program; `runner.py` lists the words it may use.
    rtol: relative tolerance, where rounding adds up over steps; 0 means the usual one.
    """

    name: str
    source: str
    rtol: float = 0.0


def programs(family: str, texts: Mapping[str, str], rtol: float = 0.0) -> list[Case]:
    """Makes one case of each named program text."""
    return [
        Case(f"{family}/{name}", textwrap.dedent(text).strip("\n") + "\n", rtol)
        for name, text in texts.items()
    ]


def table(
    family: str, prelude: str, rows: str, rtol: float = 0.0, word: str = "check"
) -> list[Case]:
    """Makes one case of each line `name | expression | inputs`.

    The case runs `prelude`, then `check(expression, *inputs)`: the tensor, its value, and its
    gradients by the inputs, which may be left out.

    Args:
      family: first half of the names.
      prelude: program text that defines what the expressions use.
      rows: one case a line; empty lines and lines that begin with # are left out.
      word: the word to call in place of `check`: "value", or "fails", which gets the expression
        in a lambda.
    """
    start = textwrap.dedent(prelude).strip("\n")
    cases = []
    for row in rows.splitlines():
        if not row.strip() or row.lstrip().startswith("#"):
            continue
        name, expression, *inputs = (part.strip() for part in row.split(" | "))
        if word == "fails":
            expression = f"lambda: {expression}"
        arguments = ", ".join([expression, *(inputs[0].split() if inputs else [])])
        cases.append(Case(f"{family}/{name}", f"{start}\n{word}({arguments})\n", rtol))
    return cases
