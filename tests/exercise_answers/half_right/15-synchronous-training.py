"""Answers to sheet 11 that are right in part; the points of each stand beside its name."""

import numpy as np


# %% wait-answer: 0
def duration(times, needed):
    """Waits for all."""
    return sum(max(row) for row in times)


# %% bytes-answer: 0
def most(algorithm, n, numbers):
    """As if a ring sent whole lists."""
    return 4 * (n - 1) * numbers


# %% ring-answer: 1
def ring(matrix):
    """The sums, and the steps in between left out."""
    total = np.array(matrix, float).sum(axis=0)
    first = np.array(matrix, float)
    if len(matrix) == 2:
        first[1, 0], first[0, 1] = total
    return [first] * (2 * len(matrix) - 3) + [np.tile(total, (len(matrix), 1))]


# %% cost-answer: 0
def speed(n, batch, compute, size, latency, bandwidth):
    """Sends everything in each step."""
    return n * batch / (compute + 2 * (n - 1) * (latency + size / bandwidth))
