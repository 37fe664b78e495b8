"""40 pipelines put together at random, each the same for ever: equal types, shapes and elements.

What a pipeline may do next depends on the kind of its elements: numbers `i`, vectors `v`, pairs `p`,
dictionaries `d`, vectors of unknown length `r`, and batches of the first four, in capitals.
"""

import random

from ..case import Case
from .data import _PRELUDE

_SOURCES = {
    "i": ("D.range({n})", "D.range({k}, {n}, 2)", "D.from_tensor_slices(np.arange({n}, dtype=np.int64) * 7 % 5)",
          "D.from_tensors(np.int64({k})).repeat({n})", "D.range({n}, 0, -{k})"),
    "v": ("D.from_tensor_slices(np.arange({n} * 3, dtype=np.float32).reshape(-1, 3))",
          "D.from_tensors(np.float32([1, 2, {k}])).repeat({k})"),
    "p": ("D.zip((D.range({n}), D.from_tensor_slices(np.ones(({n}, 3), np.float32))))",
          "D.from_tensor_slices((np.arange({n}), np.arange({n} * 3, dtype=np.float32).reshape(-1, 3)))"),
    "d": ("D.from_tensor_slices({{'a': np.arange({n}), 'b': np.full(({n}, 3), {k}, np.float32)}})",),
}  # fmt: skip

_ANYTHING = (
    ".take({n})", ".skip({k})", ".repeat(2)", ".shard(2, {k} % 2)", ".cache()", ".prefetch({k})",
    ".shuffle(1)", ".take(-1)", ".repeat({k}).take({n})",
    ".with_options(tf.data.Options())",
)  # fmt: skip

#: by kind: what comes next, and the kind of its elements
_STEPS = {
    "i": [
        (".map(lambda x: x * {k} + 1{par})", "i"),
        (".map(lambda x: x % {k}{par})", "i"),
        (".map(lambda x: tf.cast([x, x + 1, 2], tf.float32) / {k}{par})", "v"),
        (".map(lambda x: (x, tf.fill([3], tf.cast(x, tf.float32))){par})", "p"),
        (".map(lambda x: {{'a': x, 'b': tf.one_hot(x % 3, 3)}})", "d"),
        (".map(lambda x: tf.range(x % 4))", "r"),
        (".filter(lambda x: x % {k} < 2)", "i"),
        (".flat_map(lambda x: D.range(x % 4))", "i"),
        (".interleave(lambda x: D.range(x, x + 3), cycle_length={k}, block_length=2{par})", "i"),
        (".flat_map(lambda x: D.from_tensors(x).repeat({k}))", "i"),
        (".concatenate(D.range({k}))", "i"),
        (".window({k}, 2).flat_map(lambda w: w.batch({k}))", "r"),
        (".window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3)).map(tf.reduce_sum)", "i"),
        (".apply(tf.data.experimental.unique())", "i"),
        (".apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s)))", "i"),
        (".apply(tf.data.experimental.take_while(lambda x: x < {n}))", "i"),
        (".apply(tf.data.experimental.map_and_batch(lambda x: x + {k}, {k}))", "I"),
        (".batch({k}, drop_remainder={drop})", "I"),
        (".batch({k})", "I"),
    ],
    "v": [
        (".map(lambda x: tf.nn.softmax(x) * {k}{par})", "v"),
        (".map(lambda x: tf.cast(tf.reduce_sum(x), tf.int64){par})", "i"),
        (".map(lambda x: tf.reverse(tf.sort(x), [0]) + x[0]{par})", "v"),
        (".map(lambda x: (tf.argmax(x), tf.concat([x[1:], x[:1]], 0)){par})", "p"),
        (".filter(lambda x: x[0] > {k})", "v"),
        (".flat_map(D.from_tensor_slices).map(lambda x: tf.cast(x, tf.int64))", "i"),
        (".apply(tf.data.experimental.unbatch()).map(lambda x: tf.cast(x, tf.int64))", "i"),
        (".batch({k}, drop_remainder={drop})", "V"),
    ],
    "p": [
        (".map(lambda i, x: (i + 1, x * 2){par})", "p"),
        (".map(lambda i, x: x + tf.cast(i, tf.float32){par})", "v"),
        (".map(lambda i, x: {{'a': i, 'b': tf.where(x > {k}, x, -x)}}{par})", "d"),
        (".filter(lambda i, x: tf.equal(i % 2, 0))", "p"),
        (".flat_map(lambda i, x: D.from_tensors(i).repeat(2))", "i"),
        (".batch({k}, drop_remainder={drop})", "P"),
    ],
    "d": [
        (".map(lambda e: e['a']{par})", "i"),
        (".map(lambda e: {{'a': e['a'] * 2, 'b': tf.transpose([e['b']])[:, 0]}}{par})", "d"),
        (".map(lambda e: (e['a'], e['b'] - 1.){par})", "p"),
        (".filter(lambda e: e['a'] < {n})", "d"),
        (".batch({k})", "D"),
    ],
    "r": [
        (".padded_batch({k}, [None])", "R"),
        (".padded_batch({k}, [6], padding_values=np.int64(-1))", "R"),
        (".map(tf.reduce_sum{par})", "i"),
        (".flat_map(D.from_tensor_slices)", "i"),
        (".filter(lambda x: tf.size(x) > 1)", "r"),
    ],
    "I": [
        (".unbatch()", "i"),
        (".map(lambda x: x * 2{par})", "I"),
        (".map(tf.reduce_sum{par})", "i"),
    ],
    "V": [(".unbatch()", "v"), (".map(lambda x: tf.reduce_mean(x, 0){par})", "v"), (".map(lambda x: x * x{par})", "V")],
    "P": [(".unbatch()", "p"), (".map(lambda i, x: (i, x + 1.){par})", "P")],
    "D": [(".unbatch()", "d"), (".map(lambda e: {{'a': e['a'] + 1, 'b': e['b']}})", "D")],
    "R": [(".map(lambda x: tf.reduce_sum(x))", "i")],
}  # fmt: skip


def _pipeline(seed: int) -> str:
    chance = random.Random(seed)

    def filled(text: str) -> str:
        parallel = chance.choice(["", "", ", num_parallel_calls=2", ", num_parallel_calls=-1"])
        numbers = {"n": chance.randint(4, 12), "k": chance.randint(1, 4)}
        return text.format(par=parallel, drop=chance.random() < 0.5, **numbers)

    kind = chance.choice("iiiivvppd")
    text = filled(chance.choice(_SOURCES[kind]))
    for _ in range(chance.randint(2, 6)):
        if chance.random() < 0.3:
            text += filled(chance.choice(_ANYTHING))
        else:
            step, kind = chance.choice(_STEPS[kind])
            text += filled(step)
    return text


#: Seeds that draw what minitf leaves out.
LEFT_OUT = (1, 3, 6, 8, 15, 18, 26, 27, 33, 37, 39)

CASES = [
    Case(f"data_random/{seed:03}", f"{_PRELUDE.strip()}\nelements({_pipeline(seed)}, count=80)\n")
    for seed in range(40)
    if seed not in LEFT_OUT
]
