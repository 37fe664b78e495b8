"""`python -m minitf program.py` is `python program.py`, but for what `tensorflow` means."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import sys
import beside
print(__name__, __file__, sys.argv, sys.path[0], sorted(globals()))
print(sys.modules["__main__"].__dict__ is globals(), __annotations__, __doc__, __package__)
"""


def _run(
    *arguments: str, cwd: Path, minitf: bool = True, stdin: str = ""
) -> subprocess.CompletedProcess:
    start = [sys.executable, *(["-m", "minitf"] if minitf else [])]
    return subprocess.run(
        [*start, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/program.py").write_text(PROGRAM)
    (tmp_path / "sub/wrong.py").write_text("import os\nos.stat('none')\n")
    (tmp_path / "sub/beside.py").write_text("here = 1\n")
    (tmp_path / "sub/__main__.py").write_text("import beside\nprint(__name__, beside.here)\n")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["sub/program.py", "--steps=5", "x"],
        ["-c", "import sys; print(__name__, sys.argv, sys.path[0])", "a", "-b"],
        ["-m", "sub.beside", "a"],
        ["sub", "a"],
        ["-c", "raise SystemExit(3)"],
        ["-c", "import sys; sys.exit('a word')"],
        ["-c", "def f():\n  1 / 0\nf()"],
        ["-c", "x = = 1"],
        ["-c", "import os, time; os.kill(os.getpid(), 2); time.sleep(9)"],
        ["-c", "def f(x: Undefined): pass"],
        ["sub/wrong.py"],
    ],
)  # fmt: skip
def test_a_program_sees_what_python_shows_it(folder: Path, arguments: list[str]) -> None:
    ours = _run(*arguments, cwd=folder)
    python = _run(*arguments, cwd=folder, minitf=False)
    assert (ours.stdout, ours.stderr, ours.returncode) == (
        python.stdout,
        python.stderr,
        python.returncode,
    )


def test_a_program_from_the_standard_input(folder: Path) -> None:
    done = _run("-", "a", cwd=folder, stdin="import sys, tensorflow; print(sys.argv)")
    assert done.stdout == "['-', 'a']\n"


def test_app_run_finds_the_flags_and_main(folder: Path) -> None:
    (folder / "app.py").write_text(
        "import tensorflow as tf\n"
        "tf.app.flags.DEFINE_integer('steps', 1, 'how many')\n"
        "def main(argv):\n"
        "    print(tf.app.flags.FLAGS.steps, argv)\n"
        "if __name__ == '__main__':\n"
        "    tf.app.run()\n"
    )
    done = _run("app.py", "--steps=5", "rest", cwd=folder)
    assert (done.stdout, done.returncode) == ("5 ['app.py', 'rest']\n", 0)


def test_a_traceback_begins_with_the_program(folder: Path) -> None:
    (folder / "wrong.py").write_text("import tensorflow as tf\ntf.matmul([[1.]], [[1., 2.]] * 2)\n")
    done = _run("wrong.py", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.splitlines()[1] == f'  File "{folder}/wrong.py", line 2, in <module>'
    assert "Dimensions must be equal" in done.stderr.splitlines()[-1]


def test_what_cannot_be_run(folder: Path) -> None:
    assert "can't open file" in _run("none.py", cwd=folder).stderr
    assert _run("none.py", cwd=folder).returncode != 0
    assert "unknown option -x" in _run("-x", cwd=folder).stderr
    assert "Argument expected for the -c option" in _run("-c", cwd=folder).stderr


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help(arguments: list[str], tmp_path: Path) -> None:
    done = _run(*arguments, cwd=tmp_path)
    assert "python -m minitf program.py" in done.stdout
    assert done.returncode == 0


def test_numpy_has_the_names_of_its_day(tmp_path: Path) -> None:
    program = (
        "import numpy as np\n"
        "print(np.float(1), np.zeros(2, np.int).dtype.kind)\n"
        "print(np.reshape([1, 2], newshape=[2, 1]).shape)\n"
        "print(np.product([2, 3]), np.in1d([[1, 2]], [2]), np.asscalar(np.array([3])), np.Inf)\n"
        "a = np.arange(4, dtype=np.uint8).reshape(2, 2)\n"
        "print(np.lib.pad([5], 1, 'constant'))\n"
        "b = a.tostring()\n"
        "print(b, np.fromstring(b, np.uint8), np.fromstring('5 6', sep=' '))\n"
        "a.itemset((0, 1), 9); a.itemset(2, 7); np.set_printoptions(threshold=np.nan)\n"
        "print(a.ptp(), a.tolist())\n"
    )
    done = _run("-c", program, cwd=tmp_path)
    assert done.stdout == (
        "1.0 i\n(2, 1)\n6 [False  True] 3 inf\n[0 5 0]\n"
        "b'\\x00\\x01\\x02\\x03' [0 1 2 3] [5. 6.]\n9 [[0, 9], [7, 3]]\n"
    ), done.stderr
    plain = _run("-c", "import minitf, numpy as np; np.float", cwd=tmp_path, minitf=False)
    assert "no attribute 'float'" in plain.stderr.replace("module 'numpy' has ", "")


def test_numbers_are_printed_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import tensorflow as tf\nsess = tf.Session()\n"
        "print(sess.run([tf.constant(0.5), tf.constant([1.5])]))\n"
        "print(sess.run({'a': tf.constant(3)}), sess.run(tf.constant(2.5)))\n"
    )
    printed = _run("program.py", cwd=tmp_path).stdout
    assert printed == "[0.5, array([1.5], dtype=float32)]\n{'a': 3} 2.5\n"


