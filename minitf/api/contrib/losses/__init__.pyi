"""The names of `tf.contrib.losses`."""

from minitf.api.contrib.losses import metric_learning as metric_learning
from minitf.compat.contrib.losses import absolute_difference as absolute_difference
from minitf.compat.contrib.losses import add_loss as add_loss
from minitf.compat.contrib.losses import compute_weighted_loss as compute_weighted_loss
from minitf.compat.contrib.losses import cosine_distance as cosine_distance
from minitf.compat.contrib.losses import hinge_loss as hinge_loss
from minitf.compat.contrib.losses import log_loss as log_loss
from minitf.compat.contrib.losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from minitf.compat.contrib.losses import mean_squared_error as mean_squared_error
from minitf.compat.contrib.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from minitf.compat.contrib.losses import softmax_cross_entropy as softmax_cross_entropy
from minitf.compat.contrib.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from minitf.library.losses.util import get_losses as get_losses
from minitf.library.losses.util import get_regularization_losses as get_regularization_losses
from minitf.library.losses.util import get_total_loss as get_total_loss
