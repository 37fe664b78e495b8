"""The names of `tf.contrib.slim.variables`."""

from minitf.compat.contrib.variables import assign_from_checkpoint as assign_from_checkpoint
from minitf.compat.contrib.variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.variables import assign_from_values as assign_from_values
from minitf.compat.contrib.variables import assign_from_values_fn as assign_from_values_fn
from minitf.compat.contrib.variables import filter_variables as filter_variables
from minitf.compat.contrib.variables import get_local_variables as get_local_variables
from minitf.compat.contrib.variables import get_model_variables as get_model_variables
from minitf.compat.contrib.variables import get_trainable_variables as get_trainable_variables
from minitf.compat.contrib.variables import get_unique_variable as get_unique_variable
from minitf.compat.contrib.variables import get_variables as get_variables
from minitf.compat.contrib.variables import get_variables_by_name as get_variables_by_name
from minitf.compat.contrib.variables import get_variables_by_suffix as get_variables_by_suffix
from minitf.compat.contrib.variables import get_variables_to_restore as get_variables_to_restore
from minitf.compat.contrib.variables import local_variable as local_variable
from minitf.compat.contrib.variables import model_variable as model_variable
from minitf.compat.contrib.variables import variable as variable
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step
