"""Optimizers of Keras.

base.py        `OptimizerV2`: settings that are variables, clipping, slots, the step
optimizers.py  the optimizers, a formula and a rule each; optimizers by their names; `TFOptimizer`,
               made of an optimizer of `tf.train`
"""
