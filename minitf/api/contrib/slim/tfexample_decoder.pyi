"""The names of `tf.contrib.slim.tfexample_decoder`."""

from minitf.compat.slim.data import BackupHandler as BackupHandler
from minitf.compat.slim.data import BoundingBox as BoundingBox
from minitf.compat.slim.data import Image as Image
from minitf.compat.slim.data import ItemHandler as ItemHandler
from minitf.compat.slim.data import ItemHandlerCallback as ItemHandlerCallback
from minitf.compat.slim.data import LookupTensor as LookupTensor
from minitf.compat.slim.data import SparseTensor as SparseTensor
from minitf.compat.slim.data import TFExampleDecoder as TFExampleDecoder
from minitf.compat.slim.data import TFSequenceExampleDecoder as TFSequenceExampleDecoder
from minitf.compat.slim.data import Tensor as Tensor
