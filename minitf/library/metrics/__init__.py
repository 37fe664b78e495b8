"""Metrics over many batches.

Each metric is two tensors, the value so far and what adds a batch.
"""
