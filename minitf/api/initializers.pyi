"""The names of `tf.initializers`."""

from minitf.core.variables.initialization import global_variables_initializer as global_variables
from minitf.core.variables.initialization import local_variables_initializer as local_variables
from minitf.core.variables.initialization import tables_initializer as tables_initializer
from minitf.core.variables.initialization import variables_initializer as variables
from minitf.core.variables.initializers import Constant as Constant
from minitf.core.variables.initializers import GlorotNormal as GlorotNormal
from minitf.core.variables.initializers import GlorotUniform as GlorotUniform
from minitf.core.variables.initializers import Initializer as Initializer
from minitf.core.variables.initializers import Ones as Ones
from minitf.core.variables.initializers import RandomNormal as RandomNormal
from minitf.core.variables.initializers import RandomUniform as RandomUniform
from minitf.core.variables.initializers import TruncatedNormal as TruncatedNormal
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
from minitf.core.variables.initializers import RandomNormal as random_normal
from minitf.core.variables.initializers import RandomUniform as random_uniform
from minitf.core.variables.initializers import TruncatedNormal as truncated_normal
from minitf.core.variables.initializers import VarianceScaling as variance_scaling
from minitf.core.variables.initializers import Zeros as zeros
from minitf.library.variables.orthogonal import Identity as Identity
from minitf.library.variables.orthogonal import Orthogonal as Orthogonal
from minitf.library.variables.orthogonal import Identity as identity
from minitf.library.variables.orthogonal import Orthogonal as orthogonal

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "Identity", "Initializer", "Ones",
    "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling",
    "Zeros", "constant", "global_variables", "glorot_normal", "glorot_uniform", "he_normal",
    "he_uniform", "identity", "lecun_normal", "lecun_uniform", "local_variables", "ones",
    "orthogonal", "random_normal", "random_uniform", "tables_initializer", "truncated_normal",
    "variables", "variance_scaling", "zeros"
]
