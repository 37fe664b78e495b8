"""Models and their variables in files: HDF5, as Keras writes it, and checkpoints of TensorFlow."""
