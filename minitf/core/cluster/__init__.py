"""Clusters: tasks in processes of their own that run parts of one graph and exchange tensors.

    cluster_spec                 who is in the cluster, and which task this process is
    server                       one task: a master and a worker service behind one address
    remote_session               Session("grpc://host:port")
    master, worker               a step taken apart, and its parts run
    peers                        tensors from task to task
    channel, task_server, ...    calls over mtf://, Dask's comms with a strict framing
    interrupts                   what Ctrl-C must not break off
    traffic                      what went over the wires

Importing this package imports no Dask; `wire/comm` does, when a connection is wanted.
"""

MISSING = (
    "minitf's clusters need Dask distributed and msgpack, which are not installed here: "
    "pip install 'minitf[cluster]'"
)
