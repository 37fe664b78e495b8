"""The names of `tf.keras.utils`."""

from minitf.library.datasets.download import get_file as get_file
from minitf.library.keras.callbacks.base import Progbar as Progbar
from minitf.library.keras.objects import CustomObjectScope as CustomObjectScope
from minitf.library.keras.objects import custom_object_scope as custom_object_scope
from minitf.library.keras.objects import deserialize_keras_object as deserialize_keras_object
from minitf.library.keras.objects import get_custom_objects as get_custom_objects
from minitf.library.keras.objects import serialize_keras_object as serialize_keras_object
from minitf.library.keras.preprocessing.image import img_to_array as img_to_array
from minitf.library.keras.preprocessing.image import load_img as load_img
from minitf.library.keras.preprocessing.sequences import Sequence as Sequence
from minitf.library.keras.preprocessing.sequences import pad_sequences as pad_sequences
from minitf.library.keras.preprocessing.sequences import to_categorical as to_categorical
