"""`import tensorflow` means minitf: names, versions, and what is said about a missing name."""

import importlib
import pydoc
import subprocess
import sys
from collections.abc import Iterator

import pytest

import minitf
from minitf.compat.tensorflow import alias
from minitf.compat.tensorflow.alias import TABLE


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    alias.install()
    yield
    alias.uninstall()


def test_the_names_are_minitfs() -> None:
    tf = importlib.import_module("tensorflow")
    assert tf.Session is minitf.Session
    assert tf.nn.relu is minitf.nn.relu
    assert tf.train.Server is minitf.train.Server
    assert "Session" in dir(tf)
    assert "ops" in dir(importlib.import_module("tensorflow.python.framework"))


def test_the_version_is_that_of_the_interface() -> None:
    tf = importlib.import_module("tensorflow")
    v1 = importlib.import_module("tensorflow.compat.v1")
    assert tf.__version__ == tf.VERSION == tf.version.VERSION == v1.__version__ == "1.15.0"
    assert minitf.__version__ != tf.__version__


def test_keras_has_a_version_of_its_own() -> None:
    assert importlib.import_module("tensorflow.keras").__version__ == "2.2.4-tf"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from tensorflow.python.framework import ops; x = ops.name_scope", "name_scope"),
        ("from tensorflow.python.framework.ops import convert_to_tensor as x", "convert_to_tensor"),
        ("import tensorflow.python.ops.array_ops as ops; x = ops.reshape", "reshape"),
        ("import tensorflow as tf; x = tf.python.ops.math_ops.add", "add"),
        ("import tensorflow.compat.v1 as tf; x = tf.placeholder", "placeholder"),
        ("from tensorflow.nn import relu as x", "nn.relu"),
        (
            "from tensorflow.python.client.timeline import Timeline as x",
            "library.graph_tools.timeline.Timeline",
        ),
        (
            "from tensorflow.examples.tutorials.mnist.input_data import DataSet as x",
            "contrib.learn.datasets.mnist.DataSet",
        ),
        ("from tensorflow import errors; x = errors.NotFoundError", "errors.NotFoundError"),
        ("from tensorflow.keras.models import Sequential as x", "keras.Sequential"),
        ("from tensorflow.keras import layers; x = layers.Dense", "keras.layers.Dense"),
        ("from tensorflow.python.keras.layers import Dense as x", "keras.layers.Dense"),
        ("import tensorflow.contrib.keras as k; x = k.Model", "keras.Model"),
        (
            "from tensorflow.contrib.layers.python import layers; x = layers.batch_norm",
            "contrib.layers.batch_norm",
        ),
        ("from tensorflow.contrib.rnn.core_rnn_cell import GRUCell as x", "nn.rnn_cell.GRUCell"),
        (
            "import tensorflow as tf; x = tf.contrib.layers.optimizers.optimize_loss",
            "contrib.layers.optimize_loss",
        ),
        ("from tensorflow.contrib.learn.utils import InputFnOps as x", "contrib.learn.InputFnOps"),
    ],
)  # fmt: skip
def test_programs_import_in_many_ways(line: str, expected: str) -> None:
    names: dict = {}
    exec(line, names)
    wanted = minitf
    for part in expected.split("."):
        wanted = getattr(wanted, part)
    assert names["x"] is wanted


@pytest.mark.parametrize(
    ("line", "error", "name"),
    [
        ("import tensorflow.contrib.nonsense", ModuleNotFoundError, "tf.contrib.nonsense"),
        ("from tensorflow.contrib import nonsense", ModuleNotFoundError, "tf.contrib.nonsense"),
        ("from tensorflow.nn import nonsense", ModuleNotFoundError, "tf.nn.nonsense"),
        ("import tensorflow as tf; tf.nn.nonsense", AttributeError, "tf.nn.nonsense"),
        ("import tensorflow as tf; tf.nonsense()", AttributeError, "tf.nonsense"),
        (
            "import tensorflow.contrib.rnn.python.ops as o; o.rnn_cell._nonsense",
            AttributeError,
            "tf.contrib.rnn.python.ops.rnn_cell._nonsense",
        ),
    ],
)
def test_a_missing_name_is_named(line: str, error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=f"minitf has no {name};"):
        exec(line, {})


def test_what_libraries_ask_for_as_they_are_imported() -> None:
    names: dict = {}
    exec("import tensorflow_probability as tfp; x = tfp.__version__", names)
    assert names["x"] == "0.8.0"
    optimizers = [name for name in dir(minitf.train) if name.endswith("Optimizer")]
    bases = {getattr(minitf.train, name).__base__ for name in optimizers}
    assert bases == {minitf.train.Optimizer, object}


