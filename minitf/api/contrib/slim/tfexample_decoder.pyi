"""The names of `tf.contrib.slim.tfexample_decoder`."""

from minitf.compat.contrib.slim_data import BackupHandler as BackupHandler
from minitf.compat.contrib.slim_data import BoundingBox as BoundingBox
from minitf.compat.contrib.slim_data import Image as Image
from minitf.compat.contrib.slim_data import ItemHandler as ItemHandler
from minitf.compat.contrib.slim_data import ItemHandlerCallback as ItemHandlerCallback
from minitf.compat.contrib.slim_data import LookupTensor as LookupTensor
from minitf.compat.contrib.slim_data import SparseTensor as SparseTensor
from minitf.compat.contrib.slim_data import TFExampleDecoder as TFExampleDecoder
from minitf.compat.contrib.slim_data import TFSequenceExampleDecoder as TFSequenceExampleDecoder
from minitf.compat.contrib.slim_data import Tensor as Tensor
