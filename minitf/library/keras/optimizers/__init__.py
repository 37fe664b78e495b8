"""Optimizers of Keras.

base.py        `OptimizerV2`: settings that are variables, clipping, slots, the step
optimizers.py  the optimizers: a formula and a rule each
schedules.py   learning rates that change with the step
named.py       optimizers by their names; `TFOptimizer` makes one of an optimizer of `tf.train`
"""
