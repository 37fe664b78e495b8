"""Every case gives in minitf what it gives in TensorFlow 2.15."""

import os

import pytest

import minitf
from tests.conformance.answers import Answers, key_of
from tests.conformance.case import Case
from tests.conformance.cases import all_cases
from tests.conformance.check import differences
from tests.conformance.differences import DIFFERENCES
from tests.conformance.oracle import Oracle, skip_what_it_lacks

pytestmark = [
    pytest.mark.conformance,
    # Both libraries take a complex number for a real one with this warning of NumPy's.
    pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning"),
]
CASES = all_cases()


@pytest.fixture(scope="module")
def tensorflow(request: pytest.FixtureRequest) -> Answers | Oracle:
    live = os.environ.get("MINITF_ORACLE") == "live"
    return request.getfixturevalue("oracle") if live else Answers()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same_as_tensorflow(case: Case, tensorflow: Answers | Oracle) -> None:
    found = differences(case, tensorflow, minitf)
    skip_what_it_lacks(found)
    assert not found, "\n".join(["", case.source, *found])


def test_the_oracle_is_the_version_we_name(oracle: Oracle) -> None:
    assert oracle.version.startswith("2.15.")


def test_answers_are_kept_for_all_cases_and_for_no_others() -> None:
    assert set(Answers()) == {key_of(case.source) for case in CASES}


def test_case_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)


def test_deliberate_differences_name_cases_and_reasons() -> None:
    names = {case.name for case in CASES}
    for entry in DIFFERENCES:
        assert entry.case in names
        assert entry.why.endswith(".")
