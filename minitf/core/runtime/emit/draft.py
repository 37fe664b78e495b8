"""The text of a program while it is written: lines, names, and the values of the names.

    draft.bind("W", array)              W          a name of the program, bound to a value
    draft.name("W")                     W_1        a name for a line to assign
    draft.write("W_1 = W + x", [add])   the line, and the node that fails where it fails

Text of a graph enters a program in two ways only: as a name, through `Draft.name`, and as a
comment, through `remark`. Nothing in a graph can become a statement.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from minitf.core.runtime.plan.subgraph import Node

_LONGEST_NAME = 160  # characters; a name of the graph may have any number
_LONGEST_REMARK = 1000
_PYTHON_NAMES = ("abs", "len", "range", "zip")  # what programs call; an operation may be named so
_BEFORE = 2  # lines that stand before the first of a draft


def remark(text: str) -> str:
    """Returns text of a graph as a comment: one printable line of bounded length.

    Characters that end a line, for Python or for an editor, are escaped.
    """
    if len(text) > _LONGEST_REMARK:
        text = f"{text[:_LONGEST_REMARK]}..."
    if not text.isprintable():
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return f"# {text}"


class Draft:
    """The text of one program, with the blocks of its branches and loops.

    Args:
      words: the functions that every program of a device may call, by name.

    Attributes:
      namespace: the values of the program's names.
      line_nodes: the nodes that fail when a line of the finished text fails.
      warns: whether a kernel may meet an overflow or 0/0.
      looks_around: whether a kernel may look at context variables, as a print does.
      waits: whether a kernel may wait for another step.
    """

    def __init__(self, words: dict[str, Any]) -> None:
        self.namespace: dict[str, Any] = dict(words)
        self.line_nodes: dict[int, list[Node]] = {}
        self.depth = 0  # of statements around the next line
        self.warns = self.looks_around = self.waits = False
        self._lines: list[str] = []
        self._used = {"rendezvous", "log", "watch", "started", "step", *_PYTHON_NAMES, *words}
        self._counts: dict[str, int] = {}  # the next number to try, by the name asked for
        self._bound: dict[str, str] = {}  # what is bound once, by the name asked for

    # ---- names ---------------------------------------------------------------------------

    def name(self, wanted: str) -> str:
        """Returns an unused Python name like `wanted`, in ASCII: Python rewrites other letters."""
        base = re.sub(r"\W+", "_", wanted[:_LONGEST_NAME], flags=re.ASCII).strip("_") or "value"
        if base[0].isdigit() or keyword.iskeyword(base):
            base = "_" + base
        name, count = base, self._counts.get(base, 1)
        while name in self._used:
            name, count = f"{base}_{count}", count + 1
        self._used.add(name)
        self._counts[base] = count
        return name

    def bind(self, wanted: str, value: Any) -> str:
        """Binds `value` to a name of the program; returns the name."""
        name = self.name(wanted)
        self.namespace[name] = value
        return name

    def bind_once(self, wanted: str, value: Any) -> str:
        """Binds a value that many lines use; later calls return the same name."""
        if wanted not in self._bound:
            self._bound[wanted] = self.bind(wanted, value)
        return self._bound[wanted]

    # ---- lines ---------------------------------------------------------------------------

    @property
    def _indent(self) -> str:
        return "    " * (self.depth + 1)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """A context in which lines are indented by one level."""
        self.depth += 1
        yield
        self.depth -= 1

    def write(self, code: str, nodes: Sequence[Node], comment: str = "") -> None:
        """Adds a line.

        Args:
          code: the statement, made of names of the program and literals of this package.
          nodes: the nodes that fail when it fails.
          comment: text behind it; it may come from the graph.
        """
        text = f"{self._indent}{code}"
        if comment:
            text = f"{text:<60}  {remark(comment)}"
        self._lines.append(text)
        self.line_nodes[len(self._lines) + _BEFORE] = list(nodes)

    def take_back(self, name: str) -> tuple[str, list[Node], str]:
        """Removes the last line if it only computes `name`, which has one reader.

        Returns: the expression of the value, the nodes that fail where it stands, and its comment.
        """
        text = self._lines[-1].removeprefix(self._indent)
        left, given, right = text.partition(" = ")  # a deeper line, of a branch, begins with spaces
        if left != name or not given:
            return name, [], ""
        nodes = self.line_nodes.pop(len(self._lines) + _BEFORE)
        self._lines.pop()
        code, _, comment = right.partition("  # ")
        return f"({code.rstrip()})" if " if " in code else code.rstrip(), nodes, comment

    # ---- the whole -----------------------------------------------------------------------

    def source(
        self, title: str, parameters: Sequence[str], results: Sequence[str], made_by: list[Node]
    ) -> str:
        """Returns the text of the program.

        Args:
          title: a comment above it.
          parameters: the names that its function takes.
          results: the expressions of the values that it returns.
          made_by: the nodes that computed them.
        """
        values = "".join(f"{expr}, " for expr in results).rstrip()
        self.line_nodes[len(self._lines) + _BEFORE + 1] = made_by
        head = [remark(title), f"def step({', '.join(parameters)}):"]
        return "\n".join([*head, *self._lines, f"    return ({values})", ""])

    def compiled(self, source: str, title: str) -> Callable[..., tuple]:
        """Compiles a text; returns the function that it defines."""
        exec(compile(source, f"<plan for {title}>", "exec"), self.namespace)
        return self.namespace["step"]
