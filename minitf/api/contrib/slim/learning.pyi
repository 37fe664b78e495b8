"""The names of `tf.contrib.slim.learning`."""

from minitf.compat.contrib.slim_learning import add_gradients_summaries as add_gradients_summaries
from minitf.compat.contrib.slim_learning import clip_gradient_norms as clip_gradient_norms
from minitf.compat.contrib.slim_learning import create_train_op as create_train_op
from minitf.compat.contrib.slim_learning import multiply_gradients as multiply_gradients
from minitf.compat.contrib.slim_learning import train as train
from minitf.compat.contrib.slim_learning import train_step as train_step
