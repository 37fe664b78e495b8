"""A training that two viewers watch, while garbage with thread-local values is collected often."""

import gc
import threading

import minitf as tf
from minitf.core.cluster.wire.channel import Channel

REQUESTS = 700  # of each viewer

spec = tf.train.ClusterSpec({job: [f"inproc://watched-{job}"] for job in ("ps", "worker")})
servers = [tf.train.Server(spec, job, 0, protocol="inproc") for job in ("ps", "worker")]
with tf.device("/job:ps/task:0"):
    w = tf.Variable(0.0)
with tf.device("/job:worker/task:0"):
    train = w.assign_add(w * 0.0 + 1.0)
seen = [0, 0]


def view(number: int) -> None:
    channels = [Channel(server.address) for server in servers]
    for request in range(REQUESTS):
        gc.set_threshold(1 + request % 307)  # so that a collection falls on any allocation
        local = threading.local()
        local.itself = local
        del local
        seen[number] += len(channels[request % 2].call("traffic").fields["waits"])


viewers = [threading.Thread(target=view, args=(number,), daemon=True) for number in (0, 1)]
idle = threading.Event()
for _ in range(50):  # whoever looks at all threads is longer at it
    threading.Thread(target=idle.wait, daemon=True).start()
with tf.Session(servers[1].target) as session:
    session.run(w.initializer)
    for thread in viewers:
        thread.start()
    while any(thread.is_alive() for thread in viewers):
        session.run(train)
    assert all(seen), seen
idle.set()
for server in servers:
    server.stop()
print("watched to the end")
