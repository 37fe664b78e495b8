"""The names of `tf.contrib.losses.metric_learning`."""

from minitf.compat.contrib.metric_learning import contrastive_loss as contrastive_loss
from minitf.compat.contrib.metric_learning import lifted_struct_loss as lifted_struct_loss
from minitf.compat.contrib.metric_learning import npairs_loss as npairs_loss
from minitf.compat.contrib.metric_learning import npairs_loss_multilabel as npairs_loss_multilabel
from minitf.compat.contrib.metric_learning import pairwise_distance as pairwise_distance
from minitf.compat.contrib.metric_learning import triplet_semihard_loss as triplet_semihard_loss
