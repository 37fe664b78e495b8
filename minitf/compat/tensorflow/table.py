"""Reads `tree.txt`: which module of TensorFlow's tree is which namespace of minitf."""

from __future__ import annotations

from pathlib import Path


def _read(tree: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in tree.splitlines():
        modules, colon, places = line.partition(":")
        if colon and not line.startswith("#"):
            for module, name in _each(modules):
                more = [place.replace("*", name) for place in places.split()]
                table[module] = (*table.get(module, ()), *more)
                while module := module.rpartition(".")[0]:
                    table.setdefault(module, ())
    return table


def _each(modules: str) -> list[tuple[str, str]]:
    """`a.{b,c}` as the modules a.b and a.c, each beside its own name."""
    package, brace, names = modules.partition("{")
    if not brace:
        return [(modules, "")]
    return [(package + name, name) for name in names.rstrip("}").split(",")]


#: module of TensorFlow's tree -> namespaces of minitf, in the order of looking
TABLE: dict[str, tuple[str, ...]] = _read(Path(__file__).with_name("tree.txt").read_text())
