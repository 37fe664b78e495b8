"""TensorFlow's graphs, MetaGraphs and saved models are read and run; our graphs go back to it."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf
from tests.conformance import raw_ops
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle, skip_what_it_lacks
from tests.conformance.runner import run_case

pytestmark = pytest.mark.conformance

_RNG = np.random.default_rng(0)
X = _RNG.normal(size=(3, 4)).astype(np.float32)
IMAGES = _RNG.random((2, 12, 12, 1)).astype(np.float32)

#: name -> (a program that builds `outs` of the placeholder `x`, what to feed)
GRAPHS: dict[str, tuple[str, np.ndarray]] = {
    "network": (
        """
x = tf.placeholder(tf.float32, [None, 12, 12, 1], "x")
h = tf.layers.batch_normalization(tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu))
h = tf.nn.avg_pool(tf.layers.max_pooling2d(h, 2, 2), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
h = tf.layers.dropout(tf.layers.dense(tf.layers.flatten(h), 16, tf.nn.tanh))
p = tf.nn.softmax(tf.layers.dense(h, 10)); outs = [p, tf.argmax(p, 1)]
""",
        IMAGES,
    ),
    "axes": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x")
a = tf.concat([x, x * 2], 1); b = tf.transpose(a); c, d = tf.split(b, 2, 0); g = tf.gather(x, [0, 2])
outs = [a, b, tf.reduce_mean(c, keepdims=True), tf.reduce_max(d, [0]), g, tf.expand_dims(g, 0), tf.cumsum(x, 1), tf.reverse(x, [0]),
  tf.unstack(tf.stack([x, x]))[1], tf.one_hot([1, 2], 3), tf.tile(x, [2, 1]), tf.pad(x, [[1, 1], [0, 0]]), x[1:, ::2], tf.where(x > 0, x, -x), tf.cast(x, tf.int32),
  tf.reshape(x, [-1]), tf.nn.top_k(x, 2)[1], tf.argmin(x, 0), tf.linalg.band_part(x, 1, 0), tf.reduce_sum(x), tf.split(x, [1, 3], 1)[1], tf.matmul(x, x, transpose_b=True),
  tf.linalg.diag_part(x), tf.linalg.set_diag(x, x[:, 1]), tf.linalg.diag(x[0]), tf.eye(2), tf.trace(x)]
""",
        X,
    ),
    "texts and images": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); picture = tf.reshape(x, [1, 3, 4, 1])
outs = [tf.string_join(["a", tf.as_string(x[0])]), tf.image.resize_bilinear(picture, [5, 5]), tf.nn.l2_normalize(x, 1), tf.nn.lrn(picture),
  tf.nn.depthwise_conv2d(picture, tf.ones([2, 2, 1, 2]), [1, 1, 1, 1], "SAME"), tf.nn.embedding_lookup(tf.get_variable("E", [9, 2]), [1, 5])]
""",
        X,
    ),
    "recurrent": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); steps = tf.unstack(tf.reshape(x, [2, 3, 2]), axis=1)
outs = [tf.nn.static_rnn(tf.nn.rnn_cell.LSTMCell(5), steps, dtype=tf.float32)[0][-1], tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(3), steps, dtype=tf.float32, scope="g")[0][-1]]
""",
        X,
    ),
}
#: operations that are another one here, or several; those that need shapes are not read
_OF_KNOWN_SHAPES = re.compile(r"raw\.(Dilation2D|Ragged[GT]|TridiagonalMatMul)").search
for _name, _rows in raw_ops.ROWS.items():
    _all = ", ".join(row for row in _rows.strip().splitlines() if not _OF_KNOWN_SHAPES(row))
    _flat = "outs = []\ndef flat(o): [flat(e) for e in o] if isinstance(o, (list, tuple)) else outs.append(o)"
    _fed = 'tf.placeholder(tf.float32, [3, 3], "x")\nconstant = tf.constant('
    _start = raw_ops.START.replace("tf.constant(", _fed, 1)
    GRAPHS[_name] = (f"{_start}{_flat}\nflat([x + 1., {_all}])\n", X[:, :3] * 3)
