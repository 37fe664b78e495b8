"""`tensorflow.python.framework.tensor_util`: constants, and tensors as messages."""
