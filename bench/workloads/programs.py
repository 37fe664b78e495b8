"""Whole programs, as a user starts them: import, building, steps, a checkpoint.

`bench/programs` has them, one file for both sides: TensorFlow's Python runs it, or
`python -m minitf` does.
"""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from bench.case import Case, Library, Sample
from bench.workloads.startup import DONT_KEEP

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"


def _bound(steps: int, ours: float, theirs: float) -> str:
    return (
        f"TensorFlow is ready after about 2.4 s, minitf after 0.3; then {steps:,} steps take about "
        f"{ours} s in minitf and {theirs} in TensorFlow."
    )


CASES = tuple(
    Case(
        f"whole program: {what}",
        "programs",
        {"name": name},
        wanted=wanted,
        threads=None,
        rounds=5,
        bound=bound,
    )
    for name, what, wanted, bound in (
        ("linear_regression", "linear regression, 200 steps", 4.0, ""),
        ("perceptron", "MLP, 200 steps, accuracy", 5.0, _bound(200, 0.35, 0.4)),
        ("convolutions", "CNN, 200 steps, accuracy", 3.0, _bound(200, 1.7, 1.6)),
        ("lstm", "LSTM, 200 steps, accuracy", 4.0, _bound(200, 1.1, 1.7)),
        ("word2vec", "word2vec with NCE, 200 steps", 4.0, ""),
        ("classifier", "DNNClassifier, 1,000 steps", 4.0, _bound(1000, 0.8, 1.3)),
    )
)


def build(library: Library, name: str) -> "Program":
    return Program(library, PROGRAMS / f"{name}.py")


class Program:
    """Runs a program in an interpreter of its own, again and again."""

    def __init__(self, library: Library, path: Path):
        self._command = [library.python, *(["-m", library.name] * (library.name == "minitf"))]
        self._command.append(str(path))
        self._environment = {k: v for k, v in os.environ.items() if k != DONT_KEEP}

    def sample(self, seconds: float) -> Sample:
        """The seconds of one run; the very first one also fills file caches."""
        with tempfile.TemporaryDirectory(prefix="minitf-bench-") as folder:
            before, start = _seconds_of_children(), time.perf_counter()
            subprocess.run(
                [*self._command, folder], check=True, capture_output=True, env=self._environment
            )
            return Sample(time.perf_counter() - start, _seconds_of_children() - before, 1)


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
