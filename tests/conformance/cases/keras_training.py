"""Training with Keras: losses, metrics, optimizers, `fit` and its callbacks."""

from ..case import programs, table

LOSSES = """
    K = tf.keras.backend; L = tf.keras.losses
    a = tf.constant([[.1, .7, .2], [.3, .3, .4]]); b = tf.constant([[0., 1., 0.], [0., 0., 1.]]); c = tf.constant([1, 2])
    x = tf.constant([[.5, -1., 2.], [1.5, .2, -.3]]); y = tf.constant([[1., -1.5, 1.], [0., .5, -2.]]); pm = tf.constant([[1., -1., 1.], [-1., 1., 1.]])
    w = tf.constant([1., 3.]); p = tf.constant([[.9, .2, .6], [.4, .5, .1]]); z = tf.constant([[1., 0., 1.], [0., 1., 1.]])
"""

LOSS_ROWS = """
mse | L.mean_squared_error(y, x) | x
mae | L.mean_absolute_error(y, x) | x
mape | L.mean_absolute_percentage_error(y, x) | x
msle | L.mean_squared_logarithmic_error(p, a) | a
hinge | L.hinge(pm, x) | x
hinge_binary | L.hinge(z, x) | x
squared_hinge | L.squared_hinge(pm, x) | x
categorical_hinge | L.categorical_hinge(b, x) | x
kld | L.kullback_leibler_divergence(a, p) | p
poisson | L.poisson(z, p) | p
logcosh | L.logcosh(y, x) | x
cosine | L.cosine_similarity(y, x)
cosine_axis | L.cosine_similarity(y, x, axis=0)
binary | L.binary_crossentropy(z, p) | p
binary_logits | L.binary_crossentropy(z, x, from_logits=True) | x
binary_smooth | L.binary_crossentropy(z, p, label_smoothing=.2) | p
binary_of_sigmoid | L.binary_crossentropy(z, tf.sigmoid(x)) | x
categorical | L.categorical_crossentropy(b, a) | a
categorical_logits | L.categorical_crossentropy(b, x, from_logits=True) | x
categorical_smooth | L.categorical_crossentropy(b, a, label_smoothing=.1) | a
categorical_of_softmax | L.categorical_crossentropy(b, tf.nn.softmax(x)) | x
sparse | L.sparse_categorical_crossentropy(c, a) | a
sparse_logits | L.sparse_categorical_crossentropy(c, x, from_logits=True) | x
sparse_column | L.sparse_categorical_crossentropy(c[:, None], a)
sparse_of_softmax | L.sparse_categorical_crossentropy(c, tf.nn.softmax(x)) | x
sparse_rank_3 | L.sparse_categorical_crossentropy(tf.constant([[1, 2]]), tf.nn.softmax(x[None]))
of_arrays | L.mean_squared_error(np.array([[1., 2.]]), np.array([[3., 5.]]))
of_ints | L.mean_absolute_error(tf.constant([[1, 2]]), tf.constant([[2., 4.]]))
class_mse | L.MeanSquaredError()(y, x) | x
class_mse_weighted | L.MeanSquaredError()(y, x, sample_weight=w) | x
class_mse_column_weights | L.MeanSquaredError()(y, x, sample_weight=w[:, None])
class_mse_scalar_weight | L.MeanSquaredError()(y, x, sample_weight=.5)
class_mse_sum | L.MeanSquaredError(reduction="sum")(y, x)
class_mse_none | L.MeanSquaredError(reduction="none")(y, x, sample_weight=w)
class_mae | L.MeanAbsoluteError()(y, x)
class_mape | L.MeanAbsolutePercentageError()(y, x)
class_msle | L.MeanSquaredLogarithmicError()(p, a)
class_binary | L.BinaryCrossentropy()(z, p)
class_binary_logits | L.BinaryCrossentropy(from_logits=True, label_smoothing=.1)(z, x) | x
class_categorical | L.CategoricalCrossentropy()(b, a)
class_categorical_weighted | L.CategoricalCrossentropy(label_smoothing=.1)(b, a, sample_weight=w)
class_sparse | L.SparseCategoricalCrossentropy()(c, a)
class_sparse_logits | L.SparseCategoricalCrossentropy(from_logits=True)(c, x, sample_weight=w) | x
class_hinge | L.Hinge()(z, x)
class_squared_hinge | L.SquaredHinge()(pm, x)
class_categorical_hinge | L.CategoricalHinge()(b, x)
class_poisson | L.Poisson()(z, p)
class_logcosh | L.LogCosh()(y, x)
class_kld | L.KLDivergence()(a, p)
class_cosine | L.CosineSimilarity()(y, x)
class_huber | L.Huber()(y, x) | x
class_huber_delta | L.Huber(delta=.3)(y, x, sample_weight=w) | x
squeezed | L.MeanSquaredError()(tf.constant([1., 2., 3.]), tf.constant([[1.], [1.], [1.]]))
squeezed_labels | L.BinaryCrossentropy()(tf.constant([[1.], [0.]]), tf.constant([.5, .3]))
by_name | L.get("mse")(y, x)
"""

