"""Measures minitf beside TensorFlow 2.15.1 and prints a table; `README.md` says how to read it.

    python bench/run.py                       everything, about eight minutes
    python bench/run.py --quick               shorter samples, fewer rounds: a rough picture
    python bench/run.py --only mlp --only run the cases whose names hold one of the words
    python bench/run.py --rounds 15           more rounds, narrower spread

For each case both processes build the workload, then measure it in turns: A B, B A, A B, ... The
ratio is taken within a round, so that a drift of the machine meets both sides.
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import machine  # noqa: E402
from bench.case import Case, Sample  # noqa: E402
from bench.process import Crowd, Process, Processes, WorkloadError  # noqa: E402
from bench.workloads import all_cases  # noqa: E402

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass
class Result:
    """What one case gave; values in seconds or megabytes, ratios above 1 are ours."""

    case: str
    unit: str
    peer: str
    threads: int | None
    wanted: float | None
    limit: float | None
    ours: list[Sample] = field(default_factory=list)
    theirs: list[Sample] = field(default_factory=list)
    error: str = ""
    bound: str = ""

    def ratios(self) -> list[float]:
        """Returns the other side's value divided by ours, round by round."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return [theirs.value / max(ours.value, 1e-12) for ours, theirs in pairs]

    def cpu_ratio(self) -> float | None:
        """Returns the median ratio of processor time, None where it means nothing."""
        pairs = [(a, b) for a, b in zip(self.ours, self.theirs, strict=True) if a.cpu and b.cpu]
        return statistics.median(b.cpu / a.cpu for a, b in pairs) if pairs else None

    def reached(self) -> bool | None:
        """Whether what is wanted was reached; None where nothing is."""
        if self.error or (self.wanted is None and self.limit is None):
            return None
        if self.limit is not None:
            return statistics.median(s.value for s in self.ours) <= self.limit
        assert self.wanted is not None
        return statistics.median(self.ratios()) >= self.wanted

    def summary(self) -> dict[str, Any]:
        """Returns plain values for the results file."""
        plain = asdict(self)
        if not self.error:
            ratios = sorted(self.ratios())
            plain.update(
                ratio=round(statistics.median(ratios), 3),
                spread=[round(ratios[0], 3), round(ratios[-1], 3)],
                cpu_ratio=self.cpu_ratio(),
                reached=self.reached(),
            )
        return plain


def measure(case: Case, processes: Processes, rounds: int, scale: float) -> Result:
    """Measures one case in interleaved rounds."""
    result = Result(
        case.name, case.unit, case.peer, case.threads, case.wanted, case.limit, bound=case.bound
    )
    seconds = (0.25 if case.seconds is None else case.seconds) * scale
    ours = processes.get("minitf", case.threads, "ours")
    theirs = processes.get(case.peer, case.threads, "peer")
    asked: Process = ours
    try:
        for asked in (ours, theirs):
            asked.build(case)
        with Crowd(case.busy):
            for number in range(-1, min(rounds, case.rounds)):
                pair = ((ours, result.ours), (theirs, result.theirs))
                for asked, samples in pair if number % 2 else reversed(pair):
                    sample = asked.sample(seconds)
                    if number >= 0:  # the first round only warms up
                        samples.append(sample)
        for asked in (ours, theirs):
            asked.drop()
    except WorkloadError as error:
        result.error = f"{asked.library}: {str(error).strip().splitlines()[-1]}"
        result.ours, result.theirs = [], []
        print(error, file=sys.stderr)
        for process in (ours, theirs):
            processes.forget(process)
    if not case.cpu:
        for samples in (result.ours, result.theirs):
            samples[:] = [Sample(s.value, 0.0, s.steps) for s in samples]
    return result


def row(result: Result) -> str:
    """Returns one line of the table."""
    name = result.case[:52]
    if result.error:
        return f"{name:<52} {'failed: ' + result.error[:90]}"
    ours = statistics.median(s.value for s in result.ours)
    theirs = statistics.median(s.value for s in result.theirs)
    ratios = sorted(result.ratios())
    ratio = statistics.median(ratios)
    cpu = result.cpu_ratio()
    wanted = f"{result.wanted:g}x" if result.wanted is not None else ""
    if result.limit is not None:
        wanted = f"< {_value(result.limit, result.unit)}"
    mark = {True: "yes", False: "NO", None: ""}[result.reached()]
    return (
        f"{name:<52} {_value(ours, result.unit):>9} {_value(theirs, result.unit):>9} "
        f"{_ratio(ratio):>7} {_ratio(ratios[0]):>6}-{_ratio(ratios[-1]):<6}"
        f"{_ratio(cpu) if cpu else '':>6} {wanted:>8} {mark:>4}"
    )


HEAD = (
    f"{'':<52} {'minitf':>9} {'other':>9} {'ratio':>7} {'(spread)':>10}   {'CPU':>6} {'wanted':>8}"
)


def _value(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.1f} {unit}"
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def _ratio(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.2g}x" if ratio < 1 else f"{ratio:.1f}x"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", default=[], help="part of a name; may be repeated"
    )
    parser.add_argument("--rounds", type=int, default=0, help="rounds a case (7; quick: 3)")
    parser.add_argument("--quick", action="store_true", help="short samples: a rough picture")
    parser.add_argument("--out", type=Path, help="results file; default: bench/results/DATE.json")
    arguments = parser.parse_args()
    words = [word.lower() for word in arguments.only] or [""]
    cases = [
        case
        for case in all_cases()
        if any(word in case.name.lower() or word == case.workload for word in words)
    ]
    if not cases:
        parser.error(f"no case has any of {arguments.only} in its name")
    rounds = arguments.rounds or (3 if arguments.quick else 7)
    scale = 0.4 if arguments.quick else 1.0
    before = machine.load()
    processes = Processes()
    results = []
    print(HEAD, flush=True)
    try:
        for case in cases:
            results.append(measure(case, processes, rounds, scale))
            print(row(results[-1]), flush=True)
        versions = processes.versions()
    finally:
        processes.close()
    short = [r for r in results if r.reached() is False]
    for result in short:
        if result.bound:
            print(f"  {result.case}: {result.bound}")
    facts = machine.facts()
    took_part = ", ".join(f"{name} {version}" for name, version in versions.items())
    print(
        f"\n{facts['processor']}, {facts['cores']} cores, load {before} before and "
        f"{machine.load()} after; {took_part}; NumPy {facts['numpy']['version']}, "
        f"{facts['numpy']['blas']}; {rounds} rounds.\n'other' is TensorFlow, or what a line names; "
        f"a ratio above 1 means that minitf took less. {len(short)} of "
        f"{sum(r.reached() is not None for r in results)} fall short."
    )
    out = arguments.out or RESULTS / f"{time.strftime('%Y-%m-%d-%H%M')}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "machine": facts,
        "load": [before, machine.load()],
        "versions": versions,
        "rounds": rounds,
        "quick": arguments.quick,
        "results": [result.summary() for result in results],
    }
    out.write_text(json.dumps(document, indent=1) + "\n")
    print(f"Kept in {out}.")
    return 1 if any(result.error for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
