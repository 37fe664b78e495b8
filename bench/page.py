"""Makes `docs/speed.md` and its pictures from the files in `bench/results`.

    python bench/page.py

    results/*.json ──gather──> the newest result of each case ──> tables (Markdown)
                                                              └──> bars (docs/images/speed-*.svg)
    results/frameworks/*.json, the newest ──> the table beside PyTorch and JAX

A later file replaces what an earlier one says of the same case, so a run of a few cases is enough
to bring the page up to date. The pictures carry the digest of what they show, by which the tests
see whether they belong to the page.
"""

import hashlib
import importlib
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.case import COLUMNS  # noqa: E402
from bench.frameworks import KEPT as FRAMEWORKS  # noqa: E402
from bench.frameworks_worker import MODEL_NAMES, least_seconds  # noqa: E402
from bench.result import RESULTS, Result, amount, read, times  # noqa: E402
from bench.workloads import all_cases  # noqa: E402

PAGE = ROOT / "docs" / "speed.md"
IMAGES = ROOT / "docs" / "images"

#: Blue and orange, which readers with any kind of colour vision tell apart.
COLOURS = {"base": "#0072B2", "fast": "#E69F00"}
PROMISE = {"color": "white", "markeredgecolor": "#222222", "markersize": 4}
#: Ticks within a decade, for axes of up to so many decades.
TICKS = {1.3: (1, 1.5, 2, 3, 5, 7), 2.8: (1, 2, 5), 9.0: (1,)}
LEGEND = {"base": "NumPy and SciPy", "fast": "with the fast extra"}


@dataclass(frozen=True)
class Chapter:
    """One part of the page: what its cases have in common.

    setting: "cores" or "crowd" for the cases that were measured once more so, of any workload.
    """

    title: str
    picture: str
    workloads: tuple[str, ...]
    text: str
    setting: str = ""


CHAPTERS = (
    Chapter(
        "Whole programs",
        "speed-programs",
        ("programs",),
        "The whole run of `python program.py`: import, graph construction, training, a checkpoint. "
        "The files of [bench/programs](../bench/programs) run unchanged in both libraries, with "
        "default threads.",
    ),
    Chapter(
        "The first second",
        "speed-cold",
        ("cold",),
        "Training of a small convolutional network with batches of 64, in a fresh process with "
        "default threads, from the end of its first step.",
    ),
    Chapter(
        "Steps on all cores",
        "speed-cores",
        (),
        "The steps of the sections below, with default threads in both libraries.",
        "cores",
    ),
    Chapter(
        "Overhead of a call",
        "speed-calls",
        ("startup", "empty_fetch", "tutorial", "chain", "variable_fetch", "while_loop"),
        "Small graphs with hardly any computation, as in a first lesson: they measure the "
        "library's overhead. TensorFlow wakes threads, schedules op by op and copies; minitf "
        "calls one Python function that it has generated for the graph.",
    ),
    Chapter(
        "A new graph",
        "speed-graphs",
        ("first_run",),
        "When a cell builds a graph, its first `Session.run` must plan it. The graph of 1,500 ops "
        "is a perceptron of 30 layers with Adam; the one with `static_rnn` has 2,850 ops.",
    ),
    Chapter(
        "Training and inference",
        "speed-models",
        ("mlp", "cnn", "lstm", "ridge", "embedding", "products"),
        "One step of each model of a course, on a batch that is fed. `answers` means inference. "
        "The larger a model, the more of its time goes to matrix products and convolutions. "
        "minitf uses OpenBLAS and, with the `fast` extra, its own convolution; TensorFlow uses "
        "oneDNN.",
    ),
    Chapter(
        "Keras",
        "speed-keras",
        ("keras",),
        "`fit` and `predict` of models, 50 steps a call with their metrics.",
    ),
    Chapter(
        "Large arrays and checkpoints",
        "speed-data",
        ("elementwise", "pipelines", "checkpoints"),
        "Ten million floats do not fit in a cache, so the number of passes over memory matters. "
        "Checkpoints are limited by copies and checksums.",
    ),
    Chapter(
        "Operations on images",
        "speed-images",
        ("images",),
        "One operation or gradient a step, on 32 images of 28 x 28 with 64 channels. NumPy makes "
        "a pass over all images for each element of a window; compiled loops keep their sums in "
        "registers.",
    ),
    Chapter(
        "Several processes",
        "speed-cluster",
        ("ping", "ps_variable", "transfers", "async_sgd", "all_reduce"),
        "The tasks of a cluster, each a process on this machine, connected over loopback.",
    ),
    Chapter(
        "Beside two busy programs",
        "speed-crowd",
        (),
        "A classroom shares a server, so the same steps are measured again while two programs keep "
        "the processors busy. Where minitf is faster alone, it must not be slower here: libraries "
        "whose threads spin while they wait lose most.",
        "crowd",
    ),
)


