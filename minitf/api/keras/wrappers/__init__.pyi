"""The names of `tf.keras.wrappers`."""

from minitf.api.keras.wrappers import scikit_learn as scikit_learn
