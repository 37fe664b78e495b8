"""References of kernels for which only minitf/fast asks.

program.py      elementwise operations as one list of steps
elementwise.py  runs such a list
conv_pool.py, lstm.py
"""
