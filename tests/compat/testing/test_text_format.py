"""Messages compared as messages."""

import pytest

from minitf.compat.testing.text_format import parse


def test_quotes_order_and_numbers_make_no_difference():
    one = parse("op: 'NoOp' x: [1, 2.0] attr { key: 'b' } attr { key: 'a' value < i: 1 > }")
    two = parse('x: 1.0 attr { key: "a" value { i: 1 } } x: 2 attr { key: "b" } op: "No" "Op"')
    assert one == two
    assert one != parse("op: 'NoOp' x: [2, 1]")
    assert parse("x: 10.9319043932") == parse("x: 10.931904393168884")  # of a double


def test_what_is_no_message():
    with pytest.raises(ValueError, match="Not the text form"):
        parse("op: @")
    with pytest.raises(ValueError, match="has no value"):
        parse("op")
