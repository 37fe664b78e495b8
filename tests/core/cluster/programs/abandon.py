"""Worker 0 with its client in one process, in a step that does not end: `abandon.py SPEC KIND`.

Somebody interrupts or kills it. After Ctrl-C it runs one more step.
"""

import json
import sys
from typing import Any

import minitf as tf


def endless_loop() -> Any:
    """A loop that runs for hours."""
    return tf.while_loop(lambda i: i < 2_000_000_000, lambda i: i + 1, [0])


def leftovers() -> list[Any]:
    """A tensor that the ps makes for worker 1, which is busy with something else."""
    with tf.device("/job:ps/task:0"):
        made = tf.Variable(1.0, name="v") * 2.0
    with tf.device("/job:worker/task:1"):
        with tf.control_dependencies([tf.FIFOQueue(1, tf.int32).dequeue()]):
            return [made + 1.0]


def fetches(kind: str) -> list[Any]:
    """What does not end."""
    if kind == "leftovers":
        return leftovers()
    found = []
    for task in ["/job:ps/task:0"] + (["/job:worker/task:0"] if kind == "both loop" else []):
        with tf.device(task):
            found.append(endless_loop())
    return found


def main(spec: dict, kind: str) -> None:
    """Runs the step."""
    server = tf.train.Server(spec, "worker", 0)
    endless = fetches(kind)
    with tf.device("/job:ps/task:0"):
        seven = tf.constant(3) + 4
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        try:
            session.run(endless)
        except KeyboardInterrupt:
            print("interrupted, then", session.run(seven), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
