"""The names of `tf.random.experimental`."""

from minitf.library.numeric.random_generators import Algorithm as Algorithm
from minitf.library.numeric.random_generators import Generator as Generator
from minitf.library.numeric.random_generators import create_rng_state as create_rng_state
from minitf.library.numeric.random_generators import get_global_generator as get_global_generator
from minitf.library.numeric.random_generators import set_global_generator as set_global_generator
