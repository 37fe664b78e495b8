"""The names of `tf.contrib.slim.evaluation`."""

from minitf.compat.slim.evaluation import evaluate_once as evaluate_once
from minitf.compat.slim.evaluation import evaluation_loop as evaluation_loop
from minitf.library.saving.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from minitf.library.saving.checkpoint_utils import wait_for_new_checkpoint as wait_for_new_checkpoint
