"""TensorFlow's graph files without TensorFlow: text, functions, what is refused or left out."""

import cProfile
import json
import pstats
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import dtypes
from minitf.core.graph.graph_def import NodeDef
from minitf.library.formats import graph_message
from minitf.library.formats.graph_message import Function, FunctionName, GraphMessage
from minitf.library.formats.messages import is_text, to_text
from minitf.library.formats.protobuf_messages import from_text
from minitf.library.saving import tensorflow_functions, tensorflow_graph
from minitf.library.saving.switch_and_merge import structured
from minitf.library.saving.tensorflow_graph import from_message
from minitf.library.saving.tensorflow_writing import write_graph

_PLACES = (("p", dtypes.bool), ("x", dtypes.float32))
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def graph_of_everything() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        end = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), [0, x])[1]
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: end * 2, lambda: end)
        words = tf.constant(['a "word"\n\\', "é\0"])
        tf.concat([tf.as_string(tf.reshape(y, [-1])), words], 0, name="out")
    return graph


def result(graph_def: tf.GraphDef) -> np.ndarray:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        return sess.run(graph.get_tensor_by_name("out:0"), {"x:0": X})


# ---- bytes and text ----------------------------------------------------------------------


def test_a_graph_comes_back_from_bytes_and_from_text(tmp_path: Path) -> None:
    graph_def = graph_of_everything().as_graph_def(add_shapes=True)
    wanted = result(graph_def)
    data = graph_def.SerializeToString()
    assert data[:1] != b"{" and result(tf.GraphDef.FromString(data)).tolist() == wanted.tolist()
    path = tf.train.write_graph(graph_def, str(tmp_path), "graph.pbtxt")
    text = Path(path).read_bytes()
    assert b'name: "x"' in text and is_text(text) and not is_text(data)
    assert result(tf.GraphDef.FromString(text)).tolist() == wanted.tolist()
    assert to_text(from_text(text.decode(), "GraphDef"), "GraphDef") == text.decode()


def test_types_are_told_beside_loops_and_lists() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(v)), [0, x])[1]
        tf.cast(tf.matmul(y, tf.ones([4, 2]), name="product"), tf.int32, name="cast")
        tf.identity(
            tf.reduce_sum(tf.map_fn(lambda row: row * 2, x), [0, 1], name="sum"), name="end"
        )
        data = write_graph(graph.as_graph_def())
    read = tf.GraphDef.FromString(data)
    nodes = {node.name: node for node in read.node}
    for name in ("product", "sum"):
        assert nodes[name].attr["T"].type == tf.float32.as_datatype_enum
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(read, name="")
        assert session.run("end:0", {"x:0": np.ones([2, 4])}) == 16


def test_text_as_people_write_it() -> None:
    text = """# a graph
    node < name: 'c' op: "Const", attr { key: "dtype" value { type: DT_FLOAT } };
      attr { key: "value" value { tensor { dtype: 1 tensor_shape { dim { size: 2 } }
        float_val: [1.5, -inf] } } } debug_info { names: "un" "known" } >
    versions { producer: 0x86 }"""
    graph_def = tf.GraphDef.FromString(text.encode())
    assert graph_def.node[0].name == "c"
    assert graph_def.node[0].attrs["value"].tolist() == [1.5, -np.inf]
    value = f"dtype: DT_UINT64 tensor_shape {{ dim {{ size: 2 }} }} uint64_val: [0, {2**64 - 1}]"
    data = from_text(value, "TensorProto")
    assert graph_message.tensor(data).tolist() == [0, 2**64 - 1]
    assert to_text(data, "TensorProto").endswith(f"uint64_val: 0\nuint64_val: {2**64 - 1}\n")


@pytest.mark.parametrize(
    "text", ["node {", "node { name: 3 }", "node: 5", 'node { name: "a', "node }"]
)
def test_text_that_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        tf.GraphDef.FromString(text.encode())


def test_hostile_text_ends_soon() -> None:
    begin = time.perf_counter()
    for text in ("node {" * 100_000, "#" * 50_000 + "\nnode { " + "# # " * 20_000 + "\n!"):
        with pytest.raises(ValueError):
            tf.GraphDef.FromString(text.encode())
    assert time.perf_counter() - begin < 20


