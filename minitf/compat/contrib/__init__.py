"""What `tf.contrib` had of its own: slim, seq2seq, cells, metrics, k-means."""
