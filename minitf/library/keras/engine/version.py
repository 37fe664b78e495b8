"""Which Keras this is."""

#: That of TensorFlow 1.15.
VERSION = "2.2.4-tf"
