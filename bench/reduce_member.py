"""One of the processes that `workloads/all_reduce.py` starts.

reduce_member.py minitf|gloo CLUSTER_JSON INDEX MEGABYTES
"""

import contextlib
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def _minitf(cluster: dict[str, list[str]], index: int, megabytes: int) -> tuple[Any, Any]:
    tf = importlib.import_module("minitf")
    ops = importlib.import_module("minitf.library.distribute.collectives.ops")
    members = len(cluster["worker"])
    server = tf.train.Server(cluster, "worker", index)
    with tf.device(f"/job:worker/task:{index}/cpu:0"):
        value = tf.Variable(tf.ones([megabytes << 18]), name=f"value_{index}")
        reduced = ops.all_reduce(value, members, 1, 1).op
        barrier = ops.all_reduce(0.0, members, 1, 2).op
    session = tf.Session(server.target)
    session.run(value.initializer)
    session.run([reduced, barrier])
    return lambda: session.run(reduced), lambda: session.run(barrier)


def _gloo(cluster: dict[str, list[str]], index: int, megabytes: int) -> tuple[Any, Any]:
    torch = importlib.import_module("torch")
    distributed = importlib.import_module("torch.distributed")
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo",
        init_method=f"tcp://{cluster['worker'][0]}",
        rank=index,
        world_size=len(cluster["worker"]),
    )
    value = torch.zeros(megabytes << 18)
    return lambda: distributed.all_reduce(value), distributed.barrier


def main() -> None:
    from bench.workloads.all_reduce import measure

    name, cluster, index, megabytes = sys.argv[1:5]
    made = {"minitf": _minitf, "gloo": _gloo}[name]
    reduce, rest = made(json.loads(cluster), int(index), int(megabytes))
    with contextlib.suppress(EOFError):  # the input closes when the workload is done with
        measure(reduce, rest)
    os._exit(0)


if __name__ == "__main__":
    main()
