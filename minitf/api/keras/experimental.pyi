"""The names of `tf.keras.experimental`."""

from minitf.library.keras.engine.sequential import load_from_saved_model as load_from_saved_model
from minitf.library.keras.saving.models import export_saved_model as export_saved_model
