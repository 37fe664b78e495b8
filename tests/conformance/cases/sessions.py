"""`Session.run`: what may be fetched and fed, and what is said when it may not."""

from ..case import programs

CASES = programs(
    "sessions",
    {
        "fetch_structures": """
        import collections
        a = tf.constant(1., name="a"); b = tf.constant([2, 3], name="b")
        Pair = collections.namedtuple("Pair", "first second")
        show(run(a), run([a]), run((a, b)), run({"x": a, "y": [b, {"z": a}]}), run(Pair(a, b)), run([]), run({}), run(()))
        show(run([[a, b], (b, [a])]), run("a:0"), run(["a:0", b]), run([a, a]))
        show(run(collections.OrderedDict([("q", b), ("p", a)])))
    """,
        "fetch_operations": """
        a = tf.constant(1.); n = tf.no_op(); v = tf.Variable(3.)
        show(run(n), run([n, a]), run(v), run(v.initializer), run("Const"), run({"op": n, "value": a}))
        show(run(a.op), session().run(tf.group(a, n)))
    """,
        "types_of_results": """
        show(run(tf.constant(1)), run(tf.constant([1])), run(tf.constant(True)), run(tf.constant("s")), run(tf.constant([["s"]])))
        show(run(tf.constant(1, tf.int64)), run(tf.constant(1., tf.float16)), run(tf.zeros([0, 2])), run(tf.constant(1j)))
    """,
        "fetch_errors": """
        a = tf.constant(1.)
        s = session()
        fails(s.run, 3)
        fails(s.run, None)
        fails(s.run, [a, None])
        fails(s.run, [a, 1.5])
        fails(s.run, "missing:0")
        fails(s.run, "missing")
        fails(s.run, "a b")
    """,
        "feeds": """
        x = tf.placeholder(tf.float32, [None, 2], name="x"); y = x * 2.
        show(run(y, {x: [[1., 2.]]}), run(y, {x: np.array([[1, 2], [3, 4]])}), run(y, {"x:0": [[5., 6.]]}), run(y, {x: np.ones((1, 2), np.float64)}))
        show(run([x, y], {x: [[1., 2.]]}), run(x, {x: [(1, 2), (3, 4)]}))
        i = tf.placeholder(tf.int32, [], name="i"); show(run(i + 1, {i: 3}), run(i, {i: np.int64(4)}), run(i, {i: True}))
        t = tf.placeholder(tf.string, [None]); show(run(t, {t: ["a", b"b"]}))
        b = tf.placeholder(tf.bool); show(run(tf.logical_not(b), {b: [True, False]}), run(b, {b: [1, 0]}))
    """,
        "feed_anything": """
        a = tf.constant(2.); b = a * 3.; c = b + 1.
        show(run(c), run(c, {b: 10.}), run(c, {a: 5.}), run(b, {b: 7.}), run([a, b, c], {a: 1., b: 0.}))
        v = tf.Variable(1., name="v"); show(run(v + 1., {v: 9.}), run(v))
    """,
        "feed_errors": """
        x = tf.placeholder(tf.float32, [2, 3], name="x"); y = x + 1.; s = session()
        fails(s.run, y)
        fails(s.run, y, {x: [[1., 2.]]})
        fails(s.run, y, {x: 1.})
        fails(s.run, y, {x: "text"})
        fails(s.run, y, {x: [[1., 2., 3.], [4., 5.]]})
        fails(s.run, y, {x: tf.zeros([2, 3])})
        fails(s.run, y, {"nothing:0": 1.})
        fails(s.run, y, {3: 1.})
        fails(s.run, y, {x: None})
        fails(s.run, y * 2., [x])
    """,
        "missing_feeds": """
        s = session()
        for dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.bool, tf.string, tf.uint8, tf.complex64):
            fails(s.run, tf.placeholder(dtype))
        fails(s.run, tf.placeholder(tf.float32, [None, 3], name="partial"))
        fails(s.run, tf.placeholder(tf.float32, [], name="scalar") * 2.)
        fails(s.run, tf.placeholder(tf.float32, [4], name="scope/vector") * 2.)
    """,
        "feed_dtype_errors": """
        i = tf.placeholder(tf.int32, name="i"); s = session()
        fails(s.run, i, {i: 1.5})
        fails(s.run, i, {i: "a"})
        fails(s.run, i, {i: 2 ** 40})
        show(s.run(i, {i: np.array([1., 2.])}))
    """,
        "feed_of_unknown_shape": """
        x = tf.placeholder(tf.float32); show(run(x * 2., {x: 1.}), run(x * 2., {x: [1., 2.]}), run(x * 2., {x: [[1.]]}))
        p = tf.placeholder(tf.float32, [None, None, 3], name="p")
        show(run(tf.shape(p), {p: np.zeros((1, 2, 3))}))
        fails(session().run, p, {p: np.zeros((2, 3))})
        fails(session().run, p, {p: np.zeros((1, 2, 4))})
    """,
        "closed": """
        a = tf.constant(1.); s = tf.Session(); show(s.run(a)); s.close()
        fails(s.run, a)
        s.close()
        with tf.Session() as t:
            show(t.run(a))
        fails(t.run, a)
    """,
        "empty_graph": """
        s = tf.Session()
        fails(s.run, [])
        tf.constant(1.)
        show(s.run([]))
    """,
        "context": """
        a = tf.constant(1.)
        with tf.Session() as s:
            show(tf.get_default_session() is s, a.eval(), s.graph is tf.get_default_graph())
        show(tf.get_default_session() is None)
        with tf.Graph().as_default() as g:
            with tf.Session() as s:
                show(s.graph is g)
            fails(s.run, a)
    """,
        "graph_grows_between_runs": """
        a = tf.constant(1.); s = session(); show(s.run(a))
        b = a + 1.; show(s.run(b)); c = b * 5.; show(s.run([a, b, c]))
    """,
        "only_what_is_needed_runs": """
        v = tf.Variable(0.); bump = v.assign_add(1.); other = tf.constant(5.)
        show(run(other), run(v), run(bump), run(other), run(v))
    """,
        "once_a_step": """
        v = tf.Variable(0.); bump = v.assign_add(1.)
        with tf.control_dependencies([bump]):
            read = tf.identity(v)
        show(run([bump.op, read, read]), run(v))
    """,
        "partial_evaluation_of_errors": """
        x = tf.placeholder(tf.float32, [None, None], name="x"); y = tf.placeholder(tf.float32, [None, None], name="y")
        z = tf.matmul(x, y, name="z"); w = tf.add(x, y, name="w")
        fails(run, z, {x: np.ones((2, 3)), y: np.ones((2, 3))})
        fails(run, w, {x: np.ones((2, 3)), y: np.ones((2, 2))})
        a = tf.placeholder(tf.float32, name="a"); b = tf.placeholder(tf.float32, name="b")
        fails(run, tf.multiply(a, b, name="m"), {a: np.ones(2), b: np.ones(3)})
    """,
        "division_of_integers_by_zero": """
        x = tf.placeholder(tf.int32, name="x"); q = tf.floordiv(7, x, name="q")
        fails(run, q, {x: 0})
    """,
        "invert_a_singular_matrix": """
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        fails(run, tf.matrix_inverse(x, name="inverse"), {x: [[1., 1.], [1., 1.]]})
    """,
        "cholesky_of_indefinite": """
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        fails(run, tf.cholesky(x, name="root"), {x: [[1., 2.], [2., 1.]]})
    """,
        "error_fields": """
        x = tf.placeholder(tf.float32, name="x")
        try:
            session().run(x * 1.)
        except tf.errors.InvalidArgumentError as error:
            show(error.op.name, error.error_code, error.node_def.name, error.node_def.op)
    """,
        "make_callable": """
        x = tf.placeholder(tf.float32); f = session().make_callable(x * 2., [x]); show(f(3.), f([1., 2.])); fails(f)
        y = tf.placeholder_with_default(2., []); h = session().make_callable(x * y, [x, y]); show(h(3.), h(3., 4.))
        g = session().make_callable([tf.constant(1.)]); show(g())
    """,
        "devices": """
        with tf.Session() as s:
            show([d.name for d in s.list_devices() if "XLA" not in d.name], [d.device_type for d in s.list_devices() if "XLA" not in d.name])
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as s:
            show([d.name for d in s.list_devices() if "XLA" not in d.name])
    """,
        "interactive_twice": """
        s = tf.InteractiveSession(); t = tf.constant([1., 2.])
        show(t.eval(), tf.reduce_sum(t).eval()); s.close()
    """,
        "feeding_a_fetched_name": """
        x = tf.placeholder(tf.float32, [2], name="x"); s = session()
        show(s.run("x:0", {"x:0": [1., 2.]}))
        fails(s.run, "x", {"x:0": [1., 2.]})
    """,
    },
)
