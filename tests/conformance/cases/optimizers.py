"""Optimizers: names, slots, and the path the variables take."""

from ..case import programs

_PROBLEM = """
        rng = np.random.RandomState(0)
        xs = rng.randn(16, 3).astype("f"); ys = (xs @ np.array([[1.], [-2.], [.5]]) + .3).astype("f")
        x = tf.placeholder(tf.float32, [None, 3], name="x"); y = tf.placeholder(tf.float32, [None, 1], name="y")
        w = tf.Variable(tf.zeros([3, 1]), name="w"); b = tf.Variable([0.], name="b")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y), name="loss")
"""

_PATH = """
        step = optimizer.minimize(loss)
        show(step, optimizer.get_name(), optimizer.get_slot_names())
        show([v.name for v in tf.global_variables()])
        for i in range(12):
            run(step, {x: xs, y: ys})
            if i in (0, 1, 11):
                show(run([w, b, loss], {x: xs, y: ys}))
        show(run([optimizer.get_slot(w, name) for name in optimizer.get_slot_names()]))
"""

_OPTIMIZERS = {
    "gradient_descent": "tf.train.GradientDescentOptimizer(.1)",
    "adam": "tf.train.AdamOptimizer(.05)",
    "adam_parameters": "tf.train.AdamOptimizer(learning_rate=.1, beta1=.8, beta2=.9, epsilon=1e-4)",
    "momentum": "tf.train.MomentumOptimizer(.05, .9)",
    "nesterov": "tf.train.MomentumOptimizer(.05, .9, use_nesterov=True)",
    "adagrad": "tf.train.AdagradOptimizer(.5)",
    "rmsprop": "tf.train.RMSPropOptimizer(.05)",
    "rmsprop_centered": "tf.train.RMSPropOptimizer(.05, decay=.8, momentum=.5, epsilon=1e-3, centered=True)",
    "adadelta": "tf.train.AdadeltaOptimizer(learning_rate=2., rho=.9, epsilon=1e-4)",
    "ftrl": "tf.train.FtrlOptimizer(.5)",
    "ftrl_regularized": "tf.train.FtrlOptimizer(.5, initial_accumulator_value=.3, l1_regularization_strength=.1, l2_regularization_strength=.02)",
    "ftrl_shrinkage": "tf.train.FtrlOptimizer(.5, learning_rate_power=-.6, l2_shrinkage_regularization_strength=.05, accum_name='a', linear_name='l')",
    "proximal_adagrad": "tf.train.ProximalAdagradOptimizer(.5)",
    "proximal_adagrad_regularized": "tf.train.ProximalAdagradOptimizer(.5, .2, l1_regularization_strength=.2, l2_regularization_strength=.1, name='PA')",
}

_ROWS = """
        e = tf.Variable([[1., -1.], [2., -2.], [3., -3.], [4., -4.]], name="e")
        i = tf.placeholder(tf.int32, [None], name="i"); loss = tf.reduce_sum(tf.gather(e, i) ** 2.)
        step = optimizer.minimize(loss)
        show([(o.name, o.type) for o in tf.get_default_graph().get_operations() if o.type.startswith(("Apply", "Sparse", "Scatter", "Assign")) and "update" in o.name])
        for rows in ([0, 2, 0], [3], [1, 1, 1, 2]):
            run(step, {i: rows}); show(run([e, *[optimizer.get_slot(e, name) for name in optimizer.get_slot_names()]]))
"""

