"""tf.data: elements, their types and shapes, iterators, and the texts of errors."""

import textwrap

from ..case import programs

_PRELUDE = """
import collections, re
D = tf.data.Dataset
def drain(iterator_or_next, s=None, count=60):
    n = iterator_or_next.get_next() if hasattr(iterator_or_next, "get_next") else iterator_or_next
    s, found = s or session(), []
    try:
        for _ in range(count): found.append(s.run(n))
        return found
    except tf.errors.OpError as error:
        return found + [type(error).__name__]
def elements(d, count=60):
    show(tf.data.get_output_types(d)); show(tf.data.get_output_shapes(d))
    it = tf.data.make_initializable_iterator(d); session().run(it.initializer)
    show(drain(it, count=count))
def text(error): return re.sub(r"(?s)\\n?\\s*\\[\\[.*", "", re.sub(r"(?s).*\\nNode: '[^\\n]*'\\n", "", error.message)).replace("Graph execution error:\\n\\n", "")
def file(path, content):
    with open(path, "wb") as f: f.write(content)
def ends(d):
    try:
        it = tf.data.make_initializable_iterator(d); session().run(it.initializer); n = it.get_next()
        for _ in range(20): session().run(n)
        show("no error")
    except tf.errors.OpError as error:
        show(type(error).__name__, text(error))
"""

