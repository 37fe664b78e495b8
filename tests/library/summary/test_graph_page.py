"""TensorBoard's graph page, by its own code, over what our writer wrote."""

import warnings

import numpy as np
import pytest

import minitf as tf

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # html5lib, which TensorBoard's plugins import, warns
    graphs_plugin = pytest.importorskip("tensorboard.plugins.graph.graphs_plugin")
    from google.protobuf import text_format
    from tensorboard import context
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.compat.proto import graph_pb2
    from tensorboard.plugins import base_plugin


def test_the_graph_page_of_tensorboard_reads_graphs_and_traces(tmp_path):
    """The page's own code: functions in its library, names of the trace among its nodes."""
    x = tf.placeholder(tf.float32, [None, 3], "x")
    end = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), [0, x])[1]
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: end * 2, lambda: end, name="choice")
    metadata = tf.RunMetadata()
    with tf.Session() as sess, tf.summary.FileWriter(str(tmp_path), sess.graph) as writer:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(y, {x: np.ones((2, 3))}, options=options, run_metadata=metadata)
        writer.add_run_metadata(metadata, "step 1")
    runs = plugin_event_multiplexer.EventMultiplexer()
    runs.AddRunsFromDirectory(str(tmp_path))
    runs.Reload()
    provider = data_provider.MultiplexerDataProvider(runs, str(tmp_path))
    page = graphs_plugin.GraphsPlugin(base_plugin.TBContext(data_provider=provider))
    request = context.RequestContext()
    assert page.info_impl(request, experiment="")["."]["run_graph"]
    body, _ = page.graph_impl(request, ".", None, False, "", 1024, "_too_large_attrs")
    graph = text_format.Parse(body, graph_pb2.GraphDef())
    assert {"x", "while/While", "choice/If"} <= {node.name for node in graph.node}
    assert [each.signature.name for each in graph.library.function] == [
        "while_While_cond", "while_While_body", "choice_If_then_branch", "choice_If_else_branch"
    ]  # fmt: skip
    trace, _ = page.run_metadata_impl(request, "", ".", "step 1")
    assert 'node_name: "Sum"' in trace
