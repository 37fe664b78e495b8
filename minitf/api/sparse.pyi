"""The names of `tf.sparse`."""

from minitf.core.graph.sparse_tensor import SparseTensor as SparseTensor
from minitf.core.ops.segments import sparse_segment_mean as segment_mean
from minitf.core.ops.segments import sparse_segment_sqrt_n as segment_sqrt_n
from minitf.core.ops.segments import sparse_segment_sum as segment_sum
from minitf.library.input.queues.accumulators import SparseConditionalAccumulator as SparseConditionalAccumulator
from minitf.library.sparse.sparse import eye as eye
from minitf.library.sparse.sparse import from_dense as from_dense
from minitf.library.sparse.sparse import sparse_placeholder as placeholder
from minitf.library.sparse.sparse import sparse_tensor_to_dense as to_dense
from minitf.library.sparse.sparse import sparse_to_indicator as to_indicator
from minitf.library.sparse.sparse_math import sparse_tensor_dense_matmul as matmul
from minitf.library.sparse.sparse_math import sparse_reduce_max as reduce_max
from minitf.library.sparse.sparse_math import sparse_reduce_max_sparse as reduce_max_sparse
from minitf.library.sparse.sparse_math import sparse_reduce_sum as reduce_sum
from minitf.library.sparse.sparse_math import sparse_reduce_sum_sparse as reduce_sum_sparse
from minitf.library.sparse.sparse_math import sparse_tensor_dense_matmul as sparse_dense_matmul
from minitf.library.sparse.sparse_shaping import sparse_add as add
from minitf.library.sparse.sparse_shaping import sparse_concat as concat
from minitf.library.sparse.sparse_shaping import sparse_expand_dims as expand_dims
from minitf.library.sparse.sparse_shaping import sparse_fill_empty_rows as fill_empty_rows
from minitf.library.sparse.sparse_shaping import sparse_mask as mask
from minitf.library.sparse.sparse_shaping import sparse_maximum as maximum
from minitf.library.sparse.sparse_shaping import sparse_merge as merge
from minitf.library.sparse.sparse_shaping import sparse_minimum as minimum
from minitf.library.sparse.sparse_shaping import sparse_reorder as reorder
from minitf.library.sparse.sparse_shaping import sparse_reset_shape as reset_shape
from minitf.library.sparse.sparse_shaping import sparse_reshape as reshape
from minitf.library.sparse.sparse_shaping import sparse_retain as retain
from minitf.library.sparse.sparse_shaping import sparse_slice as slice
from minitf.library.sparse.sparse_shaping import sparse_softmax as softmax
from minitf.library.sparse.sparse_shaping import sparse_split as split
from minitf.library.sparse.sparse_shaping import sparse_transpose as transpose
from minitf.library.text.crosses import sparse_cross as cross
from minitf.library.text.crosses import sparse_cross_hashed as cross_hashed

__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "add", "concat", "cross", "cross_hashed",
    "expand_dims", "eye", "fill_empty_rows", "from_dense", "mask", "matmul", "maximum", "merge",
    "minimum", "placeholder", "reduce_max", "reduce_max_sparse", "reduce_sum",
    "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain", "segment_mean",
    "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split",
    "to_dense", "to_indicator", "transpose"
]
