"""Clusters: tasks in processes of their own that run parts of one graph and exchange tensors.

    cluster_spec                 who is in the cluster, and which task this process is
    server                       one task: a master and a worker service behind one address
    remote_session               Session("grpc://host:port")
    master, worker               divide a step, and run its parts
    peers                        tensors from task to task
    channel, task_server, ...    calls over mtf://, messages with a strict framing
    interrupts                   work that Ctrl-C must not interrupt
    traffic                      records of messages

Only `wire/comm` imports Dask, which finds it: with it Dask's comms speak mtf://.
"""

MISSING = (
    "minitf's clusters need Dask distributed and msgpack, which are not installed here: "
    "pip install 'minitf[cluster]'."
)
