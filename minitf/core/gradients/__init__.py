"""Gradients, branches and loops.

    gradients             from a loss back to what it was made of
    cond  while_loop      branches and loops, with their gradients
    tape                  the same from a record of what ran

Depends on graph and ops only.
"""
