"""The namespace `tf.sets`: names only."""

from minitf.ops.sets import set_difference, set_intersection, set_size, set_union

difference = set_difference
intersection = set_intersection
size = set_size
union = set_union

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
