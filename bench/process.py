"""The long-lived processes of a run, as the program that leads them sees them."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.case import COLUMNS, Case, Sample

ROOT = Path(__file__).resolve().parent.parent
WORKER = ROOT / "bench" / "worker.py"
THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
#: Settings that force the code of another processor on NumPy's and SciPy's OpenBLAS, and which
#: TensorFlow does not listen to.
BLAS_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
SPIN = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0))).start()
while True: pass
"""


class WorkloadError(Exception):
    """A workload could not be built or measured; the text is the other process's traceback."""


def tensorflow_python() -> str:
    """Returns the interpreter that has TensorFlow; ends the program with a sentence if none has."""
    script = ROOT / "tests" / "conformance" / "oracle_venv.py"
    found = subprocess.run([sys.executable, str(script), "--find"], capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(found.stderr.strip())
    return found.stdout.strip()


class Process:
    """A `worker.py` with one library and one setting of threads.

    Args:
      library: "minitf", "tensorflow" or "plain".
      python: its interpreter.
      threads: threads for one op, None for the library's default.
      side: a column of the table, or "peer".
      without: variables of the environment that it must not see.
    """

    def __init__(
        self,
        library: str,
        python: str,
        threads: int | None,
        side: str,
        without: Sequence[str] = BLAS_VARIABLES,
    ):
        self.library = library
        left_out = {*THREAD_VARIABLES, *without, "TF_CONFIG", "MINITF_TIERS"}
        environment = {k: v for k, v in os.environ.items() if k not in left_out}
        if tiers := COLUMNS.get(side):
            environment["MINITF_TIERS"] = tiers
        if threads is not None:
            environment.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
        self._process = subprocess.Popen(
            [python, str(WORKER), library, str(threads or 0), side],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        self.facts = self._read()

    def build(self, case: Case) -> None:
        """Builds the workload of `case` and warms it up."""
        self._ask({"do": "build", "case": case.name})

    def sample(self, seconds: float) -> Sample:
        """Measures the workload once."""
        return Sample(**self._ask({"do": "sample", "seconds": seconds}))

    def drop(self) -> None:
        """Lets go of the workload and of the processes it has started."""
        self._ask({"do": "drop"})

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        if "error" in answer:
            raise WorkloadError(f"{answer['error'].strip()} (in the process of {self.library})")
        return answer

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkloadError(f"the process of {self.library} ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Processes:
    """Starts each kind of process at its first use and keeps it.

    Args:
      keep_blas_settings: whether `BLAS_VARIABLES` hold in the processes as they do here.
    """

    def __init__(self, keep_blas_settings: bool = False) -> None:
        self._tensorflow = tensorflow_python()
        self._without = () if keep_blas_settings else BLAS_VARIABLES
        self._kept: dict[tuple[str, int | None, str], Process] = {}

    def get(self, library: str, threads: int | None, side: str) -> Process:
        """Returns the process of this kind."""
        key = (library, threads, side)
        if key not in self._kept:
            python = self._tensorflow if library == "tensorflow" else sys.executable
            self._kept[key] = Process(library, python, threads, side, self._without)
        return self._kept[key]

    def forget(self, process: Process) -> None:
        """Ends a process that has failed, so that the next case gets a fresh one."""
        for key, kept in list(self._kept.items()):
            if kept is process:
                del self._kept[key]
        process.close()

    def facts(self) -> dict[str, dict[str, Any]]:
        """Returns what took part: versions, tiers and BLAS of each side's first process."""
        found: dict[str, dict[str, Any]] = {}
        for (library, _, side), process in self._kept.items():
            found.setdefault(library if side == "peer" else side, process.facts)
        return found

    def blas_settings(self) -> dict[str, Any]:
        """Returns which settings of OpenBLAS were set where the benchmarks began, and for them."""
        here = {name: os.environ[name] for name in BLAS_VARIABLES if name in os.environ}
        return {"set": here, "kept": not self._without}

    def close(self) -> None:
        """Ends all of them."""
        for process in self._kept.values():
            process.close()
        self._kept.clear()


class Crowd:
    """Processes that do nothing but keep the processor busy, while the `with` block lasts."""

    def __init__(self, size: int):
        self._size = size
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Crowd":
        self._processes = [
            subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE)
            for _ in range(self._size)
        ]
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
