"""Calls with arguments that no operation can use: both libraries refuse them in the same words.

The first half goes wrong while the graph is built, the second when it runs; then graphs that come
as data, names of devices, and numbers that are none.
"""

import re
from collections import Counter

from ..case import Case, programs, table

PRELUDE = """
    x = tf.placeholder(tf.float32, None, name="x"); s = tf.placeholder(tf.int32, None, name="s"); d = tf.placeholder(tf.int32, None, name="d")
    c = tf.constant([1, 2, 3], name="c"); v = tf.placeholder(tf.float32, [None], name="v")
"""


def bad_calls(family: str, rows: str) -> list[Case]:
    """One case a line: the call fails. Its name is the function's, with a number from the second."""
    seen: Counter[str] = Counter()
    lines = []
    for row in filter(None, (line.strip() for line in rows.splitlines())):
        called = row.removeprefix("run(")
        found = re.search(r"tf\.([\w.]+)\(", called)
        name = found[1].replace(".", "_") if found else "getitem"
        seen[name] += 1
        lines.append(f"{name}{f'_{seen[name]}' if seen[name] > 1 else ''} | {row}")
    return table(family, PRELUDE, "\n".join(lines), word="fails")


BUILT = """
tf.concat([], 0)
tf.concat([], 0, name="x")
tf.concat((), 0)
tf.concat(None, 0)
tf.concat([[1], [2]], None)
tf.concat([[1], [2]], 1)
tf.concat([[1], [2]], -2)
tf.concat([[1], [2.]], 0)
tf.concat([[1], ["a"]], 0)
tf.concat([1, 2], 0)
tf.concat([[1], [[2]]], 0)
tf.concat([[1], [2]], "a")
tf.concat([[1], [2]], 0.5)
tf.stack(None)
tf.stack([1, 2], 3)
tf.unstack(3)
tf.unstack([1, 2], 1)
tf.unstack(tf.placeholder(tf.float32))
tf.add_n([])
tf.add_n([[1], [1, 2]])
tf.add_n([1, 2.])
tf.split([1, 2, 3], 2)
tf.split([1, 2, 3], 0)
tf.split([1, 2, 3], -1)
tf.split([1, 2, 3], [1, 1])
tf.split([1, 2, 3], [])
tf.split([1, 2, 3], None)
tf.split([1, 2, 3], 3, 1)
tf.split(3, 1)
c[::0]
tf.strided_slice(c, [0], [2], [0])
c[5]
c["a"]
c[1.5]
c[None, 1, 2]
c[..., ...]
c[[0, 1]]
c[True]
c[:"a"]
c[::1.5]
c[0:2:-0]
tf.strided_slice(c, [0], [2], [1, 1])
tf.strided_slice(c, 0, 2, 1)
tf.strided_slice(c, [[0]], [[2]], [[1]])
tf.strided_slice(c, [0, 0], [2, 2])
tf.strided_slice(c, None, [2])
tf.strided_slice(c, [0.], [2.])
tf.strided_slice(c, [0], [2], ellipsis_mask=3)
c[2:1:-1, 0]
tf.constant(3)[0]
tf.constant(3)[:]
tf.slice(c, [0], [-2])
tf.slice(c, [0, 0], [1, 1])
tf.slice(c, 0, 1)
tf.slice(c, None, [1])
tf.slice(c, [0], None)
tf.slice(c, ["a"], [1])
v[::0]
v[::0].assign([1])
tf.TensorShape("abc")
tf.TensorShape("12")
tf.TensorShape(["a"])
tf.TensorShape([1.5])
tf.TensorShape([-1])
tf.TensorShape(-1)
tf.TensorShape(3.5)
tf.TensorShape([[1]])
tf.TensorShape({"a": 1})
tf.TensorShape([None, "x"])
tf.TensorShape(object)
tf.placeholder(tf.float32, "abc")
tf.placeholder(tf.float32, shape="abc")
tf.placeholder(tf.float32, [-1])
tf.placeholder(tf.float32, [-2, 3])
tf.placeholder(tf.float32, ["a"])
tf.placeholder(tf.float32, [1.5])
tf.placeholder(tf.float32, 3.5)
tf.placeholder(None)
tf.placeholder("abc")
tf.placeholder(999)
tf.placeholder([tf.float32])
tf.placeholder(tf.float32, name="a b")
tf.placeholder(tf.float32, name=3)
tf.placeholder(tf.float32, name="_a")
tf.placeholder_with_default([1], "abc")
tf.placeholder_with_default([1], [2])
tf.placeholder_with_default(None, [2])
tf.sparse_placeholder(tf.float32, "abc")
tf.reshape([1, 2], "abc")
tf.reshape([1, 2], ["a"])
tf.reshape([1, 2], None)
tf.reshape([1, 2], [None])
tf.reshape([1, 2], [None, 2])
tf.reshape([1, 2], [1.5])
tf.reshape([1, 2], [3])
tf.reshape([1, 2], [-2])
tf.reshape([1, 2], [-2, 2])
tf.reshape([1, 2], 2)
tf.reshape([1, 2], [[2]])
tf.reshape([1, 2], [0, -1])
tf.reshape([1, 2, 3], [2, -1])
tf.reshape(None, [2])
tf.zeros([1], "abc")
tf.zeros([1], None)
tf.zeros([1], 999)
tf.ones([1], tf.string)
tf.constant(1., shape=[None])
tf.constant(1., "abc")
tf.constant([1., 2.], shape=[1])
tf.constant(None)
tf.constant(object())
tf.constant({})
tf.constant([1, "a"])
tf.constant("a", tf.float32)
tf.constant(1.5, tf.int32)
tf.constant(2**70)
tf.constant([None])
tf.constant(1, tf.bool)
tf.broadcast_to(y, "abc")
tf.broadcast_to(y, [3])
tf.broadcast_to(y, [-1])
tf.broadcast_to(y, [])
tf.Variable(None)
tf.Variable([1.], shape=[2])
tf.Variable(x)
tf.get_variable("q", "abc")
tf.get_variable("q1", [-1])
tf.get_variable("q2", [None])
tf.get_variable("q3")
tf.get_variable("q4", [2], "abc")
tf.get_variable("q5", [2], initializer="abc")
tf.get_variable("q6", [2], initializer=[1., 2.])
tf.get_variable("q7", [2], initializer=3)
tf.one_hot([1], -1)
tf.one_hot([1], -5)
tf.one_hot([1], None)
tf.one_hot([1], "a")
tf.one_hot([1], [3])
tf.one_hot([1], 2.5)
tf.one_hot([1.], 3)
tf.one_hot(["a"], 3)
tf.one_hot(None, 3)
tf.one_hot([1], 3, axis=-3)
tf.one_hot([1], 3, axis="a")
tf.one_hot([1], 3, on_value=1., off_value=2)
tf.one_hot([1], 3, on_value="a")
tf.one_hot([1], 3, dtype=tf.int32, on_value=1.5)
tf.constant(np.zeros((2, 3, 4), "f"))[-7]
tf.strided_slice(np.zeros((2, 3, 4), "f"), [0], [1], [-1], shrink_axis_mask=1)
tf.pad([1, 2], [[1]])
tf.split(tf.ones([4]), [-1, -1])
tf.broadcast_to(np.ones((2, 3)), [3, 2])
tf.dynamic_partition([1, 2, 3], [0, 1], 2)
tf.dynamic_stitch([[0, 1], [2]], [[1, 2], [[3]]])
tf.reverse_sequence(np.ones((2, 3)), [2, 2, 1], seq_axis=1)
tf.edit_distance(tf.SparseTensor([[0, 0]], ["a"], [1, 1]), tf.SparseTensor([[0, 0, 0]], ["a"], [1, 1, 1]))
tf.Variable([1, 2, 3])[:].assign(tf.constant([1, 2, 3], tf.int8))
tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1]), [1, 0, 1, 1], "SAME")
tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1]), 1, "SAME", dilations=[1, 0, 1, 1])
tf.nn.max_pool(tf.ones([1, 4, 4, 3]), [1, 2, 2, 1], [1, 0, 1, 1], "VALID")
tf.ragged.constant([[1.0], [2.0, 3.0]])[:, 0]
"""

