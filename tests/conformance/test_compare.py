"""The comparer sees every kind of difference, and forgives only wording."""

import math
from typing import Any

import numpy as np
import pytest

import minitf
from tests.conformance.case import table
from tests.conformance.compare import compare, normalize_text
from tests.conformance.runner import _encode_array, run_case


def answer(**shown: Any) -> dict[str, Any]:
    return {"shown": shown, "error": None}


def tensor(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "tensor",
        "name": "a:0",
        "dtype": "float32",
        "shape": [2, None],
        "op": "Add",
        **changes,
    }


def failure(message: str, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "exception",
        "type": "ValueError",
        "base": "ValueError",
        "message": message,
        **changes,
    }


def array(values: Any, dtype: str = "float32") -> dict[str, Any]:
    return _encode_array(np.asarray(values, dtype))


def test_equal_answers_have_no_differences() -> None:
    both = answer(a=tensor(), b=array([1.0, math.nan, math.inf]), c={"kind": "plain", "value": "x"})
    assert compare(both, both) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "b:0"), ("dtype", "float64"), ("shape", [2, 3]), ("shape", None), ("op", "Sub")],
)
def test_each_field_of_a_tensor_counts(field: str, value: Any) -> None:
    found = compare(answer(a=tensor()), answer(a=tensor(**{field: value})))
    assert len(found) == 1
    assert field in found[0]
    assert found[0].startswith("a: ")


def test_second_versions_of_ops_are_the_same_op() -> None:
    assert compare(answer(a=tensor(op="AddV2")), answer(a=tensor(op="Add"))) == []


@pytest.mark.parametrize(
    "other",
    [
        array([1.0, 2.001]),
        array([1.0, math.nan]),
        array([1.0, math.inf]),
        array([[1.0, 2.0]]),
        array([1.0, 2.0], "float64"),
        array([1, 2], "int32"),
        array(1.0),
    ],
)
def test_arrays_differ_in_value_shape_and_dtype(other: dict[str, Any]) -> None:
    assert len(compare(answer(a=array([1.0, 2.0])), answer(a=other))) == 1


def test_arrays_may_differ_by_rounding() -> None:
    assert compare(answer(a=array([1.0, 2.0])), answer(a=array([1.0, 2.00001]))) == []
    wide = answer(a=array([1.0, 2.001]))
    assert compare(answer(a=array([1.0, 2.0])), wide, rtol=1e-2) == []


def test_a_numpy_scalar_is_not_an_array_of_rank_0() -> None:
    scalar = _encode_array(np.float32(1.0))
    zero_rank = _encode_array(np.array(1.0, np.float32))
    assert len(compare(answer(a=scalar), answer(a=zero_rank))) == 1


def test_integers_and_strings_are_compared_exactly() -> None:
    assert (
        len(compare(answer(a=array([2**40], "int64")), answer(a=array([2**40 + 1], "int64")))) == 1
    )
    one, other = (_encode_array(np.array([text], object)) for text in (b"a", b"b"))
    assert len(compare(answer(a=one), answer(a=other))) == 1


def test_missing_and_extra_results() -> None:
    assert compare(answer(a=tensor()), answer()) == ["a: minitf shows nothing here"]
    assert compare(answer(), answer(a=tensor())) == ["a: shown by minitf only"]


def test_a_program_that_stops() -> None:
    stopped = {"shown": {}, "error": failure("no such thing")}
    assert (
        "stops in minitf after 0 results: ValueError: no such thing"
        in compare(answer(), stopped)[0]
    )
    assert "does not run in TensorFlow" in compare(stopped, answer())[0]


