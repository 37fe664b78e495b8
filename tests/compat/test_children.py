"""`tensorflow` means minitf in the processes, too, that a program or a notebook starts."""

import subprocess
import sys
from pathlib import Path

import pytest

_POOL = """\
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
import {module} as tf

def double(x):
    import tensorflow
    return tensorflow.__version__, float({value}), {{}}.has_key(1)

if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)  # as where minitf is not installed
    sys.path[:] = [each for each in sys.path if each != sys.argv[1]]
    with ProcessPoolExecutor(1, multiprocessing.get_context({method!r})) as pool:
        print(*pool.submit(double, 4.0).result())
"""
_IN_SESSION = "tf.Session().run(tf.constant(x) * 2.0)"

_CLUSTER = """\
import tensorflow as tf

def train(task):
    import tensorflow
    with tf.Graph().as_default(), tf.Session(task.target) as sess:
        return tensorflow.__version__, float(sess.run(tf.constant(2.0) * 3))

if __name__ == "__main__":
    with tf.cluster.start_local(ps=0, workers=1) as cluster:
        print(cluster.run(train))
"""
_NOTEBOOK = "from minitf.compat.tensorflow import alias; alias.load_ipython_extension(None)\n"


def _run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    start = [sys.executable, *arguments]
    return subprocess.run(start, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("method", "module", "value"),
    [
        ("spawn", "tensorflow", _IN_SESSION),
        ("forkserver", "tensorflow", _IN_SESSION),
        ("spawn", "tensorflow.compat.v1", "(tf.constant(x) * 2.0).numpy()"),
    ],
    ids=["spawn", "forkserver", "eagerly"],
)
def test_in_a_pool_of_processes(tmp_path: Path, method: str, module: str, value: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(_POOL.format(method=method, module=module, value=value))
    done = _run("-m", "minitf", "program.py", str(Path.cwd()), cwd=tmp_path)
    assert done.stdout == "1.15.0 8.0 False\n", done.stderr


def test_in_the_processes_of_joblib(tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    (tmp_path / "program.py").write_text(
        "import joblib\nimport tensorflow as tf\n"
        "def double(x):\n    import tensorflow\n    return tensorflow.VERSION, tf.VERSION, x * 2\n"
        "if __name__ == '__main__':\n"
        "    print(joblib.Parallel(2)(joblib.delayed(double)(x) for x in [4, 5]))\n"
    )
    done = _run("-m", "minitf", "program.py", cwd=tmp_path)
    assert done.stdout == "[('1.15.0', '1.15.0', 8), ('1.15.0', '1.15.0', 10)]\n", done.stderr


def test_in_the_tasks_of_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_CLUSTER)
    done = _run("-m", "minitf", "program.py", cwd=tmp_path)
    assert done.stdout == "[('1.15.0', 6.0)]\n", done.stderr


def test_a_function_of_a_notebook_travels(tmp_path: Path) -> None:
    done = _run("-c", _NOTEBOOK + _CLUSTER, cwd=tmp_path)
    assert done.stdout == "[('1.15.0', 6.0)]\n", done.stderr


def test_where_the_alias_was_taken_back_a_child_has_none(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import importlib.util, multiprocessing, sys\n"
        "from minitf.compat.tensorflow import alias\n"
        "def tell():\n    print(any(type(each).__name__ == 'Finder' for each in sys.meta_path))\n"
        "if __name__ == '__main__':\n"
        "    alias.load_ipython_extension(None); alias.unload_ipython_extension(None)\n"
        "    child = multiprocessing.get_context('spawn').Process(target=tell)\n"
        "    child.start(); child.join()\n"
    )
    assert _run("program.py", cwd=tmp_path).stdout == "False\n"


@pytest.mark.parametrize("start", [[], ["-m", "minitf"]], ids=["python", "minitf"])
def test_a_program_without_a_guard_gets_one_sentence(tmp_path: Path, start: list[str]) -> None:
    (tmp_path / "program.py").write_text(
        "import minitf as tf\nprint('here', __name__)\ntf.cluster.start_local(ps=0, workers=1)\n"
    )
    done = _run(*start, "program.py", cwd=tmp_path)
    assert done.stdout == "here __main__\nhere __mp_main__\n"
    first, *trace, last = done.stderr.splitlines()
    assert first == "Traceback (most recent call last):"
    assert len(trace) < 10, done.stderr
    assert last == (
        "RuntimeError: The processes of the cluster ended while they started. Each imports the "
        'program, so what starts them stands below `if __name__ == "__main__":`.'
    )
