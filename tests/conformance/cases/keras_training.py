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
mean_tensor | M.MeanTensor(), x
mean_tensor_weighted | M.MeanTensor(), x, sample_weight=w
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
relative | M.MeanRelativeError(normalizer=tf.constant([1., 2., 0.]), name="r"), y[0], x[0]
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
precision_top_k | M.Precision(top_k=2), b, a
recall | M.Recall(), z, p, sample_weight=[1., 2., 3., 4., 5., 6.]
recall_class | M.Recall(class_id=1), b, a
auc | M.AUC(), z, p
auc_pr | M.AUC(num_thresholds=20, curve="PR"), z, p
auc_majoring | M.AUC(num_thresholds=5, summation_method="majoring"), z, p
auc_pr_minoring | M.AUC(num_thresholds=5, curve="PR", summation_method="minoring"), z, p
mean_iou | M.MeanIoU(num_classes=2), [0, 0, 1, 1], [0, 1, 0, 1]
mean_iou_weighted | M.MeanIoU(num_classes=3), [0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[.3, .3, .3, .1]
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
adamax | O.Adamax(.1)
nadam | O.Nadam(.1)
ftrl | O.Ftrl(.3)
ftrl_penalties | O.Ftrl(.3, l1_regularization_strength=.01, l2_regularization_strength=.02)
ftrl_shrinkage | O.Ftrl(.3, l2_shrinkage_regularization_strength=.1)
exponential | O.SGD(O.schedules.ExponentialDecay(.2, 5, .5))
"""


def _rows(family: str, prelude: str, rows: str, call: str) -> list:
    """One program of each line `name | arguments`: the prelude, and a call of its function."""
    lines = [row.split(" | ") for row in rows.strip().splitlines()]
    start = "\n".join(line[4:] for line in prelude.strip("\n").splitlines())
    return programs(family, {name: f"{start}\n{call}({rest})" for name, rest in lines}, rtol=2e-4)


CASES = [
    *table("keras_losses", LOSSES, LOSS_ROWS, word="value"),
    *_rows("keras_metrics", METRICS, METRIC_ROWS, "twice"),
    *_rows("keras_optimizers", OPTIMIZERS, OPTIMIZER_ROWS, "trajectory"),
]
