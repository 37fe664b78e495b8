"""The names of `tf.contrib.labeled_tensor.nn`."""

from minitf.compat.contrib.labeled_tensor import crelu as crelu
from minitf.compat.contrib.labeled_tensor import elu as elu
from minitf.compat.contrib.labeled_tensor import l2_loss as l2_loss
from minitf.compat.contrib.labeled_tensor import log_softmax as log_softmax
from minitf.compat.contrib.labeled_tensor import relu as relu
from minitf.compat.contrib.labeled_tensor import relu6 as relu6
from minitf.compat.contrib.labeled_tensor import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from minitf.compat.contrib.labeled_tensor import softmax as softmax
from minitf.compat.contrib.labeled_tensor import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from minitf.compat.contrib.labeled_tensor import softplus as softplus
from minitf.compat.contrib.labeled_tensor import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
