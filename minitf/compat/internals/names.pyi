"""The names that only code below `tensorflow.python` asks for."""

from ast import NodeTransformer as Base
from minitf.compat.internals.estimator_keys import _load_global_step_from_checkpoint_dir as _load_global_step_from_checkpoint_dir
from minitf.compat.internals.graph_tools import get_name_scope as get_name_scope
from minitf.core.gradients.cond import cond as cond_v2
from minitf.core.gradients.gradients import gradient_function as get_gradient_function
from minitf.core.graph.composites import PlacedValues as CompositeTensor
from minitf.core.graph.convert import convert_to_tensor as _tensor_shape_tensor_conversion_function
from minitf.core.graph.convert import constant as constant_v1
from minitf.core.graph.convert import convert_to_tensor as internal_convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec as DeviceSpecV1
from minitf.core.graph.device_spec import DeviceSpec as DeviceSpecV2
from minitf.core.graph.func_graph import FuncGraph as FuncGraph
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
from minitf.core.ops.state import variable_v2 as variable_op_v2
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
from minitf.library.eager.function import functions_run_eagerly as functions_run_eagerly
from minitf.library.eager.module import Module as AutoTrackable
from minitf.library.eager.module import Module as Trackable
from minitf.library.eager.py_function import py_function as eager_py_func
from minitf.library.eager.tape_functions import implicit_gradients as implicit_grad
from minitf.library.eager.tape_functions import implicit_value_and_gradients as implicit_val_and_grad
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
from minitf.library.feature_columns.categorical import VocabularyListCategoricalColumn as VocabularyListCategoricalColumn
from minitf.library.feature_columns.categorical import WeightedCategoricalColumn as WeightedCategoricalColumn
from minitf.library.feature_columns.categorical import CrossedColumn as _CrossedColumn
from minitf.library.feature_columns.categorical import HashedCategoricalColumn as _HashedCategoricalColumn
from minitf.library.feature_columns.categorical import IdentityCategoricalColumn as _IdentityCategoricalColumn
from minitf.library.feature_columns.categorical import SequenceCategoricalColumn as _SequenceCategoricalColumn
from minitf.library.feature_columns.categorical import VocabularyListCategoricalColumn as _VocabularyListCategoricalColumn
from minitf.library.feature_columns.categorical import WeightedCategoricalColumn as _WeightedCategoricalColumn
from minitf.library.feature_columns.categorical import categorical_column_with_hash_bucket as _categorical_column_with_hash_bucket
from minitf.library.feature_columns.categorical import categorical_column_with_identity as _categorical_column_with_identity
from minitf.library.feature_columns.categorical import categorical_column_with_vocabulary_list as _categorical_column_with_vocabulary_list
from minitf.library.feature_columns.categorical import crossed_column as _crossed_column
from minitf.library.feature_columns.categorical import sequence_categorical_column_with_identity as _sequence_categorical_column_with_identity
from minitf.library.feature_columns.categorical import weighted_categorical_column as _weighted_categorical_column
from minitf.library.feature_columns.dense import EmbeddingColumn as EmbeddingColumn
from minitf.library.feature_columns.dense import IndicatorColumn as IndicatorColumn
from minitf.library.feature_columns.dense import EmbeddingColumn as _EmbeddingColumn
from minitf.library.feature_columns.dense import IndicatorColumn as _IndicatorColumn
from minitf.library.feature_columns.dense import embedding_column as _embedding_column
from minitf.library.feature_columns.dense import indicator_column as _indicator_column
from minitf.library.feature_columns.models import input_layer as _input_layer
from minitf.library.feature_columns.models import linear_model as _linear_model
from minitf.library.feature_columns.models import make_parse_example_spec as make_parse_example_spec_v2
from minitf.library.feature_columns.numeric import BucketizedColumn as BucketizedColumn
from minitf.library.feature_columns.numeric import NumericColumn as NumericColumn
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
from minitf.library.layers.convolutional import SeparableConv2D as SeparableConvolution2D
from minitf.library.layers.convolutional import conv1d as convolution1d
from minitf.library.layers.convolutional import conv2d as convolution2d
from minitf.library.layers.convolutional import conv2d_transpose as convolution2d_transpose
from minitf.library.layers.convolutional import conv2d_transpose as deconv2d
from minitf.library.layers.convolutional import conv2d_transpose as deconvolution2d
from minitf.library.layers.convolutional import separable_conv2d as separable_convolution2d
from minitf.library.layers.rnn.cells import LayerRNNCell as LayerRNNCell
from minitf.library.layers.rnn.cells import LayerRNNCell as _LayerRNNCell
from minitf.library.layers.rnn.cells import zero_state_tensors as _zero_state_tensors
from minitf.library.layers.rnn.wrappers import assert_like_rnncell as assert_like_rnncell
from minitf.library.metrics.base import align as _remove_squeezable_dimensions
from minitf.library.metrics.base import metric_variable as metric_variable
from minitf.library.nets.basics import bias_add as bias_add_v1
from minitf.library.nets.candidate_sampling import _compute_sampled_logits as _compute_sampled_logits
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions as remove_squeezable_dimensions
from minitf.library.numeric.rearranging import broadcast_dynamic_shape as broadcast_args
from minitf.library.numeric.sorting import bucketize as _bucketize
from minitf.library.numeric.sorting import bucketize as bucketize
from minitf.library.numeric.uniqueness import setdiff1d as listdiff
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
from minitf.library.text.lookup.tables import FastHashSpec as FastHashSpec
from minitf.library.text.lookup.tables import HasherSpec as HasherSpec
from minitf.library.text.lookup.tables import LookupInterface as InitializableLookupTableBase
from minitf.library.text.lookup.tables import LookupInterface as LookupInterface
from minitf.library.text.lookup.tables import StaticHashTable as StaticHashTableV1
from minitf.library.text.printing import print_v2 as print_v2
from minitf.library.text.printing import string_format as string_format
from minitf.library.text.strings import substr as substr_v2
from minitf.library.variables.orthogonal import Identity as identity_initializer

