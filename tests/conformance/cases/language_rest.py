"""Glimpses, sparse tensors as strings, compressed strings, rows of resource variables, resampling."""

import textwrap

from ..case import programs

TEXTS = {
    "auc_of_integers": "m, u = tf.metrics.auc(tf.constant([0, 1], tf.int64), tf.constant([0, 1], tf.int64)); run(tf.local_variables_initializer()); show(run(u), run(m))",
    "fields_of_nodes": """
        x = tf.placeholder(tf.float32, [None, 6, 6, 2], name="x"); w = tf.constant(np.arange(36, dtype="f").reshape(3, 3, 2, 2), name="w")
        tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME", name="conv")
        renamed = tf.GraphDef()
        for n0 in tf.get_default_graph().as_graph_def().node:
            n = renamed.node.add(); n.MergeFrom(n0); n.name = "a/" + n.name
            for i, source in enumerate(n.input): n.input[i] = "a/" + source
        show([(n.name, n.op, list(n.input)) for n in renamed.node])
        x, w, conv = renamed.node
        show(tf.as_dtype(x.attr["dtype"].type).name, [d.size for d in x.attr["shape"].shape.dim])
        held = w.attr["value"].tensor; show(len(held.tensor_content), [d.size for d in held.tensor_shape.dim], tf.make_ndarray(held))
        show(list(conv.attr["strides"].list.i), conv.attr["padding"].s, conv.attr["nothing"].s)
        show(list(tf.get_default_graph().get_operation_by_name("conv").node_def.attr["strides"].list.i))
        del w.attr["value"]; show("value" in w.attr)
    """,
    "stateful batch sizes": """
        m = tf.keras.Sequential([tf.keras.layers.LSTM(3, stateful=True, batch_input_shape=(4, 5, 2))]); m.compile("sgd", "mse")
        for count, size in ((10, 4), (8, 2), (8, None), (8, 4)):
            try: m.fit(np.zeros((count, 5, 2)), np.zeros((count, 3)), batch_size=size, verbose=0); show("trained")
            except ValueError as e: show(str(e))
    """,
}

CASES = programs(
    "language_rest", {name: textwrap.dedent(text).strip() for name, text in TEXTS.items()}
)
