"""What TensorFlow offers for tests: `tf.test`, and the helpers of its own test suite."""
