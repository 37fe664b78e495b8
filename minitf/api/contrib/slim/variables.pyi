"""The names of `tf.contrib.slim.variables`."""

from minitf.compat.contrib.variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.variables import get_model_variables as get_model_variables
from minitf.compat.contrib.variables import get_variables as get_variables
from minitf.compat.contrib.variables import get_variables_to_restore as get_variables_to_restore
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step
