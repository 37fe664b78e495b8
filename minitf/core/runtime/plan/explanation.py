"""What a plan tells about itself: its program, and what each pass has made of it.

An `Explanation` is text: for each pass that changed something, its name, why, and the lines it took
out (-) and put in (+), as comments; then the program as it runs. So the whole is Python again.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple


class Stage(NamedTuple):
    """The program after one pass.

    Attributes:
      name: of the pass.
      purpose: one sentence.
      source: the program, if it were emitted then.
    """

    name: str
    purpose: str
    source: str


class Explanation(str):
    """Text with two parts that can be had alone.

    Attributes:
      program: the program as it runs.
      stages: the program before the first pass and after each one.
    """

    program: str
    stages: Sequence[Stage]


def explanation(stages: Sequence[Stage]) -> Explanation:
    """The story of a program, from what it was before the first pass to what runs."""
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
    """An explanation that came from another process as text; its stages stay there."""
    told = Explanation(text)
    lines = (line for line in text.splitlines() if line[:1] != "#" or line[:3] == "# /")
    told.program, told.stages = "\n".join(lines).strip("\n") + "\n", ()
    return told


def difference(before: str, after: str) -> list[str]:
    """The lines that went (-) and came (+), in order.

    Kernels of one type are numbered through a program; a line whose numbers alone have changed has
    not changed. When a value is let go (`del`) follows from the other lines, and is left out.
    """
    old, new = ([line for line in bare(each) if not _LETS_GO(line)] for each in (before, after))
    matcher = difflib.SequenceMatcher(
        None, [_unnumbered(line) for line in old], [_unnumbered(line) for line in new], False
    )
    changes = []
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind != "equal":
            changes += [f"- {line.removeprefix(_INDENT)}" for line in old[first:last]]
            changes += [f"+ {line.removeprefix(_INDENT)}" for line in new[start:stop]]
    return changes


def bare(source: str) -> list[str]:
    """The lines of a program without the notes at their ends, but for what is fused."""
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
