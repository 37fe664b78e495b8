"""Tables that steps change: dense ones, vectors as keys, what a checkpoint keeps; queues that share."""

import textwrap

from ..case import programs

PRELUDE = """
    Dense = tf.lookup.experimental.DenseHashTable
    i64 = lambda *v: tf.constant(v[0] if len(v) == 1 else v, tf.int64)
    made = lambda **kw: Dense(tf.int64, tf.int64, **{"default_value": -1, "empty_key": 0, "deleted_key": -1, **kw})
"""

TEXTS = {
    "dense": "t = made(); show(t.name, t.resource_handle.op.type, run(t.size())); run(t.insert([11, 12, 13, 14], [0, 1, 2, 3])); show(run(t.size()), run(t.lookup([11, 12, 15])), t.lookup([1]).shape); run(t.remove(i64(12, 15))); show(run(t.size()), run(t.lookup([11, 12, 15])))",
    "dense_strings": "t = Dense(tf.string, tf.int64, default_value=-1, empty_key='', deleted_key='$'); run(t.insert(['a', 'b'], [5, 6])); show(run([t.lookup([['a'], ['c']]), t.lookup(tf.constant('a')), t.size()]))",
    "dense_vectors": "t = made(default_value=i64(-1, -2), empty_key=i64(0, 2), deleted_key=i64(-1, -2)); run(t.insert([[0, 1], [1, 2], [1, 3]], [[10, 11], [12, 13], [14, 15]])); show(run(t.size()), run(t.lookup([[0, 1], [1, 3], [0, 3]])), t.lookup([[0, 1]]).shape); run(t.remove(i64([[1, 2], [7, 7]]))); show(run(t.size()))",
    "dense_vector_keys": "t = made(empty_key=i64(0, 2), deleted_key=i64(-1, -2)); run(t.insert([[0, 1], [1, 2]], [7, 8])); show(run(t.lookup([[[0, 1]], [[5, 5]]])))",
    "dense_export": "t = made(initial_num_buckets=8); run(t.insert([1, 2, 3, 4], [5, 6, 7, 8])); k, v = run(t.export()); show(k.shape, v.shape, sorted(k.ravel().tolist()))",
    "dense_grows_soon": "t = made(initial_num_buckets=4); run(t.insert([11, 12, 13], [0, 1, 2])); run(t.remove(i64(12, 99))); run(t.insert([13, 14, 15, 16, 17], [3, 4, 5, 6, 7])); show(len(run(t.export())[0]), run(t.size()))",
    "dense_saved_alone": "t = made(name='t1', initial_num_buckets=32); run(t.insert([11, 12], [1, 2])); path = tf.train.Saver([t]).save(session(), folder + '/m'); u = made(name='u', initial_num_buckets=64); tf.train.Saver([t]).restore(session(), path); show(len(run(t.export())[0]), len(run(u.export())[0]), run(t.size()))",
    "static_export": "t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1); run(t.initializer); show(*(sorted(run(e).tolist()) for e in t.export()), [e.shape for e in t.export()])",
    "static_in_a_loop": "f = lambda x: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2, 3], [5, 10, 15]), -1).lookup(x); y = tf.map_fn(f, tf.constant([2, 4, 1])); run(tf.tables_initializer()); show(run(y))",
    "static_refused": "K = tf.lookup.KeyValueTensorInitializer; fails(lambda: tf.lookup.StaticHashTable(K(['a', 'b'], [1, 2, 3]), -1)); T = tf.lookup.TextFileInitializer; fails(lambda: T('', tf.string, 0, tf.int64, 0)); fails(lambda: T('a', tf.string, 0, tf.int64, 0, vocab_size=0))",
    "hashers": """
        try: from tensorflow.python.ops import lookup_ops as L
        except ImportError: import minitf.library.text.lookup.tables as L
        show(*(run(L.IdTableWithHashBuckets(None, 100, hasher_spec=h).lookup(tf.constant(["a", "b"]))) for h in (L.FastHashSpec, L.StrongHashSpec([1, 2]))))
        for f in (lambda: L.StrongHashSpec([1]), lambda: L.StrongHashSpec(["a", "b"]), lambda: L.IdTableWithHashBuckets(None, 0), lambda: L.IdTableWithHashBuckets(None, 3, hasher_spec=1), lambda: L.IdTableWithHashBuckets(None, 3, L.HasherSpec("x", None)).lookup(tf.constant(["a"])), lambda: L.index_table_from_file("a", num_oov_buckets=-1)): fails(f)
    """,
    "attributes_by_get_attr": "x = tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], b'SAME'); q = tf.FIFOQueue(5, [tf.int32], shapes=[[2]]); show(x.op.get_attr('ksize'), x.op.get_attr('padding'), q.queue_ref.op.get_attr('component_types'), q.queue_ref.op.get_attr('container'))",
    "queue_shared_seeds": "tf.set_random_seed(5); a, b = (tf.RandomShuffleQueue(1, 0, tf.float32, shared_name='s') for _ in 'ab'); run(a.enqueue(1.)); show(run(b.size()), a.queue_ref.op.get_attr('seed2'))",
    "queue_selected_out_of_range": "q = tf.QueueBase.from_list(3, [tf.FIFOQueue(9, tf.float32), tf.FIFOQueue(9, tf.float32)]); fails(lambda: run(q.dequeue()))",
    "queue_partial_shapes": "fails(lambda: tf.PaddingFIFOQueue(3, [tf.float32], [None]))",
    "dense_grows": "t = made(initial_num_buckets=4); run(t.insert([1, 2, 3, 4], [5, 6, 7, 8])); show(len(run(t.export())[0]), run(t.size())); run(t.insert(list(range(1, 21)), list(range(20)))); show(len(run(t.export())[0]), run(t.size()))",
    "dense_reserved": "t = made(empty_key=12)\nfor f in (lambda: t.insert([11, 12], [0, 1]), lambda: t.lookup([11, 12]), lambda: t.insert([-1], [0]), lambda: t.lookup([-1]), lambda: t.remove(i64([-1])), lambda: t.remove(i64([12]))):\n    fails(lambda: run(f()))",
    "dense_buckets": "fails(lambda: run(made(initial_num_buckets=12).insert([1], [2])))",
    "dense_keys_of_a_matrix": "t = made()\nfor f in (lambda: t.lookup([[11, 5], [12, 1]]), lambda: t.insert([[11, 5], [12, 1]], [[1, 2], [3, 4]])): fails(lambda: run(f()))",
    "dense_equal": "fails(lambda: run(made(empty_key=42, deleted_key=42).insert([1], [2])))",
    "dense_shapes": "fails(lambda: run(made(empty_key=i64(1, 2), deleted_key=i64([1])).size()))",
    "dense_sizes": "t = made(); fails(lambda: run(t.insert([1, 2], [1]))); u = made(empty_key=i64(0, 0), deleted_key=i64(-1, -1), name='u'); fails(lambda: run(u.insert([[1, 2, 3]], [1]))); fails(lambda: run(u.lookup([[1, 2, 3]])))",
    "dense_saved": """
        t = made(name="t1"); v = tf.Variable(1., name="v"); run(v.initializer); run(t.insert([11, 12], [1, 2])); s = tf.train.Saver()
        path = s.save(session(), folder + "/m"); show([name for name, _ in tf.train.list_variables(path)])
        run(t.insert([11, 77], [5, 6])); s.restore(session(), path); show(run([t.size(), t.lookup([11, 12, 77])]))
    """,
    "queue_shared_minimum": "q = tf.RandomShuffleQueue(10, 5, tf.float32, shared_name='s'); r = tf.RandomShuffleQueue(10, 0, tf.float32, shared_name='s'); run(q.queue_ref.op); fails(lambda: run(r.queue_ref.op))",
    "queue_unknown_rank": "fails(lambda: tf.PaddingFIFOQueue(10, tf.float32, [tf.TensorShape(None)]))",
}

CASES = programs(
    "tables",
    {
        name: "\n".join(
            [
                *(line.strip() for line in PRELUDE.strip().splitlines()),
                textwrap.dedent(text).strip(),
            ]
        )
        for name, text in TEXTS.items()
    },
)
