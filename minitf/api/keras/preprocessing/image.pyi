"""The names of `tf.keras.preprocessing.image`."""

from minitf.library.keras.preprocessing.image import ImageDataGenerator as ImageDataGenerator
from minitf.library.keras.preprocessing.image import Iterator as Iterator
from minitf.library.keras.preprocessing.image import img_to_array as img_to_array
from minitf.library.keras.preprocessing.image import load_img as load_img
