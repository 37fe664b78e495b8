"""Short tracebacks in notebooks: the student's line first, TensorFlow's message last.

    Cell In[4], line 3: sess.run(y)
    'x' was made in Cell In[2], line 1: x = tf.placeholder(tf.float32, [3], name="x")

    Hint: Give the placeholder 'x' a value: sess.run(..., feed_dict={placeholder: value}).
    (%tb shows the whole traceback)

    InvalidArgumentError: You must feed a value for placeholder tensor 'x' with dtype float ...

IPython would show the code around every line down to the kernel, a hundred lines in which the one
that matters is hard to find. An error that comes out of minitf is shown like this once; `%tb`
shows the whole of it, and so does every mode of `%xmode` but the usual one. Errors that minitf has
no part in keep their tracebacks, unless there is a hint; so do plain Python programs.

When minitf is imported where no IPython runs, nothing of this happens.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import linecache
import os
import re
import sys
from collections.abc import Callable
from traceback import walk_tb
from types import TracebackType
from typing import Any, NamedTuple

from minitf.core.graph.process import PACKAGE, is_of_program
from minitf.core.graph.tensor import rewritten_lines
from minitf.library.platform.hints import hint_for

_CellName = Callable[[str], str]  # from the file name of code to "Cell In[4]", "" for a file

MAX_LINES = 12  # of one error
_MAX_PLACES = 4  # lines of the program


# Weight and lines only: each colour that a terminal has is hard to read on the background that
# JupyterLab gives to errors, in the light theme or in the dark one.
_STRONG, _FAULT, _END = "\033[1m", "\033[4m", "\033[0m"
_STYLES = r"\033\[[\d;]*m"

# Places of a program, and tracebacks of functions that a step calls, as messages name them.
_SOURCE = r"""(?:File )?(['"]?)([^\s'":]+)\1(?::|, line )(\d+)(?:, in <.+?>)?"""
_TRACEBACK = r"(?m)^Traceback \(most recent call last\):\n(?:[ \t].*\n)+\S.*\n?"
_TRACEBACK_LINE = r'File "(.+)", line (\d+), in (\S+)'

# How IPython runs a cell that begins with %%time, and the files of the code below that line.
_MAGIC = r"get_ipython\(\)\.run_cell_magic\('(\w+)', .*?, ('.*'|\".*\")\)"
_TIMED = ("<timed exec>", "<timed eval>")


#: Lines that only IPython knows, and cells in another language; what %time times is Python.
_OF_IPYTHON = r"(?s:\A%%(?!time|capture).*)|(?m:^([ \t]*)(?:%time\b|%[\w%].*$|!(?!=).*$))"


class _Place(NamedTuple):
    """A line of the program, as `Frame`, and what it says."""

    filename: str
    lineno: int
    function: str
    text: str

    def named(self, cell: _CellName) -> str:
        """'Cell In[4], line 3, in model: '."""
        inside = "" if self.function.startswith("<") else f", in {self.function}"
        where = cell(self.filename) or os.path.relpath(self.filename)
        return f"{_STRONG}{where}, line {self.lineno}{inside}{_END}: "


# What shows minitf's objects in a notebook; nothing of minitf needs it. A name and no import, since
# the widgets stand above: see docs/decisions/0032-objects-that-show-themselves.md.
_DISPLAY = "minitf_widgets.show"


def install() -> None:
    """Makes the IPython in which minitf was imported show its errors in short.

    A notebook's kernel shows graphs, sessions and the like as pictures, too, where it can.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):  # a terminal shows text
        with contextlib.suppress(ImportError):
            shell.extension_manager.load_extension(_DISPLAY)
    formatter = getattr(shell, "InteractiveTB", None)
    if formatter is not None and not isinstance(formatter.structured_traceback, _ShortFirst):
        formatter.structured_traceback = _ShortFirst(shell, formatter.structured_traceback)


class _ShortFirst:
    """Stands for the `structured_traceback` of IPython's formatter.

    Args:
      shell: the running IPython.
      whole: its own function, which shows everything.
    """

    def __init__(self, shell: Any, whole: Callable[..., list[str]]) -> None:
        self._shell = shell
        self._whole = whole
        self._shown: TracebackType | None = None

    def __call__(
        self,
        etype: Any = None,
        value: Any = None,
        tb: TracebackType | None = None,
        *args: Any,
        **options: Any,
    ) -> list[str]:
        """Returns the lines to show."""
        again, self._shown = tb is self._shown, tb
        if isinstance(value, BaseException) and not again:
            if self._shell.InteractiveTB.mode == "Context":
                try:
                    lines = short_traceback(value, tb, self._cell)
                except Exception:  # showing an error must not fail
                    lines = []
                if lines and self._shell.colors.lower() == "nocolor":
                    lines = [re.sub(_STYLES, "", line) for line in lines]
                if lines:
                    return lines
        return self._whole(etype, value, tb, *args, **options)

    def _cell(self, filename: str) -> str:
        """'Cell In[4]' for the file name of a cell, "" for that of a file."""
        named = self._shell.compile.format_code_name(filename)
        return " ".join(named) if named else ""


def short_traceback(
    error: BaseException, trace: TracebackType | None, cell: _CellName
) -> list[str]:
    """Returns an error in at most `MAX_LINES` lines; none when minitf knows nothing of it.

    Args:
      error: what was raised.
      trace: the way it took.
      cell: returns how a cell is called, by the file name of its code; "" for files.
    """
    places = _places(trace)
    ours = any(frame.f_code.co_filename.startswith(PACKAGE) for frame, _ in walk_tb(trace))
    about = type(getattr(error, "obj", None)).__module__  # what lacks an attribute
    message = getattr(error, "message", None) or str(error)
    hint = hint_for(message)
    if not places or not (ours or hint or about.startswith("minitf.")):
        return []
    message = "\n".join([message, *getattr(error, "__notes__", ())])
    for inside in re.findall(_TRACEBACK, message):
        for name, line, function in re.findall(_TRACEBACK_LINE, inside):
            if is_of_program(name):
                places.append(_place(name, int(line), function))
    lines = [place.named(cell) + place.text for place in places]
    if len(lines) > _MAX_PLACES:
        lines[1 : 2 - _MAX_PLACES] = ["..."]
    op: Any = getattr(error, "op", None)
    made = [_place(*f) for f in getattr(op, "traceback", ()) if is_of_program(f.filename)]
    if made and made[-1][:2] not in [place[:2] for place in places]:
        lines.append(f"{op.name!r} was made in {made[-1].named(cell)}{made[-1].text}")
    advice = ["(%tb shows the whole traceback)", ""]
    if hint:
        advice.insert(0, f"{_STRONG}Hint{_END}: {hint}")
    message = re.sub(_SOURCE, lambda found: _renamed(found, cell), re.sub(_TRACEBACK, "", message))
    said = [line.rstrip() for line in message.expandtabs(4).splitlines() if line.strip()]
    room = MAX_LINES - len(lines) - len(advice) - 1
    if len(said) > room:
        said = [*said[: room - 2], "...", said[-1]]
    name = f"{_STRONG}{type(error).__name__}{_END}"
    said[:1] = [f"{name}: {said[0]}" if said else name]
    return [*lines, "", *advice, *said]


def _places(trace: TracebackType | None) -> list[_Place]:
    """The lines of the program that an error came through, outermost first."""
    places: list[_Place] = []
    while trace is not None:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        if is_of_program(code.co_filename):
            place = _place(code.co_filename, line, code.co_name, trace.tb_frame.f_globals)
            positions = itertools.islice(code.co_positions(), trace.tb_lasti // 2, None)
            places.append(_with_fault(place, *next(positions, (None,) * 4)))
        elif code.co_filename in _TIMED and places and (magic := re.match(_MAGIC, places[-1].text)):
            below = ast.literal_eval(magic[2]).splitlines()
            text = below[line - 1].strip() if line <= len(below) else ""
            places[-1] = places[-1]._replace(lineno=1 + line, text=text)
        trace = trace.tb_next
    return places


def _place(
    filename: str, lineno: int, function: str, names: dict[str, Any] | None = None
) -> _Place:
    """A line of the program; that of the user, where AutoGraph wrote it anew."""
    if written := rewritten_lines.get((filename, lineno)):
        filename, lineno, function, _ = written
    return _Place(filename, lineno, function, linecache.getline(filename, lineno, names).strip())


def _with_fault(
    place: _Place, first: int | None, last: int | None, start: int | None, end: int | None
) -> _Place:
    """The place with the part that failed underlined; its columns count the bytes of UTF-8."""
    if first != place.lineno or start is None:
        return place
    line = linecache.getline(place.filename, place.lineno).encode().rstrip()
    before = line[:start].decode(errors="replace").lstrip()
    fault = line[start : end if first == last else None].decode(errors="replace")
    if not fault or fault == place.text:
        return place
    return place._replace(text=f"{before}{_FAULT}{fault}{_END}{place.text[len(before + fault) :]}")


def _renamed(found: re.Match[str], cell: _CellName) -> str:
    """A place in a message, by the name of its cell."""
    named = cell(found[2])
    return f"{named}, line {found[3]}" if named else found[0]


def program_of(notebook: str | bytes, name: str) -> tuple[str, str]:
    """The code of a notebook's cells in their order, without magics, and a name for tracebacks.

    Args:
      notebook: the text of the .ipynb file.
      name: what tracebacks call the code, as "<lesson.ipynb>".
    """
    cells = [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    code = "\n".join(re.sub(_OF_IPYTHON, r"\1pass;", "".join(cell["source"])) for cell in cells)
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    return code, name
