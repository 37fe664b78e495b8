"""The names of `tf.sets`."""

from minitf.library.sparse.sets import set_difference as difference
from minitf.library.sparse.sets import set_intersection as intersection
from minitf.library.sparse.sets import set_difference as set_difference
from minitf.library.sparse.sets import set_intersection as set_intersection
from minitf.library.sparse.sets import set_size as set_size
from minitf.library.sparse.sets import set_union as set_union
from minitf.library.sparse.sets import set_size as size
from minitf.library.sparse.sets import set_union as union

__all__ = [
    "difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union",
    "size", "union"
]
