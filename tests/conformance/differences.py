"""Where minitf differs from TensorFlow 2.15 on purpose, and why.

minitf follows TensorFlow 1.15; the oracle is 2.15, the newest that still speaks the 1.x interface.
An entry is only for facts on which the two disagree (wording is `compare.normalize_text`'s), or for
details of TensorFlow's runtime that a teaching library does better without.

An entry that no longer describes a real difference fails the tests: the table cannot rot.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One deliberate difference.

    case: name of the case.
    place: the result in it, as the comparer prints it before the colon.
    why: the reason, one sentence.
    expected: what minitf must show instead, when it is one text; None: anything.
    """

    case: str
    place: str
    why: str
    expected: str | None = None


DIFFERENCES: tuple[Difference, ...] = ()


def deliberate(case: str) -> dict[str, Difference]:
    """Returns the deliberate differences of `case` by place."""
    return {d.place: d for d in DIFFERENCES if d.case == case}
