"""Branches and loops: values, gradients of two orders, static shapes, and what is refused."""

from ..case import programs, table

NESTED = """
a, b = (tf.constant(np.sin(np.arange(3) + k) * .8, tf.float64) for k in (.3, 2.)); w = tf.Variable([.5, -.4, .3], dtype=tf.float64, use_resource=True)
c = tf.placeholder_with_default(np.array([2, 0], np.int32), None)
"""
NESTED_ROWS = """
gradient_in_a_branch | tf.cond(w[0] > 0., lambda: tf.gradients(tf.square(w) * 2., w)[0], lambda: w * 0.) | w
gradient_in_a_loop | tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + tf.gradients(tf.square(w) * a, w)[0]), [0, a])[1] | a w
gradients_of_both_in_a_loop | tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v - .1 * tf.gradients(w * v, v)[0] + tf.gradients(w * v, w)[0]), [0, a])[1] | a w
gradient_of_each | tf.map_fn(lambda e: tf.gradients(tf.square(w) * e, w)[0], tf.stack([a, b])) | w
gradient_in_a_branch_of_a_loop | tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + tf.cond(i < 2, lambda: tf.gradients(w * v, w)[0], lambda: b)), [0, a])[1] | a b w
fold_of_branches_in_a_loop | tf.while_loop(lambda i3, x3, y3: i3 < c[0], lambda i3, x3, y3: (i3 + 1, tf.reduce_mean(tf.map_fn(lambda e5: tf.identity(tf.gather(a, [0, 0, 2])), tf.stack([b, w])), 0), tf.foldr(lambda s5, e5: tf.cond(tf.reduce_all(a < 0.7), lambda: tf.foldl(lambda s7, e7: y3, tf.stack([b, a]), w), lambda: tf.identity(a)), tf.stack([w, a]), b)), [0, a, a])[2] | a b w
two_values_trade_places | tf.while_loop(lambda i3, x3, y3: i3 < c[0], lambda i3, x3, y3: (i3 + 1, y3, tf.cond(y3[0] < a[1], lambda: (tf.identity(x3) / (1.5 + (tf.reduce_sum(y3) * w) * (tf.reduce_sum(y3) * w))), lambda: -tf.reverse(w, [0]))), [0, w, w], parallel_iterations=1)[1] | a b w
loop_that_does_nothing_in_a_case | tf.cond(tf.reduce_sum(w) > 0.0, lambda: tf.case([(tf.reduce_all(b < 0.7), lambda: (tf.maximum(tf.while_loop(lambda i3, x3: i3 < 4, lambda i3, x3: (i3 + 1, x3), [0, w], swap_memory=True)[1], -b)))], lambda: tf.scan(lambda s3, e3: (tf.maximum(a, s3)), tf.stack([b, a]), w)[-1]), lambda: tf.concat([w[1:], w[:1]], 0)) | a b w
loop_in_a_loop_of_scans | tf.while_loop(lambda i3, x3, y3: tf.logical_and(i3 < c[0], tf.reduce_sum(x3) < 2.0), lambda i3, x3, y3: (i3 + 1, (tf.scan(lambda s5, e5: a * w, tf.stack([b, w]), a)[-1] * tf.reverse((y3 / (1.5 + y3 * y3)), [0])), (tf.maximum((tf.maximum(tf.while_loop(lambda i5, x5: i5 < 2, lambda i5, x5: (i5 + 1, x5), [0, x3])[1], (a / (1.5 + y3 * y3)))), (tf.gather(x3, [0, 0, 2]) + (b * a))))), [0, a, b], swap_memory=True)[2] | a b w
gather_of_what_stands_outside | tf.reduce_mean(tf.map_fn(lambda e3: (tf.concat([tf.reverse(e3, [0])[1:], tf.reverse(e3, [0])[:1]], 0) / (1.5 + tf.gather(tf.gather(b, [0, 0, 2]), [0, 0, 2]) * tf.gather(tf.gather(b, [0, 0, 2]), [0, 0, 2]))), tf.stack([w, w])), 0) | a b w
loop_in_a_loop_in_a_loop | tf.while_loop(lambda i3, x3: i3 < 3, lambda i3, x3: (i3 + 1, tf.while_loop(lambda i4, x4, y4: i4 < 1, lambda i4, x4, y4: (i4 + 1, (tf.cumsum(b) * 0.3 * tf.nn.softmax(a)), (tf.while_loop(lambda i6, x6: tf.logical_and(i6 < c[0], tf.reduce_sum(x6) < 2.0), lambda i6, x6: (i6 + 1, x4), [0, a], parallel_iterations=1)[1] * (a * b))), [0, w, b])[2]), [0, a], swap_memory=True)[1] | a b w
"""

