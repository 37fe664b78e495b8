"""The names of `tf.contrib.layers`."""

from minitf.api.contrib.layers import utils as utils
from minitf.compat.contrib.feature_columns import bucketized_column as bucketized_column
from minitf.compat.contrib.feature_columns import check_feature_columns as check_feature_columns
from minitf.compat.contrib.feature_columns import create_feature_spec_for_parsing as create_feature_spec_for_parsing
from minitf.compat.contrib.feature_columns import crossed_column as crossed_column
from minitf.compat.contrib.feature_columns import embedding_column as embedding_column
from minitf.compat.contrib.feature_columns import infer_real_valued_columns as infer_real_valued_columns
from minitf.compat.contrib.feature_columns import input_from_feature_columns as input_from_feature_columns
from minitf.compat.contrib.feature_columns import joint_weighted_sum_from_feature_columns as joint_weighted_sum_from_feature_columns
from minitf.compat.contrib.feature_columns import make_place_holder_tensors_for_base_features as make_place_holder_tensors_for_base_features
from minitf.compat.contrib.feature_columns import one_hot_column as one_hot_column
from minitf.compat.contrib.feature_columns import parse_feature_columns_from_examples as parse_feature_columns_from_examples
from minitf.compat.contrib.feature_columns import parse_feature_columns_from_sequence_examples as parse_feature_columns_from_sequence_examples
from minitf.compat.contrib.feature_columns import real_valued_column as real_valued_column
from minitf.compat.contrib.feature_columns import scattered_embedding_column as scattered_embedding_column
from minitf.compat.contrib.feature_columns import sequence_input_from_feature_columns as sequence_input_from_feature_columns
from minitf.compat.contrib.feature_columns import shared_embedding_columns as shared_embedding_columns
from minitf.compat.contrib.feature_columns import sparse_column_with_hash_bucket as sparse_column_with_hash_bucket
from minitf.compat.contrib.feature_columns import sparse_column_with_integerized_feature as sparse_column_with_integerized_feature
from minitf.compat.contrib.feature_columns import sparse_column_with_keys as sparse_column_with_keys
from minitf.compat.contrib.feature_columns import sparse_column_with_vocabulary_file as sparse_column_with_vocabulary_file
from minitf.compat.contrib.feature_columns import transform_features as transform_features
from minitf.compat.contrib.feature_columns import weighted_sparse_column as weighted_sparse_column
from minitf.compat.contrib.feature_columns import weighted_sum_from_feature_columns as weighted_sum_from_feature_columns
from minitf.compat.contrib.optimize_loss import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from minitf.compat.contrib.optimize_loss import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from minitf.compat.contrib.optimize_loss import adaptive_clipping_fn as adaptive_clipping_fn
from minitf.compat.contrib.optimize_loss import optimize_loss as optimize_loss
from minitf.compat.contrib.regularizers import apply_regularization as apply_regularization
from minitf.compat.contrib.regularizers import l1_l2_regularizer as l1_l2_regularizer
from minitf.compat.contrib.regularizers import l1_regularizer as l1_regularizer
from minitf.compat.contrib.regularizers import l2_regularizer as l2_regularizer
from minitf.compat.contrib.regularizers import sum_regularizer as sum_regularizer
from minitf.compat.slim.image_layers import GDN as GDN
from minitf.compat.slim.image_layers import conv2d_in_plane as conv2d_in_plane
from minitf.compat.slim.image_layers import convolution2d_in_plane as convolution2d_in_plane
from minitf.compat.slim.image_layers import gdn as gdn
from minitf.compat.slim.image_layers import images_to_sequence as images_to_sequence
from minitf.compat.slim.image_layers import legacy_fully_connected as legacy_fully_connected
from minitf.compat.slim.image_layers import legacy_linear as legacy_linear
from minitf.compat.slim.image_layers import legacy_relu as legacy_relu
from minitf.compat.slim.image_layers import sequence_to_images as sequence_to_images
from minitf.compat.slim.image_layers import spatial_softmax as spatial_softmax
from minitf.compat.slim.initializers import variance_scaling_initializer as variance_scaling_initializer
from minitf.compat.slim.initializers import xavier_initializer as xavier_initializer
from minitf.compat.slim.initializers import xavier_initializer_conv2d as xavier_initializer_conv2d
from minitf.compat.slim.layers import avg_pool2d as avg_pool2d
from minitf.compat.slim.layers import avg_pool3d as avg_pool3d
from minitf.compat.slim.layers import bias_add as bias_add
from minitf.compat.slim.layers import conv1d as conv1d
from minitf.compat.slim.layers import conv2d as conv2d
from minitf.compat.slim.layers import conv2d_transpose as conv2d_transpose
from minitf.compat.slim.layers import conv3d as conv3d
from minitf.compat.slim.layers import conv3d_transpose as conv3d_transpose
from minitf.compat.slim.layers import convolution as convolution
from minitf.compat.slim.layers import convolution1d as convolution1d
from minitf.compat.slim.layers import convolution2d as convolution2d
from minitf.compat.slim.layers import convolution2d_transpose as convolution2d_transpose
from minitf.compat.slim.layers import convolution3d as convolution3d
from minitf.compat.slim.layers import convolution3d_transpose as convolution3d_transpose
from minitf.compat.slim.layers import dropout as dropout
from minitf.compat.slim.layers import elu as elu
from minitf.compat.slim.layers import embed_sequence as embed_sequence
from minitf.compat.slim.layers import flatten as flatten
from minitf.compat.slim.layers import fully_connected as fully_connected
from minitf.compat.slim.layers import linear as linear
from minitf.compat.slim.layers import max_pool2d as max_pool2d
from minitf.compat.slim.layers import max_pool3d as max_pool3d
from minitf.compat.slim.layers import maxout as maxout
from minitf.compat.slim.layers import one_hot_encoding as one_hot_encoding
from minitf.compat.slim.layers import pool as pool
from minitf.compat.slim.layers import relu as relu
from minitf.compat.slim.layers import relu6 as relu6
from minitf.compat.slim.layers import repeat as repeat
from minitf.compat.slim.layers import separable_conv2d as separable_conv2d
from minitf.compat.slim.layers import separable_convolution2d as separable_convolution2d
from minitf.compat.slim.layers import softmax as softmax
from minitf.compat.slim.layers import stack as stack
from minitf.compat.slim.layers import unit_norm as unit_norm
from minitf.compat.slim.normalization import batch_norm as batch_norm
from minitf.compat.slim.normalization import group_norm as group_norm
from minitf.compat.slim.normalization import instance_norm as instance_norm
from minitf.compat.slim.normalization import layer_norm as layer_norm
from minitf.compat.slim.small_layers import RevBlock as RevBlock
from minitf.compat.slim.small_layers import inner_flatten as _inner_flatten
from minitf.compat.slim.small_layers import bow_encoder as bow_encoder
from minitf.compat.slim.small_layers import dense_to_sparse as dense_to_sparse
from minitf.compat.slim.small_layers import embedding_lookup_unique as embedding_lookup_unique
from minitf.compat.slim.small_layers import poincare_normalize as poincare_normalize
from minitf.compat.slim.small_layers import recompute_grad as recompute_grad
from minitf.compat.slim.small_layers import rev_block as rev_block
from minitf.compat.slim.small_layers import scale_gradient as scale_gradient
from minitf.compat.slim.summaries import summarize_activation as summarize_activation
from minitf.compat.slim.summaries import summarize_activations as summarize_activations
from minitf.compat.slim.summaries import summarize_collection as summarize_collection
from minitf.compat.slim.summaries import summarize_tensor as summarize_tensor
from minitf.compat.slim.summaries import summarize_tensors as summarize_tensors
from minitf.compat.slim.summaries import summarize_variables as summarize_variables
from minitf.library.nets.embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from minitf.library.text.crosses import DEFAULT_HASH_KEY as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY

