"""Counts what there is to read: lines, share of prose, and the longest file of each room.

A student is to read the whole library, so no file is over 800 lines, and the aim for minitf is
15,000 lines of code at most. Code is what is neither blank nor prose; prose is docstrings and
comments, and should be about a quarter of what is not blank.

    python scripts/size.py        prints the table; exit status 1 if a file is too long
"""

import ast
import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE_LINES = 800
AIM_LIBRARY_CODE = 15_000
PLACES = ("minitf", "widgets/minitf_widgets", "widgets/src", "tests", "bench", "scripts")
SUFFIXES = {".py", ".ts", ".css"}


@dataclass(frozen=True)
class Size:
    """What one file holds, in lines; `prose` and `blank` are parts of `lines`."""

    path: str
    lines: int
    prose: int
    blank: int

    @property
    def code(self) -> int:
        """Lines that are neither blank nor prose."""
        return self.lines - self.prose - self.blank


def measure(path: Path, root: Path = ROOT) -> Size:
    """Counts one file; only Python files have their prose counted."""
    text = path.read_text()
    lines = text.splitlines()
    blank = sum(not line.strip() for line in lines)
    prose = _prose(text, lines) if path.suffix == ".py" else 0
    return Size(str(path.relative_to(root)), len(lines), prose, blank)


def _prose(text: str, lines: list[str]) -> int:
    """Counts lines of docstrings and lines that hold nothing but a comment; blank ones aside."""
    rows = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                rows.update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            rows.add(token.start[0])
    return sum(bool(lines[row - 1].strip()) for row in rows)


def sizes(root: Path = ROOT) -> Iterator[Size]:
    """Measures every source file of the project."""
    for place in PLACES:
        for path in sorted((root / place).rglob("*")):
            if path.suffix in SUFFIXES and "static" not in path.parts:
                yield measure(path, root)


def too_long(root: Path = ROOT) -> list[Size]:
    """Lists the files over the budget, longest first."""
    over = [size for size in sizes(root) if size.lines > MAX_FILE_LINES]
    return sorted(over, key=lambda size: -size.lines)


def _room(path: str) -> str:
    """Names the row of the table that a file belongs to: two folders deep, or the file itself."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 or parts[0] == "minitf" else parts[0]


def main() -> int:
    """Prints one row a room, and the files that are too long."""
    table = defaultdict(list)
    for size in sizes():
        table[_room(size.path)].append(size)
    print(f"{'room':<26}{'files':>6}{'lines':>8}{'code':>8}{'prose':>7}  longest file")
    for room, found in table.items():
        print(_row(room, found))
    library = [size for size in sizes() if size.path.startswith("minitf/")]
    print(_row("minitf in all", library))
    code = sum(size.code for size in library)
    print(f"minitf holds {code:,} lines of code; the aim is {AIM_LIBRARY_CODE:,} at most.")

    long = too_long()
    for size in long:
        print(f"{size.path}: {size.lines} lines, over {MAX_FILE_LINES}", file=sys.stderr)
    return bool(long)


def _row(room: str, found: list[Size]) -> str:
    lines, code = sum(size.lines for size in found), sum(size.code for size in found)
    prose = sum(size.prose for size in found)
    share = prose / (prose + code) if code else 0.0
    longest = max(found, key=lambda size: size.lines)
    name = f"{longest.path.split('/')[-1]} {longest.lines}"
    return f"{room:<26}{len(found):>6}{lines:>8}{code:>8}{share:>7.0%}  {name}"


if __name__ == "__main__":
    sys.exit(main())