#: the same, with branches and loops
BRANCHES: dict[str, tuple[str, np.ndarray]] = {
    "loops": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); whole = lambda v: tf.cast(tf.shape(v)[0], tf.int32)
a = tf.while_loop(lambda i, v: i < whole(x), lambda i, v: (i + 1, v * 2 + x), [0, x])
b = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.while_loop(lambda j, w: j < i + 1, lambda j, w: (j + 1, w + tf.cast(i, tf.float32) * x), [0, v])[1]), [0, x])
outs = [*a, b[1], tf.map_fn(lambda r: tf.reduce_sum(r) * r, x), tf.scan(lambda p, r: p + r, x), tf.foldl(lambda p, r: p * r, x)]
""",
        X,
    ),
    "branches": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); p = tf.reduce_sum(x) > 0; q = x[0, 0] > 0
one = tf.cond(p, lambda: x + 1, lambda: x * 3); pair = tf.cond(q, lambda: (one, tf.constant(1)), lambda: (tf.matmul(x, tf.ones([4, 4])), tf.constant(2)))
again = tf.cond(p, lambda: one * 2, lambda: one - 1); inner = tf.cond(p, lambda: tf.cond(q, lambda: x * 10, lambda: again * 20), lambda: tf.cond(q, lambda: x, lambda: again))
loop = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.cond(i > 1, lambda: v + x, lambda: v - 1)), [0, x])[1]; within = tf.cond(q, lambda: tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0]), lambda: tf.constant(-1))
chosen = tf.case([(x[0, 0] > 5, lambda: x), (q, lambda: x * 2)], default=lambda: x * 3); only = tf.case({x[0, 0] > 5: lambda: x, x[0, 0] < 5: lambda: x * 2}, exclusive=True)
with tf.control_dependencies([tf.Assert(tf.reduce_all(x < 100), [x])]): checked = x + 1
outs = [one, *pair, again, inner, loop, within, chosen, only, checked]
""",
        X,
    ),
    "dynamic_rnn": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); steps = tf.reshape(x, [3, 2, 2]); cells = tf.nn.rnn_cell
