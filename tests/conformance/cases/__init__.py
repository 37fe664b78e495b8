"""The case tables, one module a family; `all_cases` gathers them."""

import importlib
import pkgutil

from ..case import Case


def all_cases() -> list[Case]:
    """Returns the cases of every module in this folder, in a fixed order."""
    cases: list[Case] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        cases.extend(importlib.import_module(f"{__name__}.{module.name}").CASES)
    return cases
