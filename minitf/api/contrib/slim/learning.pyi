"""The names of `tf.contrib.slim.learning`."""

from minitf.compat.slim.learning import add_gradients_summaries as add_gradients_summaries
from minitf.compat.slim.learning import clip_gradient_norms as clip_gradient_norms
from minitf.compat.slim.learning import create_train_op as create_train_op
from minitf.compat.slim.learning import multiply_gradients as multiply_gradients
from minitf.compat.slim.learning import train as train
from minitf.compat.slim.learning import train_step as train_step