RUN = """
run(tf.pad([[1, 2, 3], [4, 5, 6]], s, "REFLECT"), {s: [[2, 0], [0, 2]]})
run(tf.pad([[1, 2, 3], [4, 5, 6]], s, "SYMMETRIC"), {s: [[0, 3], [0, 2]]})
run(tf.strided_slice(c, [0], [2], s), {s: [0]})
run(c[::d], {d: 0})
run(c[d], {d: 5})
run(tf.slice(c, s, [1]), {s: [3]})
run(tf.slice(c, s, [1]), {s: [-1]})
run(tf.slice(c, [0], s), {s: [7]})
run(tf.slice(c, [0], s), {s: [-3]})
run(tf.reshape(x, s), {x: [1., 2.], s: [3]})
run(tf.reshape(x, s), {x: [1., 2.], s: [-1, -1]})
run(tf.reshape(x, s), {x: [1., 2.], s: [-2]})
run(tf.reshape(x, s), {x: [1., 2.], s: [-2, -1]})
run(tf.reshape(x, s), {x: [1., 2.], s: [[2]]})
run(tf.reshape(x, s), {x: [1., 2.], s: [0, -1]})
run(tf.reshape(x, s), {x: [1., 2., 3.], s: [2, -1]})
run(f(s), {s: [-1]})
run(f(s), {s: [[1]]})
run(tf.one_hot([1], d), {d: -1})
run(tf.one_hot([1], d), {d: -7})
run(tf.one_hot([1], tf.placeholder_with_default([3], None)))
run(tf.one_hot(i, d), {d: -1})
run(tf.one_hot(i, d), {d: [3]})
run(tf.random_normal(s), {s: [-1]})
run(tf.random_normal(s), {s: 3})
run(tf.random_uniform(s, 0, 5, tf.int32), {s: [-2]})
run(tf.multinomial(x, -1), {x: [[1., 2.]]})
run(tf.broadcast_to(x, s), {x: [1., 2.], s: [-1]})
run(tf.broadcast_to(x, s), {x: [1., 2.], s: [3]})
run(tf.broadcast_to(x, s), {x: [1., 2.], s: 3})
run(tf.tile(x, s), {x: [1., 2.], s: [-1]})
run(tf.tile(x, s), {x: [1., 2.], s: [1, 1]})
run(tf.tile(x, s), {x: [1., 2.], s: 3})
run(tf.range(0, 10, d), {d: 0})
run(tf.range(0, 10, d), {d: -1})
run(tf.eye(d), {d: -1})
run(tf.zeros(s), {s: [-1]})
run(tf.gather(x, s), {x: [1., 2.], s: [2]})
run(tf.gather(x, s), {x: [1., 2.], s: [-1]})
run(tf.gather(x, s), {x: 1., s: [0]})
run(tf.gather_nd(x, s), {x: [1., 2.], s: [[0, 0]]})
run(tf.pad(x, s), {x: [1., 2.], s: [[-1, 0]]})
run(tf.pad(x, s), {x: [1., 2.], s: [[1, 0], [1, 1]]})
run(tf.pad(x, s, "REFLECT"), {x: [1., 2.], s: [[2, 0]]})
run(tf.expand_dims(x, 0) + s, {x: [1.], s: [1]})
run(tf.split(x, 2), {x: [1., 2., 3.]})
run(tf.concat([x, x], 0), {x: 1.})
run(tf.stack([x, s]), {x: 1., s: 3})
run(tf.stack([x, x[:1]]), {x: [1., 2.]})
run(tf.matmul(x, x), {x: [1., 2.]})
run(tf.squeeze(x, [0]), {x: [1., 2., 3.]})
run(tf.squeeze(x, [1]), {x: [1., 2., 3.]})
run(tf.argmax(x, 2), {x: [1., 2., 3.]})
run(tf.argmax(x, 0), {x: []})
run(tf.argmax(x, 0), {x: 1.})
run(tf.nn.top_k(x, d), {x: [1., 2., 3.], d: 5})
run(tf.nn.top_k(x, d), {x: [1., 2., 3.], d: -1})
run(tf.nn.top_k(x, d), {x: 1., d: 1})
run(tf.segment_sum(x, s), {x: [1., 2.], s: [1, 0]})
run(tf.segment_sum(x, s), {x: [1., 2.], s: [0]})
run(tf.segment_sum(x, s), {x: [1., 2.], s: [-1, 0]})
run(tf.unsorted_segment_sum(x, s, 2), {x: [1., 2.], s: [0, 5]})
run(tf.unsorted_segment_sum(x, s, d), {x: [1., 2.], s: [0, 1], d: -1})
run(tf.scatter_nd(s, x, [2]), {x: [1., 2.], s: [[0], [3]]})
run(tf.sparse_to_dense(s, [2], x), {x: [1., 2.], s: [0, 3]})
run(tf.reverse_sequence(x, s, 1), {x: [[1., 2.]], s: [3]})
run(tf.sequence_mask(s, d), {s: [1, 2], d: -1})
run(tf.nn.conv2d(x, tf.zeros([2, 2, 3, 1]), [1, 1, 1, 1], "VALID"), {x: np.zeros([1, 2, 2, 2])})
run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=s, logits=x), {x: [[1., 2.]], s: [2]})
run(tf.nn.embedding_lookup(x, s), {x: [[1., 2.]], s: [2]})
run(tf.cholesky(x), {x: [[1., 2.]]})
run(tf.matrix_inverse(x), {x: [[0.]]})
run(tf.matrix_inverse(x), {x: [[1., 2.]]})
run(tf.matrix_solve(x, x), {x: [[0.]]})
run(tf.div(s, d), {s: [1], d: 0})
run(tf.mod(s, d), {s: [1], d: 0})
run(tf.floordiv(s, d), {s: [1], d: 0})
run(tf.pow(s, d), {s: [2], d: -1})
run(tf.string_to_number(tf.constant(["a"])))
run(tf.decode_raw(tf.constant(["abc"]), tf.int32))
run(tf.boolean_mask(x, [True, False, True]), {x: [1., 2.]})
run(tf.unique(x), {x: [[1.]]})
run(tf.dynamic_partition(x, s, 2), {x: [1., 2.], s: [0, 2]})
run(tf.image.resize_bilinear(x, [0, 2]), {x: np.zeros([1, 2, 2, 3])})
run(tf.image.resize_bilinear(x, [2, 2]), {x: np.zeros([2, 2, 3])})
run(tf.diag_part(x), {x: [[1., 2.]]})
run(tf.roll(x, 1, 2), {x: [[1., 2.]]})
run(tf.reverse(x, [2]), {x: [[1., 2.]]})
run(tf.nn.ctc_greedy_decoder(x, [9]), {x: np.zeros([2, 1, 3])})
"""

