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
    "shuffled_by_seeds": """
    for seed, of_graph in ((5, 3), (None, 3), (7, None)):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(of_graph); q = tf.RandomShuffleQueue(60, 2, tf.int32, [[]], seed=seed); fill = q.enqueue_many([list(range(20))]); five = q.dequeue_many(5); one = q.dequeue()
            sess.run(fill); show(sess.run(five), sess.run(one)); sess.run(fill); show(sess.run(five))
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
    "shared": """
    def size(make):
        s = tf.Session(); s.run(tf.FIFOQueue(1, tf.int32, shared_name="sh").size()); return s.run(make().size())
    show(size(lambda: tf.FIFOQueue(1, tf.int32, shared_name="sh")))
    ends(lambda: size(lambda: tf.FIFOQueue(2, tf.int32, shared_name="sh"))); ends(lambda: size(lambda: tf.FIFOQueue(1, tf.float32, shared_name="sh")))
    ends(lambda: size(lambda: tf.FIFOQueue(1, tf.int32, shapes=[[]], shared_name="sh"))); ends(lambda: size(lambda: tf.RandomShuffleQueue(1, 0, tf.int32, shared_name="sh")))
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
    "batch_of_sparse": """
    n = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue(); sp = tf.SparseTensor([[0, 1], [2, 0]], tf.stack([n, n * 10]), [3, 4])
    x = tf.train.batch({"s": sp, "n": n}, 2); show([(v["s"].indices, v["s"].values, v["s"].dense_shape, v["n"]) for v in drain(x)])
    """,
    "batch_many_of_sparse": """
    many = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], ["x", "y", "z"], [3, 4]); n = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    x = tf.train.batch([many, tf.stack([n, n, n])], 4, enqueue_many=True, allow_smaller_final_batch=True); show([(v[0].indices, v[0].values, v[0].dense_shape, v[1]) for v in drain(x)])
    """,
    "lines_up_to": """
    f = tf.train.string_input_producer([file("a", b"1\\n2\\n3"), file("b", b"4\\n")], num_epochs=1, shuffle=False); kv = tf.TextLineReader().read_up_to(f, 2); show(kv.keys, kv.values, drain(kv.values))
    """,
    "records": """
    path = os.path.join(folder, "r"); w = tf.python_io.TFRecordWriter(path); w.write(b"one"); w.write(b"two two"); w.close()
    k, v = tf.TFRecordReader().read(tf.train.string_input_producer([path], num_epochs=1)); show(k, [(a.decode().replace(folder, ""), b) for a, b in drain([k, v])])
    with open(path, "rb") as f: show(f.read())
    """,
    "missing_file": """
    v = tf.TextLineReader().read(tf.train.string_input_producer([folder + "/nope"], num_epochs=1)).value
    ends(lambda: drain(v)); ends(lambda: run(tf.read_file(folder + "/nope")))
    """,
    "files": """
    path = folder + "/new/f.txt"; w = tf.write_file(path, "abc"); show(w, run(w), run(tf.read_file(path)), [n.decode().replace(folder, "") for n in run(tf.matching_files(folder + "/new/*"))])
    """,
    "tables": """
    I = tf.lookup.KeyValueTensorInitializer; t = tf.lookup.StaticHashTable(I(["a", "b"], [1, 2]), -1); x = t.lookup(tf.constant([["a", "z"]])); ends(lambda: run(x)); show(tf.tables_initializer(), run(tf.tables_initializer()))
    show(t.name, t.key_dtype, t.value_dtype, x, run(x), run(t.lookup(tf.constant("b"))), t.size(), run(t.size())); fails(t.lookup, tf.constant([1]))
    ends(lambda: run(tf.lookup.StaticHashTable(I(["a", "a"], [1, 2]), -1).initializer))
    """,
}

CASES = programs(
    "queues",
    {name: _PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()},
)
