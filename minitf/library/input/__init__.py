"""How data comes into a graph: `tf.data`, queues and readers."""
