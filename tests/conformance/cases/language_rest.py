"""Glimpses, sparse tensors as strings, compressed strings, rows of resource variables, resampling."""

import textwrap

from ..case import programs

TEXTS = {
    "glimpse": """
        x = tf.constant(np.arange(100, dtype=np.float32).reshape(2, 5, 10, 1))
        for off in ([[0., 0.], [.2, -.2]], [[-.3, .1], [0., .4]]):
            for size in ([2, 3], [3, 4], [1, 1]):
                g = tf.image.extract_glimpse(x, size, off); show(g.shape, run(g))
    """,
    "glimpse_pixels": "x = tf.constant(np.arange(100, dtype=np.float32).reshape(2, 5, 10, 1)); show(run([tf.image.extract_glimpse(x, [2, 3], [[1., 2.], [3., 5.]], centered=False, normalized=False), tf.image.extract_glimpse(x, [2, 2], [[.3, .3], [.4, .5]], centered=False), tf.image.extract_glimpse(x, [2, 2], [[1., 1.], [-1., 0.]], normalized=False)]))",
    "glimpse_edge": "x = tf.constant(np.arange(100, dtype=np.float32).reshape(2, 5, 10, 1)); g = run(tf.image.extract_glimpse(x, [4, 4], [[1., 1.], [-1., -1.]])); show(g[0, :2, :2, 0], g[1, 2:, 2:, 0], g.shape, (g[0] <= 49).all(), (g[1] >= 50).all())",
    "glimpse_refused": "fails(lambda: tf.image.extract_glimpse(tf.zeros([2, 5, 10]), [2, 2], [[0., 0.]]))",
    "serialize_sparse": "s = tf.SparseTensor([[0, 0], [1, 2]], [3., 4.], [2, 3]); t = tf.serialize_sparse(s); show(t.shape, t.dtype, run(tf.deserialize_many_sparse(tf.stack([t, t]), tf.float32))); u = tf.deserialize_many_sparse(tf.stack([t, tf.serialize_sparse(tf.SparseTensor([[1, 3]], [7.], [3, 4]))]), tf.float32); show(run(u))",
    "serialize_many": "s = tf.SparseTensor([[0, 0], [1, 2], [1, 3]], ['a', 'b', 'c'], [3, 4]); t = tf.io.serialize_many_sparse(s); show(run(t).shape, run(tf.io.deserialize_many_sparse(t, tf.string)))\nfor wrong in (lambda: tf.deserialize_many_sparse(t, tf.float32), lambda: tf.deserialize_many_sparse([['a', 'b', 'c']], tf.float32)):\n    fails(lambda: run(wrong()))",
    "decode_compressed": "import zlib, gzip; show(run([tf.io.decode_compressed([zlib.compress(b'ab'), zlib.compress(b'')], 'ZLIB'), tf.decode_compressed(gzip.compress(b'xyz'), 'GZIP'), tf.decode_compressed(['q']), tf.decode_compressed(['q'], 'ZLIB')]))",
    "sparse_read": "v = tf.get_variable('v', [4, 2], use_resource=True, initializer=tf.constant_initializer(2.)); show(run([v.sparse_read([1, 2]), v.gather_nd([[1, 1]])]))",
    "checks_of_types": "fails(lambda: tf.assert_integer(tf.constant(1.))); fails(lambda: tf.assert_same_float_dtype([tf.constant(1.), tf.constant(1., tf.float64)]))",
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
    "resampled, counted": """
        D = tf.data.Dataset; kinds = np.tile([0, 0, 0, 0, 1, 1, 0, 0, 1, 0], 60)
        for first in (None, [.7, .3]):
            d = D.from_tensor_slices(kinds).apply(tf.data.experimental.rejection_resample(lambda k: tf.cast(k, tf.int32), [.5, .5], first, seed=3))
            n = tf.compat.v1.data.make_one_shot_iterator(d.batch(3000)).get_next(); c, e = run(n); show((c == e).all(), 580 < len(c) < 710, abs(c.mean() - .5) < .07)
        d = D.range(1000).apply(tf.data.experimental.rejection_resample(lambda k: tf.cast(k % 2, tf.int32), [.2, .8], [.5, .5], seed=3))
        _, e = run(tf.compat.v1.data.make_one_shot_iterator(d.batch(3000)).get_next()); show(len(set(e)) < len(e))
    """,
    "stateful batch sizes": """
        m = tf.keras.Sequential([tf.keras.layers.LSTM(3, stateful=True, batch_input_shape=(4, 5, 2))]); m.compile("sgd", "mse")
        for count, size in ((10, 4), (8, 2), (8, None), (8, 4)):
            try: m.fit(np.zeros((count, 5, 2)), np.zeros((count, 3)), batch_size=size, verbose=0); show("trained")
            except ValueError as e: show(str(e))
    """,
    "resampled": """
        D = tf.data.Dataset; kinds = np.random.RandomState(1).choice(3, 3000, p=[.7, .2, .1])
        for first in ([.7, .2, .1], None):
            d = D.from_tensor_slices(kinds).apply(tf.data.experimental.rejection_resample(lambda k: tf.cast(k, tf.int32), [.3, .3, .4], first, seed=3))
            show(tf.compat.v1.data.get_output_types(d)); n = tf.compat.v1.data.make_one_shot_iterator(d.batch(3000)).get_next(); c, e = run(n); share = np.bincount(c, minlength=3) / len(c)
            show((c == e).all(), (np.abs(share - [.3, .3, .4]) < .1).all(), len(c) > 300)
    """,
}

CASES = programs(
    "language_rest", {name: textwrap.dedent(text).strip() for name, text in TEXTS.items()}
)
