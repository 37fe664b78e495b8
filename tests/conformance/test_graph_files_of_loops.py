"""Models whose training goes through loops, and other kinds of 2016 to 2019, in files of either.

theirs ──loads here, trains 20 steps──> equal losses ──saved again──> loads there, equal losses
ours   ──loads there, trains 20 steps─> equal losses
"""

from pathlib import Path

import numpy as np
import pytest

import minitf
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case
from tests.conformance.test_graph_files import ran
from tests.conformance.test_graph_files_both_ways import _AGAIN, _DATA, _LOAD, _SAVE

pytestmark = [pytest.mark.conformance, pytest.mark.long]

_X = 'x = tf.placeholder(tf.float32, [None, 4], "x"); w = tf.get_variable("w", initializer=k(4, 4)); cells = tf.nn.rnn_cell'
_Y = 'loss = tf.reduce_mean(tf.square(y - 0.3), name="loss"); tf.train.AdamOptimizer(0.05).minimize(loss, name="train")'
# some gradients are nearly nothing: Adam, which divides by their size, would make rounding large
_STEADY = _Y.replace("0.05", "0.05, epsilon=1e-3")
_ROWS, _LOSS = '{"x:0": rows}', '["loss:0"]'

#: name -> (what builds a model, what is fed, what is looked at)
LOOPS: dict[str, tuple[str, str, str]] = {
    "dynamic LSTM": (
        f"""{_X}
o, state = tf.nn.dynamic_rnn(cells.LSTMCell(5, initializer=tf.constant_initializer(0.2)), tf.reshape(x, [-1, 2, 2]), sequence_length=tf.constant([2, 1, 2, 2, 1, 1, 2, 2]), dtype=tf.float32)
y = tf.reduce_sum(o, 2) + state.h[:, :2] * tf.matmul(x, w)[:, :2]
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "loops inside of each other": (
        f"""{_X}
def outer(i, v):
    u = tf.while_loop(lambda j, a: j < i + 1, lambda j, a: (j + 1, tf.sin(tf.matmul(a, w)) * v), [0, v])[1]
    return i + 1, u + tf.tanh(v)
y = tf.while_loop(lambda i, v: i < 3, outer, [0, x])[1]
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "a branch in a loop": (
        f"""{_X}
body = lambda i, v: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(tf.matmul(v, w)), lambda: tf.sin(v) * x))
y = tf.while_loop(lambda i, v: i < 4, body, [0, x])[1]
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "a loop in a branch": (
        f"""{_X}; p = tf.placeholder(tf.bool, [], "p")
y = tf.cond(p, lambda: tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w) + x)), [0, x])[1], lambda: tf.matmul(x, w))
{_Y}""",
        '{"x:0": rows, "p:0": True}',
        _LOSS,
    ),
    "map_fn, scan, foldl": (
        f"""{_X}
m = tf.map_fn(lambda r: tf.reduce_sum(r * w[0]) * r, x); q = tf.scan(lambda p, r: tf.tanh(p * w[1]) + r, x, initializer=tf.zeros([4])); y = m + q + tf.foldl(lambda p, r: p * 0.5 + r * w[2], x)
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "one item of an array": (
        f"""{_X}
ta = tf.while_loop(lambda i, v, t: i < 3, lambda i, v, t: (i + 1, tf.tanh(tf.matmul(v, w)), t.write(i, v)), [0, x, tf.TensorArray(tf.float32, 3)])[2]
y = ta.read(2)
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "rows in a loop": (
        f"""{_X}
y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.nn.tanh(v * tf.nn.embedding_lookup(w, [i])) + x), [0, x])[1]
{_Y}""",
        _ROWS,
        '["loss:0", "w:0"]',
    ),
    "decoder with attention": (
        f"""{_X}; x.set_shape([8, 4]); W = tf.get_variable("W", initializer=k(6, 7)); A = tf.get_variable("A", initializer=k(3, 3))
memory, start = tf.nn.dynamic_rnn(cells.GRUCell(3, kernel_initializer=tf.constant_initializer(0.1), name="encoder"), tf.reshape(x, [8, 2, 2]), dtype=tf.float32)
cell = cells.GRUCell(3, kernel_initializer=tf.constant_initializer(0.2)); words = np.arange(24).reshape(8, 3) % 4
given = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(tf.nn.embedding_lookup(w, words), [1, 0, 2]))
def body(t, state, out):
    score = tf.nn.softmax(tf.reduce_sum(memory * tf.expand_dims(tf.matmul(state, A), 1), 2)); context = tf.reduce_sum(memory * tf.expand_dims(score, 2), 1)
    h, after = cell(given.read(t), state)
    return t + 1, after, out.write(t, tf.concat([h, context], 1))
