"""From graph to graph: what is derived from operations that exist already.

Stands on framework and ops, beside variables and runtime, and knows neither.
"""
