"""What `tf.contrib` had of its own: seq2seq, cells, metrics, k-means."""
