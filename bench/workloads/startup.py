"""Importing the library in a fresh interpreter: time and memory."""

import os
import subprocess

from bench.case import Case, Library, Sample

CASES = (
    Case("import: time", "startup", {"of": "time"}, wanted=9.0, rounds=5),
    Case(
        "import: memory",
        "startup",
        {"of": "memory"},
        wanted=9.0,
        unit="MB",
        cpu=False,
        rounds=3,
    ),
    Case(
        "import: time beside `import numpy`",
        "startup",
        {"of": "time"},
        wanted=0.25,
        peer="plain",
        rounds=7,
    ),
)

DONT_KEEP = "PYTHONDONTWRITEBYTECODE"
MODULES = {"minitf": "minitf", "tensorflow": "tensorflow.compat.v1", "plain": "numpy"}

PROGRAM = """
import resource, sys, time

def memory():
    try:  # resident pages; the peak below begins with the starting process's own
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        unit = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

before, start, cpu = memory(), time.perf_counter(), time.process_time()
import {module}
took, cpu = time.perf_counter() - start, time.process_time() - cpu
print({{"time": took, "memory": memory() - before}}["{of}"], cpu)
"""


def build(library: Library, of: str) -> "FreshProgram":
    return FreshProgram(library, PROGRAM.format(module=MODULES[library.name], of=of))


class FreshProgram:
    """Starts an interpreter that runs a program, which says what that took."""

    def __init__(self, library: Library, program: str):
        self._command = [library.python, "-c", program]
        # As installed: compiled modules are kept from one start to the next.
        self._environment = {k: v for k, v in os.environ.items() if k != DONT_KEEP}

    def sample(self, seconds: float) -> Sample:
        """Returns what one run says, and its processor time; the first also fills file caches."""
        done = subprocess.run(
            self._command, capture_output=True, text=True, check=True, env=self._environment
        )
        value, cpu = map(float, done.stdout.split()[-2:])
        return Sample(value, cpu, 1)
