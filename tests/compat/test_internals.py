"""What TensorFlow's own tests import from below `tensorflow.python`."""

import functools
import importlib

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensor_util import MakeNdarray, make_tensor_proto
from minitf.compat.tensorflow import alias


@pytest.fixture
def module():
    """Gives modules of the alias."""
    alias.install()
    yield lambda name: importlib.import_module(f"tensorflow.python.{name}")
    alias.uninstall()


def test_names_and_modules(module):
    ops = module("framework.ops")
    assert ops.prepend_name_scope("^a", "s") == "^s/a"
    assert ops.strip_name_scope("loc:@s/a/b", "s") == "loc:@a/b"
    assert ops.convert_n_to_tensor_or_indexed_slices([None, 1.0])[0] is None
    assert ops.uid() < ops.uid()
    assert not ops.executing_eagerly_outside_functions()
    assert module("ops.variables").VariableV1 is tf.Variable
    assert module("training.server_lib").ClusterSpec is tf.train.ClusterSpec
    assert module("framework.dtypes").int8_ref.base_dtype is tf.int8
    error = module("framework.errors_impl")._make_specific_exception(None, None, "no", 3)
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert module("layers.utils").deconv_output_length(4, 3, "valid", 1) == 6
    with pytest.raises(AttributeError, match="minitf has no"):
        ops.never_heard_of  # noqa: B018
    importlib.import_module("tensorflow.python.ops.nn_grad")  # for its effect alone


def test_gradient_functions_and_statistics(module):
    ops = module("framework.ops")
    graph = tf.get_default_graph()
    with graph.gradient_override_map({"Identity": "nobody_has_this"}):
        y = tf.identity(1.0)
    with pytest.raises(LookupError, match="nobody_has_this"):
        ops.get_gradient_function(y.op)
    ops.RegisterStatistics("OnlyHere", "flops")(lambda graph, node: ops.OpStats("flops", 20))
    node = ops._NodeDef("OnlyHere", "x")
    assert ops.get_stats_for_node_def(graph, node, "flops").value == 20
    assert ops.get_stats_for_node_def(graph, node, "weights").value is None


def test_a_mock_reaches_the_module_behind(module, monkeypatch):
    logging = module("platform.tf_logging")
    said = []
    with monkeypatch.context() as patch:
        patch.setattr(logging, "info", lambda *args: said.append(args))
        tf.logging.info("hello")
    tf.logging.info("not this")
    assert said == [("hello",)]


def test_few_values_fill_a_tensor_proto():
    message = make_tensor_proto(10.0, shape=[1, 3])
    assert (list(message.float_val), message.tensor_content) == ([10.0], b"")
    np.testing.assert_array_equal(MakeNdarray(message), [[10.0] * 3])
    assert list(make_tensor_proto("foo").string_val) == [b"foo"]
    with pytest.raises(ValueError, match="at most 1, but received 2"):
        make_tensor_proto([1, 2], shape=[1])


def test_every_method_of_a_class_is_decorated(module):
    decorate = module("framework.test_util").for_all_test_methods(lambda: lambda method: "done")
    cls = decorate(type("Tests", (), {"test_a": lambda self: 1, "helper": lambda self: 2}))
    assert (cls.test_a, cls().helper()) == ("done", 2)


def test_control_flow_is_that_of_version_1(module):
    util = module("ops.control_flow_util")
    assert not util.ENABLE_CONTROL_FLOW_V2
    assert not util.EnableControlFlowV2(tf.get_default_graph())
    assert not util.IsInXLAContext(tf.no_op())
    assert not util.GraphOrParentsInXlaContext(tf.get_default_graph())


def test_the_eager_context_as_an_object(module):
    context = module("eager.context")
    with context.execution_mode(context.ASYNC):
        assert context.context().execution_mode == context.SYNC
    assert not context.context().executing_eagerly()
    with context.eager_mode():
        assert context.context().executing_eagerly()
    assert context.context().num_gpus() == context.num_gpus()


