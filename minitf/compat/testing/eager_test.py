"""`tensorflow.python.eager.test`: `tf.test` for programs whose tests run eagerly."""

from __future__ import annotations

from minitf.compat.testing import googletest
from minitf.library.eager.context import enable_eager_execution


def main(argv: list[str] | None = None) -> None:
    """As `tf.test.main`, with eager execution from here on."""
    enable_eager_execution()
    googletest.main(argv)