def test_arrays_of_one_element_are_numbers(tmp_path: Path) -> None:
    program = (
        "import numpy as np, math\n"
        "print('%.1f %d' % (np.array([1.5]), np.array([[3]])), float(np.ones((1, 1))))\n"
        "print(int(np.array([7])), math.sqrt(np.array([4.0])), float(np.float32(2)))\n"
        "try:\n    float(np.zeros(2))\nexcept TypeError as error:\n    print(error)\n"
    )
    done = _run("-c", program, cwd=tmp_path)
    first, second, refused = done.stdout.splitlines()
    assert (first, second) == ("1.5 3 1.0", "7 2.0 2.0"), done.stderr
    assert "can be converted to Python scalars" in refused


def test_rows_of_different_lengths_are_objects(tmp_path: Path) -> None:
    program = tmp_path / "rows.py"
    program.write_text(
        "import numpy as np, tensorflow as tf\n"
        "print(np.array([[1, 2], [3]]).dtype, np.asarray([[1], [2]]).dtype)\n"
        "try:\n    tf.constant([[1, 2], [3]])\nexcept ValueError as error:\n    print(error)\n"
    )
    done = _run(str(program), cwd=tmp_path)
    assert done.stdout.splitlines()[0] == "object int64", done.stderr
    assert "Argument must be a dense tensor" in done.stdout


@pytest.mark.parametrize(
    ("ending", "printed"),
    [
        ("print(x.numpy())", "[1. 2.]"),
        ("print((x == [1., 3.]).numpy())", "[ True False]"),
        ("print(tf.Session().run(x))", "[1. 2.]"),
        ("tf.disable_v2_behavior()\nprint(x)", 'Tensor("Const:0", shape=(2,), dtype=float32)'),
    ],
)
def test_a_program_of_version_2_runs_eagerly(tmp_path: Path, ending: str, printed: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import tensorflow.compat.v1 as tf\nx = tf.constant([1., 2.])\n{ending}\n")
    done = _run(str(program), cwd=tmp_path)
    assert done.stdout.strip() == printed, done.stderr


def test_an_interrupt_ends_a_program_whose_parent_ignores_interrupts() -> None:
    program = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(20)"
    start = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        f"os.execv(sys.executable, [sys.executable, '-m', 'minitf', '-c', {program!r}])"
    )
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_a_program_waits_for_what_it_uses_alone(folder: Path) -> None:
    program = (
        "import sys, tensorflow as tf, tensorflow.compat.v1 as v1; tf.nn.relu(tf.constant(1.0));"
        "v1.train; early = 'minitf.library.layers' in sys.modules; print(early, tf.nn.rnn.__name__)"
    )
    assert _run("-c", program, cwd=folder).stdout == "False static_rnn\n"


@pytest.mark.parametrize(
    ("program", "unused"),
    [
        (
            "tf.summary.FileWriter(sys.argv[1]).close()",  # protobuf's texts get their older names
            {"email", "http.client", "ssl", "urllib.request"},
        ),
        (
            "from tensorflow.examples.tutorials.mnist.input_data import read_data_sets",
            {"email", "http.client", "ssl", "urllib.request"},
        ),
        (
            "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])\n"
            "model.compile('sgd', 'mse')\n"
            "model.fit(np.ones([1, 2]), np.ones([1, 1]), verbose=0)",
            {"email", "multiprocessing", "socket", "ssl", "subprocess", "urllib.request"},
        ),
    ],
    ids=["summaries", "data sets", "keras"],
)
def test_a_program_brings_no_modules_that_it_does_not_use(
    tmp_path: Path, program: str, unused: set[str]
) -> None:
    code = f"import sys, numpy as np, tensorflow as tf\n{program}\nprint(*sys.modules)"
    done = _run("-c", code, str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert unused & {*done.stdout.split()} == set()


def _notebook(path: Path, *cells: str) -> None:
    texts = [{"cell_type": "markdown", "metadata": {}, "source": ["# A lesson\n", "1 +"]}]
    lines = [{"source": cell.splitlines(keepends=True), "outputs": []} for cell in cells]
    codes = [{"cell_type": "code", "execution_count": None, "metadata": {}, **c} for c in lines]
    path.write_text(json.dumps({"cells": texts + codes, "metadata": {}, "nbformat": 4}))


def test_the_cells_of_a_notebook_run_without_magics(tmp_path: Path) -> None:
    _notebook(
        tmp_path / "lesson.ipynb",
        "%matplotlib inline\n!pip install nothing\nimport tensorflow as tf\nimport beside",
        "%%bash\nls | wc\nfi done",
        "%%time\nif True:\n    %load_ext autoreload\n    y = tf.constant(2) * beside.here",
        "%time z = tf.Session().run(y)\nprint('%d of %d'\n      % (z, 3) if z\n      != 4 else z)",
        "import inspect\ndef f():\n    return __name__, 1 / 0\nprint(inspect.getsource(f))\nf()",
    )
    (tmp_path / "beside.py").write_text("here = 1\n")
    done = _run("lesson.ipynb", cwd=tmp_path)
    assert done.stdout == "2 of 3\ndef f():\n    return __name__, 1 / 0\n\n", done.stderr
    assert '  File "<lesson.ipynb>", line ' in done.stderr
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(
    ("ending", "printed"),
    [
        ("print(x.numpy())", "3"),
        ("print(tf.Session().run(x))", "3"),
        ("tf.Session; print(x)", "Te"),
    ],
)
def test_a_notebook_of_version_2_runs_eagerly(tmp_path: Path, ending: str, printed: str) -> None:
    _notebook(tmp_path / "a.ipynb", "import tensorflow.compat.v1 as tf\nx = tf.constant(3)", ending)
    done = _run("a.ipynb", cwd=tmp_path)
    assert done.stdout.startswith(printed), done.stderr
