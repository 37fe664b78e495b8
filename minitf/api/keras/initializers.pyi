"""The names of `tf.keras.initializers`."""

from minitf.core.variables.initializers import Constant as Constant
from minitf.core.variables.initializers import GlorotNormal as GlorotNormal
from minitf.core.variables.initializers import GlorotUniform as GlorotUniform
from minitf.core.variables.initializers import Initializer as Initializer
from minitf.core.variables.initializers import Ones as Ones
from minitf.core.variables.initializers import VarianceScaling as VarianceScaling
from minitf.core.variables.initializers import Zeros as Zeros
from minitf.core.variables.initializers import Constant as constant
from minitf.core.variables.initializers import GlorotNormal as glorot_normal
from minitf.core.variables.initializers import GlorotUniform as glorot_uniform
from minitf.core.variables.initializers import he_normal as he_normal
from minitf.core.variables.initializers import he_uniform as he_uniform
from minitf.core.variables.initializers import lecun_normal as lecun_normal
from minitf.core.variables.initializers import lecun_uniform as lecun_uniform
from minitf.core.variables.initializers import Ones as ones
from minitf.core.variables.initializers import Zeros as zeros
from minitf.library.keras.initializers import RandomNormal as RandomNormal
from minitf.library.keras.initializers import RandomUniform as RandomUniform
from minitf.library.keras.initializers import TruncatedNormal as TruncatedNormal
from minitf.library.keras.initializers import deserialize as deserialize
from minitf.library.keras.initializers import get as get
from minitf.library.keras.initializers import RandomNormal as normal
from minitf.library.keras.initializers import RandomNormal as random_normal
from minitf.library.keras.initializers import RandomUniform as random_uniform
from minitf.library.keras.initializers import serialize as serialize
from minitf.library.keras.initializers import TruncatedNormal as truncated_normal
from minitf.library.keras.initializers import RandomUniform as uniform
from minitf.library.variables.orthogonal import Identity as Identity
from minitf.library.variables.orthogonal import Orthogonal as Orthogonal
from minitf.library.variables.orthogonal import Identity as identity
from minitf.library.variables.orthogonal import Orthogonal as orthogonal

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "Identity", "Initializer", "Ones",
    "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
    "Zeros", "constant", "deserialize", "get", "glorot_normal", "glorot_uniform", "he_normal",
    "he_uniform", "identity", "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal",
    "random_normal", "random_uniform", "serialize", "truncated_normal", "uniform", "zeros"
]
