"""The names of `tf.keras.regularizers`."""

from minitf.library.keras.regularizers import L1L2 as L1L2
from minitf.library.keras.regularizers import Regularizer as Regularizer
from minitf.library.keras.regularizers import deserialize as deserialize
from minitf.library.keras.regularizers import get as get
from minitf.library.keras.regularizers import l1 as l1
from minitf.library.keras.regularizers import l1_l2 as l1_l2
from minitf.library.keras.regularizers import l2 as l2
from minitf.library.keras.regularizers import serialize as serialize