out = tf.while_loop(lambda t, *_: t < 3, body, [0, start, tf.TensorArray(tf.float32, 3)])[2]
y = tf.tensordot(tf.transpose(out.stack(), [1, 0, 2]), W, [[2], [0]])
{_STEADY}""",
        _ROWS,
        _LOSS,
    ),
}
OTHERS: dict[str, tuple[str, str, str]] = {
    "inception, summaries": (
        """
x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x"); y = tf.placeholder(tf.int64, [None], "y"); c = lambda h, n, k_, name: tf.layers.conv2d(h, n, k_, padding="same", kernel_initializer=tf.constant_initializer(k(k_, k_, int(h.shape[-1]), n)), name=name)
h = tf.nn.lrn(tf.nn.relu(c(x, 4, 3, "a")), 2, 1.0, 1e-2, 0.75); h, _, _ = tf.nn.fused_batch_norm(h, tf.Variable(tf.ones([4])), tf.Variable(tf.zeros([4])))
h = tf.concat([c(h, 2, 1, "b1"), c(h, 2, 3, "b3"), tf.layers.max_pooling2d(h, 3, 1, "same")], 3); tf.summary.histogram("h", h); tf.summary.image("seen", x)
logits = tf.layers.dense(tf.reduce_mean(h, [1, 2]), 3, kernel_initializer=tf.constant_initializer(k(8, 3))); loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
merged = tf.summary.merge_all(); tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(loss, name="train")
""",
        '{"x:0": images, "y:0": labels}',
        _LOSS,
    ),
    "moving averages in a branch": (
        f"""{_X}
t = tf.placeholder_with_default(True, [], "t"); h = tf.matmul(x, w); m, v = tf.nn.moments(h, [0])
mm, mv = tf.get_variable("mm", initializer=np.zeros(4, "f"), trainable=False), tf.get_variable("mv", initializer=np.ones(4, "f"), trainable=False)
def moving():
    with tf.control_dependencies([tf.assign(mm, mm * 0.9 + m * 0.1), tf.assign(mv, mv * 0.9 + v * 0.1)]): return tf.identity(m), tf.identity(v)
a, b = tf.cond(t, moving, lambda: (mm.read_value(), mv.read_value())); ema = tf.train.ExponentialMovingAverage(0.9)
loss = tf.reduce_mean(tf.square(tf.nn.batch_normalization(h, a, b, None, None, 1e-3) - x), name="loss"); train = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.control_dependencies([train]): tf.group(ema.apply([w]), name="train")
""",
        _ROWS,
        '["loss:0", "mm:0", "mv:0"]',
    ),
    "transposed convolution, a gradient of a gradient": (
        f"""{_X}; F = tf.get_variable("F", initializer=k(3, 3, 2, 4)); h = tf.reshape(tf.matmul(x, k(4, 16)), [-1, 2, 2, 4])
h = tf.nn.conv2d_transpose(h, F, tf.stack([tf.shape(h)[0], 4, 4, 2]), [1, 2, 2, 1]); y = tf.nn.tanh(tf.nn.separable_conv2d(h, k(3, 3, 2, 1), k(1, 1, 2, 1), [1, 1, 1, 1], "SAME")) + w[0, 0]
tf.identity(tf.gradients(tf.reduce_sum(tf.gradients(y, x)[0] ** 2), F)[0], "second")
{_Y}""",
        _ROWS,
        '["loss:0", "second:0"]',
    ),
    "parsed examples": (
        """
