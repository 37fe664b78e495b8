"""The names of `tf.contrib.layers.utils`."""

from minitf.compat.slim.layers import append_tensor_alias as append_tensor_alias
from minitf.compat.slim.layers import collect_named_outputs as collect_named_outputs
from minitf.core.gradients.cond import smart_constant_value as constant_value
from minitf.core.gradients.cond import smart_cond as smart_cond

__all__ = [
    "append_tensor_alias", "collect_named_outputs", "constant_value", "smart_cond"
]
