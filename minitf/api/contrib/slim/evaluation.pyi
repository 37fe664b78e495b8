"""The names of `tf.contrib.slim.evaluation`."""

from minitf.library.saving.checkpoint_utils import checkpoints_iterator as checkpoints_iterator
from minitf.library.saving.checkpoint_utils import wait_for_new_checkpoint as wait_for_new_checkpoint
