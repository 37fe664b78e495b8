"""Keeps the stubs in minitf/api in order: sorted lines, and an `__all__` for what is renamed.

    from minitf.core.ops.math import multiply as mul      one line a name, written by hand

A type checker takes `X as X` for public and `X as Y` for private, unless `__all__` lists it; so a
stub that renames gets one. A line whose module or name does not exist is reported.

    python scripts/stubs.py           rewrites what is out of order
    python scripts/stubs.py --check   only says so; exit status 1 if anything is
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
API = ROOT / "minitf/api"
_LINE = re.compile(r"^from ([\w.]+) import (\w+) as (\w+)$", re.MULTILINE)
_ALL_OF = re.compile(r"^from minitf\.api\.[\w.]+ import \*$", re.MULTILINE)


def stubs() -> list[Path]:
    """Every stub."""
    return sorted(API.rglob("*.pyi"))


def ordered(text: str) -> str:
    """The text of a stub, in order."""
    title = text.partition("\n")[0]
    lines = sorted(set(_LINE.findall(text)), key=lambda line: (line[0], line[2]))
    parts = [title, "", *sorted(_ALL_OF.findall(text))]
    parts += [f"from {module} import {name} as {own}" for module, name, own in lines]
    public = sorted(own for _, _, own in lines if not own.startswith("_"))
    if any(name != own for _, name, own in lines):
        listed = ", ".join(f'"{name}"' for name in public)
        parts += [
            "",
            "__all__ = [",
            *textwrap.wrap(listed, 96, initial_indent="    ", subsequent_indent="    "),
            "]",
        ]
    return "\n".join(parts) + "\n"


def missing(path: Path) -> list[str]:
    """The lines of a stub that lead nowhere, and names that two lines give."""
    owned = Counter(own for _, _, own in _LINE.findall(path.read_text()))
    wrong = [f"{path.name}: {own} is given twice" for own, times in owned.items() if times > 1]
    for module, name, own in _LINE.findall(path.read_text()):
        if not module.startswith("minitf") or module == "minitf":
            continue
        home = ROOT.joinpath(*module.split("."))
        inside = [home / f"{name}.py", home / f"{name}.pyi", home / name]
        files = [f for f in (home.with_suffix(".py"), home / "__init__.py") if f.is_file()]
        found = any(each.exists() for each in inside) or any(_defines(f, name) for f in files)
        if not found:
            wrong.append(f"{path.name}: {module} has no {name} (for {own})")
    return wrong


_defined: dict[Path, set[str]] = {}


def _defines(path: Path, name: str) -> bool:
    if path not in _defined:
        found = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)  # a name that the module's own `__getattr__` gives
        _defined[path] = found
    return name in _defined[path]


def main(arguments: list[str]) -> int:
    """Rewrites or checks every stub."""
    wrong = []
    for path in stubs():
        text = path.read_text()
        if text != ordered(text):
            if "--check" in arguments:
                wrong.append(f"{path.relative_to(ROOT)} is out of order: python scripts/stubs.py")
            else:
                path.write_text(ordered(text))
        wrong += missing(path)
    print(*wrong, sep="\n", file=sys.stderr, end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
