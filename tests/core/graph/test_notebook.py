"""Errors in a notebook: short, the student's line first, TensorFlow's message last."""

import operator
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import process
from minitf.library.platform.hints import _TABLE, hint_for
from tests.kernel import Kernel

STYLE = re.compile(r"\033\[[\d;]*m")

PREPARE = """
import numpy as np
import minitf as tf

tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None, 3], name="x")
w = tf.Variable(tf.zeros([3, 2]), name="w")
y = tf.matmul(x, w)
sess = tf.Session()
with tf.Graph().as_default():
    other = tf.constant(1.0)
"""

# What everybody does once: the cell, the number of the line that is shown first, the beginning of
# the last paragraph, and a word of the hint. `CASES` below has every hint.
MISTAKES = {
    "missing feed": (
        "value = sess.run(y)",
        1,
        "InvalidArgumentError: You must feed a value for placeholder tensor 'x' with dtype float",
        "feed_dict",
    ),
    "shapes in matmul": (
        "# a layer\nz = tf.matmul(x, tf.zeros([4, 2]))",
        2,
        "ValueError: Dimensions must be equal, but are 3 and 4 for 'MatMul_1' (op: 'MatMul')",
        "transpose",
    ),
    "name exists": (
        "for layer in range(2):\n    v = tf.get_variable('v', [2])",
        2,
        "ValueError: Variable v already exists, disallowed.",
        "reset_default_graph",
    ),
    "fetch of None": (
        "def loss():\n    tf.reduce_sum(y)\n\nsess.run(loss())",
        4,
        "TypeError: Fetch argument None has invalid type <class 'NoneType'>",
        "return",
    ),
    "two functions deep": (
        "def layer(h):\n    return tf.matmul(h, w)\n"
        "def model(h):\n    return layer(layer(h))\nmodel(x)",
        5,
        "ValueError: Dimensions must be equal, but are 2 and 3 for 'MatMul_2'",
        "[m, k] and [k, n]",
    ),
    "in a py_func": (
        "def half(v):\n    return v / nothing\nsess.run(tf.py_func(half, [1.0], tf.float32))",
        3,
        "UnknownError: NameError: name 'nothing' is not defined",
        "",
    ),
    "a value in a graph": (
        "print(y.numpy())",
        1,
        "AttributeError: 'Tensor' object has no attribute 'numpy'",
        "what sess.run returns",
    ),
    "an assignment to an item": (
        "y[0] = 1.0",
        1,
        "TypeError: 'Tensor' object does not support item assignment",
        "variable[i].assign",
    ),
    "a cell that was not run": (
        "sess.run(loss_of_above)",
        1,
        "NameError: name 'loss_of_above' is not defined",
        "Run All Above",
    ),
    "the other library": (
        "import tensorflow.keras as keras",
        1,
        "ModuleNotFoundError: No module named 'tensorflow'",
        "import minitf as tf",
    ),
    "a slip of the pen": (
        "tf.Placeholder(tf.float32)",
        1,
        "AttributeError: module 'minitf' has no attribute 'Placeholder'; did you mean 'placeholder",
        "",
    ),
    "below a magic": (
        "%%time\na = 1\nsess.run(y)",
        3,
        "InvalidArgumentError: You must feed a value for placeholder tensor 'x'",
        "feed_dict",
    ),
}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with Kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        yield kernel


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_shown_in_few_lines(kernel: Kernel, mistake: str) -> None:
    code, line, message, hint = MISTAKES[mistake]
    kernel.run(PREPARE)
    shown = [STYLE.sub("", each) for each in kernel.run(code).traceback]
    assert len(shown) <= 12
    text = code.splitlines()[line - 1].strip()
    assert re.fullmatch(rf"Cell In\[\d+\], line {line}(, in \w+)?: {re.escape(text)}", shown[0])
    assert shown[len(shown) - 1 - shown[::-1].index("") + 1].startswith(message)
    hints = [each for each in shown if each.startswith("Hint: ")]
    assert len(hints) == bool(hint) and (not hints or hint in hints[0])
    assert not any("ipykernel" in each or "minitf/" in each for each in shown)


