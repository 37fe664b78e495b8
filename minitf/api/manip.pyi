"""The names of `tf.manip`."""

from minitf.core.ops.array_gathering import gather_nd as gather_nd
from minitf.core.ops.array_shaping import reshape as reshape
from minitf.core.ops.array_shaping import reverse as reverse
from minitf.core.ops.array_shaping import tile as tile
from minitf.core.ops.scatter import scatter_nd as scatter_nd
from minitf.library.numeric.rearranging import roll as roll
