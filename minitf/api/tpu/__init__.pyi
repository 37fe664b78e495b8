"""The names of `tf.tpu`."""

from minitf.api.tpu import experimental as experimental
from minitf.library.distribute.tpu import CrossShardOptimizer as CrossShardOptimizer
from minitf.library.distribute.tpu import batch_parallel as batch_parallel
from minitf.library.distribute.tpu import bfloat16_scope as bfloat16_scope
from minitf.library.distribute.tpu import initialize_system as initialize_system
from minitf.library.distribute.tpu import replicate as replicate
from minitf.library.distribute.tpu import rewrite as rewrite
from minitf.library.distribute.tpu import shutdown_system as shutdown_system
