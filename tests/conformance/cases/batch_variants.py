"""Batch normalization with corrections, virtual batches and adjustments."""

import textwrap

from ..case import programs

PRELUDE = """
x = tf.constant(np.random.RandomState(0).normal(size=(8, 3)).astype(np.float32) * 2 + 1); training = tf.placeholder(tf.bool, ())
def trained(layer, inputs, steps=3):
    y = layer(inputs, training=training); g = tf.gradients(tf.reduce_sum(y * y), layer.trainable_weights + [inputs]); updates = layer.updates
    show([v.name for v in layer.weights], len(updates), y.shape)
    for i in range(steps):
        show(run([y, g], {training: True})); run(updates, {training: True}); show(run(layer.weights))
    show(run(y, {training: False})); run(updates, {training: False}); show(run(layer.weights))
BN = tf.layers.BatchNormalization
"""

TEXTS = {
    "renorm": "trained(BN(renorm=True, momentum=.8), x)",
    "renorm_clipping": "trained(BN(renorm=True, renorm_clipping={'rmax': 1.2, 'rmin': .9, 'dmax': .1}, renorm_momentum=.5), x)",
    "renorm_dmax": "trained(BN(renorm=True, renorm_clipping={'dmax': .2}, center=False), x, 2)",
    "renorm_plain": "trained(BN(renorm=True, scale=False, center=False), x, 2)",
    "renorm_images": "trained(BN(renorm=True, axis=1, momentum=.5), tf.reshape(x, [2, 2, 3, 2]), 2)",
    "renorm_axes": "trained(BN(renorm=True, axis=[1, 2]), tf.reshape(x, [2, 2, 3, 2]), 2)",
    "virtual": "trained(BN(virtual_batch_size=2), x)",
    "virtual_images": "trained(BN(virtual_batch_size=2, axis=1, momentum=.5), tf.reshape(x, [4, 3, 2, 1]), 2)",
    "virtual_renorm": "trained(BN(virtual_batch_size=4, renorm=True), x, 2)",
    "adjusted": "trained(BN(adjustment=lambda s: (tf.fill([s[0], 1], 2.), tf.fill([s[0], 1], .5))), x, 2)",
    "adjusted_plain": "trained(BN(scale=False, adjustment=lambda s: (tf.fill([s[0], 1], 2.), tf.fill([s[0], 1], .5))), x, 1)",
    "function": "y = tf.layers.batch_normalization(x, training=True, renorm=True, renorm_clipping={'rmax': 3.}); show(y.shape, [v.name for v in tf.global_variables()], len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), run(y))",
    "keras": "layer = tf.keras.layers.BatchNormalization(renorm=True); y = layer(x, training=True); show([v.name for v in layer.weights], run(y)); c = layer.get_config(); show(c['renorm'], dict(c['renorm_clipping']), c['renorm_momentum'])",
}

CASES = programs(
    "batch_variants",
    {name: PRELUDE + textwrap.dedent(text).strip() for name, text in TEXTS.items()},
    rtol=2e-4,
)
