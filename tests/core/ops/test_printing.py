"""`tf.print`: what it writes, and where."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
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
