"""The examples of CONTRIBUTING.md do what the page says of them, each in a process of its own.

An example is one file, or one row of a file, as the page tells it to be written. After it the
process checks what the page promises to follow without another line.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text()

OPERATION = """
from minitf.core.ops.math import *
from minitf.core.ops.math import dtypes, unary
{example}
import sys
import pytest
promises = "tests/core/graph/test_registry_promises.py"
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-k", "Cube", promises]))
"""

OPTIMIZER = """
{example}
import numpy as np
import minitf as tf
for resource in (False, True):
    with tf.Graph().as_default():
        var = tf.get_variable("W", [3], initializer=tf.ones_initializer(), use_resource=resource)
        optimizer = SignumOptimizer(0.5)
        dense = optimizer.minimize(tf.reduce_sum(var))
        rows = optimizer.minimize(-tf.gather(var, [1]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(dense)
            np.testing.assert_allclose(sess.run(var), [0.5, 0.5, 0.5])
            np.testing.assert_allclose(sess.run(optimizer.get_slot(var, "m")), [0.1] * 3, 1e-5)
            sess.run(rows)
            np.testing.assert_allclose(sess.run(var), [0.5, 1.0, 0.5])
        assert optimizer.get_slot(var, "m").name == "W/Signum:0"
"""

PASS = """
{example}
import minitf as tf
from minitf.core.runtime.passes import PASSES
x = tf.placeholder(tf.float32, [None], name="x")
y = (x + x) - 1.0
def program():
    with tf.Session() as sess:
        assert sess.run(y, {{x: [1.0, 2.5]}}).tolist() == [1.0, 4.0]
        return sess.explain(y, [x]).program
before = program()
PASSES.insert(0, double)
after = program()
assert "x + x" in before and " * x" not in before, before
assert "x + x" not in after and " * x" in after, after
"""

DEVICE = """
{example}
import numpy as np
import minitf as tf
from minitf.library.eager.context import eager_mode
x = tf.placeholder(tf.float32, [2])
open = x + 1.0
with tf.device("/cpu:0"):
    on_cpu = x * 2.0
with tf.device("/device:XPU:0"):
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    step = tf.train.AdamOptimizer().minimize(tf.reduce_sum(v * on_cpu))
with tf.Session() as sess:
    names = [d.name.rpartition("device:")[2] for d in sess.list_devices()]
    assert names == ["CPU:0", "XPU:0"], names
    assert "simulated XPU" in sess.list_devices()[1].description
    sess.run(tf.global_variables_initializer())
    sess.run(step, {{x: [1.0, 1.0]}})
    np.testing.assert_allclose(sess.run(v), [0.999, 1.999], 1e-6)
    assert sess.run(open, {{x: [1.0, 2.0]}}).tolist() == [2.0, 3.0]
    program = sess.explain(open, [x]).program
    assert "XPU:0" in program and "= receive(" in program, program
    devices = sess._backend.devices.values()
    assert [device.received.count > 0 for device in devices] == [False, True]
with tf.Session(config=tf.ConfigProto(device_count={{"XPU": 0}})) as sess:
    assert len(sess.list_devices()) == 1
assert [d.device_type for d in tf.config.list_logical_devices()] == ["CPU", "XPU"]
with eager_mode(), tf.device("/device:XPU:0"):
    assert "XPU:0" in (tf.constant([1.0]) + 1.0).device
"""

CHECKS = {
    "Adding an operation": OPERATION,
    "Adding an optimizer": OPTIMIZER,
    "Adding a pass": PASS,
    "Adding a type of device": DEVICE,
}


def example(title: str) -> str:
    """The code in the section whose title begins so."""
    section = next(part for part in PAGE.split("\n## ") if part.startswith(title))
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return code


@pytest.mark.parametrize("title", CHECKS)
def test_the_example_does_what_the_page_says(title: str) -> None:
    code = CHECKS[title].format(example=example(title))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
