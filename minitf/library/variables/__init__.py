"""Orthogonal initializers, and partitioners, which cut variables into parts."""
