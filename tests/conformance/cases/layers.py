"""Layers: values, names, scopes, reuse, collections."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[1., -2., 3., .5], [0., 1., -1., 2.]], name="x"); x3 = tf.reshape(tf.range(24.) / 10., [2, 3, 4])
    ones = tf.ones_initializer(); ramp = tf.constant_initializer(np.arange(12.).reshape(4, 3) / 5.)
"""

ROWS = """
dense | tf.layers.dense(x, 3, kernel_initializer=ramp) | x
dense_relu | tf.layers.dense(x, 3, tf.nn.relu, kernel_initializer=ramp) | x
dense_bias | tf.layers.dense(x, 3, kernel_initializer=ramp, bias_initializer=ones, name="out") | x
dense_no_bias | tf.layers.dense(x, 3, use_bias=False, kernel_initializer=ramp) | x
dense_rank_3 | tf.layers.dense(x3, 3, tf.tanh, kernel_initializer=ramp) | x3
dense_of_array | tf.layers.dense(np.ones([2, 4], np.float32), 3, kernel_initializer=ramp)
dense_float64 | tf.layers.dense(tf.cast(x, tf.float64), 3, kernel_initializer=ramp) | x
dense_keywords | tf.layers.dense(inputs=x, units=1, activation=None, kernel_initializer=ones, trainable=False) | x
dropout_off | tf.layers.dropout(x) | x
dropout_rate_zero | tf.layers.dropout(x, 0., training=True) | x
flatten | tf.layers.flatten(x3) | x3
flatten_vector | tf.layers.flatten(tf.range(3.))
flatten_first | tf.layers.flatten(x3, data_format="channels_first") | x3
flatten_unknown | tf.layers.flatten(tf.placeholder_with_default(np.ones([2, 3, 2], np.float32), [None, None, 2]))
flatten_batch | tf.layers.flatten(tf.placeholder_with_default(np.ones([2, 3, 2], np.float32), [None, 3, 2]))
"""

CASES = [
    *table("layers", PRELUDE, ROWS),
    *programs(
        "layers",
        {
            "names": """
            x = tf.placeholder(tf.float32, [None, 4], name="x")
            show(tf.layers.dense(x, 3), tf.layers.dense(x, 3), tf.layers.dense(x, 3, name="hidden"))
            with tf.variable_scope("s"):
                show(tf.layers.dense(x, 3), tf.layers.dense(x, 3, tf.nn.relu, name="n"), tf.layers.dense(x, 3, name="n", reuse=True))
            with tf.variable_scope("s", reuse=True):
                show(tf.layers.dense(x, 3), tf.layers.dense(x, 3, name="n"))
            with tf.name_scope("ns"):
                show(tf.layers.dense(x, 3), tf.layers.dropout(x), tf.layers.flatten(x))
            show(tf.global_variables(), tf.trainable_variables())
        """,
            "auto_reuse": """
            x = tf.placeholder(tf.float32, [None, 4], name="x")
            half = lambda w: tf.nn.l2_loss(w)
            with tf.variable_scope("r", reuse=tf.AUTO_REUSE):
                a = tf.layers.dense(x, 3, kernel_regularizer=half, name="n")
                b = tf.layers.dense(x, 3, kernel_regularizer=half, name="n")
                show(a, b, tf.layers.dense(x, 2), tf.layers.dense(x, 2))
            show(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), tf.global_variables())
        """,
            "object": """
            x = tf.placeholder(tf.float32, [None, 4], name="x")
            d = tf.layers.Dense(3)
            show(d.name, d.built, d.variables, d.units, d.use_bias, d.trainable)
            fails(lambda: d.scope_name)
            show(d(x), d(x), d.apply(x))
            show(d.name, d.scope_name, d.weights, d.trainable_weights, d.non_trainable_variables, d.losses, d.updates, d.dtype)
            show(str(d.input_spec), d.kernel, d.bias, d.built, d.count_params(), d.compute_output_shape([None, 4]))
            e = tf.layers.Dense(2, name="named")
            show(e(x), e.name, e.scope_name)
        """,
            "object_reuses_its_variables": """
            d = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer())
            y = d(tf.ones([1, 3])); z = d(2. * tf.ones([2, 3]))
            show(run([y, z]), len(tf.global_variables()))
        """,
            "regularizers": """
            x = tf.ones([2, 4], name="x")
            total = lambda w: tf.reduce_sum(w)
            y = tf.layers.dense(x, 3, kernel_initializer=tf.ones_initializer(), kernel_regularizer=total, bias_regularizer=total, activity_regularizer=total)
            losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
            show(losses, run(losses), run(tf.losses.get_regularization_loss()))
        """,
            "scope_defaults": """
            x = tf.ones([2, 4], name="x")
            with tf.variable_scope("a", initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w)):
                y = tf.layers.dense(x, 3)
            show(y, run(y), run(tf.add_n([tf.identity(l) for l in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])))
        """,
            "custom_getter": """
            x = tf.ones([2, 4], name="x")
            def getter(getter, name, *args, **kwargs):
                show(name)
                return getter(name, *args, **kwargs)
            with tf.variable_scope("a", custom_getter=getter):
                show(tf.layers.dense(x, 3))
        """,
            "own_layer": """
            x = tf.ones([2, 4], name="x")
            class Mine(tf.layers.Layer):
                def build(self, shape):
                    show(shape)
                    self.w = self.add_variable("w", [int(shape[-1]), 2], initializer=tf.ones_initializer())
                    self.built = True
                def call(self, inputs):
                    return tf.matmul(inputs, self.w)
            m = Mine()
            show(m(x), m.name, m.variables, Mine(name="q")(x), Mine()(x), run(m(x)))
            class Both(tf.layers.Layer):
                def __init__(self):
                    super().__init__()
                    self.first, self.second = tf.layers.Dense(3), [tf.layers.Dense(1)]
                def call(self, inputs):
                    return self.second[0](self.first(inputs))
            b = Both()
            show(b(x), b.trainable_variables)
        """,
            "constraint": """
            x = tf.ones([1, 2])
            clip = lambda w: tf.clip_by_value(w, 0., 1.)
            d = tf.layers.Dense(1, kernel_constraint=clip, kernel_initializer=tf.ones_initializer(), use_bias=False)
            step = tf.train.GradientDescentOptimizer(1.).minimize(-d(x))
            run(step)
            show(run(d.kernel))
        """,
            "dropout_keeps_the_sum": """
            x = tf.ones([100, 100])
            y = tf.layers.dropout(x, rate=.25, training=True)
            values = run(y)
            show(y.shape, sorted(set(np.unique(values).round(4).tolist())), bool(abs(values.mean() - 1.) < .05))
        """,
            "exists_already": """
            x = tf.ones([2, 4])
            tf.layers.dense(x, 3, name="n")
            fails(tf.layers.dense, x, 3, name="n")
            fails(tf.layers.dense, x, 5, name="n", reuse=True)
            fails(tf.layers.dense, x, 5, name="m", reuse=True)
        """,
        },
    ),
]
