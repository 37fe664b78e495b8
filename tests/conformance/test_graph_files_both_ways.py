"""Programs whose files go both ways: what TensorFlow writes runs here, and what we write runs there.

theirs ──loads here──> equal results ──written again──> loads there, equal results
ours   ──loads there─> equal results
"""

from pathlib import Path

import pytest

import minitf
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case
from tests.conformance.test_graph_files import ran

pytestmark = pytest.mark.conformance

_DATA = """
rng = np.random.RandomState(3); images = rng.rand(8, 8, 8, 1).astype("f"); rows = rng.randn(8, 4).astype("f"); labels = np.arange(8) % 3
k = lambda *shape: np.random.RandomState(len(shape)).randn(*shape).astype("f") * 0.3
"""
_SAVE = """
s = session(); s.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]); feed = {t.name: v for t, v in feed.items()}
for _ in range(3): s.run("train", feed)
tf.train.Saver().save(s, path + "/model")
"""
_LOAD = """
s = session(); saver = tf.train.import_meta_graph(path + "/model.meta"); saver.restore(s, path + "/model"); s.run(tf.tables_initializer())
"""
_AGAIN = """
import os; os.makedirs(path + "/again"); saver.save(s, path + "/again/model")
"""

#: name -> (what builds a model, what is fed, what is looked at: a model in the middle of training)
TRAINED: dict[str, tuple[str, str, str]] = {
    "convolutional network, Adam": (
        """
x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x"); y = tf.placeholder(tf.int64, [None], "y"); keep = tf.placeholder_with_default(1.0, [], "keep")
F, W = tf.get_variable("F", initializer=k(3, 3, 1, 4)), tf.get_variable("W", initializer=k(64, 3)); step = tf.train.get_or_create_global_step()
h = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, F, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
logits = tf.matmul(tf.nn.dropout(tf.layers.flatten(h), keep), W, name="logits"); loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
rate = tf.train.exponential_decay(0.05, step, 2, 0.9, name="rate"); tf.train.AdamOptimizer(rate).minimize(loss, step, name="train"); tf.summary.scalar("loss_seen", loss); tf.add_to_collection("kept", logits)
""",
        '{"x:0": images, "y:0": labels}',
        '["loss:0", "logits:0", "rate:0", "global_step:0"]',
    ),
    "batch normalization, momentum": (
        """
x = tf.placeholder(tf.float32, [None, 4], "x"); y = tf.placeholder(tf.float32, [None, 1], "y"); t = tf.placeholder(tf.bool, [], "t")
h = tf.layers.batch_normalization(tf.layers.dense(x, 5, tf.nn.elu, kernel_initializer=tf.constant_initializer(k(4, 5))), training=t); v = tf.get_variable("v", initializer=k(5), use_resource=True)
p = tf.layers.dense(h * v, 1, kernel_initializer=tf.constant_initializer(k(5, 1))); loss = tf.add(tf.losses.mean_squared_error(y, p), 0.01 * tf.nn.l2_loss(v), name="loss")
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, name="train")
""",
        '{"x:0": rows, "y:0": rows[:, :1], "t:0": True}',
        '["loss:0"]',
    ),
    "embeddings, sparse Adagrad": (
        """
w = tf.placeholder(tf.int32, [None], "w"); c = tf.placeholder(tf.int64, [None, 1], "c")
E, O, b = tf.get_variable("E", initializer=k(9, 3)), tf.get_variable("O", initializer=k(9, 3) + 0.1), tf.get_variable("b", initializer=np.zeros(9, "f"))
e = tf.nn.embedding_lookup(E, w); logits = tf.matmul(e, O, transpose_b=True) + b; loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.one_hot(tf.squeeze(c, 1), 9), logits=logits), name="loss")
g, vs = zip(*tf.train.AdagradOptimizer(0.5).compute_gradients(loss)); g, _ = tf.clip_by_global_norm(g, 1.0); tf.train.AdagradOptimizer(0.5, name="again").apply_gradients(list(zip(g, vs)), name="train")
""",
        '{"w:0": labels, "c:0": labels[:, None] + 1}',
        '["loss:0", "E:0"]',
    ),
    "branches, RMSProp": (
        """
x = tf.placeholder(tf.float32, [None, 4], "x"); big = tf.placeholder(tf.bool, [], "big"); W = tf.get_variable("W", initializer=k(4, 2))
h = tf.cond(big, lambda: tf.nn.tanh(tf.matmul(x, W)), lambda: tf.matmul(x, W) * 2); n = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.stop_gradient(h)), [0, tf.zeros_like(h)], back_prop=False)[1]
loss = tf.reduce_mean(tf.square(h - 1), name="loss"); total = tf.reduce_sum(n, name="total"); tf.train.RMSPropOptimizer(0.02, momentum=0.5, centered=True).minimize(loss, name="train")
""",
        '{"x:0": rows, "big:0": True}',
        '["loss:0", "total:0"]',
    ),
    "unrolled LSTM, clipped": (
        """
x = tf.placeholder(tf.float32, [8, 4], "x"); y = tf.placeholder(tf.int64, [None], "y")
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3, initializer=tf.constant_initializer(0.2)), tf.nn.rnn_cell.GRUCell(3, kernel_initializer=tf.constant_initializer(0.1))])
out, _ = tf.nn.static_rnn(cell, tf.unstack(tf.reshape(x, [8, 2, 2]), axis=1), dtype=tf.float32); W = tf.get_variable("W", initializer=k(3, 3))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(out[-1], W)), name="loss")
o = tf.train.GradientDescentOptimizer(0.5); gv = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in o.compute_gradients(loss)]; o.apply_gradients(gv, name="train")
""",
        '{"x:0": rows, "y:0": labels}',
        '["loss:0"]',
    ),
}
_GO_ON = """
show(*[[s.run({asked}, feed), s.run("train", feed)][0] for _ in range(4)]); show([v.name for v in tf.trainable_variables()], sorted(t.name for t in tf.get_collection("kept")))
"""

