"""The page of speeds: made from a results file, and the committed one belongs to the results."""

from pathlib import Path

import pytest

from bench import page
from bench.case import Case, Sample
from bench.result import RESULTS, Result, read, write
from bench.workloads import all_cases

FACTS = {
    "date": "2026-01-01",
    "machine": {
        "processor": "A processor",
        "cores": 2,
        "instructions": ["avx2"],
        "memory_gb": 8.0,
        "system": "Linux x86_64",
    },
    "processes": {"base": {"versions": {"numpy": "2.0"}, "blas": ["openblas 1 for Zen"]}},
    "blas_settings": {"set": {"OPENBLAS_CORETYPE": "Haswell"}, "kept": False},
    "load": [0.1, 0.2],
    "rounds": 2,
}


def measured(case: Case, base: float, fast: float) -> Result:
    result = Result.of(case)
    result.samples = {
        "base": [Sample(1.0 / base, 0.5, 3)] * 2,
        "fast": [Sample(1.0 / fast, 0.5, 3), Sample(2.0 / fast, 0.5, 3)],
        "peer": [Sample(1.0, 1.0, 3)] * 2,
    }
    return result


def test_a_results_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    cases = all_cases()[:3]
    results = [measured(case, 2.0, 4.0) for case in cases]
    write(tmp_path / "one.json", FACTS, results)
    facts, found = read(tmp_path / "one.json")
    assert facts == FACTS
    assert found == results


def test_a_later_file_replaces_what_an_earlier_one_says(tmp_path: Path) -> None:
    one, two = all_cases()[3:5]
    gone = Case("a case that is no more", "chain")
    write(tmp_path / "1.json", FACTS, [measured(c, 2.0, 2.0) for c in (one, two, gone)])
    write(tmp_path / "2.json", FACTS, [measured(two, 8.0, 8.0)])
    runs, results = page.gather([tmp_path / "2.json", tmp_path / "1.json"])
    assert [result.case for result in results] == [one.name, two.name]
    assert [result.ratio("base") for result in results] == [2.0, 8.0]
    assert [count for _, count in runs] == [1, 1]


def test_the_page_tells_each_case_with_both_columns(tmp_path: Path) -> None:
    results = [measured(case, 0.5, 4.0) for case in all_cases()]
    text = page.page([(FACTS, len(results))], results)
    for case in all_cases():
        assert page._name(Result.of(case)) in text
    assert "| **0.50x** | 0.50x-0.50x |" in text
    assert "| **3.0x** | 2.00x-4.0x |" in text
    assert "OPENBLAS_CORETYPE=Haswell: taken away" in text
    assert "A processor, 2 cores" in text


def test_the_page_compares_with_the_fastest_of_the_other_frameworks() -> None:
    kept = {
        "date": "2026-01-01",
        "machine": FACTS["machine"],
        "versions": {"minitf": "1", "torch": "2", "jax": "3"},
        "rounds": 2,
        "limits": {"operations": 1e11, "bytes": 1e10},
        "samples": {
            "mlp": {"minitf": [0.001, 0.001], "torch": [0.008, 0.008], "jax": [0.002, 0.004]}
        },
    }
    line = "| 1 ms | 8 ms | 3 ms | **3.0x** | 2.00x-4.0x | 52% |"
    assert line in page.page([], [], kept)


def test_every_case_stands_in_one_chapter() -> None:
    results = [measured(case, 2.0, 2.0) for case in all_cases()]
    found = [r.case for chapter in page.CHAPTERS for r in page.cases_of(chapter, results)]
    assert sorted(found) == sorted(case.name for case in all_cases())


def test_the_picture_shows_the_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = [measured(case, 0.25, 4.0) for case in all_cases()[:2]]
    page.draw(results, tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    assert page.digest(results) in text
    for shown in ("0.25x", "3.0x", results[0].case, results[1].case):
        assert f">{shown}</text>" in text


@pytest.mark.parametrize(
    ("lowest", "highest", "ticks"),
    [
        (0.8, 3.5, [1, 1.5, 2, 3]),
        (0.3, 30.0, [0.5, 1, 2, 5, 10, 20]),
        (0.02, 900.0, [0.1, 1, 10, 100]),
    ],
)
def test_an_axis_has_few_round_ticks(lowest: float, highest: float, ticks: list[float]) -> None:
    assert page._ticks(lowest, highest) == ticks


def test_the_committed_page_and_pictures_belong_to_the_committed_results() -> None:
    runs, results = page.gather(sorted(RESULTS.glob("*.json")))
    assert results, "bench/results holds no run"
    again = "run `make bench-page`"
    assert page.PAGE.read_text() == page.page(runs, results, page.beside_frameworks()), again
    for chapter in page.CHAPTERS:
        if cases := page.cases_of(chapter, results):
            picture = page.IMAGES / f"{chapter.picture}.svg"
            assert page.digest(cases) in picture.read_text(), again


def test_what_falls_short_is_told_with_what_bounds_it() -> None:
    cases = [case for case in all_cases() if case.wanted is not None and case.bound][:2]
    results = [measured(cases[0], 0.1, 0.1), measured(cases[1], 1000.0, 1000.0)]
    table = page._shortfalls(results)
    assert f"| {page._name(results[0])} | " in table
    assert table.endswith(f"| {cases[0].bound} |")
    assert cases[1].name not in table


def test_every_committed_figure_that_falls_short_has_a_reason() -> None:
    _, results = page.gather(sorted(RESULTS.glob("*.json")))
    short = [
        r
        for r in results
        if any(r.reached(column) is False for column in r.samples if column != "peer")
    ]
    assert [r.case for r in short if not r.bound] == []
