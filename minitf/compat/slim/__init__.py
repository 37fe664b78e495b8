"""TF-Slim, as `tf.contrib.slim` and `tf.contrib.layers` had it: layers, data, training, nets."""
