"""Kernels: arithmetic with several implementations, in one table.

    table.py      what a kernel is: a reference in NumPy, and faster tiers that may refuse
    threads.py    splits what takes long over threads that sleep between their turns
    dense.py      sums, products of matrices, softmax; rows.py, updates.py: parts of arrays

Operations call these kernels. Nothing here depends on operations, graphs or devices. The faster
tiers are in minitf/fast and register themselves.
"""
