"""When and where: placing, partitioning, planning and running a graph.

Session.run ─ prune ─ place ─ partition ─ emit ─ Plan ─ run (rendezvous between devices)
"""
