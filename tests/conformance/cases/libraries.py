"""What libraries on top of TensorFlow do with tensors, which programs seldom do."""

from ..case import programs

CASES = programs(
    "libraries",
    {
        "operators_of_other_classes": """
            class Scaled:
                def __radd__(self, other): return "mine"
            show(tf.constant(1.) + Scaled())
            fails(lambda: tf.constant(1) + 1.5)
        """,
        "names_of_operators": """
            show(sorted(tf.Tensor.OVERLOADABLE_OPERATORS - {"__div__", "__rdiv__"}))
        """,
        "arrays_of_objects": """
            show(run(tf.constant(np.array([1, 2 ** 40], object), tf.int64)), run(tf.constant(np.array([[1.5]], object), tf.float32)))
        """,
        "slices_by_variables": """
            first = tf.Variable(1); x = tf.range(12); y = tf.reshape(x, [3, 4])
            run(tf.global_variables_initializer())
            show(run([x[first:], x[:first + 2], y[first], y[first, 1:], y[:first, first:]]))
        """,
        "repeats_of_unknown_rank": """
            n = tf.placeholder(tf.int32)
            show(run(tf.repeat(tf.constant([3, 4]), n), {n: [2, 1]}))
        """,
        "scopes_of_objects_with_graphs": """
            class Other: graph = object()
            with tf.variable_scope(None, "a", [Other(), tf.constant(1.)]) as scope:
                show(scope.name, tf.identity(1., name="x").name)
        """,
    },
)