def test_nests_of_datasets(module):
    nest = module("data.util.nest")
    assert nest.flatten({"b": (1, [2, 3]), "a": 0}) == [0, 1, [2, 3]]
    assert nest.pack_sequence_as((0, (1,)), ["a", "b"]) == ("a", ("b",))
    assert nest.flatten_up_to((0, 0), ((1, 2), 3)) == [(1, 2), 3]
    assert nest.map_structure_up_to((0, 0), lambda x, y: (x, y), (1, 2), (3, (4,))) == (
        (1, 3),
        (2, (4,)),
    )
    with pytest.raises(ValueError, match="number of elements"):
        nest.assert_same_structure((1, 2), (1, 2, 3))
    with pytest.raises(ValueError, match="same nested structure"):
        nest.assert_same_structure(((1, 2), 3), (1, (2, 3)), check_types=False)
    nest.assert_same_structure((1, 2), {"a": 1, "b": 2}, check_types=False)
    with pytest.raises(TypeError, match="same sequence type"):
        nest.assert_shallow_structure({"a": 1}, (1,))


def test_specs_of_datasets(module):
    structure = module("data.util.structure")
    spec = structure.type_spec_from_value({"a": tf.constant(1), "b": (tf.zeros([2]),)})
    assert structure.get_flat_tensor_types(spec) == [tf.int32, tf.float32]
    assert structure.are_compatible(spec, spec)
    assert not structure.are_compatible(spec, tf.TensorSpec([]))
    parts = structure.to_tensor_list(spec, {"a": 1, "b": (tf.ones([2]),)})
    assert structure.from_tensor_list(spec, parts)["b"][0] is parts[1]
    with pytest.raises(ValueError, match="Expected 2 tensors but got 1"):
        structure.from_tensor_list(spec, parts[:1])


def test_helpers_of_layers(module):
    utils = module("keras.utils.conv_utils")
    assert utils.normalize_tuple(2, 2, "strides") == (2, 2)
    assert utils.conv_output_length(7, 3, "valid", 2) == 3
    assert utils.conv_input_length(3, 3, "valid", 2) == 7
    convert = module("keras.utils.tf_utils").shape_type_conversion
    found = convert(lambda self, shape: shape + (3,))(None, tf.TensorShape([None, 2]))
    assert found.as_list() == [None, 2, 3]
    generic = module("keras.utils.generic_utils")
    assert generic.to_list(1) == [1]
    assert generic.unpack_singleton([1]) == 1
    assert generic.has_arg(lambda x, **more: x, "x")
    assert not generic.has_arg(lambda x, **more: x, "more")
    assert generic.has_arg(lambda x, **more: x, "y", accept_all=True)
    assert importlib.import_module("tensorflow_estimator.python.estimator.model_fn").ModeKeys


def test_arguments_of_functions(module):
    utils = module("util.function_utils")

    class Called:
        def __call__(self, x, y=1, **more):
            return x

    assert utils.fn_args(Called()) == ("x", "y")
    assert utils.fn_args(functools.partial(Called(), 1)) == ("y",)
    assert utils.has_kwargs(Called())
    assert not module("tf2").enabled()
    keys = module("estimator.canned.metric_keys").MetricKeys
    assert keys.LOSS_MEAN == "average_loss"


def test_words_below_branches(module):
    """A case of `slim`'s preprocessing: one of several functions, by a number drawn before."""
    control_flow = module("ops.control_flow_ops")
    chosen, x = tf.placeholder(tf.int32, []), tf.constant([1.0, 5.0])
    ways = [lambda v: v + 1, lambda v: v * 10, tf.negative]
    results = [f(control_flow.switch(x, tf.equal(chosen, i))[1]) for i, f in enumerate(ways)]
    merged = control_flow.merge(results)[0]
    double = module("framework.function").Defun(tf.float32)(lambda v: 2 * v)
    with tf.Session() as sess:
        found = [sess.run(merged, {chosen: i}).tolist() for i in range(3)]
        assert found == [[2, 6], [10, 50], [-1, -5]]
        assert sess.run(double(x)).tolist() == [2, 10]


def test_files_by_their_older_names(module, tmp_path):
    file_io = module("lib.io.file_io")
    path = str(tmp_path / "deep" / "a.txt")
    file_io.recursive_create_dir(str(tmp_path / "deep"))
    with file_io.FileIO(path, "r+") as file:
        file.write("abc")
    assert file_io.read_file_to_string(path) == "abc" and file_io.stat(path).length == 3
    file_io.atomic_write_string_to_file(path, b"123456789")
    assert file_io.file_crc32(path) == "0xe3069283"
    file_io.copy(path, path + "*")
    assert file_io.get_matching_files(path + r"\*") == [path + "*"]
    assert file_io.filecmp(path, path + "*")
    file_io.delete_recursively(str(tmp_path / "deep"))
    assert not file_io.file_exists(path) and not file_io.is_directory(str(tmp_path / "deep"))