METRICS = """
    K = tf.keras.backend; M = tf.keras.metrics
    a = tf.constant([[.1, .7, .2], [.3, .3, .4]]); b = tf.constant([[0., 1., 0.], [1., 0., 0.]]); c = tf.constant([1, 0])
    x = tf.constant([[.5, -1., 2.], [1.5, .2, -.3]]); y = tf.constant([[1., -1.5, 1.], [0., .5, -2.]])
    p = tf.constant([.9, .2, .6, .4, .5, .1]); z = tf.constant([1., 0., 1., 0., 1., 1.]); w = tf.constant([1., 3.])
    def twice(m, *args, **kwargs):
        first = m(*args, **kwargs); other = m.update_state(*args, **kwargs)
        with tf.control_dependencies([other]):
            last = m.result()
        s = K.get_session(); show(first, m.name, [v.name for v in m.variables])
        show(s.run(first)); show(s.run(last)); show(K.get_value(m.result())); m.reset_states(); show([K.get_value(v) for v in m.variables])
"""

METRIC_ROWS = """
mean | M.Mean(), x
mean_weighted | M.Mean(name="m"), x, sample_weight=w
mean_column | M.Mean(), x[:, :1], sample_weight=w
sum | M.Sum(), x
sum_weighted | M.Sum(), x[:, 0], sample_weight=w
accuracy | M.Accuracy(), tf.constant([1, 2, 3]), tf.constant([1, 0, 3])
accuracy_weighted | M.Accuracy(), [[1.], [2.]], [[1.], [0.]], sample_weight=w
binary_accuracy | M.BinaryAccuracy(), z, p
binary_accuracy_threshold | M.BinaryAccuracy(threshold=.3), z[:, None], p[:, None]
categorical_accuracy | M.CategoricalAccuracy(), b, a, sample_weight=w
sparse_categorical_accuracy | M.SparseCategoricalAccuracy(), c, a
sparse_categorical_accuracy_column | M.SparseCategoricalAccuracy(), c[:, None], a, sample_weight=w
top_k | M.TopKCategoricalAccuracy(k=2), b, a
sparse_top_k | M.SparseTopKCategoricalAccuracy(k=1), c, a
mse | M.MeanSquaredError(), y, x, sample_weight=w
mae | M.MeanAbsoluteError(), y, x
mape | M.MeanAbsolutePercentageError(), y, x
msle | M.MeanSquaredLogarithmicError(), tf.abs(y), tf.abs(x)
rmse | M.RootMeanSquaredError(), y, x, sample_weight=w
cosine | M.CosineSimilarity(axis=1), y, x
hinge | M.Hinge(), tf.sign(y), x
squared_hinge | M.SquaredHinge(), tf.sign(y), x
categorical_hinge | M.CategoricalHinge(), b, x
logcosh | M.LogCoshError(), y, x
poisson | M.Poisson(), tf.abs(y), tf.abs(x)
kld | M.KLDivergence(), a, tf.nn.softmax(x)
binary_crossentropy | M.BinaryCrossentropy(), z, p
binary_crossentropy_logits | M.BinaryCrossentropy(from_logits=True, label_smoothing=.1), z, p
categorical_crossentropy | M.CategoricalCrossentropy(), b, a
sparse_crossentropy | M.SparseCategoricalCrossentropy(), c, a, sample_weight=w
true_positives | M.TruePositives(), z, p
false_positives | M.FalsePositives(thresholds=.3), z, p
true_negatives | M.TrueNegatives(thresholds=[.3, .7]), z, p
false_negatives | M.FalseNegatives(), z, p, sample_weight=[1., 2., 3., 4., 5., 6.]
precision | M.Precision(), z, p
precision_thresholds | M.Precision(thresholds=[0., .5, .8]), z, p
recall | M.Recall(), z, p, sample_weight=[1., 2., 3., 4., 5., 6.]
auc | M.AUC(), z, p
auc_pr | M.AUC(num_thresholds=20, curve="PR"), z, p
"""

OPTIMIZERS = """
    K = tf.keras.backend; O = tf.keras.optimizers
    w = tf.Variable([[1., -2.], [.5, 3.]], name="w", use_resource=True); v = tf.Variable([.3, -.1], name="v", use_resource=True); xs = np.array([[1., 2.], [-1., .5], [.3, .3]], np.float32)
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(xs), w) + v - 1.)) + tf.reduce_sum(tf.abs(v))
    def trajectory(o, steps=20):
        step = o.get_updates(loss, [w, v]); s = K.get_session(); s.run(tf.global_variables_initializer()); s.run([e.initializer for e in o.variables()])
        for i in range(steps):
            s.run(step)
            if i in (0, 1, 4, 19): show(s.run([w, v]))
        show([e.name for e in o.weights], o.get_weights(), sorted((k, e if isinstance(e, (str, bool)) else float(e)) for k, e in o.get_config().items() if k != "beta" and (k != "learning_rate" or not isinstance(e, dict))))
"""

