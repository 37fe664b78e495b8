"""`tf.distribute`: one model, trained on several devices or machines."""
