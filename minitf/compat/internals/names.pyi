"""The names that only code below `tensorflow.python` asks for."""

from ast import NodeTransformer as Base
from minitf.compat.contrib.framework_tools import get_graph_from_inputs as _get_graph_from_inputs
from minitf.compat.contrib.graph_editor import get_backward_walk_ops as get_backward_walk_ops
from minitf.compat.internals.decorators import tf_export as keras_export
from minitf.compat.internals.estimator_keys import _load_global_step_from_checkpoint_dir as _load_global_step_from_checkpoint_dir
from minitf.compat.internals.feature_columns import _CategoricalColumn as _CategoricalColumn
from minitf.compat.internals.feature_columns import _DenseColumn as _DenseColumn
from minitf.compat.internals.feature_columns import _FeatureColumn as _FeatureColumn
from minitf.compat.internals.feature_columns import _transform_features as _transform_features
from minitf.compat.internals.feature_columns import _transform_features as _transform_features_v2
from minitf.compat.internals.function_utils import LazyLoader as LazyLoader
from minitf.compat.internals.graph_tools import OpStats as OpStats
from minitf.compat.internals.graph_tools import RegisterStatistics as RegisterStatistics
from minitf.compat.internals.graph_tools import TF_TryEvaluateConstant_wrapper as TF_TryEvaluateConstant_wrapper
from minitf.compat.internals.graph_tools import node_of as _NodeDef
from minitf.compat.internals.graph_tools import _TensorLike as _TensorLike
from minitf.compat.internals.graph_tools import _is_namedtuple as _is_namedtuple
from minitf.compat.internals.graph_tools import _make_specific_exception as _make_specific_exception
from minitf.compat.internals.graph_tools import _pure_variable_scope as _pure_variable_scope
from minitf.compat.internals.graph_tools import check_valid as check_valid
from minitf.compat.internals.graph_tools import convert_n_to_tensor_or_indexed_slices as convert_n_to_tensor_or_indexed_slices
from minitf.compat.internals.graph_tools import convert_n_to_tensor_or_sparse_tensor as convert_n_to_tensor_or_sparse_tensor
from minitf.compat.internals.graph_tools import create_meta_graph_def as create_meta_graph_def
from minitf.compat.internals.graph_tools import executing_eagerly_outside_functions as executing_eagerly_outside_functions
from minitf.compat.internals.graph_tools import for_all_test_methods as for_all_test_methods
from minitf.compat.internals.graph_tools import get_all_collection_keys as get_all_collection_keys
from minitf.compat.internals.graph_tools import get_name_scope as get_name_scope
from minitf.compat.internals.graph_tools import get_stats_for_node_def as get_stats_for_node_def
from minitf.compat.internals.graph_tools import has_default_graph as has_default_graph
from minitf.compat.internals.graph_tools import inside_function as inside_function
from minitf.compat.internals.graph_tools import is_dense_tensor_like as is_dense_tensor_like
from minitf.compat.internals.graph_tools import is_sparse as is_sparse
from minitf.compat.internals.graph_tools import name_scope_v1 as name_scope_v1
from minitf.compat.internals.graph_tools import name_scope_v2 as name_scope_v2
from minitf.compat.internals.graph_tools import prepend_name_scope as prepend_name_scope
from minitf.compat.internals.graph_tools import register_dense_tensor_like_type as register_dense_tensor_like_type
from minitf.compat.internals.graph_tools import strip_name_scope as strip_name_scope
from minitf.compat.internals.graph_tools import tensor_id as tensor_id
from minitf.compat.internals.graph_tools import uid as uid
from minitf.compat.internals.identity import list_objects as list_objects
from minitf.compat.internals.keras_utils import is_tpu_strategy as is_tpu_strategy
from minitf.compat.internals.metric_parts import _aggregate_variable as _aggregate_variable
from minitf.compat.internals.metric_parts import _confusion_matrix_at_thresholds as _confusion_matrix_at_thresholds
from minitf.compat.internals.metric_parts import _safe_scalar_div as _safe_scalar_div
from minitf.compat.internals.op_variants import parameterized_truncated_normal as parameterized_truncated_normal
from minitf.compat.internals.op_variants import reduced_shape as reduced_shape
from minitf.compat.internals.op_variants import sparse_matmul as sparse_mat_mul
from minitf.compat.internals.op_variants import sparse_matmul as sparse_matmul
from minitf.compat.internals.op_variants import substr_deprecated as substr_deprecated
from minitf.compat.internals.op_variants import variable_op as variable_op
from minitf.compat.internals.resource_variables import RefVariable as RefVariable
from minitf.compat.internals.session_wrappers import CoordinatedSession as _CoordinatedSession
from minitf.compat.internals.session_wrappers import RecoverableSession as _RecoverableSession
from minitf.compat.internals.session_wrappers import WrappedSession as _WrappedSession
from minitf.core.gradients.cond import cond as cond_v2
from minitf.core.gradients.gradients import gradient_function as get_gradient_function
from minitf.core.graph.composites import PlacedValues as CompositeTensor
from minitf.core.graph.convert import convert_to_tensor as _tensor_shape_tensor_conversion_function
from minitf.core.graph.convert import constant as constant_v1
from minitf.core.graph.convert import convert_to_tensor as internal_convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec as DeviceSpecV1
from minitf.core.graph.device_spec import DeviceSpec as DeviceSpecV2
from minitf.core.graph.errors import raise_exception_on_not_ok_status as raise_exception_on_not_ok_status
from minitf.core.graph.func_graph import FuncGraph as FuncGraph
from minitf.core.graph.indexed_slices import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from minitf.core.graph.indexed_slices import convert_to_tensor_or_indexed_slices as internal_convert_to_tensor_or_indexed_slices
from minitf.core.graph.nest import is_nested as is_sequence
from minitf.core.graph.shapes import TensorShape as TensorShapeV1
from minitf.core.graph.shapes import TensorShape as TensorShapeV2
from minitf.core.graph.shapes import broadcast_shapes as broadcast_shape
from minitf.core.graph.stacks import device as device_v2
from minitf.core.ops.array import identity as deep_copy
from minitf.core.ops.array import placeholder as placeholder_v2
from minitf.core.ops.array import rank as rank_internal
from minitf.core.ops.array import shape as shape_internal
from minitf.core.ops.array import size as size_internal
from minitf.core.ops.array import identity as snapshot
from minitf.core.ops.array_filling import ones_like as ones_like_v2
from minitf.core.ops.array_filling import zeros_like as zeros_like_v2
from minitf.core.ops.array_joining import stack as pack
from minitf.core.ops.array_joining import unstack as unpack
from minitf.core.ops.array_slicing import _INDEX_ERROR as _SLICE_TYPE_ERROR
from minitf.core.ops.linalg import matmul as batch_mat_mul
from minitf.core.ops.linalg import matmul as batch_matmul
from minitf.core.ops.linalg import matmul as mat_mul
from minitf.core.ops.scatter import tensor_scatter_add as scatter_nd_non_aliasing_add
from minitf.core.ops.state import variable_v2 as variable_op_v2
from minitf.core.runtime.session.fetches import register_session_run_conversion_functions as register_session_run_conversion_functions
from minitf.core.runtime.session.session import BaseSession as BaseSession
from minitf.core.train.device_setter import RoundRobinStrategy as _RoundRobinStrategy
from minitf.core.variables.initializers import compute_fans as _compute_fans
from minitf.core.variables.partitioned import PartitionedVariable as PartitionedVariable
from minitf.core.variables.variable_scope import SCOPES_KEY as _VARSCOPESTORE_KEY
from minitf.core.variables.variable_scope import SCOPES_KEY as _VARSCOPE_KEY
from minitf.core.variables.variable_scope import _variable_store as _get_default_variable_store
from minitf.core.variables.variable_store import EagerVariableStore as EagerVariableStore
from minitf.core.variables.variable_store import VariableStore as VariableStore
from minitf.core.variables.variable_store import STORE_KEY as _VARSTORE_KEY
from minitf.core.variables.variable_store import VariableStore as _VariableStore
from minitf.core.variables.variables import VariableAggregation as VariableAggregationV2
from minitf.core.variables.variables import VariableDef as VariableDef
from minitf.core.variables.variables import Variable as VariableV1
from minitf.core.variables.variables import Variable as variable
from minitf.library.distribute.mirrored import MirroredStrategy as MirroredStrategyV1
from minitf.library.distribute.mirrored import OneDeviceStrategy as OneDeviceStrategyV1
from minitf.library.distribute.multi_worker import MultiWorkerMirroredStrategy as CollectiveAllReduceStrategyV1
from minitf.library.distribute.parameter_server import CentralStorageStrategy as CentralStorageStrategyV1
from minitf.library.distribute.parameter_server import ParameterServerStrategy as ParameterServerStrategyV1
from minitf.library.distribute.strategy import StrategyExtended as StrategyExtendedV1
from minitf.library.distribute.strategy import StrategyExtended as StrategyExtendedV2
from minitf.library.distribute.strategy import Strategy as StrategyV1
from minitf.library.distribute.tpu_strategy import TPUStrategy as TPUStrategyV1
from minitf.library.eager.concrete_function import ConcreteFunction as ConcreteFunction
from minitf.library.eager.function import defun_with_attributes as defun_with_attributes
from minitf.library.eager.function import functions_run_eagerly as functions_run_eagerly
from minitf.library.eager.function import run_functions_eagerly as run_functions_eagerly
from minitf.library.eager.module import Module as AutoTrackable
from minitf.library.eager.module import Module as Trackable
from minitf.library.eager.py_function import py_function as eager_py_func
from minitf.library.eager.tape_functions import implicit_gradients as implicit_grad
from minitf.library.eager.tape_functions import implicit_value_and_gradients as implicit_val_and_grad
from minitf.library.eager.tape_functions import value_and_gradients_function as val_and_grad_function
from minitf.library.eager.tape_functions import value_and_gradients_function as val_and_gradients_function
from minitf.library.eager.tensor import EagerTensor as EagerTensor
from minitf.library.eager.type_specs import TypeSpec as BatchableTypeSpec
from minitf.library.eager.type_specs import BoundedTensorSpec as BoundedTensorSpec
from minitf.library.eager.type_specs import type_spec_from_value as type_spec_from_value
from minitf.library.estimator.estimator import Estimator as EstimatorV2
from minitf.library.estimator.evaluation import StopAfterNEvalsHook as _StopAfterNEvalsHook
from minitf.library.estimator.evaluation import evaluate_once as _evaluate_once
from minitf.library.estimator.evaluation import get_or_create_eval_step as _get_or_create_eval_step
from minitf.library.feature_columns.base import CategoricalColumn as CategoricalColumn
from minitf.library.feature_columns.base import DenseColumn as DenseColumn
from minitf.library.feature_columns.base import FeatureColumn as FeatureColumn
from minitf.library.feature_columns.base import FeatureCache as FeatureTransformationCache
from minitf.library.feature_columns.base import SequenceDenseColumn as SequenceDenseColumn
from minitf.library.feature_columns.base import ScopeState as StateManager
from minitf.library.feature_columns.base import FeatureCache as _LazyBuilder
from minitf.library.feature_columns.base import from_plain_data as deserialize_feature_column
from minitf.library.feature_columns.base import as_plain_data as serialize_feature_column
from minitf.library.feature_columns.categorical import CrossedColumn as CrossedColumn
from minitf.library.feature_columns.categorical import HashedCategoricalColumn as HashedCategoricalColumn
from minitf.library.feature_columns.categorical import IdentityCategoricalColumn as IdentityCategoricalColumn
from minitf.library.feature_columns.categorical import VocabularyFileCategoricalColumn as VocabularyFileCategoricalColumn
from minitf.library.feature_columns.categorical import VocabularyListCategoricalColumn as VocabularyListCategoricalColumn
from minitf.library.feature_columns.categorical import WeightedCategoricalColumn as WeightedCategoricalColumn
from minitf.library.feature_columns.categorical import CrossedColumn as _CrossedColumn
from minitf.library.feature_columns.categorical import HashedCategoricalColumn as _HashedCategoricalColumn
from minitf.library.feature_columns.categorical import IdentityCategoricalColumn as _IdentityCategoricalColumn
from minitf.library.feature_columns.categorical import SequenceCategoricalColumn as _SequenceCategoricalColumn
from minitf.library.feature_columns.categorical import VocabularyFileCategoricalColumn as _VocabularyFileCategoricalColumn
from minitf.library.feature_columns.categorical import VocabularyListCategoricalColumn as _VocabularyListCategoricalColumn
from minitf.library.feature_columns.categorical import WeightedCategoricalColumn as _WeightedCategoricalColumn
from minitf.library.feature_columns.categorical import categorical_column_with_hash_bucket as _categorical_column_with_hash_bucket
from minitf.library.feature_columns.categorical import categorical_column_with_identity as _categorical_column_with_identity
from minitf.library.feature_columns.categorical import categorical_column_with_vocabulary_file as _categorical_column_with_vocabulary_file
from minitf.library.feature_columns.categorical import categorical_column_with_vocabulary_list as _categorical_column_with_vocabulary_list
from minitf.library.feature_columns.categorical import crossed_column as _crossed_column
from minitf.library.feature_columns.categorical import sequence_categorical_column_with_hash_bucket as _sequence_categorical_column_with_hash_bucket
from minitf.library.feature_columns.categorical import sequence_categorical_column_with_identity as _sequence_categorical_column_with_identity
from minitf.library.feature_columns.categorical import weighted_categorical_column as _weighted_categorical_column
from minitf.library.feature_columns.dense import EmbeddingColumn as EmbeddingColumn
from minitf.library.feature_columns.dense import IndicatorColumn as IndicatorColumn
from minitf.library.feature_columns.dense import SharedEmbeddingColumn as SharedEmbeddingColumn
from minitf.library.feature_columns.dense import EmbeddingColumn as _EmbeddingColumn
from minitf.library.feature_columns.dense import IndicatorColumn as _IndicatorColumn
from minitf.library.feature_columns.dense import SharedEmbeddingColumn as _SharedEmbeddingColumn
from minitf.library.feature_columns.dense import embedding_column as _embedding_column
from minitf.library.feature_columns.dense import indicator_column as _indicator_column
from minitf.library.feature_columns.dense import shared_embedding_columns as _shared_embedding_columns
from minitf.library.feature_columns.layers import DenseFeatures as DenseFeatures
from minitf.library.feature_columns.layers import SequenceFeatures as SequenceFeatures
from minitf.library.feature_columns.layers import _LayerState as _StateManagerImpl
from minitf.library.feature_columns.models import input_layer as _input_layer
from minitf.library.feature_columns.models import linear_model as _linear_model
from minitf.library.feature_columns.models import make_parse_example_spec as make_parse_example_spec_v2
from minitf.library.feature_columns.numeric import BucketizedColumn as BucketizedColumn
from minitf.library.feature_columns.numeric import NumericColumn as NumericColumn
from minitf.library.feature_columns.numeric import SequenceNumericColumn as SequenceNumericColumn
from minitf.library.feature_columns.numeric import BucketizedColumn as _BucketizedColumn
from minitf.library.feature_columns.numeric import NumericColumn as _NumericColumn
from minitf.library.feature_columns.numeric import bucketized_column as _bucketized_column
from minitf.library.feature_columns.numeric import numeric_column as _numeric_column
from minitf.library.input.data.dataset import INFINITE_CARDINALITY as INFINITE
from minitf.library.input.data.dataset import UNKNOWN_CARDINALITY as UNKNOWN
from minitf.library.input.data.file_datasets import FixedLengthRecordDataset as FixedLengthRecordDatasetV2
from minitf.library.input.data.file_datasets import TFRecordDataset as TFRecordDatasetV1
from minitf.library.input.data.file_datasets import TFRecordDataset as TFRecordDatasetV2
from minitf.library.input.data.file_datasets import TextLineDataset as TextLineDatasetV1
from minitf.library.input.data.file_datasets import TextLineDataset as TextLineDatasetV2
from minitf.library.keras.backend.windows import output_length as conv_output_length
from minitf.library.keras.losses import Reduction as ReductionV2
from minitf.library.keras.saving.hdf5 import read_names as load_attributes_from_hdf5_group
from minitf.library.keras.saving.hdf5 import read_layers as load_weights_from_hdf5_group
from minitf.library.keras.saving.hdf5 import read_layers_by_name as load_weights_from_hdf5_group_by_name
from minitf.library.keras.saving.hdf5 import write_names as save_attributes_to_hdf5_group
from minitf.library.keras.saving.hdf5 import write_layers as save_weights_to_hdf5_group
from minitf.library.layers.convolutional import Conv1D as Convolution1D
from minitf.library.layers.convolutional import Conv2D as Convolution2D
from minitf.library.layers.convolutional import Conv2DTranspose as Convolution2DTranspose
from minitf.library.layers.convolutional import Conv3D as Convolution3D
from minitf.library.layers.convolutional import Conv3DTranspose as Convolution3DTranspose
from minitf.library.layers.convolutional import Conv2DTranspose as Deconv2D
from minitf.library.layers.convolutional import Conv3DTranspose as Deconv3D
from minitf.library.layers.convolutional import Conv2DTranspose as Deconvolution2D
from minitf.library.layers.convolutional import Conv3DTranspose as Deconvolution3D
from minitf.library.layers.convolutional import SeparableConv1D as SeparableConvolution1D
from minitf.library.layers.convolutional import SeparableConv2D as SeparableConvolution2D
from minitf.library.layers.convolutional import conv1d as convolution1d
from minitf.library.layers.convolutional import conv2d as convolution2d
from minitf.library.layers.convolutional import conv2d_transpose as convolution2d_transpose
from minitf.library.layers.convolutional import conv3d as convolution3d
from minitf.library.layers.convolutional import conv3d_transpose as convolution3d_transpose
from minitf.library.layers.convolutional import conv2d_transpose as deconv2d
from minitf.library.layers.convolutional import conv3d_transpose as deconv3d
from minitf.library.layers.convolutional import conv2d_transpose as deconvolution2d
from minitf.library.layers.convolutional import conv3d_transpose as deconvolution3d
from minitf.library.layers.convolutional import separable_conv2d as separable_convolution2d
from minitf.library.layers.rnn.cells import LayerRNNCell as LayerRNNCell
from minitf.library.layers.rnn.cells import LayerRNNCell as _LayerRNNCell
from minitf.library.layers.rnn.cells import zero_state_tensors as _zero_state_tensors
from minitf.library.layers.rnn.wrappers import assert_like_rnncell as assert_like_rnncell
from minitf.library.metrics.base import align as _remove_squeezable_dimensions
from minitf.library.metrics.base import metric_variable as metric_variable
from minitf.library.metrics.counts import streaming_confusion_matrix as _streaming_confusion_matrix
from minitf.library.nets.basics import bias_add as bias_add_v1
from minitf.library.nets.candidate_sampling import _compute_sampled_logits as _compute_sampled_logits
from minitf.library.nets.pooling import max_pool_with_argmax as max_pool_with_argmax_v1
from minitf.library.numeric.audio import audio_spectrogram as audio_spectrogram
from minitf.library.numeric.audio import mfcc as mfcc
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions as remove_squeezable_dimensions
from minitf.library.numeric.linear_operators import LinearOperatorLowerTriangular as LinearOperatorTriL
from minitf.library.numeric.rearranging import broadcast_dynamic_shape as broadcast_args
from minitf.library.numeric.sorting import bucketize as _bucketize
from minitf.library.numeric.sorting import bucketize as bucketize
from minitf.library.numeric.sorting import nth_element as nth_element
from minitf.library.numeric.svd import expm as matrix_exponential
from minitf.library.numeric.uniqueness import setdiff1d as listdiff
from minitf.library.optimizers.moving_averages import weighted_moving_average as weighted_moving_average
from minitf.library.parsing.parsing import decode_raw as decode_raw_v1
from minitf.library.saving.checkpoint_state import update_checkpoint_state as update_checkpoint_state_internal
from minitf.library.saving.saved_model import SavedModelBuilder as _SavedModelBuilder
from minitf.library.saving.saved_model import maybe_saved_model_directory as contains_saved_model
from minitf.library.saving.saver import _all_saveable_objects as _all_saveable_objects
from minitf.library.saving.saver_builder import BaseSaverBuilder as BulkSaverBuilder
from minitf.library.sessions.monitored_session import _MonitoredSession as _MonitoredSession
from minitf.library.sessions.scaffold import get_saver_or_default as _get_saver_or_default
from minitf.library.sessions.session_layers import Hooked as _HookedSession
from minitf.library.sessions.session_layers import _PREEMPTION as _PREEMPTION_ERRORS
from minitf.library.sessions.training_util import get_or_create_global_step as _get_or_create_global_step
from minitf.library.sessions.training_util import increment_global_step as _increment_global_step
from minitf.library.text.lookup.tables import FastHashSpec as FastHashSpec
from minitf.library.text.lookup.tables import HasherSpec as HasherSpec
from minitf.library.text.lookup.tables import LookupInterface as InitializableLookupTableBase
from minitf.library.text.lookup.tables import LookupInterface as LookupInterface
from minitf.library.text.lookup.tables import StaticHashTable as StaticHashTableV1
from minitf.library.text.lookup.tables import StaticVocabularyTable as StaticVocabularyTableV1
from minitf.library.text.lookup.tables import StrongHashSpec as StrongHashSpec
from minitf.library.text.printing import print_v2 as print_v2
from minitf.library.text.printing import string_format as string_format
from minitf.library.text.strings import substr as substr_v2
from minitf.library.variables.orthogonal import ConvolutionDeltaOrthogonal as ConvolutionDeltaOrthogonal
from minitf.library.variables.orthogonal import ConvolutionOrthogonal1D as ConvolutionOrthogonal1D
from minitf.library.variables.orthogonal import ConvolutionOrthogonal2D as ConvolutionOrthogonal2D
from minitf.library.variables.orthogonal import ConvolutionOrthogonal3D as ConvolutionOrthogonal3D
from minitf.library.variables.orthogonal import Identity as identity_initializer
from minitf.library.variables.template import Template as Template

