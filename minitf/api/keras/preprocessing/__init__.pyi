"""The names of `tf.keras.preprocessing`."""

from minitf.api.keras.preprocessing import image as image
from minitf.api.keras.preprocessing import sequence as sequence
from minitf.api.keras.preprocessing import text as text
