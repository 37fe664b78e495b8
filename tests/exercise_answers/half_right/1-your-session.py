"""Answers to builders 1 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% prune-answer: 2
def needed(fetches, feeds):
    """The operations that must run for `fetches`, when `feeds` are given."""
    found = set()
    todo = [
        each if isinstance(each, tf.Operation) else each.op for each in fetches if each not in feeds
    ]
    while todo:
        op = todo.pop()
        if op not in found:
            found.add(op)
            todo += [tensor.op for tensor in op.inputs if tensor not in feeds]
            todo += op.control_inputs
    return found


# %% order-answer: 0
def ordered(operations, feeds):
    """As they were made; a circle is not noticed."""
    return sorted(operations, key=lambda op: op._id)


# %% kernels-answer: 1
def matmul(op, x, y):
    """The product of two matrices, each transposed if the operation says so."""
    x = x.T if op.get_attr("transpose_a") else x
    y = y.T if op.get_attr("transpose_b") else y
    return [x @ y]


def relu(op, x):
    """The larger of 0 and x."""
    return [np.maximum(x, 0)]


def sum_to_shape_of(op, gradient, like):
    """Adds `gradient` up until it has the shape of `like`, which was broadcast."""
    while gradient.ndim > like.ndim:
        gradient = gradient.sum(axis=0)
    return [gradient]


# %% run-answer: 3
class MySession:
    """Runs graphs, operation by operation."""

    def __init__(self):
        self.graph = tf.get_default_graph()
        self.memory = {}
        self.plans = {}  # step 5 uses it

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def plan(self, fetches, feeds):
        """The operations to run, in order; `fetches` is a list, `feeds` a collection of tensors."""
        return ordered(needed(fetches, feeds), feeds)

    def compute(self, order, feed_dict):
        """Runs the operations; returns all values, a dictionary from tensors to arrays."""
        values = {
            tensor: np.asarray(value, tensor.dtype.as_numpy_dtype)
            for tensor, value in feed_dict.items()
        }
        for op in order:
            inputs = [values[tensor] for tensor in op.inputs]
            if op.type in STATEFUL:
                outputs = STATEFUL[op.type](self.memory, op, *inputs)
            else:
                outputs = KERNELS[op.type](op, *inputs)
            values.update(zip(op.outputs, outputs))
        return values

    def run(self, fetches, feed_dict=None):
        """The value of a tensor, or a list of values; None for an operation."""
        feed_dict = feed_dict or {}
        several = isinstance(fetches, (list, tuple))
        wanted = as_list(fetches)
        values = self.compute(self.plan(wanted, feed_dict), feed_dict)
        results = [values.get(each) for each in wanted]
        return results if several else results[0]


# %% keep-answer: 0
def plan_once(self, fetches, feeds):
    """The plan, made when it is asked for the first time."""
    key = tuple(fetches)
    if key not in self.plans:
        self.plans[key] = self.plan(fetches, feeds)
    return self.plans[key]


class MyFastSession(MySession):
    """The same, with plans that are kept."""

    plan_once = plan_once

    def run(self, fetches, feed_dict=None):
        feed_dict = feed_dict or {}
        several = isinstance(fetches, (list, tuple))
        wanted = as_list(fetches)
        values = self.compute(self.plan_once(wanted, feed_dict), feed_dict)
        results = [values.get(each) for each in wanted]
        return results if several else results[0]


# %% place-answer: 2
# Put your session in the place of the real one: which class does `with` get?
def trained_by_mine(steps, width=32):
    """What `train` returns, when it trains with your session."""
    with mock.patch.object(tf, "Session", MyFastSession):
        return train(steps, width)
