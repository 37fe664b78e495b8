"""The namespace `tf.contrib.util`: names only."""

from minitf.compat.tensor_util import make_ndarray, make_tensor_proto
from minitf.framework.convert import constant_value

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