OPTIMIZER_ROWS = """
sgd | O.SGD(.1)
sgd_default | O.SGD()
sgd_momentum | O.SGD(learning_rate=.05, momentum=.9)
sgd_nesterov | O.SGD(lr=.05, momentum=.9, nesterov=True)
sgd_decay | O.SGD(.1, decay=.1)
sgd_clipnorm | O.SGD(.1, clipnorm=.5)
sgd_clipvalue | O.SGD(.1, clipvalue=.2)
adam | O.Adam(.1)
adam_default | O.Adam()
adam_settings | O.Adam(.1, beta_1=.8, beta_2=.9, epsilon=.01, decay=.05)
adam_amsgrad | O.Adam(.2, amsgrad=True)
rmsprop | O.RMSprop(.05)
rmsprop_momentum | O.RMSprop(.05, momentum=.5)
rmsprop_centered | O.RMSprop(.05, rho=.8, centered=True)
rmsprop_all | O.RMSprop(.05, momentum=.3, centered=True, epsilon=.01)
adagrad | O.Adagrad(.3)
adagrad_start | O.Adagrad(learning_rate=.3, initial_accumulator_value=.5)
adadelta | O.Adadelta(1.)
"""


TRAINING = """
    K = tf.keras.backend; L = tf.keras.layers; O = tf.keras.optimizers; C = tf.keras.callbacks; Sequential = tf.keras.Sequential; Model = tf.keras.Model
    rng = np.random.RandomState(5); x = rng.rand(20, 4).astype("f"); y = rng.rand(20, 1).astype("f"); b = (y > .5).astype("f"); c = rng.randint(0, 3, 20); h = np.eye(3, dtype="f")[c]; w = np.linspace(0., 2., 20)
    start = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.cos(tf.range(float(np.prod(shape)))), shape)
    def dense(n, *args, **kwargs): return L.Dense(n, *args, kernel_initializer=start, **kwargs)
    def net(n=1, last=None, hidden="tanh"): return Sequential([dense(3, hidden, input_shape=(4,)), dense(n, last)])
    def two():
        i = tf.keras.Input((4,), name="i"); j = tf.keras.Input((4,), name="j"); a = dense(3, "relu", name="a"); return Model([i, j], [dense(1, name="p")(a(i)), dense(3, "softmax", name="q")(a(j))])
    def plain(v): return [plain(e) for e in v] if isinstance(v, (list, tuple)) else {k: plain(e) for k, e in v.items()} if isinstance(v, dict) else float(v)
    def fit(m, *args, **kwargs):
        h = m.fit(*args, **{**dict(verbose=0, shuffle=False, batch_size=8, epochs=2), **kwargs}); show(plain(h.history), h.epoch, m.metrics_names); return m
    def end(m, *args): show(m.get_weights(), plain(m.evaluate(*args, verbose=0)), m.predict(args[0]))
"""

