"""The names of `tf.contrib.slim`."""

from minitf.api.contrib import losses as losses
from minitf.api.contrib import metrics as metrics
from minitf.api.contrib.layers import utils as utils
from minitf.api.contrib.slim import evaluation as evaluation
from minitf.api.contrib.slim import model_analyzer as model_analyzer
from minitf.api.contrib.slim import nets as nets
from minitf.api.contrib.slim import variables as variables
from minitf.compat.contrib.arg_scope import add_arg_scope as add_arg_scope
from minitf.compat.contrib.arg_scope import arg_scope as arg_scope
from minitf.compat.contrib.arg_scope import arg_scope_func_key as arg_scope_func_key
from minitf.compat.contrib.arg_scope import current_arg_scope as current_arg_scope
from minitf.compat.contrib.arg_scope import has_arg_scope as has_arg_scope
from minitf.compat.contrib.feature_columns import bucketized_column as bucketized_column
from minitf.compat.contrib.feature_columns import create_feature_spec_for_parsing as create_feature_spec_for_parsing
from minitf.compat.contrib.feature_columns import crossed_column as crossed_column
from minitf.compat.contrib.feature_columns import embedding_column as embedding_column
from minitf.compat.contrib.feature_columns import real_valued_column as real_valued_column
from minitf.compat.contrib.feature_columns import sparse_column_with_integerized_feature as sparse_column_with_integerized_feature
from minitf.compat.contrib.feature_columns import weighted_sparse_column as weighted_sparse_column
from minitf.compat.contrib.feature_columns import weighted_sum_from_feature_columns as weighted_sum_from_feature_columns
from minitf.compat.contrib.optimize_loss import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from minitf.compat.contrib.optimize_loss import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from minitf.compat.contrib.optimize_loss import optimize_loss as optimize_loss
from minitf.compat.contrib.regularizers import apply_regularization as apply_regularization
from minitf.compat.contrib.regularizers import l1_regularizer as l1_regularizer
from minitf.compat.contrib.regularizers import l2_regularizer as l2_regularizer
from minitf.compat.contrib.variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.variables import get_model_variables as get_model_variables
from minitf.compat.contrib.variables import get_variables as get_variables
from minitf.compat.contrib.variables import get_variables_to_restore as get_variables_to_restore
from minitf.compat.slim.initializers import variance_scaling_initializer as variance_scaling_initializer
from minitf.compat.slim.initializers import xavier_initializer as xavier_initializer
from minitf.compat.slim.layers import avg_pool2d as avg_pool2d
from minitf.compat.slim.layers import conv2d as conv2d
from minitf.compat.slim.layers import convolution as convolution
from minitf.compat.slim.layers import convolution2d as convolution2d
from minitf.compat.slim.layers import dropout as dropout
from minitf.compat.slim.layers import embed_sequence as embed_sequence
from minitf.compat.slim.layers import flatten as flatten
from minitf.compat.slim.layers import fully_connected as fully_connected
from minitf.compat.slim.layers import linear as linear
from minitf.compat.slim.layers import max_pool2d as max_pool2d
from minitf.compat.slim.layers import one_hot_encoding as one_hot_encoding
from minitf.compat.slim.layers import relu as relu
from minitf.compat.slim.layers import separable_conv2d as separable_conv2d
from minitf.compat.slim.layers import separable_convolution2d as separable_convolution2d
from minitf.compat.slim.layers import softmax as softmax
from minitf.compat.slim.layers import stack as stack
from minitf.compat.slim.normalization import batch_norm as batch_norm
from minitf.compat.slim.normalization import layer_norm as layer_norm
from minitf.compat.slim.summaries import summarize_activation as summarize_activation
from minitf.library.nets.embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from minitf.library.sessions.training_util import assert_global_step as assert_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as assert_or_get_global_step
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step

__all__ = [
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "add_arg_scope", "apply_regularization",
    "arg_scope", "arg_scope_func_key", "assert_global_step", "assert_or_get_global_step",
    "assign_from_checkpoint_fn", "avg_pool2d", "batch_norm", "bucketized_column", "conv2d",
    "convolution", "convolution2d", "create_feature_spec_for_parsing", "create_global_step",
    "crossed_column", "current_arg_scope", "dropout", "embed_sequence", "embedding_column",
    "evaluation", "flatten", "fully_connected", "get_global_step", "get_model_variables",
    "get_or_create_global_step", "get_variables", "get_variables_to_restore", "has_arg_scope",
    "l1_regularizer", "l2_regularizer", "layer_norm", "linear", "losses", "max_pool2d",
    "metrics", "model_analyzer", "nets", "one_hot_encoding", "optimize_loss",
    "real_valued_column", "relu", "safe_embedding_lookup_sparse", "separable_conv2d",
    "separable_convolution2d", "softmax", "sparse_column_with_integerized_feature", "stack",
    "summarize_activation", "utils", "variables", "variance_scaling_initializer",
    "weighted_sparse_column", "weighted_sum_from_feature_columns", "xavier_initializer"
]
