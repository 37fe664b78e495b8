"""Programs of other kinds whose files go both ways; see `test_graph_files_of_loops.py`."""

from pathlib import Path

import pytest

from tests.conformance.oracle import Oracle
from tests.conformance.test_graph_files_of_loops import _X, goes_on

pytestmark = pytest.mark.conformance

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
    "embeddings in parts": (
        """ids = tf.sparse_placeholder(tf.int64, [8, 5], "ids"); y = tf.placeholder(tf.float32, [None], "y")
E = tf.get_variable("E", [11, 3], partitioner=tf.fixed_size_partitioner(3), initializer=tf.constant_initializer(0.2)); F = tf.get_variable("F", [6, 4], partitioner=tf.fixed_size_partitioner(2, axis=1), initializer=tf.constant_initializer(0.1))
ws = tf.SparseTensor(ids.indices, tf.cast(ids.values, tf.float32) * 0.1 + 0.3, ids.dense_shape); e = tf.nn.embedding_lookup_sparse(E, ids, ws, combiner="sqrtn", partition_strategy="div") + tf.nn.embedding_lookup_sparse(E, ids, None, combiner="mean")
h = tf.matmul(tf.concat([e, e * e], 1), F); W = tf.get_variable("W", initializer=k(4, 1)); p = tf.squeeze(tf.matmul(h, W), 1) + tf.squeeze(tf.sparse_tensor_dense_matmul(tf.SparseTensor(ids.indices, tf.ones_like(ws.values), [8, 5]), tf.get_variable("S", initializer=k(5, 1))), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=p), name="loss"); A = tf.train.AdagradOptimizer(0.3).minimize(loss)
tf.group(A, name="train"); tf.identity(tf.convert_to_tensor(E), "whole")
""",
        '{"ids/indices:0": [[i, j] for i in range(8) for j in range(1 + i % 3)], "ids/values:0": [(i * 3 + j) % 11 for i in range(8) for j in range(1 + i % 3)], "y:0": (labels > 1).astype("f")}',
        '["loss:0","whole:0"]',
    ),
    "quantized training": (
        f"""{_X}
step = tf.train.get_or_create_global_step(); lo, hi = tf.get_variable("lo", initializer=-1.0, trainable=False), tf.get_variable("hi", initializer=1.0, trainable=False)
wq = tf.quantization.fake_quant_with_min_max_vars_per_channel(w, tf.reduce_min(w, 0), tf.reduce_max(w, 0), num_bits=8, narrow_range=True); h = tf.nn.relu6(tf.matmul(x, wq))
from_t = tf.train.ExponentialMovingAverage(0.9, step); upd = [tf.assign(lo, lo * 0.9 + 0.1 * tf.minimum(0.0, tf.reduce_min(h))), tf.assign(hi, hi * 0.9 + 0.1 * tf.reduce_max(h))]
with tf.control_dependencies(upd): h = tf.quantization.fake_quant_with_min_max_vars(h, lo.read_value(), hi.read_value(), num_bits=8)
q, a, b = tf.quantization.quantize(h, -1.0, 2.0, tf.quint8); dq = tf.quantization.dequantize(q, a, b, name="dqq"); tf.identity(dq, "dq")
y = h; tf.identity(tf.quantization.fake_quant_with_min_max_args(x, -2, 2), "fa"); loss = tf.reduce_mean(tf.square(y - 0.3), name="loss"); tr = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, step)
with tf.control_dependencies([tr]): tf.group(from_t.apply([w]), name="train")
tf.identity(from_t.average(w), "avg")
""",
        '{"x:0": rows}',
        '["loss:0","dq:0","avg:0","fa:0"]',
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
    "auto-encoder, inverses and segments": (
        f"""{_X}
mu, ls = tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(k(4, 2))), tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(k(4, 2) * 0.1)); eps = tf.placeholder_with_default(np.ones([8, 2], "f") * 0.3, [8, 2], "eps"); z = mu + tf.exp(0.5 * ls) * eps
o = tf.layers.conv1d(tf.expand_dims(tf.layers.dense(z, 4, kernel_initializer=tf.constant_initializer(k(2, 4))), 2), 3, 2, padding="same", kernel_initializer=tf.constant_initializer(k(2, 1, 3))); o = tf.layers.conv2d(tf.expand_dims(o, 1), 2, [1, 2], dilation_rate=(1, 2), padding="same", kernel_initializer=tf.constant_initializer(k(1, 2, 3, 2)))
o = tf.reduce_mean(o, [1, 3]); kl = -0.5 * tf.reduce_mean(1 + ls - mu ** 2 - tf.exp(ls)); loss = tf.identity(tf.losses.huber_loss(x, o) + kl + tf.losses.get_regularization_loss(), name="loss"); tf.train.AdadeltaOptimizer(1.0).minimize(loss, name="train")
tf.identity(tf.reduce_logsumexp(o, 1) + tf.norm(o, axis=1) + tf.reduce_sum(tf.math.lgamma(tf.abs(o) + 1), 1), "more"); tf.identity(tf.linalg.inv(tf.matmul(w, w, transpose_b=True) + tf.eye(4)), "inv"); tf.identity(tf.nn.moments(o, [0])[1], "var"); tf.unique_with_counts(tf.cast(tf.argmax(o, 1), tf.int32), name="u"); tf.boolean_mask(o, o[:, 0] > 0, name="bm"); tf.math.segment_sum(o, tf.constant([0, 0, 1, 1, 2, 2, 3, 3]), name="seg"); tf.scatter_nd(tf.constant([[1], [2]]), o[:2], [4, 4], name="sc")
""",
        '{"x:0": rows}',
        '["loss:0","more:0","inv:0","var:0","u:0","u:2","bm/GatherV2:0","seg:0","sc:0"]',
    ),
}


@pytest.mark.parametrize("maker", ["theirs", "ours"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_go_on(name: str, maker: str, oracle: Oracle, tmp_path: Path) -> None:
    goes_on(oracle, PROGRAMS[name], tmp_path, maker)
