"""Explanations of plans: the program, and the changes of each pass.

An `Explanation` is text. For each pass that changed something it has the name, the reason, and the
lines that were removed (-) and added (+), as comments; then the program. The whole is Python.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class Row(NamedTuple):
    """A line of a program and its operations; "+" marks an added line, "-" a removed one."""

    mark: str
    text: str
    ops: tuple[str, ...]


class Stage(NamedTuple):
    """The program after one pass.

    Attributes:
      name: of the pass.
      purpose: one sentence.
      source: the program, if it were emitted then.
      lines: for each of its lines the names of the graph's operations that it computes.
      ops: for each operation of the graph that the program computes, the type and device of its
        node; the type is "Const" once it is a constant, "_Fused" inside a fused kernel.
    """

    name: str
    purpose: str
    source: str
    lines: tuple[tuple[str, ...], ...] = ()
    ops: Mapping[str, tuple[str, str]] = MappingProxyType({})

    def since(self, before: Stage | None) -> list[Row]:
        """Returns the lines of the program, with the marks of what the pass changed.

        Args:
          before: the stage before this one, or None.
        """
        new = self._rows()
        old = new if before is None else before._rows()
        rows = []
        texts = ([row.text for row in each] for each in (old, new))
        for kind, first, last, start, stop in _opcodes(*texts):
            changed = kind != "equal"
            rows += [
                r._replace(mark="-") for r in old[first:last] if changed and not _LETS_GO(r.text)
            ]
            for row in new[start:stop]:
                rows.append(row._replace(mark="+" if changed and not _LETS_GO(row.text) else ""))
        return rows

    def _rows(self) -> list[Row]:
        texts = bare(self.source)
        ops = [*self.lines, *[()] * len(texts)]
        return [Row("", *line) for line in zip(texts, ops)]

    @classmethod
    def joined(cls, parts: Sequence[Stage]) -> Stage:
        """Joins the stages of several devices, one below the other."""
        lines = [line for part in parts for line in (*part.lines, ())][:-1]
        ops = {name: found for part in parts for name, found in part.ops.items()}
        source = "\n\n".join(part.source for part in parts)
        return parts[0]._replace(source=source, lines=tuple(lines), ops=ops)


class Explanation(str):
    """An explanation as text, with two parts as attributes.

    Attributes:
      program: the program as it runs.
      stages: the program before the first pass and after each one.
    """

    program: str
    stages: Sequence[Stage]


def explanation(stages: Sequence[Stage]) -> Explanation:
    """Returns the explanation of a program, from the state before the first pass."""
    parts = []
    for before, after in zip(stages, stages[1:], strict=False):
        changes = difference(before.source, after.source)
        if changes:
            title = after.name.replace("_", " ")
            parts.append(f"# {title}: {after.purpose}")
            parts.append("".join(f"#  {line}\n" for line in changes))
    text = Explanation("\n".join([*parts, stages[-1].source]))
    text.program, text.stages = stages[-1].source, stages
    return text


def received(text: str) -> Explanation:
    """Returns an explanation of a text from another process; it has no stages."""
    told = Explanation(text)
    lines = (line for line in text.splitlines() if line[:1] != "#" or line[:3] == "# /")
    told.program, told.stages = "\n".join(lines).strip("\n") + "\n", ()
    return told


def difference(before: str, after: str) -> list[str]:
    """Returns the lines that were removed (-) and added (+), in order.

    Numbers of kernels are ignored, and so are lines with `del`: they follow from the other lines.
    """
    old, new = ([line for line in bare(each) if not _LETS_GO(line)] for each in (before, after))
    changes = []
    for kind, first, last, start, stop in _opcodes(old, new):
        if kind != "equal":
            changes += [f"- {line.removeprefix(_INDENT)}" for line in old[first:last]]
            changes += [f"+ {line.removeprefix(_INDENT)}" for line in new[start:stop]]
    return changes


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    before, after = ([_unnumbered(line) for line in program] for program in (old, new))
    return list(difflib.SequenceMatcher(None, before, after, False).get_opcodes())


def bare(source: str) -> list[str]:
    """Returns the lines of a program without their comments, except those of fused kernels."""
    return [
        _WIDE.sub("  # ", line) if "= fused" in line else _WIDE.split(line)[0]
        for line in source.splitlines()
    ]


_INDENT = " " * 4
_WIDE = re.compile(r" {2,}# ")
_LETS_GO = re.compile(r"\s*del ").match
_NUMBERED_KERNEL = re.compile(r"\b(op_[A-Za-z]\w*?|fused)(_\d+)?\(")


def _unnumbered(line: str) -> str:
    return _NUMBERED_KERNEL.sub(r"\1(", line)
