"""Counts what there is to read: lines, share of prose, and each package's budget of code.

A student reads `core` in a week, so each of its packages has a budget of code lines, and so have
the layers above it; no file is over 800 lines. Code is what is neither blank nor prose; prose is
docstrings and comments, and should be about a quarter of what is not blank. Stubs and the tables in
text files count as code: nothing is hidden there.

A budget is the size of a package, rounded down to the hundred, and only falls: a change that needs
more lines in one package takes them from another.

    python scripts/size.py        prints the table; exit status 1 if a package or a file is too long
"""

import ast
import functools
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE_LINES = 800

#: Code lines that a package or a layer may have. What needs more says first what it gave up.
BUDGETS = {
    "minitf": 82_700,
    "minitf/core": 19_200,
    "minitf/core/graph": 4_000,
    "minitf/core/kernels": 600,
    "minitf/core/ops": 4_400,
    "minitf/core/gradients": 1_100,
    "minitf/core/variables": 1_200,
    "minitf/core/runtime": 3_500,
    "minitf/core/train": 500,
    "minitf/core/cluster": 3_600,
    "minitf/library": 49_600,
    "minitf/library/clusters": 2_500,
    "minitf/library/datasets": 1_000,
    "minitf/library/distribute": 3_200,
    "minitf/library/estimator": 2_700,
    "minitf/library/feature_columns": 800,
    "minitf/library/keras": 8_300,
    "minitf/library/input/data": 3_600,
    "minitf/library/trees": 700,
    "minitf/fast": 5_500,
    "minitf/compat": 5_900,
    "widgets/minitf_widgets": 8_200,
    "widgets/src": 9_700,
}
PLACES = ("minitf", "widgets/minitf_widgets", "widgets/src", "tests", "bench", "scripts")
SUFFIXES = {".py", ".pyi", ".ts", ".css"}
TABLES = "minitf"  # the place whose text files count, too


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
    """Counts one file; prose is counted in Python files, and comments in tables."""
    text = path.read_text()
    lines = text.splitlines()
    blank = sum(not line.strip() for line in lines)
    prose = 0
    if path.suffix in (".py", ".pyi"):
        prose = len(lines) - blank - len(code_lines(text))
    elif path.suffix == ".txt":
        prose = sum(line.startswith("#") for line in lines)
    return Size(str(path.relative_to(root)), len(lines), prose, blank)


def code_lines(text: str) -> set[int]:
    """The numbers of a Python file's lines that are neither blank nor prose."""
    prose, inside = set(), set()  # `inside`: lines that begin within a string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                docstring = node.body[0]
                prose.update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
        elif isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            inside.update(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    lines = list(enumerate(text.splitlines(), 1))
    prose |= {row for row, line in lines if line.lstrip().startswith("#")} - inside
    return {row for row, line in lines if line.strip() and row not in prose}


@functools.cache
def sizes(root: Path = ROOT) -> list[Size]:
    """Measures every source file of the project."""
    paths = [path for place in PLACES for path in sorted((root / place).rglob("*"))]
    tables = (root / TABLES).rglob("*.txt")
    own = [path for path in paths if path.suffix in SUFFIXES and "static" not in path.parts]
    return [measure(path, root) for path in [*own, *sorted(tables)]]


def too_long(root: Path = ROOT) -> list[Size]:
    """Lists the files over the budget, longest first."""
    files = [size for size in sizes(root) if not size.path.endswith(".txt")]
    over = [size for size in files if size.lines > MAX_FILE_LINES]
    return sorted(over, key=lambda size: -size.lines)


def over_budget(root: Path = ROOT) -> list[str]:
    """Says of each package and layer over its budget by how much."""
    found = sizes(root)
    lines = []
    for package, budget in BUDGETS.items():
        code = sum(size.code for size in found if size.path.startswith(f"{package}/"))
        if code // 100 * 100 > budget:
            lines.append(f"{package}: {code:,} lines of code, over its budget of {budget:,}")
    return lines


def _package(path: str) -> str:
    """Names the row of the table that a file belongs to: three folders deep in minitf, or two."""
    parts = path.split("/")
    return "/".join(parts[: 3 if parts[0] == "minitf" else 2][: max(len(parts) - 1, 1)])


def main() -> int:
    """Prints one row a package, and what is over its budget."""
    table = defaultdict(list)
    for size in sizes():
        table[_package(size.path)].append(size)
    print(
        f"{'package':<26}{'files':>6}{'lines':>8}{'code':>8}{'budget':>8}{'prose':>7}  longest file"
    )
    for package, found in table.items():
        print(_row(package, found))
    measured = [size for found in table.values() for size in found]
    for layer in [package for package in BUDGETS if package.count("/") < 2]:
        print(_row(layer, [size for size in measured if size.path.startswith(f"{layer}/")]))

    long = [f"{size.path}: {size.lines} lines, over {MAX_FILE_LINES}" for size in too_long()]
    for line in (wrong := long + over_budget()):
        print(line, file=sys.stderr)
    return bool(wrong)


def _row(package: str, found: list[Size]) -> str:
    lines, code = sum(size.lines for size in found), sum(size.code for size in found)
    prose = sum(size.prose for size in found)
    share = prose / (prose + code) if code else 0.0
    longest = max(found, key=lambda size: size.lines)
    name = f"{longest.path.split('/')[-1]} {longest.lines}"
    budget = BUDGETS.get(package, "")
    return f"{package:<26}{len(found):>6}{lines:>8}{code:>8}{budget:>8}{share:>7.0%}  {name}"


if __name__ == "__main__":
    sys.exit(main())
