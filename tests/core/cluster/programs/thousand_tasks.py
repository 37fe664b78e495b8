"""A cluster of so many tasks in this process: they come up, train three steps and leave.

thousand_tasks.py 1000
"""

import sys
import threading
import time

import numpy as np

import minitf as tf


def main(tasks: int) -> None:
    began, workers = time.monotonic(), tasks - 1

    def say(what: str) -> None:
        passed = time.monotonic() - began
        print(f"{what} after {passed:.1f} s, {threading.active_count()} threads", flush=True)

    spec = {"ps": ["inproc://ps"], "worker": [f"inproc://worker{i}" for i in range(workers)]}
    servers = [tf.train.Server(spec, "ps", 0)]
    servers += [tf.train.Server(spec, "worker", i) for i in range(workers)]
    say(f"{tasks} tasks up")
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(np.full(100, 8.0, np.float32), name="w")
    parts = []
    for i in range(workers):
        with tf.device(f"/job:worker/task:{i}"):
            parts.append(w * 0.5)  # the gradient of w * w / 4
    with tf.device("/job:ps/task:0"):
        train = w.assign_sub(tf.add_n(parts) / float(workers)).op
    with tf.Session(servers[0].target) as sess:
        sess.run(w.initializer)
        for _ in range(3):
            sess.run(train)
            say("trained a step")
        assert np.allclose(sess.run(w), 1.0)
    for server in servers:
        server.stop()
    say("left")


if __name__ == "__main__":
    main(int(sys.argv[1]))
