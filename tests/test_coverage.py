"""The names that programs use are there, take the arguments that programs give, and are listed."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import coverage

ROOT = Path(__file__).resolve().parent.parent
SYMBOLS = coverage.read_symbols()
NEEDS_TENSORBOARD = ("tf.summary", "tf.Summary", "tf.contrib.tensorboard")


@pytest.fixture(autouse=True)
def alias_removed() -> Iterator[None]:
    yield
    coverage.alias.uninstall()


def test_every_name_that_programs_use_is_there() -> None:
    wanted = [s for s in SYMBOLS if not coverage.is_left_out(s.name)]
    if importlib.util.find_spec("tensorboard") is None:
        wanted = [s for s in wanted if not s.name.startswith(NEEDS_TENSORBOARD)]
    states = {s.name: coverage.state(s) for s in wanted}
    assert [name for name, state in states.items() if state == coverage.MISSING] == []


def test_every_function_takes_what_programs_give_it() -> None:
    # Keywords of a later TensorFlow's functions of the same name.
    of_version_2 = {("tf.summary.scalar", "step")}
    unknown = [
        (s.name, keyword)
        for s in SYMBOLS
        if coverage.state(s) == coverage.HAS and not coverage.is_left_out(s.name)
        for keyword in coverage.unknown_keywords(s)
    ]
    assert sorted(set(unknown) - of_version_2) == []


def test_the_page_is_up_to_date() -> None:
    pytest.importorskip("tensorboard", reason="tensorboard, whose classes count, is not installed")
    done = subprocess.run([sys.executable, "scripts/coverage.py", "--check"], cwd=ROOT, timeout=60)
    assert done.returncode == 0, "run: python scripts/coverage.py"


def test_a_missing_name_and_keyword_are_seen() -> None:
    made_up = coverage.Symbol("tf.train.NoSuchOptimizer", 5, True)
    assert coverage.state(made_up) == coverage.MISSING
    assert coverage.state(coverage.Symbol("tf.nothing", 1, False)) == coverage.NOT_1_15
    assert coverage.state(coverage.Symbol("tf.contrib.tpu.x", 1, True)) == coverage.OUT
    matmul = coverage.Symbol("tf.matmul", 1, True, ("transpose_a", "colour"))
    assert coverage.unknown_keywords(matmul) == ["colour"]


def test_the_table_is_sorted_and_has_no_name_twice() -> None:
    counts = [s.programs for s in SYMBOLS]
    assert counts == sorted(counts, reverse=True)
    assert len({s.name for s in SYMBOLS}) == len(SYMBOLS)
