"""Losses. The package is at the same time `tf.losses`.

`losses.py` has the losses, `util.py` the collections in which a graph keeps them.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.losses.losses: Reduction absolute_difference compute_weighted_loss cosine_distance
    hinge_loss huber_loss log_loss mean_pairwise_squared_error mean_squared_error
    sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy
minitf.losses.util: add_loss get_losses get_regularization_loss get_regularization_losses
    get_total_loss
""",
)