#: name -> (what builds a model, its signatures, what is fed to each)
SERVED: dict[str, tuple[str, str, str]] = {
    "two signatures": (
        """
x = tf.placeholder(tf.float32, [None, 4], "x"); W = tf.get_variable("W", initializer=k(4, 3)); p = tf.nn.softmax(tf.matmul(x, W)); best = tf.argmax(p, 1)
""",
        '{"serving_default": ({"x": x}, {"p": p}), "best": ({"x": x}, {"best": best, "p": p})}',
        '{"x": rows}',
    ),
    "LSTM in a loop, with its training": (
        """
x = tf.placeholder(tf.float32, [None, 4], "x"); lengths = tf.placeholder(tf.int32, [None], "lengths")
o, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3, initializer=tf.constant_initializer(0.3)), tf.reshape(x, [-1, 2, 2]), lengths, dtype=tf.float32)
tf.train.AdamOptimizer().minimize(tf.reduce_mean(state.h))
""",
        '{"serving_default": ({"x": x, "lengths": lengths}, {"o": o, "h": state.h})}',
        '{"x": rows, "lengths": labels}',
    ),
    "sequence to sequence": (
        """
x = tf.placeholder(tf.float32, [8, 4], "x"); E = tf.get_variable("E", initializer=k(7, 4)); W = tf.get_variable("W", initializer=k(4, 7)); cell = tf.nn.rnn_cell.GRUCell(4, kernel_initializer=tf.constant_initializer(0.2))
_, start = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4, kernel_initializer=tf.constant_initializer(0.1), name="encoder"), tf.reshape(x, [8, 2, 2]), dtype=tf.float32)
def body(t, token, state, words, done):
    out, after = cell(tf.nn.embedding_lookup(E, token), state); following = tf.argmax(tf.matmul(out, W), 1, output_type=tf.int32)
    return t + 1, following, tf.where(done, state, after), words.write(t, following), tf.logical_or(done, tf.equal(following, 3))
going = lambda t, token, state, words, done: tf.logical_and(t < 6, tf.logical_not(tf.reduce_all(done)))
end = tf.while_loop(going, body, [0, tf.zeros([8], tf.int32), start, tf.TensorArray(tf.int32, 6, dynamic_size=True), tf.fill([8], False)])
""",
        '{"serving_default": ({"x": x}, {"words": tf.transpose(end[3].stack()), "turns": end[0]})}',
        '{"x": rows}',
    ),
    "branches and a vocabulary": (
        """
with open(path + "/words.txt", "w") as f: f.write("a\\nb\\nc\\n")
name = tf.constant(path + "/words.txt"); tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, name)
table = tf.contrib.lookup.index_table_from_file(name) if hasattr(tf, "contrib") else tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(name, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), 1)
x = tf.placeholder(tf.string, [None], "x"); n = table.lookup(x); W = tf.get_variable("W", initializer=k(9)); p = tf.cond(tf.reduce_sum(n) > 2, lambda: tf.gather(W, tf.maximum(n, 0)), lambda: tf.cast(n, tf.float32))
""",
        '{"serving_default": ({"x": x}, {"n": n, "p": p})}',
        '{"x": ["a", "c", "b"]}',
    ),
}
_EXPORT = """
s = session(); s.run([tf.global_variables_initializer(), tf.tables_initializer()]); info = tf.saved_model.utils.build_tensor_info if hasattr(tf.saved_model, "utils") else tf.saved_model.build_tensor_info
signature = lambda ends: tf.saved_model.signature_def_utils.build_signature_def({k: info(t) for k, t in ends[0].items()}, {k: info(t) for k, t in ends[1].items()}, "tensorflow/serving/predict")
b = tf.saved_model.builder.SavedModelBuilder(path + "/saved"); files = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
b.add_meta_graph_and_variables(s, ["serve"], {k: signature(v) for k, v in signatures.items()}, assets_collection=files or None, main_op=tf.tables_initializer()); b.save(as_text=as_text)
"""
_SERVE = """
s = session(); model = tf.saved_model.loader.load(s, ["serve"], path + "/saved")
for key in sorted(model.signature_def):
    use = model.signature_def[key]; names = {k: use.outputs[k].name for k in sorted(use.outputs)}
    show(key, use.method_name, s.run(names, {use.inputs[k].name: v for k, v in feed.items()}))
"""


