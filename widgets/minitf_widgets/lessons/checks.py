"""Checks of the exercise sheets: ticks, points, and short words where something is wrong.

    %reload_ext minitf_widgets.lessons.checks

    %%check task 2, 1 of 3 points: no tensor of rank 3
    assert rank <= 2, f"there is a tensor of rank {rank}"
    print("✓ no tensor of rank 3")

The cell below the first line runs as it would without it. Then its points are shown, and are the
cell's value, as a number: so nbgrader reads them. A failure costs the points of this check and
stops nothing; it is told in a few lines, with the lines of the student's own cells.

    the cell      what is shown            what nbgrader reads
    holds         ✓ 1 of 3 points          1
    fails         ✗ there is a tensor ..   0
    is not met    ○ not answered yet       0

`%%look` runs a cell in the same manner that shows what a student made, and gives no points.
`%points` sums up.
"""

from __future__ import annotations

import linecache
import re
import traceback
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from minitf_widgets.colors import GREY, color_of
from minitf_widgets.lessons.quiz import with_cells
from minitf_widgets.svg import escape

__all__ = ["Points", "Score", "load_ipython_extension"]

HEADING = re.compile(r"task (\d+), (\d+) of (\d+) points?: (.+)")
HIDDEN = "### BEGIN HIDDEN TESTS"  # nbgrader takes these out of what students get
STUB = "raise NotImplementedError()"
MESSAGE_LINES, FRAMES = 5, 3
COLORS = {"✓": color_of("right"), "✗": color_of("wrong"), "○": GREY}


@dataclass(frozen=True)
class Score:
    """The points of one check. As a text it is their number alone, which is what nbgrader reads.

    `graded` says whether the hidden part was there; without it the points are a promise.
    """

    mark: str
    task: int
    points: int
    of: int
    graded: bool

    @property
    def reached(self) -> int:
        return self.points if self.mark == "✓" else 0

    def __repr__(self) -> str:
        return f"{self.reached}.0"

    def _repr_html_(self) -> str:
        worth = f"{self.points} of {self.of} points"
        if self.mark == "○":
            told = f"not answered yet; this check gives {worth}"
        elif self.mark == "✗":
            told = f"0 of {self.points} points"
        elif self.graded:
            told = worth
        else:
            told = f"{worth}, if it also passes with the inputs that grading uses"
        return _line(self.mark, told)


class Points(dict[tuple[int, str], Score]):
    """The last score of each check, by task and heading."""

    def rows(self) -> list[tuple[str, int, int]]:
        """A row a task, and their sum: what it is called, the points reached, and what there is."""
        tasks = [(f"task {task}", *points) for task, points in self.tasks().items()]
        return [*tasks, ("total", *(sum(row[place] for row in tasks) for place in (1, 2)))]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {reached} of {of} points" for name, reached, of in self.rows())

    def _repr_html_(self) -> str:
        wrong = {f"task {each.task}": "✗" for each in self.values() if each.mark == "✗"}
        marks = ["✓" if got == of else wrong.get(name, "○") for name, got, of in self.rows()]
        return "".join(map(_line, marks, repr(self).split("\n")))

    def tasks(self) -> dict[int, tuple[int, int]]:
        """By task: the points reached so far, and what there is."""
        found: dict[int, tuple[int, int]] = {}
        for score in self.values():
            reached, _ = found.get(score.task, (0, 0))
            found[score.task] = reached + score.reached, score.of
        return dict(sorted(found.items()))


def load_ipython_extension(shell: Any) -> None:
    """Gives a notebook `%%check`, `%%look` and `%points`."""
    points = Points()

    def check(line: str, cell: str) -> Score:
        """Runs a check; returns its points."""
        heading = HEADING.fullmatch(line.strip())
        if not heading:
            raise ValueError(f"%%check task 2, 1 of 3 points: what; not {line!r}")
        task, worth, of = map(int, heading.groups()[:3])
        points[task, heading[4]] = score = Score(_run(shell, cell), task, worth, of, HIDDEN in cell)
        return score

    def look(line: str, cell: str) -> None:
        """Shows what the student made, once there is something."""
        if _run(shell, cell) == "○":
            print("○ When the task above is answered, this shows what you made.")

    shell.register_magic_function(check, "cell")
    shell.register_magic_function(look, "cell")
    shell.register_magic_function(lambda line: points, "line", "points")
    shell.set_custom_exc((NotImplementedError,), _show_unanswered)


def _run(shell: Any, cell: str) -> str:
    """Runs a cell, and prints what went wrong. Returns the mark that it has earned."""
    code = shell.transform_cell(cell)
    name = shell.compile.cache(code, shell.execution_count, raw_code=cell)
    try:
        exec(shell.compile(code, name, "exec"), shell.user_ns)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        if _is_unanswered(error.__traceback__, error):
            return "○"
        print("\n".join(_told(shell, error, name)))
        return "✗"
    return "✓"


def _is_unanswered(trace: TracebackType | None, error: BaseException) -> bool:
    """Whether it was the stub that nbgrader puts in the place of an answer."""
    frames = traceback.extract_tb(trace)
    return isinstance(error, NotImplementedError) and bool(frames) and frames[-1].line == STUB


def _show_unanswered(
    shell: Any, kind: type, error: BaseException, trace: TracebackType, tb_offset: int | None = None
) -> list[str]:
    """One line for a stub outside of any function; a traceback for all else."""
    if _is_unanswered(trace, error):
        told = ["○ not answered yet"]
    else:
        told = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    shell._showtraceback(kind, error, told)
    return told


def _told(shell: Any, error: BaseException, check: str) -> list[str]:
    """What is wrong: the message, and the lines of the student's cells on the way there.

    Frames of the library and of the check itself are left out, and so is all but the beginning of
    a long message.
    """
    linecache.checkcache()
    frames = traceback.extract_tb(error.__traceback__)
    message = with_cells(str(error)).strip().splitlines() or [""]
    if len(message) > MESSAGE_LINES:
        message = [*message[: MESSAGE_LINES - 1], "..."]
    if isinstance(error, KeyboardInterrupt):
        message = ["stopped while it was still running: is there a loop that does not end?"]
    elif not isinstance(error, AssertionError) or frames[-1].filename != check:
        message[0] = f"{type(error).__name__}: {message[0]}".removesuffix(": ")
    elif not message[0]:
        message[0] = frames[-1].line or "this does not hold"
    told = [f"✗ {message[0]}", *(f"  {line}" for line in message[1:])]
    own = [each for each in frames if _cell(shell, each.filename) and each.filename != check]
    for each in own[-FRAMES:]:
        told += [
            f"  line {each.lineno} of {_cell(shell, each.filename)}, in {each.name}:",
            f"      {each.line}",
        ]
    if isinstance(error, NameError) and not own:
        told.append("  Has the cell with your answer been run?")
    return told


def _cell(shell: Any, filename: str) -> str:
    """'Cell In[3]' for a cell's file, '' for any other file."""
    return " ".join(shell.compile.format_code_name(filename) or ())


def _line(mark: str, told: str) -> str:
    """A line of HTML with a mark; the colour only repeats what the mark says."""
    style = f"border-left: 4px solid {COLORS[mark]}; padding: 1px 8px"
    return f'<div style="{style}"><b>{mark}</b> {escape(told)}</div>'