def test_a_metagraph_in_text_and_the_json_of_old(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v = tf.get_variable("v", [2])
        tf.add_to_collection("names", "a")
        tf.add_to_collection("sizes", 3)
        tf.add_to_collection("rates", 0.5)
        tf.add_to_collection("tensors", v.initialized_value())
        saver = tf.train.Saver()
        saver.export_meta_graph(str(tmp_path / "text.meta"), as_text=True)
        message = saver.export_meta_graph(str(tmp_path / "bytes.meta"))
    (tmp_path / "json.meta").write_bytes(message.SerializeToString())
    assert "\ngraph_def {" in (tmp_path / "text.meta").read_text()
    for name in ("text.meta", "bytes.meta", "json.meta"):
        with tf.Graph().as_default():
            assert tf.train.import_meta_graph(str(tmp_path / name)) is not None
            assert [each.name for each in tf.trainable_variables()] == ["v:0"]
            kept = [tf.get_collection(key)[0] for key in ("names", "sizes", "rates")]
            assert kept == ["a", 3, 0.5]
            assert tf.get_collection("tensors")[0].dtype == tf.float32


def test_equal_elements_take_no_room() -> None:
    with tf.Graph().as_default() as graph:
        for dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64, tf.uint8, tf.bool):
            tf.constant(np.full([50, 50], 1, dtype.as_numpy_dtype), name=dtype.name)
        tf.constant(np.full([50, 50], -2, np.int32), name="negative")
    data = write_graph(graph.as_graph_def())
    assert len(data) < 5000
    for node in tf.GraphDef.FromString(data).node:
        if node.attrs["value"].size == 2500:
            assert (node.attrs["value"] == (-2 if node.name == "negative" else 1)).all()


# ---- what cannot be written --------------------------------------------------------------


def trained_by_keras() -> tuple[tf.Tensor, tf.Tensor]:
    """TensorFlow has no operation with the rule of Keras' optimizer."""
    x = tf.placeholder(tf.float32, [2], name="x")
    y = x * tf.get_variable("w", initializer=[1.0, 2.0])
    optimizer, w = tf.keras.optimizers.SGD(0.1, 0.9), tf.trainable_variables()
    gradients = tf.gradients(tf.reduce_sum(y, name="loss"), w)
    tf.group(optimizer.apply_gradients(zip(gradients, w, strict=True)), name="train")
    return x, tf.identity(y, name="y")


