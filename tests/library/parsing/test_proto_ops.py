"""Messages whose bytes are torn; all else is in `tests/conformance/cases/protos.py`."""

import pytest

from minitf.library.formats import wire


def test_groups_are_skipped_by_who_does_not_ask() -> None:
    data = b"\x0b\x10\x01\x13\x14\x0c\x10\x05"  # 1: {2: 1, 2: {}}, 2: 5
    assert wire.fields(data) == [(2, 5)]
    assert wire.fields(data, groups=True) == [(1, data[:6]), (2, 5)]
    for torn in (data[:5], data[:4] + b"\x0c", b"\x0c", b"\x0b" * 101 + b"\x0c" * 101):
        with pytest.raises(ValueError, match="group|within|kind"):
            wire.fields(torn)