o, s = tf.nn.dynamic_rnn(cells.LSTMCell(5), steps, sequence_length=[2, 1, 2], dtype=tf.float32)
both, _ = tf.nn.bidirectional_dynamic_rnn(cells.GRUCell(3), cells.GRUCell(3), steps, dtype=tf.float32)
outs = [o, s.c, s.h, *both]
""",
        X,
    ),
    "decoder": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); E = tf.get_variable("E", [7, 4]); W = tf.get_variable("W", [4, 7]); cell = tf.nn.rnn_cell.GRUCell(4)
def body(t, token, state, words, done):
    out, after = cell(tf.nn.embedding_lookup(E, token), state); following = tf.argmax(tf.matmul(out, W), 1, output_type=tf.int32)
    following = tf.where(done, tf.zeros_like(following), following)
    return t + 1, following, tf.where(done, state, after), words.write(t, following), tf.logical_or(done, tf.equal(following, 3))
going = lambda t, token, state, words, done: tf.logical_and(t < 9, tf.logical_not(tf.reduce_all(done)))
end = tf.while_loop(going, body, [0, tf.zeros([3], tf.int32), x, tf.TensorArray(tf.int32, 9, dynamic_size=True), tf.fill([3], False)])
outs = [tf.transpose(end[3].stack()), end[0]]
""",
        X,
    ),
    "keras": (
        """
x = tf.placeholder(tf.float32, [3, 4], "x"); k = tf.keras.layers
outs = [tf.keras.Sequential([k.Reshape((2, 2), input_shape=(4,)), k.LSTM(3, return_sequences=True), k.GRU(3), k.Dropout(0.5), k.BatchNormalization(), k.Dense(2, "softmax")])(x)]
""",
        X,
    ),
}
_FREEZE = """
s = session(); s.run(tf.global_variables_initializer())
frozen = tf.graph_util.convert_variables_to_constants(s, s.graph.as_graph_def(), [o.op.name for o in outs])
with open(path, "wb") as f: f.write(frozen.SerializeToString())
show(*[o.name for o in outs])
"""
_RUN = """
graph_def = tf.GraphDef()
with open(path, "rb") as f: graph_def.ParseFromString(f.read())
with tf.Graph().as_default() as g, tf.Session(graph=g) as s:
    tf.import_graph_def(graph_def, name=""); show(*s.run(names, {"x:0": np.array(fed, "f")}))
    if back: tf.train.write_graph(g.as_graph_def(), *back, as_text=False)
"""
_TRAIN = """
x = tf.placeholder(tf.float32, [None, 3], "x"); y = tf.placeholder(tf.float32, [None, 1], "y")
step = tf.train.get_or_create_global_step(); h = tf.layers.dense(x, 8, tf.nn.relu); v = tf.get_variable("v", [1], use_resource=True)
p = tf.layers.dense(h, 1, name="p"); loss = tf.reduce_mean(tf.square(p + v - y), name="loss")
train = tf.train.AdamOptimizer(0.05).minimize(loss, step, name="train"); tf.add_to_collection("mine", loss)
s = session(); s.run(tf.global_variables_initializer()); feed = {x: np.ones((4, 3), "f"), y: np.ones((4, 1), "f")}
for _ in range(5): s.run(train, feed)
tf.train.Saver().save(s, path + "/model", 5); tf.saved_model.simple_save(s, path + "/saved", {"x": x}, {"p": p})
"""
_TRAIN_BRANCHES = """
x = tf.placeholder(tf.float32, [None, 3], "x"); y = tf.placeholder(tf.float32, [None, 1], "y"); t = tf.placeholder(tf.bool, [], "t")
h = tf.layers.batch_normalization(tf.layers.dense(x, 8, tf.nn.relu), training=t); v = tf.get_variable("v", [8])
p = tf.layers.dense(tf.cond(t, lambda: h * v, lambda: h), 1); loss = tf.reduce_mean(tf.square(p - y), name="loss")
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): tf.train.AdamOptimizer(0.05).minimize(loss, name="train")
s = session(); s.run(tf.global_variables_initializer()); feed = {x: np.eye(4, 3, dtype="f"), y: np.ones((4, 1), "f"), t: True}
for _ in range(3): s.run("train", feed)
tf.train.Saver().save(s, path + "/model")
"""
_GO_ON_BRANCHES = """
feed = {"x:0": np.eye(4, 3, dtype="f"), "y:0": np.ones((4, 1), "f"), "t:0": True}
with tf.Graph().as_default(), tf.Session() as s:
    tf.train.import_meta_graph(path + "/model.meta").restore(s, path + "/model")
    show(*[s.run(["loss:0", "train"], feed)[0] for _ in range(5)], s.run("loss:0", {**feed, "t:0": False}))
"""
_TRAIN_LOOPS = """
x = tf.placeholder(tf.float32, [4, 6, 3], "x"); y = tf.placeholder(tf.float32, [4, 6, 2], "y")
o, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(5), tf.layers.dense(x, 3), dtype=tf.float32)
loss = tf.reduce_mean(tf.square(tf.layers.dense(o, 2) - y), name="loss"); tf.train.AdamOptimizer(0.05).minimize(loss, name="train")
s = session(); s.run(tf.global_variables_initializer()); feed = {x: np.ones((4, 6, 3), "f"), y: np.ones((4, 6, 2), "f")}
for _ in range(3): s.run("train", feed)
tf.train.Saver().save(s, path + "/model")
"""
_GO_ON_LOOPS = """
feed = {"x:0": np.ones((4, 6, 3), "f"), "y:0": np.ones((4, 6, 2), "f")}
with tf.Graph().as_default(), tf.Session() as s:
    tf.train.import_meta_graph(path + "/model.meta").restore(s, path + "/model")
    show(*[s.run(["loss:0", "train"], feed)[0] for _ in range(5)])
"""
_GO_ON = """
feed = {"x:0": np.ones((4, 3), "f"), "y:0": np.ones((4, 1), "f")}
with tf.Graph().as_default(), tf.Session() as s:
    saver = tf.train.import_meta_graph(path + "/model-5.meta"); saver.restore(s, path + "/model-5")
    show(*[s.run(["loss:0", "train"], feed)[0] for _ in range(5)], s.run("global_step:0"))
    show([v.name for v in tf.trainable_variables()], [t.name for t in tf.get_collection("mine")])
with tf.Graph().as_default(), tf.Session() as s:
    model = tf.saved_model.loader.load(s, ["serve"], path + "/saved"); use = model.signature_def["serving_default"]
    show(use.method_name, sorted(use.inputs), s.run(use.outputs["p"].name, {use.inputs["x"].name: feed["x:0"]}))
"""


