"""The names of `tf.contrib.losses.metric_learning`."""

from minitf.compat.contrib.losses import triplet_semihard_loss as triplet_semihard_loss
