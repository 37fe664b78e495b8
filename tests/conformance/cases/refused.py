"""What is refused as TensorFlow refuses it, and what is not: feeds, graphs, empty shapes, functions, names."""

from ..case import programs, table

_FEEDS = """
def refused(kind, *values):
    for value in values:
        for shape in ([], None, [1]):
            x = tf.placeholder(kind, shape)
            try: tf.Session().run(tf.identity(x), {x: value})
            except TypeError as error: show(kind, value, str(error).split("Tensor type")[0])
refused(tf.bool, 3, -1, 2**40); refused(tf.float16, 2049); refused(tf.float32, 2**24 + 1, -10**9 - 1)
refused(tf.complex64, 2**24 + 1); refused(tf.bfloat16, 257); refused(tf.int8, 300); refused(tf.uint8, -1)
refused(tf.string, 3, True, 0)
"""

_FED = """
def fed(kind, *values):
    x = tf.placeholder(kind)
    for value in values: show(tf.Session().run(tf.cast(x, tf.complex128), {x: value}))
fed(tf.bool, 0, 1, True, 2.5, [1, 0])
fed(tf.float32, 2**24, 2**24 + 2, -5, True, 1e9 + 1, 16777217.0); fed(tf.float64, 2**53 + 1, -3)
fed(tf.bfloat16, 256, 3, 257.0); fed(tf.float16, 2048, False); fed(tf.complex64, 2**24, 7)
x = tf.sparse_placeholder(tf.float32)
show(tf.Session().run(tf.sparse_tensor_to_dense(x), {x: ([[0, 1]], [2.0], [2, 2], 7)}))
"""

_SPARSE = """
matrix | s.run(y, {x: np.eye(2)})
wide | s.run(y, {x: np.zeros((3, 2))})
deep | s.run(y, {x: np.ones([3, 1, 2])})
number | s.run(y, {x: 5})
numbers | s.run(y, {x: [1, 2]})
"""

_RESHAPED = """
def reshaped(shape, *wanted):
    p = tf.placeholder(tf.int32); x = tf.placeholder(tf.float32)
    for sizes in wanted:
        y = tf.reshape(tf.zeros(shape), sizes)
        show(y.shape, run(tf.shape(y)), tf.Session().run(tf.shape(tf.reshape(x, p)), {x: np.zeros(shape), p: sizes}))
reshaped([0], [0, -1], [-1, 0], [3, 0, -1], [2, -1], [-1], [0, 0, -1])
reshaped([0, 3], [0, -1], [-1, 0], [-1, 3], [0, 5], [0, -1, 2], [0, 2, -1], [0, 7, -1])
reshaped([2, 0], [0, -1]); reshaped([2, 0, 3], [-1, 0, 2], [0, -1])
"""
_NOT_RESHAPED = """
zero | tf.Session().run(tf.reshape(x, p), {p: [0, -1], x: np.zeros((2, 3))})
five | tf.Session().run(tf.reshape(x, p), {p: [5], x: np.zeros(0)})
two | tf.Session().run(tf.reshape(x, p), {p: [-1, -1, 0], x: np.zeros(0)})
"""

_GRAPHS = """
g1, g2 = tf.Graph(), tf.Graph()
with g1.as_default(): x = tf.constant(1.0, name="x"); y = tf.multiply(x, 2.0, name="y")
with g2.as_default(): z = tf.constant(1.0, name="z"); w = tf.multiply(z, 2.0, name="w")
"""
_MIXED = """
x | tf.gradients(y, z)
xs | tf.gradients(y, [x, z])
ys | tf.gradients([y, w], x)
grad_ys | tf.gradients(y, x, grad_ys=z)
stop | tf.gradients(y, x, stop_gradients=z)
scope | tf.name_scope("s", values=[x, z]).__enter__()
"""

_RAISED = """
def raising(what):
    def function(): raise what
    try: run(tf.py_func(function, [], tf.float32))
    except tf.errors.OpError as error: show(type(error).__name__, f"{type(what).__name__}: {what}" in error.message)
raising(SystemExit(3)); raising(SystemExit()); raising(GeneratorExit()); raising(BaseException("b"))
raising(ValueError("v")); raising(StopIteration()); raising(AssertionError())
"""

_FROZEN = """
v = tf.Variable(1.0, name="v"); out = tf.add(v, 1.0, name="out"); s = tf.Session(); s.run(v.initializer)
freeze = lambda names: [n.name for n in tf.graph_util.convert_variables_to_constants(s, s.graph_def, names).node]
part = lambda names: [n.name for n in tf.graph_util.extract_sub_graph(s.graph_def, names).node]
"""
_NAMES = "\n".join(
    f"{how}_{i} | {how}({names})"
    for how in ("freeze", "part")
    for i, names in enumerate(
        ["['out:0']", "['^out']", "['out', 'out:0']", "['nope']", "[b'out']", "'out'"]
    )
)

_NUMPY_INTEGERS = """
for kind in (np.uint8, np.int16, np.uint16, np.uint32, np.int64):
    a = np.array([2, 3], kind)
    show(tf.zeros(a).shape, tf.ones(list(a)).shape, run(tf.reshape(tf.range(6), a)), tf.reshape(tf.range(6), list(a)).shape, tf.fill(a, 1.0).shape)
    show(tf.zeros([4, 4])[: a[0], 1].shape, tf.placeholder(tf.float32, a).shape, tf.zeros([a[0], 2]).shape, tf.TensorShape(a))
show([list(tf.train.Int64List(value=v).value) for v in ([True, False], [np.bool_(True), 3], np.array([True]), (), None, np.array([2], np.uint8))])
show(tf.train.Feature(int64_list=tf.train.Int64List(value=[True])).int64_list.value[0])
fails(tf.constant, ["one", 2]); fails(tf.constant, [1, "one"]); fails(tf.convert_to_tensor, ["one", 2.5])
"""

_PLACES = "x = tf.placeholder(tf.float32); p = tf.placeholder(tf.int32)"
_SPARSE_START = """
s = tf.Session(); x = tf.sparse_placeholder(tf.float32, name="x"); y = tf.sparse_tensor_to_dense(x)
"""

CASES = [
    *table("refused/sparse", _SPARSE_START, _SPARSE, word="fails"),
    *table("refused/reshaped", _PLACES, _NOT_RESHAPED, word="fails"),
    *table("refused/graphs", _GRAPHS, _MIXED, word="fails"),
    *table("refused/frozen", _FROZEN, _NAMES, word="fails"),
    *programs(
        "refused",
        {
            "not_feeds": _FED,
            "feeds": _FEEDS,
            "raised": _RAISED,
            "not_numpy_integers": _NUMPY_INTEGERS,
            "not_reshaped": _RESHAPED,
            "not_frozen": _FROZEN
            + "show(freeze(['out']), freeze(('out',)), part(['out']), part([]))",
        },
    ),
]
