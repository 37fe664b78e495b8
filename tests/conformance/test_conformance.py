"""Every case gives in minitf what it gives in TensorFlow 2.15."""

import os
from collections.abc import Iterator

import pytest

import minitf
from tests.conformance.case import Case
from tests.conformance.cases import all_cases
from tests.conformance.check import differences
from tests.conformance.differences import DIFFERENCES
from tests.conformance.oracle import Oracle
from tests.conformance.oracle_venv import NoOracle

pytestmark = pytest.mark.conformance
CASES = all_cases()


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    try:
        running = Oracle()
        running.ask("show(1)")
    except NoOracle as reason:
        if os.environ.get("MINITF_ORACLE") == "required":
            raise
        pytest.skip(str(reason))
    with running:
        yield running


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same_as_tensorflow(case: Case, oracle: Oracle) -> None:
    found = differences(case, oracle, minitf)
    assert not found, "\n".join(["", case.source, *found])


def test_the_oracle_is_the_version_we_name(oracle: Oracle) -> None:
    assert oracle.version.startswith("2.15.")


def test_case_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)


def test_deliberate_differences_name_cases_and_reasons() -> None:
    names = {case.name for case in CASES}
    for entry in DIFFERENCES:
        assert entry.case in names
        assert entry.why.endswith(".")
