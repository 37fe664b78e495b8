"""Answers to builders 3 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% key-answer: 1
def identity(node):
    """A key that is equal for twins; None for a node that must not be merged."""
    if node.op_def.stateful or node.type.startswith("_"):
        return None
    attrs = tuple((name, frozen(value)) for name, value in sorted(node.attrs.items()))
    return node.type, tuple(node.inputs), frozenset(node.controls), attrs


# %% merge-answer: 0
def merge_duplicates(nodes):
    """Asks for the key before it redirects, so twins of twins are not found."""
    first, instead, kept = {}, {}, []
    for node in nodes:
        key = identity(node)
        node.inputs = [(instead.get(source, source), index) for source, index in node.inputs]
        node.controls = list(dict.fromkeys(instead.get(each, each) for each in node.controls))
        if key is not None and key in first:
            instead[node] = first[key]
        else:
            first[key] = node
            kept.append(node)
    return kept


# %% cancel-answer: 0
def cancel(nodes):
    """Cancels one pair, not a chain of them."""
    new = {}
    for node in nodes:
        if node.type == "Neg" and node.inputs[0][0].type == "Neg":
            new[node, 0] = node.inputs[0][0].inputs[0]
            break
    return tf.passes.replace(nodes, new, {})


# %% place-answer: 2
def my_passes():
    """The list of passes, with yours in it."""
    passes = list(tf.passes.PASSES)
    place = passes.index(tf.passes.common_subexpressions)
    passes[place : place + 1] = [cancel, merge_duplicates]
    return passes
