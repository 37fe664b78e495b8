"""bfloat16, a type that NumPy lacks."""

from ..case import programs, table

BFLOAT16 = """
    bf = tf.bfloat16
    x = tf.constant([[1.1, -2.2, 3.3], [0.4, 5.5, -6.6]], bf, name="x")
    y = tf.constant([[2., .3, -1.], [4., 0.7, 9.]], bf, name="y")
    w = tf.constant([[1., 2.], [.3, -4.], [5., .06]], bf, name="w")
"""

BFLOAT16_ROWS = """
constant | x
names | [tf.as_dtype("bfloat16").name, bf.size, bf.is_floating, bf.is_integer, repr(bf), str(bf), bf.as_datatype_enum, tf.float32.as_datatype_enum, tf.as_dtype("int32_ref").as_datatype_enum, tf.resource.as_datatype_enum]
"""

BFLOAT16_VALUES = """
matmul | tf.matmul(x, w) | x w
add | x + y | x y
python_number | x * 2.5 + 1 | x
divide | x / y | x y
exp | tf.exp(x) | x
softplus | tf.nn.softplus(x) | x
maximum | tf.maximum(x, y) | x y
pow | tf.pow(tf.abs(x), y) | x
floormod | x % y
sum | tf.reduce_sum(x, 1) | x
prod | tf.reduce_prod(x, 0) | x
softmax | tf.nn.softmax(x) | x
bias | tf.nn.bias_add(x, x[0]) | x
less | x < y
select | tf.where(x > 0, x, y) | x y
cast_up | tf.cast(x, tf.float32) | x
cast_down | tf.cast(tf.constant([1.001, 1e30, -3e-40, np.inf]), bf)
cast_int | tf.cast(x, tf.int32)
from_int | tf.cast([1, 1000, 16777217], bf)
argmax | tf.argmax(x, 1)
concat | tf.concat([x, y], 0) | x y
gather | tf.gather(x, [1, 1, 0]) | x
one_hot | tf.one_hot([0, 2], 3, dtype=bf)
add_n | tf.add_n([x, y, x]) | x y
conv2d | tf.nn.conv2d(tf.reshape(tf.concat([x, y, x], 0), [1, 3, 6, 1]), tf.ones([2, 2, 1, 2], bf), [1, 1, 1, 1], "VALID")
max_pool | tf.nn.max_pool(tf.reshape(tf.concat([x, y], 0), [1, 2, 6, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
cumsum | tf.cumsum(x, 1) | x
while | tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), [0, x])[1]
"""

BFLOAT16_PROGRAMS = {
    "variable": """
        v = tf.get_variable("v", initializer=tf.constant([1.5, -2.25], tf.bfloat16))
        show(v)
        loss = tf.reduce_sum(v * v)
        step = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
        show(run(v), run(tf.gradients(loss, v)[0]))
        run(step)
        show(run(v), run(tf.assign(v, [4., 8.])), run(v.assign_add([.5, .5])))
    """,
    "scope": """
        with tf.tpu.bfloat16_scope():
            w = tf.get_variable("w", [2], tf.bfloat16, initializer=tf.constant_initializer(1.1))
            i = tf.get_variable("i", [2], tf.int32, initializer=tf.zeros_initializer())
        show(w, i, tf.global_variables()[0])
        show(run(w))
        with tf.tpu.bfloat16_scope("inner"):
            show(tf.get_variable("w", [1], tf.float32).name)
    """,
    "feeds": """
        p = tf.placeholder(tf.bfloat16, [None], name="p")
        show(p, run(p * 2., {p: [1.5, 2.0]}), run(p, {p: np.array([1.01, 3.], np.float32)}))
    """,
    "limits": """
        show(float(tf.bfloat16.max), float(tf.bfloat16.min))
        show(tf.float32.is_compatible_with(tf.bfloat16), tf.bfloat16 == "bfloat16")
        fails(lambda: tf.constant(1.5, tf.bfloat16) + tf.constant(1.5))
        fails(lambda: tf.qint8.min)
    """,
    "checkpoint": """
        v = tf.get_variable("v", initializer=tf.constant([1.5, -2.25], tf.bfloat16))
        run(v)
        saver = tf.train.Saver()
        path = saver.save(session(), folder + "/model")
        run(v.assign([0., 0.]))
        saver.restore(session(), path)
        show(run(v))
        reader = tf.train.NewCheckpointReader(path)
        show(reader.get_tensor("v"), reader.get_variable_to_dtype_map()["v"])
    """,
    "graph_def": """
        tf.constant([1.5, -2.25], tf.bfloat16, name="c")
        data = tf.get_default_graph().as_graph_def()
        with tf.Graph().as_default():
            tf.import_graph_def(data, name="")
            with tf.Session() as sess:
                show(sess.run("c:0"))
    """,
    "py_func": """
        x = tf.constant([1.5, 2.5], tf.bfloat16)
        show(run(tf.py_func(lambda a: a * a, [x], tf.bfloat16)))
    """,
    "eager": """
        # eager
        x = tf.constant([1.1, 2.2], tf.bfloat16)
        show(x, x + x, tf.reduce_sum(x * 3.5), x.dtype)
        show(tf.cast(x, tf.float32), float(x[0]))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(x))
        show(tape.gradient(y, x))
    """,
    "random": """
        show([run(f([2], dtype=tf.bfloat16)).shape for f in (tf.random_uniform, tf.random_normal)])
    """,
    "layers": """
        x = tf.constant([[1., 2.], [3., 4.]], tf.bfloat16)
        y = tf.layers.dense(x, 2, kernel_initializer=tf.ones_initializer(), name="d")
        show(y, run(y), tf.global_variables()[0])
    """,
}  # fmt: skip


CASES = [
    *table("bfloat16", BFLOAT16, BFLOAT16_ROWS, word="show"),
    *table("bfloat16", BFLOAT16, BFLOAT16_VALUES, word="value", rtol=0.04),
    *programs("bfloat16", BFLOAT16_PROGRAMS, rtol=0.01),
]