IMPORTS = {
    "order_and_inputs": """
    g = tf.Graph()
    with g.as_default():
        a = tf.placeholder(tf.float32, [2], name="a"); b = tf.subtract(a, a, name="b"); c = tf.multiply(b, a, name="c")
        with tf.control_dependencies([c]): d = tf.identity(a, name="d")
    serialized = g.as_graph_def().SerializeToString()
    def fresh():
        made = tf.GraphDef(); made.ParseFromString(serialized)
        return made
    u = fresh(); u.node.reverse()
    found = tf.import_graph_def(u, return_elements=["c:0", "d", "b"])
    show(found, [op.name for op in tf.get_default_graph().get_operations()], run(found[0], {"import/a:0": [1., 2.]}))
    for source in ("c", "b", "nope", "a:1", "a:-1", "a:x", "", "^a"):
        u = fresh(); u.node[1].input[0] = source
        fails(tf.import_graph_def, u)
    for source in ("^c", "^nope", "a", "a:0"):
        u = fresh(); u.node[1].input.append(source)
        fails(tf.import_graph_def, u)
    u = fresh(); u.node[1].input.insert(0, "^d"); fails(tf.import_graph_def, u)
    u = fresh(); u.node[1].input.pop(); fails(tf.import_graph_def, u)
    u = fresh(); u.node[0].input.append("c"); fails(tf.import_graph_def, u)
    u = fresh(); u.node[3].input.insert(0, "a"); fails(tf.import_graph_def, u)
    u = fresh(); del u.node[0]; fails(tf.import_graph_def, u)
    u = fresh(); u.node[1].name = "a"; fails(tf.import_graph_def, u)
    """,
    "devices": """
    g = tf.Graph()
    with g.as_default():
        a = tf.constant(1., name="a"); b = tf.identity(a, name="b")
    for device in ("garbage", "/cpu:x", "/job:", "/cpu:0", "/job:ps/task:1"):
        made = g.as_graph_def(); made.node[1].device = device
        fails(tf.import_graph_def, made)
    made = g.as_graph_def(); made.node[1].device = "/job:ps/cpu:0"
    with tf.device("/job:worker/task:2"):
        show(tf.import_graph_def(made, return_elements=["a", "b"]))
    """,
    "wrong_types": """
    for graph in (None, 3, "abc", b"abc", [], tf.Graph()):
        fails(tf.import_graph_def, graph)
    """,
    "input_map": """
    g = tf.Graph()
    with g.as_default():
        a = tf.placeholder(tf.float32, [2], name="a"); b = tf.subtract(a, a, name="b"); c = tf.multiply(b, a, name="c")
    gd = g.as_graph_def()
    x = tf.constant([1., 2.], name="x"); i = tf.constant([1, 2], name="i"); w = tf.constant([1., 2., 3.], name="w")
    for key in ("nope", "a:1", "a:x", "a", "c", "c:0", "^a", ""):
        fails(tf.import_graph_def, gd, input_map={key: x})
    for value in (i, w, None, [1., 2.], "q"):
        fails(tf.import_graph_def, gd, input_map={"a": value})
    fails(tf.import_graph_def, gd, input_map={"b:0": w})
    fails(tf.import_graph_def, gd, input_map={3: x})
    fails(tf.import_graph_def, gd, input_map=3)
    fails(tf.import_graph_def, gd, input_map=[x])
    with tf.Graph().as_default(): y = tf.constant([1., 2.])
    fails(tf.import_graph_def, gd, input_map={"a": y})
    show(tf.import_graph_def(gd, {"a:0": x, "b": x}, ["a:0", "b:0", "b", "c"], name="m"))
    del gd.node[0]
    show(run(tf.import_graph_def(gd, {"a": x}, ["c:0"], name="without"))[0])
    """,
    "return_elements": """
    g = tf.Graph()
    with g.as_default():
        a = tf.placeholder(tf.float32, [2], name="a"); b = tf.subtract(a, a, name="b")
    gd = g.as_graph_def()
    for elements in (["nope"], ["nope:0"], ["a:1"], ["a:x"], ["a", "zz", "yy:0"], [3], 3, "ab", [""], [None], []):
        fails(tf.import_graph_def, gd, return_elements=elements)
    for name in ("a b", 3, "_x"):
        fails(tf.import_graph_def, gd, name=name)
    show(tf.import_graph_def(gd, name="", return_elements=["b"]), tf.import_graph_def(gd, name="", return_elements=["b:0"]))
    """,
}

