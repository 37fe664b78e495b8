"""The names of `tf.lite`."""

from minitf.compat.contrib.foreign import Interpreter as Interpreter
from minitf.compat.contrib.foreign import TFLiteConverter as TFLiteConverter
from minitf.compat.contrib.foreign import TocoConverter as TocoConverter
from minitf.compat.contrib.foreign import toco_convert as toco_convert
