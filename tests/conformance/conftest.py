"""The real TensorFlow, one process for all tests of this folder."""

import os
from collections.abc import Iterator

import pytest

from tests.conformance.oracle import Oracle
from tests.conformance.oracle_venv import NoOracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    try:
        running = Oracle()
        running.ask("show(1)")
    except NoOracle as reason:
        if os.environ.get("MINITF_ORACLE") in ("required", "live"):
            raise
        pytest.skip(str(reason))
    with running:
        yield running
