"""The lowest words of control flow, and the functions of graphs before `tf.function`."""

import textwrap

from ..case import programs

IMPORTS = """
if tf.__name__.startswith("minitf"):
    from minitf.library.eager import defun as function
    from minitf.library.graph_tools import switches as cf
else:
    from tensorflow.python.framework import function
    from tensorflow.python.ops import control_flow_ops as cf
p = tf.placeholder(tf.bool, ())
"""

TEXTS = {
    "switch": "x = tf.constant([1., 2.]); f, t = cf.switch(x, p); show(f.name, t.name, f.shape, f.op.type); show(run(t, {p: True}), run(f, {p: False}))",
    "merge": "x = tf.constant([1., 2.]); f, t = cf.switch(x, p); m = cf.merge([f * 2., t * 3.]); show(m.output.shape, m._fields); g = tf.gradients(m.output, x)[0]\nfor b in (True, False):\n    show(run([*m, g], {p: b}))",
    "random_selector": """
        sel = tf.placeholder(tf.int32, ()); x = tf.constant([1., 5.]); fs = [lambda v: v + 1, lambda v: v * 10, lambda v: -v, lambda v: tf.reduce_sum(v) + v]
        r = cf.merge([f(cf.switch(x, tf.equal(sel, i))[1]) for i, f in enumerate(fs)])
        for i in range(4):
            show(run(list(r), {sel: i}))
    """,
    "switch_gradient": "x = tf.constant(2.); f, t = cf.switch(x, tf.constant(True)); show(run([tf.gradients(t, x)[0], tf.gradients(f, x)[0]]))",
    "merge_none": "fails(lambda: cf.merge([tf.constant(1), None]))",
    "merge_types": "fails(lambda: cf.merge([tf.constant(1), tf.constant(2.)]))",
    "variables": """
        v = tf.Variable(1.); f, t = cf.switch(tf.constant(5.), p); m = cf.merge([tf.assign_sub(v, f), tf.assign_add(v, t)])[0]
        show(run(m, {p: True}), run(v)); show(run(m, {p: False}), run(v))
    """,
    "nested": """
        q = tf.placeholder(tf.bool, ()); f, t = cf.switch(tf.constant(1.), p); a, b = cf.switch(t + 1., q); inner = cf.merge([a * 10., b * 100.])[0]; m = cf.merge([f - 5., inner])[0]
        show([run(m, {p: i, q: j}) for i in (True, False) for j in (True, False)])
    """,
    "sparse": "s = tf.SparseTensor([[0]], [1.], [2]); m = cf.merge(cf.switch(s, p)); show(run(m[0], {p: True})); i = tf.IndexedSlices(tf.constant([1., 2.]), tf.constant([0, 1])); m = cf.merge(cf.switch(i, p)); show(run([m[0].values, m[0].indices], {p: False}))",
    "loops_inside": """
        x = tf.constant([3., 4.]); f, t = cf.switch(x, p)
        w = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.), (0, f))[1]; c = tf.cond(tf.reduce_sum(t) > 1., lambda: t * 2., lambda: t)
        m = cf.merge([w, c])[0]; g = tf.gradients(m, x)[0]
        show(run([m, g], {p: True}), run([m, g], {p: False}))
    """,
    "defun": """
        @function.Defun(tf.float32, tf.float32)
        def Foo(x, y):
            return x * y + 1., x - y
        show(run(Foo(tf.constant(2.), tf.constant(3.)))); fails(lambda: Foo(tf.constant(1.)))
    """,
    "defun_python_gradient": """
        @function.Defun(python_grad_func=lambda op, dy: tf.convert_to_tensor(dy) * 100., shape_func=lambda op: [op.inputs[0].get_shape()])
        def same(x):
            return x
        x = tf.constant([1., 2.]); y = same(x); show(y.shape, run([y, tf.gradients(y * 3., x)[0]]))
    """,
    "defun_gradient": """
        @function.Defun(tf.float32, tf.float32)
        def G(x, dy):
            return 5. * dy
        @function.Defun(tf.float32, grad_func=G, func_name="Fn")
        def F(x):
            return tf.exp(x)
        x = tf.constant(1.); y = F(x); show(F.name, run([y, tf.gradients(y, x)[0]]), F.declared_input_types)
    """,
    "defun_twice": """
        z = tf.constant(2.)
        @function.Defun(tf.float32)
        def F(x):
            return tf.nn.relu(x)
        @function.Defun()
        def H():
            return z * 2.
        x = tf.constant([-1., 2.]); y = F(x, name="mine"); show(y.op.name, run([tf.gradients(F(y), x)[0], H()]))
    """,
}

CASES = programs(
    "switches", {name: IMPORTS + textwrap.dedent(text).strip() for name, text in TEXTS.items()}
)
