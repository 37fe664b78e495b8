"""The process that holds one library and measures what it is told to.

It lives as long as the benchmarks run, so that both libraries are warm and idle while the other one
is measured. Requests and answers are one JSON object a line.

    {"do": "build", "case": name}      builds the workload in a fresh graph and warms it up
    {"do": "sample", "seconds": s}     measures it
    {"do": "drop"}                     lets go of it
"""

import gc
import importlib.util
import json
import os
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import machine  # noqa: E402
from bench.case import Library, time_calls  # noqa: E402
from bench.workloads import all_cases  # noqa: E402

PATIENCE = 300.0  # seconds that kernels may take to be translated, once on each machine


def library_of(name: str, threads: int | None) -> Library:
    """Imports the library named `name`."""
    tf: Any = None
    if name == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
        tf = importlib.import_module("tensorflow.compat.v1")
        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.FATAL)
    elif name == "minitf":
        tf = importlib.import_module("minitf")
    return Library(name, tf, sys.executable, threads)


class Worker:
    """Holds at most one workload at a time."""

    def __init__(self, library: Library, side: str):
        self._library = library
        self._side = side
        self._cases = {case.name: case for case in all_cases()}
        self._workload: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "build":
            self._build(request["case"])
            return {}
        if request["do"] == "sample":
            self._settle()
            if hasattr(self._workload, "sample"):
                return asdict(self._workload.sample(request["seconds"]))
            return asdict(time_calls(self._workload, request["seconds"]))
        if request["do"] == "drop":
            self._drop()
            return {}
        raise ValueError(f"unknown request {request['do']!r}")

    def _build(self, name: str) -> None:
        self._drop()
        case = self._cases[name]
        module = importlib.import_module(f"bench.workloads.{case.workload}")
        peers = self._side == "peer" and case.peer_build
        build = getattr(module, case.peer_build if peers else case.build)
        if self._library.tf is None:
            self._workload = build(self._library, **case.parameters)
            return
        with self._library.tf.Graph().as_default():
            self._workload = build(self._library, **case.parameters)
        if callable(self._workload):
            for _ in range(5):
                self._workload()
        gc.collect()

    def _settle(self) -> None:
        """Waits for kernels that the warm-up made load in the background."""
        if self._library.name == "minitf" and importlib.util.find_spec("minitf.fast"):
            importlib.import_module("minitf.fast.loader").ready(PATIENCE)

    def _drop(self) -> None:
        self._workload = None
        self._library.close()
        gc.collect()


def main() -> None:
    name, threads, side = sys.argv[1:4]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the library prints must not mix with the answers
    library = library_of(name, int(threads) or None)
    worker = Worker(library, side)
    print(json.dumps(machine.process_facts(library)), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)
    library.close()
    os._exit(0)  # a server's threads would keep the process


if __name__ == "__main__":
    main()
