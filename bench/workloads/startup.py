"""Importing the library in a fresh interpreter: time and memory."""

import subprocess

from bench.case import Case, Library, Sample, repeat

CASES = (
    Case("import: time", "startup", {"of": "time"}, wanted=9.0, seconds=0.0, rounds=5, cpu=False),
    Case(
        "import: memory",
        "startup",
        {"of": "memory"},
        wanted=9.0,
        unit="MB",
        seconds=0.0,
        rounds=3,
        cpu=False,
    ),
    Case(
        "import: time beside `import numpy`",
        "startup",
        {"of": "time"},
        wanted=0.25,
        peer="plain",
        seconds=0.0,
        rounds=7,
        cpu=False,
    ),
)

MODULES = {"minitf": "minitf", "tensorflow": "tensorflow.compat.v1", "plain": "numpy"}

PROGRAM = """
import resource, sys, time

def memory():
    try:  # resident pages; the peak below begins with the starting process's own
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        unit = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

before, start = memory(), time.perf_counter()
import {module}
took = time.perf_counter() - start
print({{"time": took, "memory": memory() - before}}["{of}"])
"""


def build(library: Library, of: str) -> "Importing":
    return Importing(library, of)


class Importing:
    """Starts an interpreter that imports the library and says what that took."""

    def __init__(self, library: Library, of: str):
        program = PROGRAM.format(module=MODULES[library.name], of=of)
        self._command = [library.python, "-c", program]

    def sample(self, seconds: float) -> Sample:
        """Returns seconds or megabytes of one import; the very first one also fills file caches."""
        return repeat(self._once, seconds, least=1)

    def _once(self) -> float:
        done = subprocess.run(self._command, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1])
