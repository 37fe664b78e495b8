"""The layers of `tf.keras.layers`. Those of `tf.layers` are made of them."""
