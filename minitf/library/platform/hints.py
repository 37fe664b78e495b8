"""What to do about the errors that everybody meets once: one table, one sentence each.

    hint_for("Attempting to use uninitialized value w")
      -> 'Run sess.run(tf.global_variables_initializer()) once in this session, before the rest.'

The messages are TensorFlow's and stay as they are. A notebook shows the sentence beside them; see
`minitf/library/platform/notebook.py`.
"""

from __future__ import annotations

import re

# A pattern that is searched for in the message, and the advice; {0} is its first group.
# The first pattern that is found counts. An advice fits on one line of a notebook.
_TABLE = {
    r"You must feed a value for placeholder tensor '(.+?)'": (
        "Give the placeholder '{0}' a value: sess.run(..., feed_dict={{placeholder: value}})."
    ),
    r"Cannot feed value of shape (.+) for Tensor '.+', which has shape '(.+)'": (
        "Give the value the shape {1}, where ? is any size; np.reshape(value, ...) may help."
    ),
    r"The value of a feed cannot be a tf.Tensor": (
        "Feed an array: run the tensor first, or build on it instead of the placeholder."
    ),
    r"Cannot interpret feed_dict key as Tensor: The name '(.+)' refers to an Operation": (
        "Feed the placeholder itself, or name its output: '{0}:0'."
    ),
    r"Attempting to use uninitialized value": (
        "Run sess.run(tf.global_variables_initializer()) once in this session, before the rest."
    ),
    r"Variable .+ already exists, disallowed": (
        "Begin the cell with tf.reset_default_graph(), or share it with reuse=tf.AUTO_REUSE."
    ),
    r"Variable .+ does not exist, or was not created": (
        "Make the variable before it is reused; reuse=tf.AUTO_REUSE makes what is missing."
    ),
    r"Fetch argument None has invalid type": (
        "What is to be fetched is None: does the function that makes it end with `return`?"
    ),
    r"Fetch argument .+ has invalid type": (
        "Fetch a tensor: after `loss = sess.run(loss)` the name stands for a number."
    ),
    r"must be from the same graph as|is not an element of this graph": (
        "Two graphs are mixed: after tf.reset_default_graph() make tensors and session again."
    ),
    r"Graph is finalized": "Make all operations before the session that finalizes the graph.",
    r"The Session graph is empty": (
        "Make the session after the operations, or name their graph: tf.Session(graph=graph)."
    ),
    r"has type \w+ that does not match type (\w+) of argument": (
        "Convert one of the two: tf.cast(tensor, tf.{0}), or write the constant as {0}."
    ),
    r"Attempted to use a closed Session": (
        "The session ended with its `with` block or close(): make and initialize a new one."
    ),
    r"No default session is registered": (
        "Name the session, as in sess.run(tensor), or work inside `with tf.Session() as sess:`."
    ),
    r"Cannot assign a device for operation": (
        "Name a listed device, or let tf.ConfigProto(allow_soft_placement=True) choose one."
    ),
    r"Shape must be rank \d+ but is rank \d+ for '.+' \(op: 'MatMul'\)": (
        "tf.matmul takes matrices, [m, k] and [k, n]: bring it there by tf.squeeze or tf.reshape."
    ),
    r"Dimensions must be equal.+\(op: '(?:Batch)?MatMul\w*'\)": (
        "Columns and rows must agree, as in [m, k] and [k, n]: is a tf.transpose missing?"
    ),
    r"Dimensions must be equal|Incompatible shapes: ": (
        "Counted from the last, the sizes must be equal or 1: look at the .shape of both."
    ),
    r"Cannot reshape a tensor with (\d+) elements": (
        "The sizes must multiply to {0}; one of them may be -1, which is then computed."
    ),
    r"using a `tf.Tensor` as a Python `bool`": (
        "It has no value yet: use tf.cond or tf.where, or test what sess.run gives."
    ),
    r"iterating over `tf.Tensor`": (
        "It has no value yet: use tf.unstack or tf.map_fn, or go through what sess.run gives."
    ),
    r"Cannot convert a symbolic Tensor": (
        "NumPy and Python need a value: use the function of tf, or what sess.run gives."
    ),
    r"object has no attribute 'numpy'": (
        "In a graph it has no value yet: take what sess.run gives, or work eagerly."
    ),
    r"No gradients provided for any variable": (
        "Compute the loss from the variables with tf alone: sess.run and NumPy cut the way."
    ),
    r"No variables to save": "Make the variables before the tf.train.Saver.",
    r"is closed and has insufficient elements": (
        "The data have come to their end: catch tf.errors.OutOfRangeError to end the loop."
    ),
}


def hint_for(message: str) -> str:
    """Returns what to do about an error, in one sentence; "" when nothing is known.

    Args:
      message: the text of the error.
    """
    for pattern, advice in _TABLE.items():
        if found := re.search(pattern, message):
            return advice.format(*found.groups())
    return ""
