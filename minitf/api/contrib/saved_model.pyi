"""The names of `tf.contrib.saved_model`."""

from minitf.library.keras.saving.exporting import export_saved_model as save_keras_model
from minitf.library.keras.saving.loading import load_from_saved_model as load_keras_model

__all__ = [
    "load_keras_model", "save_keras_model"
]