__all__ = [
    "AutoTrackable", "Base", "BaseSession", "BatchableTypeSpec", "BoundedTensorSpec",
    "BucketizedColumn", "BulkSaverBuilder", "CategoricalColumn", "CentralStorageStrategyV1",
    "CollectiveAllReduceStrategyV1", "CompositeTensor", "ConcreteFunction", "Convolution1D",
    "Convolution2D", "Convolution2DTranspose", "Convolution3D", "Convolution3DTranspose",
    "CrossedColumn", "Deconv2D", "Deconv3D", "Deconvolution2D", "Deconvolution3D",
    "DenseColumn", "DeviceSpecV1", "DeviceSpecV2", "EagerTensor", "EagerVariableStore",
    "EmbeddingColumn", "EstimatorV2", "FastHashSpec", "FeatureColumn",
    "FeatureTransformationCache", "FixedLengthRecordDatasetV2", "FuncGraph",
    "HashedCategoricalColumn", "HasherSpec", "INFINITE", "IdentityCategoricalColumn",
    "IndicatorColumn", "InitializableLookupTableBase", "LayerRNNCell", "LookupInterface",
    "MirroredStrategyV1", "NumericColumn", "OneDeviceStrategyV1", "ParameterServerStrategyV1",
    "PartitionedVariable", "ReductionV2", "SeparableConvolution2D", "SequenceDenseColumn",
    "StateManager", "StaticHashTableV1", "StrategyExtendedV1", "StrategyExtendedV2",
    "StrategyV1", "TFRecordDatasetV1", "TFRecordDatasetV2", "TPUStrategyV1", "TensorShapeV1",
    "TensorShapeV2", "TextLineDatasetV1", "TextLineDatasetV2", "Trackable", "UNKNOWN",
    "VariableAggregationV2", "VariableDef", "VariableStore", "VariableV1",
    "VocabularyListCategoricalColumn", "WeightedCategoricalColumn", "assert_like_rnncell",
    "batch_mat_mul", "batch_matmul", "bias_add_v1", "broadcast_args", "broadcast_shape",
    "bucketize", "cond_v2", "constant_v1", "contains_saved_model", "conv_output_length",
    "convolution1d", "convolution2d", "convolution2d_transpose", "decode_raw_v1", "deconv2d",
    "deconvolution2d", "deep_copy", "deserialize_feature_column", "device_v2", "eager_py_func",
    "functions_run_eagerly", "get_gradient_function", "get_name_scope", "identity_initializer",
    "implicit_grad", "implicit_val_and_grad", "internal_convert_to_tensor", "is_sequence",
    "listdiff", "load_attributes_from_hdf5_group", "load_weights_from_hdf5_group",
    "load_weights_from_hdf5_group_by_name", "make_parse_example_spec_v2", "mat_mul",
    "metric_variable", "ones_like_v2", "pack", "placeholder_v2", "print_v2", "rank_internal",
    "remove_squeezable_dimensions", "save_attributes_to_hdf5_group",
    "save_weights_to_hdf5_group", "separable_convolution2d", "serialize_feature_column",
    "shape_internal", "size_internal", "snapshot", "string_format", "substr_v2",
    "type_spec_from_value", "unpack", "update_checkpoint_state_internal", "variable",
    "variable_op_v2", "zeros_like_v2"
]