__all__ = [
    "GDN", "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "RevBlock",
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY", "adaptive_clipping_fn", "apply_regularization",
    "avg_pool2d", "avg_pool3d", "batch_norm", "bias_add", "bow_encoder", "bucketized_column",
    "check_feature_columns", "conv1d", "conv2d", "conv2d_in_plane", "conv2d_transpose",
    "conv3d", "conv3d_transpose", "convolution", "convolution1d", "convolution2d",
    "convolution2d_in_plane", "convolution2d_transpose", "convolution3d",
    "convolution3d_transpose", "create_feature_spec_for_parsing", "crossed_column",
    "dense_to_sparse", "dropout", "elu", "embed_sequence", "embedding_column",
    "embedding_lookup_unique", "flatten", "fully_connected", "gdn", "group_norm",
    "images_to_sequence", "infer_real_valued_columns", "input_from_feature_columns",
    "instance_norm", "joint_weighted_sum_from_feature_columns", "l1_l2_regularizer",
    "l1_regularizer", "l2_regularizer", "layer_norm", "legacy_fully_connected", "legacy_linear",
    "legacy_relu", "linear", "make_place_holder_tensors_for_base_features", "max_pool2d",
    "max_pool3d", "maxout", "one_hot_column", "one_hot_encoding", "optimize_loss",
    "parse_feature_columns_from_examples", "parse_feature_columns_from_sequence_examples",
    "poincare_normalize", "pool", "real_valued_column", "recompute_grad", "relu", "relu6",
    "repeat", "rev_block", "safe_embedding_lookup_sparse", "scale_gradient",
    "scattered_embedding_column", "separable_conv2d", "separable_convolution2d",
    "sequence_input_from_feature_columns", "sequence_to_images", "shared_embedding_columns",
    "softmax", "sparse_column_with_hash_bucket", "sparse_column_with_integerized_feature",
    "sparse_column_with_keys", "sparse_column_with_vocabulary_file", "spatial_softmax", "stack",
    "sum_regularizer", "summarize_activation", "summarize_activations", "summarize_collection",
    "summarize_tensor", "summarize_tensors", "summarize_variables", "transform_features",
    "unit_norm", "utils", "variance_scaling_initializer", "weighted_sparse_column",
    "weighted_sum_from_feature_columns", "xavier_initializer", "xavier_initializer_conv2d"
]
