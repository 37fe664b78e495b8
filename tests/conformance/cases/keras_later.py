"""What came after 1.15, and programs of its time already use: names, metrics, layers."""

import textwrap

from ..case import programs

_PROGRAMS = {
    "names": """
    K = tf.keras; t, p = np.array([[0., .7], [.2, 1.]], "f"), np.array([[.1, .8], [.4, .6]], "f")
    show(run([K.losses.kl_divergence(t, p), K.losses.log_cosh(t, p), K.metrics.kl_divergence(t, p), K.metrics.log_cosh(t, p)]))
    show(run([K.activations.swish(tf.constant(p)), K.activations.get("swish")(tf.constant(t))]), K.layers.Activation("swish").get_config()["activation"])
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
}

CASES = programs(
    "keras_later",
    {name: textwrap.dedent(text).strip("\n") for name, text in _PROGRAMS.items()},
    rtol=1e-5,
)
