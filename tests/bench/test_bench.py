"""The benchmarks: every workload runs on minitf, and the table says what was measured."""

import sys
import time

import numpy as np
import pytest

import minitf
from bench import machine
from bench.case import Case, Library, Sample, repeat, time_calls
from bench.run import HEAD, Result, row
from bench.worker import Worker
from bench.workloads import all_cases

CASES = all_cases()
LOOPBACK = ("ping", "ps_variable", "async_sgd")


def sample(value: float, cpu: float = 0.0) -> Sample:
    return Sample(value, cpu, 1)


def result(**changes: object) -> Result:
    fields = {"case": "a case", "unit": "s", "peer": "tensorflow", "threads": 1}
    return Result(**{**fields, "wanted": None, "limit": None, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.slow if case.workload in LOOPBACK else ())
        for case in CASES
    ],
    ids=lambda case: case.name.replace(" ", "_"),
)
def test_workload_runs_on_minitf(case: Case) -> None:
    worker = Worker(Library("minitf", minitf, sys.executable, 1), "ours")
    try:
        worker.answer({"do": "build", "case": case.name})
        measured = worker.answer({"do": "sample", "seconds": 0.01})
    finally:
        worker.answer({"do": "drop"})
    assert measured["value"] > 0
    assert measured["steps"] >= 1


def test_case_names_are_unique_and_short_enough_for_the_table() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 60


def test_the_chain_has_as_many_ops_as_it_says() -> None:
    library = Library("minitf", minitf, sys.executable, 1)
    from_case = next(case for case in CASES if case.parameters.get("length") == 100)
    with minitf.Graph().as_default() as graph:
        from_module = sys.modules[f"bench.workloads.{from_case.workload}"]
        step = from_module.build(library, 100)
        assert sum(op.type in ("AddV2", "Add", "Mul") for op in graph.get_operations()) == 100
        value = np.float32(0.5)
        for i in range(100):
            value = value * np.float32(0.5) if i % 2 else value + np.float32(0.5)
        assert step() == value
    library.close()


def test_ratios_are_taken_round_by_round() -> None:
    one = result(wanted=2.5)
    one.ours = [sample(1.0, 1.0), sample(2.0, 1.0), sample(4.0, 1.0)]
    one.theirs = [sample(3.0, 2.0), sample(6.0, 2.0), sample(8.0, 3.0)]
    assert one.ratios() == [3.0, 3.0, 2.0]
    assert one.cpu_ratio() == 2.0
    assert one.reached() is True
    assert one.summary()["spread"] == [2.0, 3.0]
    text = row(one)
    assert "2 s" in text and "6 s" in text and "3.0x" in text and text.endswith("yes")
    assert len(HEAD) <= len(text)


def test_a_case_that_falls_short_says_so() -> None:
    one = result(wanted=2.0)
    one.ours, one.theirs = [sample(1.0)], [sample(1.5)]
    assert one.reached() is False
    assert row(one).endswith("NO")
    limited = result(limit=0.1)
    limited.ours, limited.theirs = [sample(0.2)], [sample(0.9)]
    assert limited.reached() is False
    assert "< 100 ms" in row(limited)


def test_a_failed_case_is_a_line_of_its_own() -> None:
    failed = result(error="minitf: ValueError: no")
    assert "failed: minitf: ValueError: no" in row(failed)
    assert failed.reached() is None


def test_time_calls_measures_a_sleep() -> None:
    measured = time_calls(lambda: time.sleep(0.005), 0.05)
    assert 0.005 <= measured.value < 0.05
    assert measured.steps >= 1


def test_repeat_takes_the_median() -> None:
    values = iter([1.0, 9.0, 2.0])
    assert repeat(lambda: next(values), 0.0).value == 2.0


def test_machine_facts_name_no_host() -> None:
    facts = machine.facts()
    assert facts["cores"] >= 1
    assert "node" not in facts and "host" not in str(facts.keys())
