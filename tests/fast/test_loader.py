"""Loading in the background: nothing waits, nothing is lost, everything ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minitf

pytest.importorskip("numba")

TRAIN = """
import numpy as np, minitf as tf, time
x = tf.placeholder(tf.float32, [None, 200])
w = tf.Variable(tf.random_normal([200, 100], seed=1))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
step = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.ones((30, 200), np.float32)}
    values = [sess.run([loss, step], feed)[0] for _ in range(20)]
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess:
    inherited = {name: value for name, value in os.environ.items() if name != "MINITF_TIERS"}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_a_program_that_ends_while_kernels_are_loaded_ends_well(tmp_path: Path) -> None:
    copy = tmp_path / "minitf"  # in which nothing is translated
    shutil.copytree(Path(minitf.__file__).parent, copy, ignore=shutil.ignore_patterns("__pyc*"))
    code = TRAIN + "print(values[-1] < values[0])"
    done = run(code, PYTHONPATH=str(tmp_path), HOME=str(tmp_path))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")


def test_the_environment_leaves_tiers_out() -> None:
    code = (
        "import sys, numpy as np; from minitf.fast import loader as library\n"
        "from minitf.core.kernels import dense\n"
        "library.load_all(); x = np.ones((100, 100), np.float32)\n"
        "dense.softmax(np, x); library.ready(60)\n"
        "print('numba' in sys.modules)"
    )
    assert run(code, MINITF_TIERS="numpy,scipy").stdout == "False\n"


def test_what_is_loaded_brings_no_packages() -> None:
    code = (
        "import sys; from minitf.fast import loader as library; library.load_all()\n"
        "print([name for name in ('numba', 'scipy.linalg', 'scipy.sparse') if name in sys.modules])"
    )
    assert run(code).stdout == "[]\n"


def test_packages_that_are_imported_later_work() -> None:
    code = (
        "from minitf.fast import loader as library; library.load_all()\n"
        "import numba, numpy as np, scipy.linalg, scipy.sparse\n"
        "print(numba.njit(lambda x: x + np.ones(2))(1.0), scipy.linalg.inv(2 * np.eye(1)),\n"
        "      scipy.linalg.blas.saxpy([1.0], [1.0]), scipy.sparse.eye(2) @ np.ones(2))"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("[2. 2.] [[0.5]] [2.] [1. 1.]\n", "")


def test_ctrl_c_does_not_reach_the_translation() -> None:
    code = (
        "import os, signal, threading, time; os.setsid()\n"
        "signal.signal(signal.SIGINT, lambda *_: None)\n"
        "from minitf.fast import loader as library\n"
        "work = threading.Thread(target=library._loader.translate, args=('softmax',))\n"
        "work.start(); time.sleep(0.3); os.killpg(0, signal.SIGINT); work.join()\n"
        "print(library._loader._translator.returncode)"
    )
    done = run(code)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_values_do_not_depend_on_when_the_tiers_arrive() -> None:
    tail = "print(*values)"
    late = run(TRAIN + tail)
    early = run("from minitf.fast import loader as library; library.load_all()\n" + TRAIN + tail)
    assert late.returncode == early.returncode == 0
    one, other = (np.array(done.stdout.split(), float) for done in (late, early))
    assert len(one) == 20
    assert np.allclose(one, other, rtol=1e-5)


def test_in_a_forked_process_kernels_load_again() -> None:
    code = (
        "import os; from minitf.fast import loader as library\n"
        "library.request('softmax'); assert library.ready(100)\n"
        "pid = os.fork()\n"
        "if not pid:\n"
        "    library.request('rows'); os._exit(0 if library.ready(100) else 1)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "import minitf.core.kernels.rows"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_loaded_is_told_and_left_out() -> None:
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from minitf.fast import loader as library\n"
        "library.request('no_such_file'); assert library.ready(100)"
    )
    done = run(code, PYTHONWARNINGS="default")
    assert done.returncode == 0
    assert "The faster kernels of 'no_such_file' cannot be used" in done.stderr
