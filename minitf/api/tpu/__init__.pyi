"""The names of `tf.tpu`."""

from minitf.api.tpu import experimental as experimental
from minitf.library.distribute.tpu_strategy import CrossShardOptimizer as CrossShardOptimizer
from minitf.library.distribute.tpu_strategy import batch_parallel as batch_parallel
from minitf.library.distribute.tpu_strategy import bfloat16_scope as bfloat16_scope
from minitf.library.distribute.tpu_strategy import initialize_system as initialize_system
from minitf.library.distribute.tpu_strategy import replicate as replicate
from minitf.library.distribute.tpu_strategy import rewrite as rewrite
from minitf.library.distribute.tpu_strategy import shutdown_system as shutdown_system
