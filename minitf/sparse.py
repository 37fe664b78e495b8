"""The namespace `tf.sparse`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.sparse_tensor: SparseTensor
minitf.ops.segments: segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n
    segment_sum=sparse_segment_sum
minitf.ops.sparse: eye from_dense placeholder=sparse_placeholder to_dense=sparse_tensor_to_dense
    to_indicator=sparse_to_indicator
minitf.ops.sparse_math: matmul=sparse_tensor_dense_matmul reduce_max=sparse_reduce_max
    reduce_max_sparse=sparse_reduce_max_sparse reduce_sum=sparse_reduce_sum
    reduce_sum_sparse=sparse_reduce_sum_sparse sparse_dense_matmul=sparse_tensor_dense_matmul
minitf.ops.sparse_shaping: add=sparse_add concat=sparse_concat expand_dims=sparse_expand_dims
    fill_empty_rows=sparse_fill_empty_rows mask=sparse_mask maximum=sparse_maximum
    merge=sparse_merge minimum=sparse_minimum reorder=sparse_reorder
    reset_shape=sparse_reset_shape reshape=sparse_reshape retain=sparse_retain slice=sparse_slice
    softmax=sparse_softmax split=sparse_split transpose=sparse_transpose
""",
)
