"""`tf.wrap_function`: functions that build graphs as in version 1, called eagerly."""

from ..case import programs

_PROGRAMS = {
    "variables": """
        def fn(x, add):
            v = tf.Variable(5.0)
            op = v.assign_add(x) if add else v.assign_sub(x)
            with tf.control_dependencies([op]):
                return v.read_value()
        up = tf.wrap_function(fn, [tf.TensorSpec((), tf.float32), True])
        down = tf.wrap_function(fn, [tf.TensorSpec((), tf.float32), False])
        show(up(1.0), up(tf.constant(2.0)), down(1.0), [v.name for v in up.variables], up.variables[0].numpy())
        show(tuple(up.output_shapes), up.output_dtypes, up.structured_outputs.shape.as_list())
        fails(up, x=tf.constant(1.0))
    """,
    "collections_and_scopes": """
        def fn(x):
            with tf.variable_scope("s"):
                v = tf.get_variable("v", [], initializer=tf.ones_initializer())
                with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                    again = tf.get_variable("v", [])
            w = tf.Variable([1., 2.], name="w", trainable=False)
            show(v is again, [v.name for v in tf.global_variables()], [v.name for v in tf.trainable_variables()], tf.executing_eagerly())
            return {"y": x * v, "none": None, "l": [w.read_value(), 3.0]}
        f = tf.wrap_function(fn, [tf.TensorSpec([], tf.float32)])
        show(f(tf.constant(2.)), sorted(v.name for v in f.variables), [v.name for v in f.trainable_variables])
        with tf.GradientTape() as tape:
            y = f(tf.constant(3.))["y"]
        show(tape.gradient(y, f.trainable_variables))
    """,
    "only_what_is_asked_runs": """
        def fn():
            v = tf.get_variable("v", initializer=1.0)
            tf.identity(v.assign_add(1.0), name="added")
            return v.read_value()
        f = tf.wrap_function(fn, [])
        show(f(), f())
        bump = f.prune([], f.graph.get_operation_by_name("added"))
        show(bump(), bump.structured_outputs, f())
        both = f.prune([], [f.graph.get_operation_by_name("added"), "added:0"])
        show(both(), f())
    """,
    "graph_of_a_file": """
        with tf.Graph().as_default() as g:
            x = tf.placeholder(tf.float32, [None, 2], "x"); y = tf.multiply(x, 3., "y"); z = tf.reduce_sum(y, name="z")
            c = tf.cond(z > 1., lambda: z * 2., lambda: z - 1., name="c"); tf.identity(c, name="r")
        data = tf.graph_util.extract_sub_graph(g.as_graph_def(), ["z"])
        whole = tf.wrap_function(lambda: tf.graph_util.import_graph_def(data, name=""), [])
        show(whole.structured_outputs, [t.name for t in whole.inputs])
        f = whole.prune("x:0", "z:0")
        show(f(tf.constant([[1., 2.]])), [t.name for t in f.inputs], [t.name for t in f.outputs], f.inputs[0].shape.as_list())
        named = whole.prune(tf.nest.map_structure(whole.graph.as_graph_element, ["x:0"]), {"z": "z:0", "y": "y:0"})
        show(named(tf.constant([[1., 2.], [3., 4.]])), sorted(named.structured_outputs))
        inner = whole.prune("y:0", "z:0"); show(inner(tf.constant([[5., 5.]])))
        fails(whole.prune, "x:0", "nope:0"); fails(whole.prune, [], "z:0")
        x = tf.constant([[1., 2.]])
        with tf.GradientTape() as tape:
            tape.watch(x); r = f(x)
        show(tape.gradient(r, x))
    """,
    "inside_of_others": """
        f = tf.wrap_function(lambda x: x * tf.get_variable("w", [], initializer=tf.constant_initializer(2.)), [tf.TensorSpec([], tf.float32)])
        @tf.function
        def outer(x):
            return f(x) + f(x + 1.)
        show(outer(tf.constant(3.)))
        g = tf.wrap_function(lambda x: f(x) ** 2., [tf.TensorSpec([], tf.float32)])
        show(g(tf.constant(3.)))
        with tf.GradientTape() as tape:
            y = outer(tf.constant(3.))
        show(tape.gradient(y, f.variables[0]))
        n = tf.wrap_function(lambda x: x * 2, [tf.TensorSpec(None, tf.float32, name="inp")], name="doubler")
        show(n.graph.name, n.inputs[0].name, n(tf.constant([[1.]])), n.prune(n.inputs, n.outputs, name="part").graph.name)
        loop = tf.wrap_function(lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), tf.constant(1.)])[1], [tf.TensorSpec([], tf.float32)])
        show(loop(tf.constant(2.)), loop.prune(loop.inputs[0], loop.outputs)(tf.constant(3.)))
    """,
}

CASES = programs("wrapped", {name: " " * 8 + "# eager" + text for name, text in _PROGRAMS.items()})
CASES += programs(
    "wrapped",
    {
        "in_a_graph": """
            x = tf.placeholder(tf.float32, [])
            f = tf.wrap_function(lambda x: x * tf.get_variable("w", [], initializer=tf.constant_initializer(3.)), [tf.TensorSpec([], tf.float32)])
            y = f(x) + f(x)
            with tf.Session() as s:
                s.run(tf.global_variables_initializer())
                show(s.run(y, {x: 2.}), [v.name for v in f.variables], [v.name for v in tf.global_variables()])
        """,
    },
)