CASES = [
    *programs(
        "optimizers",
        {
            name: f"{_PROBLEM}        optimizer = {text}\n{_PATH}"
            for name, text in _OPTIMIZERS.items()
        },
        rtol=1e-4,
    ),
    *programs(
        "optimizers_of_rows",
        {name: f"        optimizer = {text}\n{_ROWS}" for name, text in _OPTIMIZERS.items()},
        rtol=1e-4,
    ),
    *programs(
        "optimizers",
        {
            "names_of_adam": _PROBLEM
            + """
        tf.train.AdamOptimizer().minimize(loss)
        names = [op.name for op in tf.get_default_graph().get_operations()]
        show([n for n in names if n.startswith(("Adam", "beta", "w/Adam", "b/Adam"))])
        show(tf.global_variables(), [v.name for v in tf.trainable_variables()])
        """,
            "apply_gradients": _PROBLEM
            + """
        optimizer = tf.train.GradientDescentOptimizer(.5)
        pairs = optimizer.compute_gradients(loss)
        show([(g, v) for g, v in pairs])
        clipped = [(tf.clip_by_value(g, -.1, .1), v) for g, v in pairs]
        step = optimizer.apply_gradients(clipped, name="train")
        show(step, step.type)
        run(step, {x: xs, y: ys}); show(run([w, b]))
        """,
            "global_step": _PROBLEM
            + """
        count = tf.Variable(0, trainable=False, name="count")
        step = tf.train.GradientDescentOptimizer(.1).minimize(loss, global_step=count)
        show(step, step.type)
        for _ in range(3):
            run(step, {x: xs, y: ys})
        show(run(count))
        show([op.name for op in tf.get_default_graph().get_operations() if op.name.startswith("GradientDescent")])
        """,
            "global_step_adam": _PROBLEM
            + """
        step = tf.train.AdamOptimizer().minimize(loss, tf.train.get_or_create_global_step(), name="go")
        run(step, {x: xs, y: ys}); show(step, run(tf.train.get_global_step()))
        """,
            "var_list": _PROBLEM
            + """
        step = tf.train.GradientDescentOptimizer(.1).minimize(loss, var_list=[b])
        run(step, {x: xs, y: ys}); show(run([w, b]))
        """,
            "learning_rate_tensor": _PROBLEM
            + """
        rate = tf.placeholder(tf.float32, [], name="rate")
        step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
        run(step, {x: xs, y: ys, rate: .1}); run(step, {x: xs, y: ys, rate: .01}); show(run([w, b]))
        """,
            "slots": _PROBLEM
            + """
        a = tf.train.AdamOptimizer(); a.minimize(loss)
        show(a.get_slot(w, "m"), a.get_slot(w, "v"), a.get_slot(b, "m"), [v.name for v in a.variables()])
        """,
            "errors": """
        v = tf.Variable(1., name="v"); c = tf.constant(1.)
        optimizer = tf.train.GradientDescentOptimizer(.1)
        fails(optimizer.minimize, c)
        fails(optimizer.apply_gradients, [])
        fails(optimizer.apply_gradients, [(None, v)])
        fails(optimizer.minimize, tf.cast(v, tf.int32))
        """,
            "grad_loss_and_gates": """
        w = tf.Variable([1., 2.], name="w"); y = w * w; o = tf.train.GradientDescentOptimizer(.1)
        fails(o.minimize, y, gate_gradients=7); step = o.minimize(y, grad_loss=tf.constant([1., 10.]), gate_gradients=o.GATE_GRAPH, colocate_gradients_with_ops=True, aggregation_method=tf.AggregationMethod.ADD_N, name="go")
        run(step); show(run(w), step)
        """,
            "rows_with_global_step_and_clipping": """
        e = tf.Variable([[1., -1.], [2., -2.]], name="e"); o = tf.train.MomentumOptimizer(.1, .9); gs = tf.train.get_or_create_global_step()
        pairs = o.compute_gradients(tf.reduce_sum(tf.gather(e, [1, 1]) ** 2.)); show(type(pairs[0][0]).__name__)
        gs2, norm = tf.clip_by_global_norm([g for g, v in pairs], 1.); step = o.apply_gradients(zip(gs2, [e]), global_step=gs); run(step); show(run([e, gs]))
        """,
            "constraint": """
        w = tf.Variable([1., 2.], constraint=lambda x: tf.clip_by_value(x, 0., 1.)); step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(w)); run(step); show(run(w))
        e = tf.Variable([[1.], [2.]], constraint=lambda x: x); fails(tf.train.GradientDescentOptimizer(.1).minimize, tf.reduce_sum(tf.gather(e, [0])), var_list=[e])
        """,
            "no_variables": """
        fails(tf.train.GradientDescentOptimizer(.1).minimize, tf.constant(1.))
        """,
            "sparse": """
        v = tf.Variable([[1., 1.], [2., 2.], [3., 3.]], name="v")
        loss = tf.reduce_sum(tf.nn.embedding_lookup(v, [0, 2, 0]) ** 2.)
        step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
        run(step); show(run(v))
        """,
            "gradients_of_shared_weight": """
        w = tf.Variable(2., name="w"); loss = w * w + 3. * w
        step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
        for _ in range(3):
            run(step); show(run(w))
        """,
            "float64": """
        w = tf.Variable(2., dtype=tf.float64); step = tf.train.AdamOptimizer(.1).minimize(w * w)
        run(step); run(step); show(run(w))
        """,
            "own_methods": """
        class Halved(tf.train.MomentumOptimizer):
            def compute_gradients(self, loss, var_list, **kwargs):
                show(sorted(kwargs))
                pairs = super().compute_gradients(loss, var_list, **kwargs)
                return [(g / 2, v) for g, v in pairs if g is not None]
            def apply_gradients(self, grads_and_vars, global_step=None, name=None):
                return tf.group(super().apply_gradients(grads_and_vars, global_step, name))
        w = tf.Variable([3., 4.]); step = Halved(.1, .9).minimize(tf.reduce_sum(w ** 2), var_list=[w])
        run(step); run(step); show(run(w))
        """,
            "classifier": """
        rng = np.random.RandomState(3)
        xs = rng.randn(30, 4).astype("f"); ys = np.eye(3, dtype="f")[rng.randint(0, 3, 30)]
        x = tf.placeholder(tf.float32, [None, 4]); y = tf.placeholder(tf.float32, [None, 3])
        w1 = tf.Variable(rng.randn(4, 8).astype("f") * .5); b1 = tf.Variable(tf.zeros([8]))
        w2 = tf.Variable(rng.randn(8, 3).astype("f") * .5); b2 = tf.Variable(tf.zeros([3]))
        logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
        sgd = tf.train.GradientDescentOptimizer(.2).minimize(loss); adam = tf.train.AdamOptimizer(.01).minimize(loss)
        for step in (sgd, adam):
            for _ in range(10):
                run(step, {x: xs, y: ys})
            show(run([loss, b1, b2], {x: xs, y: ys}))
        """,
        },
        rtol=1e-4,
    ),
]