DEVICES = """
for name in ("garbage", "/job:", "/cpu:x", "/cpu:", "/gpu", "/job:a/job:b", "/task:x", "/device:CPU", "/device:CPU:x",
             "/device:CPU:-1", "/job:1a", "/replica:", "//", "cpu:0", "/CPU:0", "/foo:0", "/device:FOO:0", "/task:-1",
             "/xla_gpu:1", "/job:a b", "job:a", "/cpu:*", "/job:*", "/task:*", "", "/", "/device:cpu:0", "/Device:CPU:0",
             "@", "/cpu:0:1", "/cpu:0/cpu:1", "/cpu:0/gpu:1", "/Job:x", "/cpu:1.5", "/job:a/cpu:0/task:1", 3):
    try:
        with tf.device(name): show(tf.constant(1.).device)
    except Exception as error: show(error)
"""

NAN = """
    n = float("nan"); i = float("inf")
    x = tf.constant([[1., n, 3.], [n, n, n], [n, 2., 1.], [3., 2., n], [i, n, -i], [-i, -i, -i], [1., 2., n]])
    a = tf.constant([1., n, n, i, -i, 0., -0., 2.]); b = tf.constant([n, 1., n, n, n, -0., 0., 3.])
    m = tf.constant([[n, 1.], [1., 2.]]); lower = tf.constant([[1., 0.], [n, 2.]]); upper = tf.constant([[1., n], [0., 2.]])
    two = tf.constant([[[1., 0.], [0., 2.]], [[n, 0.], [0., 1.]]])
"""

