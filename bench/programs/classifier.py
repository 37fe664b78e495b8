"""A `DNNClassifier` on 1,797 rows as large as scikit-learn's digits: 1,000 steps, evaluation."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(0)
centres = rng.random((10, 64), np.float32)
y = np.arange(1797, dtype=np.int32) % 10
x = centres[y] + rng.normal(0.0, 0.2, (1797, 64)).astype(np.float32)


def inputs(epochs):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": x}, y, batch_size=128, num_epochs=epochs, shuffle=epochs is None
    )


columns = [tf.feature_column.numeric_column("x", shape=[64])]
model = tf.estimator.DNNClassifier([128, 64], columns, model_dir=sys.argv[1], n_classes=10)
model.train(inputs(None), steps=1000)
assert model.evaluate(inputs(1))["accuracy"] > 0.9
