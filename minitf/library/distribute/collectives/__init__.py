"""Collective operations: all-reduce and all-gather over devices and tasks.

    ops          CollectiveReduce, ..., and the functions that add them to a graph; one member's
                 part in them: sends, receives and additions, interleaved
    groups       who takes part: told by the graph, or found at the group's leader
    links        between two members: memory of one process, or a connection between tasks
    schedules    the algorithms as data: ring, tree, naive

See docs/decisions/0026-collectives.md.
"""