NAN_VALUES = """
argmax_rows | tf.argmax(x, 1)
argmax_columns | tf.argmax(x, 0)
argmin_rows | tf.argmin(x, 1)
argmin_columns | tf.argmin(x, 0)
argmax_double | tf.argmax(tf.cast(x, tf.float64), 1)
argmin_half | tf.argmin(tf.cast(x, tf.float16), 1)
argmax_of_nan | tf.argmax([n, n])
reduce_max | tf.reduce_max(x, 1)
reduce_min | tf.reduce_min(x, 0)
reduce_sum | tf.reduce_sum(x, 1)
reduce_logsumexp | tf.reduce_logsumexp(x, 1)
maximum | tf.maximum(a, b)
minimum | tf.minimum(b, a)
clip | tf.clip_by_value(a, 0., 1.)
clip_to_nan | tf.clip_by_value(a, n, 1.)
clip_norm | tf.clip_by_norm(a, 1.)
clip_global_norm | tf.clip_by_global_norm([a], 1.)[0][0]
relu | tf.nn.relu(a)
sign | tf.sign(a)
softmax | tf.nn.softmax(x)
log_softmax | tf.nn.log_softmax(x)
equal | tf.equal(a, b)
floormod | tf.floormod(a, b)
pow | tf.pow(a, b)
div_no_nan | tf.div_no_nan(a, b)
unique | tf.unique(a)[0]
unique_places | tf.unique(a)[1]
cumsum | tf.cumsum(a)
top_of_numbers | tf.nn.top_k([n, 1., 2.], 1)[0]
unsorted_sum | tf.unsorted_segment_sum(a, [0, 0, 1, 1, 2, 2, 3, 3], 5)
in_top_k | tf.nn.in_top_k([[1., n, 2.], [n, n, n], [1., 2., 3.]], [0, 1, 2], 2)
svd_of_one | tf.svd(m, compute_uv=False)
svd_of_two | tf.svd(two, compute_uv=False)
cholesky_upper | tf.cholesky(upper)
eigvals_upper | tf.self_adjoint_eigvals(upper)
inverse_upper | tf.matrix_inverse(upper)
qr_upper | tf.qr(upper)[1]
sort | tf.sort(x, 1)
top_k | tf.nn.top_k(x, 3)[0]
max_pool | tf.nn.max_pool([[[[1.], [n]], [[3.], [2.]]]], [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
determinant | tf.matrix_determinant(m)
qr_of_inf | tf.qr([[i, 1.], [1., 2.]])[1]
cross_entropy | tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[n, 1.]])
"""

NAN_FAILS = """
self_adjoint_eig | run(tf.self_adjoint_eig(m))
self_adjoint_eigvals | run(tf.self_adjoint_eigvals(m))
eigvals_lower | run(tf.self_adjoint_eigvals(lower))
eig_of_two | run(tf.self_adjoint_eig(two))
cholesky | run(tf.cholesky(m))
inverse | run(tf.matrix_inverse(m))
inverse_lower | run(tf.matrix_inverse(lower))
inverse_of_two | run(tf.matrix_inverse(two))
solve | run(tf.matrix_solve(m, m))
range | run(tf.range(0., n, 1.))
range_from_nan | run(tf.range(n, 1., 1.))
range_by_nan | run(tf.range(0., 1., n))
"""

CASES = [
    *bad_calls("hostile/built", BUILT),
    *bad_calls("hostile/run", RUN),
    *programs("hostile/import", IMPORTS),
    *programs("hostile", {"devices": DEVICES}),
    *table("hostile/nan", NAN, NAN_VALUES, word="value"),
    *table("hostile/nan_fails", NAN, NAN_FAILS, word="fails"),
]
