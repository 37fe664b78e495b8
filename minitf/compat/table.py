"""Which module of TensorFlow's tree is which namespace of minitf: the one table of the alias.

A line reads `module: places`. The module is spelled without its leading `tensorflow.`; a place is a
namespace of minitf, also without `minitf.`, and `.` is the face itself. A name is looked up in the
places from left to right; a module without places holds nothing but modules. A module that is not
in the table stands for the namespace of minitf that has the same path, if there is one:
`tensorflow.nn` needs no line, `tensorflow.python.ops.nn` does.

Programs of the years 2016 to 2019 import from `tensorflow.python` what the face offers as well;
TensorFlow's own tests import everything from there.
"""

from __future__ import annotations

_TREE = """
compat.v1: .
compat.v2: .
raw_ops: compat.raw_ops
python: .
python.client: .
python.client.device_lib: compat.device_lib
python.client.session: .
python.client.timeline: runtime.timeline
python.data: data
python.data.ops: data
python.data.ops.dataset_ops: data .
python.data.ops.iterator_ops: data .
python.data.ops.readers: data
python.eager: .
python.eager.backprop: contrib.eager .
python.eager.context: compat.eager_context
python.eager.def_function: .
python.eager.function: .
python.framework: .
python.framework.common_shapes: .
python.framework.config: config
python.framework.constant_op: .
python.framework.device: framework.device_spec .
python.framework.dtypes: dtypes .
python.framework.errors: errors
python.framework.errors_impl: errors
python.framework.framework_lib: .
python.framework.function: .
python.framework.graph_io: train io
python.framework.graph_util: graph_util
python.framework.graph_util_impl: graph_util
python.framework.importer: .
python.framework.indexed_slices: .
python.framework.load_library: .
python.framework.meta_graph: train .
python.framework.ops: . framework.stacks framework.graph framework.convert framework.registry
python.framework.random_seed: random framework.stacks .
python.framework.sparse_tensor: .
python.framework.tensor_shape: framework.shapes .
python.framework.tensor_spec: .
python.framework.tensor_util: compat.tensor_util framework.convert .
python.framework.test_util: testing.test_util test
python.framework.versions: version .
python.keras: keras
python.layers: layers
python.layers.base: layers
python.layers.convolutional: layers
python.layers.core: layers
python.layers.layers: layers
python.layers.normalization: layers
python.layers.pooling: layers
python.layers.utils: layers.utils transforms.cond
python.lib: .
python.lib.io: .
python.lib.io.file_io: io gfile
python.lib.io.python_io: python_io
python.lib.io.tf_record: python_io io
python.module: .
python.module.module: .
python.ops: .
python.ops.array_grad: .
python.ops.array_ops: . manip
python.ops.batch_norm_ops: nn
python.ops.bitwise_ops: bitwise
python.ops.candidate_sampling_ops: random nn
python.ops.check_ops: debugging .
python.ops.clip_ops: .
python.ops.confusion_matrix: math .
python.ops.control_flow_ops: . ops.control
python.ops.control_flow_util: .
python.ops.ctc_ops: nn
python.ops.custom_gradient: .
python.ops.data_flow_ops: . queue
python.ops.distributions: distributions
python.ops.embedding_ops: nn
python.ops.cond_v2: .
python.ops.functional_ops: .
python.ops.gen_array_ops: . compat.raw_ops
python.ops.gen_control_flow_ops: . compat.raw_ops
python.ops.gen_data_flow_ops: . compat.raw_ops
python.ops.gen_io_ops: . compat.raw_ops
python.ops.gen_math_ops: . compat.raw_ops
python.ops.gen_nn_ops: nn . compat.raw_ops
python.ops.gen_random_ops: random compat.raw_ops
python.ops.gen_resource_variable_ops: compat.raw_ops
python.ops.gen_state_ops: . compat.raw_ops
python.ops.gen_string_ops: strings compat.raw_ops
python.ops.gradient_checker: testing.gradient_checker
python.ops.gradient_checker_v2: testing.gradient_checker_v2
python.ops.gradients: .
python.ops.gradients_impl: .
python.ops.histogram_ops: .
python.ops.image_ops: image
python.ops.image_ops_impl: image
python.ops.init_ops: . initializers
python.ops.init_ops_v2: initializers .
python.ops.inplace_ops: .
python.ops.io_ops: . io
python.ops.linalg: linalg
python.ops.linalg.linalg: linalg
python.ops.linalg_ops: linalg .
python.ops.linalg_ops_impl: linalg .
python.ops.list_ops: compat.raw_ops
python.ops.logging_ops: .
python.ops.lookup_ops: contrib.lookup lookup lookup.experimental .
python.ops.losses: losses
python.ops.losses.losses: losses
python.ops.losses.losses_impl: losses
python.ops.manip_ops: manip
python.ops.map_fn: .
python.ops.math_grad: .
python.ops.math_ops: . math
python.ops.metrics: metrics
python.ops.metrics_impl: metrics
python.ops.nn: nn
python.ops.nn_grad: nn
python.ops.nn_impl: nn
python.ops.nn_ops: nn
python.ops.numerics: debugging .
python.ops.parsing_ops: io .
python.ops.partitioned_variables: .
python.ops.random_ops: . random
python.ops.resource_variable_ops: .
python.ops.resources: compat.resources
python.ops.rnn: nn
python.ops.rnn_cell: nn.rnn_cell
python.ops.rnn_cell_impl: nn.rnn_cell
python.ops.script_ops: .
python.ops.session_ops: .
python.ops.sets: sets
python.ops.sort_ops: . contrib.framework
python.ops.sparse_ops: sparse .
python.ops.special_math_ops: math .
python.ops.standard_ops: .
python.ops.state_ops: .
python.ops.stateless_random_ops: random
python.ops.string_ops: strings .
python.ops.summary_ops: summary
python.ops.template: .
python.ops.tensor_array_ops: .
python.ops.variable_scope: .
python.ops.variables: .
python.ops.while_v2: .
python.platform: .
python.platform.app: app
python.platform.benchmark: test
python.platform.flags: flags
python.platform.gfile: gfile
python.platform.googletest: test
python.platform.resource_loader: resource_loader
python.platform.sysconfig: sysconfig
python.platform.test: test
python.platform.tf_logging: logging
python.saved_model: saved_model
python.saved_model.signature_def_utils: saved_model.signature_def_utils saved_model
python.summary: summary
python.summary.summary: summary
python.summary.summary_iterator: train
python.summary.writer: summary
python.summary.writer.writer: summary
python.tools: .
python.training: train
python.training.adagrad: train
python.training.adam: train
python.training.basic_session_run_hooks: train
python.training.checkpoint_utils: train
python.training.coordinator: train
python.training.device_setter: train
python.training.ftrl: train
python.training.gradient_descent: train
python.training.input: train
python.training.learning_rate_decay: train
python.training.moving_averages: train.moving_averages train
python.training.momentum: train
python.training.monitored_session: train
python.training.optimizer: train
python.training.queue_runner: train
python.training.rmsprop: train
python.training.saver: train
python.training.session_manager: train
python.training.session_run_hook: train
python.training.slot_creator: train.slots
python.training.supervisor: train
python.training.sync_replicas_optimizer: train
python.training.training: train
python.training.training_util: train
python.util: .
python.util.compat: compat
python.util.deprecation: compat.decorators
python.util.nest: nest
python.util.tf_decorator: compat.decorators
python.util.tf_export: compat.decorators
python.util.tf_inspect: compat.tf_inspect
core:
core.example:
core.example.example_pb2: train
core.example.feature_pb2: train
core.framework:
core.framework.attr_value_pb2: compat.protos
core.framework.graph_pb2: .
core.framework.node_def_pb2: .
core.framework.step_stats_pb2: runtime.step_stats
core.framework.summary_pb2: summary
core.framework.tensor_pb2: compat.protos
core.framework.tensor_shape_pb2: compat.protos
core.framework.types_pb2: compat.protos
core.framework.variable_pb2: .
core.protobuf:
core.protobuf.cluster_pb2: train
core.protobuf.config_pb2: .
core.protobuf.meta_graph_pb2: . train.meta_graph
core.protobuf.rewriter_config_pb2: runtime.config
core.protobuf.saver_pb2: train
core.protobuf.tensorflow_server_pb2: train
core.util:
core.util.event_pb2: summary .
contrib.layers.python: contrib.layers
contrib.layers.python.layers: contrib.layers
contrib.layers.python.layers.initializers: contrib.layers
contrib.layers.python.layers.layers: contrib.layers
contrib.layers.python.layers.regularizers: contrib.layers
contrib.layers.python.layers.utils: contrib.layers
contrib.framework.python: contrib.framework
contrib.framework.python.ops: contrib.framework
contrib.framework.python.ops.arg_scope: contrib.framework
contrib.framework.python.ops.variables: contrib.framework
contrib.eager.python: contrib.eager
contrib.eager.python.tfe: contrib.eager
contrib.learn.python: contrib.learn
contrib.learn.python.learn: contrib.learn
contrib.learn.python.learn.datasets: contrib.learn.datasets
contrib.learn.python.learn.datasets.base: contrib.learn.datasets.base
contrib.learn.python.learn.datasets.mnist: contrib.learn.datasets.mnist
contrib.learn.python.learn.metric_spec: contrib.learn.metric_spec contrib.learn
contrib.learn.python.learn.preprocessing: contrib.learn.preprocessing
contrib.learn.python.learn.preprocessing.text: contrib.learn.preprocessing
contrib.rnn.python: contrib.rnn
contrib.rnn.python.ops: contrib.rnn
contrib.rnn.python.ops.core_rnn: contrib.rnn
contrib.rnn.python.ops.core_rnn_cell: contrib.rnn
contrib.rnn.python.ops.rnn_cell: contrib.rnn
contrib.seq2seq.python: contrib.seq2seq
contrib.seq2seq.python.ops: contrib.seq2seq
contrib.seq2seq.python.ops.attention_wrapper: contrib.seq2seq
contrib.seq2seq.python.ops.helper: contrib.seq2seq
contrib.legacy_seq2seq.python: contrib.legacy_seq2seq
contrib.legacy_seq2seq.python.ops: contrib.legacy_seq2seq
contrib.legacy_seq2seq.python.ops.seq2seq: contrib.legacy_seq2seq
contrib.training.python: contrib.training
contrib.training.python.training: contrib.training
contrib.training.python.training.hparam: contrib.training
examples:
examples.tutorials:
examples.tutorials.mnist:
examples.tutorials.mnist.input_data: datasets.mnist
examples.tutorials.mnist.mnist: compat.mnist_model
"""


def _read(tree: str) -> dict[str, tuple[str, ...]]:
    lines = (line.partition(":") for line in tree.strip().splitlines())
    return {module: tuple(places.split()) for module, _, places in lines}


#: module of TensorFlow's tree -> namespaces of minitf, in the order of looking
TABLE: dict[str, tuple[str, ...]] = _read(_TREE)
