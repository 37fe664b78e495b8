"""The names of `tf.contrib.layers`."""

from minitf.api.contrib.layers import utils as utils
from minitf.compat.contrib.feature_columns import bucketized_column as bucketized_column
from minitf.compat.contrib.feature_columns import create_feature_spec_for_parsing as create_feature_spec_for_parsing
from minitf.compat.contrib.feature_columns import crossed_column as crossed_column
from minitf.compat.contrib.feature_columns import embedding_column as embedding_column
from minitf.compat.contrib.feature_columns import real_valued_column as real_valued_column
from minitf.compat.contrib.feature_columns import sparse_column_with_integerized_feature as sparse_column_with_integerized_feature
from minitf.compat.contrib.feature_columns import weighted_sparse_column as weighted_sparse_column
from minitf.compat.contrib.feature_columns import weighted_sum_from_feature_columns as weighted_sum_from_feature_columns
from minitf.compat.contrib.layers import apply_regularization as apply_regularization
from minitf.compat.contrib.layers import avg_pool2d as avg_pool2d
from minitf.compat.contrib.layers import conv2d as conv2d
from minitf.compat.contrib.layers import convolution2d as convolution2d
from minitf.compat.contrib.layers import dropout as dropout
from minitf.compat.contrib.layers import embed_sequence as embed_sequence
from minitf.compat.contrib.layers import flatten as flatten
from minitf.compat.contrib.layers import fully_connected as fully_connected
from minitf.compat.contrib.layers import l1_regularizer as l1_regularizer
from minitf.compat.contrib.layers import l2_regularizer as l2_regularizer
from minitf.compat.contrib.layers import linear as linear
from minitf.compat.contrib.layers import max_pool2d as max_pool2d
from minitf.compat.contrib.layers import one_hot_encoding as one_hot_encoding
from minitf.compat.contrib.layers import relu as relu
from minitf.compat.contrib.layers import softmax as softmax
from minitf.compat.contrib.layers import stack as stack
from minitf.compat.contrib.layers import summarize_activation as summarize_activation
from minitf.compat.contrib.layers import variance_scaling_initializer as variance_scaling_initializer
from minitf.compat.contrib.layers import xavier_initializer as xavier_initializer
from minitf.compat.contrib.normalization import batch_norm as batch_norm
from minitf.compat.contrib.normalization import layer_norm as layer_norm
from minitf.compat.contrib.training import optimize_loss as optimize_loss
from minitf.library.nets.embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from minitf.library.text.hashes import DEFAULT_HASH_KEY as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY

__all__ = [
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY", "apply_regularization", "avg_pool2d", "batch_norm",
    "bucketized_column", "conv2d", "convolution2d", "create_feature_spec_for_parsing",
    "crossed_column", "dropout", "embed_sequence", "embedding_column", "flatten",
    "fully_connected", "l1_regularizer", "l2_regularizer", "layer_norm", "linear", "max_pool2d",
    "one_hot_encoding", "optimize_loss", "real_valued_column", "relu",
    "safe_embedding_lookup_sparse", "softmax", "sparse_column_with_integerized_feature",
    "stack", "summarize_activation", "utils", "variance_scaling_initializer",
    "weighted_sparse_column", "weighted_sum_from_feature_columns", "xavier_initializer"
]
