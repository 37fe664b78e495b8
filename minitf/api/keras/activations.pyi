"""The names of `tf.keras.activations`."""

from minitf.core.ops.math import sigmoid as sigmoid
from minitf.core.ops.math import tanh as tanh
from minitf.library.keras.activations import deserialize as deserialize
from minitf.library.keras.activations import exponential as exponential
from minitf.library.keras.activations import get as get
from minitf.library.keras.activations import linear as linear
from minitf.library.keras.activations import serialize as serialize
from minitf.library.keras.activations import softmax as softmax
from minitf.library.keras.backend.functions import elu as elu
from minitf.library.keras.backend.functions import hard_sigmoid as hard_sigmoid
from minitf.library.keras.backend.functions import relu as relu
from minitf.library.nets.activations import selu as selu
from minitf.library.nets.activations import softplus as softplus
from minitf.library.nets.activations import softsign as softsign
from minitf.library.nets.activations import swish as swish
