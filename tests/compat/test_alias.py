"""`import tensorflow` means minitf: names, versions, and what is said about a name that is missing."""

import importlib
import sys
from collections.abc import Iterator

import pytest

import minitf
from minitf.compat import alias
from minitf.compat.table import TABLE


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


def test_the_names_are_minitfs() -> None:
    tf = importlib.import_module("tensorflow")
    assert tf.Session is minitf.Session
    assert tf.nn.relu is minitf.nn.relu
    assert tf.train.Server is minitf.train.Server
    assert "Session" in dir(tf)
    assert "ops" in dir(importlib.import_module("tensorflow.python.framework"))


def test_the_version_is_that_of_the_interface() -> None:
    tf = importlib.import_module("tensorflow")
    v1 = importlib.import_module("tensorflow.compat.v1")
    assert tf.__version__ == tf.VERSION == tf.version.VERSION == v1.__version__ == "1.15.0"
    assert minitf.__version__ != tf.__version__


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from tensorflow.python.framework import ops; x = ops.reset_default_graph", "reset_default_graph"),
        ("from tensorflow.python.framework.ops import convert_to_tensor as x", "convert_to_tensor"),
        ("import tensorflow.python.ops.array_ops as ops; x = ops.reshape", "reshape"),
        ("import tensorflow as tf; x = tf.python.ops.math_ops.add", "add"),
        ("import tensorflow.compat.v1 as tf; x = tf.placeholder", "placeholder"),
        ("from tensorflow.nn import relu as x", "nn.relu"),
        ("from tensorflow.python.client import timeline; x = timeline.Timeline", "runtime.timeline.Timeline"),
        ("from tensorflow.examples.tutorials.mnist import input_data; x = input_data.read_data_sets", "datasets.mnist.read_data_sets"),
        ("from tensorflow import errors; x = errors.NotFoundError", "errors.NotFoundError"),
    ],
)  # fmt: skip
def test_programs_import_in_many_ways(line: str, expected: str) -> None:
    names: dict = {}
    exec(line, names)
    wanted = minitf
    for part in expected.split("."):
        wanted = getattr(wanted, part)
    assert names["x"] is wanted


@pytest.mark.parametrize(
    ("line", "error", "name"),
    [
        ("import tensorflow.contrib.bayesflow", ModuleNotFoundError, "tf.contrib.bayesflow"),
        ("from tensorflow.contrib import bayesflow", ModuleNotFoundError, "tf.contrib.bayesflow"),
        ("from tensorflow.nn import nonsense", ModuleNotFoundError, "tf.nn.nonsense"),
        ("import tensorflow as tf; tf.nn.nonsense", AttributeError, "tf.nn.nonsense"),
        ("import tensorflow as tf; tf.nonsense()", AttributeError, "tf.nonsense"),
    ],
)
def test_a_missing_name_is_named(line: str, error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=f"minitf has no {name};"):
        exec(line, {})


def test_a_program_can_ask_for_what_may_be_missing() -> None:
    tf = importlib.import_module("tensorflow")
    assert not hasattr(tf, "nonsense")
    assert hasattr(tf, "Session")


def test_every_module_of_the_table_can_be_imported() -> None:
    for module in TABLE:
        assert isinstance(importlib.import_module(f"tensorflow.{module}"), alias.Alias)


def test_parents_stand_in_the_table() -> None:
    parents = {module.rpartition(".")[0] for module in TABLE} - {""}
    assert [p for p in sorted(parents) if p not in TABLE and alias.find(p) is None] == []


def test_the_name_is_given_back() -> None:
    importlib.import_module("tensorflow.python.framework.ops")
    alias.uninstall()
    assert not any(name.startswith("tensorflow") for name in sys.modules)
    assert alias._FINDER not in sys.meta_path


def test_the_real_library_is_not_pushed_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", importlib.import_module("json"))
    with pytest.raises(RuntimeError, match="real tensorflow is imported already"):
        alias.install()
    monkeypatch.delitem(sys.modules, "tensorflow")


def test_the_notebook_extension() -> None:
    alias.uninstall()
    minitf.load_ipython_extension(None)
    assert importlib.import_module("tensorflow").Session is minitf.Session
    minitf.unload_ipython_extension(None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tensorflow")
