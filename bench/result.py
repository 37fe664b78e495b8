"""What a case gave: samples, ratios, the line of the table, and how results are kept in a file.

A ratio is the other side's value divided by ours, taken within a round; above 1 minitf took less.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.case import COLUMNS, Case, Sample

RESULTS = Path(__file__).resolve().parent / "results"
NAME = 56  # characters of a case's name in the table


@dataclass
class Result:
    """What one case gave; values in seconds or megabytes.

    case: the case's name.
    wanted: for each column the ratio that is wanted, None where nothing is.
    samples: for each column, and for "peer", one sample a round.
    alone: the case of which this is the one on all cores (`threads` is None) or beside neighbours.
    """

    case: str
    workload: str
    unit: str
    peer: str
    threads: int | None
    wanted: dict[str, float | None]
    limit: float | None = None
    alone: str = ""
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    error: str = ""
    bound: str = ""

    @staticmethod
    def of(case: Case) -> "Result":
        """Returns the result of a case that has not been measured yet."""
        return Result(
            case.name,
            case.workload,
            case.unit,
            case.peer,
            case.threads,
            case.targets(),
            case.limit,
            case.alone,
            {side: [] for side in (*COLUMNS, "peer")},
            bound=case.bound,
        )

    def value(self, side: str) -> float:
        """Returns the median of one side."""
        return median(sample.value for sample in self.samples[side])

    def ratios(self, column: str) -> list[float]:
        """Returns the ratios of a column, round by round."""
        pairs = zip(self.samples[column], self.samples["peer"], strict=True)
        return [theirs.value / max(ours.value, 1e-12) for ours, theirs in pairs]

    def ratio(self, column: str) -> float:
        """Returns the median ratio of a column."""
        return median(self.ratios(column))

    def cpu_ratio(self, column: str) -> float | None:
        """Returns the median ratio of processor time, None where it means nothing."""
        pairs = zip(self.samples[column], self.samples["peer"], strict=True)
        ratios = [theirs.cpu / ours.cpu for ours, theirs in pairs if ours.cpu and theirs.cpu]
        return median(ratios) if ratios else None

    def reached(self, column: str) -> bool | None:
        """Whether a column reached what is wanted; None where nothing is."""
        wanted = self.wanted[column]
        if self.error or (wanted is None and self.limit is None):
            return None
        if self.limit is not None:
            return self.value(column) <= self.limit
        return self.ratio(column) >= wanted

    def expect_like(self, alone: "Result") -> None:
        """Wants nothing of NumPy and SciPy beside neighbours where they alone were not above 1."""
        if alone.error or alone.ratio("base") <= 1.0:
            self.wanted["base"] = None

    def plain(self) -> dict[str, Any]:
        """Returns plain values for the results file."""
        plain = asdict(self)
        plain["samples"] = {
            side: [[*map(_short, (one.value, one.cpu)), one.steps] for one in samples]
            for side, samples in self.samples.items()
        }
        if not self.error:
            for key, found in (("ratio", self.ratio), ("cpu_ratio", self.cpu_ratio)):
                plain[key] = {column: _short(found(column)) for column in COLUMNS}
            plain["spread"] = {
                column: [_short(min(self.ratios(column))), _short(max(self.ratios(column)))]
                for column in COLUMNS
            }
            plain["reached"] = {column: self.reached(column) for column in COLUMNS}
        return plain

    @staticmethod
    def from_plain(plain: dict[str, Any]) -> "Result":
        """Reads what `plain` wrote."""
        fields = {k: v for k, v in plain.items() if k in Result.__dataclass_fields__}
        fields["samples"] = {
            side: [Sample(*one) for one in samples] for side, samples in plain["samples"].items()
        }
        return Result(**fields)


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def write(path: Path, document: dict[str, Any], results: list[Result]) -> None:
    """Writes a results file: the facts of the run, then one line a case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps(document, indent=1)[:-2]
    lines = ",\n".join(json.dumps(result.plain()) for result in results)
    path.write_text(f'{head},\n "results": [\n{lines}\n]}}\n')


def read(path: Path) -> tuple[dict[str, Any], list[Result]]:
    """Returns the facts and the results of a file."""
    document = json.loads(path.read_text())
    return document, [Result.from_plain(plain) for plain in document.pop("results")]


# ---- the table ---------------------------------------------------------------------------

HEAD = (
    f"{'':<{NAME}} {'base':>8} {'fast':>8} {'other':>8}"
    f"  {'base':>6} {'(spread)':>11} {'wanted':>7}     {'fast':>6} {'(spread)':>11} {'wanted':>7}"
)


def row(result: Result) -> str:
    """Returns one line of the table."""
    name = f"{result.case[:NAME]:<{NAME}}"
    if result.error:
        return f"{name} failed: {result.error[:90]}"
    values = " ".join(f"{amount(result.value(s), result.unit):>8}" for s in (*COLUMNS, "peer"))
    return f"{name} {values} " + " ".join(_column(result, column) for column in COLUMNS)


def _column(result: Result, column: str) -> str:
    ratios = result.ratios(column)
    spread = f"{times(min(ratios))}-{times(max(ratios))}"
    target = result.wanted[column]
    wanted = "" if target is None else f"{target:g}x"
    if result.limit is not None:
        wanted = f"<{amount(result.limit, result.unit)}"
    mark = {True: "yes", False: "NO", None: ""}[result.reached(column)]
    return f" {times(result.ratio(column)):>6} {spread:>11} {wanted:>7} {mark:<3}"


def amount(value: float, unit: str) -> str:
    """Writes seconds or megabytes: 1.2 ms."""
    if unit != "s":
        return f"{value:.1f} {unit}"
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value * 1e9:.3g} ns"


def times(ratio: float) -> str:
    """Writes a ratio: 0.83x, 4.1x, 25x."""
    digits = 0 if ratio >= 20 else 1 if ratio >= 3 else 2
    return f"{ratio:.{digits}f}x"
