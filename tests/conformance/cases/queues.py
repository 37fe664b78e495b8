"""Queues, coordinators, input producers, batches and readers: names, shapes, values and errors."""

import textwrap

from ..case import programs

_PRELUDE = """
import re, os
def unnumbered(error): return re.sub(r"'_\\d+_", "'_N_", error.message)
def ends(function):
    try:
        function()
    except tf.errors.OpError as error:
        text = re.sub(r"(?s).*\\nNode: '[^\\n]*'\\n", "", unnumbered(error))
        show(type(error).__name__, re.sub(r"(?s)\\n\\t \\[\\[.*", "", text).replace(folder, ""))
def drain(tensors, count=100):
    found, s = [], session()
    run([])
    c = tf.train.Coordinator(); threads = tf.train.start_queue_runners(s, c)
    try:
        for _ in range(count): found.append(s.run(tensors))
    except tf.errors.OutOfRangeError as error:
        pass
    finally:
        c.request_stop(); c.join(threads)
    return found
def file(name, content):
    with open(os.path.join(folder, name), "wb") as f: f.write(content)
    return os.path.join(folder, name)
"""

_PROGRAMS = {
    "fifo_names": """
    q = tf.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []], name="q")
    show(q.name, q.dtypes, q.shapes, q.names, q.enqueue(([1., 2.], 3)), q.enqueue_many(([[1., 2.]], [3])), q.dequeue(), q.dequeue_many(2), q.dequeue_up_to(2), q.size(), q.close(), q.is_closed())
    """,
    "one_component": """
    q = tf.FIFOQueue(3, tf.int32, name="q"); show(q.dequeue(), q.dequeue_many(2), q.shapes)
    """,
    "fifo_values": """
    q = tf.FIFOQueue(9, tf.int32, shapes=[[]]); run(q.enqueue_many([[1, 2, 3, 4, 5]]))
    show(run(q.dequeue()), run(q.dequeue_many(2)), run(q.size()), run(q.dequeue_many(0)), run(q.dequeue_up_to(1)))
    """,
    "closing": """
    q = tf.FIFOQueue(9, tf.int32, shapes=[[]], name="q"); run(q.enqueue_many([[1, 2, 3]])); run(q.close())
    show(run(q.is_closed())); ends(lambda: run(q.enqueue(1))); ends(lambda: run(q.enqueue_many([[1]]))); ends(lambda: run(q.dequeue_many(5)))
    show(run(q.dequeue_up_to(2)), run(q.dequeue_up_to(2))); ends(lambda: run(q.dequeue_up_to(2))); ends(lambda: run(q.dequeue())); ends(lambda: run(q.close()))
    show(run(q.close(cancel_pending_enqueues=True)), run(q.size()))
    """,
    "building_errors": """
    q = tf.FIFOQueue(3, tf.int32, shapes=[[]], name="q")
    fails(q.enqueue, [[1, 2]]); fails(q.enqueue_many, [[[1, 2]]]); fails(q.enqueue, {"a": 1})
    fails(lambda: tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[]])); fails(lambda: tf.FIFOQueue(3, [tf.int32, tf.float32], names=["a"]))
    fails(lambda: tf.PaddingFIFOQueue(3, [tf.int32], shapes=None)); fails(lambda: tf.PaddingFIFOQueue(3, [tf.int32, tf.int32], shapes=[[None]]))
    """,
    "running_errors": """
    q = tf.FIFOQueue(3, tf.int32, shapes=[[]], name="q"); x = tf.placeholder(tf.int32); n = tf.FIFOQueue(3, tf.int32, name="n")
    ends(lambda: run(q.enqueue(x), {x: [1, 2]})); ends(lambda: run(q.enqueue_many(x), {x: [[1, 2]]})); ends(lambda: run(q.dequeue_many(x), {x: -1})); ends(lambda: run(n.dequeue_many(2)))
    ends(lambda: run(tf.RandomShuffleQueue(3, 5, tf.int32).size())); ends(lambda: run(tf.RandomShuffleQueue(3, -5, tf.int32).size()))
    y = tf.placeholder(tf.int32); two = tf.FIFOQueue(3, [tf.int32, tf.int32]); ends(lambda: run(two.enqueue_many([x, y]), {x: [1, 2], y: [1]}))
    """,
    "named_components": """
    q = tf.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], []], names=["a", "b"], name="q"); run(q.enqueue({"b": 2., "a": 1})); run(q.enqueue_many({"a": [3], "b": [4.]}))
    show(q.dequeue(), run(q.dequeue()), run(q.dequeue_many(1))); fails(q.enqueue, {"a": 1}); fails(q.enqueue, (1, 2.)); fails(q.enqueue_many, {"a": [1, 2], "b": [2.]})
    """,
    "random_shuffle": """
    q = tf.RandomShuffleQueue(9, 2, tf.int32, shapes=[[]], name="q"); run(q.enqueue_many([[1, 2, 3, 4]])); a = run(q.dequeue_many(2)); show(run(q.size())); run(q.close())
    ends(lambda: run(q.dequeue_many(5))); b = run(q.dequeue_up_to(5)); show(sorted(a.tolist() + b.tolist())); ends(lambda: run(q.dequeue_up_to(5)))
    """,
    "padding": """
    q = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None, 2], [None]], name="q"); a = tf.placeholder(tf.int32); b = tf.placeholder(tf.string); e = q.enqueue((a, b))
    run(e, {a: [[1, 2]], b: ["x"]}); run(e, {a: [[1, 2], [3, 4]], b: ["x", "y", "z"]}); show(q.dequeue(), q.dequeue_many(2), run(q.dequeue_many(2)))
    ends(lambda: run(e, {a: [[1, 2, 3]], b: ["x"]})); ends(lambda: run(e, {a: [1], b: ["x"]}))
    """,
    "priority": """
    q = tf.PriorityQueue(5, [tf.string], shapes=[[]], name="q"); run(q.enqueue_many(([3, 1, 2], ["c", "a", "b"])))
    show(q.dequeue(), q.dtypes, run(q.dequeue()), run(q.dequeue_many(2)))
    """,
    "shared": """
    def size(make):
        s = tf.Session(); s.run(tf.FIFOQueue(1, tf.int32, shared_name="sh").size()); return s.run(make().size())
    show(size(lambda: tf.FIFOQueue(1, tf.int32, shared_name="sh")))
    ends(lambda: size(lambda: tf.FIFOQueue(2, tf.int32, shared_name="sh"))); ends(lambda: size(lambda: tf.FIFOQueue(1, tf.float32, shared_name="sh")))
    ends(lambda: size(lambda: tf.FIFOQueue(1, tf.int32, shapes=[[]], shared_name="sh"))); ends(lambda: size(lambda: tf.RandomShuffleQueue(1, 0, tf.int32, shared_name="sh")))
    """,
    "from_list": """
    a, b = tf.FIFOQueue(3, tf.int32), tf.FIFOQueue(3, tf.int32); run([a.enqueue(1), b.enqueue(2)])
    show(run(tf.QueueBase.from_list(1, [a, b]).dequeue())); fails(tf.QueueBase.from_list, 0, [a, tf.FIFOQueue(1, tf.float32)]); fails(tf.QueueBase.from_list, 0, [a, 3])
    """,
    "a_counter": """
    q = tf.FIFOQueue(3, tf.float32); run(q.enqueue_many([[0., 0., 0.]])); x = q.dequeue(); step = q.enqueue([x + 1])
    for _ in range(4): run(step)
    show(run(q.dequeue()), run(q.dequeue()), run(q.dequeue()))
    """,
    "waiting": """
    import threading
    q = tf.FIFOQueue(1, tf.int32, shapes=[[]]); e = q.enqueue_many([[1, 2, 3]]); d = q.dequeue_many(3); s = session()
    t = threading.Thread(target=lambda: s.run(e)); t.start(); show(s.run(d)); t.join()
    """,
    "cancelled": """
    import threading, time
    for op in ("dequeue", "enqueue_many"):
        q = tf.FIFOQueue(1, tf.int32, shapes=[[]], name="q_" + op); target = q.dequeue() if op == "dequeue" else q.enqueue_many([[1, 2]]); s = tf.Session(); caught = []
        def work():
            try: s.run(target)
            except tf.errors.OpError as e: caught.append(e)
        t = threading.Thread(target=work); t.start(); time.sleep(.3); s.close(); t.join(); show(type(caught[0]).__name__, "operation was cancelled" in caught[0].message, caught[0].op.name)
    """,
    "coordinator": """
    import threading
    c = tf.train.Coordinator()
    def work():
        with c.stop_on_exception(): raise ValueError("boom")
    t = threading.Thread(target=work); t.start(); fails(c.join, [t]); show(c.should_stop(), c.joined); c.clear_stop(); show(c.should_stop())
    c = tf.train.Coordinator(); c.request_stop(tf.errors.OutOfRangeError(None, None, "end")); show(c.join([]), c.wait_for_stop(.1))
    fails(tf.train.LooperThread, 3, None)
    """,
    "queue_runner": """
    q = tf.FIFOQueue(2, tf.int32, shapes=[[]], name="q"); r = tf.train.QueueRunner(q, [q.enqueue(1)] * 2)
    show(r.name, r.enqueue_ops, r.close_op, r.cancel_op, [t.__name__ for t in r.queue_closed_exception_types], r.exceptions_raised)
    c = tf.train.Coordinator(); ts = r.create_threads(session(), coord=c, start=True); show([t.name for t in ts], run(q.dequeue_many(5)), len(r.create_threads(session()))); c.request_stop(); c.join(ts)
    ends(lambda: run(q.enqueue(1))); fails(tf.train.QueueRunner); fails(tf.train.QueueRunner, q, []); fails(lambda: tf.train.QueueRunner(q, [q.enqueue(1)], queue_closed_exception_types=[1]))
    fails(tf.train.start_queue_runners, 3); fails(tf.train.start_queue_runners)
    """,
    "string_input_producer": """
    q = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False); show(q.name, q.dtypes, q.shapes, [v.name for v in tf.local_variables()], [r.name for r in tf.get_collection("queue_runners")])
    show(drain(q.dequeue())); fails(tf.train.string_input_producer, [])
    """,
    "string_input_producer_shuffled": """
    q = tf.train.string_input_producer(["a", "b", "c"], seed=3, capacity=7, name="prod"); show(q.name, sorted(drain(q.dequeue(), 6)))
    """,
    "empty_producer": """
    q = tf.train.string_input_producer(tf.constant([], tf.string), name="em")
    ends(lambda: drain(q.dequeue()))
    """,
    "range_input_producer": """
    q = tf.train.range_input_producer(4, num_epochs=1, shuffle=False); show(q.name, q.dtypes, drain(q.dequeue()))
    """,
    "slice_input_producer": """
    s = tf.train.slice_input_producer([tf.constant([[1, 2], [3, 4]]), tf.constant(["a", "b"])], num_epochs=1, shuffle=False); show(s, drain(s)); fails(tf.train.slice_input_producer, [])
    """,
    "limit_epochs": """
    l = tf.train.limit_epochs(tf.constant([1]), 2); show(l, run(l), run(l)); ends(lambda: run(l)); fails(tf.train.limit_epochs, tf.constant([1]), 0); show(tf.train.limit_epochs(tf.constant([1]), None))
    """,
    "batch": """
    a, b = tf.train.slice_input_producer([tf.range(4), tf.constant(list("abcd"))], num_epochs=1, shuffle=False); x = tf.train.batch([a, b], 2); show(x, drain(x))
    """,
    "batch_smaller": """
    a = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue(); x = tf.train.batch({"a": a, "b": a * 2}, 2, capacity=9, allow_smaller_final_batch=True, name="bb"); show(x, drain(x))
    """,
    "batch_many": """
    a = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue(); x = tf.train.batch([tf.stack([a, a + 10])], 4, enqueue_many=True); show(x, drain(x))
    """,
    "batch_padded": """
    a = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue(); x = tf.train.batch([tf.range(a)], 2, dynamic_pad=True); show(x, drain(x))
    """,
    "shuffle_batch": """
    a = tf.train.range_input_producer(6, num_epochs=1).dequeue(); x = tf.train.shuffle_batch([a], 2, 10, 3); show(x, sorted(np.concatenate(drain(x)).tolist()))
    """,
    "join": """
    a = tf.constant(1); show(tf.train.batch_join([[a], [a]], 2), tf.train.shuffle_batch_join([{"k": a}, {"k": a}], 2, 10, 3))
    """,
    "maybe_batch": """
    a = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue(); x = tf.train.maybe_batch([a], tf.equal(a % 2, 0), 2, allow_smaller_final_batch=True); show(x, drain(x))
    """,
    "batch_of_sparse": """
    n = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue(); sp = tf.SparseTensor([[0, 1], [2, 0]], tf.stack([n, n * 10]), [3, 4])
    x = tf.train.batch({"s": sp, "n": n}, 2); show([(v["s"].indices, v["s"].values, v["s"].dense_shape, v["n"]) for v in drain(x)])
    """,
    "batch_many_of_sparse": """
    many = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], ["x", "y", "z"], [3, 4]); n = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    x = tf.train.batch([many, tf.stack([n, n, n])], 4, enqueue_many=True, allow_smaller_final_batch=True); show([(v[0].indices, v[0].values, v[0].dense_shape, v[1]) for v in drain(x)])
    """,
    "batch_errors": """
    fails(tf.train.batch, [], 2); fails(tf.train.batch_join, [], 2); fails(tf.train.batch, [tf.placeholder(tf.int32, name="p")], 2); fails(lambda: tf.train.batch([tf.constant(1)], 2, num_threads=0))
    show(tf.train.batch([tf.placeholder(tf.int32)], 2, shapes=[[3]]), tf.train.batch([tf.placeholder(tf.int32, [None, 3])], 2, enqueue_many=True))
    """,
    "text_lines": """
    r = tf.TextLineReader(skip_header_lines=1); f = tf.train.string_input_producer([file("a", b"h\\none\\n\\ntwo"), file("b", b"h\\r\\nx\\r\\n")], num_epochs=1, shuffle=False)
    kv = r.read(f); show(kv.key, kv.value, r.reader_ref.name, r.supports_serialize); show([(k.decode().replace(folder, ""), v) for k, v in drain(kv)], run(r.num_records_produced()), run(r.num_work_units_completed()))
    """,
    "lines_up_to": """
    f = tf.train.string_input_producer([file("a", b"1\\n2\\n3"), file("b", b"4\\n")], num_epochs=1, shuffle=False); kv = tf.TextLineReader().read_up_to(f, 2); show(kv.keys, kv.values, drain(kv.values))
    """,
    "other_readers": """
    names = [file("a", b"HEAD0123456789FOOT")]; f = lambda: tf.train.string_input_producer(names, num_epochs=1)
    for r in (tf.WholeFileReader(), tf.IdentityReader(), tf.FixedLengthRecordReader(3, 4, 4), tf.FixedLengthRecordReader(4), tf.FixedLengthRecordReader(record_bytes=2, header_bytes=1, hop_bytes=4)):
        k, v = r.read(f()); show(r.reader_ref.name, v)
        show([(a.decode().replace(folder, ""), b.decode().replace(folder, "")) for a, b in drain([k, v])])
    """,
    "states_of_readers": """
    names = tf.train.string_input_producer(["a", "b", "c"], shuffle=False)
    for kind in (tf.IdentityReader, tf.TextLineReader):
        r, other = kind(), kind()
        v = r.read(names).value
        state = r.serialize_state(); show(state.op.type, state, r.restore_state(state).type)
        given = tf.placeholder(tf.string); back = other.restore_state(given)
        counts = [other.num_records_produced(), other.num_work_units_completed(), other.serialize_state()]
        if kind is tf.TextLineReader:
            fails(run, state); fails(run, back, {given: b""})
            continue
        sess = session(); run([]); c = tf.train.Coordinator(); threads = tf.train.start_queue_runners(sess, c)
        show(sess.run(state)); sess.run(v); sess.run(v); kept = sess.run(state); show(kept)
        sess.run(back, {given: kept}); show(sess.run(counts)); sess.run(r.reset()); show(sess.run(state)); c.request_stop(); sess.run(names.close(True)); c.join(threads)
        for wrong in (b"\\x0b", b"\\x08\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x01", b"\\x08\\x02"):
            try: sess.run(back, {given: wrong})
            except tf.errors.InvalidArgumentError as error: show(re.findall("Could not parse state|Unexpected negative value when|Inconsistent work started vs. finished when", error.message))
    """,
    "records": """
    path = os.path.join(folder, "r"); w = tf.python_io.TFRecordWriter(path); w.write(b"one"); w.write(b"two two"); w.close()
    k, v = tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=1)); show(k, [(a.decode().replace(folder, ""), b) for a, b in drain([k, v])])
    with open(path, "rb") as f: show(f.read())
    """,
    "record_input": """
    for i in range(3):
        w = tf.python_io.TFRecordWriter(os.path.join(folder, f"r{i}")); [w.write(b"%d%d" % (i, j)) for j in range(4)]; w.close()
    make = lambda pattern, **more: tf.raw_ops.RecordInput(file_pattern=os.path.join(folder, pattern), file_random_seed=3, **more)
    x = make("r?", batch_size=6, file_buffer_size=12, file_parallelism=2, file_shuffle_shift_ratio=0.5); show(x, x.op.type); s = session()
    for _ in range(2): show(sorted(r for _ in range(2) for r in s.run(x).tolist()))
    x = make("r1", batch_size=6, file_buffer_size=1, file_parallelism=1, name="two"); show(x, s.run(x).tolist()); ends(lambda: run(make("z*")))
    """,
    "missing_file": """
    v = tf.TextLineReader().read(tf.train.string_input_producer([folder + "/nope"], num_epochs=1)).value
    ends(lambda: drain(v)); ends(lambda: run(tf.read_file(folder + "/nope")))
    """,
    "files": """
    path = folder + "/new/f.txt"; w = tf.write_file(path, "abc"); show(w, run(w), run(tf.read_file(path)), [n.decode().replace(folder, "") for n in run(tf.matching_files(folder + "/new/*"))])
    """,
    "gfile": """
    g = tf.gfile; path = folder + "/f.txt"
    with g.GFile(path, "w") as f: f.write("hello\\nworld")
    show(g.Exists(path), g.IsDirectory(folder), g.ListDirectory(folder), g.Stat(path).length, g.GFile(path).read(), g.GFile(path, "rb").readline(), [p.replace(folder, "") for p in g.Glob(folder + "/*")])
    ends(lambda: g.GFile(folder + "/nope").read()); ends(lambda: g.Copy(path, path)); ends(lambda: g.DeleteRecursively(folder + "/nope")); ends(lambda: g.MkDir(folder + "/x/y")); ends(lambda: g.ListDirectory(folder + "/nope")); ends(lambda: g.Remove(folder + "/nope")); ends(lambda: g.GFile(path).write("x")); ends(lambda: g.GFile(path, "z"))
    """,
    "tables": """
    I = tf.lookup.KeyValueTensorInitializer; t = tf.lookup.StaticHashTable(I(["a", "b"], [1, 2]), -1); x = t.lookup(tf.constant([["a", "z"]])); ends(lambda: run(x)); show(tf.tables_initializer(), run(tf.tables_initializer()))
    show(t.name, t.key_dtype, t.value_dtype, x, run(x), run(t.lookup(tf.constant("b"))), t.size(), run(t.size())); fails(t.lookup, tf.constant([1]))
    ends(lambda: run(tf.lookup.StaticHashTable(I(["a", "a"], [1, 2]), -1).initializer))
    """,
    "tables_of_files": """
    I = tf.lookup.KeyValueTensorInitializer; T = tf.lookup.TextFileInitializer; i = tf.lookup.TextFileIndex; path = file("v", b"emerson\\nlake\\npalmer\\n"); pairs = file("p", b"a\\t1\\nb\\t2\\n")
    words = tf.lookup.StaticHashTable(T(path, tf.string, i.WHOLE_LINE, tf.int64, i.LINE_NUMBER), -1); run(words.initializer); show(run(words.lookup(tf.constant(["lake", "q"]))))
    columns = tf.lookup.StaticHashTable(T(pairs, tf.string, 0, tf.int64, 1), -1); run(columns.initializer); show(run(columns.lookup(tf.constant(["b", "q"]))))
    ends(lambda: run(tf.lookup.StaticHashTable(T(path, tf.string, -2, tf.int64, -1, vocab_size=9), -1).initializer)); ends(lambda: run(tf.lookup.StaticHashTable(T(pairs, tf.string, 0, tf.int64, 3), -1).initializer)); ends(lambda: run(tf.lookup.StaticHashTable(T(folder + "/nope", tf.string, 0, tf.int64, 1), -1).initializer))
    v = tf.lookup.StaticVocabularyTable(I(["a", "b"], tf.constant([0, 1], tf.int64)), 3); run(v.initializer); show(run(v.lookup(tf.constant(["a", "b", "zz", "yy"]))), run(v.size()))
    """,
}

CASES = programs(
    "queues",
    {name: _PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()},
)