s_ = tf.placeholder(tf.string, [None], "s"); f = tf.parse_example(s_, {"a": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0]), "w": tf.VarLenFeature(tf.string), "n": tf.FixedLenFeature([], tf.int64, 7)})
W = tf.get_variable("W", initializer=k(2)); tf.identity(tf.reduce_sum(f["a"] * W, 1) + tf.cast(f["n"], tf.float32), "o"); d = tf.identity(tf.sparse_tensor_to_dense(f["w"], ""), "d"); tf.identity(tf.string_to_hash_bucket_fast(d, 100), "h"); tf.no_op(name="train")
""",
        '{"s:0": [tf.train.Example(features=tf.train.Features(feature={"a": tf.train.Feature(float_list=tf.train.FloatList(value=[3.0, 4.0])), "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b"yz"]))})).SerializeToString(), tf.train.Example().SerializeToString()]}',
        '["o:0", "d:0", "h:0"]',
    ),
    "self-attention": (
        f"""{_X}; h = tf.reshape(x, [2, 4, 4]); apart = lambda a: tf.transpose(tf.reshape(a, [2, -1, 2, 2]), [0, 2, 1, 3]); q, kk, v = [apart(tf.tensordot(h, w * i, 1)) for i in (1, 2, 3)]
mask = tf.linalg.band_part(tf.ones([4, 4]), -1, 0); a = tf.nn.softmax(tf.matmul(q, kk, transpose_b=True) * mask + (1 - mask) * -1e9); o = tf.reshape(tf.transpose(tf.matmul(a, v), [0, 2, 1, 3]), [2, -1, 4])
m, s2 = tf.nn.moments(o + h, [-1], keep_dims=True); y = tf.einsum("btd,dk->btk", (o + h - m) * tf.rsqrt(s2 + 1e-6), k(4, 3))
{_Y}""",
        _ROWS,
        _LOSS,
    ),
    "CTC": (
        f"""{_X}; logits = tf.reshape(tf.matmul(x, w), [4, 2, 4]); wanted = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 2], tf.int32), [2, 2])
loss = tf.reduce_mean(tf.nn.ctc_loss(wanted, logits, tf.constant([4, 4])), name="loss"); tf.identity(tf.nn.ctc_greedy_decoder(logits, tf.constant([4, 4]))[0][0].values, "words"); tf.train.AdamOptimizer(0.01).minimize(loss, name="train")
""",
        _ROWS,
        '["loss:0", "words:0"]',
    ),
    "sampled words": (
        """
n = tf.placeholder(tf.int32, [None], "n"); E, O, b = tf.get_variable("E", initializer=k(9, 3)), tf.get_variable("O", initializer=k(9, 3) + 0.1), tf.get_variable("b", initializer=np.zeros(9, "f")); sampled = (tf.constant([1, 2, 3, 4], tf.int64), tf.ones([8, 1]) * 0.3, tf.ones([4]) * 0.2)
loss = tf.reduce_mean(tf.nn.nce_loss(O, b, tf.cast(tf.expand_dims(n, 1), tf.int64), tf.nn.embedding_lookup(E, n), 4, 9, sampled_values=sampled), name="loss"); tf.train.GradientDescentOptimizer(0.5).minimize(loss, name="train")
""",
        '{"n:0": labels}',
        '["loss:0", "E:0"]',
    ),
}
_WRITES = """
v, n = (tf.get_variable(c, initializer=1.0, use_resource=resource, trainable=False) for c in "vn"); mean = tf.get_variable("mean", initializer=np.zeros(4, "f"), use_resource=resource, trainable=False); read = lambda a: a.read_value() if resource else a
def body(i, a):
    with tf.control_dependencies([tf.assign_add(v, 0.1 * a), tf.assign_add(n, w[0, 0])]):
        b = tf.cond(i > 1, lambda: tf.assign_sub(v, 0.5) + 1.0, lambda: a * w[1, 1])
        c = tf.while_loop(lambda j, q: j < i, lambda j, q: (j + 1, q + tf.assign_add(v, 1.0 + 0.0 * q)), [0, b])[1]
        d = tf.while_loop(lambda j, q: j < i, lambda j, q: (j + 1, tf.sin(q) + w[2, 2]), [0, b])[1]
        p = tf.reduce_sum(tf.stack([b, c]), i % 1)
        with tf.control_dependencies([p, d]): return i + 1, tf.reshape(0.1 * p + d, [])
r = tf.while_loop(lambda i, a: tf.logical_and(i < 4, read(n) < 1000.0), body, [0, tf.reduce_sum(x[0])], name="loop")[1]
def turn(i, a):
    h = tf.matmul(a, w); m = tf.reduce_mean(h, [0])
    with tf.control_dependencies([tf.assign(mean, mean.read_value() * 0.9 + m * 0.1)]): return i + 1, tf.tanh(h - m)
