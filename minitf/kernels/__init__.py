"""Arithmetic that has more than one implementation, behind one table.

    table.py         what a kernel is: a reference in NumPy, and faster tiers that may refuse
    library.py       loads the compiled tier in the background
    translations.py  knows where its translations lie, for one user or for all
    threads.py       splits what takes long over threads that sleep between their turns
    program.py       what many elementwise operations compute as one; elementwise.py runs it
    compiled/        the compiled tier: loops that numba translates, once, and keeps on the disk

Operations call these kernels; nothing here knows of operations, graphs or devices.
"""

from minitf.kernels import library as library  # its requests are what the table loads by
