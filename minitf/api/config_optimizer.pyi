"""The names of `tf.config.optimizer`."""

from minitf.library.platform.runtime_settings import get_experimental_options as get_experimental_options
from minitf.library.platform.runtime_settings import get_jit as get_jit
from minitf.library.platform.runtime_settings import set_experimental_options as set_experimental_options
from minitf.library.platform.runtime_settings import set_jit as set_jit
