"""What came after 1.15, and programs of its time already use: names, metrics, layers, `train_step`."""

import textwrap

from ..case import programs

_PROGRAMS = {
    "names": """
    K = tf.keras; t, p = np.array([[0., .7], [.2, 1.]], "f"), np.array([[.1, .8], [.4, .6]], "f")
    show(run([K.losses.kl_divergence(t, p), K.losses.log_cosh(t, p), K.metrics.kl_divergence(t, p), K.metrics.log_cosh(t, p)]))
    show(run([K.activations.swish(tf.constant(p)), K.activations.get("swish")(tf.constant(t))]), K.layers.Activation("swish").get_config()["activation"])
    s = K.layers.InputSpec(dtype="float32", shape=(None, 3), axes={-1: 3}); show(s.get_config(), K.layers.InputSpec.from_config(s.get_config()))
    """,
    "means_of_functions": """
    # eager
    m = tf.keras.metrics.MeanMetricWrapper(lambda t, p, k: tf.abs(t - p) * k, name="far", k=2.); m.update_state([1., 2.], [3., 2.]); show(m.result(), m.name); m.reset_state(); show(m.result())
    class Largest(tf.keras.metrics.Metric):
        def __init__(self): super().__init__(name="largest"); self.seen = self.add_weight(name="seen", initializer="zeros")
        def update_state(self, y, p, sample_weight=None): self.seen.assign(tf.maximum(self.seen, tf.reduce_max(p)))
        def result(self): return self.seen
        def reset_state(self): self.seen.assign(0.)
    m = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))]); m.compile("sgd", "mse", metrics=[Largest()])
    x = np.array([[5.], [1.]], "f"); show([float(v) for n in (0, 1) for v in m.evaluate(x[n:], x[n:], batch_size=1, verbose=0)])
    """,
    "train_step": """
    # eager
    L = tf.keras.layers
    class Net(tf.keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape: p = self(x, training=True); loss = tf.reduce_mean((p - y) ** 2.) + 1.
            g = tape.gradient(loss, self.trainable_variables); self.optimizer.apply_gradients(zip(g, self.trainable_variables))
            return {"mine": loss, "largest": tf.reduce_max(p)}
        def test_step(self, data): x, y = data; return {"far": tf.reduce_sum(tf.abs(self(x) - y))}
        def predict_step(self, data): return self(data[0] if isinstance(data, tuple) else data) * 2.
    i = tf.keras.Input((2,)); m = Net(i, L.Dense(1, kernel_initializer="ones")(i)); m.compile(getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers).SGD(.1))
    x = np.linspace(0, 1, 12).reshape(6, 2).astype("f"); y = x.sum(1, keepdims=True) * 2
    h = m.fit(x, y, batch_size=3, epochs=3, shuffle=False, verbose=0); show(h.history, m.get_weights())
    show(dict(zip(["far"], np.ravel(m.evaluate(x, y, batch_size=2, verbose=0)).tolist())), m.predict(x, batch_size=4))
    class Usual(tf.keras.Model):
        def __init__(self): super().__init__(); self.d = L.Dense(1, kernel_initializer="ones"); self.seen = 0
        def call(self, x, training=None): return self.d(x)
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape: p = self(x, training=True); loss = self.compiled_loss(y, p, regularization_losses=self.losses)
            self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables)); self.compiled_metrics.update_state(y, p); self.seen += 1
            return {m.name: m.result() for m in self.metrics}
    m = Usual(); m.compile(getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers).SGD(.1), "mse", metrics=[tf.keras.metrics.MeanAbsoluteError(name="far")], run_eagerly=True)
    h = m.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), epochs=2, validation_data=(x, y), verbose=0); show({k: np.ravel(v).tolist() for k, v in h.history.items()}, m.seen, m.get_weights())
    class Same(tf.keras.Model):
        def train_step(self, data): return {**super().train_step(data), "more": tf.constant(1.)}
    n = Same(i, L.Dense(1, kernel_initializer="ones")(i)); n.compile(getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers).SGD(.1), "mse", metrics=[tf.keras.metrics.MeanAbsoluteError(name="far")]); show({k: np.ravel(v).tolist() for k, v in n.fit(x, y, sample_weight=np.arange(6.), batch_size=3, epochs=2, shuffle=False, verbose=0).history.items()})
    """,
}

CASES = programs(
    "keras_later",
    {name: textwrap.dedent(text).strip("\n") for name, text in _PROGRAMS.items()},
    rtol=1e-5,
)
