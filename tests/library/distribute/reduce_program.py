"""One of several workers that reduce together.

reduce_program.py CLUSTER_JSON INDEX FOREVER
"""

import json
import os
import sys

import numpy as np

import minitf as tf
from minitf.library.distribute.collectives.ops import all_reduce

spec, index, forever = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
members = len(spec["worker"])
server = tf.train.Server(spec, "worker", index)
total = members * (members + 1) / 2
with tf.device(f"/job:worker/task:{index}/cpu:0"):
    sums = [
        all_reduce(np.full(size, index + 1.0, np.float32), members, 1, key, communication_hint=hint)
        for key, (size, hint) in enumerate(
            [(1, "auto"), (100_000, "ring"), (1_000_003, "ring"), (300_000, "tree")]
        )
    ]
with tf.Session(server.target) as session:
    for turn in range(1_000_000 if forever else 5):
        for values in session.run(sums):
            assert (values == total).all()
        if turn == 0:
            print("ready", flush=True)
    print("all sums are right", flush=True)
sys.stdin.close()
os._exit(0)
