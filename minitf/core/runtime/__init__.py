"""Placing, partitioning, planning and running a graph.

session/  fetches, feeds, and the plan of a call of `run`
plan/     prune --> place --> partition --> optimize --> schedule
passes/   rewrites of one partition
emit/     a partition as a straight-line Python program
run/      devices, the executor, the rendezvous between devices, variables and other state
"""