__all__ = [
    "AutoTrackable", "Base", "BaseSession", "BatchableTypeSpec", "BoundedTensorSpec",
    "BucketizedColumn", "BulkSaverBuilder", "CategoricalColumn", "CentralStorageStrategyV1",
    "CollectiveAllReduceStrategyV1", "CompositeTensor", "ConcreteFunction", "Convolution1D",
    "Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose",
    "ConvolutionDeltaOrthogonal", "ConvolutionOrthogonal1D", "ConvolutionOrthogonal2D",
    "ConvolutionOrthogonal3D", "CrossedColumn", "Deconv2D", "Deconv3D", "Deconvolution2D",
    "Deconvolution3D", "DenseColumn", "DenseFeatures", "DeviceSpecV1", "DeviceSpecV2",
    "EagerTensor", "EagerVariableStore", "EmbeddingColumn", "EstimatorV2", "FastHashSpec",
    "FeatureColumn", "FeatureTransformationCache", "FixedLengthRecordDatasetV2", "FuncGraph",
    "HashedCategoricalColumn", "HasherSpec", "INFINITE", "IdentityCategoricalColumn",
    "IndicatorColumn", "InitializableLookupTableBase", "LayerRNNCell", "LazyLoader",
    "LinearOperatorTriL", "LookupInterface", "MirroredStrategyV1", "NumericColumn",
    "OneDeviceStrategyV1", "OpStats", "ParameterServerStrategyV1", "PartitionedVariable",
    "ReductionV2", "RefVariable", "RegisterStatistics", "SeparableConvolution1D",
    "SeparableConvolution2D", "SequenceDenseColumn", "SequenceFeatures",
    "SequenceNumericColumn", "SharedEmbeddingColumn", "StateManager", "StaticHashTableV1",
    "StaticVocabularyTableV1", "StrategyExtendedV1", "StrategyExtendedV2", "StrategyV1",
    "StrongHashSpec", "TFRecordDatasetV1", "TFRecordDatasetV2",
    "TF_TryEvaluateConstant_wrapper", "TPUStrategyV1", "Template", "TensorShapeV1",
    "TensorShapeV2", "TextLineDatasetV1", "TextLineDatasetV2", "Trackable", "UNKNOWN",
    "VariableAggregationV2", "VariableDef", "VariableStore", "VariableV1",
    "VocabularyFileCategoricalColumn", "VocabularyListCategoricalColumn",
    "WeightedCategoricalColumn", "assert_like_rnncell", "audio_spectrogram", "batch_mat_mul",
    "batch_matmul", "bias_add_v1", "broadcast_args", "broadcast_shape", "bucketize",
    "check_valid", "cond_v2", "constant_v1", "contains_saved_model", "conv_output_length",
    "convert_n_to_tensor_or_indexed_slices", "convert_n_to_tensor_or_sparse_tensor",
    "convert_to_tensor_or_indexed_slices", "convolution1d", "convolution2d",
    "convolution2d_transpose", "convolution3d", "convolution3d_transpose",
    "create_meta_graph_def", "decode_raw_v1", "deconv2d", "deconv3d", "deconvolution2d",
    "deconvolution3d", "deep_copy", "defun_with_attributes", "deserialize_feature_column",
    "device_v2", "eager_py_func", "executing_eagerly_outside_functions", "for_all_test_methods",
    "functions_run_eagerly", "get_all_collection_keys", "get_backward_walk_ops",
    "get_gradient_function", "get_name_scope", "get_stats_for_node_def", "has_default_graph",
    "identity_initializer", "implicit_grad", "implicit_val_and_grad", "inside_function",
    "internal_convert_to_tensor", "internal_convert_to_tensor_or_indexed_slices",
    "is_dense_tensor_like", "is_sequence", "is_sparse", "is_tpu_strategy", "keras_export",
    "list_objects", "listdiff", "load_attributes_from_hdf5_group",
    "load_weights_from_hdf5_group", "load_weights_from_hdf5_group_by_name",
    "make_parse_example_spec_v2", "mat_mul", "matrix_exponential", "max_pool_with_argmax_v1",
    "metric_variable", "mfcc", "name_scope_v1", "name_scope_v2", "nth_element", "ones_like_v2",
    "pack", "parameterized_truncated_normal", "placeholder_v2", "prepend_name_scope",
    "print_v2", "raise_exception_on_not_ok_status", "rank_internal", "reduced_shape",
    "register_dense_tensor_like_type", "register_session_run_conversion_functions",
    "remove_squeezable_dimensions", "run_functions_eagerly", "save_attributes_to_hdf5_group",
    "save_weights_to_hdf5_group", "scatter_nd_non_aliasing_add", "separable_convolution2d",
    "serialize_feature_column", "shape_internal", "size_internal", "snapshot", "sparse_mat_mul",
    "sparse_matmul", "string_format", "strip_name_scope", "substr_deprecated", "substr_v2",
    "tensor_id", "type_spec_from_value", "uid", "unpack", "update_checkpoint_state_internal",
    "val_and_grad_function", "val_and_gradients_function", "variable", "variable_op",
    "variable_op_v2", "weighted_moving_average", "zeros_like_v2"
]