def _equal(oracle: Oracle, program: str) -> dict:
    """Runs a program on both sides; returns what TensorFlow shows."""
    wanted = ran(oracle.ask(program))
    assert not compare(wanted, ran(run_case(minitf, program)))
    return wanted


@pytest.mark.parametrize("name", TRAINED)
def test_training_goes_on_from_files_of_either(name: str, oracle: Oracle, tmp_path: Path) -> None:
    model, feed, asked = TRAINED[name]
    for maker in ("theirs", "ours"):
        path = tmp_path / maker
        path.mkdir()
        make = f"{_DATA}\npath = {str(path)!r}\n{model}\n{_SAVE.replace('{t.name: v for t, v in feed.items()}', feed)}"
        ran(oracle.ask(make) if maker == "theirs" else run_case(minitf, make))
        assert (path / "model.meta").read_bytes()[:1] != b"{"
        use = _GO_ON.format(asked=asked)
        wanted = _equal(oracle, f"{_DATA}\npath = {str(path)!r}; feed = {feed}\n{_LOAD}{use}")
        ran(run_case(minitf, f"{_DATA}\npath = {str(path)!r}\n{_LOAD}{_AGAIN}"))
        again = f"{_DATA}\npath = {str(path / 'again')!r}; feed = {feed}\n{_LOAD}{use}"
        assert not compare(wanted, ran(oracle.ask(again)))


@pytest.mark.parametrize("name", SERVED)
def test_models_of_either_serve(name: str, oracle: Oracle, tmp_path: Path) -> None:
    model, signatures, feed = SERVED[name]
    for maker in ("theirs", "ours"):
        path = tmp_path / maker
        path.mkdir()
        make = f"{_DATA}\npath = {str(path)!r}; as_text = {maker == 'ours'}\n{model}\nsignatures = {signatures}\n{_EXPORT}"
        ran(oracle.ask(make) if maker == "theirs" else run_case(minitf, make))
        _equal(oracle, f"{_DATA}\npath = {str(path)!r}; feed = {feed}\n{_SERVE}")


_ESTIMATOR = """
def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 3, kernel_initializer=tf.constant_initializer(k(4, 3))); best = tf.argmax(logits, 1)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits) if labels is not None else None
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step()) if mode == "train" else None
    outputs = {"serving_default": tf.estimator.export.PredictOutput({"p": tf.nn.softmax(logits), "best": best})}
    return tf.estimator.EstimatorSpec(mode, {"p": logits}, loss, train, export_outputs=outputs)
e = tf.estimator.Estimator(model_fn, path + "/model"); e.train(lambda: ({"x": tf.constant(rows)}, tf.constant(labels)), steps=3)
serving = lambda: tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x}) if globals().update(x=tf.placeholder(tf.float32, [None, 4], "x")) is None else None
made = e.export_saved_model(path + "/export", serving); import os; os.rename(made, path.encode() + b"/saved")
"""
_KERAS = """
m = tf.keras.Sequential([tf.keras.layers.Reshape((4, 1), input_shape=(4,)), tf.keras.layers.Conv1D(3, 2, activation="relu"), tf.keras.layers.LSTM(4), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(3, "softmax")])
m.compile("sgd", "sparse_categorical_crossentropy"); m.fit(rows, labels, batch_size=8, epochs=2, verbose=0, shuffle=False); m.save(path + "/model.h5"); show(m.predict(rows))
"""
_KERAS_ON = """
m = tf.keras.models.load_model(path + "/model.h5"); show(m.predict(rows)); m.fit(rows, labels, batch_size=8, epochs=2, verbose=0, shuffle=False); show(m.predict(rows))
"""


def test_models_that_estimators_export_serve_there(oracle: Oracle, tmp_path: Path) -> None:
    head = f"{_DATA}\npath = {str(tmp_path)!r}\n"
    ran(run_case(minitf, head + _ESTIMATOR))
    _equal(oracle, f'{head}feed = {{"x": rows}}\n{_SERVE}')


@pytest.mark.parametrize("maker", ["theirs", "ours"])
def test_keras_models_go_on_from_hdf5(maker: str, oracle: Oracle, tmp_path: Path) -> None:
    head = f"{_DATA}\npath = {str(tmp_path)!r}\n"
    made = oracle.ask(head + _KERAS) if maker == "theirs" else run_case(minitf, head + _KERAS)
    after = _equal(oracle, head + _KERAS_ON)
    assert not compare(
        {**ran(made), "shown": made["shown"]}, {**after, "shown": {"0": after["shown"]["0"]}}
    )
