"""Puts one case to both libraries: what the tests and the command line share."""

import tempfile
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

from .answers import Answers
from .case import Case
from .compare import compare, normalize_text
from .differences import deliberate
from .oracle import Oracle
from .runner import run_case


def differences(case: Case, oracle: Answers | Oracle, library: ModuleType) -> list[str]:
    """Runs `case` in `library`, and asks what TensorFlow gives.

    Returns: the differences that are not deliberate, and the deliberate ones that are not there.
    """
    # Few programs ask for a folder.
    rooms = tempfile.TemporaryDirectory() if "folder" in case.source else nullcontext()
    with rooms as room:
        folder = room and str(Path(room, "folder"))  # the same for both: messages name the path
        wanted = oracle.ask(case.source, folder)
        got = run_case(library, case.source, folder)
    found = compare(wanted, got, case.rtol)
    known = deliberate(case.name)
    places = {line.split(":", 1)[0] for line in found}
    left = [line for line in found if line.split(":", 1)[0] not in known]
    for place, entry in known.items():
        if place not in places:
            left.append(f"{place}: differences.py lists this, but the libraries agree")
        elif entry.expected is not None:
            shown = got["shown"].get(place, {})
            text = shown.get("message", shown.get("value"))
            if not isinstance(text, str) or normalize_text(text) != normalize_text(entry.expected):
                left.append(f"{place}: minitf should show {entry.expected!r}, it shows {text!r}")
    return left
