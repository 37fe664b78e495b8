"""Hostile data for tests: texts that would run as code, put into every place of a graph or a call.

    a good graph, as JSON --places--> every text, number and key --replaced--> a hostile one
                                                                                    |
    import_graph_def, register_graph, ... : refused with TensorFlow's errors, or harmless

A `Canary` stands among Python's builtins and counts who calls it. Every text that could become a
statement, in any position, calls it.
"""

from __future__ import annotations

import ast
import builtins
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import minitf as tf
from minitf.core.graph.op_def import all_op_defs, load_all_ops

#: Texts that end a comment, a literal or an expression, and then call the canary.
TEXTS = (
    "a\ncanary()\n",
    "a\n    canary()\n",
    "a\n        canary()\n#",
    "a\r    canary()",
    "a\r\n    canary()\r\n",
    "a\u2028    canary()\u2029canary()",
    "a\x85    canary()",
    "a\x0b    canary()\x0c    canary()\x1c\x1d\x1e",
    "a\0\n    canary()",
    "'); canary() #",
    '"); canary() #',
    "']); canary(); (['",
    '"""\n    canary()\n"""',
    "a\\\n    canary()",
    "{canary()}",
    "{0.__class__}{0!r:>99}",
    "%(canary())s%n",
    "#\n    canary()",
    "canary()",
    "canary",
    "__import__('builtins').canary()",
    "a;canary()",
    "a:0\n    canary()",
    "^a\n    canary()",
    "/job:ps/task:0\n    canary()",
    "/device:CPU:0 #\n    canary()",
    "loc:@a\n    canary()",
    "xp.canary()",
    "\ud800\n    canary()",
    "\u202e\n    canary()",
    "\uff43\uff41\uff4e\uff41\uff52\uff59",  # Python reads these letters as 'canary'
    "rendezvous",
    "owned",
    "",
    " ",
    "\n",
    "a" * 5_000,
    "a" * 1_500 + "\n    canary()",
    "(" * 300,
)
OTHERS: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, -(2**63), 2**63 - 1, 2**63, 1.5, float("nan"), float("inf"),
    [], {}, ["canary()"], {"canary()": "canary()"}, [[[]]], {"size": "1\n    canary()"},
    {"s": "a\n    canary()"}, {"i": 2**62}, {"f": "canary()"}, {"type": "canary()"},
    {"list": [{"s": "a\n    canary()"}]}, {"shape": "abc"}, {"shape": {"dim": [{"size": "2"}]}},
    {"shape": {"dim": [{"size": -2}]}}, {"func": {}}, {"tensor": {}}, {"none": 1},
)  # fmt: skip


class Canary:
    """Counts the calls of `canary()`, from wherever, while the context is open."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *args: Any) -> Canary:
        self.calls += 1
        return self

    def __enter__(self) -> Canary:
        builtins.canary = self  # type: ignore[attr-defined]
        return self

    def __exit__(self, *exc_info: object) -> None:
        del builtins.canary  # type: ignore[attr-defined]


# ---- every place of some data ------------------------------------------------------------


def places(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """The path to every value in nested dicts and lists; of a key the path ends with `KEY`."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*path, key, KEY)
            yield from places(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from places(value, (*path, index))
    if path:
        yield path


KEY = object()


def replaced(data: Any, path: tuple, value: Any) -> Any:
    """A copy of the data with another value at one place; what does not lead there is shared."""
    if not path:
        return value
    if path[1:] == (KEY,):
        key = value if isinstance(value, str) else repr(value)
        return {(key if k == path[0] else k): v for k, v in data.items()}
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value)
    return copy


def hostile_values(rng: random.Random) -> Iterator[Any]:
    """Values for ever: three texts, then another thing."""
    while True:
        yield rng.choice(TEXTS if rng.random() < 0.75 else OTHERS)


# ---- good graphs to start from -----------------------------------------------------------


def sample_graphs() -> list[tuple[str, tf.Graph, dict]]:
    """For every operation with samples: its type, a graph that has it, and values for its feeds."""
    load_all_ops()
    found = []
    for op_def in all_op_defs():
        for sample in op_def.samples[:1]:
            with tf.Graph().as_default() as graph:
                *inputs, attrs = sample(np.random.default_rng(1))
                feeds = {}
                given = []
                for arg, value in zip(op_def.inputs, inputs, strict=True):
                    arrays = [np.asarray(v) for v in (value if arg.is_list else [value])]
                    fed = [tf.placeholder(tf.as_dtype(a.dtype), a.shape) for a in arrays]
                    feeds.update(zip((t.name for t in fed), arrays, strict=True))
                    given.append(fed if arg.is_list else fed[0])
                op_def(*given, **attrs)
            found.append((op_def.type, graph, feeds))
    return found


def program_graphs() -> list[tuple[str, tf.Graph, dict]]:
    """Graphs of what samples do not show: branches, loops, variables, queues, control edges."""
    found = []
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.variable_scope("dense"):
            w = tf.get_variable("w", [4, 2], initializer=tf.zeros_initializer())
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) - 1.0))
        tf.train.AdamOptimizer(0.1).minimize(loss)
        tf.global_variables_initializer()
    found.append(("training", graph, {"x:0": np.ones((3, 4), np.float32)}))
    with tf.Graph().as_default() as graph:
        p = tf.placeholder(tf.bool, [], name="p")
        a = tf.placeholder(tf.float32, [20], name="a")
        chosen = tf.cond(p, lambda: tf.tanh(a) * 2.0, lambda: tf.exp(a))
        _, total = tf.while_loop(
            lambda i, t: i < 3, lambda i, t: (i + 1, t * chosen), [0, chosen], name="loop"
        )
        tf.gradients(total, a)
    feeds = {"p:0": np.bool_(True), "a:0": np.ones(20, np.float32)}
    found.append(("branches and loops", graph, feeds))
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]], shared_name="q")
        put = queue.enqueue([1.0])
        with tf.control_dependencies([put]), tf.device("/cpu:0"):
            tf.identity(queue.size(), name="size")
        tf.py_func(lambda: np.float32(1), [], tf.float32)
        tf.group(put, name="all")
    found.append(("queues", graph, {}))
    return found


# ---- what became of a program ------------------------------------------------------------


def shape_of_program(source: str) -> str:
    """The text of a program's syntax tree, in which every name is the number of its first use."""
    tree = ast.parse(source)
    numbers: dict[str, int] = {}
    for node in ast.walk(tree):
        for field in ("id", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                setattr(node, field, f"n{numbers.setdefault(name, len(numbers))}")
    return ast.dump(tree)


def calls_canary(source: str) -> bool:
    """Whether a program would call the canary, had it run."""
    return any(
        isinstance(node, ast.Call)
        and "canary" in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
        for node in ast.walk(ast.parse(source))
    )


def chosen_places(data: Any, rng: random.Random, most: int) -> Sequence[tuple]:
    """Some places of the data, all where there are few."""
    every = list(places(data))
    return every if len(every) <= most else rng.sample(every, most)
