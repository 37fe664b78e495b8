"""How data comes into a graph: queues and readers, as TensorFlow 1.x has them."""
