"""The namespace `tf.contrib.losses`: names only."""

from minitf.compat.contrib_losses import (
    absolute_difference,
    cosine_distance,
    hinge_loss,
    log_loss,
    mean_squared_error,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from minitf.losses import (
    add_loss,
    compute_weighted_loss,
    get_losses,
    get_regularization_losses,
    get_total_loss,
)

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
