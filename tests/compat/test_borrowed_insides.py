"""What research programs borrow from below `tensorflow.python`."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
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


def test_linear_has_a_kernel_and_a_bias() -> None:
    linear = _module("contrib.rnn.python.ops.core_rnn_cell")._linear
    x = minitf.constant([[1.0, 2.0]])
    with minitf.variable_scope("a", initializer=minitf.ones_initializer()):
        y = linear([x, x], 3, True)
    assert [v.name for v in minitf.global_variables()] == ["a/kernel:0", "a/bias:0"]
    with minitf.Session() as sess:
        sess.run(minitf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(y), [[6, 6, 6]])
    with pytest.raises(ValueError, match="linear is expecting 2D arguments"):
        linear(minitf.ones([2]), 3, False)


def test_shapes_are_joined() -> None:
    concat = _module("python.ops.rnn_cell_impl")._concat
    assert concat(3, [4, 5], static=True) == [3, 4, 5]
    assert concat(minitf.constant(3), 4, static=True) == [3, 4]
    assert concat(None, 4, static=True) is None
    assert concat(minitf.constant(3), [4]).shape == [2]


def test_nests_are_taken_apart_into_tensors() -> None:
    nest = _module("python.util.nest")
    assert nest.flatten_up_to([0, 0], [[1, 2], 3]) == [[1, 2], 3]
    sparse = minitf.SparseTensor([[0]], [1], [2])
    assert len(nest.flatten([sparse, 1], expand_composites=True)) == 4
    again = nest.map_structure(lambda t: t, [sparse], expand_composites=True)
    assert isinstance(again[0], minitf.SparseTensor)


def test_a_graph_and_its_checkpoint_are_frozen(tmp_path: Any) -> None:
    freeze_graph = _module("python.tools.freeze_graph").freeze_graph
    y = minitf.identity(minitf.get_variable("w", initializer=3.0) * 2.0, name="y")
    with minitf.Session() as sess:
        sess.run(minitf.global_variables_initializer())
        checkpoint = minitf.train.Saver().save(sess, str(tmp_path / "model"))
        for as_text, name in ((True, "g.pbtxt"), (False, "g.pb")):
            minitf.train.write_graph(sess.graph, str(tmp_path), name, as_text)
            frozen = freeze_graph(
                str(tmp_path / name), "", not as_text, checkpoint, "y", "save/restore_all",
                "save/Const:0", str(tmp_path / "frozen.pb"), True, "",
            )  # fmt: skip
            assert {node.op for node in frozen.node} == {"Const", "Identity", "Mul"}
    with minitf.Graph().as_default(), minitf.Session() as sess:
        graph_def = minitf.GraphDef.FromString((tmp_path / "frozen.pb").read_bytes())
        (again,) = minitf.import_graph_def(graph_def, return_elements=["y:0"])
        assert sess.run(again) == 6.0
    assert y.op.name == "y"


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


def test_events_are_written_without_a_session(tmp_path: Any) -> None:
    writer = _module("python.pywrap_tensorflow").EventsWriter(str(tmp_path / "events").encode())
    value = minitf.Summary.Value(tag="loss", simple_value=0.5)
    writer.WriteEvent(minitf.Event(step=3, summary=minitf.Summary(value=[value])))
    writer.Flush()
    writer.Close()
    (path,) = tmp_path.iterdir()
    events = list(minitf.train.summary_iterator(str(path)))
    assert (events[-1].step, events[-1].summary.value[0].simple_value) == (3, 0.5)


def test_generated_functions_have_their_names() -> None:
    gen = _module("python.ops.gen_nn_ops")
    with minitf.Session() as sess:
        dy, y = minitf.constant([1.0, 2.0]), minitf.constant([0.0, 3.0])
        np.testing.assert_array_equal(sess.run(gen._relu_grad(dy, y)), [0, 2])
    assert gen.conv2d_backprop_input is gen.conv2d_backprop_input
    assert gen.conv3d_backprop_input_v2.__name__ == "Conv3DBackpropInputV2"
    assert not hasattr(gen, "no_such_grad")


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


def test_sparse_tensors_of_indicators_and_of_rows() -> None:
    sparse_ops = _module("contrib.layers.python.ops.sparse_ops")
    labels = sparse_ops.indicators_to_sparse_ids(
        [[[0, 0, 1, 0], [0] * 4], [[1, 0, 1, 1], [0, 0, 1, 0]]]
    )
    words = sparse_ops.dense_to_sparse_tensor([["a", ""], ["-", "b"]])
    rows = minitf.SparseTensor([[0, 0], [2, 0], [2, 1], [2, 2]], [0, 1, 2, 3], [5, 3])
    with minitf.Session() as sess:
        ids, found = sess.run([labels, words])
        lengths = sess.run(sparse_ops.sparse_row_envelope(rows))
    assert ids.indices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 0, 2], [1, 1, 0]]
    assert ids.values.tolist() == [2, 0, 2, 3, 2] and ids.dense_shape.tolist() == [2, 2, 3]
    assert found.values.tolist() == [b"a", b"-", b"b"]
    assert lengths.tolist() == [1, 0, 3, 0, 0]
    with pytest.raises(ValueError, match="not integer"):
        sparse_ops.indicators_to_sparse_ids([1], dtype=minitf.float32)
    with pytest.raises(ValueError, match="can not be the same axis"):
        sparse_ops.sparse_row_envelope(rows, 1, 1)


def test_a_program_of_eager_tests_runs_eagerly(tmp_path: Path) -> None:
    program = tmp_path / "eager_test.py"
    program.write_text(
        "from tensorflow.python.eager import test\n"
        "from tensorflow.python.framework import constant_op\n"
        "class Test(test.TestCase):\n"
        "  def test_value(self):\n"
        "    self.assertEqual(constant_op.constant(3).numpy(), 3)\n"
        "test.main()\n"
    )
    done = subprocess.run([sys.executable, "-m", "minitf", program], capture_output=True, text=True)
    assert done.returncode == 0 and "Ran 2 tests" in done.stderr, done.stderr


def test_built_in_functions_of_tensors() -> None:
    builtins = _module("python.autograph.operators.py_builtins")
    x = minitf.constant([-1, 2])
    items = minitf.data.Dataset.range(2)
    numbered = builtins.enumerate_(items, minitf.constant(5, minitf.int64))
    with minitf.Session() as sess:
        assert sess.run(builtins.abs_(x)).tolist() == [1, 2]
        assert sess.run(builtins.range_(2, minitf.constant(1))).tolist() == []
        assert sess.run(builtins.int_(minitf.constant("7"))) == 7
        assert sess.run(builtins.len_(_list([3, 4]))) == 2
        assert sess.run(numbered.make_one_shot_iterator().get_next()) == (5, 0)
    assert builtins.len_([1, 2]) == 2 and list(builtins.zip_([1], [2])) == [(1, 2)]
    with pytest.raises(NotImplementedError, match="base 2"):
        builtins.int_(minitf.constant("7"), 2)


def _list(items: list) -> Any:
    return _module("python.autograph.operators.data_structures").tf_tensor_list_new(items)
