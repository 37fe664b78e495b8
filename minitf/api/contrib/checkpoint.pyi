"""The names of `tf.contrib.checkpoint`."""

from minitf.library.saving.object_checkpoint import CheckpointManager as CheckpointManager