def test_resource_variables_by_their_handles(module):
    rv = module("ops.resource_variable_ops")
    with tf.Graph().as_default(), tf.Session() as sess:
        handle = rv.var_handle_op(dtype=tf.int32, shape=[2])
        sess.run(rv.assign_variable_op(handle, [1, 2]))
        assert sess.run(rv.assign_add_variable_op(handle, [1, 1])) is None
        sess.run(rv.resource_scatter_max(handle, [0], [7]))
        assert sess.run(rv.read_variable_op(handle, tf.int32)).tolist() == [7, 3]
        assert sess.run(rv.resource_gather(handle, [1], tf.int32)).tolist() == [3]
        assert sess.run(rv.variable_shape(handle)).tolist() == [2]
        with pytest.raises(ValueError, match="incompatible"):
            rv.assign_variable_op(handle, [1, 2, 3])
        store = module("ops.variable_scope")._get_default_variable_store()
        assert store.get_variable("v", [1]) is store.get_variable("v", [1])
        with pytest.raises(ValueError, match="already exists"):
            store.get_variable("v", [1], reuse=False)


def test_sparse_tensors_of_strings_and_variants(module):
    sparse_ops = module("ops.sparse_ops")
    given = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    with tf.Session() as sess:
        for kind in (tf.string, tf.variant):
            text = sparse_ops.serialize_sparse(given, out_type=kind)
            one = sess.run(sparse_ops.deserialize_sparse(text, tf.float32))
            assert one.values.tolist() == [1, 2]
            batch = sparse_ops.deserialize_sparse(tf.stack([text, text]), tf.float32, rank=3)
            assert sess.run(batch).indices[2].tolist() == [1, 0, 1]


def test_older_names_of_layers(module):
    layers = module("layers.convolutional")
    assert layers.Convolution2D is tf.layers.Conv2D
    assert layers.Deconv3D is layers.Convolution3DTranspose is tf.layers.Conv3DTranspose
    assert layers.deconvolution2d is tf.layers.conv2d_transpose


def test_parts_of_metrics(module):
    metrics_impl = module("ops.metrics_impl")
    with tf.Session() as sess:
        counts = metrics_impl._confusion_matrix_at_thresholds
        values, updates = counts([True, False], [0.9, 0.8], [0.5, 0.85], includes=("tp", "fp"))
        sess.run(tf.local_variables_initializer())
        assert {key: sess.run(t).tolist() for key, t in updates.items()} == {
            "tp": [1, 1],
            "fp": [1, 0],
        }
        assert sess.run(values["fp"]).tolist() == [1, 0]
        assert sess.run(metrics_impl._safe_scalar_div(1.0, 0.0, "quotient")) == 0
    with pytest.raises(ValueError, match="Invalid key: up"):
        counts([True], [0.5], [0.5], includes=["up"])


def test_gradient_functions_by_name(module):
    x = tf.constant([[1.0, 2.0]])
    product = tf.matmul(x, [[3.0], [4.0]])
    assert module("ops.math_grad")._MatMulGrad is module("framework.ops").get_gradient_function(
        product.op
    )
    gathered = tf.gather([1.0, 2.0, 3.0], [2, 2])
    slices = module("ops.array_grad")._GatherV2Grad(gathered.op, tf.ones([2]))[0]
    with tf.Session() as sess:
        assert sess.run(tf.convert_to_tensor(slices)).tolist() == [0.0, 0.0, 2.0]
    for name in "_NoSuchOpGrad", "MatMulGrad", "_CeilGrad_of_nothing":
        with pytest.raises(AttributeError, match="minitf has no"):
            getattr(module("ops.nn_grad"), name)
    assert module("framework.op_def_registry").get_registered_ops()["MatMul"].type == "MatMul"


def test_variable_scopes_without_name_scopes(module):
    pure = module("ops.variable_scope")._pure_variable_scope
    with tf.name_scope("outer"), pure("inner") as scope:
        assert tf.get_variable("v", [1]).name == "inner/v:0"
        assert tf.constant(1.0, name="c").op.name == "outer/c"
        assert tf.get_default_graph()._name_stack == "outer"
    with pure(scope, reuse=True):
        assert tf.get_variable("v", [1]).name == "inner/v:0"
