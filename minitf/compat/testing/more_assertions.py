"""Assertions that TensorFlow's tests have from Abseil: texts, orders, structures, files."""

from __future__ import annotations

import contextlib
import unittest
from typing import Any


class MoreAssertions(unittest.TestCase):
    """The assertions, and files that are gone after a test."""

    # ---- texts -------------------------------------------------------------------------------

    # ---- sequences ---------------------------------------------------------------------------

    # ---- structures --------------------------------------------------------------------------

    # ---- files -------------------------------------------------------------------------------

    def enter_context(self, manager: contextlib.AbstractContextManager[Any]) -> Any:
        """Enters a context that is left after the test."""
        result = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return result