PROGRAMS = {
    "regression": "m = net(); m.compile(O.SGD(.1), 'mse', metrics=['mae']); fit(m, x, y); end(m, x, y)",
    "binary": "m = net(1, 'sigmoid'); m.compile('adam', 'binary_crossentropy', metrics=['accuracy']); fit(m, x, b); end(m, x, b)",
    "categorical": "m = net(3, 'softmax'); m.compile('rmsprop', 'categorical_crossentropy', metrics=['acc', 'mse']); fit(m, x, h); end(m, x, h)",
    "sparse": "m = net(3, 'softmax'); m.compile(O.Adam(.05), 'sparse_categorical_crossentropy', metrics=['accuracy', 'crossentropy']); fit(m, x, c); end(m, x, c)",
    "crossentropy_metric": "m = net(1, 'sigmoid'); m.compile('sgd', 'mse', metrics=['ce', 'binary_accuracy']); fit(m, x, b)",
    "no_metrics": "m = net(); m.compile('sgd', 'mae'); fit(m, x, y); show(float(m.evaluate(x, y, verbose=0)))",
    "function_loss": "m = net(); m.compile('sgd', lambda t, p: tf.reduce_mean(tf.abs(t - p), -1)); fit(m, x, y)",
    "scalar_loss": "m = net(); m.compile('sgd', lambda t, p: tf.reduce_mean(tf.square(t - p))); fit(m, x, y)",
    "loss_object": "m = net(); m.compile('sgd', tf.keras.losses.Huber(.2), metrics=[tf.keras.metrics.MeanAbsoluteError(name='off')]); fit(m, x, y)",
    "loss_with_logits": "m = net(3); m.compile('adam', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['sparse_categorical_accuracy']); fit(m, x, c)",
    "function_metric": "def top(t, p): return tf.reduce_max(p)\nm = net(); m.compile('sgd', 'mse', metrics=[top, 'mse']); fit(m, x, y)",
    "metric_twice": "m = net(); m.compile('sgd', 'mse', metrics=['mae', 'mae']); fit(m, x, y)",
    "auc_and_precision": "m = net(1, 'sigmoid'); m.compile('sgd', 'mse', metrics=[tf.keras.metrics.AUC(num_thresholds=10, name='area'), tf.keras.metrics.Precision(name='hits')]); fit(m, x, b)",
    "own_metric": """class Count(tf.keras.metrics.Metric):
    def __init__(self, name="count", **kwargs):
        super().__init__(name=name, **kwargs); self.n = self.add_weight("n", initializer="zeros")
    def update_state(self, y_true, y_pred, sample_weight=None): self.n.assign_add(tf.cast(tf.shape(y_true)[0], tf.float32))
    def result(self): return self.n
m = net(); m.compile('sgd', 'mse', metrics=[Count()]); fit(m, x, y)""",
    "validation_data": "m = net(); m.compile('sgd', 'mse', metrics=['mae']); fit(m, x, y, validation_data=(x[:6], y[:6]))",
    "validation_weights": "m = net(); m.compile('sgd', 'mse', weighted_metrics=['mae']); fit(m, x, y, sample_weight=w, validation_data=(x[:6], y[:6], w[:6]))",
    "validation_split": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, validation_split=.3)",
    "sample_weight": "m = net(); m.compile('sgd', 'mse', metrics=['mae'], weighted_metrics=['mae']); fit(m, x, y, sample_weight=w); show(plain(m.evaluate(x, y, sample_weight=w, verbose=0)))",
    "class_weight": "m = net(3, 'softmax'); m.compile('sgd', 'sparse_categorical_crossentropy', metrics=['acc']); fit(m, x, c, class_weight={0: 1., 1: 2., 2: .5})",
    "class_weight_rows": "m = net(3, 'softmax'); m.compile('sgd', 'categorical_crossentropy'); fit(m, x, h, class_weight={0: 1., 1: 2., 2: .5}, sample_weight=w)",
    "weights_then_none": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, sample_weight=w); fit(m, x, y); fit(m, x, y, sample_weight=w)",
    "initial_epoch": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, initial_epoch=3, epochs=5)",
    "odd_batches": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, batch_size=7); show(m.predict(x, batch_size=3))",
    "shuffled": "np.random.seed(3); m = net(); m.compile('sgd', 'mse'); fit(m, x, y, shuffle=True); fit(m, x, y, shuffle='batch')",
    "two_outputs": "m = two(); m.compile('sgd', ['mse', 'categorical_crossentropy'], metrics=['mae']); fit(m, [x, x], [y, h]); show(plain(m.evaluate([x, x], [y, h], verbose=0)), m.predict([x, x]))",
    "outputs_by_name": "m = two(); m.compile('sgd', {'p': 'mse', 'q': 'categorical_crossentropy'}, {'p': 'mae', 'q': ['acc']}, loss_weights={'p': 2., 'q': .5}); fit(m, {'i': x, 'j': x}, {'p': y, 'q': h}, validation_data=([x, x], [y, h]), batch_size=20)",
    "output_weights": "m = two(); m.compile('sgd', ['mse', 'categorical_crossentropy'], loss_weights=[1., .1], weighted_metrics=[['mae'], ['acc']]); fit(m, [x, x], [y, h], sample_weight=[w, w[::-1]])",
    "one_trained_output": "i = tf.keras.Input((4,)); a = dense(3)(i); m = Model(i, [dense(1, name='p')(a), L.Flatten(name='q')(a)]); m.compile('sgd', {'p': 'mse'}, metrics={'p': ['mae']}); fit(m, x, y); show(len(m.predict(x)))",
    "metric_lists": "m = two(); m.compile('sgd', 'mse', metrics=[['mae', 'mse'], []]); fit(m, [x, x], [y, h])",
    "regularized": "m = Sequential([dense(2, kernel_regularizer=tf.keras.regularizers.l2(.1), input_shape=(4,)), dense(1)]); m.compile('sgd', 'mse'); fit(m, x, y); show(len(m.losses)); end(m, x, y)",
    "add_loss": "i = tf.keras.Input((4,)); o = dense(1)(i); m = Model(i, o); m.add_loss(tf.reduce_mean(tf.square(o))); m.compile('sgd'); fit(m, x)",
    "add_loss_beside": "i = tf.keras.Input((4,)); o = dense(1)(i); m = Model(i, o); m.add_loss(tf.reduce_mean(tf.abs(o)) * .5); m.compile('sgd', 'mse'); fit(m, x, y)",
    "add_metric": "i = tf.keras.Input((4,)); o = dense(1)(i); m = Model(i, o); m.add_metric(tf.reduce_mean(o), name='level', aggregation='mean'); m.compile('sgd', 'mse', metrics=['mae']); fit(m, x, y)",
    "frozen_layer": "m = net(); m.layers[0].trainable = False; m.compile('sgd', 'mse'); before = m.layers[0].get_weights()[0]; fit(m, x, y); show(float(np.abs(before - m.layers[0].get_weights()[0]).max()))",
    "frozen_after_compile": "m = net(); m.compile('sgd', 'mse'); m.trainable = False; fit(m, x, y)",
    "dropout_off_in_predict": "m = Sequential([L.Dropout(.5, input_shape=(4,)), dense(1)]); m.compile('sgd', 'mse'); show(m.predict(x), float(m.evaluate(x, y, verbose=0)))",
    "train_op_of_tf": "m = net(); m.compile(tf.train.GradientDescentOptimizer(.1), 'mse'); fit(m, x, y); show(type(m.optimizer).__name__)",
    "subclassed": """class Net(Model):
    def __init__(self):
        super().__init__(); self.a = dense(3, "relu"); self.b = dense(1)
    def call(self, inputs, training=None): return self.b(self.a(inputs))
m = Net(); m.compile("sgd", "mse", metrics=["mae"]); fit(m, x, y); show(plain(m.evaluate(x, y, verbose=0)), m.predict(x), m.output_names)""",
    "deferred_sequential": "m = Sequential([dense(3, 'relu'), dense(1)]); m.compile('sgd', 'mse'); fit(m, x, y); show(m.predict(x))",
    "on_batch": "m = net(); m.compile('sgd', 'mse', metrics=['mae']); show(plain(m.train_on_batch(x, y)), plain(m.train_on_batch(x[:5], y[:5], sample_weight=w[:5])), plain(m.test_on_batch(x, y)), m.predict_on_batch(x[:2]))",
    "on_batch_not_reset": "m = net(); m.compile('sgd', 'mse', metrics=['mae']); show(plain(m.test_on_batch(x[:5], y[:5], reset_metrics=False)), plain(m.test_on_batch(x[5:], y[5:], reset_metrics=False)))",
    "class_weight_on_batch": "m = net(1, 'sigmoid'); m.compile('sgd', 'binary_crossentropy'); show(float(m.train_on_batch(x, b, class_weight={0: 1., 1: 3.})), float(m.train_on_batch(x, b)))",
    "dataset": "m = net(); m.compile('sgd', 'mse', metrics=['mae']); d = tf.data.Dataset.from_tensor_slices((x, y)).batch(8); fit(m, d, batch_size=None); show(plain(m.evaluate(d, verbose=0)), m.predict(d))",
    "dataset_steps": "m = net(); m.compile('sgd', 'mse'); d = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat(); fit(m, d, batch_size=None, steps_per_epoch=3, validation_data=d, validation_steps=2); show(plain(m.evaluate(d, steps=2, verbose=0)), m.predict(d, steps=2))",
    "dataset_weights": "m = net(); m.compile('sgd', 'mse'); d = tf.data.Dataset.from_tensor_slices((x, y, w.astype('f'))).batch(8); fit(m, d, batch_size=None)",
    "dataset_of_dicts": "m = two(); m.compile('sgd', 'mse'); d = tf.data.Dataset.from_tensor_slices(({'i': x, 'j': x}, {'p': y, 'q': h})).batch(8); fit(m, d, batch_size=None)",
    "dataset_ends": "m = net(); m.compile('sgd', 'mse'); d = tf.data.Dataset.from_tensor_slices((x, y)).batch(8); fit(m, d, batch_size=None, steps_per_epoch=2, epochs=3)",
    "generator": """m = net(); m.compile("sgd", "mse", metrics=["mae"])
def batches():
    while True:
        for i in range(0, 20, 6): yield x[i:i + 6], y[i:i + 6]
fit(m, batches(), batch_size=None, steps_per_epoch=4, epochs=1, validation_data=batches(), validation_steps=2); show(plain(m.evaluate(batches(), steps=3, verbose=0)), m.predict((e[0] for e in batches()), steps=2))""",
    "sequence": """class Batches(tf.keras.utils.Sequence):
    def __len__(self): return 3
    def __getitem__(self, i): return x[i * 7:i * 7 + 7], y[i * 7:i * 7 + 7], w[i * 7:i * 7 + 7]
m = net(); m.compile("sgd", "mse"); fit(m, Batches(), batch_size=None, workers=2); show(plain([m.evaluate(Batches(), verbose=0)]))""",
    "tensors": "m = net(); m.compile('sgd', 'mse'); fit(m, tf.constant(x), tf.constant(y), batch_size=None, steps_per_epoch=3); show(m.predict(tf.constant(x), steps=1))",
    "target_tensors": "m = net(); t = tf.constant(y); m.compile('sgd', 'mse', target_tensors=[t]); show([float(m.train_on_batch(x)) for _ in range(3)])",
    "lists": "m = Sequential([dense(1, input_shape=(1,))]); m.compile('sgd', 'mse'); fit(m, [1., 2., 3.], [2., 4., 6.]); show(m.predict([4.]))",
    "vectors": "m = Sequential([dense(1, input_shape=(1,))]); m.compile('sgd', 'mse'); fit(m, x[:, 0], y[:, 0])",
    "early_stopping": "m = net(); m.compile(O.SGD(5.), 'mse'); s = C.EarlyStopping('loss', patience=1, restore_best_weights=True); fit(m, x, y, epochs=9, callbacks=[s]); show(s.stopped_epoch, float(s.best), m.get_weights())",
    "early_stopping_mode": "m = net(3, 'softmax'); m.compile('sgd', 'mse', metrics=['acc']); fit(m, x, h, epochs=6, validation_split=.3, callbacks=[C.EarlyStopping('val_acc', min_delta=.01, patience=2, baseline=.1)])",
    "reduce_lr": "m = net(); m.compile(O.SGD(4.), 'mse'); fit(m, x, y, epochs=6, callbacks=[C.ReduceLROnPlateau('loss', factor=.5, patience=1, cooldown=1, min_lr=.6)]); show(float(K.get_value(m.optimizer.lr)))",
    "lr_scheduler": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, epochs=3, callbacks=[C.LearningRateScheduler(lambda e: .1 / (e + 1))]); fit(m, x, y, callbacks=[C.LearningRateScheduler(lambda e, r: r * .5)])",
    "hooks": """class Notes(C.Callback):
    def __init__(self): super().__init__(); self.seen = []
    def __getattribute__(self, name):
        if name.startswith("on_"): super().__getattribute__("seen").append(name)
        return super().__getattribute__(name)
n = Notes(); m = net(); m.compile("sgd", "mse"); fit(m, x, y, epochs=1, callbacks=[n]); show(sorted(set(e for e in n.seen if "train" in e or "epoch" in e)), sorted(k for k in n.params if k != "metrics"))""",
    "hook_logs": """class Notes(C.Callback):
    def on_train_batch_end(self, batch, logs=None): show(batch, sorted(k for k in logs if k not in ("batch", "size")), float(logs["loss"]))
    def on_epoch_end(self, epoch, logs=None): show(epoch, sorted(logs))
m = net(); m.compile("sgd", "mse", metrics=["mae"]); fit(m, x, y, callbacks=[Notes()], validation_split=.2)""",
    "stop_training": """class Stop(C.Callback):
    def on_batch_end(self, batch, logs=None):
        if batch == 1: self.model.stop_training = True
m = net(); m.compile("sgd", "mse"); fit(m, x, y, epochs=4, batch_size=4, callbacks=[Stop()])""",
    "lambda_callback": "seen = []; m = net(); m.compile('sgd', 'mse'); fit(m, x, y, callbacks=[C.LambdaCallback(on_epoch_end=lambda e, logs: seen.append((e, sorted(logs))), on_train_begin=lambda logs: seen.append('begin'))]); show(seen)",
    "csv_logger": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y, validation_split=.3, callbacks=[C.CSVLogger(folder + '/log.csv', separator=';')]); f = open(folder + '/log.csv'); lines = f.read().split(); f.close(); show(len(lines), lines[0], round(float(lines[1].split(';')[1]), 4))",
    "learning_rate": "m = net(); m.compile(O.SGD(.1, decay=.5), 'mse'); show(float(K.get_value(m.optimizer.lr))); K.set_value(m.optimizer.lr, .05); fit(m, x, y); m.optimizer.learning_rate = .01; fit(m, x, y); show(int(K.get_value(m.optimizer.iterations)))",
    "optimizer_weights": "m = net(); m.compile('adam', 'mse'); fit(m, x, y); show([v.name for v in m.optimizer.weights]); e = m.optimizer.get_weights(); m.optimizer.set_weights(e); show(len(e), e[0])",
    "recompiled": "m = net(); m.compile('sgd', 'mse'); fit(m, x, y); m.compile('sgd', 'mae', metrics=['mse']); fit(m, x, y)",
    "metrics_before": "m = net(); m.compile('sgd', 'mse', metrics=['mae', 'acc']); show(m.metrics_names, [type(e).__name__ for e in m.metrics])",
    "gan": """g = net(4); d = net(1, "sigmoid"); d.compile(O.SGD(.1), "binary_crossentropy"); d.trainable = False
i = tf.keras.Input((4,)); both = Model(i, d(g(i))); both.compile(O.SGD(.1), "binary_crossentropy")
for _ in range(2): show(float(d.train_on_batch(x, b)), float(both.train_on_batch(x, b)))
show(d.get_weights(), g.get_weights())""",
    "errors_of_input": """m = net(); m.compile("sgd", "mse")
fails(m.fit, x[:, :3], y, verbose=0); fails(m.fit, x, y[:5], verbose=0); fails(m.fit, x[None], y, verbose=0); fails(m.predict, x[:, :2])""",
    "errors_of_labels": """m = net(3, "softmax"); m.compile("sgd", "categorical_crossentropy"); fails(m.fit, x, h[:, :2], verbose=0)
m = net(); m.compile("sgd", "mse"); fails(m.fit, x, h, verbose=0)""",
    "errors_of_weights": """m = net(); m.compile("sgd", "mse"); fails(m.fit, x, y, sample_weight=w[:3], verbose=0); fails(m.fit, x, b, class_weight={0: 1.}, verbose=0)
m = two(); m.compile("sgd", "mse"); fails(m.fit, [x, x], [y, h], sample_weight=[w], verbose=0)""",
    "errors_of_compile": """m = two(); fails(m.compile, "sgd", ["mse"]); fails(m.compile, "sgd", "mse", loss_weights=[1.]); fails(m.compile, "sgd", "mse", metrics=[["mae"]]); fails(m.compile, "sgd", "mse", metrics=5)
fails(m.compile, "sgd", "mse", loss_weights=3.); fails(m.compile, "sgd", "mse", what=1)""",
    "errors_of_steps": """m = net(); m.compile("sgd", "mse"); d = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
fails(m.fit, d.repeat(), verbose=0); fails(m.fit, tf.constant(x), tf.constant(y), verbose=0); fails(m.fit, x, y, validation_steps=2, verbose=0)""",
    "errors_of_arguments": """m = net(); fails(m.fit, x, y); fails(m.evaluate, x, y); m.compile("sgd", "mse"); fails(m.fit, x, y, what=1)""",
    "errors_of_settings": """fails(O.SGD, clipnorm=-1.); fails(O.Adam, decay=-1.);""",
    "dict_without_input": "m = two(); m.compile('sgd', 'mse'); fails(m.fit, {'i': x}, [y, h], verbose=0)",
}


