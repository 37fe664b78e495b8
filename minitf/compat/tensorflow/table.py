"""Reads `tree.txt`: which module of TensorFlow's tree is which namespace of minitf."""

from __future__ import annotations

from pathlib import Path


def _read(tree: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in tree.splitlines():
        module, colon, places = line.partition(":")
        if colon and not line.startswith("#"):
            table[module] = (*table.get(module, ()), *places.split())
    for module, found in table.items():
        if module.startswith("python."):
            table[module] = (*found, "compat.internals")
    return table


#: module of TensorFlow's tree -> namespaces of minitf, in the order of looking
TABLE: dict[str, tuple[str, ...]] = _read(Path(__file__).with_name("tree.txt").read_text())