_PROGRAMS = {
    "from_tensors": "elements(D.from_tensors(([1, 2], {'b': 'x', 'a': np.float32(3)})))",
    "slices": "elements(D.from_tensor_slices(([1, 2, 3], {'b': ['x', 'y', 'z'], 'a': np.eye(3, dtype=np.float32)})))",
    "slices_of_lists": "elements(D.from_tensor_slices([[1., 2.], [3., 4.]]))",
    "slices_scalar": "fails(lambda: D.from_tensor_slices(3).nothing)",
    "slices_unequal": "fails(lambda: D.from_tensor_slices(([1, 2], [1, 2, 3])))",
    "slices_named": """
    P = collections.namedtuple("P", ["x", "y"])
    d = D.from_tensor_slices(P([1, 2], [3., 4.])); elements(d); show(type(d.element_spec).__name__)
    elements(d.map(lambda p: p.x + tf.cast(p.y, tf.int32)))
    """,
    "range": "elements(D.range(4)); elements(D.range(2, 5)); elements(D.range(5, 0, -2)); elements(D.range(3, 3)); elements(D.range(1, 0))",
    "range_step": "ends(D.range(1, 5, 0))",
    "map": "elements(D.range(4).map(lambda x: x * 2)); elements(D.range(3).map(lambda x: (x, {'y': x + 1, 'z': tf.cast(x, tf.float32)})))",
    "map_unpacks": "elements(D.zip((D.range(3), D.range(3, 6))).map(lambda a, b: a * b)); elements(D.from_tensors({'a': 1, 'b': 2}).map(lambda d: d['a'] + d['b']))",
    "map_nested_argument": "elements(D.zip((D.range(3), (D.range(3), D.range(3)))).map(lambda a, bc: a + bc[0] * bc[1]))",
    "map_constant": "elements(D.range(2).map(lambda x: 7)); elements(D.range(2).map(lambda x: [x, x])); elements(D.range(2).map(lambda x: np.float64(2)))",
    "map_captures": """
    c = tf.constant([1., 2.]); v = tf.Variable(3.)
    d = D.range(2).map(lambda x: c * tf.cast(x, tf.float32) + v); run(tf.no_op()); elements(d)
    """,
    "map_variable_changes": """
    v = tf.Variable(1); up = v.assign_add(10); run(tf.no_op())
    it = D.range(4).map(lambda x: tf.cast(x, tf.int32) + v).make_initializable_iterator(); n = it.get_next(); run(it.initializer)
    # TensorFlow prefetches by itself: when a running iterator sees the change is a race there.
    show(run(n), run(up), run(it.initializer), run(n), run(n))
    """,
    "map_error": "fails(lambda: D.range(2).map(lambda x: object()))",
    "map_division": "ends(D.range(3).map(lambda x: 6 // (x - 1)))",
    "map_parallel": "elements(D.range(20).map(lambda x: x * x, num_parallel_calls=4)); elements(D.range(5).map(lambda x: x + 1, num_parallel_calls=tf.data.experimental.AUTOTUNE))",
    "map_py_func": "elements(D.range(3).map(lambda x: tf.py_func(lambda a: a * 2.5, [x], tf.float64)))",
    "map_py_func_list": "elements(D.range(3).map(lambda x: tf.py_func(lambda a: (a, a + 1), [x], [tf.int64, tf.int64])))",
    "map_cond": "elements(D.range(4).map(lambda x: tf.cond(x > 1, lambda: x * 10, lambda: -x)))",
    "map_table": """
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    run(tf.tables_initializer()); elements(D.from_tensor_slices(["b", "c", "a"]).map(t.lookup))
    """,
    "batch": "elements(D.range(7).batch(3)); elements(D.range(7).batch(3, drop_remainder=True)); elements(D.from_tensor_slices({'a': ['x', 'y', 'z']}).batch(2))",
    "batch_of_batch": "elements(D.range(8).batch(2).batch(2))",
    "batch_unequal": "ends(D.range(3).map(lambda x: tf.fill([x], x)).batch(2)); ends(D.range(3).batch(0))",
    "repeat": "elements(D.range(2).repeat(3)); elements(D.range(2).repeat(), 7); elements(D.range(2).repeat(0)); elements(D.range(0).repeat())",
    "take_skip": "elements(D.range(6).take(2)); elements(D.range(6).take(-1)); elements(D.range(6).skip(4)); elements(D.range(6).skip(-1)); elements(D.range(3).take(9)); elements(D.range(3).skip(9))",
    "filter": "elements(D.range(9).filter(lambda x: tf.equal(x % 3, 0))); elements(D.zip((D.range(5), D.range(5))).filter(lambda a, b: a * b > 4))",
    "filter_type": "fails(lambda: D.range(2).filter(lambda x: x))",
    "zip": "elements(D.zip((D.range(3), D.range(5, 9)))); elements(D.zip({'a': D.range(2), 'b': (D.range(4), D.range(3))}))",
    "zip_error": "fails(lambda: D.zip([D.range(3), D.range(3)])); fails(lambda: D.zip((D.range(3), 5)))",
    "concatenate": "elements(D.range(2).concatenate(D.range(7, 9))); elements(D.range(4).batch(2, drop_remainder=True).concatenate(D.range(3).batch(3)))",
    "concatenate_error": "fails(lambda: D.range(2).concatenate(D.from_tensors(1.)))",
    "prefetch": "elements(D.range(5).prefetch(2)); elements(D.range(5).prefetch(tf.data.experimental.AUTOTUNE)); elements(D.range(4).prefetch(1).repeat(2)); elements(D.range(3).prefetch(0))",
    "shuffle": """
    n = drain(D.range(10).shuffle(10, seed=3).repeat(2).make_one_shot_iterator())
    show(sorted(int(x) for x in n[:10]), sorted(int(x) for x in n[10:20]), n[20:], [int(x) for x in n[:10]] == [int(x) for x in n[10:20]])
    n = drain(D.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False).repeat(2).make_one_shot_iterator()); show(n[:10] == n[10:20])
    ends(D.range(3).shuffle(0))
    """,
    "shuffle_window": "n = drain(D.range(50).shuffle(5, seed=1).make_one_shot_iterator()); show(all(x - 5 < i for i, x in enumerate(n[:50])), len(n))",
    "shuffle_repeatable": """
    it = D.range(9).shuffle(9, seed=5).make_initializable_iterator(); n = it.get_next(); a = []
    for _ in range(2): session().run(it.initializer); a.append(drain(n))
    show(a[0] == a[1], sorted(int(x) for x in a[0][:9]))
    """,
    "placeholder": """
    x = tf.placeholder(tf.float32, [None, 2]); y = tf.placeholder(tf.int32, [None])
    d = D.from_tensor_slices((x, y)).batch(2); it = d.make_initializable_iterator(); n = it.get_next(); show(n)
    session().run(it.initializer, {x: np.ones([3, 2]), y: [1, 2, 3]}); show(drain(n))
    session().run(it.initializer, {x: np.zeros([1, 2]), y: [9]}); show(drain(n))
    fails(lambda: session().run(it.initializer, {x: np.ones([3, 2]), y: [1, 2]}))
    """,
    "one_shot_placeholder": "x = tf.placeholder(tf.int64, []); fails(lambda: D.range(x).make_one_shot_iterator())",
    "one_shot_twice": "it = D.range(2).make_one_shot_iterator(); show(drain(it)); show(drain(it)); fails(lambda: it.initializer)",
    "one_shot_constants": "c = tf.constant(3) + 4; elements(D.from_tensors(c)); show(drain(D.from_tensors(c).map(lambda x: x * 2).make_one_shot_iterator()))",
    "uninitialized": "it = D.range(2).make_initializable_iterator(); n = it.get_next(); fails(lambda: session().run(n))",
    "end": "n = D.range(1).make_one_shot_iterator().get_next(); show(session().run(n)); fails(lambda: session().run(n))",
    "iterator_properties": """
    it = D.from_tensor_slices(([1, 2], {'a': [1., 2.]})).make_initializable_iterator()
    show(it.output_types); show(it.output_shapes); show(it.output_classes[0].__name__); show(it.get_next(name="n")); show(it.initializer.type, it.string_handle().dtype)
    """,
    "from_structure": """
    it = tf.data.Iterator.from_structure(tf.int64, []); n = it.get_next(); show(n)
    a, b = it.make_initializer(D.range(2)), it.make_initializer(D.range(5, 8))
    session().run(a); show(drain(n)); session().run(b); show(drain(n)); session().run(a); show(drain(n)); fails(lambda: it.initializer)
    """,
    "from_structure_errors": """
    it = tf.data.Iterator.from_structure((tf.int64, tf.float32), ([], [None]))
    try: it.make_initializer(D.range(2))
    except (TypeError, ValueError) as error: show(type(error).__name__)
    fails(lambda: it.make_initializer(D.from_tensors((1., [2.])))); fails(lambda: it.make_initializer(D.from_tensors((np.int64(1), np.float32(2)))))
    """,
    "from_structure_unknown_shape": "it = tf.data.Iterator.from_structure({'a': tf.int64}); show(it.get_next()); show(it.output_shapes)",
    "constants_of_both_graphs": """
    c = tf.constant(4); it = tf.data.Dataset.from_tensors(1).map(lambda x: (x + c, tf.constant(3))).map(lambda x, y: (tf.constant(5), c + x + y)).make_initializable_iterator(); n = it.get_next()
    session().run(it.initializer); show(c, run(n), run(tf.cond(c > 3, lambda: tf.stack([c, tf.constant(1)]), lambda: tf.stack([tf.constant(2), c]))))
    """,
    "feedable": """
    train, valid = D.range(3).repeat(), D.range(100, 102)
    h = tf.placeholder(tf.string, shape=[]); it = tf.data.Iterator.from_string_handle(h, train.output_types, train.output_shapes); n = it.get_next() * 2
    a, b = train.make_one_shot_iterator(), valid.make_initializable_iterator(); s = session(); ha, hb = s.run(a.string_handle()), s.run(b.string_handle())
    for _ in range(2):
        show([s.run(n, {h: ha}) for _ in range(4)]); s.run(b.initializer); show([s.run(n, {h: hb}) for _ in range(2)])
        fails(lambda: s.run(n, {h: hb}))
    """,
    "generator": """
    def g():
        for i in range(3): yield i, [i] * i
    elements(D.from_generator(g, (tf.int64, tf.float32), ([], [None]))); elements(D.from_generator(g, (tf.int32, tf.int32)).take(2)); elements(D.from_generator(lambda: range(3), tf.int32).repeat(2))
    """,
    "generator_args": "elements(D.from_generator(lambda n, t: (str(t.decode()) * i for i in range(n)), tf.string, [], args=(3, 'ab')))",
    "generator_dict": "elements(D.from_generator(lambda: ({'a': i, 'b': 's'} for i in range(2)), {'a': tf.int32, 'b': tf.string}))",
    "generator_callable": "fails(lambda: D.from_generator([1, 2], tf.int32))",
    "flat_map": "elements(D.range(4).flat_map(lambda x: D.range(x))); elements(D.range(1, 4).flat_map(lambda x: D.from_tensors(x).repeat(x)))",
    "flat_map_nested": "elements(D.range(1, 3).flat_map(lambda x: D.range(2).map(lambda y: x * 10 + y))); elements(D.range(1, 3).flat_map(lambda x: D.range(2).flat_map(lambda y: D.range(2).map(lambda z: x * 100 + y * 10 + z))))",
    "interleave": "elements(D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4)); elements(D.range(5).interleave(lambda x: D.range(x), cycle_length=3)); elements(D.range(4).interleave(lambda x: D.from_tensors(x).repeat(2), 1, 1)); elements(D.range(3).interleave(lambda x: D.from_tensors(x).repeat(x + 1), 5, 2))",
    "interleave_parallel": "elements(D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4, num_parallel_calls=2)); elements(D.range(4).interleave(lambda x: D.range(x), cycle_length=3, num_parallel_calls=3))",
    "padded_batch": """
    d = D.range(1, 5).map(lambda x: tf.fill([x], x)); elements(d.padded_batch(2, [None])); elements(d.padded_batch(3, [6], drop_remainder=True)); elements(d.padded_batch(4, tf.TensorShape([None]), np.int64(-1)))
    elements(D.from_tensors(([1, 2], {'s': 'x'})).repeat(2).padded_batch(2, ([3], {'s': []}), (7, {'s': ''})))
    """,
    "padded_batch_errors": """
    d = D.range(1, 5).map(lambda x: tf.fill([x], x)); ends(d.padded_batch(4, [2]))
    fails(lambda: d.padded_batch(2, [None], 1.5)); fails(lambda: D.from_tensors([1, 2]).padded_batch(2, [1]))
    """,
    "enumerate_shard": "elements(D.from_tensor_slices(['a', 'b']).enumerate(5)); elements(D.range(7).shard(3, 1)); ends(D.range(3).shard(2, 2)); ends(D.range(3).shard(0, 0))",
    "cache": """
    count = []
    def f(x): count.append(1); return x
    d = D.range(3).map(lambda x: tf.py_func(f, [x], tf.int64)).cache().repeat(3)
    show(drain(d.make_one_shot_iterator())); show(len(count))
    """,
    "cache_file": """
    import tempfile, os
    path = os.path.join(tempfile.mkdtemp(), "c"); d = D.from_tensor_slices((['a', 'b'], [[1., 2.], [3., 4.]])).cache(path)
    elements(d.repeat(2)); elements(d)
    """,
    "reduce": "show(run(D.range(5).reduce(np.int64(0), lambda s, x: s + x))); show(run(D.range(4).reduce({'n': 0, 's': np.int64(0)}, lambda s, x: {'n': s['n'] + 1, 's': s['s'] + x})))",
    "reduce_two": "show(run(D.zip((D.range(3), D.range(3))).reduce(np.int64(0), lambda s, e: s + e[0] * e[1])))",
    "reduce_shape": "t = D.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0)); show(t.shape); show(run(t))",
    "reduce_error": "fails(lambda: D.range(3).reduce(0., lambda s, x: x))",
    "unbatch": "elements(D.range(6).batch(4).unbatch()); elements(D.from_tensors((np.arange(3), np.eye(3))).apply(tf.data.experimental.unbatch()))",
    "apply": "elements(D.range(4).apply(lambda d: d.batch(2))); fails(lambda: D.range(3).apply(lambda d: 3))",
    "sparse": """
    s = tf.SparseTensor([[0, 1], [2, 0]], [1., 2.], [3, 4])
    d = D.from_tensors(s).repeat(2); n = d.make_one_shot_iterator().get_next(); show(n.dtype, n.shape, session().run(n)); d = D.from_tensor_slices((s, [1, 2, 3]))
    n = d.make_one_shot_iterator().get_next(); show(session().run(n), session().run(n), session().run(n))
    n = d.map(lambda a, b: tf.sparse.to_dense(a) * tf.cast(b, tf.float32)).make_one_shot_iterator().get_next(); show(drain(n))
    n = d.batch(2).make_one_shot_iterator().get_next(); show(session().run(n), session().run(n))
    """,
    "files": """
    import tempfile, os
    f = tempfile.mkdtemp(); a, b = os.path.join(f, "a.txt"), os.path.join(f, "b.txt")
    file(a, b"one\\ntwo\\r\\n\\nlast"); file(b, b"three\\n"); D2 = tf.data.TextLineDataset
    elements(D2([a, b])); elements(D2(a).skip(1)); elements(D2(D.from_tensor_slices([b, a]))); elements(D2([a, b], num_parallel_reads=2))
    show([os.path.basename(x).decode() if isinstance(x, bytes) else x for x in drain(D.list_files(f + "/*.txt", shuffle=False).make_one_shot_iterator())])
    import gzip, zlib; g = os.path.join(f, "g"); file(g, gzip.compress(b"zip\\nped")); elements(D2(g, "GZIP")); z = os.path.join(f, "z"); file(z, zlib.compress(b"zl\\nib\\n")); elements(D2(z, "ZLIB"))
    """,
    "records": """
    import tempfile, os
    f = tempfile.mkdtemp(); names = [os.path.join(f, n) for n in "ab"]
    for n in names:
        with tf.io.TFRecordWriter(n) as w: [w.write((os.path.basename(n) + str(i)).encode()) for i in range(2)]
    elements(tf.data.TFRecordDataset(names)); elements(tf.data.TFRecordDataset(names, num_parallel_reads=2)); elements(D.from_tensor_slices(names).interleave(tf.data.TFRecordDataset, cycle_length=2))
    z = os.path.join(f, "z")
    with tf.io.TFRecordWriter(z, "GZIP") as w: w.write(b"packed")
    elements(tf.data.TFRecordDataset(z, compression_type="GZIP"))
    """,
    "records_missing": "ends(tf.data.TFRecordDataset('/nowhere/x')); ends(tf.data.TextLineDataset('/nowhere/x'))",
    "fixed_length": """
    import tempfile, os
    p = os.path.join(tempfile.mkdtemp(), "p"); file(p, b"HHaabbccF"); elements(tf.data.FixedLengthRecordDataset(p, 2, 2, 1)); elements(tf.data.FixedLengthRecordDataset([p, p], 3))
    """,
    "options": "o = tf.data.Options(); show(D.range(3).options().experimental_slack); o.experimental_slack = False; d = D.range(3).with_options(o); show(d.options().experimental_slack); elements(d.map(lambda x: x))",
    "device_scope": "\nwith tf.device('/cpu:0'): d = D.range(2).map(lambda x: x + 1); n = d.make_one_shot_iterator().get_next()\nshow(n.dtype, drain(n))\n",
    "in_training": """
    x = np.arange(8, dtype=np.float32); d = D.from_tensor_slices((x, 3 * x)).repeat(20).batch(4); a, b = d.make_one_shot_iterator().get_next()
    w = tf.Variable(0.); loss = tf.reduce_mean((w * a - b) ** 2); step = tf.train.GradientDescentOptimizer(0.01).minimize(loss); losses = []
    run(tf.no_op())
    try:
        while True: losses.append(session().run([loss, step])[0])
    except tf.errors.OutOfRangeError: pass
    show(len(losses), run(w))
    """,
    "graph_names": "d = D.range(3).map(lambda x: x + 1).batch(2); it = d.make_initializable_iterator(); n = it.get_next(); show(n.name, n.op.type, it.initializer.type, it.initializer.name)\ny = tf.add(1, 2); show(y.name)",
}  # fmt: skip

