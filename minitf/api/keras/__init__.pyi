"""The names of `tf.keras`."""

from minitf.api.keras import datasets as datasets
from minitf.api.keras import utils as utils
