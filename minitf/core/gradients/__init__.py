"""From graph to graph: what is derived from operations that exist already.

    gradients             from a loss back to what it was made of
    cond  while_loop      branches and loops, with their gradients
    tape                  the same from a record of what ran

Stands on graph and ops, beside variables and runtime, and knows neither.
"""