EAGER = """# eager
K = tf.keras.backend; L = tf.keras.layers; O = tf.keras.optimizers; M = tf.keras.metrics; Sequential = tf.keras.Sequential; Model = tf.keras.Model
rng = np.random.RandomState(5); x = rng.rand(20, 4).astype("f"); y = rng.rand(20, 1).astype("f"); c = rng.randint(0, 3, 20); w = np.linspace(0., 2., 20)
start = lambda shape, dtype=None, partition_info=None: tf.reshape(tf.cos(tf.range(float(np.prod(shape)))), shape)
def dense(n, *args, **kwargs): return L.Dense(n, *args, kernel_initializer=start, **kwargs)
def net(n=1, last=None): return Sequential([dense(3, "tanh", input_shape=(4,)), dense(n, last)])
def plain(v): return [plain(e) for e in v] if isinstance(v, (list, tuple)) else {k: plain(e) for k, e in v.items()} if isinstance(v, dict) else float(v)
def fit(m, *args, **kwargs): show(plain(m.fit(*args, **{**dict(verbose=0, shuffle=False, batch_size=5, epochs=2), **kwargs}).history)); show(m.get_weights()); return m
"""

EAGER_PROGRAMS = {
    "fit": "m = net(); m.compile(O.SGD(.1), 'mse'); fit(m, x, y); show(plain([m.evaluate(x, y, verbose=0)]), m.predict(x))",
    "adam": "m = net(3, 'softmax'); m.compile(O.Adam(.05), 'sparse_categorical_crossentropy', metrics=['sparse_categorical_accuracy']); fit(m, x, c)",
    "validation": "m = net(); m.compile(O.SGD(.1), 'mse'); fit(m, x, y, validation_data=(x, y))",
    "sample_weight": "m = net(); m.compile(O.SGD(.1), 'mse'); fit(m, x, y, sample_weight=w)",
    "class_weight": "m = net(3, 'softmax'); m.compile(O.SGD(.1), 'sparse_categorical_crossentropy'); fit(m, x, c, class_weight={0: 1., 1: 2., 2: .5})",
    "dataset": "m = net(); m.compile(O.SGD(.1), 'mse'); fit(m, tf.data.Dataset.from_tensor_slices((x, y)).batch(5), batch_size=None)",
    "run_eagerly": "m = net(); m.compile(O.RMSprop(.01), 'mse', run_eagerly=True); fit(m, x, y)",
    "subclassed": """class Net(Model):
    def __init__(self):
        super().__init__(); self.a = dense(3, "relu"); self.b = dense(1)
    def call(self, inputs): return self.b(self.a(inputs))
m = Net(); m.compile(O.SGD(.1), "mse"); fit(m, x, y); show(m.predict(x))""",
    "regularized": "m = Sequential([dense(2, kernel_regularizer=tf.keras.regularizers.l2(.1), input_shape=(4,)), dense(1)]); m.compile(O.SGD(.1), 'mse'); fit(m, x, y)",
    "on_batch": "m = net(); m.compile(O.SGD(.1), 'mse'); show(plain([m.train_on_batch(x, y), m.train_on_batch(x, y), m.test_on_batch(x, y)]), np.asarray(m.predict_on_batch(x[:2])))",
    "loop": """m = net(); o = O.Adam(.05); mean = M.Mean()
for i in range(4):
    with tf.GradientTape() as tape: loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(y, m(x)))
    o.apply_gradients(zip(tape.gradient(loss, m.trainable_variables), m.trainable_variables)); mean(loss); show(loss.numpy())
show(mean.result().numpy(), int(o.iterations.numpy()), m.get_weights(), [v.name for v in o.variables()])""",
    "loop_in_function": """m = net(); o = O.SGD(.1, momentum=.9); mean = M.Mean(); hits = M.MeanAbsoluteError()
@tf.function
def step(a, b):
    with tf.GradientTape() as tape: loss = tf.keras.losses.MeanSquaredError()(b, m(a))
    o.apply_gradients(zip(tape.gradient(loss, m.trainable_variables), m.trainable_variables)); mean(loss); hits(b, m(a)); return loss
show([step(tf.constant(x), tf.constant(y)).numpy() for _ in range(3)]); show(mean.result().numpy(), hits.result().numpy())
mean.reset_states(); show(mean.result().numpy())""",
    "minimize": "v = tf.Variable([1., -2.]); o = O.Adagrad(.5)\nfor _ in range(3): o.minimize(lambda: tf.reduce_sum(v * v), [v])\nshow(v.numpy(), o.get_slot(v, 'accumulator').numpy())",
    "settings": "o = O.SGD(.1); show(float(o.lr)); o.lr = .2; show(float(o.learning_rate)); v = tf.Variable(1.); o.apply_gradients([(tf.constant(1.), v)]); show(v.numpy()); o.learning_rate = .5; o.apply_gradients([(tf.constant(1.), v)]); show(v.numpy())",
    "metrics": """for m in (M.AUC(num_thresholds=9), M.Precision(), M.Recall(thresholds=[.2, .6]), M.MeanSquaredError()):
    m.update_state([0., 1., 1., 0.], [.3, .4, .9, .1]); show(m.result().numpy()); m.update_state([1., 0.], [1., 0.]); show(m.result().numpy()); m.reset_states(); show([v.numpy() for v in m.variables])""",
    "losses": "L2 = tf.keras.losses; show([f([[0., 1.], [1., 0.]], [[.4, .6], [.7, .3]]).numpy() for f in (L2.BinaryCrossentropy(), L2.CategoricalCrossentropy(), L2.Hinge(), L2.KLDivergence(), L2.LogCosh(), L2.Poisson(), L2.Huber(), L2.MeanAbsoluteError(reduction='sum'))], L2.mse([1., 2.], [2., 4.]).numpy())",
}


