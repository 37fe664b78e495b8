"""Probability distributions: `tf.distributions`, and more of `tf.contrib.distributions`."""