def test_everything_at_once() -> None:
    names: dict = {}
    exec("from tensorflow import *", names)
    assert names["Session"] is minitf.Session and names["reduce_sum"] is minitf.reduce_sum
    assert names["nn"].relu is minitf.nn.relu
    exec("from tensorflow.python.ops.math_ops import *", names)
    assert names["matmul"] is minitf.matmul


def test_a_program_can_ask_for_what_may_be_missing() -> None:
    tf = importlib.import_module("tensorflow")
    assert not hasattr(tf, "nonsense")
    assert hasattr(tf, "Session")


# What programs import of TensorFlow's tree, and the names that they use of it.
SUITE = """
python.client.session: Session InteractiveSession
python.eager.backprop: GradientTape
python.eager.context: executing_eagerly eager_mode
python.eager.def_function: function
python.framework.constant_op: constant
python.framework.dtypes: float32 as_dtype int64 string
python.framework.errors: InvalidArgumentError OpError OutOfRangeError
python.framework.errors_impl: InvalidArgumentError FailedPreconditionError
python.framework.graph_util: convert_variables_to_constants extract_sub_graph
python.framework.importer: import_graph_def
python.framework.ops: Graph Tensor Operation IndexedSlices GraphKeys RegisterGradient device
python.framework.ops: convert_to_tensor control_dependencies get_default_graph get_collection
python.framework.ops: name_scope reset_default_graph add_to_collection
python.framework.random_seed: set_random_seed get_seed
python.framework.sparse_tensor: SparseTensor SparseTensorValue
python.framework.tensor_shape: TensorShape Dimension scalar unknown_shape as_shape dimension_value
python.framework.tensor_util: constant_value make_tensor_proto MakeNdarray constant_value_as_shape
python.ops.array_ops: placeholder reshape concat gather expand_dims zeros ones identity rank shape
python.ops.clip_ops: clip_by_value clip_by_norm
python.ops.control_flow_ops: cond while_loop group case no_op with_dependencies tuple
python.ops.data_flow_ops: FIFOQueue RandomShuffleQueue dynamic_partition
python.ops.embedding_ops: embedding_lookup embedding_lookup_sparse
python.ops.functional_ops: map_fn foldl foldr scan
python.ops.gradients_impl: gradients
python.ops.init_ops: zeros_initializer constant_initializer glorot_uniform_initializer
python.ops.linalg_ops: cholesky matrix_solve matrix_inverse
python.ops.logging_ops: Print Assert
python.ops.lookup_ops: index_to_string_table_from_file tables_initializer
python.ops.math_ops: reduce_sum matmul add cast range argmax reduce_mean square
python.ops.nn_ops: relu softmax bias_add conv2d max_pool softmax_cross_entropy_with_logits
python.ops.nn_impl: moments l2_normalize batch_normalization
python.ops.parsing_ops: parse_example decode_raw FixedLenFeature
python.ops.random_ops: random_uniform random_normal truncated_normal random_shuffle
python.ops.rnn: dynamic_rnn static_rnn bidirectional_dynamic_rnn
python.ops.rnn_cell: BasicLSTMCell GRUCell MultiRNNCell
python.ops.script_ops: py_func
python.ops.sparse_ops: sparse_to_dense sparse_tensor_to_dense
python.ops.state_ops: assign assign_add scatter_update
python.ops.string_ops: string_split string_join string_to_number
python.ops.tensor_array_ops: TensorArray
python.ops.variable_scope: variable_scope get_variable VariableScope
python.ops.variables: Variable global_variables_initializer trainable_variables
python.layers.core: Dense dense Flatten Dropout
python.layers.convolutional: Conv2D conv2d
python.ops.losses.losses: mean_squared_error get_total_loss
python.ops.metrics: accuracy mean
python.summary.summary: scalar histogram merge_all FileWriter
python.training.learning_rate_decay: exponential_decay piecewise_constant
python.training.coordinator: Coordinator
python.training.queue_runner_impl: QueueRunner start_queue_runners
python.training.checkpoint_management: latest_checkpoint get_checkpoint_state
python.training.monitored_session: MonitoredTrainingSession Scaffold
python.training.basic_session_run_hooks: StopAtStepHook LoggingTensorHook
python.training.server_lib: Server ClusterSpec
python.training.supervisor: Supervisor
python.saved_model.builder: SavedModelBuilder
python.saved_model.tag_constants: SERVING
python.platform.gfile: Exists Glob Walk GFile
python.platform.test: TestCase main mock get_temp_dir gpu_device_name
python.platform.tf_logging: info warn error
python.training.adam: AdamOptimizer
python.training.gradient_descent: GradientDescentOptimizer
python.training.moving_averages: ExponentialMovingAverage assign_moving_average
python.layers.utils: smart_cond
python.training.queue_runner: QueueRunner
python.training.saver: Saver latest_checkpoint
python.training.training_util: get_or_create_global_step
python.util.compat: as_bytes as_str
python.util.nest: flatten map_structure
python.client.device_lib: list_local_devices
python.lib.io.file_io: FileIO create_dir get_matching_files
python.ops.resources: initialize_resources shared_resources
python.pywrap_tensorflow: EventsWriter NewCheckpointReader
core.protobuf.config_pb2: ConfigProto RunOptions GPUOptions
core.protobuf.saver_pb2: SaverDef
core.framework.graph_pb2: GraphDef
"""


