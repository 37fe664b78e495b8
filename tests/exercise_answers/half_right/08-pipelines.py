"""Answers to sheet 6 that are right in part; the points of each stand beside its name."""

from pathlib import Path

import numpy as np

import minitf as tf

# %% foretell-answer: 1
elements_of_first = [[0, 1], [2, 3], [4]]
elements_of_second = [[0, 1, 2, 3], [4, 0, 1, 2]]
elements_of_third = [0, 9, 36, 81]  # nothing skipped


# %% epochs-answer: 1
def epochs(images, labels, count, size):
    """Shuffles the batches, not the examples."""
    both = tf.data.Dataset.from_tensor_slices((images, labels))
    return both.batch(size).repeat(count)


# %% windows-answer: 0
def pairs(series, size):
    """Steps on by whole windows."""
    series = np.asarray(series)
    values = tf.data.Dataset.from_tensor_slices(series)
    return tf.data.Dataset.zip((values.batch(size), values.skip(size)))


# %% lengths-answer: 0
def lengths(path):
    """Forgets the checksum behind the data."""
    content, place, found = Path(path).read_bytes(), 0, []
    while place < len(content):
        found.append(int.from_bytes(content[place : place + 8], "little"))
        place += 12 + found[-1]
    return found


# %% waited-answer: 0
def waited(diary):
    """Takes the entries as if they were in order."""
    trained = [entry for entry in diary if entry[0] == "train"]
    return sum(after[2] - before[3] for before, after in zip(trained, trained[1:]))
