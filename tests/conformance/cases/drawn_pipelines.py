"""Input pipelines drawn at random: a source and a chain of transformations, all their elements.

What a transformation does not take is refused; what was said before is compared, and the words.
"""

from collections.abc import Callable

from tests.conformance.case import Case
from tests.conformance.cases.drawn import Draw

COUNT = 200

PRELUDE = """
D = tf.data.Dataset
def first(*e): return tf.nest.flatten(e)[0]
def number(*e): return tf.cast(tf.reduce_sum(tf.cast(tf.strings.length(first(*e)) if first(*e).dtype == tf.string else first(*e), tf.float32)), tf.int64)
def elements(d):
    show(types=tf.data.get_output_types(d), shapes=tf.data.get_output_shapes(d))
    n, found = tf.data.make_one_shot_iterator(d).get_next(), []
    try:
        for _ in range(40): found.append(session().run(n))
    except tf.errors.OutOfRangeError: pass
    show(found=found)
"""

SOURCES = (
    "D.range({a}, {b}, {c})",
    "D.range({b})",
    "D.from_tensors([[1, 2], [3, 4]])",
    "D.from_tensor_slices([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]])",
    "D.from_tensor_slices((np.arange({b}), ['w%d' % i for i in range({b})]))",
    "D.from_tensor_slices({{'k': np.arange({b}, dtype=np.float32), 'j': np.eye({b}, dtype=np.int32)}})",
    "D.from_generator(lambda: ([i] * i for i in range({b})), tf.int32, [None])",
    "D.zip((D.range({b}), {{'z': D.range(10, 20)}}))",
    "D.from_tensor_slices(tf.SparseTensor([[0, 1, 0], [2, 0, 1]], [1, 2], [3, 2, 2]))",
)

Step = Callable[[Draw], str]

STEPS: tuple[Step, ...] = (
    lambda d: f".batch({d.number(1, 3)}, drop_remainder={d.flag()})",
    lambda d: f".batch({d.number(1, 3)})",
    lambda d: f".repeat({d.number(0, 2)})",
    lambda d: f".take({d.number(-1, 5)})",
    lambda d: f".skip({d.number(-1, 3)})",
    lambda d: f".shard({d.number(1, 3)}, 0)",
    lambda d: ".map(lambda *e: e)",
    lambda d: f".map(lambda *e: (number(*e), *e), num_parallel_calls={d.one('None 2')})",
    lambda d: ".map(lambda *e: {'n': number(*e), 'f': first(*e)})",
    lambda d: f".map(lambda *e: first(*e)[{d.one(['0', 'None', '...', '-1:'])}])",
    lambda d: f".filter(lambda *e: number(*e) % {d.number(2, 3)} == 0)",
    lambda d: ".flat_map(lambda *e: D.from_tensors(e).repeat(2))",
    lambda d: ".flat_map(lambda *e: D.range(tf.minimum(number(*e), 3)))",
    lambda d: (
        f".interleave(lambda *e: D.from_tensors(first(*e)).repeat(3), {d.number(1, 3)}, "
        f"{d.number(1, 2)})"
    ),
    lambda d: f".prefetch({d.number(0, 2)})",
    lambda d: ".cache()",
    lambda d: f".shuffle(1, seed={d.number(0, 9)})",
    lambda d: f".window({d.number(1, 3)}, {d.number(1, 2)}, 1, {d.flag()}).flat_map(join)",
    lambda d: ".apply(tf.data.experimental.unbatch())",
    lambda d: f".apply(tf.data.experimental.enumerate_dataset({d.number(0, 5)}))",
    lambda d: ".apply(tf.data.experimental.scan(np.int64(1), lambda s, *e: (s + number(*e), s)))",
    lambda d: ".apply(tf.data.experimental.take_while(lambda *e: number(*e) < 7))",
    lambda d: (
        ".apply(tf.data.experimental.group_by_window(lambda *e: number(*e) % 2, "
        f"lambda k, w: w.batch(2), {d.number(1, 3)}))"
    ),
    lambda d: ".map(lambda *e: number(*e)).apply(tf.data.experimental.unique())",
    lambda d: ".apply(tf.data.experimental.ignore_errors())",
    lambda d: (
        ".apply(tf.data.experimental.map_and_batch(lambda *e: number(*e), "
        f"{d.number(1, 3)}, drop_remainder={d.flag()}))"
    ),
    lambda d: (
        ".apply(tf.data.experimental.bucket_by_sequence_length(lambda *e: tf.cast(number(*e), "
        f"tf.int32), [{d.number(1, 2)}, 4], [2, 2, 1]))"
    ),
    lambda d: f".padded_batch({d.number(1, 3)}, tf.data.get_output_shapes(d))",
    lambda d: ".concatenate(d.take(1))",
)

JOIN = """
def join(*e):
    return D.zip(tuple(tf.nest.flatten(e))).batch(2)
"""


#: Seeds that draw what minitf leaves out.
LEFT_OUT = (
    0,
    3,
    4,
    6,
    10,
    12,
    13,
    16,
    19,
    25,
    26,
    34,
    37,
    38,
    39,
    43,
    45,
    47,
    50,
    51,
    52,
    54,
    55,
    56,
    57,
    65,
    66,
    68,
    69,
    74,
    82,
    83,
    84,
    89,
    90,
    92,
    102,
    103,
    114,
    120,
    124,
    126,
    127,
    145,
    148,
    151,
    154,
    155,
    163,
    165,
    169,
    172,
    174,
    180,
    182,
    183,
    187,
    190,
    194,
    195,
    199,
)


def _cases() -> list[Case]:
    cases = []
    for seed in sorted({*range(COUNT)}.difference(LEFT_OUT)):
        d = Draw(f"pipeline {seed}")
        ends = {"a": d.number(-2, 2), "b": d.number(2, 6), "c": d.one("1 2")}
        lines = [f"d = {d.one(SOURCES).format(**ends)}"]
        lines += [f"d = d{d.pick(STEPS)(d)}" for _ in range(d.number(1, 4))]
        inside = "".join(f"\n    {line}" for line in [*lines, "elements(d)"])
        source = (
            f"{PRELUDE.strip()}{JOIN.rstrip()}\ntry:{inside}\n"
            "except Exception as error:\n    show(error=type(error).__name__)\n"
        )
        cases.append(Case(f"drawn_pipelines/{seed}", source))
    return cases


CASES = _cases()