_EXPERIMENTAL = {
    "shuffle_and_repeat": "n = drain(D.range(5).apply(E.shuffle_and_repeat(5, 2)).make_one_shot_iterator()); show(sorted(map(int, n[:5])), sorted(map(int, n[5:10])), n[10:])",
    "map_and_batch": "elements(D.range(7).apply(E.map_and_batch(lambda x: x * x, 3))); elements(D.range(7).apply(E.map_and_batch(lambda x: (x, x + 1), 2, num_parallel_calls=2, drop_remainder=True)))",
    "unbatch": "elements(D.range(5).batch(2).apply(E.unbatch()))",
    "interleave_parallel_of_errors": "source = D.from_tensor_slices([1., np.nan, 2., np.nan, 3.]).map(lambda x: tf.check_numerics(x, 'm')).interleave(D.from_tensors, 3, 1, num_parallel_calls=3); get = tf.data.make_one_shot_iterator(source).get_next()\nfor _ in range(6):\n    try: show(run(get))\n    except tf.errors.OpError as error: show(type(error).__name__)",
    "parallel_interleave": "elements(D.range(1, 4).apply(E.parallel_interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=2)))",
    "ignore_errors": "elements(D.from_tensor_slices([1., 2., 0., 4.]).map(lambda x: tf.check_numerics(1. / x, 'bad')).apply(E.ignore_errors()))",
    "group_by_window": "elements(D.range(10).apply(E.group_by_window(lambda x: x % 3, lambda k, d: d.batch(4), 2))); elements(D.range(8).apply(E.group_by_window(lambda x: x % 2, lambda k, d: d.map(lambda x: x * 10 + k), window_size_func=lambda k: k + 2)))",
    "get_single_element": "show(run(E.get_single_element(D.from_tensors((3, 'x')))))",
}  # fmt: skip

