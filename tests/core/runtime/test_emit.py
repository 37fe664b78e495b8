"""The programs that the emitter writes, in full: one line a node, names bound beside them."""

from collections.abc import Sequence
from textwrap import dedent
from typing import Any

import minitf as tf
from minitf.core.runtime.emit.draft import Draft
from minitf.core.runtime.emit.emit import Program, Target, emit
from minitf.core.runtime.plan.explanation import bare
from minitf.core.runtime.plan.partition import partition, schedule
from minitf.core.runtime.plan.subgraph import prune
from minitf.core.runtime.run.devices import CpuDevice
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.core.runtime.run.resources import ResourceManager

CPU = CpuDevice("/device:CPU:0")


def emitted(fetches: Sequence[Any], feeds: Sequence[Any] = (), traced: bool = False) -> Program:
    """The program as the graph stands, before any pass."""
    nodes = prune(fetches, [], feeds)
    return emit(schedule(nodes), Target(CPU, ResourceManager(), traced, passes=()))


def lines(program: Program) -> str:
    return "\n".join(bare(program.source)[1:]) + "\n"


def is_(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_a_node_is_a_line() -> None:
    a, b = (tf.placeholder(tf.float32, [], name=name) for name in "ab")
    d = tf.multiply(tf.add(a, b, name="c"), 2.0, name="d")
    program = emitted([d], [a, b])
    assert lines(program) == is_("""
        def step(rendezvous, a, b):
            c = a + b
            d = c * d_y
            return (d,)
        """)
    assert program.run(None, 3.0, 4.0) == (14.0,)


def test_a_buffer_that_nobody_reads_any_more_is_written_over() -> None:
    x, y = (tf.placeholder(tf.float32, [4], name=name) for name in "xy")
    product = tf.multiply(tf.exp(x, name="e"), y, name="product")
    assert lines(emitted([product], [x, y])) == is_("""
        def step(rendezvous, x, y):
            e = np_exp(x)
            product = np_multiply(e, y, out=e)
            return (plain(product),)
        """)


def test_where_shapes_are_unknown_the_line_asks_for_them() -> None:
    x, y = (tf.placeholder(tf.float32, [None], name=name) for name in "xy")
    product = tf.multiply(tf.exp(x, name="e"), y, name="product")
    asked = "out=e if y.shape == e.shape and e.size > 1 else None)"
    assert asked in lines(emitted([product], [x, y]))


def test_a_variable_is_read_through_its_state() -> None:
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    assert lines(emitted([tf.negative(v, name="y")])) == is_("""
        def step(rendezvous):
            v_read = v.value
            y = -v_read
            return (plain(y),)
        """)


def test_what_belongs_to_the_graph_is_copied_for_the_caller() -> None:
    x = tf.constant([1.0, 2.0], name="x")
    program = emitted([x])
    assert lines(program) == "def step(rendezvous):\n    return (owned(x),)\n"
    (value,) = program.run(None)
    value[0] = 9.0
    assert program.run(None)[0].tolist() == [1.0, 2.0]


def test_what_crosses_is_sent_and_received_under_one_key() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    nodes = prune([], [tf.negative(x, name="y").op], [x])
    places = [f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker")]
    for node in nodes:
        node.device = places[node.name == "y"]
    sender, receiver = (
        emit(schedule(part), Target(CpuDevice(name), ResourceManager()))
        for name, part in partition(nodes, str).items()
    )
    assert lines(sender) == is_("""
        def step(rendezvous, x):
            rendezvous.send(key_x_0, x)
            return ()
        """)
    assert lines(receiver) == is_("""
        def step(rendezvous):
            x, = rendezvous.recv_many([key_x_0])
            x = adopt(x)
            y = np_negative(x, out=x)
            return ()
        """)


def test_a_loop_is_a_loop() -> None:
    _, x = tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), tf.constant(1.0)]
    )
    program = emitted([x])
    assert lines(program) == is_("""
        def step(rendezvous):
            i_1, x_1 = Const, Const_1
            while rendezvous.alive:
                if not i_1 < while_Less_y:
                    break
                while_add = i_1 + while_add_y
                while_mul = x_1 * while_mul_y
                i_1, x_1 = while_add, while_mul
            else:
                raise loop_cancelled()
            return (owned(x_1),)
        """)
    assert program.run(Rendezvous()) == (8.0,)


def test_a_traced_program_says_when_each_node_ran() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    assert lines(emitted([tf.negative(x, name="y")], [x], traced=True)) == is_("""
        def step(rendezvous, log, x):
            started = clock()
            y = -x
            log(node, started, clock(), (y))
            return (y,)
        """)


def test_a_line_knows_its_node() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    program = emitted([tf.exp(tf.negative(x, name="y"), name="z")], [x])
    assert lines(program).split("\n")[1:3] == ["    y = -x", "    z = np_exp(y)"]
    made_by = {number: nodes[0].name for number, nodes in program.line_nodes.items()}
    assert made_by == {3: "y", 4: "z", 5: "z"}


def test_no_name_of_a_graph_becomes_a_statement() -> None:
    draft = Draft({})
    assert [draft.name(text) for text in ("x", "x", "2x", "for", "a\nb;c", "step", "é")] == [
        "x",
        "x_1",
        "_2x",
        "_for",
        "a_b_c",
        "step_1",
        "value",
    ]
