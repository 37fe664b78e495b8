"""Steps of minitf beside TensorFlow, PyTorch and JAX, where installed, on a processor or a card.

    python bench/frameworks.py                   on the processor, default threads
    python bench/frameworks.py --device gpu      on a card: MLP, CNN and LSTM, batch 128
    python bench/frameworks.py --rounds 10 --out FILE

A run on the processor of all models and programs is kept in `bench/results/frameworks`.

Each program runs in a process of its own; they take turns, and a step counts when the device has
finished it. "launch" is what starting an empty kernel costs: on a card a step of n kernels cannot
take less than n times that, unless its kernels are captured as one graph.
"""

import argparse
import ctypes
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import machine  # noqa: E402
from bench.frameworks_worker import MODELS  # noqa: E402
from bench.process import tensorflow_python  # noqa: E402
from bench.result import RESULTS, times  # noqa: E402

ON_A_CARD = ("mlp", "cnn", "lstm")
#: Each program, and the package without which it is left out.
PROGRAMS = {"minitf": "numpy", "torch": "torch", "torch.compile": "torch", "jax": "jax"}
OF_TENSORFLOW = "tensorflow"  # has an interpreter of its own
KEPT = RESULTS / "frameworks"
NO_CARD = "There is no CUDA card here (or its driver cannot be loaded): nothing was measured."


def cards() -> int:
    """Returns how many CUDA cards the driver sees."""
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            driver = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int(0)
        if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
            return count.value
    return 0


def installed(device: str) -> dict[str, str]:
    """Returns the programs whose package is there, with their interpreters."""
    needed = PROGRAMS | ({"minitf": "cupy"} if device == "gpu" else {})
    found = [name for name, package in needed.items() if importlib.util.find_spec(package)]
    others = {OF_TENSORFLOW: tensorflow_python()} if device == "cpu" else {}
    return {**dict.fromkeys(found, sys.executable), **others}


def table(samples: Mapping[str, Mapping[str, Sequence[float]]]) -> list[str]:
    """Returns the lines of the table.

    Args:
      samples: for each model and program, seconds a step, one sample a round.
    Returns: for each model and program, steps a second, and minitf's share of the program's time
      with its spread.
    """
    lines = [f"{'':<9} {'program':<14} {'steps/s':>9} {'ratio':>7} {'(spread)':>13}"]
    for model, programs in samples.items():
        ours = programs.get("minitf", ())
        for program, seconds in programs.items():
            line = f"{model:<9} {program:<14} {1.0 / median(seconds):>9.0f}"
            if program != "minitf" and ours:
                ratios = [theirs / mine for mine, theirs in zip(ours, seconds)]
                spread = f"{times(min(ratios))}-{times(max(ratios))}"
                line += f" {times(median(ratios)):>7} {spread:>13}"
            lines.append(line)
    return lines


class _Program:
    """One process of `frameworks_worker.py`."""

    def __init__(self, name: str, python: str, device: str) -> None:
        self._process = subprocess.Popen(
            [python, str(ROOT / "bench" / "frameworks_worker.py"), name, device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def ask(self, **request: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("A program ended before it answered; see its message above.")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30.0)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--only", choices=MODELS, action="append", help="one of the models")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a sample")
    parser.add_argument("--out", type=Path, help="where to keep the samples, as JSON")
    options = parser.parse_args(arguments)
    if options.device == "gpu" and not cards():
        print(NO_CARD)
        return 0
    pythons = installed(options.device)
    programs = {name: _Program(name, python, options.device) for name, python in pythons.items()}
    left_out = sorted(set(PROGRAMS) - set(programs))
    if left_out:
        print(f"Not installed, left out: {', '.join(left_out)}.")
    limits = machine.limits(options.seconds) if options.device == "cpu" else {}
    samples: dict[str, dict[str, list[float]]] = {}
    versions = {}
    try:
        for name, program in programs.items():
            facts = program.ask(do="facts")
            versions[name] = facts["version"]
            print(f"{name}: {facts['version']}; launch {facts['launch'] * 1e6:.1f} us")
        for model in options.only or (ON_A_CARD if options.device == "gpu" else MODELS):
            for program in programs.values():
                program.ask(do="build", model=model)
            of_model = samples[model] = {name: [] for name in programs}
            for number in range(-1, options.rounds):
                for name, program in [*programs.items()][:: 1 if number % 2 else -1]:
                    value = program.ask(do="sample", seconds=options.seconds)
                    if number >= 0:
                        of_model[name].append(value)
    finally:
        for program in programs.values():
            program.close()
    print("\n".join(table(samples)))
    out = options.out
    if out is None and options.device == "cpu" and not (left_out or options.only):
        out = KEPT / f"{time.strftime('%Y-%m-%d-%H%M')}.json"
        out.parent.mkdir(exist_ok=True)
    if out:
        facts = {"date": time.strftime("%Y-%m-%d"), "machine": machine.facts()}
        facts |= {"device": options.device, "versions": versions, "rounds": options.rounds}
        kept = {**facts, "limits": limits, "samples": samples}
        out.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