@pytest.mark.slow
def test_the_lines_on_the_way_are_those_of_the_student(kernel: Kernel) -> None:
    kernel.run(PREPARE)
    shown = [
        STYLE.sub("", each) for each in kernel.run(MISTAKES["two functions deep"][0]).traceback
    ]
    assert [each.partition("], ")[2] for each in shown[:3]] == [
        "line 5: model(x)",
        "line 4, in model: return layer(layer(h))",
        "line 2, in layer: return tf.matmul(h, w)",
    ]
    shown = kernel.run(MISTAKES["missing feed"][0]).traceback
    assert shown[0].endswith(": value = \033[4msess.run(y)\033[0m")  # what failed is underlined
    assert STYLE.sub("", shown[1]).endswith(
        '], line 5: x = tf.placeholder(tf.float32, [None, 3], name="x")'
    )
    assert shown[1].startswith("'x' was made in ")
    assert re.search(r"\(defined at Cell In\[\d+\], line 5\)", "\n".join(shown))


@pytest.mark.slow
def test_the_whole_traceback_is_one_word_away(kernel: Kernel) -> None:
    kernel.run(PREPARE)
    assert len(kernel.run("sess.run(y)").traceback) <= 12
    assert "session.py" in "".join(kernel.run("%tb").traceback)
    assert len(kernel.run("sess.run(y)").traceback) <= 12
    kernel.run("%xmode Plain")
    assert kernel.run("sess.run(y)").traceback[0].startswith("Traceback")
    kernel.run("%xmode Context")


@pytest.mark.slow
def test_errors_of_others_stay_as_they_are(kernel: Kernel) -> None:
    for code in ("1 / 0", "[].numpy", "np.ones(2).numpy"):
        shown = "\n".join(STYLE.sub("", each) for each in kernel.run(code).traceback)
        assert shown.startswith("-----") and f"----> 1 {code}" in shown


@pytest.mark.slow
def test_an_operation_forgets_the_kernel_around_its_cell(kernel: Kernel) -> None:
    kernel.run(PREPARE)
    assert kernel.run("[f.lineno for f in x.op.traceback]").result == "[5]"
    code = "try:\n    sess.run(y)\nexcept tf.OpError as error:\n    print(error)"
    lines = kernel.run(code).streams.rstrip().splitlines()
    assert lines[-2] == "Original stack trace for 'x':"


PROGRAM = """
import sys
import minitf as tf
x = tf.placeholder(tf.float32, [], name="x")
assert [f.lineno for f in x.op.traceback] == [4]
assert "IPython" not in sys.modules
tf.Session().run(x)
"""


def test_a_program_shows_the_whole_traceback(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(path)],
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
    )
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{path}", line 7, in <module>'
    assert any("minitf/core/runtime/session/session.py" in line for line in lines)
    assert "Hint" not in done.stderr
    assert lines[-2:] == ["Original stack trace for 'x':", f"  File '{path}', line 4, in <module>"]


# ---- hints -------------------------------------------------------------------------------


def _placeholder() -> tf.Tensor:
    return tf.placeholder(tf.float32, [None, 3], name="x")


def _finalized() -> None:
    tf.constant(1.0)
    tf.get_default_graph().finalize()
    tf.constant(2.0)


def _twice(reuse: bool | None) -> None:
    with tf.variable_scope("scope", reuse=reuse):
        tf.get_variable("v", [1])
        tf.get_variable("v", [1])


def _other_graph() -> tf.Tensor:
    with tf.Graph().as_default():
        return tf.constant(1.0)


def _closed() -> None:
    a = tf.constant(1.0)
    with tf.Session() as session:
        pass
    session.run(a)


def _on(device: str) -> None:
    with tf.device(device):
        a = tf.constant(1.0)
    tf.Session().run(a)


def _emptied_queue() -> None:
    queue = tf.FIFOQueue(1, tf.float32)
    session = tf.Session()
    session.run(queue.close())
    session.run(queue.dequeue())


