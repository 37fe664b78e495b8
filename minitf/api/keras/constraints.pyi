"""The names of `tf.keras.constraints`."""

from minitf.library.keras.constraints import Constraint as Constraint
from minitf.library.keras.constraints import MaxNorm as MaxNorm
from minitf.library.keras.constraints import MinMaxNorm as MinMaxNorm
from minitf.library.keras.constraints import NonNeg as NonNeg
from minitf.library.keras.constraints import UnitNorm as UnitNorm
from minitf.library.keras.constraints import deserialize as deserialize
from minitf.library.keras.constraints import get as get
from minitf.library.keras.constraints import max_norm as max_norm
from minitf.library.keras.constraints import min_max_norm as min_max_norm
from minitf.library.keras.constraints import non_neg as non_neg
from minitf.library.keras.constraints import serialize as serialize
from minitf.library.keras.constraints import unit_norm as unit_norm
