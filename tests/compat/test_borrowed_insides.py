"""What research programs borrow from below `tensorflow.python`."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf
from minitf.compat.tensorflow import alias


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


def _module(name: str) -> Any:
    return importlib.import_module(f"tensorflow.{name}")


def test_modules_show_those_that_theirs_import() -> None:
    rnn = _module("python.ops.rnn")
    assert rnn.rnn_cell_impl.RNNCell is minitf.nn.rnn_cell.RNNCell
    assert _module("python").math_ops.matmul is minitf.matmul
    with pytest.raises(AttributeError, match=r"has no tf\.python\.ops\.rnn\.no_such"):
        _ = rnn.no_such


def test_a_session_in_the_debugger_runs() -> None:
    debug = _module("python.debug")
    with debug.LocalCLIDebugWrapperSession(minitf.Session()) as sess:
        sess.add_tensor_filter("bad", debug.has_inf_or_nan)
        assert sess.run(minitf.constant(2)) == 2
    assert debug.has_inf_or_nan(None, np.array([np.inf]))
    assert not debug.has_inf_or_nan(None, np.array(["a"]))


def test_rewriters_are_noted() -> None:
    off = _module("core.protobuf.rewriter_config_pb2").RewriterConfig.OFF
    config = minitf.ConfigProto()
    config.graph_options.rewrite_options.layout_optimizer = off
    assert config.graph_options.rewrite_options.layout_optimizer == 2


def test_a_matrix_of_unknown_rank_is_transposed() -> None:
    x = minitf.placeholder(minitf.float32)
    y = minitf.matrix_transpose(x)
    with minitf.Session() as sess:
        for shape in ((2, 3), (4, 2, 3)):
            value = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
            np.testing.assert_array_equal(sess.run(y, {x: value}), np.swapaxes(value, -1, -2))


def test_the_session_below_the_hooks() -> None:
    minitf.train.get_or_create_global_step()
    with minitf.train.MonitoredSession() as sess:
        assert isinstance(sess._tf_sess(), minitf.Session)
    assert callable(_module("python.training.evaluation").wait_for_new_checkpoint)