def ran(answer: Any) -> Any:
    skip_what_it_lacks(answer.get("error"))
    assert not answer.get("error"), answer["error"]
    return answer


def graph_of_tensorflow(oracle: Oracle, name: str, path: Path) -> tuple[str, str]:
    """Has TensorFlow write a graph; returns how to run it, with two gaps, and where it is."""
    program, fed = {**GRAPHS, **BRANCHES}[name]
    answer = ran(oracle.ask(f"path = {str(path)!r}\n{program}{_FREEZE}"))
    names = [answer["shown"][str(i)]["value"] for i in range(len(answer["shown"]))]
    return f"fed = {fed.tolist()!r}; names = {names!r}\n{_RUN}", str(path)


@pytest.mark.parametrize("name", GRAPHS)
def test_frozen_graphs_run_here_and_go_back(name: str, oracle: Oracle, tmp_path: Path) -> None:
    run, theirs = graph_of_tensorflow(oracle, name, tmp_path / "theirs.pb")
    ours = tmp_path / "ours.pb"
    wanted = ran(oracle.ask(f"path = {theirs!r}; back = None\n{run}"))
    back = (str(tmp_path), ours.name)
    assert not compare(wanted, ran(run_case(minitf, f"path = {theirs!r}; back = {back}\n{run}")))
    assert not compare(wanted, ran(oracle.ask(f"path = {str(ours)!r}; back = None\n{run}")))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", BRANCHES)
def test_branches_and_loops_run_here(name: str, sign: int, oracle: Oracle, tmp_path: Path) -> None:
    run, path = graph_of_tensorflow(oracle, name, tmp_path / "theirs.pb")
    program = (
        f"path = {path!r}; back = None\n{run.replace('np.array(fed', f'{sign} * np.array(fed')}"
    )
    assert not compare(ran(oracle.ask(program)), ran(run_case(minitf, program)))


@pytest.mark.parametrize("name", [n for n in BRANCHES if n != "keras"])  # TensorFlow tears it
def test_branches_and_loops_that_are_functions_run_here_and_go_back(
    name: str, oracle: Oracle, tmp_path: Path
) -> None:
    program, fed = BRANCHES[name]
    call = "import tensorflow; function = tensorflow.function(lambda v: (v * 2, v[0]), autograph=False); twice, row = function(x); outs += [twice, row]"
    make = f"path = {str(tmp_path / 'theirs.pb')!r}\ntf.enable_control_flow_v2()\ntry:\n{program}\n{call}\n{_FREEZE}"
    head, body = make.split("try:\n")
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    made = ran(oracle.ask(f"{head}try:\n{lines}\nfinally: tf.disable_control_flow_v2()"))
    names = [made["shown"][str(i)]["value"] for i in range(len(made["shown"]))]
    run = f"fed = {fed.tolist()!r}; names = {names!r}\n{_RUN}"
    theirs, ours = (
        f"path = {str(tmp_path / 'theirs.pb')!r}",
        f"path = {str(tmp_path / 'ours.pb')!r}",
    )
    wanted = ran(oracle.ask(f"{theirs}; back = None\n{run}"))
    back = (str(tmp_path), "ours.pb")
    assert not compare(wanted, ran(run_case(minitf, f"{theirs}; back = {back}\n{run}")))
    assert not compare(wanted, ran(oracle.ask(f"{ours}; back = None\n{run}")))


@pytest.mark.parametrize(
    ("train", "go_on"), [(_TRAIN_BRANCHES, _GO_ON_BRANCHES), (_TRAIN_LOOPS, _GO_ON_LOOPS)]
)
def test_training_goes_on_through_branches_and_loops(
    train: str, go_on: str, oracle: Oracle, tmp_path: Path
) -> None:
    head = f"path = {str(tmp_path)!r}\n"
    ran(oracle.ask(head + train))
    wanted = ran(oracle.ask(head + go_on))
    assert not compare(wanted, ran(run_case(minitf, head + go_on)))


