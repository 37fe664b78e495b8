"""Saved models of objects go from TensorFlow to minitf and back: functions and variables."""

from pathlib import Path

import pytest

import minitf
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case
from tests.conformance.test_keras_files import program, ran

pytestmark = pytest.mark.conformance

SAVE_MODULE = """
# eager
class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable([1., 2.], name="v"); self.parts = [tf.Variable(3.)]; self.d = {"a": tf.Variable(4, trainable=False)}
        self.table = tf.constant([1., 2., 3.] * 30)
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x):
        return {"y": x * self.v + self.parts[0], "t": tf.reduce_sum(self.table)}
    @tf.function
    def add(self, x, flag=True):
        self.v.assign_add(x) if flag else self.v.assign_sub(x)
        return self.v.read_value(), (x, None)
    @tf.function(input_signature=[])
    def bump(self):
        self.d["a"].assign_add(1)
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def turns(self, x):
        i = tf.constant(0)
        while i < 3:
            x = x * self.parts[0]; i += 1
        if x > 20.:
            x = x - self.v[0]
        return x
    @tf.function
    def of_parts(self, given, *, scale):
        return [given["a"] + given["b"][0], given["b"][1] * scale]
    @tf.function
    def of_sparse(self, s):
        return tf.sparse.reduce_sum(s), tf.SparseTensor(s.indices, s.values * 2., s.dense_shape)
m = Scale()
m.add(tf.constant([1., 1.])); m.add(tf.constant([1., 1.]), False)
m.of_parts({"a": tf.constant(1.), "b": (tf.constant(2.), tf.constant([3.]))}, scale=tf.constant(2.))
m.of_sparse(tf.SparseTensor([[0, 1]], [1.], [2, 2]))
m.child = tf.Module(); m.child.w = tf.Variable([[5.]], name="w"); m.child.f = tf.function(lambda x: tf.matmul(x, m.child.w), input_signature=[tf.TensorSpec([None, 1], tf.float32)])
tf.saved_model.save(m, path + "/m", signatures={"first": m.__call__, "turns": m.turns, "parts": m.child.f})
"""
LOAD_MODULE = """
# eager
m = tf.saved_model.load_v2(path + "/m")
order = lambda d: sorted(d.items())
show(order(m([[1., 2.]])), order(m(tf.constant([[1., 2.], [3., 4.]]))))
show(m.add(tf.constant([1., 1.])), m.v, m.add([1., 1.], flag=False)[0], m.v)
m.bump(); show(m.d["a"], m.turns(2.), m.parts[0].trainable, m.d["a"].trainable, len(m.parts))
show(m.of_parts({"a": tf.constant(1.), "b": (tf.constant(2.), tf.constant([3.]))}, scale=tf.constant(2.)))
total, doubled = m.of_sparse(tf.SparseTensor([[0, 1]], [1.], [2, 2])); show(total, doubled.values, doubled.indices)
show(m.child.f([[2.]]), sorted(m.signatures), order(m.signatures["first"](x=tf.constant([[1., 2.]]))), m.signatures["turns"](x=tf.constant(1.)))
show(m.signatures["parts"].structured_outputs["output_0"].shape.as_list(), m.signatures["first"].structured_input_signature[1]["x"].shape.as_list())
with tf.GradientTape() as tape: y = m(tf.constant([[1., 2.]]))["y"]
show(tape.gradient(y, [m.v, m.parts[0]]))
for wrong in (lambda: m.add(tf.constant([1.])), lambda: m.turns(1., 2.)):
    try: wrong(); show("nothing")
    except (ValueError, TypeError) as error: show(type(error).__name__)
@tf.function
def inside(x): return m(x)["y"] * 2.
show(inside(tf.constant([[1., 2.]])))
"""  # fmt: skip
#: the graph beside the objects, for sessions
LOAD_IN_SESSION = """
with tf.Session() as s:
    meta = tf.saved_model.loader.load(s, ["serve"], path + "/m")
    show(sorted(k for k in meta.signature_def if k[0] != "_"))
    first = meta.signature_def["first"]; turns = meta.signature_def["turns"]
    show(s.run([first.outputs[k].name for k in "yt"], {first.inputs["x"].name: [[1., 2.]]}), s.run(turns.outputs["output_0"].name, {turns.inputs["x"].name: 2.}), first.method_name)
"""
SAVE_MODEL = """
# eager
L = tf.keras.layers
x = np.linspace(-1, 1, 48, dtype="f").reshape(4, 3, 4)
i = L.Input((3, 4), name="i"); inner = tf.keras.Sequential([L.Dense(3, activation="relu", input_shape=(3, 4), name="d"), L.BatchNormalization(name="n")], name="inner")
h = L.LSTM(2, name="lstm")(inner(i)); j = L.Flatten(name="f")(L.Conv1D(2, 2, padding="same", name="c")(i))
m = tf.keras.Model(i, [L.Dense(1, name="out")(L.concatenate([h, j])), L.Dropout(.5, name="dr")(j)], name="m")
for k, w in enumerate(m.weights): w.assign(np.linspace(-.5, .6, w.shape.num_elements()).reshape(w.shape.as_list()) + (k % 3) / 10.)
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__(); self.first = L.Dense(3, activation="tanh"); self.last = L.Dense(1)
    def call(self, x): return self.last(self.first(x))
n = Net(); n(tf.constant(x))
for w in n.weights: w.assign(np.linspace(-.5, .6, w.shape.num_elements()).reshape(w.shape.as_list()))
tf.saved_model.save(m, path + "/m"); tf.saved_model.save(n, path + "/n")
"""
LOAD_MODEL = """
# eager
x = np.linspace(-1, 1, 48, dtype="f").reshape(4, 3, 4)
m, n = tf.saved_model.load_v2(path + "/m", ["serve"]), tf.saved_model.load_v2(path + "/n")
show(m(tf.constant(x)), m(x, training=False), n(tf.constant(x)))
served = m.signatures["serving_default"](i=tf.constant(x)); show(sorted(served), served["out"], served["dr"])
(name,) = n.signatures["serving_default"].structured_input_signature[1]; show(n.signatures["serving_default"](**{name: tf.constant(x)}), name)
y = m(tf.constant(x), training=True); show(y[0].shape.as_list())
try: tf.saved_model.load_v2(path + "/m", ["train"])
except ValueError as error: show(str(error).replace(path, "P"))
"""
SAVE_GRAPH = """
x = tf.placeholder(tf.float32, [None, 2], name="x"); w = tf.get_variable("w", initializer=[[1.], [2.]], use_resource=True)
c = tf.get_variable("c", initializer=0., trainable=False, use_resource=True)
y = tf.matmul(x, w, name="y"); z = tf.reduce_sum(tf.cond(tf.reduce_sum(x) > 0., lambda: y * w[1], lambda: -y), name="z"); tf.group(c.assign_add(1.), name="count")
with tf.Session() as s:
    s.run(tf.global_variables_initializer()); s.run(w.assign([[3.], [4.]]))
    tf.saved_model.simple_save(s, path + "/m", {"x": x}, {"y": y, "z": z})
"""  # fmt: skip
LOAD_GRAPH = """
# eager
m = tf.saved_model.load_v2(path + "/m")
g = m.signatures["serving_default"]; f = lambda *a, **k: sorted(g(*a, **k).items()); show(f(x=tf.constant([[1., 2.]])), f(tf.constant([[-1., -2.]])), sorted(v.name for v in m.variables))
show(m.prune(["x:0", "y:0"], "z:0")(tf.constant([[1., 2.]]), tf.constant([[5.]])), m.prune([], m.graph.get_operation_by_name("count"))(), sorted((v.name, float(tf.reduce_sum(v))) for v in m.variables))
(w,) = (v for v in m.variables if v.shape.as_list() == [2, 1]); w.assign([[0.], [1.]]); show(f(x=tf.constant([[1., 2.]])))
"""  # fmt: skip


