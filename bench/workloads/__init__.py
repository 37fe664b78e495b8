"""The workloads, one file each; `all_cases` gathers what they measure in the order of the table."""

import importlib

from bench.case import Case

ORDER = (
    "startup",
    "empty_fetch",
    "tutorial",
    "chain",
    "variable_fetch",
    "mlp",
    "first_run",
    "ping",
    "ps_variable",
    "async_sgd",
)


def all_cases() -> list[Case]:
    """Returns every case, workload by workload."""
    cases: list[Case] = []
    for name in ORDER:
        cases.extend(importlib.import_module(f"bench.workloads.{name}").CASES)
    return cases
