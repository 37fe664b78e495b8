"""The names of `tf.contrib.predictor`."""

from minitf.compat.contrib.predictor import Predictor as Predictor
from minitf.compat.contrib.predictor import from_estimator as from_estimator
from minitf.compat.contrib.predictor import from_saved_model as from_saved_model
