"""Measures minitf beside TensorFlow 2.15.1 and prints a table; `README.md` says how to read it.

    python bench/run.py                       everything, about 25 minutes
    python bench/run.py --quick               shorter samples, fewer rounds: a rough picture
    python bench/run.py --only mlp --only run the cases whose names hold one of the words
    python bench/run.py --rounds 15           more rounds, narrower spread

A run of everything is kept in `bench/results`; others are with `--out FILE`.

For each case three processes build the workload (minitf with NumPy and SciPy, minitf with all its
kernels, TensorFlow), then measure it in turns: A B C, B C A, C A B, ... Ratios are taken within a
round, so that a drift of the machine meets all of them.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import machine  # noqa: E402
from bench.case import COLUMNS, Case, Sample  # noqa: E402
from bench.process import Crowd, Process, Processes, WorkloadError  # noqa: E402
from bench.result import HEAD, RESULTS, Result, row, write  # noqa: E402
from bench.workloads import all_cases  # noqa: E402


def measure(case: Case, processes: Processes, rounds: int, scale: float) -> Result:
    """Measures one case in interleaved rounds."""
    result = Result.of(case)
    seconds = (0.25 if case.seconds is None else case.seconds) * scale
    libraries = {**dict.fromkeys(COLUMNS, "minitf"), "peer": case.peer}
    sides: dict[str, Process] = {}
    try:
        for side, library in libraries.items():
            sides[side] = asked = processes.get(library, case.threads, side)
        for asked in sides.values():
            asked.build(case)
        with Crowd(case.busy):
            for number in range(-1, min(rounds, case.rounds)):
                turn = (number + 1) % len(sides)
                order = [*sides][turn:] + [*sides][:turn]
                for side in order:
                    asked = sides[side]
                    sample = asked.sample(seconds)
                    if number >= 0:  # the first round only warms up
                        result.samples[side].append(sample)
        for asked in sides.values():
            asked.drop()
    except WorkloadError as error:
        result.error = str(error).strip().splitlines()[-1]
        result.samples = {side: [] for side in libraries}
        print(error, file=sys.stderr)
        for process in sides.values():
            processes.forget(process)
    if not case.cpu:
        for samples in result.samples.values():
            samples[:] = [Sample(s.value, 0.0, s.steps) for s in samples]
    return result


def chosen(words: list[str]) -> list[Case]:
    """Returns the cases of a workload, or with a word in their names."""
    lower = [word.lower() for word in words] or [""]
    return [
        case
        for case in all_cases()
        if any(word in case.name.lower() or word == case.workload for word in lower)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", default=[], help="part of a name; may be repeated"
    )
    parser.add_argument("--rounds", type=int, default=0, help="rounds a case (7; quick: 3)")
    parser.add_argument("--quick", action="store_true", help="short samples: a rough picture")
    parser.add_argument("--out", type=Path, help="where to keep the results")
    parser.add_argument(
        "--keep-blas-settings",
        action="store_true",
        help="leave OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE as they are set here",
    )
    arguments = parser.parse_args()
    cases = chosen(arguments.only)
    if not cases:
        parser.error(f"no case has any of {arguments.only} in its name")
    rounds = arguments.rounds or (3 if arguments.quick else 7)
    scale = 0.4 if arguments.quick else 1.0
    before = machine.load()
    processes = Processes(arguments.keep_blas_settings)
    results: dict[str, Result] = {}
    print(HEAD, flush=True)
    try:
        for case in cases:
            result = results[case.name] = measure(case, processes, rounds, scale)
            if case.busy and case.alone in results and not result.error:
                result.expect_like(results[case.alone])
            print(row(result), flush=True)
    except KeyboardInterrupt:
        print("Stopped; what has been measured until here counts.")
    finally:
        document = {
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine.facts(),
            "processes": processes.facts(),
            "blas_settings": processes.blas_settings(),
            "load": [before, machine.load()],
            "rounds": rounds,
            "quick": arguments.quick,
        }
        processes.close()
    _print_end(document, list(results.values()))
    out = arguments.out
    if out is None and not (arguments.only or arguments.quick):
        out = RESULTS / f"{time.strftime('%Y-%m-%d-%H%M')}.json"
    if out is not None:
        write(out, document, list(results.values()))
        print(f"Kept in {out}.")
    return 1 if any(result.error for result in results.values()) else 0


def _print_end(document: dict, results: list[Result]) -> None:
    marks = [(r, [r.reached(column) for column in COLUMNS]) for r in results]
    bounds: dict[str, list[str]] = {}
    for result, reached in marks:
        if False in reached and result.bound:
            bounds.setdefault(result.bound, []).append(result.case)
    for bound, cases in bounds.items():
        print(f"  {'; '.join(cases)}:\n    {bound}")
    facts = document["machine"]
    versions = "; ".join(
        f"{side}: {', '.join(f'{k} {v}' for k, v in one['versions'].items())}"
        for side, one in document["processes"].items()
    )
    asked = sum(mark is not None for _, reached in marks for mark in reached)
    short = sum(mark is False for _, reached in marks for mark in reached)
    print(
        f"\n{facts['processor']}, {facts['cores']} cores, load {document['load'][0]} before and "
        f"{document['load'][1]} after; {document['rounds']} rounds.\n{versions}.\n"
        "'base' is minitf with NumPy and SciPy, 'fast' with all its kernels, 'other' is "
        "TensorFlow or what a line names;\na ratio above 1 means that minitf took less. "
        f"{short} of {asked} fall short."
    )


if __name__ == "__main__":
    sys.exit(main())
