"""A made-up source of traffic snapshots, for tests only: asynchronous training on ps and workers.

Each worker's step pulls the two weights and the two biases from their parameter servers, and pushes
four gradients back; the client starts each step with a `run_graph`.
"""

import random
import time

SIZES = {"W1/read:0": 401408, "b1/read:0": 512, "W2/read:0": 5120, "b2/read:0": 40}


class SyntheticTraffic:
    """Snapshots of a cluster that does not exist.

    Args:
      ps: how many parameter servers.
      workers: how many workers.
      steps: training steps a second of each worker.
      sample: events kept a snapshot at most.
    """

    def __init__(self, ps=2, workers=3, steps=4.0, sample=200):
        self.ps = [f"/job:ps/task:{i}" for i in range(ps)]
        self.workers = [f"/job:worker/task:{i}" for i in range(workers)]
        self.dead = set()
        self.incarnations = {task: 7**20 + i for i, task in enumerate(self.ps + self.workers)}
        self.counters = {}
        self.sample = sample
        self.steps = steps
        self.pulls = 0
        self._random = random.Random(3)
        self._next = {worker: time.time() for worker in self.workers}
        self._step = 0

    def traffic(self):
        now = time.time()
        self.pulls += 1
        events = []
        for worker in self.workers:
            while self._next[worker] < now:
                if worker not in self.dead:
                    events += self._train(worker, self._next[worker])
                self._next[worker] += self._random.uniform(0.6, 1.4) / self.steps
        events.sort(key=lambda event: event["start"])
        if len(events) > self.sample:
            events = sorted(self._random.sample(events, self.sample), key=lambda e: e["start"])
        return {
            "time": now,
            "tasks": [
                {
                    "task": task,
                    "address": f"127.0.0.1:{2200 + i}",
                    "alive": task not in self.dead,
                    "incarnation": self.incarnations[task],
                }
                for i, task in enumerate(self.ps + self.workers)
            ],
            "counters": {key: dict(count) for key, count in self.counters.items()},
            "events": events,
        }

    def _train(self, worker, start):
        self._step += 1
        servers = [ps for ps in self.ps if ps not in self.dead]
        events = []
        if not servers:
            return events
        events.append(self._message("run_graph", "", "client", worker, 210, start))
        at = start + 0.002
        for i, (tensor, size) in enumerate(SIZES.items()):
            events.append(
                self._message("recv_tensor", tensor, servers[i % len(servers)], worker, size, at)
            )
        at = start + 0.4 / self.steps
        for i, (tensor, size) in enumerate(SIZES.items()):
            gradient = f"gradients/{tensor.partition('/')[0]}_grad:0"
            ps = servers[i % len(servers)]
            events.append(self._message("recv_tensor", gradient, worker, ps, size, at))
        return events

    def _message(self, kind, tensor, source, destination, size, start):
        count = self.counters.setdefault(f"{source}|{destination}", {"messages": 0, "bytes": 0})
        count["messages"] += 1
        count["bytes"] += size
        seconds = self._random.uniform(0.8, 1.3) * (60e-6 + size / 2.5e9)
        return {
            "step": self._step,
            "tensor": tensor,
            "kind": kind,
            "source": source,
            "destination": destination,
            "bytes": size,
            "start": start,
            "end": start + seconds,
        }