# By the beginning of the hint: what leads to it.
CASES: dict[str, list[Callable[[], object]]] = {
    "Give the placeholder 'x'": [lambda: tf.Session().run(_placeholder())],
    "Give the value the shape (?, 3)": [
        lambda: (x := _placeholder(), tf.Session().run(x, {x: [[1.0]]}))
    ],
    "Feed an array": [lambda: (x := _placeholder(), tf.Session().run(x, {x: tf.ones([1, 3])}))],
    "Feed the placeholder itself, or name its output: 'x:0'": [
        lambda: (x := _placeholder(), tf.Session().run(x, {"x": [[1.0, 2.0, 3.0]]}))
    ],
    "Run sess.run(tf.global": [lambda: tf.Session().run(tf.Variable(1.0))],
    "Begin the cell with": [lambda: _twice(None)],
    "Create the variable before you reuse it": [lambda: _twice(True)],
    "You fetch None": [lambda: (_placeholder(), tf.Session().run([None]))],
    "Fetch a tensor": [lambda: (_placeholder(), tf.Session().run(1.5))],
    "You mix two graphs": [
        lambda: tf.constant(1.0) + _other_graph(),
        lambda: (_placeholder(), tf.Session().run(_other_graph())),
    ],
    "Create all operations before": [_finalized],
    "Create the session after the operations": [lambda: tf.Session().run([])],
    "Convert one of the two: tf.cast(tensor, tf.float32)": [
        lambda: tf.constant(1.0) * tf.constant(1)
    ],
    "The session ended": [_closed],
    "Name the session": [lambda: tf.constant(1.0).eval(), lambda: tf.no_op().run()],
    "Name a listed device": [lambda: _on("/gpu:7"), lambda: _on("/job:ps/task:0")],
    "tf.matmul takes matrices": [lambda: tf.matmul(tf.ones([10, 512, 1]), tf.ones([512, 2]))],
    "Columns and rows": [
        lambda: tf.matmul(tf.ones([2, 3]), tf.ones([4, 2])),
        lambda: tf.matmul(tf.ones([5, 2, 3]), tf.ones([5, 4, 2])),
    ],
    "From the last dimension on": [
        lambda: tf.ones([2, 3]) + tf.ones([4, 2]),
        lambda: tf.Session().run(
            tf.placeholder_with_default([1.0, 2.0], None) + tf.constant([1.0, 2.0, 3.0])
        ),
    ],
    "The sizes must multiply to 6": [lambda: tf.reshape(tf.ones([6]), [4, 2])],
    "It has no value yet: use tf.cond": [lambda: bool(tf.constant(1.0) > 0.0)],
    "It has no value yet: use tf.unstack": [lambda: list(tf.ones([2]))],
    "NumPy and Python": [lambda: np.sin(_placeholder())],
    "In a graph it has no value yet": [
        lambda: tf.constant(1.0).numpy(),
        lambda: tf.Variable(1.0).numpy(),
    ],
    "Compute the loss from": [
        lambda: (
            tf.Variable(1.0),
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)),
        )
    ],
    "Create the variables before": [tf.train.Saver],
    "The data have ended": [_emptied_queue],
    "Run the cells above (Run": [lambda: not_there],  # type: ignore[name-defined]  # noqa: F821
    "Write `import minitf as tf`": [lambda: import_module("tensorflow.keras")],
    "A tensor does not change": [lambda: operator.setitem(tf.ones([2]), 0, 1.0)],
}


@pytest.mark.parametrize("hint", CASES)
def test_a_hint(hint: str) -> None:
    for provoke in CASES[hint]:
        with tf.Graph().as_default(), pytest.raises(Exception) as raised:  # noqa: B017
            provoke()
        assert hint_for(str(raised.value)).startswith(hint)


def test_every_hint_has_a_case_and_fits_on_a_line() -> None:
    assert len(CASES) == len(_TABLE)
    assert all(len(advice) <= 100 and advice.endswith((".", "?")) for advice in _TABLE.values())
    assert hint_for("something else") == ""


@pytest.mark.parametrize(
    ("filename", "starts", "programs"),
    [
        ("<frozen runpy>", True, False),
        (subprocess.__file__, False, False),
        (subprocess.__file__.replace("subprocess", "asyncio/events"), True, False),
        ("/usr/lib/python3/dist-packages/IPython/core/shell.py", True, False),
        ("/venv/lib/python3.12/site-packages/ipykernel_launcher.py", True, False),
        ("/venv/lib/python3.12/site-packages/pandas/frame.py", False, False),
        (tf.__file__, False, False),
        ("/home/ada/course/model.py", False, True),
        ("/tmp/ipykernel_4242/1234567.py", False, True),
        ("<ipython-input-4-75f0433a693e>", False, True),
    ],
)
def test_whose_file_it_is(filename: str, starts: bool, programs: bool) -> None:
    assert process.starts_programs(filename) is starts
    assert process.is_of_program(filename) is programs
