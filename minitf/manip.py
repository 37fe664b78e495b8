"""The namespace `tf.manip`: names only."""

from minitf.ops.array_gathering import gather_nd
from minitf.ops.array_rearranging import batch_to_space_nd, roll, space_to_batch_nd
from minitf.ops.array_shaping import reshape, reverse, tile
from minitf.ops.scatter import scatter_nd

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