CASES = (
    programs(
        "cond",
        {
            "value": """
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.cond(x < 2., lambda: x * x, lambda: tf.exp(-x))
        g = tf.gradients(y, x)[0]
        show(y, [run([y, g, tf.gradients(g, x)[0]], {x: v}) for v in (1., 3.)])
    """,
            "structures": """
        x = tf.placeholder(tf.float32, [], name="x"); u = tf.placeholder(tf.float32, None, name="u")
        show(tf.cond(x < 0., lambda: {"a": x, "b": (x, x)}, lambda: {"a": u, "b": (x, u)}))
        show(tf.cond(x < 0., lambda: [x], lambda: [u]), tf.cond(x < 0., lambda: [x], lambda: [u], strict=True))
        show(tf.cond(x < 0., fn1=lambda: 1, fn2=lambda: 2))
        show(run(tf.cond(x < 0., lambda: (x, 2), lambda: (-x, 3)), {x: 4.}))
    """,
            "shapes": """
        x = tf.placeholder(tf.float32, [], name="x")
        show(tf.cond(x < 0., lambda: tf.ones([2, 3]), lambda: tf.ones([4, 3])))
        show(tf.cond(x < 0., lambda: tf.ones([2]), lambda: tf.ones([4, 3])))
        show(tf.cond(x < 0., lambda: tf.ones([2, 3]), lambda: tf.zeros([2, 3])))
    """,
            "refused": """
        x = tf.placeholder(tf.float32, [], name="x")
        fails(tf.cond, True, lambda: 1, lambda: 2)
        fails(tf.cond, x, lambda: 1, lambda: 2)
        fails(tf.cond, x < 0, lambda: None, lambda: 2)
        fails(tf.cond, x < 0, lambda: 2, lambda: None)
        fails(tf.cond, x < 0, 1, lambda: 2)
        fails(tf.cond, x < 0, lambda: 2)
        fails(tf.cond, x < 0, lambda: 1., lambda: 2)
        fails(tf.cond, x < 0, lambda: [1, 2], lambda: 2)
        fails(tf.cond, x < 0, lambda: [1, 2], lambda: [1, 2, 3])
        fails(tf.cond, x < 0, lambda: (1, 2), lambda: [1, 2])
        fails(tf.cond, x < 0, lambda: {"a": 1}, lambda: {"b": 1})
        fails(tf.cond, x < 0, lambda: 1, fn1=lambda: 1, fn2=lambda: 2)
    """,
            "operations": """
        v = tf.Variable(1., name="v"); p = tf.placeholder(tf.bool, [])
        change = tf.cond(p, lambda: tf.group(tf.assign(v, 5.)), lambda: tf.no_op())
        show(change, run(v)); run(change, {p: False}); show(run(v)); run(change, {p: True}); show(run(v))
    """,
            "assignment": """
        v = tf.Variable(1., name="v"); p = tf.placeholder(tf.bool, [])
        change = tf.cond(p, lambda: tf.assign_add(v, 2.), lambda: tf.assign(v, 10.))
        show(run(change, {p: True}), run(change, {p: False}), run(v))
    """,
            "gradient_of_one_side": """
        x = tf.placeholder(tf.float32, [2], name="x"); w = tf.Variable([1., 2.], name="w"); p = tf.placeholder(tf.bool, [])
        y = tf.cond(p, lambda: x * w, lambda: x + 1.)
        g = tf.gradients(y, [x, w])
        show([run(g, {x: [3., 4.], p: q}) for q in (True, False)])
    """,
            "nested": """
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.cond(x < 0., lambda: tf.cond(x < -1., lambda: x * x * x, lambda: -x), lambda: tf.sin(x))
        g = tf.gradients(y, x)[0]
        show([run([y, g, tf.gradients(g, x)[0]], {x: v}) for v in (-2., -.5, 1.)])
    """,
            "case": """
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.case([(x < 0., lambda: x * 2.), (x < 1., lambda: x * x)], default=lambda: tf.exp(x))
        g = tf.gradients(y, x)[0]
        show(y, [run([y, g], {x: v}) for v in (-2., .5, 3.)])
        z = tf.case([(x < 0., lambda: 1), (x > 1., lambda: 3)], default=lambda: 5, exclusive=True)
        show([run(z, {x: v}) for v in (-2., .5, 3.)])
    """,
            "case_refused": """
        x = tf.placeholder(tf.float32, [], name="x")
        fails(tf.case, 3); fails(tf.case, [3]); fails(tf.case, [(True, lambda: 1)])
        fails(tf.case, [(x, lambda: 1)]); fails(tf.case, [(x < 0, 1)])
    """,
            "made_in_a_branch": """
        p = tf.placeholder(tf.bool, []); a = tf.constant([3., 4.], name="a"); v = tf.Variable(1., name="v"); made = []
        def dead(fetch):
            try:
                return run(fetch, {p: False})
            except tf.errors.InvalidArgumentError as error:
                return "Retval[0] does not have value" in str(error)
        c = tf.cond(p, lambda: [made.append(tf.multiply(a, 2., name="x")), 1.][1], lambda: 2., name="c"); x = made.pop()
        y = tf.reduce_sum(x * x); g = tf.gradients(y, a)[0]; add = tf.assign_add(v, tf.reduce_sum(x)); same = x[0] + 1.
        show(run([c, y, g, same], {p: True}), run(c, {p: False}), dead(y), dead(add), run(v), run(add, {p: True}))
        graph = tf.get_default_graph()
        for fetch in (x, "c/x:0", x.op):
            try:
                run(fetch, {p: True})
            except ValueError as error:
                show("Operation" in str(error), "c/x has been marked as not fetchable." in str(error).replace("'", ""))
        show(graph.get_tensor_by_name("c/x:0"), graph.get_operation_by_name("c/x").type, graph.is_fetchable(x))
        show(run(graph.get_tensor_by_name("c/x:0") + 1., {p: True}), run(x + 1., {p: True}))
        fails(graph.get_tensor_by_name, "c/y:0"); fails(graph.get_operation_by_name, "c/y"); fails(graph.get_tensor_by_name, "c/x")
    """,
            "made_in_an_inner_branch": """
        p = tf.placeholder(tf.bool, []); a = tf.constant(3., name="a"); made = []
        keep = lambda x: [made.append(x), 1.][1]
        def dead(fetch):
            try:
                return run(fetch, {p: False})
            except tf.errors.InvalidArgumentError as error:
                return "Retval[0] does not have value" in str(error)
        c = tf.cond(p, lambda: tf.cond(a > 1., lambda: keep(a * 7.), lambda: a), lambda: a); x = made.pop()
        show(run([c, x + 1., tf.gradients(x + 1., a)[0]], {p: True}), run(c, {p: False}), dead(x + 1.))
        d = tf.cond(p, lambda: x + 1., lambda: a); e = tf.cond(p, lambda: a, lambda: x + 1.)
        show(run([d, e], {p: True}), dead(d), dead(e))
        f = tf.while_loop(lambda i: i < 30., lambda i: i + x, [0.]); show(run(f, {p: True}), dead(f))
        h = tf.while_loop(lambda i: i < 3., lambda i: [tf.cond(p, lambda: keep(i + 1.), lambda: i), made.pop() + 1.][1], [0.]); show(run(h, {p: True}), dead(h))
        k = tf.case([(p, lambda: keep(a * 5.)), (tf.logical_not(p), lambda: a)], exclusive=True); x = made.pop(); show(run([k, x * 2.], {p: True}), dead(x * 2.))
        def inner_loop():
            made.append(tf.while_loop(lambda i: i < 3., lambda i: i + a, [0.]))
            return 1.
        tf.cond(p, inner_loop, lambda: 2.); x = made.pop(); show(run(x + 1., {p: True}), dead(x + 1.))
    """,
            "waited_for_from_outside": """
        p = tf.placeholder(tf.bool, []); v = tf.Variable(0., name="v"); w = tf.Variable(0., name="w"); made = []
        c = tf.cond(p, lambda: [made.append(tf.assign_add(v, 1.)), 1.][1], lambda: 2.); x = made.pop()
        with tf.control_dependencies([x]):
            change, five = tf.assign_add(w, 1.), tf.constant(5.); double = five * 2.
        for t in (c, change, change.op, five, double, tf.group(x), tf.group(x.op, change), [c, tf.group(x)], [c, double], tf.tuple([c], control_inputs=[x])):
            run(t, {p: True}); show(run([v, w]))
        run([tf.group(x), c], {p: False}); show(run([v, w]))
        def waits():
            with tf.control_dependencies([x.op]):
                return tf.constant(1.) * 3.
        show(run(tf.cond(p, waits, lambda: 0.), {p: True}), run(tf.cond(p, waits, lambda: 0.), {p: False}), run([v, w]))
    """,
            "collected_in_a_branch": """
        p = tf.placeholder(tf.bool, []); x = tf.constant([[1.], [3.]])
        norm = lambda training: tf.layers.batch_normalization(x, training=training, reuse=tf.AUTO_REUSE, name="b")
        h = tf.cond(p, lambda: norm(True), lambda: norm(False)); loss = tf.reduce_mean(h * h * h)
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.GradientDescentOptimizer(.5).minimize(loss)
        updates = tf.group(*tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        for feed in (True, True):
            run(train, {p: feed}); show(run(tf.global_variables()), run([loss, h], {p: False}))
        run(updates, {p: False}); show(run(tf.global_variables())); run([updates, loss], {p: True}); show(run(tf.global_variables()))
        def summary():
            tf.summary.scalar("s", 2.)
            return 1.
        tf.cond(p, summary, lambda: 2.); tf.summary.scalar("o", 1.); show(run(tf.summary.merge_all(), {p: True}))
        def loss_of():
            return tf.losses.mean_squared_error([1.], w[:1])
        w = tf.Variable([3., 4.], name="w"); tf.cond(p, loss_of, lambda: 2.); total = tf.losses.get_total_loss()
        show(run([total, tf.gradients(total, w)[0]], {p: True}), run(tf.gradients(total, w)[0], {p: False}))
    """,
            "waits_for_one_result": """
        v = tf.Variable(0.); w = tf.Variable(0.); p = tf.placeholder_with_default(True, [])
        a, b = tf.cond(p, lambda: (tf.assign_add(v, 1.) * 1., tf.assign_add(w, 1.) * 1.), lambda: (0., 0.))
        def body(i, j):
            with tf.control_dependencies([tf.assign_add(w, 1.)]):
                return i + 1., j + 1.
        def one(i, j):
            with tf.control_dependencies([tf.assign_add(w, 1.)]):
                j += 1.
            return i + 1., j
        for x, y in ((a, b), tf.while_loop(lambda i, j: i < 3., body, [0., 0.]), tf.while_loop(lambda i, j: i < 3., one, [0., 0.])):
            with tf.control_dependencies([y]):
                k = tf.constant(1.) * 2.
            for t in (x, y, tf.group(y), [tf.group(y), x], k, [k, x]):
                run(t); show(run([v, w]))
    """,
        },
    )
    + programs(
        "while",
        {
            "value": """
        show(tf.while_loop(lambda i: i < 10, lambda i: i + 3, [0]), run(tf.while_loop(lambda i: i < 10, lambda i: i + 3, [0])))
        show(tf.while_loop(lambda i: i < 2, lambda i: [i + 1], [0], return_same_structure=True))
        show(tf.while_loop(lambda i, j: i < 2, lambda i, j: (i + 1, j), [0, 1.], name="turns"))
    """,
            "gradient": """
        x = tf.placeholder(tf.float32, [], name="x")
        i, a = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x + a), [0, 1.])
        show(a, run([i, a, tf.gradients(a, x)[0]], {x: 2.}))
    """,
            "of_no_turn": """
        x = tf.placeholder(tf.float32, [2], name="x"); n = tf.placeholder(tf.int32, [])
        _, a = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, x])
        g = tf.gradients(a, x)[0]
        show([run([a, g], {x: [2., 3.], n: turns}) for turns in (0, 1, 3)])
    """,
            "variables": """
        w = tf.Variable([[.1, .2], [.3, .4]], name="w"); b = tf.Variable([.5, .5], name="b")
        h = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w) + b)), [0, tf.ones([3, 2])])[1]
        check(h, w, b)
    """,
            "assignment": """
        v = tf.Variable(1., name="v")
        def body(i):
            with tf.control_dependencies([tf.assign_add(v, 2.)]):
                return i + 1
        loop = tf.while_loop(lambda i: i < 3, body, [0])
        show(run(loop), run(v))
    """,
            "made_in_a_turn": """
        made = []; v = tf.Variable(0., name="v"); keep = lambda x, y: [made.append(x), y][1]
        loop = tf.while_loop(lambda i: i < 3., lambda i: keep(tf.add(i, 1., name="x"), i + 1.), [0.]); x = made.pop(); graph = tf.get_default_graph()
        show(graph.get_tensor_by_name("while/x:0"), graph.is_fetchable(x))
        try:
            x + 1.
        except ValueError as error:
            show("is in a while loop" in str(error))
        loop = tf.while_loop(lambda i: i < 3., lambda i: keep(tf.assign_add(v, 1.), i + 1.), [0.]); x = made.pop()
        run(tf.group(x)); show(run(v)); run([tf.group(x), loop]); show(run(v), run(loop), run(v))
    """,
            "variable_inside": """
        def body(i, h):
            with tf.variable_scope("cell", reuse=tf.AUTO_REUSE):
                w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer(.5))
            return i + 1, tf.matmul(h, w)
        h = tf.while_loop(lambda i, h: i < 2, body, [0, tf.ones([1, 2])])[1]
        show([v.name for v in tf.global_variables()], run(h), run(tf.gradients(h, tf.trainable_variables())))
    """,
            "structures": """
        loop = tf.while_loop(lambda s: s["n"] < 3, lambda s: [{"n": s["n"] + 1, "p": (s["p"][1], s["p"][0] + s["p"][1])}],
                             [{"n": tf.constant(0), "p": (tf.constant(1), tf.constant(1))}])
        show(run(loop))
    """,
            "shapes": """
        x = tf.ones([1])
        loop = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, x],
                             shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
        show(loop, run(loop), run(tf.gradients(loop[1], x)))
    """,
            "limit": """
        show(run(tf.while_loop(lambda i: True, lambda i: i + 2, [0], maximum_iterations=3)))
        show(run(tf.while_loop(lambda i: i < 1, lambda i: i + 2, [0], maximum_iterations=tf.constant(3))))
        fails(tf.while_loop, lambda i: True, lambda i: i + 1, [0], maximum_iterations=[3])
    """,
            "no_back_prop": """
        x = tf.constant(2.)
        show(tf.gradients(tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), [0, 1.], back_prop=False)[1], x))
    """,
            "refused": """
        x = tf.ones([1], name="start")
        fails(tf.while_loop, 1, lambda i: i, [0]); fails(tf.while_loop, lambda i: i < 2, 2, [0])
        fails(tf.while_loop, lambda: True, lambda: 1, [])
        fails(tf.while_loop, lambda i: i < 2, lambda i: i + 1, [0], parallel_iterations=0)
        fails(tf.while_loop, lambda i: i < 2, lambda i: None, [0])
        fails(tf.while_loop, lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, x])
        fails(tf.while_loop, lambda i, x: i < 2, lambda i, x: (i + 1, x), [0, x],
              shape_invariants=[tf.TensorShape([]), tf.TensorShape([3])])
        fails(tf.while_loop, lambda i: i, lambda i: i + 1, [0])
    """,
            "variable_from_inside": """
        def body(i):
            tf.Variable(tf.zeros([2]))
            return i + 1
        fails(tf.while_loop, lambda i: i < 2, body, [0])
    """,
            "nested": """
        x = tf.placeholder(tf.float32, [], name="x")
        def outer(i, a):
            inner = lambda j, z: (j + 1, tf.cond(tf.equal(j % 2, 0), lambda: z * x, lambda: z + x))
            return i + 1, tf.while_loop(lambda j, z: j < i + 1, inner, [0, a])[1]
        y = tf.while_loop(lambda i, a: i < 3, outer, [0, 1.])[1]
        g = tf.gradients(y, x)[0]
        show(run([y, g], {x: 1.3}))
    """,
            "collatz": """
        n = tf.placeholder(tf.int32, [])
        steps = tf.while_loop(lambda i, n: n > 1,
            lambda i, n: (i + 1, tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1)), [0, n])[0]
        show([run(steps, {n: k}) for k in (1, 7, 27)])
    """,
        },
    )
    + programs(
        "tensor_array",
        {
            "write_stack": """
        x = tf.placeholder(tf.float32, [], name="x")
        a = tf.TensorArray(tf.float32, 3).write(0, 1.).write(1, x).write(2, x * x)
        s = a.stack()
        show(s, a.size(), a.dtype, run([s, tf.gradients(s, x)[0]], {x: 3.}))
    """,
            "unstack_read": """
        x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
        a = tf.TensorArray(tf.float32, 3).unstack(x)
        y = a.read(2) * a.read(0)
        check(y, x)
    """,
            "concat_split": """
        x = tf.constant([1., 2., 3.])
        a = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
        b = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x * x, [1, 2])
        check([a.read(1), b.concat()], x)
    """,
            "gather_scatter": """
        x = tf.constant([1., 2., 3.])
        a = tf.TensorArray(tf.float32, 3).scatter([2, 0, 1], x * x)
        g = a.gather([0, 2])
        show(run([g, tf.gradients(g, x)[0]]))
    """,
            "dynamic": """
        a = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        i, a = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, i * i)), [0, a])
        show(a.stack(), run([a.stack(), a.size()]))
    """,
            "refused": """
        fails(lambda: tf.TensorArray(tf.float32))
        fails(lambda: tf.TensorArray(tf.float32, 2).write(0, [1.]).write(1, [1., 2.]))
    """,
        },
    )
    + programs(
        "functional",
        {
            "map_fn": """
        x = tf.constant([1., 2., 3.])
        check(tf.map_fn(lambda v: v * v, x), x)
        show(run(tf.map_fn(lambda v: (v[0] + v[1], v[0]), (x, x))), run(tf.map_fn(lambda v: tf.cast(v, tf.int32), x, dtype=tf.int32)))
        show(tf.map_fn(lambda v: v + 1., tf.placeholder(tf.float32, [None, 2]), name="each"))
        fails(tf.map_fn, lambda v: v, tf.constant(1.))
    """,
            "scan": """
        x = tf.constant([1., 2., 3.])
        check(tf.scan(lambda a, v: a * v, x), x); check(tf.scan(lambda a, v: a + v, x, initializer=10.), x)
        check(tf.scan(lambda a, v: a * 2. + v, x, reverse=True), x)
        show(run(tf.scan(lambda a, v: (a[1], a[0] + a[1]), x, initializer=(0., 1.))))
    """,
            "folds": """
        x = tf.constant([1., 2., 3.])
        for fold in (tf.foldl, tf.foldr):
            show(run([fold(lambda a, v: a * 2. + v, x), tf.gradients(fold(lambda a, v: a * v, x), x)[0]]))
            show(run(fold(lambda a, v: a * 2. + v, x, initializer=5.)))
    """,
            "fold_of_functions": """
        x = tf.constant([.5, 1.5, 2.])
        y = tf.foldl(lambda a, v: a * tf.tanh(v), x)
        show(run(tf.gradients(y, x)))
    """,
        },
    )
    + table("functional", NESTED, NESTED_ROWS, rtol=1e-6, word="value")
)
