"""The small form of the library does what the library does, in 200 lines of code."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import minitf as tf
from scripts import size

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "examples/minitf_in_200_lines.py"
POINTS = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [[1.0], [3.0], [5.0]]


@pytest.fixture
def small() -> ModuleType:
    """The example, as a module with a graph of its own."""
    spec = importlib.util.spec_from_file_location("minitf_in_200_lines", PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_has_at_most_200_lines_of_code() -> None:
    assert 100 < size.measure(PATH).code <= 200


def test_the_places_that_it_names_exist() -> None:
    places = re.findall(r"minitf/[\w/]+(?:\.py)?", PATH.read_text())
    assert len(places) >= 6
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_it_runs(small: ModuleType, capsys: pytest.CaptureFixture) -> None:
    small.main()
    printed = capsys.readouterr().out
    assert "prediction = x @ weights" in printed and "train = variables['weights'] = " in printed
    assert "step 200: cost 0.00000" in printed


def test_names_shapes_and_errors(small: ModuleType) -> None:
    x = small.placeholder((None, 2), "x")
    w = small.variable(np.ones((2, 3)), "w")
    assert repr(x @ w) == "<Tensor 'MatMul:0' shape=(None, 3) device=cpu:0>"
    assert (x @ w).name == "MatMul_1"
    with pytest.raises(ValueError, match="must be equal, but are 3 and 2 for 'MatMul_2'"):
        w @ w
    with pytest.raises(ValueError, match="must feed a value for placeholder tensor 'x'"):
        small.Session().run([x], {})


def test_only_what_crosses_is_sent_and_only_once(small: ModuleType) -> None:
    a = small.constant([1.0, 2.0], "a")
    with small.device("cpu:1"):
        b = small.mul(small.add(a, a, name="s"), a, name="b")
    programs = small.Session().explain([b])
    assert programs["cpu:0"].splitlines()[1:] == [
        "    a = constants['a']",
        "    send('a', 'cpu:1', a)",
        "    return locals()",
    ]
    assert programs["cpu:1"].splitlines()[1:] == [
        "    a = recv('a', 'cpu:1')",
        "    s = a + a",
        "    b = s * a",
        "    return locals()",
    ]
    assert small.Session().run([b], {})[0].tolist() == [2.0, 8.0]


def test_it_trains_as_the_library_does(small: ModuleType) -> None:
    weights = small.variable([[0.0], [0.0]], "weights")
    x, y = small.placeholder((None, 2), "x"), small.placeholder((None, 1), "y")
    with small.device("cpu:1"):
        error = x @ weights - y
    cost = small.reduce_sum(error * error)
    (slope,) = small.gradients(cost, [weights])
    rate = small.constant([[0.05], [0.05]])
    step = small.assign(weights, weights - rate * slope)
    session = small.Session()
    costs = [session.run([cost, step], {x: POINTS[0], y: POINTS[1]})[0] for _ in range(20)]

    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable(tf.zeros([2, 1]))
        loss = tf.reduce_sum(tf.square(tf.matmul(POINTS[0], w) - POINTS[1]))
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        sess.run(tf.global_variables_initializer())
        expected = [sess.run([loss, train])[0] for _ in range(20)]
        np.testing.assert_allclose(session.variables["weights"], sess.run(w), rtol=1e-5)
    np.testing.assert_allclose(costs, expected, rtol=1e-5)