def test_a_node_without_an_equal_is_named(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        trained_by_keras()
        with pytest.raises(ValueError, match=r"\(ApplyKerasMomentum\) cannot be written"):
            tf.train.write_graph(graph, str(tmp_path), "graph.pb", as_text=False)
        assert graph.as_graph_def().SerializeToString()[:1] == b"{"
        tf.train.export_meta_graph(str(tmp_path / "json.meta"))
    assert json.loads((tmp_path / "json.meta").read_bytes())
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(str(tmp_path / "json.meta"))
        assert graph.get_operation_by_name("train")


def test_a_saved_model_is_written_without_its_training(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = trained_by_keras()
        sess.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(sess, str(tmp_path / "saved"), {"x": x}, {"y": y})
    assert (tmp_path / "saved/saved_model.pb").read_bytes()[:1] != b"{"
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.saved_model.loader.load(sess, ["serve"], str(tmp_path / "saved"))
        assert sess.run("y:0", {"x:0": [1.0, 1.0]}).tolist() == [1.0, 2.0]
        with pytest.raises(KeyError):
            graph.get_operation_by_name("train")


# ---- functions of a library --------------------------------------------------------------


T = {"T": dtypes.float32}
FLOAT = {"Tin": (dtypes.float32,), "Tout": (dtypes.float32,)}


def message(*functions: Function, kind: str = "PartitionedCall", **attr: object) -> GraphMessage:
    value = {"dtype": dtypes.float32, "value": np.array(2, np.float32)}
    call = NodeDef("call", kind, ["c"], attrs={"f": FunctionName("f"), **attr})
    nodes = [NodeDef("c", "Const", attrs=value), call]
    return GraphMessage(nodes, {function.name: function for function in functions})


def function(name: str, *nodes: NodeDef, returns: str = "x") -> Function:
    return Function(name, {"x": dtypes.float32}, {"y": dtypes.float32}, [*nodes], {"y": returns})


def test_a_call_becomes_the_operations_of_its_function() -> None:
    inner = function("g", NodeDef("two", "AddV2", ["x", "x"]), returns="two:z:0")
    call = NodeDef(
        "again", "StatefulPartitionedCall", ["x"], attrs={"f": FunctionName("g"), **FLOAT}
    )
    outer = function("f", call, NodeDef("n", "Neg", ["again:output:0"]), returns="n:y:0")
    with tf.Graph().as_default(), tf.Session() as sess:
        data = graph_message.encode(message(inner, outer))
        tf.import_graph_def(tf.GraphDef.FromString(data), name="")
        assert sess.run(["call:0", "call/again/two:0"]) == [-4.0, 4.0]


def test_functions_that_call_themselves_are_refused() -> None:
    again = NodeDef("again", "PartitionedCall", ["x"], attrs={"f": FunctionName("f"), **FLOAT})
    with pytest.raises(ValueError, match="the function 'f' calls itself"):
        from_message(message(function("f", again, returns="again:output:0")))
    branch = NodeDef("b", "If", ["x", "x"], attrs={"Tout": (dtypes.float32,)})
    branch.attrs |= dict.fromkeys(("then_branch", "else_branch"), FunctionName("f"))
    with pytest.raises(ValueError, match="the function 'f' calls itself"):
        from_message(message(function("f", branch, returns="b:output:0")))


def test_functions_that_double_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tensorflow_functions, tensorflow_graph):
        monkeypatch.setattr(module, "MOST_NODES", 2000)
    functions = [function("f30")]
    for i in range(30):
        calls = [
            NodeDef(n, "PartitionedCall", ["x"], attrs={"f": FunctionName(f"f{i + 1}"), **FLOAT})
            for n in ("a", "b")
        ]
        functions.append(function("f" if i == 0 else f"f{i}", *calls, returns="a:output:0"))
    with pytest.raises(ValueError, match="become more than"):
        from_message(message(*functions))
    for each in functions:
        for node in each.node:
            node.op, node.input = "If", ["x", "x"]
            node.attrs |= dict.fromkeys(("then_branch", "else_branch"), node.attrs["f"])
    with pytest.raises(ValueError, match="become more than"):
        from_message(message(*functions))


def loop(name: str, given: str, frame: str) -> list[NodeDef]:
    """A circle without a body: it hands on `{name}/switch:1`, and takes `{name}/next` back."""
    frames = {"frame_name": frame, **T}
    return [
        NodeDef(f"{name}/enter", "Enter", [given], attrs=frames),
        NodeDef(f"{name}/merge", "Merge", [f"{name}/enter", f"{name}/next"], attrs=T),
        NodeDef(f"{name}/less", "Less", [f"{name}/merge", f"{name}/merge"], attrs=T),
        NodeDef(f"{name}/cond", "LoopCond", [f"{name}/less"]),
        NodeDef(f"{name}/switch", "Switch", [f"{name}/merge", f"{name}/cond"], attrs=T),
        NodeDef(f"{name}/exit", "Exit", [f"{name}/switch"], attrs=T),
    ]


def nested_loops(count: int) -> list[NodeDef]:
    nodes, inner = [], "x"
    for i in range(count):
        nodes += loop(f"l{i}", inner, f"f{i}")
        inner = f"l{i}/switch:1"
    for i in reversed(range(count)):
        nodes.append(NodeDef(f"l{i}/next", "NextIteration", [inner], attrs=T))
        inner = f"l{i}/exit"
    return nodes


def loops_in_a_row(count: int) -> list[NodeDef]:
    nodes, before = [], "x"
    for i in range(count):
        nodes += loop(f"l{i}", before, f"f{i}")
        nodes.append(NodeDef(f"l{i}/next", "NextIteration", [f"l{i}/switch:1"], attrs=T))
        before = f"l{i}/exit"
    return nodes


def nested_enters(count: int) -> list[NodeDef]:
    return [
        NodeDef(f"e{i}", "Enter", [f"e{i - 1}" if i else "x"], attrs={"frame_name": f"f{i}", **T})
        for i in range(count)
    ]


@pytest.mark.parametrize("make", [nested_loops, loops_in_a_row, nested_enters])
def test_the_time_for_loops_grows_as_their_number(make: Callable[[int], list[NodeDef]]) -> None:
    def calls(count: int) -> int:
        """How many functions of Python run: time, without its noise."""
        x = NodeDef("x", "Placeholder", attrs={"dtype": dtypes.float32})
        profile = cProfile.Profile()
        profile.runcall(from_message, GraphMessage([x, *make(count)]))
        return pstats.Stats(profile).total_calls

    calls(3)
    assert calls(80) < 6 * calls(20)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (message(), "calls the function 'f', which is not in the graph's library"),
        (message(function("f", returns="none:y:0")), "none"),
        (message(Function("f", {}, {"y": dtypes.float32}, [], {"y": "x"})), "takes 0 values"),
        (message(function("f"), kind="While", body=FunctionName("f")), "has no variable"),
    ],
)
def test_functions_that_do_not_fit(given: GraphMessage, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        from_message(given)


def test_a_merge_of_one_input_hands_it_on() -> None:
    """Such a one is left of a branch whose `If` is outside of the function that reads it."""
    p, x = (NodeDef(name, "Placeholder", attrs={"dtype": dtype}) for name, dtype in _PLACES)
    switch = NodeDef("s", "Switch", ["x", "p"], attrs={"T": dtypes.float32})
    alone = NodeDef("m", "Merge", ["s:1"], attrs={"T": dtypes.float32})
    both = NodeDef("y", "Merge", ["s", "m"], attrs={"T": dtypes.float32})
    found = {node.name: node for node in structured([p, x, switch, alone, both])}
    assert found["y"].input == ["If"] and found["If"].input == ["p", "x"]


def test_a_tensor_of_any_size_takes_no_memory() -> None:
    one = graph_message.encode_tensor(np.zeros((), np.float32))
    shape = graph_message.encode_shape(tf.TensorShape([2**20, 2**20]))
    huge = graph_message.tensor(one + b"\x12" + bytes([len(shape)]) + shape)
    assert huge.shape == (2**20, 2**20) and huge.strides == (0, 0)


# ---- variables, whose memory others share there ------------------------------------------


@pytest.mark.parametrize(
    "shared",
    [
        lambda w: w.value(),
        lambda w: tf.reshape(w, [3, 3]),
        lambda w: tf.split(w, [3, 0], axis=1)[0],
        lambda w: tf.cond(tf.constant(True), lambda: w, lambda: tf.ones([3, 3])),
        lambda w: tf.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, v), [0, w])[1],
        lambda w: tf.while_loop(lambda i, _: i < 2, lambda i, _: (i + 1, w), [0, tf.ones([3, 3])])[
            1
        ],
    ],
    ids=["read", "reshaped", "a part", "a branch", "kept", "put in a loop"],
)
def test_updates_wait_for_who_reads_the_same_memory(shared: Callable) -> None:
    with tf.Graph().as_default() as graph:
        first, second = (tf.get_variable(name, [3, 3]) for name in ("first", "second"))
        kept = shared(second)
        y = tf.matmul(tf.matmul(tf.ones([2, 3]), first), kept)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        optimizer.minimize(tf.reduce_sum(y), name="train", gate_gradients=optimizer.GATE_NONE)
    nodes = {n.name: n for n in graph_message.decode(write_graph(graph.as_graph_def())).node}
    before: set[str] = set()
    waiting = {"train/update_second/ApplyGradientDescent"}
    while waiting:
        before |= waiting
        waiting = {_node(source) for name in waiting for source in nodes[name].input} - before
    readers = {n.name for n in nodes.values() if kept.op.name in map(_node, n.data_inputs)}
    assert len({name for name in readers if nodes[name].op == "MatMul"}) == 2
    assert readers <= before


