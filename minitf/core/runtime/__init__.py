"""When and where: placing, partitioning, planning and running a graph.

session/  fetches, feeds, and which plan serves a call of `run`
plan/     prune --> place --> partition --> optimize --> schedule
passes/   the optimizing part: rewrites of one partition
emit/     a partition as a straight-line Python program
run/      devices, the executor, the rendezvous between devices, what outlives a step
"""