@pytest.mark.parametrize(
    ("save", "loads"),
    [
        pytest.param(SAVE_MODULE, [LOAD_MODULE, LOAD_IN_SESSION], id="module"),
        pytest.param(SAVE_MODEL, [LOAD_MODEL], id="model"),
        pytest.param(SAVE_GRAPH, [LOAD_GRAPH], id="graph"),
    ],
)
def test_objects_go_both_ways(oracle: Oracle, tmp_path: Path, save: str, loads: list[str]) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ran(oracle.ask(program(save.lstrip(), theirs)))
    if save is SAVE_GRAPH:  # objects are loaded, and not saved
        ours.mkdir()
        ran(run_case(minitf, program(save.lstrip(), ours)))
    for path in filter(Path.exists, (theirs, ours)):
        for load in loads:
            # a variable of a graph of ours is a reference, which TensorFlow gives no object for
            source = theirs if load is LOAD_GRAPH else path
            wanted = ran(oracle.ask(program(load.lstrip(), source)))
            found = ran(run_case(minitf, program(load.lstrip(), path)))
            assert not compare(wanted, found, 1e-5), path


SAVE_TABLE = """
# eager
words = path + "/words.txt"
with open(words, "w") as file: file.write("a\\nb\\nc\\n")
class Words(tf.Module):
    def __init__(self):
        super().__init__()
        self.file = tf.saved_model.Asset(words)
        fill = tf.lookup.TextFileInitializer(self.file.asset_path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        self.table = tf.lookup.StaticHashTable(fill, -1)
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def ids(self, words):
        return self.table.lookup(words)
    @tf.function(input_signature=[])
    def text(self):
        return tf.io.read_file(self.file.asset_path)
tf.saved_model.save(Words(), path + "/m")
"""
LOAD_TABLE = """
# eager
m = tf.saved_model.load_v2(path + "/m"); show(m.ids(tf.constant(["b", "x", "c"])), m.text())
"""


def test_a_table_of_tensorflow_is_filled_from_its_file(oracle: Oracle, tmp_path: Path) -> None:
    ran(oracle.ask(program(SAVE_TABLE.lstrip(), tmp_path)))
    (tmp_path / "words.txt").unlink()
    wanted = ran(oracle.ask(program(LOAD_TABLE.lstrip(), tmp_path)))
    assert not compare(wanted, ran(run_case(minitf, program(LOAD_TABLE.lstrip(), tmp_path))), 1e-5)
