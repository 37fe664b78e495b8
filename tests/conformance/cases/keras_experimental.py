"""`tf.keras.experimental`: schedules, a cell with peepholes, models that stand ready."""

import textwrap

from ..case import programs, table

# What Keras 2.15 has no more, its copy inside of TensorFlow has.
_START = """
def old(name, at): return getattr(tf.keras.experimental, name, None) or getattr(__import__("tensorflow.python.keras." + at, fromlist=["x"]), name)
X = tf.keras.experimental; L = tf.keras.layers
"""
_SCHEDULES = (
    _START
    + """
def rates(s, noisy=False):
    steps = [0, 1, 3, 5, 7, 10, 12, 100]
    show({k: v for k, v in s.get_config().items() if "warmup" not in k}, [run(s(tf.constant(step))) for step in steps[-2 * noisy:]])
"""
)
_ROWS = """
cosine | X.CosineDecay(.1, 10)
cosine_alpha | X.CosineDecay(.1, 10, alpha=.3)
restarts | X.CosineDecayRestarts(.1, 4)
restarts_told | X.CosineDecayRestarts(.1, 3, t_mul=1., m_mul=.5, alpha=.1)
linear_cosine | old("LinearCosineDecay", "optimizer_v2.learning_rate_schedule")(.1, 10, num_periods=1.5, alpha=.1, beta=.01)
noisy | old("NoisyLinearCosineDecay", "optimizer_v2.learning_rate_schedule")(.1, 10, beta=.01, initial_variance=.5), True
"""
_PROGRAMS = {
    "peephole": """
    c = old("PeepholeLSTMCell", "layers.recurrent")(3, kernel_initializer=tf.constant_initializer(.3), recurrent_initializer=tf.constant_initializer(-.2))
    x = tf.constant(np.linspace(-1, 2, 8).reshape(2, 4), tf.float32); s = [tf.constant(np.linspace(-1, 1, 6).reshape(2, 3), tf.float32), tf.constant(np.linspace(2, 0, 6).reshape(2, 3), tf.float32)]
    y, n = c(x, s); y, n = c(x, n); show([(w.name, w.shape.as_list()) for w in c.weights], list(c.state_size)); show(run([y, n]))
    show(run(tf.gradients(tf.reduce_sum(y), c.trainable_weights)), c.get_config()["units"])
    """,
    "linear": """
    m = X.LinearModel(2, activation="tanh", kernel_initializer=tf.constant_initializer(.3), bias_initializer="ones", kernel_regularizer="l2")
    x = np.linspace(-1, 1, 12).reshape(4, 3).astype("f"); y = np.stack([x.sum(1), x[:, 0]], 1)
    m.compile("sgd", "mse"); show(m.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"], m.get_weights(), m.predict(x))
    show(len(m.losses), m.units, m.use_bias)
    """,
    "linear_of_several": """
    m = X.LinearModel(1, kernel_initializer="ones", use_bias=False)
    a, b = np.linspace(-1, 1, 12).reshape(4, 3).astype("f"), np.linspace(0, 2, 4).reshape(4, 1).astype("f")
    m.compile("sgd", "mse"); show(m.fit([a, b], b, epochs=2, shuffle=False, verbose=0).history["loss"], m.get_weights())
    """,
    "linear_of_names": """
    m = X.LinearModel(1, kernel_initializer="ones"); y = m({"b": tf.ones([2, 3]), "a": tf.ones([2, 1])}); show(y, [w.shape.as_list() for w in m.weights], [l.name for l in m.layers])
    """,
    "wide_deep": """
    O = getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers)
    ones = {"kernel_initializer": "ones"}; lin = X.LinearModel(**ones); deep = tf.keras.Sequential([L.Dense(2, **ones, activation="relu"), L.Dense(1, **ones)])
    m = X.WideDeepModel(lin, deep); a, b = np.linspace(0, 1, 12).reshape(4, 3).astype("f"), np.linspace(0, 2, 8).reshape(4, 2).astype("f")
    part = 1. if hasattr(X, "PeepholeLSTMCell") else .5  # 1.15 gives the mean, 2.15 the sum
    m.compile([O.SGD(.1), O.SGD(.01)], lambda t, p: tf.reduce_mean(tf.square(t - p * part))); y = a.sum(1, keepdims=True)
    show([m.train_on_batch([a, b], y) for _ in range(3)], m.get_weights(), m.predict([a, b]) * part)
    n = X.WideDeepModel.from_config(m.get_config()); show(type(n.linear_model).__name__, n.linear_model.units, len(n.dnn_model.layers))
    """,
}

CASES = [
    *table("keras_experimental", _SCHEDULES, _ROWS, word="rates"),
    *programs(
        "keras_experimental",
        {name: _START + textwrap.dedent(text) for name, text in _PROGRAMS.items()},
    ),
]
