"""Loops that programs build by hand: enter, merge, switch, next_iteration, exit."""

import textwrap

from ..case import programs

START = """
if tf.__name__.startswith("minitf"):
    from minitf.library.graph_tools import frames as f, switches as cf
    enter, exit, loop_cond, next_iteration, merge, switch = f.enter, f.exit, f.loop_cond, f.next_iteration, cf.merge, cf.switch
else:
    from tensorflow.python.ops import control_flow_ops as cf, gen_control_flow_ops as gen
    enter = lambda x, name, is_constant=False: cf._Enter(x, name, is_constant)
    exit, loop_cond, next_iteration, merge, switch = cf.exit, gen.loop_cond, cf._NextIteration, cf.merge, cf.switch
def hand_loop(cond, body, start, name):
    entered = [enter(x, name) for x in start]
    merged = [merge([x, x])[0] for x in entered]
    going = loop_cond(cond(*merged))
    parts = [switch(x, going) for x in merged]
    for m, result in zip(merged, body(*[t for _, t in parts])):
        m.op._update_input(1, next_iteration(result))
    return [exit(f) for f, _ in parts]
"""

TEXTS = {
    "count": "n = enter(tf.constant(10), 'foo', True); one = enter(tf.constant(1), 'foo', True); [e] = hand_loop(lambda i: tf.less(i, n), lambda i: [i + one], [tf.constant(0)], 'foo'); show(e.op.type, e.dtype, e.shape, run(e))",
    "two": "x = tf.placeholder(tf.float32, [2]); e = hand_loop(lambda i, a: i < enter(tf.constant(3), 'w', True), lambda i, a: [i + enter(tf.constant(1), 'w', True), a * a], [tf.constant(0), x], 'w'); show(run(e, {x: [1., 2.]}), run(e[1], {x: [3., 0.]}))",
    "nested": """
        def k(v, name):
            return enter(tf.constant(v), name, True)
        def outer(i, s):
            j, t = hand_loop(lambda j, t: j < k(3, 'in'), lambda j, t: [j + k(1, 'in'), t + j], [tf.identity(s) * 0, s], 'in')
            return [i + k(1, 'out'), t]
        if tf.__name__.startswith("minitf"):
            show(*run(hand_loop(lambda i, s: i < k(4, 'out'), outer, [tf.constant(0), tf.constant(0)], 'out')))
        else:
            show(np.int32(4), np.int32(12))
    """,
    "branch": """
        if tf.__name__.startswith("minitf"):
            e = hand_loop(lambda i, s: i < 6, lambda i, s: [i + 1, tf.cond(tf.equal(i % 2, 0), lambda: s + i, lambda: s * 2)], [tf.constant(0), tf.constant(1)], 'b')
            show(run(e))
        else:
            show(run(list(tf.while_loop(lambda i, s: i < 6, lambda i, s: [i + 1, tf.cond(tf.equal(i % 2, 0), lambda: s + i, lambda: s * 2)], [tf.constant(0), tf.constant(1)]))))
    """,
    "gradient": """
        x = tf.constant(3.)
        def power(loop):
            return loop(lambda i, a: i < 3, lambda i, a: [i + 1, a * x], [tf.constant(0), tf.constant(1.)])[1]
        y = power(lambda c, b, s: hand_loop(c, b, s, 'p')) if tf.__name__.startswith("minitf") else power(tf.while_loop)
        show(run(y), run(tf.gradients(y, x)[0]))
    """,
    "no_circle": "e = exit(enter(tf.constant([1., 2.]), 'foo')); show(e.shape, run(e)); a = enter(tf.constant(4), 'foo', True); show(a.op.type, a.dtype, a.op.get_attr('frame_name'), run(exit(a + enter(tf.constant(3), 'foo'))))",
}

CASES = programs("frames", {name: START + textwrap.dedent(text) for name, text in TEXTS.items()})
