"""The compiled tier: plain loops over arrays, which numba translates once into a cache on the disk.

Each file serves the kernel file of the same name. Loops have explicit signatures, so importing a
file translates it or links it; loader.py sees to it that no step waits for that. They let go of
Python's lock, keep NaN and infinities, and write into arrays that the caller made.
"""