def test_nests_are_compared_item_by_item() -> None:
    one = answer(a={"kind": "list", "items": [tensor(), {"kind": "plain", "value": 1}]})
    other = answer(a={"kind": "list", "items": [tensor(), {"kind": "plain", "value": 2}]})
    assert compare(one, other) == ["a[1]: value is 1 in TensorFlow, 2 in minitf"]
    as_tuple = answer(a={"kind": "tuple", "items": one["shown"]["a"]["items"]})
    assert len(compare(one, as_tuple)) == 1
    keys = answer(a={"kind": "dict", "items": [["x", tensor()]]})
    others = answer(a={"kind": "dict", "items": [["y", tensor()]]})
    assert "key 0" in compare(keys, others)[0]


def test_booleans_are_not_integers() -> None:
    one, other = ({"kind": "plain", "value": value} for value in (True, 1))
    assert len(compare(answer(a=one), answer(a=other))) == 1


def test_exceptions_differ_in_type_and_message() -> None:
    one = answer(a=failure("text"))
    assert len(compare(one, answer(a=failure("other text")))) == 1
    assert len(compare(one, answer(a=failure("text", type="TypeError", base="TypeError")))) == 1
    assert compare(one, answer(a=failure("text."))) == []


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            "Cannot feed value of shape (3, 3) for Tensor x:0, which has shape (?, 3)",
            "Cannot feed value of shape (3, 3) for Tensor 'x:0', which has shape '(?, 3)'",
        ),
        (
            'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor. (Can not convert a int)',
            "Fetch argument 3 has invalid type <class 'int'>, must be a string or Tensor. (Can not "
            "convert a int)",
        ),
        (
            "Expected float32, but got a of type 'str'.",
            "Expected float32, got 'a' of type 'str' instead.",
        ),
    ],
)
def test_wording_of_both_versions_is_brought_together(new: str, old: str) -> None:
    assert normalize_text(new) == normalize_text(old)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "for 'a' (op: 'MatMul') with input shapes: [3,4]",
            "for 'b' (op: 'MatMul') with input shapes: [3,4]",
        ),
        (
            "You must feed\n\t [[node x (defined at f) ]]",
            "You must feed\n\t [[node y (defined at f) ]]",
        ),
        (
            "Expected float32, got 'a' of type 'str' instead.",
            "Expected int32, got 'a' of type 'str' instead.",
        ),
        ("which has shape '(2, 3)'", "which has shape '(3, 2)'"),
    ],
)
def test_facts_are_left_apart(one: str, other: str) -> None:
    assert normalize_text(one) != normalize_text(other)


def moments(**changes: float) -> dict[str, Any]:
    same = {"count": 20000, "mean": 0.0, "deviation": 1.0, "low": -4.0, "high": 4.0}
    return answer(a={"kind": "moments", **same, **changes})


def test_moments_of_two_samples() -> None:
    assert compare(moments(), moments(mean=0.01, deviation=1.01, low=-4.3)) == []
    for changes in ({"mean": 0.1}, {"deviation": 1.2}, {"low": -2.0}, {"high": 6.0}, {"count": 10}):
        assert len(compare(moments(), moments(**changes))) == 1


def test_rows_of_a_table() -> None:
    one, two = table("t", "x = 1", "\n# a remark\nsum | x + 1 | x\nplain | x\n")
    assert (one.name, one.source) == ("t/sum", "x = 1\ncheck(x + 1, x)\n")
    assert (two.name, two.source) == ("t/plain", "x = 1\ncheck(x)\n")
    (wrong,) = table("t", "x = 1", "sum | x + y", word="fails")
    assert wrong.source.endswith("fails(lambda: x + y)\n")


def test_a_case_shows_its_results_and_its_error() -> None:
    got = run_case(
        minitf, "a = tf.constant(2.)\ncheck(a * a, a)\nfails(lambda: 1 / 0)\nnothing_here\n"
    )
    shown = got["shown"]
    assert shown["0"]["name"] == "mul:0"
    assert shown["0 value"]["items"][0]["data"] == 4.0
    assert shown["0 gradient 0 value"]["data"] == 1.0
    assert shown["4"]["type"] == "ZeroDivisionError"
    assert got["error"]["type"] == "NameError"
