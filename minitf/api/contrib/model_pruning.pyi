"""The names of `tf.contrib.model_pruning`."""

from minitf.compat.contrib.pruning import MaskedBasicLSTMCell as MaskedBasicLSTMCell
from minitf.compat.contrib.pruning import MaskedLSTMCell as MaskedLSTMCell
from minitf.compat.contrib.pruning import Pruning as Pruning
from minitf.compat.contrib.pruning import apply_mask as apply_mask
from minitf.compat.contrib.pruning import get_masked_weights as get_masked_weights
from minitf.compat.contrib.pruning import get_masks as get_masks
from minitf.compat.contrib.pruning import get_pruning_hparams as get_pruning_hparams
from minitf.compat.contrib.pruning import get_thresholds as get_thresholds
from minitf.compat.contrib.pruning import get_weight_sparsity as get_weight_sparsity
from minitf.compat.contrib.pruning import get_weights as get_weights
from minitf.compat.contrib.pruning import masked_conv2d as masked_conv2d
from minitf.compat.contrib.pruning import masked_convolution as masked_convolution
from minitf.compat.contrib.pruning import masked_fully_connected as masked_fully_connected
