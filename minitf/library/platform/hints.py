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
    r"feed cannot be a tf.Tensor": "Feed an array: run the tensor first, and feed its value.",
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
        "Create the variable before you reuse it; reuse=tf.AUTO_REUSE creates what is missing."
    ),
    r"Fetch argument None": "You fetch None: does the function that makes it end in a `return`?",
    r"Fetch argument .+ has invalid type": (
        "Fetch a tensor: after `loss = sess.run(loss)` the name stands for a number."
    ),
    r"must be from the same graph as|is not an element of this graph": (
        "You mix two graphs: after tf.reset_default_graph(), create tensors and session again."
    ),
    r"Graph is finalized": "Create all operations before the graph is finalized.",
    r"The Session graph is empty": (
        "Create the session after the operations, or name their graph: tf.Session(graph=graph)."
    ),
    r"has type \w+ that does not match type (\w+) of argument": (
        "Convert one of the two: tf.cast(tensor, tf.{0}), or write the constant as {0}."
    ),
    r"Attempted to use a closed Session": (
        "The session ended with its `with` block or close(): open and initialize a new one."
    ),
    r"No default session is registered": (
        "Name the session, as in sess.run(tensor), or work inside `with tf.Session() as sess:`."
    ),
    r"Cannot assign a device": "Name a listed device, or set allow_soft_placement=True.",
    r"Shape must be rank \d+ but is rank \d+ for '.+' \(op: 'MatMul'\)": (
        "tf.matmul takes matrices, [m, k] and [k, n]: use tf.squeeze or tf.reshape first."
    ),
    r"Dimensions must be equal.+\(op: '(?:Batch)?MatMul\w*'\)": (
        "Columns and rows must agree, as in [m, k] and [k, n]: do you need a tf.transpose?"
    ),
    r"Dimensions must be equal|Incompatible shapes: ": (
        "From the last dimension on, sizes must be equal or 1: look at the .shape of both."
    ),
    r"Cannot reshape a tensor with (\d+) elements": (
        "The sizes must multiply to {0}; one of them may be -1, which is then computed."
    ),
    r"using a `tf.Tensor` as a Python `bool`": (
        "It has no value yet: use tf.cond or tf.where, or test what sess.run returns."
    ),
    r"iterating over `tf.Tensor`": (
        "It has no value yet: use tf.unstack or tf.map_fn, or loop over what sess.run returns."
    ),
    r"Cannot convert a symbolic Tensor": (
        "NumPy and Python need a value: use the function of tf, or what sess.run returns."
    ),
    r"^'(?:Tensor|Variable)' object has no attribute 'numpy'": (
        "In a graph it has no value yet: use what sess.run returns, or eager execution."
    ),
    r"No gradients provided for any variable": (
        "Compute the loss from the variables with tf alone: no gradient passes sess.run or NumPy."
    ),
    r"No variables to save": "Create the variables before the tf.train.Saver.",
    r"closed and has insufficient": "The data have ended: catch tf.errors.OutOfRangeError.",
    r"^name '\w+' is not defined": "Run the cells above (Run > Run All Above), or mend the name.",
    r"^No module named 'tensorflow'": "Write `import minitf as tf`, or run %load_ext minitf first.",
    r"^'Tensor' object does not support item assignment": (
        "A tensor does not change: build a new one, or use a variable: variable[i].assign(value)."
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
