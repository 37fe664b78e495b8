"""The names of `tf.keras.layers.experimental.preprocessing`."""

from minitf.library.keras.layers.preprocessing import CenterCrop as CenterCrop
from minitf.library.keras.layers.preprocessing import Normalization as Normalization
from minitf.library.keras.layers.preprocessing import Rescaling as Rescaling
from minitf.library.keras.layers.preprocessing import Resizing as Resizing
