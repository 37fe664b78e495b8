"""The names of `tf.losses`."""

from minitf.library.losses import Reduction as Reduction
from minitf.library.losses import absolute_difference as absolute_difference
from minitf.library.losses import add_loss as add_loss
from minitf.library.losses import compute_weighted_loss as compute_weighted_loss
from minitf.library.losses import cosine_distance as cosine_distance
from minitf.library.losses import get_losses as get_losses
from minitf.library.losses import get_regularization_loss as get_regularization_loss
from minitf.library.losses import get_regularization_losses as get_regularization_losses
from minitf.library.losses import get_total_loss as get_total_loss
from minitf.library.losses import hinge_loss as hinge_loss
from minitf.library.losses import huber_loss as huber_loss
from minitf.library.losses import log_loss as log_loss
from minitf.library.losses import mean_squared_error as mean_squared_error
from minitf.library.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from minitf.library.losses import softmax_cross_entropy as softmax_cross_entropy
from minitf.library.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
