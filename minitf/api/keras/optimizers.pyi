"""The names of `tf.keras.optimizers`."""

from minitf.library.keras.optimizers.base import OptimizerV2 as Optimizer
from minitf.library.keras.optimizers.optimizers import Adadelta as Adadelta
from minitf.library.keras.optimizers.optimizers import Adagrad as Adagrad
from minitf.library.keras.optimizers.optimizers import Adam as Adam
from minitf.library.keras.optimizers.optimizers import RMSprop as RMSprop
from minitf.library.keras.optimizers.optimizers import SGD as SGD
from minitf.library.keras.optimizers.optimizers import deserialize as deserialize
from minitf.library.keras.optimizers.optimizers import get as get
from minitf.library.keras.optimizers.optimizers import serialize as serialize

__all__ = [
    "Adadelta", "Adagrad", "Adam", "Optimizer", "RMSprop", "SGD", "deserialize", "get",
    "serialize"
]
