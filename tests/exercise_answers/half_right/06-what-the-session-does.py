"""Answers to sheet 5 that are right in part; the points of each stand beside its name."""

import minitf as tf

tower = train_and_watch_slowly = None  # the sheet's own

# %% foretell-answer: 1
for_loss = {"both", "product", "root", "loss"}
for_loss_fed_both = {"product", "root", "loss"}
for_loss_and_largest = {"both", "product", "root", "loss", "largest"}  # largest needs shifted


# %% grow-answer: 0
def train_and_watch(session, weights, steps):
    """As slow as it was."""
    return train_and_watch_slowly(session, weights, steps)


# %% place-answer: 1
def place(size):
    """Three products on each GPU, but each tower changes over."""
    ends = []
    devices = ["/gpu:0", "/gpu:1"]
    for each in range(2):
        with tf.device(devices[each]):
            matrix = tf.random_normal([size, size], seed=each)
        ends.append(tower(matrix, lambda number, each=each: devices[(each + number // 2) % 2]))
    return tf.add(ends[0], ends[1])


# %% busy-answer: 1
def busy(step_stats):
    """Counts the waiting, too."""
    return {
        device.device: sum(node.all_end_rel_micros for node in device.node_stats)
        for device in step_stats.dev_stats
    }
