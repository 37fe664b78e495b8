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
    "dense_grows": "t = made(initial_num_buckets=4); run(t.insert([1, 2, 3, 4], [5, 6, 7, 8])); show(len(run(t.export())[0]), run(t.size())); run(t.insert(list(range(1, 21)), list(range(20)))); show(len(run(t.export())[0]), run(t.size()))",
    "dense_reserved": "t = made(empty_key=12)\nfor f in (lambda: t.insert([11, 12], [0, 1]), lambda: t.lookup([11, 12]), lambda: t.insert([-1], [0]), lambda: t.lookup([-1]), lambda: t.remove(i64([-1])), lambda: t.remove(i64([12]))):\n    fails(lambda: run(f()))",
    "dense_buckets": "fails(lambda: run(made(initial_num_buckets=12).insert([1], [2])))",
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