#: TensorFlow 1.15 divides by all steps, later ones by those of the mask: the losses here are sums.
MASKED = """total = getattr(tf.keras.losses, "Reduction", None); total = getattr(total, "SUM", "sum")
e = np.array([[1, 2, 0], [3, 0, 0], [4, 1, 2], [2, 2, 0]]); steps = rng.rand(4, 3, 2).astype("f"); steps[0, 2] = steps[1, 1:] = 0.; v = np.array([1., 2., .5, 0.]); z = np.array([0, 1, 1, 0])
def masking(n=1, last=None): return Sequential([L.Masking(0., input_shape=(3, 2)), L.TimeDistributed(dense(n, last))])
def embedded(n=1, last=None, **kwargs): return Sequential([L.Embedding(5, 2, mask_zero=True, embeddings_initializer=start, input_length=3), L.SimpleRNN(2, kernel_initializer=start, recurrent_initializer="ones", **kwargs), dense(n, last)])
def told(m, loss, a, b, weights, **more):
    m.compile(O.SGD(.01), loss(reduction=total), **more); h = m.fit(a, b, batch_size=2, epochs=2, shuffle=False, verbose=0, validation_data=(a, b, weights), sample_weight=weights)
    show(plain(list(h.history.values())), m.get_weights())
    show(plain([m.evaluate(a, b, sample_weight=weights, batch_size=2, verbose=0), m.train_on_batch(a, b, sample_weight=weights), m.test_on_batch(a, b, sample_weight=weights)]))
C = tf.keras.losses; each = dict(metrics=["mae"], weighted_metrics=["mse", "mae"])
"""
MASKED_PROGRAMS = {
    "masking": "told(masking(), C.MeanSquaredError, steps, rng.rand(4, 3, 1), v, **each)",
    "embedding": "told(embedded(return_sequences=True), C.MeanAbsoluteError, e, rng.rand(4, 3, 1), v, **each)",
    "last_step": "told(embedded(), C.MeanSquaredError, e, rng.rand(4, 1), v, **each)",
    "classes": "told(masking(2, 'softmax'), C.SparseCategoricalCrossentropy, steps, rng.randint(0, 2, (4, 3, 1)), v, metrics=['acc'], weighted_metrics=['acc'])",
    "class_weight": "m = embedded(1, 'sigmoid'); m.compile(O.SGD(.1), 'binary_crossentropy', metrics=['acc']); fit(m, e, z, class_weight={0: 1., 1: 3.}, batch_size=2)",
    "class_weight_of_rows": "m = masking(2, 'softmax'); m.add(L.Lambda(lambda h, mask=None: h[:, 0])); m.compile(O.SGD(.1), C.CategoricalCrossentropy(reduction=total)); fit(m, steps, np.eye(2)[z], class_weight={0: 1., 1: 3.}, sample_weight=v, batch_size=2)",
}


