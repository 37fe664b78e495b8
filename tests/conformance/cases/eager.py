"""Eager execution: tensors, variables, tapes and functions, without a session."""

from ..case import programs

_PROGRAMS = {
    "text": """
        for x in (tf.constant([1., 2.]), tf.constant(3), tf.constant("abc"), tf.constant([[1, 2], [3, 4]]),
                  tf.constant(["a", "b"]), tf.constant(True), tf.constant(1.5, tf.float64), tf.zeros([0, 2]), tf.zeros([2, 1, 2])):
            show(repr(x), str(x))
        show("{:.3f} {}".format(tf.constant(2.5), tf.constant(1)))
    """,
    "arithmetic": """
        x = tf.constant([[1., 2.], [3., 4.]])
        show(x + 1, 2 * x, x @ x, x / 2., -x, x ** 2., x[0], x[:, 1], abs(x - 3.), x > 2.)
        show(tf.reduce_sum(x, 0), tf.concat([x, x], 1), tf.split(x, 2), tf.argmax(x, 1), tf.shape(x), tf.rank(x), tf.transpose(x))
        show(tf.constant(7) // 2, tf.constant(7) % 4, tf.constant(-7) // 2, tf.cast(x, tf.int32), tf.one_hot([0, 2], 3))
    """,
    "python_protocols": """
        x = tf.constant([1., 2.])
        show(len(x), [float(i) for i in x], int(tf.constant(3)), float(tf.constant(2.5)), bool(tf.constant(True)), list(range(10))[tf.constant(2)])
        show(x.shape, x.get_shape(), x.dtype, x.device, np.array(x), np.add(x, 1.), np.ones(2, np.float32) * x, x.numpy())
        fails(bool, x); fails(len, tf.constant(1)); fails(iter, tf.constant(1)); fails(lambda: list(range(3))[tf.constant([2])])
    """,
    "what_belongs_to_graphs": """
        x = tf.constant([1., 2.])
        for name in ("op", "name", "graph", "value_index"):
            fails(getattr, x, name)
        fails(x.eval); fails(x.consumers)
        fails(tf.placeholder, tf.float32); fails(tf.gradients, x, x)
        fails(x.set_shape, [3])
        with tf.Graph().as_default():
            show(tf.executing_eagerly(), tf.constant(1.))
        show(tf.executing_eagerly())
    """,
    "errors": """
        x = tf.constant([1., 2.])
        fails(lambda: x + tf.constant([1., 2., 3.])); fails(lambda: x + tf.constant(1)); fails(lambda: tf.constant(1) + 1.5)
        fails(tf.matmul, [[1.]], [[1., 2.], [3., 4.]]); fails(tf.reshape, x, [3]); fails(lambda: x[5]); fails(tf.gather, x, [7])
        fails(tf.constant, 1., tf.int32); fails(tf.constant, [1, 2], shape=[3]); fails(tf.sin, tf.constant(1))
    """,
    "constants": """
        show(tf.constant(1, shape=[3]), tf.constant(1, tf.float32), tf.constant([1, 2], tf.int64), tf.convert_to_tensor([[1], [2]]))
        show(tf.convert_to_tensor([tf.constant(1.), 2.]), tf.constant(np.arange(3)), tf.constant(np.float32(2)))
    """,
    "variables": """
        v = tf.Variable([1., 2.], name="v")
        show(v, repr(v), v.dtype, v.shape, v.name, v.trainable, v.numpy())
        show(repr(v.assign([3., 4.])), v.assign_add([1., 1.]).numpy(), v.assign_sub([2., 2.]).numpy(), v.read_value(), v.value())
        show(v + 1., v[0], -v, v * v, tf.reduce_sum(v), np.array(v), [float(i) for i in v], v.initializer)
        fails(v.assign, [1.]); fails(v.assign, 1.)
        show(tf.assign(v, [0., 5.]).numpy(), tf.assign_add(v, [1., 1.]).numpy(), v)
        with tf.name_scope("s"):
            show(tf.Variable(1., name="q").name)
        with tf.variable_scope("t"):
            show(tf.get_variable("a", [2], initializer=tf.zeros_initializer()))
        show(tf.Variable(lambda: tf.ones([2]), name="l"), tf.Variable(2, trainable=False).trainable, tf.global_variables(), tf.trainable_variables())
    """,
    "tape": """
        x = tf.constant([1., 2., 3.])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x ** 3.) + x[0]
        show(tape.gradient(y, x))
        fails(tape.gradient, y, x)
    """,
    "tape_structures": """
        v, w = tf.Variable(2., name="v"), tf.Variable([[1., 2.], [3., 4.]], name="w"); u = tf.Variable(1., trainable=False)
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.matmul(w, w)) * v * u
        show(tape.gradient(y, {"v": v, "w": [w]}), tape.gradient(y, [u]), tape.gradient([y, y * 1.], v), len(tape.watched_variables()))
        with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch(v)
            y = w * v
        show(tape.gradient(y, [v, w]), tape.gradient(y, w, unconnected_gradients="zero"), tape.gradient(y, v, output_gradients=2. * w))
    """,
    "custom_gradient": """
        @tf.custom_gradient
        def f(x):
            return x * x, lambda dy: dy * 10.
        x = tf.constant(3.)
        with tf.GradientTape() as tape:
            tape.watch(x); y = f(x) * 2.
        show(y, tape.gradient(y, x))
    """,
    "optimizers": """
        for make in (lambda: tf.train.GradientDescentOptimizer(.1), lambda: tf.train.AdamOptimizer(.1), lambda: tf.train.MomentumOptimizer(.1, .9),
                     lambda: tf.train.RMSPropOptimizer(.1), lambda: tf.train.AdagradOptimizer(.1)):
            v = tf.Variable([1., 2.], name="v"); optimizer = make(); step = tf.train.get_or_create_global_step()
            before = step.numpy()
            for _ in range(3):
                optimizer.minimize(lambda: tf.reduce_sum(v * v), global_step=step)
            show(v, [x.name for x in optimizer.variables()], int(step.numpy() - before))
        fails(optimizer.minimize, tf.constant(1.))
    """,
    "function": """
        @tf.function
        def f(x, y=2.):
            return {"product": x * y, "none": None}
        show(f(tf.constant(3.)), f(tf.constant([1., 2.]), y=3.))
        v = tf.Variable(1.)
        @tf.function
        def g(x):
            v.assign_add(x)
            y = v * 2.
            v.assign(v * 10.)
            return y
        show(g(tf.constant(2.)), v, g(tf.constant(1.)), v)
    """,
    "function_control_flow": """
        @tf.function
        def f(x):
            total = 0.
            for i in tf.range(10):
                if tf.equal(i % 2, 0):
                    continue
                if total > 20.:
                    break
                total += tf.cast(i, tf.float32) * x
            while total > 10.:
                total = total / 2.
            z = total if x > 0. else -total
            if x > 1. and not z < 3.:
                return z + 1.
            return z
        show([f(tf.constant(x)) for x in (1., 2., -2., 0.)])
        x = tf.constant(2.)
        with tf.GradientTape() as tape:
            tape.watch(x); y = f(x)
        show(tape.gradient(y, x))
    """,
    "function_gradient": """
        v = tf.Variable(3.)
        @tf.function
        def f(x):
            return tf.sin(x) * v * x
        x = tf.constant(2.)
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x); y = f(x)
            first = inner.gradient(y, [x, v])
        show(y, first, outer.gradient(first[0], [x, v]))
    """,
    "function_signature": """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return tf.reduce_sum(x)
        show(f([1., 2.]), f(tf.constant([4.])), f.get_concrete_function()(tf.constant([5.])))
    """,
    "function_effects_around_returns": """
        v = tf.Variable(1.)
        @tf.function
        def train(x):
            if x > 0.:
                tf.train.GradientDescentOptimizer(.5).apply_gradients([(x, v)])
                return x, v * 1.
            return -x, v + 1.
        show([(train(tf.constant(x)), v.numpy()) for x in (2., -2., 4.)])
        @tf.function
        def after(x):
            if x > 3.:
                return x
            v.assign_add(10.)
            if x > 0.:
                v.assign_add(100.)
                return 2. * x
            else:
                v.assign_add(1000.)
            v.assign_add(10000.)
            tf.debugging.assert_less(x, -5.)
            return -x
        show([(after(tf.constant(x)), v.numpy()) for x in (4., 2., -7.)])
        try:
            after(tf.constant(-2.))
        except tf.errors.InvalidArgumentError as error:
            show("assertion failed: [Condition x < y did not hold" in str(error), v)
        @tf.function
        def called(x):
            return after(x) + after(-x - 3.), v * 1.
        show(called(tf.constant(4.)), called(tf.constant(7.)), v)
    """,
    "function_effects_of_unread_results": """
        v = tf.Variable(1.)
        @tf.function
        def branch(x):
            first, second = tf.cond(x > 0., lambda: (v.assign_add(1.) * 1., x), lambda: (v.assign_add(2.) * 1., -x))
            return second
        show(branch(tf.constant(1.)), branch(tf.constant(-1.)), v)
        @tf.function
        def loop(x):
            a, b = tf.constant(0.), tf.constant(1.)
            while b < x:
                a = b + 1.
                v.assign_add(a)
                b = b * 2.
            return b
        show(loop(tf.constant(5.)), v)
        @tf.function
        def turns(x):
            a, b = tf.while_loop(lambda a, b: b < x, lambda a, b: (v.assign_add(1.) * 1., b + 1.), [0., 0.])
            return b
        show(turns(tf.constant(3.)), v)
        @tf.function
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                if x > 0.:
                    v.assign_add(5.)
                    y = x * x
                else:
                    y = x
            return tape.gradient(y, x)
        show(slope(tf.constant(3.)), v)
        @tf.function
        def step(x):
            if x > 1:
                v.assign_add(1.)
                return x
            return -x
        show([int(x) for x in tf.data.Dataset.range(4).map(step)], v)
    """,
    "function_loops_over_data": """
        @tf.function
        def f(data, other):
            total = tf.constant(0, tf.int64)
            for i, x in enumerate(data):
                total += i * x
            for x, y in zip(data, other):
                total += x * y * 100
            for x in map(lambda x: x * 10000, filter(lambda x: x > 1, data)):
                total += x
            for x in abs(data):
                if x > 2:
                    break
                total += x * 1000000
            return total, any(data.map(lambda x: x > 2)), all(data.map(lambda x: x > 2))
        show(f(tf.data.Dataset.range(4), tf.data.Dataset.range(1, 5)))
        @tf.function
        def first(it):
            total = tf.constant(0, tf.int64)
            for x in it:
                total += x
                if x >= 2:
                    break
            return total
        it = iter(tf.data.Dataset.range(6)); show(first(it), [int(x) for x in it])
        @tf.function
        def own():
            it = iter(tf.data.Dataset.range(5)); a = next(it); total = a
            for x in it:
                total += x * 10
            return a, total
        show(own(), own())
    """,
    "function_loops_over_ragged": """
        @tf.function
        def f(rows):
            total, count = tf.constant(0), tf.constant(0)
            for row in rows:
                if tf.equal(tf.size(row), 0):
                    continue
                total = total * 10 + tf.reduce_sum(row)
                for x in row:
                    count += x
                if total > 40:
                    break
            return total, count, len(rows)
        show(f(tf.ragged.constant([[1, 2], [], [3], [4, 5], [6]])))
        @tf.function
        def numbers(a, b):
            return int(a), float(b), int(tf.constant(3.7))
        show(numbers(tf.constant("12"), tf.constant("1.5")))
    """,
    "checkpoint_of_later_objects": """
        path = tf.train.Checkpoint(v=tf.Variable(7.), w=tf.Variable(8.)).save(folder + "/ck")
        other = tf.train.Checkpoint(); status = other.restore(path)
        other.v = tf.Variable(0.); show(other.v); status.assert_existing_objects_matched()
        other.w = tf.Variable(0.); show(other.w); status.assert_consumed()
        fails(tf.train.CheckpointManager, other, folder, max_to_keep=0)
    """,
    "function_nested": """
        @tf.function
        def inner(x):
            return x * 2.
        @tf.function
        def outer(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x) ** 2.
            return y, tape.gradient(y, x)
        show(outer(tf.constant(3.)))
        class Model:
            def __init__(self):
                self.w = None
            @tf.function
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable([2., 3.], name="w")
                return self.w * x
        model = Model()
        show(model(tf.constant(2.)), model(tf.constant([1., 2.])), model.w)
    """,
    "saver": """
        v, w = tf.Variable(3., name="v"), tf.Variable([1, 2], name="w"); s = tf.train.Saver([v, w]); path = s.save(None, folder + "/ck", global_step=7)
        v.assign(0.); w.assign([0, 0]); s.restore(None, path); show(v, w, tf.train.list_variables(path), path[-5:])
        fails(lambda: tf.train.Saver())
    """,
    "control_flow": """
        show(tf.cond(tf.constant(True), lambda: 1., lambda: 2.), tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)]))
        show(tf.map_fn(lambda x: x * x, tf.constant([1., 2.])), tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(2)))
    """,
}

CASES = programs("eager", {name: " " * 8 + "# eager" + text for name, text in _PROGRAMS.items()})
