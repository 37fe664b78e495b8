"""The names of `tf.contrib.losses`."""

from minitf.api.contrib.losses import metric_learning as metric_learning
from minitf.compat.contrib.losses import mean_squared_error as mean_squared_error
from minitf.library.losses import get_losses as get_losses
from minitf.library.losses import get_regularization_losses as get_regularization_losses
from minitf.library.losses import get_total_loss as get_total_loss
