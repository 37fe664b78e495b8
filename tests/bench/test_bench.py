"""The benchmarks: every workload runs on minitf, and the table says what was measured."""

import gc
import io
import subprocess
import sys
import time

import numpy as np
import pytest

import minitf
from bench import machine
from bench.case import COLUMNS, Case, Library, Sample, crowded, repeat, time_calls
from bench.process import BLAS_VARIABLES, Process
from bench.result import HEAD, NAME, Result, row
from bench.run import chosen
from bench.worker import Worker
from bench.workloads import all_cases

CASES = all_cases()
SLOW = ("elementwise", "checkpoints")
LOOPBACK = ("ping", "ps_variable", "transfers", "async_sgd")


def takes_long(case: Case) -> bool:
    """Whether `make test-long` alone runs a workload: one all-reduce stands for the others."""
    alike = {"all_reduce": {"megabytes": 1, "members": 3}}.get(case.workload, case.parameters)
    return case.workload in LOOPBACK + SLOW or case.parameters != alike


def sample(value: float, cpu: float = 0.0) -> Sample:
    return Sample(value, cpu, 1)


def result(case: Case, ours: list[Sample], theirs: list[Sample]) -> Result:
    """A result whose two columns are the same."""
    made = Result.of(case)
    made.samples = {"base": ours, "fast": list(ours), "peer": theirs}
    return made


@pytest.fixture(scope="module", autouse=True)
def little_to_collect() -> None:
    """Workloads collect garbage; they need not look through what is left of all earlier tests."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.long if takes_long(case) else ())
        for case in CASES
        if not case.alone
    ],
    ids=lambda case: case.name.replace(" ", "_"),
)
def test_workload_runs_on_minitf(case: Case) -> None:
    worker = Worker(Library("minitf", minitf, sys.executable, 1), "base")
    try:
        assert worker.answer({"do": "build", "case": case.name}) == {}
        measured = worker.answer({"do": "sample", "seconds": 0.01})
    finally:
        worker.answer({"do": "drop"})
    assert measured["value"] > 0
    assert measured["steps"] >= 1


def test_case_names_are_unique_and_short_enough_for_the_table() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= NAME


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


def test_the_large_graphs_have_as_many_ops_as_the_page_says() -> None:
    from_module = sys.modules["bench.workloads.first_run"]
    for model, least in (("deep", 1200), ("static_rnn", 1800)):  # TensorFlow: 1,489 and 2,850
        with minitf.Graph().as_default() as graph:
            from_module.training(minitf, model)
            assert len(graph.get_operations()) > least


def test_ratios_are_taken_round_by_round() -> None:
    ours = [sample(1.0, 1.0), sample(2.0, 1.0), sample(4.0, 1.0)]
    theirs = [sample(3.0, 2.0), sample(6.0, 2.0), sample(8.0, 3.0)]
    one = result(Case("a case", "chain", wanted=2.5, wanted_fast=3.5), ours, theirs)
    one.samples["fast"] = [sample(1.0), sample(1.0), sample(1.0)]
    assert one.ratios("base") == [3.0, 3.0, 2.0]
    assert one.ratio("fast") == 6.0
    assert one.cpu_ratio("base") == 2.0 and one.cpu_ratio("fast") is None
    assert one.reached("base") is True
    assert one.plain()["spread"] == {"base": [2.0, 3.0], "fast": [3.0, 8.0]}
    text = row(one)
    assert text.split()[2:] == (
        "2 s 1 s 6 s 3.0x 2.00x-3.0x 2.5x yes 6.0x 3.0x-8.0x 3.5x yes".split()
    )
    assert len(HEAD) <= len(text)


def test_a_case_that_falls_short_says_so() -> None:
    one = result(Case("a case", "chain", wanted=2.0), [sample(1.0)], [sample(1.5)])
    assert one.reached("fast") is False
    assert row(one).rstrip().endswith("NO")
    limited = result(Case("a case", "chain", limit=0.1), [sample(0.2)], [sample(0.9)])
    assert limited.reached("base") is False
    assert "<100 ms" in row(limited)


def test_a_failed_case_is_a_line_of_its_own() -> None:
    failed = Result.of(Case("a case", "chain", wanted=2.0))
    failed.error = "minitf: ValueError: no"
    assert "failed: minitf: ValueError: no" in row(failed)
    assert failed.reached("base") is None


def test_beside_neighbours_numpy_promises_something_only_where_it_is_faster_alone() -> None:
    case = Case("a case", "chain", wanted=2.0, wanted_fast=3.0, crowd=True)
    alone = result(case, [sample(1.0)], [sample(0.9)])
    beside = result(crowded(case), [sample(1.0)], [sample(0.9)])
    assert beside.wanted == {"base": 0.8, "fast": 0.8}
    beside.expect_like(alone)
    assert beside.wanted == {"base": None, "fast": 0.8}


def test_each_column_has_its_promise() -> None:
    assert Case("a case", "chain", wanted=2.0, wanted_fast=3.0).targets() == {
        "base": 2.0,
        "fast": 3.0,
    }
    assert Case("a case", "chain", wanted=2.0).targets() == {"base": 2.0, "fast": 2.0}


def test_cases_are_chosen_by_workload_and_by_word() -> None:
    assert {case.workload for case in chosen(["ridge"])} == {"ridge"}
    assert chosen(["no such case"]) == []
    assert chosen([]) == CASES


@pytest.mark.parametrize("kept", [False, True])
def test_a_process_sees_the_tiers_of_its_column(
    kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of OpenBLAS reach it only when that is asked for."""
    seen: dict[str, str] = {}

    class Popen:
        stdout = io.StringIO('{"versions": {}}\n')

        def __init__(self, command: list[str], env: dict[str, str], **rest: object) -> None:
            seen.update(env)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("MINITF_TIERS", "numpy")
    Process("minitf", sys.executable, 1, "base", () if kept else BLAS_VARIABLES)
    assert seen["MINITF_TIERS"] == COLUMNS["base"]
    assert ("OPENBLAS_CORETYPE" in seen) is kept
    assert seen["OPENBLAS_NUM_THREADS"] == "1"


def test_time_calls_gives_the_time_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of our own: each call takes 10 ms, of which the processor works 4."""
    now = {"wall": 0.0, "cpu": 0.0}

    def step() -> None:
        now["wall"] += 0.010
        now["cpu"] += 0.004

    monkeypatch.setattr(time, "perf_counter", lambda: now["wall"])
    monkeypatch.setattr(time, "process_time", lambda: now["cpu"])
    measured = time_calls(step, 0.095)
    assert measured.value == pytest.approx(0.010)
    assert measured.cpu == pytest.approx(0.004)
    assert measured.steps == 10


def test_repeat_takes_the_median() -> None:
    values = iter([1.0, 9.0, 2.0])
    assert repeat(lambda: next(values), 0.0).value == 2.0


def test_machine_facts_name_no_host() -> None:
    facts = machine.facts()
    assert facts["cores"] >= 1
    assert "node" not in facts and "host" not in str(facts.keys())


def test_the_facts_of_a_process_name_only_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("minitf", minitf, sys.executable, 1)
    monkeypatch.setenv("MINITF_TIERS", "numpy,scipy")
    facts = machine.process_facts(library)
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["versions"]["minitf"] == minitf.__version__
    assert "numba" not in facts["versions"]
