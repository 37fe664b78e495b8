"""Variables: making, naming, sharing, assigning, initializing."""

from ..case import programs

CASES = programs(
    "variables",
    {
        "names_of_part_updates": """
        v = tf.Variable([[1., 2.], [3., 4.]], name="v")
        with tf.name_scope("s"):
            show(v[0].assign([5., 6.]), v[1:, 0].assign([7.]), v[0].assign([1., 1.], name="own")); part = v[1]; show(part, part.assign([0., 0.]), part.assign([0., 1.]))
    """,
        "names_and_dtypes": """
        v = tf.Variable(1., name="v"); w = tf.Variable([1, 2]); u = tf.Variable(tf.zeros([2, 3]), dtype=tf.float32)
        show(v, w, u, v.op.type, v.op.name, w.name, v.initializer.name, v.value(), w.dtype.base_dtype, u.get_shape())
        show(tf.Variable(1.5, dtype=tf.float64), tf.Variable(True), tf.Variable("text"), tf.Variable(np.zeros((2, 2))))
    """,
        "kinds_by_scopes": """
        with tf.variable_scope("s", use_resource=True):
            made = [tf.get_variable("g", [1]), tf.Variable(1.0), tf.Variable(1.0, use_resource=False)]
        with tf.variable_scope("q"):
            tf.get_variable_scope().set_use_resource(True)
            made.append(tf.Variable(1.0))
        with tf.variable_scope("n", use_resource=False):
            made.append(tf.Variable(1.0))
        show([v.dtype for v in made], made)
    """,
        "same_name_twice": """
        show(tf.Variable(1., name="v"), tf.Variable(1., name="v"), tf.Variable(1.), tf.Variable(1.))
        with tf.name_scope("s"):
            show(tf.Variable(1., name="v"))
    """,
        "assign": """
        v = tf.Variable([1., 2.], name="v")
        a = v.assign([3., 4.]); b = tf.assign(v, [5., 6.]); c = v.assign_add([1., 1.]); d = v.assign_sub([.5, 0.])
        show(a, b, c, d)
        show(run(v), run(a), run(v), run(b), run(c), run(d), run(v))
        show(run(tf.assign_add(v, [1., 1.])), run(tf.assign_sub(v, [1., 1.])))
    """,
        "counter": """
        state = tf.Variable(0, name="counter")
        new = tf.add(state, tf.constant(1)); update = tf.assign(state, new)
        show(run(state))
        for _ in range(3):
            run(update); show(run(state))
    """,
        "arithmetic": """
        v = tf.Variable(2., name="v"); w = tf.Variable(3., name="w")
        show(v + w, v * 2., -v, v / w, 1. - v, v ** 2., v > w, run([v + w, v * 2., -v, v / w, 1. - v]))
        m = tf.Variable([[1., 2.], [3., 4.]], name="m")
        show(m[0], m[:, 1], run(m[0]), run(m[:, 1]), m @ m)
    """,
        "initialized_value": """
        v = tf.Variable([1., 2.]); w = tf.Variable(v.initialized_value() * 2.)
        session().run(tf.global_variables_initializer())
        show(session().run(w))
    """,
        "uninitialized": """
        v = tf.Variable(1., name="v"); w = tf.Variable([1.], name="net/w")
        s = session()
        fails(s.run, v)
        fails(s.run, w + 1.)
        fails(s.run, v.assign_add(1.))
        show(s.run(tf.report_uninitialized_variables()), s.run(tf.is_variable_initialized(v)))
        s.run(v.initializer)
        show(s.run(v), s.run(tf.is_variable_initialized(v)), s.run(tf.report_uninitialized_variables()))
        fails(s.run, [v, w])
    """,
        "initializers_of_all": """
        v = tf.Variable(1.); w = tf.Variable(2.); local = tf.Variable(3., collections=["local_variables"])
        init = tf.global_variables_initializer()
        show(init, tf.local_variables_initializer(), tf.variables_initializer([v], name="some"), tf.initialize_all_variables())
        session().run(init); show(session().run([v, w]))
        fails(session().run, local)
    """,
        "init_without_variables": """
        show(tf.global_variables_initializer(), session().run(tf.global_variables_initializer()))
    """,
        "sessions_do_not_share": """
        v = tf.Variable(1., name="v")
        one, two = tf.Session(), tf.Session()
        one.run(v.initializer); two.run(v.initializer)
        one.run(v.assign(5.))
        show(one.run(v), two.run(v))
    """,
        "load_and_eval": """
        v = tf.Variable([1., 2.])
        with tf.Session() as s:
            s.run(v.initializer)
            show(v.eval(), v.eval(s))
            v.load([7., 8.], s)
            show(v.eval())
    """,
        "errors": """
        fails(tf.Variable)
        fails(tf.Variable, None)
        v = tf.Variable([1., 2.], name="v")
        fails(v.assign, [1., 2., 3.])
        fails(v.assign, ["a", "b"])
        fails(lambda: [a for a in v])
    """,
        "validate_shape": """
        p = tf.placeholder(tf.float32)
        fails(tf.Variable, p)
        v = tf.Variable(p, validate_shape=False)
        show(v.get_shape().ndims)
        session().run(v.initializer, {p: [1., 2., 3.]}); show(session().run(v))
    """,
        "get_variable": """
        v = tf.get_variable("v", [2, 3]); w = tf.get_variable("w", shape=(), dtype=tf.int32, initializer=tf.zeros_initializer())
        k = tf.get_variable("k", initializer=tf.constant([1., 2.])); n = tf.get_variable("n", initializer=3)
        o = tf.get_variable("o", [4], initializer=tf.ones_initializer(), trainable=False)
        show(v, w, k, n, o, run([w, k, n, o]), [t.name for t in tf.trainable_variables()])
    """,
        "get_variable_errors": """
        v = tf.get_variable("v", [2])
        fails(tf.get_variable, "v", [2])
        fails(tf.get_variable, "w")
        fails(tf.get_variable, "x", [2], initializer=tf.constant([1., 2.]))
        fails(tf.get_variable, "y", [None, 2])
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            fails(tf.get_variable, "v", [3])
            fails(tf.get_variable, "nothing", [3])
            fails(tf.get_variable, "v", [2], tf.int32)
            show(tf.get_variable("v", [2]) is v, tf.get_variable("v") is v)
    """,
        "variable_scopes": """
        with tf.variable_scope("a") as sa:
            v = tf.get_variable("v", [1]); c = tf.constant(1., name="c")
            with tf.variable_scope("b") as sb:
                w = tf.get_variable("w", [1]); d = v + w
            plain = tf.Variable(1., name="plain")
        with tf.variable_scope("a", reuse=True):
            again = tf.get_variable("v", [1]); e = tf.constant(1., name="c")
        with tf.variable_scope(sa, reuse=True):
            third = tf.get_variable("v"); f = tf.constant(1., name="c")
        show(v, w, c, d, plain, again is v, third is v, e, f, sa.name, sb.name, sa.original_name_scope, sb.reuse, sa.reuse)
    """,
        "variable_scope_reuse_variables": """
        with tf.variable_scope("s") as s:
            v = tf.get_variable("v", [1])
            s.reuse_variables()
            show(tf.get_variable("v", [1]) is v, s.reuse)
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            show(tf.get_variable("v", [1]) is v, tf.get_variable("new", [2]))
        with tf.variable_scope("s"):
            tf.get_variable_scope().reuse_variables()
            show(tf.get_variable("v", [1]) is v, tf.get_variable_scope().name)
    """,
        "variable_scope_defaults": """
        with tf.variable_scope("i", initializer=tf.constant_initializer(4.)):
            v = tf.get_variable("v", [2])
            with tf.variable_scope("j"):
                w = tf.get_variable("w", [1])
                x = tf.get_variable("x", [1], initializer=tf.zeros_initializer())
        show(run([v, w, x]))
    """,
        "variable_scope_default_name": """
        for _ in range(2):
            with tf.variable_scope(None, default_name="layer"):
                show(tf.get_variable("w", [1]), tf.constant(1., name="c"))
        with tf.variable_scope("layer"):
            show(tf.constant(1., name="c"))
        fails(lambda: tf.variable_scope(None).__enter__())
        fails(lambda: tf.variable_scope("x", reuse=True, default_name=None).__enter__() and tf.get_variable("q", [1]))
    """,
        "variable_scope_and_name_scope": """
        with tf.name_scope("n"):
            with tf.variable_scope("v"):
                show(tf.get_variable("w", [1]), tf.Variable(1., name="z"), tf.constant(1., name="c"))
        with tf.variable_scope("v"):
            with tf.name_scope("n"):
                show(tf.get_variable("x", [1]), tf.Variable(1., name="z"), tf.constant(1., name="c"))
        with tf.variable_scope("v/deep"):
            show(tf.get_variable("x", [1]))
    """,
        "regularizer": """
        r = lambda t: tf.reduce_sum(t) * .5
        with tf.variable_scope("s", regularizer=r):
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        show(len(losses), run(list(losses)))
    """,
        "global_step": """
        show(tf.train.get_global_step() is None)
        g = tf.train.get_or_create_global_step()
        show(g, tf.train.get_or_create_global_step() is g, tf.train.get_global_step() is g, run(g))
        fails(tf.train.create_global_step)
    """,
        "dependencies_order": """
        v = tf.Variable(0., name="v")
        add = v.assign_add(1.)
        with tf.control_dependencies([add]):
            after = v.read_value(); held = tf.identity(v)
        show(run(after), run(after), after)
    """,
        "assign_many_in_one_step": """
        a = tf.Variable(1.); b = tf.Variable(2.)
        swap_a, swap_b = a + 0., b + 0.
        with tf.control_dependencies([swap_a, swap_b]):
            step = tf.group(a.assign(swap_b), b.assign(swap_a))
        run(step); show(run([a, b]))
    """,
        "scatter": """
        v = tf.Variable([[1., 1.], [2., 2.], [3., 3.]], name="v")
        u = tf.scatter_sub(v, [0, 2, 0], [[1., 0.], [0., 1.], [1., 1.]]); a = tf.scatter_add(v, [1], [[5., 5.]])
        w = tf.scatter_update(v, [1], [[9., 9.]])
        show(u, run(u), run(a), run(w))
    """,
        "updates_of_resources": """
        v = tf.get_variable("v", initializer=[1., 2.], use_resource=True)
        a = v.assign([3., 4.]); b = a.assign_add([1., 1.]); c = a + 1.
        d = a.scatter_add(tf.IndexedSlices(tf.constant([10.]), tf.constant([1]))).assign_sub([1., 1.])
        e = tf.assign(a, a * 2.); f = tf.assign_add(v, [5., 5.])
        for each in (a, b, d, e, f):
            show(type(each).__name__, each.shape, each.dtype, isinstance(each, tf.Tensor), run(v.initializer), run(each), run(v))
        show(run(c), c.op.inputs[0].op.control_inputs == [a.op], run(a.op), a.handle is v.handle)
        show(run(tf.gradients(tf.reduce_sum(a * a), [v])), run(tf.gradients(tf.reduce_sum(c), [v, a])))
        show(run(v.initializer), run(tf.group(b)), run(v), type(v.assign([0., 0.], read_value=False)).__name__)
        with tf.control_dependencies([v.assign([7., 8.])]):
            show(run(v * 1.), run(v))
        i = tf.get_variable("i", initializer=0, use_resource=True)
        show(run(i.initializer), run(tf.while_loop(lambda n: n < 3, lambda n: n + i.assign_add(1), [i.assign(1)])), run(i))
    """,
        "to_proto_names": """
        v = tf.Variable(1., name="a/b"); show(v.op.name, v.name, v.initializer.name, v.read_value().name.split("/")[0])
        show(v.trainable, tf.Variable(1., trainable=False).trainable, v.initial_value)
    """,
        "model_variables": """
        with tf.variable_scope("net"):
            tf.get_variable("w", [2]); tf.get_variable("b", [1])
        tf.get_variable("other", [1])
        show([v.name for v in tf.trainable_variables("net")], [v.name for v in tf.global_variables("net/b")])
        show([v.name for v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "o")])
    """,
    },
)
