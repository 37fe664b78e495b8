"""Texts about flags and made of flags: help, files of flags, what a wrong name may have meant.

    --flagfile=base.flags --steps=9          base.flags:  --lr=0.1
              │                                           # a comment
              ▼
    --lr=0.1 --steps=9

The layout of `--help` is that of absl, whose flags TensorFlow's are.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.dom import minidom

from minitf.library.platform.flag_kinds import (
    CantOpenFlagFileError,
    IllegalFlagValueError,
    MultiEnumClassFlag,
    MultiFlag,
)

# ---- help ---------------------------------------------------------------------------------


def get_help_width() -> int:
    """How many columns a line of `--help` has: those of the terminal, or 80."""
    return shutil.get_terminal_size(fallback=(80, 1)).columns


def text_wrap(
    text: str, length: int | None = None, indent: str = "", firstline_indent: str | None = None
) -> str:
    """Breaks the lines of a text where they are too long.

    Args:
      text: its line ends are kept, its tabs become 4 spaces.
      length: how many columns a line may have; those of the terminal when None.
      indent: what begins each line.
      firstline_indent: what begins the first, if that is something else.
    Raises:
      ValueError: when an indent leaves no room.
    """
    length = get_help_width() if length is None else length
    first = indent if firstline_indent is None else firstline_indent
    for begin, what in ((indent, "indent"), (first, "first line indent")):
        if len(begin) >= length:
            raise ValueError(f"Length of {what} exceeds length")
    lines = []
    for i, line in enumerate(text.expandtabs(4).splitlines()):
        begin = indent if i else first
        broken = textwrap.wrap(line.strip(), length, initial_indent=begin, subsequent_indent=indent)
        lines += broken or [""]
    return "\n".join(lines)


def described(flags: Iterable[Any], prefix: str = "  ") -> list[str]:
    """What `--help` says of flags, by name; `prefix` begins each line."""
    texts = []
    for flag in sorted(flags, key=lambda flag: flag.name):
        short = f"-{flag.short_name}," if flag.short_name else ""
        head = f"{short}--{'[no]' * flag.boolean}{flag.name}: {flag.help}"
        texts.append(text_wrap(head, indent=f"{prefix}  ", firstline_indent=prefix))
        default = flag.default_as_str and f"default: {flag.default_as_str}"
        rest = filter(None, (default, flag.parser.syntactic_help))
        texts += [text_wrap(f"({each})", indent=f"{prefix}  ") for each in rest]
    return texts


#: characters that XML cannot hold, or had better not
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def in_xml(usage: str, flags: Iterable[tuple[str, bool, Any]]) -> str:
    """What a program and its flags are, as XML.

    Args:
      usage: what the program is.
      flags: of each flag the module, whether it matters to the program, and the flag.
    """
    document = minidom.Document()

    def add(parent: Any, tag: str, value: Any = None) -> Any:
        made = parent.appendChild(document.createElement(tag))
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            made.appendChild(document.createTextNode(_NOT_IN_XML.sub("", text)))
        return made

    top = add(document, "AllFlags")
    add(top, "program", os.path.basename(sys.argv[0]))
    add(top, "usage", usage)
    for module, is_key, flag in flags:
        element = add(top, "flag")
        for tag, value in _told(module, is_key, flag):
            add(element, tag, str(value) if value is None else value)
    return document.toprettyxml(indent="  ", encoding="utf-8").decode()


def _told(module: str, is_key: bool, flag: Any) -> Iterator[tuple[str, Any]]:
    """The elements of a flag, and what is in them."""
    parser, written = flag.parser, flag.serializer and flag.serializer.serialize
    if is_key:
        yield "key", "yes"
    yield "file", module
    yield "name", flag.name
    if flag.short_name:
        yield "short_name", flag.short_name
    yield "meaning", flag.help
    default, current = flag.default, flag.value
    if written and not isinstance(default, str):
        default = "" if default is None else written(default)
    if isinstance(flag, MultiEnumClassFlag):
        current = "" if current is None else written(current)
    yield from (("default", default), ("current", current), ("type", flag.flag_type()))
    members = getattr(getattr(parser, "enum_class", None), "__members__", ())
    yield from (("enum_value", each) for each in getattr(parser, "enum_values", members))
    if not isinstance(flag, MultiFlag):
        for bound in ("lower_bound", "upper_bound"):
            if getattr(parser, bound, None) is not None:
                yield bound, getattr(parser, bound)
        yield from (("list_separator", repr(s)) for s in getattr(parser, "separators", ()))


def suggestions(attempt: str, names: Iterable[str]) -> list[str]:
    """The names that are nearest to one that is none, unless all are far from it."""
    far = {name: _edits(attempt, name[: len(attempt)]) for name in names}
    least = min(far.values(), default=0)
    if len(attempt) <= 2 or least >= len(attempt) / 2:
        return []
    return sorted(name for name, edits in far.items() if edits == least)


def _edits(a: str, b: str) -> int:
    """How many letters to add, drop, replace, or swap with the next make `b` of `a`."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            fewest = min(row[j] + 1, last[j + 1] + 1, last[j] + (x != y))
            if i and j and x == b[j - 1] and y == a[i - 1]:
                fewest = min(fewest, before[j - 1] + 1)
            row.append(fewest)
        before, last = last, row
    return last[-1]


# ---- command lines ------------------------------------------------------------------------

_FILE = ("--flagfile", "-flagfile")


def with_files(args: Sequence[str]) -> list[str]:
    """Puts the flags that stand in files where `--flagfile` names these.

    Raises:
      CantOpenFlagFileError: when there is no such file.
      IllegalFlagValueError: when no file is named.
    """
    found, rest = list[str](), list(args)
    while rest and (not found or found[-1] != "--"):
        item = rest.pop(0)
        name, equals, path = item.partition("=")
        if name not in _FILE:
            found.append(item)
            continue
        if not equals and not rest:
            raise IllegalFlagValueError("--flagfile with no argument")
        found += _in_file(path if equals else rest.pop(0))
    return found + rest


def _in_file(path: str, within: tuple[str, ...] = ()) -> Iterator[str]:
    """The flags in a file, one a line; `within` are the files that led to it."""
    path = os.path.expanduser(path.strip())
    if not path:
        return
    if path in within:
        text = f"Warning: Hit circular flagfile dependency. Ignoring flagfile: {path}\n"
        sys.stderr.write(text)
        return
    try:
        with open(path) as file:
            lines = [line.strip() for line in file]
    except OSError as error:
        raise CantOpenFlagFileError(f"ERROR:: Unable to open flagfile: {error}") from error
    for line in lines:
        name, equals, inner = line.partition("=")
        if equals and name in _FILE:
            yield from _in_file(inner, (*within, path))
        elif line and not line.startswith(("#", "//")):
            yield line
