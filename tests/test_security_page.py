"""The page about security promises nothing that no test holds."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()
TESTS = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def test_every_promise_names_tests_that_exist() -> None:
    assert len(TESTS) > 25
    for path, name in TESTS:
        assert f"\ndef {name}(" in (ROOT / path).read_text(), f"{path} has no {name}"


def test_every_promise_has_a_test() -> None:
    for table in PAGE.split("| promise | test |")[1:]:
        rows = table.lstrip("\n").partition("\n\n")[0].splitlines()[1:]
        assert rows
        for row in rows:
            assert "::test_" in row, row
