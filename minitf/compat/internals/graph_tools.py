"""Small functions of `tensorflow.python.framework.ops` and its neighbours.

Programs seldom call them; TensorFlow's own libraries and tests do. Each is written with the
public API, so no lower layer knows of them.
"""

from __future__ import annotations

from minitf.core.graph import stacks


def get_name_scope() -> str:
    """The current name scope, without a slash at its end."""
    return stacks.get_default_graph().get_name_scope()