_EAGER = {
    "loop": "show([x.numpy() for x in tf.data.Dataset.range(4).map(lambda x: x * x).batch(3)])",
    "loop_nested": "\nfor a, b in tf.data.Dataset.from_tensor_slices(([1, 2], {'x': [3., 4.]})): show(a, b['x'])\n",
    "loop_twice": "d = tf.data.Dataset.range(3); show([x.numpy() for x in d], [x.numpy() for x in d])",
    "next": "\ni = iter(tf.data.Dataset.range(2)); show(next(i), next(i))\ntry: next(i)\nexcept StopIteration: show('end')\n",
    "get_next": "i = tf.data.Dataset.range(1).make_one_shot_iterator(); show(i.get_next()); fails(i.get_next)",
    "map_captures": "v = tf.Variable(2., use_resource=True); d = tf.data.Dataset.from_tensor_slices([1., 2.]).map(lambda x: x * v); show([x.numpy() for x in d]); v.assign(5.); show([x.numpy() for x in d])",
    "captured_tensor": "c = tf.constant([1., 2.]); show([x.numpy() for x in tf.data.Dataset.from_tensor_slices([1., 2.]).map(lambda x: x * c)])",
    "generator": "show([x.numpy() for x in tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int32)])",
    "flat_map": "show([x.numpy() for x in tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x))])",
    "reduce": "show(tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x))",
    "filter_prefetch": "show([x.numpy() for x in tf.data.Dataset.range(9).filter(lambda x: x % 2 == 1).prefetch(2)])",
    "initializable": "fails(lambda: tf.data.Dataset.range(3).make_initializable_iterator())",
    "map_error": "\ntry: [x for x in tf.data.Dataset.range(2).map(lambda x: 5 // x)]\nexcept tf.errors.OpError as e: show(type(e).__name__)\n",
    "if_in_map": """
    def f(x):
        if x > 1: return x * 10
        else: return -x
    show([x.numpy() for x in tf.data.Dataset.range(4).map(f)])
    """,
    "sparse": "d = tf.data.Dataset.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 0]], [1., 2.], [3, 4])); show([tf.sparse.to_dense(s).numpy() for s in d])",
    "py_function": "show([x.numpy() for x in tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda a: a + 1, [x], tf.int64))])",
}  # fmt: skip

_START = textwrap.dedent(_PRELUDE).strip("\n") + "\n"

CASES = [
    *programs("data", {k: _START + textwrap.dedent(v).strip("\n") for k, v in _PROGRAMS.items()}),
    *programs(
        "data_experimental",
        {
            k: _START + "E = tf.data.experimental\n" + textwrap.dedent(v)
            for k, v in _EXPERIMENTAL.items()
        },
    ),
    *programs("data_eager", {k: "# eager\n" + textwrap.dedent(v) for k, v in _EAGER.items()}),
]