def gather(paths: Sequence[Path]) -> tuple[list[tuple[dict[str, Any], int]], list[Result]]:
    """Reads results files, oldest first.

    Returns: the facts of each run with the number of cases taken from it, and of each case that
      still exists the newest result that did not fail, in the order of the workloads, with what
      bounds it as is known today.
    """
    runs, newest = [], {}
    for path in sorted(paths):
        facts, results = read(path)
        runs.append(facts)
        measured = [result for result in results if not result.error]
        newest.update({result.case: (result, len(runs) - 1) for result in measured})
    for case in all_cases():
        if case.name in newest:
            newest[case.name][0].bound = case.bound
    kept = [newest[case.name] for case in all_cases() if case.name in newest]
    counted = [(facts, sum(run == i for _, run in kept)) for i, facts in enumerate(runs)]
    return [one for one in counted if one[1]], [result for result, _ in kept]


def cases_of(chapter: Chapter, results: Sequence[Result]) -> list[Result]:
    """Returns the results that belong to a chapter."""
    if chapter.setting:
        return [r for r in results if _setting(r) == chapter.setting]
    return [r for r in results if r.workload in chapter.workloads and not r.alone]


def _setting(result: Result) -> str:
    if not result.alone:
        return ""
    return "cores" if result.threads is None else "crowd"


def page(
    runs: Sequence[tuple[dict[str, Any], int]],
    results: Sequence[Result],
    frameworks: dict[str, Any] | None = None,
) -> str:
    """Returns the text of the page.

    Args:
      frameworks: what `frameworks.py` kept, None for nothing.
    """
    parts = [HEAD, _summary(results), READING]
    for chapter in CHAPTERS:
        if cases := cases_of(chapter, results):
            alt = f"Bars: {chapter.title.lower()}, how many times as fast as TensorFlow"
            parts.append(
                f"## {chapter.title}\n\n{chapter.text}\n\n"
                f"![{alt}](images/{chapter.picture}.svg)\n\n{_table(cases)}"
            )
    if frameworks is not None:
        parts.append(_beside_frameworks(frameworks))
    parts.append(SHORT + _shortfalls(results))
    parts.append(MACHINE + "\n".join(_run(facts, count) for facts, count in runs))
    return "\n\n".join(parts) + "\n"


HEAD = """# How fast it is

`make bench` measures minitf beside TensorFlow 2.15.1 (`tensorflow.compat.v1`); `make bench-page`
makes this page and its pictures from the results. No figure is estimated.
[bench/README.md](../bench/README.md) describes the method, and
[bench/notes.md](../bench/notes.md) what limits each figure."""

READING = """A ratio of **2.5x** means that TensorFlow takes 2.5 times as long as minitf for the
same step; below 1 TensorFlow is faster. It is the median of several rounds, in which the two
alternate, with one thread each unless stated otherwise; the range is from the worst round to the
best. There are two columns: minitf with NumPy and SciPy only, and with the `fast` extra, whose
compiled kernels load in the background. In the pictures, a bar to the right of 1 is faster than
TensorFlow, a thin line is the range, the number at the edge is the median, and a small diamond is
the project's target. The axis is logarithmic: equal distances are equal factors."""

SHORT = """## Figures below their targets

All figures above that miss their target, with what limits them; [bench/notes.md](../bench/notes.md)
has the measurements.

"""

MACHINE = "## The machine\n\n"

BESIDE = """## Beside PyTorch and JAX

A training step (the first line: an answer) as each library's users write it, with default threads:
PyTorch eagerly and under `torch.compile`, JAX under `jit`, minitf with the `fast` extra. The batch
is a tensor from the start in PyTorch and JAX; minitf and TensorFlow are fed. "To the best" is the
time of the fastest of the others divided by minitf's. "Of the limit" is the least time that this
machine needs for the products of a step, or for its passes over memory, divided by minitf's time;
the machine makes {operations:.0f} GFLOP/s in a product of 2,048 x 2,048, and adds arrays at
{bytes:.0f} GB/s. A small working set stays in the cache, which is faster than memory.

{table}

{rounds} rounds on {date}: {processor}, {cores} cores; {versions}."""


