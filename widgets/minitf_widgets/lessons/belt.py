"""A queue drawn as a belt between who puts and who takes, for the picture of a `Live`."""

from __future__ import annotations

from minitf_widgets.lessons.figures import INK
from minitf_widgets.palette import PALETTE
from minitf_widgets.text import escape

__all__ = ["belt_svg"]


def belt_svg(size: int, capacity: int, putting: bool = True, taking: bool = True) -> str:
    """Returns a queue as SVG: full and empty places, and who of the two has to wait.

    Args:
      size: how many elements are in it.
      capacity: how many there is room for.
      putting, taking: False for the side that waits.
    """
    wide, left = 34, 120
    pieces = []
    for place in range(capacity):
        full = place >= capacity - size  # the first to be taken is on the right
        box = f'x="{left + place * wide}" y="14" width="{wide - 4}" height="30" rx="4"'
        colour = PALETTE[0].color if full else "none"
        pieces.append(f'<rect {box} fill="{colour}" stroke="{INK}"/>')
    right = left + capacity * wide
    for x, anchor, name, busy in (
        (left - 10, "end", "puts ▸", putting),
        (right + 6, "start", "▸ takes", taking),
    ):
        words = name if busy else f"{name.strip(' ▸')}: WAITS"
        bold = "" if busy else ' font-weight="bold"'
        label = f'<text x="{x}" y="34" text-anchor="{anchor}"{bold}>{escape(words)}</text>'
        pieces.append(label)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + 120}" height="58" '
        f'viewBox="0 0 {right + 120} 58" font-family="sans-serif" font-size="14" fill="{INK}">'
        f"{''.join(pieces)}</svg>"
    )
