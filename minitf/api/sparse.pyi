"""The names of `tf.sparse`."""

from minitf.core.graph.composites import SparseTensor as SparseTensor
from minitf.library.input.queues.accumulators import SparseConditionalAccumulator as SparseConditionalAccumulator
from minitf.library.numeric.segments import sparse_segment_mean as segment_mean
from minitf.library.numeric.segments import sparse_segment_sum as segment_sum
from minitf.library.sparse.sparse import sparse_placeholder as placeholder
from minitf.library.sparse.sparse import sparse_tensor_to_dense as to_dense
from minitf.library.sparse.sparse import sparse_to_indicator as to_indicator
from minitf.library.sparse.sparse_shaping import sparse_concat as concat
from minitf.library.sparse.sparse_shaping import sparse_fill_empty_rows as fill_empty_rows
from minitf.library.sparse.sparse_shaping import sparse_merge as merge
from minitf.library.sparse.sparse_shaping import sparse_reshape as reshape
from minitf.library.sparse.sparse_shaping import sparse_retain as retain
from minitf.library.sparse.sparse_shaping import sparse_slice as slice
from minitf.library.text.hashes import sparse_cross_hashed as cross_hashed

__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "concat", "cross_hashed", "fill_empty_rows",
    "merge", "placeholder", "reshape", "retain", "segment_mean", "segment_sum", "slice",
    "to_dense", "to_indicator"
]
