"""The names of `tf.keras.wrappers.scikit_learn`."""

from minitf.library.keras.wrappers import KerasClassifier as KerasClassifier
from minitf.library.keras.wrappers import KerasRegressor as KerasRegressor
