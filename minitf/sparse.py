"""The namespace `tf.sparse`: names only."""

from minitf.framework.sparse_tensor import SparseTensor
from minitf.ops.segments import sparse_segment_mean as segment_mean
from minitf.ops.segments import sparse_segment_sqrt_n as segment_sqrt_n
from minitf.ops.segments import sparse_segment_sum as segment_sum
from minitf.ops.sparse import eye, from_dense
from minitf.ops.sparse import sparse_placeholder as placeholder
from minitf.ops.sparse import sparse_tensor_to_dense as to_dense
from minitf.ops.sparse import sparse_to_indicator as to_indicator
from minitf.ops.sparse_math import sparse_reduce_max as reduce_max
from minitf.ops.sparse_math import sparse_reduce_max_sparse as reduce_max_sparse
from minitf.ops.sparse_math import sparse_reduce_sum as reduce_sum
from minitf.ops.sparse_math import sparse_reduce_sum_sparse as reduce_sum_sparse
from minitf.ops.sparse_math import sparse_tensor_dense_matmul as matmul
from minitf.ops.sparse_math import sparse_tensor_dense_matmul as sparse_dense_matmul
from minitf.ops.sparse_shaping import sparse_add as add
from minitf.ops.sparse_shaping import sparse_concat as concat
from minitf.ops.sparse_shaping import sparse_expand_dims as expand_dims
from minitf.ops.sparse_shaping import sparse_fill_empty_rows as fill_empty_rows
from minitf.ops.sparse_shaping import sparse_mask as mask
from minitf.ops.sparse_shaping import sparse_maximum as maximum
from minitf.ops.sparse_shaping import sparse_merge as merge
from minitf.ops.sparse_shaping import sparse_minimum as minimum
from minitf.ops.sparse_shaping import sparse_reorder as reorder
from minitf.ops.sparse_shaping import sparse_reset_shape as reset_shape
from minitf.ops.sparse_shaping import sparse_reshape as reshape
from minitf.ops.sparse_shaping import sparse_retain as retain
from minitf.ops.sparse_shaping import sparse_slice as slice  # noqa: A004
from minitf.ops.sparse_shaping import sparse_softmax as softmax
from minitf.ops.sparse_shaping import sparse_split as split
from minitf.ops.sparse_shaping import sparse_transpose as transpose

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
