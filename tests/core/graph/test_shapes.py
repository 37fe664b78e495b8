"""Static shapes: what is known, merged, broadcast and printed."""

import pytest

from minitf.core.graph.shapes import Dimension, TensorShape, brackets, broadcast_shapes


def test_printed_forms() -> None:
    shape = TensorShape([None, 3])
    assert str(shape) == "(?, 3)"
    assert repr(shape) == "TensorShape([Dimension(None), Dimension(3)])"
    assert str(TensorShape(None)) == "<unknown>"
    assert repr(TensorShape(None)) == "TensorShape(None)"
    assert str(TensorShape([2])) == "(2,)"
    assert str(TensorShape([])) == "()"
    assert brackets(shape) == "[?,3]"


def test_merge_keeps_what_either_knows() -> None:
    assert TensorShape([None, 784]).merge_with([32, None]).as_list() == [32, 784]
    assert TensorShape(None).merge_with([2]).as_list() == [2]
    with pytest.raises(ValueError, match=r"Shapes \(2, 3\) and \(2, 4\) are not compatible"):
        TensorShape([2, 3]).merge_with([2, 4])


def test_comparing_an_unknown_dimension_tells_nothing() -> None:
    assert (Dimension(None) == 3) is None
    assert (Dimension(None) < 3) is None
    assert Dimension(3) == 3
    assert (Dimension(4) // 2).value == 2
    assert (Dimension(None) * 2).value is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([2, 3], [3], [2, 3]),
        ([2, 1], [1, 3], [2, 3]),
        ([None, 3], [1], [None, 3]),
        ([None], [5], [5]),
        ([None], [1], [None]),
        ([None], [None], [None]),
        ([], [4], [4]),
    ],
)
def test_broadcasting(one: list, other: list, expected: list) -> None:
    assert broadcast_shapes(one, other).as_list() == expected
    assert broadcast_shapes(other, one).as_list() == expected


def test_broadcasting_fails_with_the_two_sizes() -> None:
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        broadcast_shapes([2], [3])


def test_rank_errors() -> None:
    with pytest.raises(ValueError, match="must have rank 2"):
        TensorShape([1, 2, 3]).with_rank(2)
    with pytest.raises(ValueError, match="must have rank at least 2"):
        TensorShape([1]).with_rank_at_least(2)
    with pytest.raises(ValueError, match=r"as_list\(\) is not defined on an unknown TensorShape"):
        TensorShape(None).as_list()
