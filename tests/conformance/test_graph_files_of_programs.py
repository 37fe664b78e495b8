"""Programs of other kinds whose files go both ways; see `test_graph_files_of_loops.py`."""

import subprocess
from pathlib import Path

import pytest

from tests.conformance import oracle_venv
from tests.conformance.oracle import Oracle
from tests.conformance.test_graph_files_of_loops import _X, goes_on

pytestmark = [pytest.mark.conformance, pytest.mark.long]

#: name -> (what builds a model, what is fed, what is looked at)
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "GAN with two optimizers and a gradient's norm": (
        """x = tf.placeholder(tf.float32, [8, 4], "x"); z = tf.placeholder(tf.float32, [8, 3], "z"); t = tf.placeholder_with_default(True, [], "t"); c = tf.constant_initializer
def G(z):
    with tf.variable_scope("G", reuse=tf.AUTO_REUSE):
        h = tf.layers.dense(z, 6, kernel_initializer=c(k(3, 6)), name="a"); h = tf.nn.relu(tf.layers.batch_normalization(h, training=t, name="bn")); return tf.layers.dense(h, 4, tf.tanh, kernel_initializer=c(k(6, 4)), name="b")
def D(v):
    with tf.variable_scope("D", reuse=tf.AUTO_REUSE): return tf.layers.dense(tf.nn.leaky_relu(tf.layers.dense(v, 6, kernel_initializer=c(k(4, 6)), name="a")), 1, kernel_initializer=c(k(6, 1)), name="b")
fake = G(z); e = tf.constant(np.linspace(0, 1, 8).reshape(8, 1).astype("f")); mid = e * x + (1 - e) * fake; gp = tf.gradients(D(mid), mid)[0]; gp = tf.reduce_mean((tf.sqrt(tf.reduce_sum(gp ** 2, 1) + 1e-8) - 1) ** 2)
d_loss = tf.identity(tf.reduce_mean(D(fake)) - tf.reduce_mean(D(x)) + 10 * gp, name="d_loss"); g_loss = tf.negative(tf.reduce_mean(D(fake)), name="g_loss"); dv, gv = [[v for v in tf.trainable_variables() if v.name.startswith(s)] for s in "DG"]
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): g_train = tf.train.RMSPropOptimizer(0.01).minimize(g_loss, var_list=gv)
d_train = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=dv)
tf.group(g_train, name="train_g"); tf.group(d_train, name="train")
""",
        '{"x:0": rows, "z:0": rows[:, :3]}',
        '["d_loss:0","g_loss:0"]',
    ),
    "branches and loops, four deep": (
        f"""{_X}
def outer(i, v, ta):
    def inner(j, a): return j + 1, tf.cond(tf.equal((i + j) % 2, 0), lambda: tf.case([(j > 1, lambda: tf.sin(a)), (i > 1, lambda: tf.matmul(a, w))], default=lambda: a * 0.9), lambda: tf.while_loop(lambda q, b: q < 2, lambda q, b: (q + 1, tf.tanh(tf.matmul(b, w)) + v), [0, a])[1])
    u = tf.while_loop(lambda j, a: j < i + 1, inner, [0, v])[1]
    return i + 1, u, ta.write(i, tf.reduce_mean(u, 0))
_, y, ta = tf.while_loop(lambda i, *_: i < 3, outer, [0, x, tf.TensorArray(tf.float32, 3, element_shape=[4])])
y = y + tf.reduce_sum(ta.stack(), 0)
loss = tf.reduce_mean(tf.square(y - 0.3), name="loss"); tf.train.AdamOptimizer(0.05, epsilon=1e-3).minimize(loss, name="train")
""",
        '{"x:0": rows}',
        '["loss:0"]',
    ),
    "feature columns, wide and deep": (
        """fc = tf.feature_column; data = {"a": np.array([["x"], ["y"], ["z"], ["x"]]), "n": np.array([[1.], [2.], [3.], [9.]], "f"), "ids": np.array([[1], [5], [9], [2]])}; f = {kk: tf.constant(v) for kk, v in data.items()}; y = tf.constant([[1.0], [0.0], [1.0], [0.0]])
cat = fc.categorical_column_with_vocabulary_list("a", ["x", "y"], num_oov_buckets=1); num = fc.numeric_column("n", normalizer_fn=lambda v: (v - 3) / 2); buck = fc.bucketized_column(fc.numeric_column("n"), [1.5, 4.0]); ids = fc.categorical_column_with_hash_bucket("ids", 7, tf.int64); cross = fc.crossed_column(["a", buck], 11)
deep = fc.input_layer(f, [num, fc.indicator_column(cat), fc.embedding_column(ids, 2, initializer=tf.constant_initializer(0.3))]); wide = fc.linear_model(f, [cat, buck, cross], sparse_combiner="mean")
h = tf.layers.dense(deep, 5, tf.nn.elu, kernel_initializer=tf.constant_initializer(k(6, 5))); p = tf.layers.dense(h, 1, kernel_initializer=tf.constant_initializer(k(5, 1))) + wide; loss = tf.losses.sigmoid_cross_entropy(y, p, scope="ce"); loss = tf.identity(loss, name="loss"); wv, dv = [[v for v in tf.trainable_variables() if ("linear_model" in v.name) == is_wide] for is_wide in (True, False)]
opt = tf.train.AdagradOptimizer(0.2); gv = opt.compute_gradients(loss, wv + dv); t1 = opt.apply_gradients(gv[:len(wv)]); t2 = tf.train.ProximalAdagradOptimizer(0.1).apply_gradients(gv[len(wv):]); tf.group(t1, t2, name="train"); tf.identity(tf.metrics.auc(y, tf.sigmoid(p))[1], "auc")
""",
        "{}",
        '["loss:0"]',
    ),
}


@pytest.mark.parametrize("maker", ["theirs", "ours"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_go_on(name: str, maker: str, oracle: Oracle, tmp_path: Path) -> None:
    goes_on(oracle, PROGRAMS[name], tmp_path, maker)


def test_operations_are_declared_as_there(oracle: Oracle, tmp_path: Path) -> None:
    root, path = oracle_venv.ROOT, tmp_path / "ops.txt"
    made = [oracle_venv.find(), root / "scripts/tensorflow_ops.py", path]
    subprocess.run(list(map(str, made)), check=True, timeout=300)
    assert path.read_text() == (root / "minitf/library/saving/tensorflow_ops.txt").read_text()