def _summary(results: Sequence[Result]) -> str:
    alone = [r for r in results if r.peer == "tensorflow" and not r.alone and r.unit == "s"]
    lines = []
    for column, name in LEGEND.items():
        faster = sum(r.ratio(column) >= 1.0 for r in alone)
        marks = [r.reached(column) for r in results if r.reached(column) is not None]
        lines.append(
            f"- {name[0].upper()}{name[1:]}: faster than TensorFlow in {faster} of {len(alone)} "
            f"workloads; {sum(marks)} of {len(marks)} targets are reached."
        )
    return "\n".join(lines)


def _table(results: Sequence[Result]) -> str:
    lines = [
        "| one step of | other | NumPy, SciPy | ratio | range | `fast` | ratio | range | target |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for result in results:
        cells = [_name(result), amount(result.value("peer"), result.unit)]
        for column in COLUMNS:
            ratios = result.ratios(column)
            cells += [
                amount(result.value(column), result.unit),
                f"**{times(result.ratio(column))}**",
                f"{times(min(ratios))}-{times(max(ratios))}",
            ]
        lines.append(f"| {' | '.join([*cells, _wanted(result)])} |")
    return "\n".join(lines)


def beside_frameworks() -> dict[str, Any] | None:
    """Returns what the newest run of `frameworks.py` kept."""
    kept = sorted(FRAMEWORKS.glob("*.json"))
    return json.loads(kept[-1].read_text()) if kept else None


def _beside_frameworks(kept: dict[str, Any]) -> str:
    """Returns the section with minitf, the best of the others, and what the machine can do."""
    versions, limits = kept["versions"], kept["limits"]
    others = [name for name in versions if name != "minitf"]
    lines = [
        f"| one step of | minitf | {' | '.join(others)} | to the best | range | of the limit |",
        f"|---|--:|{'--:|' * len(others)}--:|--:|--:|",
    ]
    for model, samples in kept["samples"].items():
        ours = samples["minitf"]
        best = min((samples[name] for name in others), key=median)
        ratios = [theirs / mine for mine, theirs in zip(ours, best, strict=True)]
        share = least_seconds(model, limits) / median(ours)
        cells = [
            MODEL_NAMES[model],
            *(amount(median(samples[name]), "s") for name in ("minitf", *others)),
            f"**{times(median(ratios))}**",
            f"{times(min(ratios))}-{times(max(ratios))}",
            f"{share:.0%}" if share else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return BESIDE.format(
        rounds=kept["rounds"],
        date=kept["date"],
        processor=kept["machine"]["processor"],
        cores=kept["machine"]["cores"],
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        operations=limits["operations"] / 1e9,
        bytes=limits["bytes"] / 1e9,
        table="\n".join(lines),
    )


def _shortfalls(results: Sequence[Result]) -> str:
    lines = [
        "| one step of | NumPy, SciPy | `fast` | target | limited by |",
        "|---|--:|--:|--:|---|",
    ]
    for result in results:
        reached = [result.reached(column) for column in COLUMNS]
        if False in reached:
            shown = [
                times(result.ratio(column)) if ok is False else ""
                for column, ok in zip(COLUMNS, reached, strict=True)
            ]
            setting = WHERE[_setting(result)]
            cells = [_name(result) + setting, *shown, _wanted(result), result.bound]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


#: What is said of a case's setting where cases of all settings stand together.
WHERE = {"": "", "cores": ", all cores", "crowd": ", beside two busy programs"}


def _name(result: Result) -> str:
    return (result.alone or result.case).replace("|", "\\|").replace("*", "\\*")


def _wanted(result: Result) -> str:
    if result.limit is not None:
        return f"under {amount(result.limit, result.unit)}"
    base, fast = (result.wanted[column] for column in COLUMNS)
    if base is None and fast is None:
        return ""
    if base == fast:
        return f"{base:g}x"
    return " / ".join("-" if wanted is None else f"{wanted:g}x" for wanted in (base, fast))


def _run(facts: dict[str, Any], count: int) -> str:
    machine = facts["machine"]
    versions: dict[str, str] = {}
    for one in facts["processes"].values():
        versions = {**one["versions"], **versions}
    blas = sorted({name for one in facts["processes"].values() for name in one["blas"]})
    settings = facts["blas_settings"]
    kept = "kept" if settings["kept"] else "taken away for the measurement"
    told = ", ".join(f"{k}={v}" for k, v in settings["set"].items())
    return (
        f"- {count} cases on {facts['date']}: {machine['processor']}, {machine['cores']} cores "
        f"({', '.join(machine['instructions'])}), {machine['memory_gb']} GB, {machine['system']}; "
        f"{facts['rounds']} rounds; load {facts['load'][0]} before and {facts['load'][1]} after.\n"
        f"  {', '.join(f'{name} {version}' for name, version in versions.items())}.\n"
        f"  BLAS of minitf: {'; '.join(blas) or 'not known'}."
        + (f" The environment's {told}: {kept}." if told else "")
    )


# ---- the pictures ------------------------------------------------------------------------


def digest(results: Sequence[Result]) -> str:
    """Returns a short text that changes with anything that a picture shows."""
    shown = [(r.case, r.wanted, [r.ratios(column) for column in COLUMNS]) for r in results]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def draw(results: Sequence[Result], path: Path) -> None:
    """Draws the ratios of both columns as bars that start at 1, on a logarithmic axis."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    figures = importlib.import_module("matplotlib.figure")
    style = {"svg.fonttype": "none", "svg.hashsalt": "minitf", "font.size": 10}
    with matplotlib.rc_context(style):
        # On a white card of its own, so that it can be read on a dark page too.
        figure = figures.Figure(figsize=(9.0, 1.3 + 0.5 * len(results)), layout="constrained")
        axes = figure.subplots()
        shown = [x for r in results for c in COLUMNS for x in (*r.ratios(c), r.wanted[c]) if x]
        lowest, highest = min(0.9, *shown) / 1.1, max(1.1, *shown) * 1.1
        for row, result in enumerate(results):
            for column, offset in (("base", -0.19), ("fast", 0.19)):
                _bar(axes, result, column, row + offset, label=not row)
        axes.axvline(1.0, color="#222222", linewidth=1.2)
        axes.set_xscale("log")
        axes.set_xlim(lowest, highest)
        ticks = _ticks(lowest, highest)
        axes.set_xticks(ticks, [f"{tick:g}x" for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(range(len(results)), [r.alone or r.case for r in results])
        axes.set_ylim(len(results) - 0.45, -0.55)
        axes.set_xlabel("times as fast as TensorFlow (or what the line names)")
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.grid(axis="x", color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.plot([], [], "D", **PROMISE, label="target")
        figure.legend(loc="outside upper right", ncols=3, frameon=False)
        description = f"digest {digest(results)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None, "Description": description})
    lines = [line.rstrip() for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def _bar(axes: Any, result: Result, column: str, y: float, label: bool) -> None:
    ratios = result.ratios(column)
    ratio, wanted = result.ratio(column), result.wanted[column]
    axes.barh(
        y,
        ratio - 1.0,
        0.36,
        left=1.0,
        color=COLOURS[column],
        label=LEGEND[column] if label else None,
    )
    axes.plot([min(ratios), max(ratios)], [y, y], color="#444444", linewidth=1.0)
    if wanted is not None:
        axes.plot(wanted, y, "D", **PROMISE)
    at_the_edge = axes.get_yaxis_transform()
    axes.text(1.01, y, times(ratio), transform=at_the_edge, va="center", fontsize=8.5)


def _ticks(lowest: float, highest: float) -> list[float]:
    decades = math.log10(highest / lowest)
    steps = next(steps for most, steps in TICKS.items() if decades <= most)
    return [
        tick
        for power in range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)))
        for step in steps
        if lowest <= (tick := round(step * 10.0**power, 6)) <= highest
    ]


def main() -> int:
    paths = sorted(RESULTS.glob("*.json"))
    if not paths:
        print("bench/results is empty: run `make bench` first.", file=sys.stderr)
        return 1
    runs, results = gather(paths)
    PAGE.write_text(page(runs, results, beside_frameworks()))
    for chapter in CHAPTERS:
        if cases := cases_of(chapter, results):
            draw(cases, IMAGES / f"{chapter.picture}.svg")
    print(f"{PAGE.relative_to(ROOT)}: {len(results)} cases of {len(runs)} runs.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
