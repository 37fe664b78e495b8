"""`tf.feature_column`: from a dict of raw features to the numbers that a model starts with."""
