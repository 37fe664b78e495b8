"""The names of `tf.saved_model.experimental`."""

from minitf.library.saving.save_objects import save as save
