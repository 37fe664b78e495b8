"""What TensorFlow offers for tests of programs: `tf.test`, and the helpers of its own test suite."""