y = tf.while_loop(lambda i, a: i < 3, turn, [0, x])[1]
with tf.control_dependencies([y]): tf.identity(mean.read_value(), "moved")
with tf.control_dependencies([r]): tf.identity(tf.stack([r, v.read_value(), n.read_value()]), "seen")
"""
for _key in ("references", "resources"):
    OTHERS[f"loops that write to {_key}"] = (
        f"{_X}; resource = {_key == 'resources'}{_WRITES}{_Y}",
        _ROWS,
        '["loss:0", "seen:0", "moved:0"]',
    )
_GO_ON = 'show(*[[s.run({asked}, feed), s.run("train", feed)][0] for _ in range(20)])'


def goes_on(oracle: Oracle, model: tuple[str, str, str], path: Path, maker: str) -> None:
    program, feed, asked = model
    save = _SAVE.replace("{t.name: v for t, v in feed.items()}", feed)
    make = f"{_DATA}\npath = {str(path)!r}\n{program}\n{save}"
    ran(run_case(minitf, make) if maker == "ours" else oracle.ask(make))
    assert (path / "model.meta").read_bytes()[:1] != b"{"
    use = f"feed = {feed}\n{_LOAD}{_GO_ON.format(asked=asked)}"
    wanted = ran(oracle.ask(f"{_DATA}\npath = {str(path)!r}; {use}"))
    assert not compare(wanted, ran(run_case(minitf, f"{_DATA}\npath = {str(path)!r}; {use}")))
    ran(run_case(minitf, f"{_DATA}\npath = {str(path)!r}\n{_LOAD}{_AGAIN}"))
    again = f"{_DATA}\npath = {str(path / 'again')!r}; {use}"
    assert not compare(wanted, ran(oracle.ask(again)))


@pytest.mark.parametrize("maker", ["theirs", "ours"])
@pytest.mark.parametrize("name", LOOPS)
def test_training_through_loops_goes_on(
    name: str, maker: str, oracle: Oracle, tmp_path: Path
) -> None:
    goes_on(oracle, LOOPS[name], tmp_path, maker)


@pytest.mark.parametrize("maker", ["theirs", "ours"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_graphs_go_on(name: str, maker: str, oracle: Oracle, tmp_path: Path) -> None:
    goes_on(oracle, OTHERS[name], tmp_path, maker)


_FUNCTIONS = """
i, x = tf.placeholder(tf.int32, [], "i"), tf.placeholder(tf.float32, [3, 4], "x"); import tensorflow
tf.enable_control_flow_v2()
try:
    y = tf.switch_case(i, [lambda: x + 1, lambda: x * 2, lambda: tf.matmul(x, tf.ones([4, 4]))])
    f = tensorflow.function(lambda a: tensorflow.function(lambda b: b * x)(a) + 1.0, autograph=False)
    z = tf.while_loop(lambda n, a: n < 3, lambda n, a: (n + 1, f(a)), [0, x])[1]
finally: tf.disable_control_flow_v2()
tf.identity(y, "y"); tf.identity(z, "z"); unknown = tf.raw_ops.Spence(x=x, name="unknown"); tf.reduce_sum(unknown, name="needs")
with open(path, "wb") as f: f.write(tf.get_default_graph().as_graph_def().SerializeToString())
"""
_RUN = """
graph_def = tf.GraphDef()
with open(path, "rb") as f: graph_def.ParseFromString(f.read())
with tf.Graph().as_default() as g, tf.Session(graph=g) as s:
    tf.import_graph_def(graph_def, name=""); show(s.run("z:0", {"x:0": np.ones((3, 4), "f")}))
"""


def test_nested_calls_and_unknown_operations(oracle: Oracle, tmp_path: Path) -> None:
    path = tmp_path / "functions.pb"
    ran(oracle.ask(f"path = {str(path)!r}\n{_FUNCTIONS}"))
    run = f"path = {str(path)!r}\n{_RUN}"
    assert not compare(ran(oracle.ask(run)), ran(run_case(minitf, run)))
    with minitf.Graph().as_default(), minitf.Session() as sess:
        minitf.import_graph_def(minitf.GraphDef.FromString(path.read_bytes()), name="")
        for asked, missing in (("needs:0", "'Spence'.*node unknown"), ("y:0", "Case'")):
            with pytest.raises(minitf.errors.NotFoundError, match=f"(?s){missing}"):
                sess.run(asked, {"x:0": np.ones((3, 4)), "i:0": 1})
        assert sess.run("needs:0", {"unknown:0": np.ones((3, 4))}) == 12
