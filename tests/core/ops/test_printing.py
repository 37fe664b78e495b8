"""`tf.print` and `tf.Print`: what they write, and where; how `tf.Assert` fails."""

import builtins
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.checks.logging_ops import summarize_value
from minitf.library.eager.context import eager_mode


@pytest.mark.parametrize(
    ("inputs", "options", "expected"),
    [
        (("hello", 1, 2.5, None), {}, "hello 1 2.5 None\n"),
        ((np.arange(10),), {}, "array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])\n"),
        ((tf.TensorSpec([10], tf.int32),), {}, "[0 1 2 ... 7 8 9]\n"),
        ((tf.TensorSpec([10], tf.int32),), {"summarize": 1}, "[0 ... 9]\n"),
        ((tf.TensorSpec([7], tf.int32),), {"summarize": -1}, "[0 1 2 3 4 5 6]\n"),
        ((tf.TensorSpec([2, 2], tf.float32),), {}, "[[0 1]\n [2 3]]\n"),
        ((tf.TensorSpec([2, 2, 1], tf.int32),), {}, "[[[0]\n  [1]]\n\n [[2]\n  [3]]]\n"),
        (({"a": tf.TensorSpec([], tf.float32), "b": "x"},), {}, "{'a': 0, 'b': 'x'}\n"),
        (("a", "b"), {"sep": ",", "end": "!"}, "a,b!"),
        (("{}", tf.TensorSpec([1], tf.int32)), {}, "{} [0]\n"),
    ],
)
def test_text(inputs: Any, options: dict, expected: str, capsys: pytest.CaptureFixture) -> None:
    """A `TensorSpec` stands for a tensor of that shape with 0, 1, 2, ..."""

    def filled(leaf: Any) -> Any:
        if not isinstance(leaf, tf.TensorSpec):
            return leaf
        count = leaf.shape.num_elements()
        return tf.reshape(tf.cast(tf.range(count), leaf.dtype), leaf.shape.as_list())

    with eager_mode():
        tf.print(*tf.nest.map_structure(filled, list(inputs)), output_stream=sys.stdout, **options)
    assert capsys.readouterr().out == expected
    with tf.Graph().as_default(), tf.Session() as sess:
        values = tf.nest.map_structure(filled, list(inputs))
        sess.run(tf.print(*values, output_stream=sys.stdout, **options))
    assert capsys.readouterr().out == expected


def test_strings(capsys: pytest.CaptureFixture) -> None:
    with eager_mode():
        tf.print(tf.constant("raw"))
        tf.print("quoted", tf.constant(["a", b"\n"]))
    assert capsys.readouterr().err == 'raw\nquoted ["a" "\\n"]\n'


def test_streams(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with eager_mode():
        tf.print("one", output_stream=f"file://{path}")
        tf.print("two", output_stream=f"file://{path}")
        with pytest.raises(ValueError, match="Unsupported output stream"):
            tf.print("x", output_stream="nowhere")
        with pytest.raises(ValueError, match="Unrecognized keyword"):
            tf.print("x", stream=1)
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (1.5, 3, "1.5"),
        ([1.0, 2.0, 3.0, 4.0], 3, "1 2 3..."),
        ([1.0, 2.0, 3.0], 3, "1 2 3"),
        ([[1, 2], [3, 4]], 3, "[1 2][3...]..."),
        (np.arange(8).reshape(2, 2, 2), 100, "[[0 1][2 3]][[4 5][6 7]]"),
        (np.arange(8).reshape(2, 2, 2), 3, "[[0 1][2...]]..."),
        ([1, 2, 3, 4], -1, "1 2 3 4"),
        (np.float32(1 / 3), 3, "0.333333343"),
        (1 / 3, 3, "0.33333333333333331"),
        (np.float32(1234567), 3, "1234567"),
        (np.array([b"x", b"yz"], object), 3, "x yz"),
        ([True, False], 3, "1 0"),
        (np.zeros((0, 3)), 3, ""),
    ],
)
def test_summaries_are_tensorflows(value: Any, limit: int, text: str) -> None:
    assert summarize_value(value, limit) == text


def test_print_passes_its_input_on(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([2.0, 3.0])
    shown = tf.Print(x, [x, tf.shape(x)], message="x: ", first_n=2)
    (gradient,) = tf.gradients(shown * 3.0, x)
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(shown).tolist() == [2.0, 3.0]
        assert sess.run(gradient).tolist() == [3.0, 3.0]
    assert capsys.readouterr().err == "x: [2 3][2]\n" * 2


def test_lines_keep_their_order_in_a_notebook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook gathers the two streams apart; all that is said goes into the cell's own."""
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    x = tf.placeholder(tf.float32, [])
    shown = tf.Print(x, [x], message="running ")
    with tf.control_dependencies([tf.print("then", shown)]):
        y = tf.identity(shown, name="y")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
        for value in (1.0, 2.0):
            print("result", sess.run(y, {x: value}))
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert lines[0].startswith("Device mapping:")
    assert "y: (Identity): /job:localhost/replica:0/task:0/device:CPU:0" in lines
    assert lines[-6:] == [
        *("running [1]", "then 1", "result 1.0"),
        *("running [2]", "then 2", "result 2.0"),
    ]


def test_assert_fails_only_when_it_must() -> None:
    limit = tf.placeholder(tf.int32, [])
    check = tf.Assert(limit < 3, ["too large:", limit])
    assert check.name == "Assert/Assert"
    with tf.control_dependencies([check]):
        result = limit + 1
    with tf.Session() as sess:
        assert sess.run(result, {limit: 2}) == 3
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"assertion failed: \[too large:\] \[3\]"
        ):
            sess.run(result, {limit: 3})
