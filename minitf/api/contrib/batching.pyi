"""The names of `tf.contrib.batching`."""

from minitf.compat.contrib.call_batching import batch as batch
from minitf.compat.contrib.call_batching import batch_function as batch_function
from minitf.compat.contrib.call_batching import batch_function_v1 as batch_function_v1
from minitf.compat.contrib.call_batching import unbatch as unbatch
