"""The names of `tf.keras.utils`."""

from minitf.library.keras.utils.progress import Progbar as Progbar