@pytest.mark.parametrize("line", SUITE.strip().splitlines())
def test_programs_find_names_of_the_tree(line: str) -> None:
    name, _, wanted = line.partition(":")
    module = importlib.import_module(f"tensorflow.{name}")
    assert [each for each in wanted.split() if not hasattr(module, each)] == []


def test_every_module_of_the_table_can_be_imported() -> None:
    for module in TABLE:
        assert isinstance(importlib.import_module(f"tensorflow.{module}"), alias.Alias)


def test_parents_stand_in_the_table() -> None:
    parents = {module.rpartition(".")[0] for module in TABLE} - {""}
    assert [p for p in sorted(parents) if alias._places(f"tensorflow.{p}") is None] == []


def test_the_name_is_given_back() -> None:
    importlib.import_module("tensorflow.python.framework.ops")
    alias.uninstall()
    assert not any(name.startswith("tensorflow") for name in sys.modules)
    assert alias._FINDER not in sys.meta_path


def test_the_real_library_is_not_pushed_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", importlib.import_module("json"))
    with pytest.raises(RuntimeError, match="real tensorflow is imported already"):
        alias.install()
    monkeypatch.delitem(sys.modules, "tensorflow")


def test_a_notebook_cell_imports_tensorflow() -> None:
    pytest.importorskip("IPython", reason="IPython is not installed")
    cell = "%load_ext minitf\nimport tensorflow as tf\nprint(tf.__version__, tf.Session.__module__)"
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", "-c", cell],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "1.15.0 minitf.core.runtime.session.session" in done.stdout, done.stderr


def test_the_notebook_extension() -> None:
    alias.uninstall()
    minitf.load_ipython_extension(None)
    assert importlib.import_module("tensorflow").Session is minitf.Session
    minitf.unload_ipython_extension(None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tensorflow")


@pytest.mark.parametrize("module", ["tensorflow.python.tfprof", "tensorflow.python.swiss"])
def test_what_minitf_lacks_is_no_empty_module(module: str) -> None:
    short = module.replace("tensorflow", "tf")
    with pytest.raises(ModuleNotFoundError, match=f"minitf has no {short}"):
        importlib.import_module(module)


def test_tensorflow_datasets_are_minitfs() -> None:
    tfds = importlib.import_module("tensorflow_datasets")
    assert (tfds.load, tfds.Split.TRAIN) == (minitf.datasets.load, "train")
    features = importlib.import_module("tensorflow_datasets.features")
    assert features.ClassLabel is minitf.datasets.features.ClassLabel


def test_distributions_of_probability_are_minitfs() -> None:
    tfp = importlib.import_module("tensorflow_probability")
    assert tfp.distributions.Normal is minitf.distributions.Normal
    assert tfp.distributions.Bernoulli is minitf.distributions.Bernoulli
    with pytest.raises(AttributeError, match=r"has no tensorflow_probability\.layers"):
        _ = tfp.layers


def test_a_name_is_located_by_its_path() -> None:
    assert pydoc.locate("tensorflow.nn.rnn_cell.LSTMCell") is minitf.nn.rnn_cell.LSTMCell
    assert pydoc.locate("tensorflow.keras.regularizers.L1L2") is minitf.keras.regularizers.L1L2
    assert pydoc.locate("tensorflow.nn.nowhere") is None
    with pytest.raises(ImportError) as error:
        importlib.import_module("tensorflow.nn.nowhere")
    assert error.value.name == "tensorflow.nn.nowhere"
    with pytest.raises(ImportError, match=r"minitf has no tf\.nn\.nowhere"):
        exec("from tensorflow.nn import nowhere")
