"""The names of `tf.keras.estimator`."""

from minitf.library.estimator.keras_model import model_to_estimator as model_to_estimator