def _rows(family: str, prelude: str, rows: str, call: str) -> list:
    """One program of each line `name | arguments`: the prelude, and a call of its function."""
    lines = [row.split(" | ") for row in rows.strip().splitlines()]
    start = "\n".join(line[4:] for line in prelude.strip("\n").splitlines())
    return programs(family, {name: f"{start}\n{call}({rest})" for name, rest in lines}, rtol=2e-4)


CASES = [
    *table("keras_losses", LOSSES, LOSS_ROWS, word="value"),
    *_rows("keras_metrics", METRICS, METRIC_ROWS, "twice"),
    *_rows("keras_optimizers", OPTIMIZERS, OPTIMIZER_ROWS, "trajectory"),
    *programs(
        "keras_training",
        {name: TRAINING.replace("\n    ", "\n").lstrip() + text for name, text in PROGRAMS.items()},
        rtol=3e-4,
    ),
    *programs(
        "keras_training_eager",
        {name: EAGER + text for name, text in EAGER_PROGRAMS.items()},
        rtol=3e-4,
    ),
    *programs(
        "keras_masked",
        {
            kind + name: start + MASKED + text
            for kind, start in (("eager_", EAGER), ("", EAGER.removeprefix("# eager\n")))
            for name, text in MASKED_PROGRAMS.items()
        },
        rtol=3e-4,
    ),
]
