"""The names of `tf.keras.utils`."""

from minitf.library.datasets.download import get_file as get_file
from minitf.library.keras.objects import CustomObjectScope as CustomObjectScope
from minitf.library.keras.objects import custom_object_scope as custom_object_scope
from minitf.library.keras.objects import deserialize_keras_object as deserialize_keras_object
from minitf.library.keras.objects import get_custom_objects as get_custom_objects
from minitf.library.keras.objects import get_registered_name as get_registered_name
from minitf.library.keras.objects import get_registered_object as get_registered_object
from minitf.library.keras.objects import register_keras_serializable as register_keras_serializable
from minitf.library.keras.objects import serialize_keras_object as serialize_keras_object
from minitf.library.keras.utils.progress import Progbar as Progbar
