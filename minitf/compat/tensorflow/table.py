"""Which module of TensorFlow's tree is which namespace of minitf: the one table of the alias.

A line reads `module: places`. The module is spelled without its leading `tensorflow.`; a place is a
namespace of minitf, also without `minitf.`, and `.` is the face itself. A name is looked up in the
places from left to right, and on through further lines of the module; one without places holds
nothing but modules. A module that is not in the table stands for the namespace of minitf that has
the same path, if there is one: `tensorflow.nn` needs no line, `tensorflow.python.ops.nn` does.

Programs of the years 2016 to 2019 import from `tensorflow.python` what the face offers as well;
TensorFlow's own tests import everything from there; so the modules below it look for a name in
`minitf/compat/internals.py` last.
"""

from __future__ import annotations

_TREE = """
compat.v1: .
compat.v2: .
raw_ops: compat.raw_ops
python: .
python.autograph: autograph .
python.client: .
python.client.device_lib: compat.internals.device_lib
python.client.session: . core.runtime.session.session
python.client.timeline: library.graph_tools.timeline
python.compat: compat
python.compat.compat: compat
python.eager: .
python.eager.backprop: contrib.eager .
python.eager.context: compat.contrib.eager_context
python.eager.core: errors
python.eager.def_function: .
python.eager.execute: .
python.eager.function: contrib.eager .
python.eager.tape: .
python.eager.test: test
python.eager.wrap_function: compat.internals.wrap_function .
python.framework: .
python.framework.auto_control_deps: .
python.framework.common_shapes: .
python.framework.composite_tensor: .
python.framework.config: config
python.framework.constant_op: .
python.framework.device: core.graph.device_spec .
python.framework.device_spec: core.graph.device_spec
python.framework.dtypes: dtypes core.graph.dtypes .
python.framework.error_interpolation: .
python.framework.errors: errors
python.framework.errors_impl: errors
python.framework.framework_lib: .
python.framework.func_graph: core.graph.func_graph
python.framework.function: .
python.framework.graph_io: train io
python.framework.graph_to_function_def: .
python.framework.graph_util: graph_util
python.framework.graph_util_impl: graph_util
python.framework.importer: .
python.framework.indexed_slices: .
python.framework.load_library: .
python.framework.meta_graph: library.saving.meta_graph train .
python.framework.op_def_registry: core.graph.op_def
python.framework.ops: . core.graph.stacks core.graph.graph core.graph.convert
python.framework.ops: core.graph.op_def library.saving.meta_graph
python.framework.random_seed: random core.ops.random core.graph.stacks .
python.framework.smart_cond: core.gradients.cond
python.framework.sparse_tensor: .
python.framework.subscribe: .
python.framework.tensor_like: .
python.framework.tensor_shape: core.graph.shapes .
python.framework.tensor_spec: .
python.framework.tensor_util: compat.tensor_util core.graph.convert .
python.framework.test_ops:
python.framework.test_ops: compat.testing.test_ops
python.framework.test_util: compat.testing.test_util test
python.framework.traceable_stack: .
python.framework.type_spec: .
python.framework.versions: version .
python.keras:
python.keras.engine:
python.keras.engine.base_layer: layers
python.keras.engine.input_spec: layers
python.keras.initializers: initializers
python.layers: layers
python.layers.base: layers
python.layers.convolutional: layers
python.layers.core: layers
python.layers.layers: layers
python.layers.normalization: layers
python.layers.pooling: layers
python.layers.utils: library.layers.utils core.gradients.cond
python.lib: .
python.lib.io: .
python.lib.io.file_io: io gfile
python.lib.io.python_io: python_io
python.lib.io.tf_record: python_io io
python.module: .
python.module.module: .
python.ops: .
python.ops.array_grad: .
python.ops.array_ops: . manip compat.raw_ops
python.ops.array_ops_stack: .
python.ops.batch_norm_ops: nn
python.ops.batch_ops: .
python.ops.bincount_ops: math .
python.ops.bitwise_ops: bitwise compat.raw_ops
python.ops.candidate_sampling_ops: random nn compat.raw_ops
python.ops.cond: .
python.ops.check_ops: debugging .
python.ops.clip_ops: .
python.ops.cond_v2: .
python.ops.confusion_matrix: math .
python.ops.control_flow_grad: .
python.ops.control_flow_ops: . core.ops.control compat.raw_ops
python.ops.control_flow_util: compat.internals.control_flow_util .
python.ops.control_flow_util_v2: .
python.ops.ctc_ops: nn compat.raw_ops
python.ops.custom_gradient: .
python.ops.data_flow_grad: .
python.ops.data_flow_ops: . queue compat.raw_ops
python.ops.embedding_ops: nn
python.ops.functional_ops: .
python.ops.gen_array_ops: . compat.raw_ops
python.ops.gen_batch_ops: compat.raw_ops
python.ops.gen_bitwise_ops: compat.raw_ops
python.ops.gen_candidate_sampling_ops: compat.raw_ops
python.ops.gen_control_flow_ops: . compat.raw_ops
python.ops.gen_ctc_ops: compat.raw_ops
python.ops.gen_data_flow_ops: . compat.raw_ops
python.ops.gen_functional_ops: compat.raw_ops
python.ops.gen_image_ops: compat.raw_ops
python.ops.gen_io_ops: . compat.raw_ops
python.ops.gen_linalg_ops: compat.raw_ops
python.ops.gen_list_ops: compat.raw_ops
python.ops.gen_logging_ops: compat.raw_ops
python.ops.gen_lookup_ops: compat.raw_ops
python.ops.gen_manip_ops: compat.raw_ops
python.ops.gen_math_ops: . compat.raw_ops
python.ops.gen_nn_ops: compat.raw_ops nn .
python.ops.gen_parsing_ops: compat.raw_ops
python.ops.gen_random_ops: random compat.raw_ops
python.ops.gen_resource_variable_ops: compat.raw_ops
python.ops.gen_set_ops: sets compat.raw_ops
python.ops.gen_spectral_ops: signal compat.raw_ops
python.ops.gen_script_ops: compat.raw_ops
python.ops.gen_sparse_ops: compat.raw_ops
python.ops.gen_state_ops: . compat.raw_ops
python.ops.gen_stateless_random_ops: compat.raw_ops
python.ops.gen_string_ops: strings compat.raw_ops
python.ops.gen_summary_ops: compat.raw_ops
python.ops.gen_training_ops: compat.raw_ops
python.ops.gen_user_ops: compat.raw_ops
python.ops.gradient_checker: compat.testing.gradient_checker
python.ops.gradient_checker_v2: compat.testing.gradient_checker_v2
python.ops.gradients: .
python.ops.gradients_impl: .
python.ops.gradients_util: core.gradients.gradients .
python.ops.histogram_ops: .
python.ops.image_grad: .
python.ops.image_ops: image compat.raw_ops
python.ops.image_ops_impl: image compat.raw_ops
python.ops.init_ops: . initializers
python.ops.init_ops_v2: initializers .
python.ops.inplace_ops: .
python.ops.io_ops: . io compat.raw_ops
python.ops.linalg: linalg
python.ops.linalg.linalg: linalg
python.ops.linalg.linalg_impl: linalg
python.ops.linalg_grad: .
python.ops.linalg_ops: linalg . compat.raw_ops
python.ops.linalg_ops_impl: linalg .
python.ops.list_ops: compat.raw_ops
python.ops.logging_ops: . compat.raw_ops
python.ops.lookup_ops: contrib.lookup lookup lookup.experimental .
python.ops.losses: losses
python.ops.losses.losses: losses
python.ops.losses.losses_impl: losses
python.ops.losses.util: library.losses.util losses
python.ops.manip_grad: .
python.ops.manip_ops: manip compat.raw_ops
python.ops.map_fn: .
python.ops.math_grad: .
python.ops.math_ops: . math linalg compat.raw_ops
python.ops.metrics: metrics
python.ops.metrics_impl: metrics
python.ops.nn: nn
python.ops.nn_grad: nn
python.ops.nn_impl: nn
python.ops.nn_ops: nn compat.raw_ops
python.ops.numerics: debugging .
python.ops.parsing_ops: io . compat.raw_ops
python.ops.partitioned_variables: .
python.ops.random_grad: .
python.ops.random_ops: . random compat.raw_ops
python.ops.resource_variable_ops: compat.internals.resource_variables .
python.ops.resources: compat.internals.resources
python.ops.rnn: nn
python.ops.rnn_cell: nn.rnn_cell
python.ops.rnn_cell_impl: nn.rnn_cell
python.ops.rnn_cell_wrapper_impl: nn.rnn_cell
python.ops.rnn_grad: .
python.ops.script_ops: .
python.ops.sdca_ops: .
python.ops.session_ops: .
python.ops.sets: sets
python.ops.sets_impl: sets
python.ops.signal: signal
python.ops.signal.dct_ops: signal
python.ops.signal.fft_ops: signal
python.ops.signal.mel_ops: signal
python.ops.signal.mfcc_ops: signal
python.ops.signal.reconstruction_ops: signal
python.ops.signal.shape_ops: signal
python.ops.signal.signal: signal
python.ops.signal.spectral_ops: signal
python.ops.signal.util_ops: signal
python.ops.signal.window_ops: signal
python.ops.sort_ops: . contrib.framework
python.ops.sparse_grad: .
python.ops.sparse_ops: sparse . compat.raw_ops
python.ops.special_math_ops: math .
python.ops.spectral_ops: spectral signal compat.raw_ops
python.ops.standard_ops: .
python.ops.state_grad: .
python.ops.state_ops: . compat.raw_ops
python.ops.stateless_random_ops: random compat.raw_ops
python.ops.string_ops: strings . library.text.printing compat.raw_ops
python.ops.summary_ops: summary
python.ops.summary_ops_v2: summary
python.ops.template: .
python.ops.tensor_array_grad: .
python.ops.tensor_array_ops: .
python.ops.tensor_forest_ops: .
python.ops.variable_scope: .
python.ops.variable_v1: .
python.ops.variables: . compat.internals.resource_variables
python.ops.weights_broadcast_ops: library.numeric.weights .
python.ops.while_v2: .
python.ops.while_loop: .
python.platform: .
python.platform.app: app
python.platform.benchmark: test
python.platform.flags: flags
python.platform.gfile: gfile
python.platform.googletest: test
python.platform.resource_loader: resource_loader
python.platform.self_check: .
python.platform.sysconfig: sysconfig
python.platform.test: test
python.platform.tf_logging: logging
python.pywrap_tensorflow: train
python.saved_model: saved_model
python.saved_model.builder: library.saving.saved_model
python.saved_model.builder_impl: library.saving.saved_model
python.saved_model.constants: library.saving.saved_model_constants
python.saved_model.loader: library.saving.saved_model
python.saved_model.loader_impl: library.saving.saved_model
python.saved_model.main_op: library.saving.saved_model
python.saved_model.signature_constants: library.saving.saved_model_constants
python.saved_model.signature_def_utils: saved_model.signature_def_utils saved_model
python.saved_model.simple_save: library.saving.saved_model
python.saved_model.tag_constants: library.saving.saved_model_constants
python.saved_model.utils: library.saving.signatures
python.summary: summary
python.summary.summary: summary
python.summary.summary_iterator: train
python.summary.writer: summary
python.summary.writer.event_file_writer: library.formats.event_file
python.summary.writer.writer: summary
python.summary.writer.fake_summary_writer: compat.internals.fake_summary_writer
python.summary.writer.writer_cache: summary
python.tools: .
python.tools.inspect_checkpoint: library.saving.checkpoint_utils
python.training: train
python.training.adadelta: train
python.training.adagrad: train
python.training.adagrad_da: train
python.training.adam: train
python.training.basic_loops: train
python.training.basic_session_run_hooks: train
python.training.checkpoint_management: train library.saving.checkpoint_state
python.training.checkpoint_ops: train
python.training.checkpoint_state_pb2: library.saving.checkpoint_state
python.training.checkpoint_utils: train
python.training.checkpointable: train
python.training.checkpointable.base: train .
python.training.checkpointable.tracking: train .
python.training.checkpointable.util: train
python.training.coordinator: train
python.training.device_setter: train
python.training.evaluation: train
python.training.ftrl: train
python.training.gradient_descent: train
python.training.input: train
python.training.input_ops: train
python.training.learning_rate_decay: train
python.training.learning_rate_decay_v2: train
python.training.momentum: train
python.training.monitored_session: train
python.training.moving_averages: library.optimizers.moving_averages train
python.training.optimizer: train
python.training.proximal_adagrad: train
python.training.proximal_gradient_descent: train
python.training.queue_runner: train
python.training.queue_runner_impl: train
python.training.rmsprop: train
python.training.saveable_object: train
python.training.saver: train library.saving.saver_builder library.saving.saver
python.training.saver: library.saving.meta_graph
python.training.saver_test_utils: compat.internals.saver_test_utils
python.training.saving: train
python.training.saving.saveable_object: library.saving.saver_builder
python.training.saving.saveable_object_util: library.saving.saver_builder
python.training.server_lib: train
python.training.session_manager: train
python.training.session_run_hook: train
python.training.slot_creator: core.train.slots
python.training.summary_io: train
python.training.supervisor: train
python.training.sync_replicas_optimizer: train
python.training.tracking: train
python.training.tracking.base: train .
python.training.tracking.tracking: train .
python.training.tracking.util: train
python.training.training: train
python.training.training_ops: core.ops.updates library.optimizers.adadelta
python.training.training_ops: library.optimizers.adagrad library.optimizers.adagrad_da
python.training.training_ops: library.optimizers.ftrl library.optimizers.proximal
python.training.training_ops: library.optimizers.rmsprop
python.training.training_util: train
python.training.warm_starting_util: train
python.util: .
python.util.all_util: compat.internals.decorators
python.util.compat: compat
python.util.deprecation: compat.internals.decorators
python.util.nest: nest
python.util.tf_contextlib: compat.internals.graph_tools
python.util.tf_decorator: compat.internals.decorators
python.util.tf_export: compat.internals.decorators
python.util.tf_inspect: compat.internals.tf_inspect
core:
core.example:
core.example.example_pb2: train
core.example.feature_pb2: train
core.framework:
core.framework.attr_value_pb2: compat.internals.protos
core.framework.graph_pb2: .
core.framework.node_def_pb2: .
core.framework.step_stats_pb2: core.runtime.run.step_stats
core.framework.summary_pb2: summary
core.framework.tensor_pb2: compat.internals.protos
core.framework.tensor_shape_pb2: compat.internals.protos
core.framework.types_pb2: compat.internals.protos
core.framework.variable_pb2: core.variables.variables
core.protobuf:
core.protobuf.cluster_pb2: train
core.protobuf.config_pb2: .
core.protobuf.control_flow_pb2: compat.internals.protos
core.protobuf.meta_graph_pb2: . library.saving.meta_graph
core.protobuf.rewriter_config_pb2: core.runtime.session.config
core.protobuf.saver_pb2: train
core.protobuf.tensorflow_server_pb2: train
core.util:
core.util.event_pb2: summary .
core.framework.function_pb2: compat.internals.protos
core.framework.op_def_pb2: compat.internals.protos
core.framework.versions_pb2: compat.internals.protos
core.lib:
core.lib.core:
core.lib.core.error_codes_pb2: errors
core.protobuf.queue_runner_pb2: train
contrib.eager.python: contrib.eager
contrib.eager.python.tfe: contrib.eager
contrib.framework.python: contrib.framework
contrib.framework.python.ops: contrib.framework
contrib.framework.python.ops.arg_scope: contrib.framework
contrib.framework.python.ops.variables: contrib.framework
contrib.layers.python: contrib.layers
contrib.layers.python.layers: contrib.layers
contrib.layers.python.layers.initializers: contrib.layers
contrib.layers.python.layers.layers: contrib.layers
contrib.layers.python.layers.regularizers: contrib.layers
contrib.layers.python.layers.utils: contrib.layers
contrib.learn.python: contrib.learn
contrib.learn.python.learn: contrib.learn
contrib.learn.python.learn.datasets: contrib.learn.datasets
contrib.learn.python.learn.datasets.base: contrib.learn.datasets.base
contrib.learn.python.learn.datasets.mnist: contrib.learn.datasets.mnist
contrib.learn.python.learn.metric_spec: contrib.learn
contrib.learn.python.learn.preprocessing: contrib.learn.preprocessing
contrib.learn.python.learn.preprocessing.text: contrib.learn.preprocessing
contrib.legacy_seq2seq.python: contrib.legacy_seq2seq
contrib.legacy_seq2seq.python.ops: contrib.legacy_seq2seq
contrib.legacy_seq2seq.python.ops.seq2seq: contrib.legacy_seq2seq
contrib.rnn.python: contrib.rnn
contrib.rnn.python.ops: contrib.rnn
contrib.rnn.python.ops.core_rnn: contrib.rnn
contrib.rnn.python.ops.core_rnn_cell: contrib.rnn
contrib.rnn.python.ops.rnn_cell: contrib.rnn
contrib.seq2seq.python: contrib.seq2seq
contrib.seq2seq.python.ops: contrib.seq2seq
contrib.seq2seq.python.ops.attention_wrapper: contrib.seq2seq
contrib.seq2seq.python.ops.helper: contrib.seq2seq
contrib.training.python: contrib.training
contrib.training.python.training: contrib.training
contrib.training.python.training.hparam: contrib.training
"""


def _read(tree: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in tree.strip().splitlines():
        module, _, places = line.partition(":")
        table[module] = (*table.get(module, ()), *places.split())
    for module, found in table.items():
        if module.startswith("python."):
            table[module] = (*found, "compat.internals")
    return table


#: module of TensorFlow's tree -> namespaces of minitf, in the order of looking
TABLE: dict[str, tuple[str, ...]] = _read(_TREE)