def test_training_goes_on_from_a_metagraph_and_a_saved_model_answers(
    oracle: Oracle, tmp_path: Path
) -> None:
    head = f"path = {str(tmp_path)!r}\n"
    ran(oracle.ask(head + _TRAIN))
    wanted = ran(oracle.ask(head + _GO_ON))
    assert not compare(wanted, ran(run_case(minitf, head + _GO_ON)))


_AXES = """
x = tf.placeholder(tf.float32, [3, 4], "x"); axis = tf.placeholder_with_default(1, [], "axis"); two = tf.placeholder_with_default([1, 0], [2], "two")
{outs}
with open(path, "wb") as f: f.write(tf.get_default_graph().as_graph_def().SerializeToString())
show(*[o.name for o in outs])
"""


def test_axes_that_are_computed_while_it_runs(oracle: Oracle, tmp_path: Path) -> None:
    path = str(tmp_path / "axes.pb")
    outs = "outs = [tf.reduce_sum(x, axis), tf.reduce_max(x, two[:1], keepdims=True), tf.reduce_mean(x, two), tf.argmax(x, axis), tf.cumsum(x, axis, reverse=True), tf.concat([x, x], axis), tf.gather(x, [[0, 2], [1, 0]], axis=axis), *tf.split(x, 2, axis), *tf.split(x, [1, 3], axis), tf.transpose(x, two), tf.expand_dims(x, -axis), tf.reverse(x, two), tf.reduce_sum(x, two, keepdims=True), tf.gradients(tf.reduce_sum(x * x, axis), x)[0]]"
    made = ran(oracle.ask(f"path = {path!r}\n{_AXES.format(outs=outs)}"))
    names = [made["shown"][str(i)]["value"] for i in range(len(made["shown"]))]
    run = f"fed = {X.tolist()!r}; names = {names!r}\n{_RUN}"
    wanted = ran(oracle.ask(f"path = {path!r}; back = None\n{run}"))
    back = (str(tmp_path), "ours.pb")
    assert not compare(wanted, ran(run_case(minitf, f"path = {path!r}; back = {back}\n{run}")))
    ours = str(tmp_path / "ours.pb")
    assert not compare(wanted, ran(oracle.ask(f"path = {ours!r}; back = None\n{run}")))
    assert not compare(wanted, ran(run_case(minitf, f"path = {ours!r}; back = None\n{run}")))


def test_an_axis_that_must_be_known_is_named(oracle: Oracle, tmp_path: Path) -> None:
    path = tmp_path / "dynamic.pb"
    ran(
        oracle.ask(
            f"path = {str(path)!r}\n{_AXES.format(outs='outs = [tf.linalg.band_part(x, axis, 0, name=chr(103))]')}"
        )
    )
    with pytest.raises(
        ValueError, match=r"'g' \(MatrixBandPart\) computes its 'num_lower' while it runs"
    ):
        minitf.GraphDef().ParseFromString(path.read_bytes())


@pytest.mark.parametrize("seed", range(4))
def test_torn_and_changed_bytes_are_refused_or_read(
    seed: int, oracle: Oracle, tmp_path: Path
) -> None:
    """Nothing but ValueError, and NotFoundError for an operation that became unknown."""
    name = ["axes", "branches", "loops", "dynamic_rnn"][seed]
    _, path = graph_of_tensorflow(oracle, name, tmp_path / "theirs.pb")
    data, rng = Path(path).read_bytes(), random.Random(seed)
    for _ in range(150):
        changed = bytearray(data[: rng.choice([len(data), rng.randrange(len(data))])])
        for _ in range(rng.randrange(4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        try:
            graph_def = minitf.GraphDef()
            graph_def.ParseFromString(bytes(changed))
            with minitf.Graph().as_default():
                minitf.import_graph_def(graph_def, name="")
        except (ValueError, minitf.errors.NotFoundError):
            pass
