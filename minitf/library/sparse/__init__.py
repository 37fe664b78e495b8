"""Sparse and ragged tensors, and sets."""
