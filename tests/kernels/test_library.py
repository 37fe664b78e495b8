"""Loading in the background: nothing waits, nothing is lost, everything ends."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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


def run(code: str, home: Path | None = None, **environment: str) -> subprocess.CompletedProcess:
    if home is not None:
        environment |= {"XDG_CACHE_HOME": str(home), "NUMBA_CACHE_DIR": str(home / "numba")}
    environment = {**os.environ, **environment}
    environment.pop("MINITF_TIERS", None)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_a_program_that_ends_while_kernels_are_loaded_ends_well(tmp_path: Path) -> None:
    done = run(TRAIN + "print(values[-1] < values[0])", tmp_path)  # nothing is translated there
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")


def test_ctrl_c_does_not_reach_the_translation(tmp_path: Path) -> None:
    code = (
        "import os, signal, time; os.setsid(); signal.signal(signal.SIGINT, lambda *_: None)\n"
        "from minitf.kernels import library\n"
        "library.request('softmax')\n"
        "time.sleep(1.0); os.killpg(0, signal.SIGINT)\n"
        "assert library.ready(100); print(library.is_translated('softmax'))"
    )
    done = run(code, tmp_path)
    assert (done.stdout.strip(), done.stderr) == ("True", "")


def test_values_do_not_depend_on_when_the_tiers_arrive() -> None:
    tail = "print(*values)"
    late = run(TRAIN + tail)
    early = run("from minitf.kernels import library; library.load_all()\n" + TRAIN + tail)
    assert late.returncode == early.returncode == 0
    one, other = (np.array(done.stdout.split(), float) for done in (late, early))
    assert len(one) == 20
    assert np.allclose(one, other, rtol=1e-5)


def test_in_a_forked_process_kernels_load_again() -> None:
    code = (
        "import os; from minitf.kernels import library\n"
        "library.request('softmax'); assert library.ready(100)\n"
        "pid = os.fork()\n"
        "if not pid:\n"
        "    library.request('rows'); os._exit(0 if library.ready(100) else 1)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "import minitf.kernels.rows"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_what_cannot_be_loaded_is_told_and_left_out() -> None:
    code = (
        "import warnings; warnings.simplefilter('always')\n"
        "from minitf.kernels import library\n"
        "library.request('no_such_file'); assert library.ready(100)"
    )
    done = run(code, PYTHONWARNINGS="default")
    assert done.returncode == 0
    assert "The faster kernels of 'no_such_file' cannot be used" in done.stderr
