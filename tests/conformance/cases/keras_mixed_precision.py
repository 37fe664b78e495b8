"""Layers that compute in float16 with variables of float32, and losses that are scaled for them.

2.15 has no `tf.keras.mixed_precision.experimental`, but the same policy by its name.
"""

from ..case import programs, table

_LAYERS = """
L, H = tf.keras.layers, {"dtype": "mixed_float16", "autocast": True}
x = tf.constant(np.linspace(.1, 1, 2 * 4 * 4 * 2).reshape(2, 4, 4, 2), tf.float32)
s = tf.reshape(x, [2, 8, 4]); v = s[:, 0]
def told(l, x, f=None):
    y = l(x); w = l.trainable_weights; r = np.random.RandomState(1)
    v = [r.rand(*a.shape.as_list()).astype("f") / 4 for a in w]
    init = tf.global_variables_initializer(); K = tf.keras.backend; K.get_session().run(init); l.set_weights(v + l.get_weights()[len(v):])
    g = tf.gradients(tf.reduce_sum(tf.cast(y, tf.float32)), w)
    show(y.dtype, [(a.dtype.base_dtype, a.shape.as_list()) for a in l.weights], [tf.convert_to_tensor(a).dtype for a in g], l.dtype, l.compute_dtype)
    show(*[t.astype("f") for t in K.get_session().run([y, *map(tf.convert_to_tensor, g)])])
"""
_ROWS = """
dense | L.Dense(3, activation="relu", **H), v
dense_3d | L.Dense(3, **H), s
conv2d | L.Conv2D(3, 2, **H), x
conv1d | L.Conv1D(3, 2, padding="same", **H), s
conv2d_transpose | L.Conv2DTranspose(2, 2, strides=2, **H), x
depthwise | L.DepthwiseConv2D(2, **H), x
separable | L.SeparableConv2D(3, 2, **H), x
batch_norm | L.BatchNormalization(**H), x
batch_norm_2d | L.BatchNormalization(**H), v
layer_norm | L.LayerNormalization(**H), s
embedding | L.Embedding(5, 3, dtype="mixed_float16"), tf.constant([[1, 4], [0, 1]])
prelu | L.PReLU(**H), v
lstm | L.LSTM(3, **H), s
gru | L.GRU(3, return_sequences=True, reset_after=True, **H), s
simple_rnn | L.SimpleRNN(3, **H), s
pools | L.MaxPooling2D(2, **H), x
softmax | L.Softmax(**H), v
dropout_off | L.Dropout(.5, **H), v
float32_after | L.Activation("softmax", dtype="float32", autocast=True), tf.cast(v, tf.float16)
"""
_PROGRAMS = {
    "model": """
    L, H, M = tf.keras.layers, {"dtype": "mixed_float16", "autocast": True}, tf.keras.mixed_precision
    SGD = getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers).SGD
    m = tf.keras.Sequential([L.Dense(4, activation="tanh", input_shape=(3,), **H), L.Dense(1, **H), L.Activation("linear", dtype="float32", autocast=True)])
    m.set_weights([np.linspace(-1, 1, a.size).reshape(a.shape) for a in m.get_weights()])
    if hasattr(M, "experimental"): o = M.experimental.LossScaleOptimizer(SGD(.1), tf.train.experimental.DynamicLossScale(2. ** 20, 3))
    else: o = M.LossScaleOptimizer(SGD(.1), initial_scale=2. ** 20, dynamic_growth_steps=3)
    scale = lambda: o.loss_scale() if callable(o.loss_scale) else o.loss_scale
    m.compile(o, "mse"); x = np.linspace(-1, 1, 12).reshape(4, 3); y = x.sum(1, keepdims=True) * 30; K = tf.keras.backend
    for _ in range(12):
        show(m.train_on_batch(x, y), K.get_value(scale()))  # 2.15 counts steps that are left out, too
    show(m.get_weights(), m.predict(x), m.layers[0].compute_dtype, m.layers[0].dtype, K.get_value(o.learning_rate))
    """,
}

CASES = [
    *table("keras_mixed_precision", _LAYERS, _ROWS, rtol=4e-3, word="told"),
    *programs("keras_mixed_precision", _PROGRAMS, rtol=4e-3),
]
