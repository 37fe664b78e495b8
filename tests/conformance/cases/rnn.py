"""Recurrent nets: variable names, shapes, outputs, states, and gradients by all variables."""

from ..case import Case, programs

_PRELUDE = """
def matrix(shape, dtype=None, partition_info=None, **more):
    rows = np.random.RandomState(sum(shape)).randn(*shape) * .4
    return tf.constant(rows.astype(np.float32))
tf.get_variable_scope().set_initializer(matrix)
numbers = np.random.RandomState(0).randn(3, 5, 4).astype(np.float32)
cells = tf.nn.rnn_cell
def leaves(x):
    return [y for item in x for y in leaves(item)] if isinstance(x, (list, tuple)) else [x]
def learned(outputs, state, *inputs):
    flat = leaves(outputs) + leaves(state)
    show([(v.name, v.shape) for v in tf.trainable_variables()], [t.shape for t in flat])
    loss = tf.add_n([tf.reduce_sum(t * t) for t in flat])
    show(run(flat), run(tf.gradients(loss, [*tf.trainable_variables(), *inputs])))
x = tf.constant(numbers)
steps = tf.unstack(x, axis=1)
lengths = tf.constant([5, 2, 3])
"""

_CELLS = {
    "basic_rnn": "cells.BasicRNNCell(6)",
    "basic_lstm": "cells.BasicLSTMCell(6)",
    "basic_lstm_side_by_side": "cells.BasicLSTMCell(6, forget_bias=.3, state_is_tuple=False, activation=tf.nn.relu)",
    "lstm": "cells.LSTMCell(6, use_peepholes=True, num_proj=3, cell_clip=.5)",
    "lstm_side_by_side": "cells.LSTMCell(6, num_proj=3, state_is_tuple=False, proj_clip=.2)",
    "gru": "cells.GRUCell(6)",
    "multi": "cells.MultiRNNCell([cells.BasicLSTMCell(6), cells.DropoutWrapper(cells.GRUCell(5), output_keep_prob=1.0)])",
    "residual": "cells.ResidualWrapper(cells.GRUCell(4))",
    "on_device": 'cells.DeviceWrapper(cells.GRUCell(4), "/cpu:0")',
}

_WAYS = {
    "dynamic": "tf.nn.dynamic_rnn(CELL, x, dtype=tf.float32)",
    "lengths": "tf.nn.dynamic_rnn(CELL, x, sequence_length=lengths, dtype=tf.float32)",
    "time_major": "tf.nn.dynamic_rnn(CELL, x, time_major=True, dtype=tf.float32, scope='net')",
    "static": "tf.nn.static_rnn(CELL, steps, dtype=tf.float32)",
    "static_lengths": "tf.nn.static_rnn(CELL, steps, dtype=tf.float32, sequence_length=lengths)",
    "bidirectional": "tf.nn.bidirectional_dynamic_rnn(CELL, CELL, x, dtype=tf.float32)",
    "bidirectional_lengths": "tf.nn.bidirectional_dynamic_rnn(CELL, CELL, x, lengths, dtype=tf.float32)",
    "static_bidirectional": "tf.nn.static_bidirectional_rnn(CELL, CELL, steps, dtype=tf.float32)[:2]",
}


def _everything() -> list[Case]:
    """Each cell in two ways, so that each way runs several cells."""
    cases = {}
    ways = list(_WAYS.items())
    for number, (cell, made) in enumerate(_CELLS.items()):
        for offset in (0, 3, 6):
            way, call = ways[(number + offset) % len(ways)]
            cases[f"{cell}_{way}"] = f"{_PRELUDE}learned(*{call.replace('CELL', made)}, x)"
    return programs("rnn", cases, rtol=1e-4)


CASES = _everything() + programs(
    "rnn",
    {
        "zero_states": """
        cells = tf.nn.rnn_cell
        many = cells.MultiRNNCell([cells.BasicLSTMCell(2), cells.GRUCell(3)])
        show(run(many.zero_state(4, tf.float32)), many.state_size, many.output_size, cells.LSTMCell(4, num_proj=2).state_size)
        show(cells.BasicLSTMCell(3, state_is_tuple=False).zero_state(2, tf.float32).name)
    """,
        "own_cell": _PRELUDE
        + """
class Mine(cells.RNNCell):
    @property
    def state_size(self): return 3
    @property
    def output_size(self): return 3
    def call(self, inputs, state):
        new = tf.tanh(tf.matmul(inputs, tf.get_variable("w", [4, 3])) + state)
        return new, new
learned(*tf.nn.dynamic_rnn(Mine(), x, dtype=tf.float32), x)
""",
        **{
            f"keras_{name}": _PRELUDE
            + f"""
L = tf.keras.layers; start = dict(kernel_initializer=matrix, recurrent_initializer=matrix)
make = lambda: {cell}
learned(*tf.nn.dynamic_rnn(make(), x, sequence_length=lengths, dtype=tf.float32), x)
ones = lambda cell: tf.nest.map_structure(lambda n: tf.ones([3, n]), cell.state_size)
shown = lambda made: show(run(leaves(made)))
shown(tf.nn.static_rnn(make(), steps, initial_state=ones(make())))
shown(tf.nn.bidirectional_dynamic_rnn(make(), make(), x, dtype=tf.float32))
cell = cells.MultiRNNCell([make(), cells.GRUCell(2)]); shown(cell(x[:, 0], ones(cell)))
"""
            for name, cell in {
                "simple": "L.SimpleRNNCell(4, **start)",
                "gru": "L.GRUCell(4, **start)",
                "lstm": "L.LSTMCell(4, **start)",
            }.items()
        },
        "initial_state": _PRELUDE
        + """
cell = cells.BasicLSTMCell(6)
start = cells.LSTMStateTuple(tf.ones([3, 6]), tf.zeros([3, 6]))
learned(*tf.nn.dynamic_rnn(cell, x, initial_state=start), x)
""",
        "reuse": _PRELUDE
        + """
for reuse in (None, True):
    with tf.variable_scope("net", reuse=reuse):
        show(tf.nn.dynamic_rnn(cells.GRUCell(3), x, dtype=tf.float32)[0].shape)
show([v.name for v in tf.global_variables()])
""",
        "refused": """
        cells = tf.nn.rnn_cell
        x = tf.zeros([2, 3, 4])
        fails(tf.nn.dynamic_rnn, cells.GRUCell(2), x)
        fails(tf.nn.static_rnn, cells.GRUCell(2), x, dtype=tf.float32)
        fails(tf.nn.static_rnn, cells.GRUCell(2), [], dtype=tf.float32)
        fails(cells.MultiRNNCell, [])
        fails(cells.DropoutWrapper, cells.GRUCell(2), input_keep_prob=1.5)
        fails(tf.nn.dynamic_rnn, cells.GRUCell(2), x, sequence_length=[[1, 2]], dtype=tf.float32)
    """,
        "reverse_sequence": """
        x = tf.constant([[1., 2., 3.], [4., 5., 6.]])
        check(tf.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0), x)
        check(tf.reverse_sequence(x, [2, 1, 0], seq_dim=0, batch_dim=1), x)
    """,
    },
    rtol=1e-4,
)
