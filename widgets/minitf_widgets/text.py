"""Texts of others, as names of tasks and of operations, in pictures and pages."""

from __future__ import annotations

import html
import re

#: also half a character of UTF-16, which no file can hold
_NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Returns a text as SVG and HTML hold it; U+FFFD stands for what XML 1.0 forbids."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))
