"""Collective operations over the devices of one session: names, attributes, values and errors."""

import textwrap

from ..case import programs

_PRELUDE = """
import re
if tf.__name__.startswith("minitf"):
    from minitf.library.distribute.collectives import ops as co
else:
    from tensorflow.python.ops import collective_ops as co
def on(*makes):
    made = []
    for i, make in enumerate(makes):
        with tf.device("/cpu:%d" % i): made.append(make())
    return made
def results(made):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as s:
        show(*[v for v in s.run(made)])
def ends(function):
    try: function()
    except (tf.errors.OpError, ValueError, LookupError) as error: show(type(error).__name__)
"""

_PROGRAMS = {
    "reduce_Add_Id": """
        made = on(*[lambda v=v: co.all_reduce(tf.constant(v), 3, 1, 1, 'Add', 'Id') for v in ([1., 2.], [4., 5.], [-7., 9.])])
        show(made[0].name, made[0].shape, made[0].op.type); results(made)
        """,
    "defaults": """
    op = co.all_reduce(tf.constant([1.]), 1, 2, 3, "Add", "Id").op
    show(*[op.get_attr(a) for a in ("group_size", "group_key", "instance_key")])
    """,
    "gather": """
    made = on(*[lambda i=i: co.all_gather(tf.constant([[i, 1], [2, i]]), 2, 2, 5) for i in range(2)])
    show(made[0].name, made[0].shape); results(made)
    """,
    "gather_unknown": """
    show(co.all_gather(tf.placeholder(tf.float32, [None, 3]), 2, 2, 5).shape, co.all_gather(tf.placeholder(tf.float32), 2, 2, 5).shape)
    """,
    "scalars": """
    results(on(*[lambda v=v: co.all_reduce(tf.constant(v), 2, 1, 1, "Add", "Id") for v in (1.5, 2.)]))
    """,
    "several": """
    made = on(*[lambda i=i: [co.all_reduce(tf.constant([1. * k, i]), 4, 1, k, "Add", "Id") for k in range(5)] for i in range(4)])
    results([m for some in made for m in some])
    """,
    "gradients": "x = tf.constant([1.]); ends(lambda: tf.gradients(co.all_reduce(x, 1, 1, 1, 'Add', 'Id'), x))",
    "wrong_shapes": """
    ends(lambda: results(on(*[lambda v=v: co.all_reduce(tf.constant(v), 2, 1, 1, "Add", "Id") for v in ([1.], [1., 2.])])))
    """,
    "wrong_types": """
    ends(lambda: results(on(*[lambda v=v: co.all_reduce(tf.constant(v), 2, 1, 1, "Add", "Id") for v in ([1.], [1])])))
    """,
    "wrong_sizes": """
    ends(lambda: results(on(*[lambda n=n: co.all_reduce(tf.constant([1.]), n, 1, 1, "Add", "Id") for n in (2, 3)])))
    """,
    **{
        f"refused_{i}": f"ends(lambda: {call})"
        for i, call in enumerate(
            [
                "co.all_reduce(tf.constant(1.), 0, 1, 1, 'Add', 'Id')",
                "co.all_gather(tf.constant(1.), 2, 1, 1)",
            ]
        )
    },
}

CASES = programs(
    "collectives",
    {name: _PRELUDE + textwrap.dedent(text) for name, text in _PROGRAMS.items()},
)
