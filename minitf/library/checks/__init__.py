"""Assertions about tensors, while the graph is built and while it runs."""
