"""Layers: values, names, scopes, reuse, collections."""

from ..case import programs, table

PRELUDE = """
    x = tf.constant([[1., -2., 3., .5], [0., 1., -1., 2.]], name="x"); x3 = tf.reshape(tf.range(24.) / 10., [2, 3, 4])
    im = tf.reshape(tf.sin(tf.range(64.)), [2, 4, 4, 2], name="im")
    k2 = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.cast(tf.cos(tf.range(float(np.prod(shape)))), dtype or tf.float32), shape)
    ones = tf.ones_initializer(); ramp = tf.constant_initializer(np.arange(12.).reshape(4, 3) / 5.)
"""

ROWS = """
dense | tf.layers.dense(x, 3, kernel_initializer=ramp) | x
dense_relu | tf.layers.dense(x, 3, tf.nn.relu, kernel_initializer=ramp) | x
dense_bias | tf.layers.dense(x, 3, kernel_initializer=ramp, bias_initializer=ones, name="out") | x
dense_no_bias | tf.layers.dense(x, 3, use_bias=False, kernel_initializer=ramp) | x
dense_rank_3 | tf.layers.dense(x3, 3, tf.tanh, kernel_initializer=ramp) | x3
dense_of_array | tf.layers.dense(np.ones([2, 4], np.float32), 3, kernel_initializer=ramp)
dense_named | tf.layers.dense(x, 3, "tanh", kernel_initializer="ones", bias_initializer="ones") | x
dense_float64 | tf.layers.dense(tf.cast(x, tf.float64), 3, kernel_initializer=ramp) | x
dense_keywords | tf.layers.dense(inputs=x, units=1, activation=None, kernel_initializer=ones, trainable=False) | x
dropout_off | tf.layers.dropout(x) | x
dropout_by_placeholder | tf.layers.dropout(x, training=tf.placeholder_with_default(False, [])) + 0. | x
conv2d | tf.layers.conv2d(im, 3, 2, kernel_initializer=k2) | im
conv2d_same | tf.layers.conv2d(im, 3, [2, 3], padding="same", activation=tf.nn.relu, kernel_initializer=k2) | im
conv2d_upper | tf.layers.conv2d(inputs=im, filters=2, kernel_size=(2, 2), padding="SAME", strides=2, kernel_initializer=k2, name="c") | im
conv2d_positional | tf.layers.conv2d(im, 3, 2, (2, 1), "same", "channels_last", (1, 1), None, False, k2) | im
conv2d_dilated | tf.layers.conv2d(im, 2, 2, dilation_rate=2, kernel_initializer=k2) | im
conv1d | tf.layers.conv1d(x3, 2, 2, kernel_initializer=k2) | x3
conv1d_same | tf.layers.conv1d(x3, 2, 2, 2, "same", kernel_initializer=k2, activation=tf.nn.relu) | x3
conv2d_transpose | tf.layers.conv2d_transpose(im, 2, 3, strides=2, padding="same", kernel_initializer=k2) | im
conv2d_transpose_valid | tf.layers.conv2d_transpose(im, 1, 2, (2, 3), kernel_initializer=k2, use_bias=False) | im
conv2d_transpose_batch | tf.layers.conv2d_transpose(tf.placeholder_with_default(im, [None, 4, 4, 2]), 1, 3, 2, kernel_initializer=k2)
separable_conv2d | tf.layers.separable_conv2d(im, 3, 2, depthwise_initializer=k2, pointwise_initializer=k2, depth_multiplier=2) | im
separable_conv2d_stride | tf.layers.separable_conv2d(im, 3, 2, strides=2, padding="same", depthwise_initializer=k2, pointwise_initializer=k2) | im
max_pooling2d | tf.layers.max_pooling2d(im, 2, 2) | im
max_pooling2d_keywords | tf.layers.max_pooling2d(inputs=im, pool_size=[2, 2], strides=1, padding="same") | im
max_pooling2d_name | tf.layers.max_pooling2d(im, (3, 2), (1, 2), name="p") | im
average_pooling2d | tf.layers.average_pooling2d(im, 2, 2) | im
average_pooling2d_same | tf.layers.average_pooling2d(im, 3, 2, "same") | im
max_pooling1d | tf.layers.max_pooling1d(x3, 2, 1) | x3
average_pooling1d | tf.layers.average_pooling1d(x3, 2, 2, "same") | x3
batch_normalization | tf.layers.batch_normalization(x) | x
batch_normalization_training | tf.layers.batch_normalization(x, training=True) | x
batch_normalization_image | tf.layers.batch_normalization(im) | im
batch_normalization_image_training | tf.layers.batch_normalization(im, training=True, epsilon=.01) | im
batch_normalization_not_fused | tf.layers.batch_normalization(im, training=True, fused=False) | im
batch_normalization_plain | tf.layers.batch_normalization(x, center=False, scale=False, training=True) | x
batch_normalization_axis | tf.layers.batch_normalization(x3, axis=1, training=True) | x3
batch_normalization_rank_3 | tf.layers.batch_normalization(x3, training=True, name="bn") | x3
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
            show(b(x), run(tf.shape(b(x))))
        """,
            "batch_normalization_variables": """
            x = tf.constant(np.arange(12., dtype=np.float32).reshape(4, 3) ** 1.5, name="x")
            y = tf.layers.batch_normalization(x, training=True, momentum=.9)
            show(tf.global_variables(), tf.trainable_variables(), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
            run(y)
            for _ in range(3):
                run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
            show(run(tf.global_variables()))
        """,
            "batch_normalization_fused_variables": """
            x = tf.constant(np.arange(48., dtype=np.float32).reshape(2, 4, 2, 3) ** 1.5, name="x")
            y = tf.layers.batch_normalization(x, training=True)
            show(tf.global_variables(), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
            run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
            show(run(tf.global_variables()))
        """,
            "batch_normalization_by_placeholder": """
            x = tf.constant(np.arange(12., dtype=np.float32).reshape(4, 3) ** 1.5, name="x")
            training = tf.placeholder(tf.bool, [], name="training")
            y = tf.layers.batch_normalization(x, training=training)
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            show(run(y, {training: True}), run(y, {training: False}))
            run(updates, {training: False})
            show(run(tf.global_variables()))
            run(updates, {training: True})
            show(run(tf.global_variables()), run(y, {training: False}))
        """,
            "batch_normalization_fused_by_placeholder": """
            x = tf.constant(np.arange(48., dtype=np.float32).reshape(2, 4, 2, 3) ** 1.5, name="x")
            training = tf.placeholder_with_default(False, [], name="training")
            y = tf.layers.batch_normalization(x, training=training)
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            show(run(y, {training: True}), run(y))
            run(updates)
            show(run(tf.global_variables()))
            run(updates, {training: True})
            show(run(tf.global_variables()), run(y))
        """,
            "batch_normalization_reuse": """
            x = tf.ones([4, 3])
            a = tf.layers.batch_normalization(x, training=True, name="bn", reuse=tf.AUTO_REUSE)
            b = tf.layers.batch_normalization(x, training=False, name="bn", reuse=True)
            show(tf.global_variables(), a.shape, b.shape)
        """,
            "batch_normalization_trains": """
            x = tf.constant([[1., 2.], [3., 5.], [4., 4.]])
            y = tf.layers.batch_normalization(x, training=True, gamma_initializer=tf.constant_initializer(.5), beta_initializer=tf.constant_initializer(.25), momentum=.5)
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(y * [[1., 2.], [0., 1.], [3., 0.]]))
            run(step); run(step)
            show(run(tf.global_variables()))
        """,
            "network_of_images": """
            x = tf.placeholder(tf.float32, [None, 28, 28, 1], name="x")
            h = tf.layers.conv2d(x, 32, 5, activation=tf.nn.relu)
            h = tf.layers.max_pooling2d(h, 2, 2)
            h = tf.layers.conv2d(h, 64, 3, padding="same", activation=tf.nn.relu)
            h = tf.layers.max_pooling2d(h, 2, 2)
            h = tf.layers.flatten(h)
            h = tf.layers.dense(h, 100)
            h = tf.layers.dropout(h, rate=.25, training=True)
            show(h.shape, tf.layers.dense(h, 10), tf.trainable_variables())
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
