"""The names of `tf.keras.preprocessing.image`."""

from minitf.library.keras.preprocessing.generator import ImageDataGenerator as ImageDataGenerator
from minitf.library.keras.preprocessing.images import array_to_img as array_to_img
from minitf.library.keras.preprocessing.images import img_to_array as img_to_array
from minitf.library.keras.preprocessing.images import load_img as load_img
from minitf.library.keras.preprocessing.iterators import DirectoryIterator as DirectoryIterator
from minitf.library.keras.preprocessing.iterators import Iterator as Iterator
from minitf.library.keras.preprocessing.iterators import NumpyArrayIterator as NumpyArrayIterator
from minitf.library.keras.preprocessing.transforms import apply_affine_transform as apply_affine_transform
