"""The names of `tf.contrib.stateless`."""

from minitf.library.numeric.stateless_random import stateless_multinomial as stateless_multinomial
from minitf.library.numeric.stateless_random import stateless_random_normal as stateless_random_normal
from minitf.library.numeric.stateless_random import stateless_random_uniform as stateless_random_uniform
from minitf.library.numeric.stateless_random import stateless_truncated_normal as stateless_truncated_normal
