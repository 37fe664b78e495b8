"""Keras models and estimators under strategies, in graphs: what is learned, and what is reported."""

from ..case import programs

_PRELUDE = """
import tempfile
D = tf.distribute; K = tf.keras; L = K.layers
X = np.linspace(-1, 1, 80).reshape(16, 5).astype(np.float32); Y = np.cos(np.arange(32)).reshape(16, 2).astype(np.float32)
C = (np.arange(16) % 3).reshape(16, 1)
CONFIG = tf.ConfigProto(device_count={"CPU": 3})
K.backend.set_session(tf.Session(config=CONFIG))
def two(): return D.MirroredStrategy(["/cpu:0", "/cpu:1"])
def one(): return D.MirroredStrategy(["/cpu:0"])
def central(): return D.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
def alone(): return D.OneDeviceStrategy("/cpu:0")
def dense(*layers): return K.Sequential([L.Dense(4, activation="tanh", input_shape=(5,), kernel_initializer=K.initializers.Constant(0.1)), *layers, L.Dense(2, kernel_initializer=K.initializers.Constant(0.2))])
def data(y=None, batch=8): return tf.data.Dataset.from_tensor_slices((X, Y if y is None else y)).batch(batch, drop_remainder=True)
def learned(model, history):
    show([sorted(history.history), *[[float(x) for x in history.history[k]] for k in sorted(history.history)]])
    show(*model.get_weights())
def trained(s, optimizer="sgd", loss="mse", metrics=("mae",), layers=(), epochs=2, y=None, **fit):
    with s.scope():
        model = dense(*layers); model.compile(optimizer, loss, metrics=list(metrics))
    learned(model, model.fit(data(y), epochs=epochs, verbose=0, **fit)); return model
"""

_ESTIMATOR = """
def input_fn(batch=4): return lambda: data(batch=batch)
def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 2, kernel_initializer=tf.constant_initializer(.1), name="d")
    if mode == "infer": return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = REDUCED(labels, y)
    train_op = OPTIMIZER.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y), "mean": tf.metrics.mean(y)})
def estimated(s, **k):
    config = tf.estimator.RunConfig(folder, train_distribute=s, eval_distribute=s, session_config=CONFIG, log_step_count_steps=None, **k)
    e = tf.estimator.Estimator(model_fn, config=config); e.train(input_fn(), max_steps=4)
    show(e.get_variable_names(), *[e.get_variable_value(n) for n in e.get_variable_names()])
    found = e.evaluate(input_fn()); show(sorted(found), *[float(found[k]) for k in sorted(found)])
    return e
"""


def _case(body: str) -> str:
    return _PRELUDE + body


def _estimator(body: str, optimizer: str, reduced: str = "tf.losses.mean_squared_error") -> str:
    return _PRELUDE + _ESTIMATOR.replace("OPTIMIZER", optimizer).replace("REDUCED", reduced) + body


_SUM = "(lambda a, b: tf.losses.mean_squared_error(a, b, reduction=tf.losses.Reduction.SUM))"

CASES = programs(
    "distribute_keras",
    {
        **{
            f"{strategy}/{name}": _case(f"trained({strategy}(), {call})")
            for strategy in ("two", "one", "alone")
            for name, call in {
                "sgd": "K.optimizers.SGD(.1)",
                "momentum": "K.optimizers.SGD(.1, momentum=.9)",
                "adam": "K.optimizers.Adam(.05)",
                "rmsprop": "K.optimizers.RMSprop(.01)",
                "adagrad": "K.optimizers.Adagrad(.1)",
                "losses": "K.optimizers.SGD(.1), loss='mae', metrics=['mse', 'mape']",
                "regularized": "'sgd', layers=[L.Dense(3, kernel_initializer='ones', kernel_regularizer='l2')]",
                "classes": "'adam', loss=K.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=['accuracy'], y=C % 2",
                "validated": "'sgd', validation_data=data(batch=4)",
                "stopped": "'sgd', callbacks=[K.callbacks.LearningRateScheduler(lambda e: .1 / (e + 1))]",
                "moments": "'sgd', layers=[L.BatchNormalization()]",
            }.items()
        },
        **{
            f"predicted/{s}": _case(f"""
m = trained({s}()); show(m.predict(data()), m.predict(X, batch_size=8), m.evaluate(data(), verbose=0), m.metrics_names)
""")
            for s in ("two", "one", "alone")
        },
        "names": _case("""
with two().scope():
    m = dense(); m.compile("sgd", "mse")
show([v.name for v in m.weights], [v.name for v in m.trainable_weights], m.count_params(), type(m.weights[0]).__name__)
"""),
        "weights_back": _case("""
with two().scope(): m = dense()
m.set_weights([np.full(w.shape, i, np.float32) for i, w in enumerate(m.get_weights())]); show(*m.get_weights())
"""),
        "arrays": _case("""
with two().scope():
    m = dense(); m.compile("sgd", "mse")
learned(m, m.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0))
"""),
        **{
            f"estimator/{strategy}_{name}": _estimator(f"estimated({strategy}())", optimizer)
            for strategy in ("two", "one", "alone", "central")
            for name, optimizer in {
                "sgd": "tf.train.GradientDescentOptimizer(.1)",
                "adam": "tf.train.AdamOptimizer(.1)",
                "momentum": "tf.train.MomentumOptimizer(.1, .9)",
                "adagrad": "tf.train.AdagradOptimizer(.1)",
            }.items()
        },
        **{
            f"estimator_sum/{strategy}": _estimator(
                f"estimated({strategy}())", "tf.train.GradientDescentOptimizer(.01)", _SUM
            )
            for strategy in ("two", "one", "alone", "central")
        },
        "estimator/predicts": _estimator(
            "e = estimated(two()); show([p['y'] for p in e.predict(input_fn())][:3])",
            "tf.train.GradientDescentOptimizer(.1)",
        ),
        "estimator/goes_on": _estimator(
            "e = estimated(two()); e.train(input_fn(2), steps=2); show(e.get_variable_value('global_step'), e.get_variable_value('d/kernel'))",
            "tf.train.AdamOptimizer(.1)",
        ),
        "estimator/train_and_evaluate": _estimator(
            """
config = tf.estimator.RunConfig(folder, train_distribute=two(), session_config=CONFIG, log_step_count_steps=None)
e = tf.estimator.Estimator(model_fn, config=config)
found, _ = tf.estimator.train_and_evaluate(e, tf.estimator.TrainSpec(input_fn(), max_steps=2), tf.estimator.EvalSpec(input_fn(8)))
show(sorted(found), *[float(found[k]) for k in sorted(found)])
""",
            "tf.train.GradientDescentOptimizer(.1)",
        ),
    },
    rtol=1e-4,
)  # fmt: skip
