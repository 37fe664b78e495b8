"""The workloads, one file each; `all_cases` gathers what they measure in the order of the table."""

import importlib

from bench.case import Case, crowded, on_all_cores

ORDER = (
    "startup",
    "empty_fetch",
    "tutorial",
    "chain",
    "variable_fetch",
    "while_loop",
    "mlp",
    "cnn",
    "lstm",
    "ridge",
    "embedding",
    "products",
    "elementwise",
    "images",
    "pipelines",
    "checkpoints",
    "first_run",
    "cold",
    "programs",
    "keras",
    "ping",
    "ps_variable",
    "transfers",
    "all_reduce",
    "async_sgd",
)


def all_cases() -> list[Case]:
    """Returns every case, workload by workload; then those on all cores, and beside neighbours."""
    cases: list[Case] = []
    for name in ORDER:
        cases.extend(importlib.import_module(f"bench.workloads.{name}").CASES)
    return (
        cases
        + [on_all_cores(case) for case in cases if case.cores]
        + [crowded(case) for case in cases if case.crowd]
    )
