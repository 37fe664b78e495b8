"""The first second of a training in a fresh interpreter."""

from bench.case import Case, Library
from bench.workloads.startup import MODULES, FreshProgram

BOUND = (
    "Convolutions at 105 of 118 GFLOP/s compiled, 30 to 60 in NumPy; kernels load in 0.1 s "
    "beside them."
)
CASES = tuple(
    Case(
        f"cold: a step of a CNN, {when}",
        "cold",
        {"of": of},
        wanted=1.0,
        threads=None,
        cpu=False,
        bound=BOUND,
    )
    for when, of in (("mean of the first second", "first"), ("from 0.3 to 1.3 s", "then"))
) + (
    Case(
        "cold: memory behind it, without mapped files",
        "cold",
        {"of": "memory"},
        wanted=1.0,
        unit="MB",
        threads=None,
        cpu=False,
        rounds=3,
    ),
)

PROGRAM = """
import time
import numpy as np
import {module} as tf

getattr(tf, "disable_v2_behavior", int)()
rng = np.random.default_rng(0)
images = rng.random((64, 28, 28, 1), np.float32)
classes = rng.integers(0, 10, 64)
x = tf.placeholder(tf.float32, [None, 28, 28, 1])
labels = tf.placeholder(tf.int64, [None])
net = tf.layers.conv2d(x, 16, 5, padding="same", activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.layers.conv2d(net, 32, 5, padding="same", activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.layers.dense(tf.layers.flatten(net), 128, activation=tf.nn.relu)
loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(net, 10))
train = tf.train.AdamOptimizer(0.001).minimize(loss)
ends = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    while not ends or ends[-1] < ends[0] + 1.3:
        sess.run(train, {{x: images, labels: classes}})
        ends.append(time.perf_counter())
ends = np.array(ends) - ends[0]  # from the end of the first step
begin, end = (0.0, 1.0) if "{of}" == "first" else (0.3, 1.3)
value = (end - begin) / ((ends > begin) & (ends <= end)).sum()
if "{of}" == "memory":
    status = dict(line.split(":") for line in open("/proc/self/status"))
    value = int(status["RssAnon"].split()[0]) * 1024 / 1e6
print(value, 0.0)
"""


def build(library: Library, of: str) -> FreshProgram:
    return FreshProgram(library, PROGRAM.format(module=MODULES[library.name], of=of))
