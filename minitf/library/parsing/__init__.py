"""From text and `tf.train.Example` to tensors."""
