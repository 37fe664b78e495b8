"""Answers to sheet 12 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% made-answer: 1
def made(last, every, faults):
    """Counts the first fault only."""
    return last + (faults[0] % every if faults else 0)


# %% best-answer: 0
def best(choices, cost, between):
    """Forgets the half: a fault comes in the middle of an interval, on average."""
    return min(choices, key=lambda t: cost / t + t / between)


# %% loop-answer: 1
def survive(run, save, restore, last, every):
    """Catches everything."""
    step = 0
    while step < last:
        try:
            run(step + 1)
            step += 1
            if step % every == 0:
                save(step)
        except tf.errors.OpError:
            step = restore()


# %% crash-answer: 2
class Crash(tf.train.SessionRunHook):
    """Right."""

    def __init__(self, steps):
        self.left = list(steps)

    def before_run(self, run_context):
        """Asks for the step."""
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context, run_values):
        """Fails, once."""
        if self.left and run_values.results == self.left[0]:
            self.left.pop(0)
            raise tf.errors.AbortedError(None, None, "a fault")