def _node(source: str) -> str:
    return source.removeprefix("^").partition(":")[0]


def test_a_read_in_a_loop_keeps_no_memory_of_the_variable() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [3, 3], use_resource=True)
        tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, a @ v.read_value()), [0, v])
    message = graph_message.decode(write_graph(graph.as_graph_def()))
    inside = [node.op for each in message.library.values() for node in each.node]
    assert inside.count("DeepCopy") == 1
    body = next(n.attrs["body"] for n in from_message(message).node if n.op == "While")
    assert [node.op for node in body.node].count("ReadVariableOp") == 1


@pytest.mark.parametrize(
    ("kind", "attrs", "inputs"),
    [
        ("While", {}, ["v/read"]),
        ("If", {"then_branch": 7, "else_branch": 7, "types": (), "shapes": ()}, ["v/read"]),
        ("Neg", {"_output_shapes": [3]}, ["v/read"]),
        ("Neg", {"_class": 1.5}, ["v/read"]),
        ("Neg", {"_mine": {}}, ["v/read"]),
        ("Neg", {}, ["v/read:3"]),
        ("ApplyGradientDescent", {}, []),
        ("SumToShapeOf", {}, []),
    ],
)
def test_what_is_no_node_is_named(kind: str, attrs: dict, inputs: list[str]) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [2])
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v))
    graph_def = graph.as_graph_def()
    graph_def.node.append(NodeDef("bad", kind, inputs, attrs=attrs))
    with pytest.raises(ValueError, match=rf"Node 'bad' \({kind}\) "):
        write_graph(graph_def)
