"""`tf.gradients`: values, names, and what stops or joins them."""

from ..case import programs

CASES = programs(
    "gradients",
    {
        "simple": """
        x = tf.constant(3., name="x")
        check(x * x, x); check(2. * x ** 3., x)
        show(tf.gradients(x * x, x), tf.gradients(x * x, [x])[0].name)
    """,
        "names": """
        x = tf.placeholder(tf.float32, [None, 2], name="x"); w = tf.Variable([[1.], [2.]], name="w")
        y = tf.reduce_mean(tf.square(tf.matmul(x, w)), name="loss")
        show(tf.gradients(y, [w, x]), tf.gradients(y, w, name="mine"), tf.gradients(y, w))
    """,
        "names_of_operations": """
        x = tf.constant([1., 2.], name="x")
        y = tf.reduce_sum(x * x, name="y")
        tf.gradients(y, x)
        show([op.name for op in tf.get_default_graph().get_operations() if op.name.startswith("gradients")][:3])
    """,
        "none": """
        x = tf.constant(1.); y = tf.constant(2.)
        show(tf.gradients(x * 2., [y]), tf.gradients(tf.stop_gradient(x), [x]), tf.gradients(tf.cast(x > 0, tf.float32), [x]))
        show(tf.gradients(tf.cast(tf.argmax([x, y], 0), tf.float32), [x]))
    """,
        "unconnected_zero": """
        x = tf.constant([1., 2.]); y = tf.constant(2.)
        g = tf.gradients(y * 2., x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        show(g, run(g))
    """,
        "of_itself": """
        x = tf.constant([1., 2.], name="x")
        show(run(tf.gradients(x, x)), tf.gradients(x, x))
    """,
        "several_targets": """
        x = tf.constant(2., name="x"); y = tf.constant(5., name="y")
        show(run(tf.gradients([x * y, x * x], [x, y])))
    """,
        "grad_ys": """
        x = tf.constant([1., 2., 3.])
        show(run(tf.gradients(x * x, x, grad_ys=[tf.constant([1., 0., 2.])])))
        show(run(tf.gradients([x * x, x], x, grad_ys=[[1., 1., 1.], None])))
        fails(tf.gradients, x * x, x, grad_ys=[1., 2.])
        fails(tf.gradients, x * x, x, grad_ys=[tf.constant([1, 2, 3])])
    """,
        "stop_gradients": """
        x = tf.constant(2.); y = x * 3.; z = x * y
        show(run(tf.gradients(z, [x, y])), run(tf.gradients(z, [x, y], stop_gradients=[x, y])), run(tf.gradients(z, x, stop_gradients=y)))
    """,
        "fan_out": """
        x = tf.constant([1., 2.], name="x")
        y = x * 2.; z = y + y * y + tf.exp(y)
        check(z, x)
        show([op.type for op in tf.get_default_graph().get_operations() if op.type == "AddN"][:1])
    """,
        "aggregation": """
        x = tf.constant([1., 2.], name="x")
        y = x * x + x
        show(tf.gradients(y, x, name="g"))
    """,
        "second_order": """
        x = tf.constant([.5, 2.], name="x")
        for f in (tf.exp, tf.sin, tf.tanh, tf.sigmoid, tf.log, tf.sqrt, tf.square, tf.reciprocal):
            g, = tf.gradients(f(x), x)
            show(run(tf.gradients(g, x)))
    """,
        "third_order": """
        x = tf.constant(2.); y = x ** 4.
        for _ in range(3):
            y, = tf.gradients(y, x)
        show(run(y))
    """,
        "through_softmax_cross_entropy_twice": """
        x = tf.constant([[1., 2., .5]]); t = tf.constant([[0., 1., 0.]])
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=t, logits=x)
        g, = tf.gradients(loss, x)
        check(tf.gradients(g, x)[0])
    """,
        "broadcast": """
        a = tf.constant([[1.], [2.]], name="a"); b = tf.constant([1., 2., 3.], name="b"); s = tf.constant(2., name="s")
        check(a * b, a, b); check(a + b * s, a, b, s); check(a / b - s, a, b, s); check(tf.maximum(a, b), a, b)
        check(a ** b, a, b); check(tf.squared_difference(a, b), a, b)
    """,
        "broadcast_unknown_shapes": """
        a = tf.placeholder(tf.float32, name="a"); b = tf.placeholder(tf.float32, name="b")
        g = tf.gradients(a * b + b, [a, b])
        show(g, run(g, {a: [[1.], [2.]], b: [3., 4., 5.]}), run(g, {a: 2., b: [1., 2.]}))
    """,
        "of_a_gather": """
        v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]], name="v")
        g, = tf.gradients(tf.reduce_sum(tf.gather(v, [0, 2, 0]) ** 2.), v)
        show(run(tf.convert_to_tensor(g)))
    """,
        "of_variables": """
        v = tf.Variable(2., name="v"); w = tf.Variable([1., 2.], name="w")
        y = tf.reduce_sum(v * w * w)
        show(tf.gradients(y, [v, w]), run(tf.gradients(y, [v, w])), run(tf.gradients(y, tf.trainable_variables())))
    """,
        "of_integers": """
        i = tf.constant([1, 2]); x = tf.constant([1., 2.])
        show(tf.gradients(tf.cast(i, tf.float32) * x, i), run(tf.gradients(tf.cast(i, tf.float32) * x, x)))
        fails(tf.gradients, i * i, x)
    """,
        "errors": """
        x = tf.constant(1.)
        fails(tf.gradients, x, x, grad_ys=[None, None])
        show(tf.gradients(x, []))
    """,
        "gate_and_colocate": """
        x = tf.constant(2., name="x")
        show(run(tf.gradients(x * x, x, colocate_gradients_with_ops=True)), run(tf.gradients(x * x, x, gate_gradients=True)))
        show(run(tf.gradients(x * x, x, aggregation_method=tf.AggregationMethod.ADD_N)))
    """,
        "device_of_gradients": """
        x = tf.constant([1., 2.], name="x")
        with tf.device("/cpu:0"):
            y = tf.reduce_sum(x * x)
        g, = tf.gradients(y, x, colocate_gradients_with_ops=True)
        show(g.device)
    """,
        "of_reads_of_resource_variables": """
        for resource in (False, True):
            v = tf.Variable([[1., 2.], [3., 4.]], use_resource=resource); k = v.read_value()
            for rows in (tf.gather(v, [1, 1]), tf.nn.embedding_lookup(v, [0]), tf.gather(k, [1]), tf.gather(tf.identity(v), [0])):
                g, = tf.gradients(rows, v); show(isinstance(g, tf.IndexedSlices), run(tf.convert_to_tensor(g)))
            w = tf.Variable(3., use_resource=resource); k = w.read_value()
            show(run(tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + tf.gradients(w * w * k, w)[0]), [0, 0.])))
    """,
        "conditional_by_where": """
        x = tf.constant([-1., 2.])
        check(tf.where(x > 0, x * x, -x), x)
    """,
        "of_a_reshaped_sum": """
        x = tf.constant(np.arange(6.), tf.float32, name="x")
        check(tf.reduce_mean(tf.reshape(x, [2, 3]) ** 2., 1), x)
        check(tf.reduce_max(tf.transpose(tf.reshape(x, [2, 3])), 0), x)
    """,
        "at_the_edge_of_a_domain": """
        points = [-2., -1., -.5, -0., 0., .5, 1., 2., np.inf]
        unary = "sqrt rsqrt reciprocal log log1p exp expm1 square abs sign asin acos acosh atanh atan asinh tan tanh sigmoid"
        unary += " softplus erf cumprod reduce_prod reduce_std reduce_variance l2_normalize"
        functions = [getattr(tf.math, name) for name in unary.split()]
        functions += [tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.crelu, tf.nn.elu, tf.nn.selu, tf.nn.softmax, tf.nn.l2_normalize]
        functions += [tf.norm, lambda x: tf.norm(x, axis=0), lambda x: tf.global_norm([x]), lambda x: tf.clip_by_norm(x, 1.)]
        functions += [lambda x: x ** .5, lambda x: x ** 0., lambda x: 0. ** x, lambda x: x / x, lambda x: x / 0., tf.div_no_nan]
        for f in functions:
            found = []
            for group in (points, [0., 0., 0.], [0., 1., 2.], [0.]):
                for up in (0., 1.):
                    x = tf.constant(group); y = f(x, x) if f is tf.div_no_nan else f(x)
                    g, = tf.gradients(y, x, grad_ys=tf.fill(tf.shape(y), up))
                    h, = tf.gradients(g, x, grad_ys=tf.fill(tf.shape(g), up))
                    found.append([g, tf.constant(0.) if h is None else h])
            show(run(found))
    """,
        "masked_roots": """
        x = tf.constant([0., 4., -1.])
        show(run(tf.gradients(tf.where(x > 0, tf.sqrt(x), tf.zeros_like(x)), x)))
        points = tf.constant([[0., 0.], [3., 4.], [0., 0.]])
        distances = tf.reduce_sum(tf.squared_difference(points[:, None], points[None]), -1)
        masked = tf.sqrt(distances) * tf.cast(distances > 0, tf.float32)
        show(run(masked), run(tf.gradients(masked, points)))
    """,
        "of_gradients_of_a_network": """
        x, w, b = tf.constant([[1., -2.], [.5, 3.]]), tf.Variable([[1., -1.], [2., .5]]), tf.Variable([.1, -.2])
        for layer in (tf.nn.relu, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.elu, tf.nn.tanh, tf.nn.softplus):
            slope, = tf.gradients(tf.reduce_sum(layer(x @ w + b)), x)
            penalty = tf.reduce_mean((tf.sqrt(tf.reduce_sum(slope ** 2., 1)) - 1.) ** 2.)
            show(run(tf.gradients(penalty, [w, b])))
            tf.train.AdamOptimizer().minimize(penalty, var_list=[w, b])
    """,
        "of_another_operation": """
        g, x = tf.get_default_graph(), tf.constant([-1.5, .4])
        for theirs, ours in (("Sign", "Identity"), ("Round", "Identity"), ("Relu", "Identity"), ("Tanh", "Sqrt"), ("Square", "Shape")):
            with g.gradient_override_map({theirs: ours}):
                y = {"Sign": tf.sign, "Round": tf.round, "Relu": tf.nn.relu, "Tanh": tf.tanh, "Square": tf.square}[theirs](x)
            try: found, = tf.gradients(y * 3., x); show(None if found is None else run(found))
            except LookupError as error: show(str(error).partition("(")[0])
        with g.gradient_override_map({"Sign": "NoSuchOperation"}):
            y = tf.sign(x)
        try: tf.gradients(y, x)
        except LookupError as error: show(str(error).partition("(")[2].partition(")")[0])
    """,
        "of_operations_that_have_none": """
        x, v = tf.constant([1., 2., 1.]), tf.Variable([1., 2., 3.])
        for y, by in ((tf.unique(x).y, x), (tf.truncatemod(x, 2.), x), (tf.scatter_update(v, [0], [2.]), v)):
            try: show(tf.gradients(y, by))
            except LookupError as error: show(str(error).partition("(")[2].partition(")")[0])
        for f in (tf.floor, tf.round, tf.argmax, tf.stop_gradient, tf.shape):
            show(tf.gradients(f(x), x))
    """,
    },
)
